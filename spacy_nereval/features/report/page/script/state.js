// The reader's choices.

let state = unfiltered();

const comparing = () => isComparing(state);
