// Which documents the reader asks for, and which of their verdicts or changes match.

// What the form starts with, and returns to.
const unfiltered = () => ({
  one: state ? state.one : data.lead, // the system
  other: state ? state.other : ANY, // another one to compare it with
  metric: state ? state.metric : Math.max(fair, 0),
  chosen: new Set(), // verdicts; changes, if two systems are compared
  label: ANY,
  cell: null, // [gold label, predicted label] of the matrix
  move: null, // [outcome before, outcome after]
  find: "",
  wrong: false,
  order: "corpus",
});
let state = null;
state = { ...unfiltered(), wrong: true };
let found = []; // numbers of documents
let at = 0; // the page of the list
const unfolded = new Set(); // documents shown in full

const comparing = () => state.other >= 0;
const narrowed = () =>
  state.chosen.size > 0 || state.label >= 0 || state.cell !== null || (comparing() && state.move !== null);

// The verdicts or changes of a document that match: their number, the spans to mark, and how many errors
// or changes there are in all.
function matches(doc) {
  const result = { n: 0, errors: 0, gold: new Set(), preds: [new Set(), new Set()] };
  const note = (g, p, q) => {
    result.n += 1;
    if (g >= 0) result.gold.add(g);
    if (p >= 0) result.preds[0].add(p);
    if (q >= 0) result.preds[1].add(q);
  };
  if (comparing()) {
    visitChanges(doc, state.one, state.other, (change, g, p, q, from, to) => {
      result.errors += 1;
      if (state.chosen.size && !state.chosen.has(change)) return;
      if (state.move && (from !== state.move[0] || to !== state.move[1])) return;
      const label = g >= 0 ? labelOf(doc[2], g) : p >= 0 ? labelOf(doc[3 + state.one][0], p) : labelOf(doc[3 + state.other][0], q);
      if (state.label < 0 || label === state.label) note(g, p, q);
    });
    return result;
  }
  const { right, confusion } = metrics[state.metric];
  verdicts(doc, state.one, state.metric, (verdict, g, p) => {
    if (verdict !== right) result.errors += 1;
    if (state.chosen.size && !state.chosen.has(verdict)) return;
    const gold = labelOf(doc[2], g);
    const pred = labelOf(doc[3 + state.one][0], p);
    if (state.label >= 0 && gold !== state.label && pred !== state.label) return;
    if (state.cell && (gold !== state.cell[0] || pred !== state.cell[1] || !confusion.includes(verdict))) return;
    note(g, p, ANY);
  });
  return result;
}

// Finds the documents that match, and shows the first page of them.
function search() {
  const needle = state.find.trim().toLowerCase();
  let n = 0;
  found = [];
  const errors = new Map();
  documents.forEach((doc, k) => {
    if (needle && !(doc[1] || "").toLowerCase().includes(needle) && !(doc[0] || "").toLowerCase().includes(needle)) return;
    const match = matches(doc);
    if ((state.wrong && !match.errors) || (narrowed() && !match.n)) return;
    n += match.n;
    errors.set(k, match.errors);
    found.push(k);
  });
  if (state.order === "errors") found.sort((a, b) => errors.get(b) - errors.get(a) || a - b);
  at = 0;
  const what = comparing() ? "change" : "verdict";
  const parts = narrowed() ? `${many(n, what)} in ` : "";
  $("matches").textContent = found.length
    ? `${parts}${number(found.length)} of ${many(documents.length, "document")}`
    : `No document of ${number(documents.length)} matches`;
  show();
}
