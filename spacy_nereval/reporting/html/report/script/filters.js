// Which verdicts and documents the reader asks for.

let found = []; // numbers of documents
let rows = []; // one verdict or change per row

const narrowed = () =>
  state.chosen.size > 0 || state.label >= 0 || state.cell !== null || state.group !== null || state.bucket !== null ||
  state.relation !== "" || state.mark !== "" || (comparing() && state.move !== null);

// From "document gold prediction" to true, for the members of a group.
const members = new Map();
function membersOf(group) {
  if (!members.has(group)) {
    const flat = data.groups[group].members;
    const keys = new Set();
    for (let i = 0; i < flat.length; i += 3) keys.add(`${flat[i]} ${flat[i + 1]} ${flat[i + 2]}`);
    members.set(group, keys);
  }
  return members.get(group);
}

// The bucket of the gold span of a verdict, or of its prediction, as a number.
function bucketOf(k, system, attribute, g, p) {
  const sides = data.slices[attribute].of[k];
  return parseInt(g >= 0 ? sides[0][g] : sides[1 + system][p], 36);
}

// Whether a system is wrong, by the verdicts that are shown, about a gold span, or spuriously predicts a place.
function isWrong(doc, system, g, place) {
  const { right } = metrics[state.metric];
  let isRight = false;
  let isSpurious = false;
  verdicts(doc, system, state.metric, (verdict, gold, pred) => {
    if (g >= 0) isRight ||= gold === g && verdict === right;
    else isSpurious ||= gold < 0 && pred >= 0 && placeOf(doc, system, pred) === place;
  });
  return g >= 0 ? !isRight : isSpurious;
}

// Whether the other systems do on a verdict as the filter says.
function related(doc, g, p) {
  const named = !["only", "all"].includes(state.relation);
  const others = named ? [Number(state.relation)] : [...systems.keys()];
  const place = g < 0 ? placeOf(doc, state.one, p) : null;
  const wrong = (system) => isWrong(doc, system, g, place);
  const rest = others.filter((system) => system !== state.one);
  return state.relation === "all" ? rest.every(wrong) : !rest.some(wrong);
}

// Calls visit(row) for each verdict of a document that matches, or each change. A row is
// { k, v, g, p, q, from, to }: document, verdict or change, gold span, prediction, the other system's prediction.
function visitMatches(k, visit, noteError = () => {}) {
  const doc = documents[k];
  if (comparing()) {
    visitChanges(doc, state.one, state.other, (v, g, p, q, from, to) => {
      noteError();
      if (state.chosen.size && !state.chosen.has(v)) return;
      if (state.move && (from !== state.move[0] || to !== state.move[1])) return;
      const label = g >= 0 ? labelOf(doc[2], g) : p >= 0 ? labelOf(doc[3 + state.one][0], p) : labelOf(doc[3 + state.other][0], q);
      if (state.label < 0 || label === state.label) visit({ k, v, g, p, q });
    });
    return;
  }
  const { right } = metrics[state.metric];
  const group = state.group === null ? null : membersOf(state.group);
  verdicts(doc, state.one, state.metric, (v, g, p) => {
    if (g < 0 && p < 0) return;
    if (v !== right) noteError();
    if (state.chosen.size ? !state.chosen.has(v) : v === right && (state.relation || (state.wrong && !state.cell && !group))) return;
    const gold = labelOf(doc[2], g);
    const pred = labelOf(doc[3 + state.one][0], p);
    if (state.label >= 0 && gold !== state.label && pred !== state.label) return;
    if (state.cell && (gold !== state.cell[0] || pred !== state.cell[1])) return;
    if (group && !group.has(`${k} ${g} ${p}`)) return;
    if (state.bucket && bucketOf(k, state.one, state.bucket[0], g, p) !== state.bucket[1]) return;
    const row = { k, v, g, p, q: ANY };
    if (state.mark && (marksMade.get(markKey(row)) || {}).mark !== state.mark) return;
    if (state.relation && !related(doc, g, p)) return;
    visit(row);
  });
}

// Finds the documents and rows that match, and shows the first page of them.
function search() {
  const pattern = needle();
  $("find").setAttribute("aria-invalid", String(pattern === undefined));
  found = [];
  rows = [];
  const errors = new Map();
  documents.forEach((doc, k) => {
    if (pattern === undefined) return;
    if (pattern && !has(pattern, doc[1] || "") && !has(pattern, doc[0] || "")) return;
    let wrong = 0;
    const before = rows.length;
    visitMatches(k, (row) => rows.push(row), () => (wrong += 1));
    if ((state.wrong && !wrong && !state.cell && !state.chosen.size) || (narrowed() && rows.length === before)) {
      rows.length = before;
      return;
    }
    errors.set(k, wrong);
    found.push(k);
  });
  if (state.order === "errors") {
    found.sort((a, b) => errors.get(b) - errors.get(a) || a - b);
    rows.sort((a, b) => errors.get(b.k) - errors.get(a.k) || a.k - b.k);
  } else if (state.order !== "corpus") {
    sortRows();
  }
  if (state.falling) {
    found.reverse();
    rows.reverse();
  }
  const what = comparing() ? "change" : rows.every(({ v }) => v !== metrics[state.metric].right) ? "error" : "verdict";
  $("matches").textContent = pattern === undefined ? "This is no regular expression"
    : found.length ? `${many(rows.length, what)} in ${number(found.length)} of ${many(documents.length, "document")}`
    : `No document of ${number(documents.length)} matches`;
  show();
}
