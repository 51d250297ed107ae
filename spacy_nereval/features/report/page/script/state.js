// What the reader asks for.

let state = unfiltered();

const comparing = () => isComparing(state);
