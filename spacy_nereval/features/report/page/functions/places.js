// The places that pass the filters: gold spans, and predictions on none, with their verdicts under the shown metric.
// Every filter is a predicate over them, and the list is the conjunction.

// Calls visit(row) for each verdict of a document, or for each change if two systems are compared. A row is
// { k, v, g, p, q, from, to }: document, verdict or change, gold span, prediction, the other system's prediction, and
// for changes the outcome before and after.
function visitRows(k, asked, visit) {
  const doc = documents[k];
  if (isComparing(asked)) {
    visitChanges(doc, asked.one, asked.other, (v, g, p, q, from, to) => visit({ k, v, g, p, q, from, to }));
  } else {
    verdicts(doc, asked.one, asked.metric, (v, g, p) => (g >= 0 || p >= 0) && visit({ k, v, g, p, q: ANY }));
  }
}

// The pairs of spans that verdicts at the place of a row judge, as [gold span, prediction, system]: one pair, or
// those of both systems if two are compared.
function pairsOf({ k, g, p, q }, asked) {
  if (!isComparing(asked)) return [[g, p, asked.one]];
  if (g < 0) return [p >= 0 ? [ANY, p, asked.one] : [ANY, q, asked.other]];
  const found = [];
  for (const system of [asked.one, asked.other]) {
    verdicts(documents[k], system, asked.metric, (verdict, gold, pred) => gold === g && found.push([g, pred, system]));
  }
  return found;
}

// The members of each group, as a set of "document gold prediction".
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

// The bucket of a gold span, or else of a prediction, as a number.
function bucketOf(k, attribute, g, p, system) {
  const sides = data.slices[attribute].of[k];
  return parseInt(g >= 0 ? sides[0][g] : sides[1 + system][p], 36);
}

// The results of a system in a document, by a metric: gold spans that are right, and places of spurious predictions.
function findings(doc, system, metric) {
  const right = new Set();
  const spurious = new Set();
  verdicts(doc, system, metric, (verdict, g, p) => {
    if (g >= 0 && verdict === metrics[metric].right) right.add(g);
    if (g < 0 && p >= 0) spurious.add(placeOf(doc, system, p));
  });
  return { right, spurious };
}

// A predicate for the filter on the systems that are right at the place of a row. Rows must come document by document.
function relationOf({ relation, one, metric }) {
  let current = ANY;
  let found = [];
  return (row, [[g, p, system]]) => {
    const doc = documents[row.k];
    if (row.k !== current) [current, found] = [row.k, systems.map((_, each) => findings(doc, each, metric))];
    const place = g < 0 ? placeOf(doc, system, p) : null;
    const isWrong = ({ right, spurious }) => (g >= 0 ? !right.has(g) : spurious.has(place));
    if (relation === "all") return found.every(isWrong);
    if (relation === "only") return found.every((each, k) => isWrong(each) === (k === one));
    return !isWrong(found[Number(relation)]);
  };
}

// Predicates for the filter on a label, by side. A verdict counts for the label of its gold span, or else of its
// prediction; for some metrics the other way round.
const labelTests = {
  "": (label) => (row, pairs, labelsOf) => pairs.some((pair) => labelsOf(pair).includes(label)),
  gold: (label) => (row, pairs, labelsOf) => labelsOf(pairs[0])[0] === label,
  pred: (label) => (row, pairs, labelsOf) => pairs.some((pair) => labelsOf(pair)[1] === label),
  home: (label, { bySystem }) => (row, pairs, labelsOf) => {
    const [gold, pred] = labelsOf(pairs[0]);
    return (bySystem ? (pred < 0 ? gold : pred) : gold < 0 ? pred : gold) === label;
  },
};

// The active filters: predicates of a row, its pairs (see pairsOf), and a function that returns the labels of a pair.
function filtersOf(asked, marks) {
  const { one, metric, chosen, label, side, cell, move, group, bucket, relation, mark } = asked;
  const on = [];
  if (chosen.size) on.push(({ v }) => chosen.has(v));
  else if (asked.wrong && !isComparing(asked)) on.push(({ v }) => v !== metrics[metric].right);
  if (move) on.push(({ from, to }) => from === move[0] && to === move[1]);
  if (label >= 0) on.push(labelTests[side](label, metrics[metric]));
  if (cell) {
    on.push((row, pairs, labelsOf) => pairs.some((pair) => pair[2] === one && labelsOf(pair).every((each, k) => each === cell[k])));
  }
  if (group !== null) on.push(({ k }, pairs) => pairs.some(([g, p, system]) => system === one && membersOf(group).has(`${k} ${g} ${p}`)));
  if (bucket) on.push(({ k }, [pair]) => bucketOf(k, bucket[0], ...pair) === bucket[1]);
  if (mark) on.push(({ k }, pairs) => pairs.some(([g, p, system]) => marks.get(markKey({ k, g, p }, system))?.mark === mark));
  if (relation) on.push(relationOf(asked));
  return on;
}

// Whether a filter over places is on, so that only documents with such a place are listed.
const isNarrowed = ({ chosen, label, cell, move, group, bucket, relation, mark }) =>
  chosen.size > 0 || label >= 0 || cell !== null || move !== null || group !== null || bucket !== null || relation !== "" || mark !== "";

// Calls visit(row) for each row of a document that passes all filters.
function visitMatches(k, asked, filters, visit, noteError = () => {}) {
  const doc = documents[k];
  const { right } = metrics[asked.metric];
  const labelsOf = ([g, p, system]) => [labelOf(doc[2], g), labelOf(doc[3 + system][0], p)];
  visitRows(k, asked, (row) => {
    if (isComparing(asked) || row.v !== right) noteError();
    let pairs = null; // looked up once it is needed
    if (filters.every((passes) => passes(row, passes.length > 1 ? (pairs ??= pairsOf(row, asked)) : null, labelsOf))) visit(row);
  });
}

// The documents and rows that pass the filters, in the chosen order; { refused: reason } if the pattern is not valid.
// `marks` are the reader's own.
function matching(asked, marks) {
  const pattern = patternOf(asked);
  if (pattern?.refused) return pattern;
  const filters = filtersOf(asked, marks);
  const needsRows = asked.wrong || isNarrowed(asked);
  const found = [];
  const rows = [];
  const errors = new Map();
  documents.forEach((doc, k) => {
    if (pattern && !has(pattern, doc[1] || "") && !has(pattern, doc[0] || "")) return;
    const before = rows.length;
    let wrong = 0;
    visitMatches(k, asked, filters, (row) => rows.push(row), () => (wrong += 1));
    if (needsRows && rows.length === before) return;
    errors.set(k, wrong);
    found.push(k);
  });
  return inOrder(found, rows, errors, asked);
}

// The numbers of matching rows and documents in words.
function saidOf({ found, rows }, asked) {
  if (!found.length) return `No document of ${number(documents.length)} matches`;
  const what = isComparing(asked) ? "change" : rows.every(({ v }) => v !== metrics[asked.metric].right) ? "error" : "verdict";
  return `${many(rows.length, what)} in ${number(found.length)} of ${many(documents.length, "document")}`;
}
