// The list that the reader asks for.

let found = []; // numbers of documents
let rows = []; // one verdict or change per row

// Finds the documents and rows that match, and shows the first page of them.
function search() {
  const result = matching(state, marksMade);
  $("find").setAttribute("aria-invalid", String(result === null));
  ({ found, rows } = result ?? { found: [], rows: [] });
  $("matches").textContent = result ? saidOf(result, state) : "This is no regular expression";
  show();
}
