// The list of documents and rows that match the reader's choices.

let found = []; // numbers of documents
let rows = []; // one verdict or change per row

// Finds the documents and rows that match, and shows the first page of them.
function search() {
  const result = matching(state, marksMade);
  $("find").setAttribute("aria-invalid", String(Boolean(result.refused)));
  ({ found = [], rows = [] } = result);
  $("matches").textContent = result.refused ? noPattern(result) : saidOf(result, state);
  show();
}
