// The data of the report about a document: verdicts, kinds of errors, changes between two systems. page_data in
// report_page.py describes their layout.

const { systems, labels, metrics, documents, outcomes, changes: CHANGES } = data;
const outcomeOf = new Map(data.outcomeOf); // from a verdict on a gold span to a number in outcomes
const annexes = new Map(data.annexes); // from a document to where its text ends, if mentions that it lacks follow
const rightToLeft = new Set(data.rightToLeft); // numbers of documents
const CORRECT = 0; // the number of the outcome "correct"
const [FIXED, BROKEN, CHANGED, GONE, NEW] = CHANGES.keys();
const ANY = -1; // any label, no system to compare with, or no span
const fair = metrics.findIndex((metric) => metric.taxonomy);

// What few spans have, by the list of their side and their number in it.
function besideSpans(rows) {
  const lists = new Map();
  for (const [k, system, n, value] of rows ?? []) {
    const flat = system < 0 ? documents[k][2] : documents[k][3 + system][0];
    lists.set(flat, (lists.get(flat) ?? new Map()).set(n, value));
  }
  return lists;
}
const pieceLists = besideSpans(data.pieces); // of spans with gaps
const attributeLists = besideSpans(data.attributes); // in words
const gapped = new Set((data.pieces ?? []).map(([k]) => k)); // documents with such spans
const spanPieces = (flat, k) => pieceLists.get(flat)?.get(k);

function span(flat, k) {
  if (k < 0) return null;
  const [pieces, attributes] = [spanPieces(flat, k), attributeLists.get(flat)?.get(k)];
  return { start: flat[3 * k], end: flat[3 * k + 1], label: flat[3 * k + 2], ...(pieces ? { pieces } : {}), ...(attributes ? { attributes } : {}) };
}
const labelOf = (flat, k) => (k < 0 ? ANY : flat[3 * k + 2]);
const textOf = (k) => (annexes.has(k) ? documents[k][1].slice(0, annexes.get(k)) : documents[k][1]);
const isInvented = (k, span) => annexes.has(k) && span.start > annexes.get(k);
const direction = (k) => (rightToLeft.has(k) ? "rtl" : "ltr");

// Calls visit(verdict, gold span, predicted span) for every verdict of a metric on a document under a system.
function verdicts(doc, system, metric, visit) {
  const side = doc[3 + system];
  const { settled } = metrics[metric];
  if (settled.length) {
    for (let i = 0; i < side[1].length; i += 3) visit(settled[side[1][i]], side[1][i + 1], side[1][i + 2]);
  }
  const judged = side[2 + metric];
  for (let i = 0; i < judged.length; i += 3) visit(judged[i], judged[i + 1], judged[i + 2]);
}

// The kind of error of a verdict, as FairEval's verdicts declare it; for other metrics, derived from the two spans.
function kindOf(doc, system, metric, verdict, g, p) {
  const { right, kinds } = metrics[metric];
  if (verdict === right) return "hit";
  if (metric === fair) return kinds[verdict];
  if (g < 0) return "spurious";
  if (p < 0) return "missed";
  const a = span(doc[2], g);
  const b = span(doc[3 + system][0], p);
  const sameBoundaries = sameExtent(a, b);
  if (a.label === b.label) return sameBoundaries ? "hit" : "boundary";
  return sameBoundaries ? "label" : "both";
}

// For each gold span its outcome, a number in outcomes.
function outcomesOf(doc, system) {
  const found = new Array(doc[2].length / 3).fill(ANY);
  const names = metrics[fair].verdicts;
  verdicts(doc, system, fair, (verdict, g) => {
    if (g >= 0 && found[g] < 0) found[g] = outcomeOf.get(names[verdict]);
  });
  return found;
}

// The place and the label of a system's prediction.
const placeOf = (doc, system, p) => [...doc[3 + system][0].slice(3 * p, 3 * p + 3), ...(spanPieces(doc[3 + system][0], p) ?? [])].join(" ");

// The spurious predictions of a system, each with its number in the list of predictions.
function spuriousOf(doc, system) {
  const found = new Map();
  verdicts(doc, system, fair, (verdict, g, p) => {
    if (metrics[fair].verdicts[verdict] !== "fp") return;
    found.set(placeOf(doc, system, p), p);
  });
  return found;
}

// Calls visit(change, gold span, predicted span before, and after, outcome before, and after) for each
// difference between two systems.
function visitChanges(doc, one, other, visit) {
  const before = outcomesOf(doc, one);
  const after = outcomesOf(doc, other);
  before.forEach((from, g) => {
    const to = after[g];
    if (from !== to) visit(to === CORRECT ? FIXED : from === CORRECT ? BROKEN : CHANGED, g, ANY, ANY, from, to);
  });
  const [old, now] = [one, other].map((system) => spuriousOf(doc, system));
  for (const [key, p] of old) if (!now.has(key)) visit(GONE, ANY, p, ANY, ANY, ANY);
  for (const [key, p] of now) if (!old.has(key)) visit(NEW, ANY, ANY, p, ANY, ANY);
}

// The first prediction that a verdict pairs with a gold span; ANY if there is none.
function firstPrediction(doc, system, g) {
  let found = ANY;
  verdicts(doc, system, fair, (verdict, gold, p) => {
    if (gold === g && found < 0) found = p;
  });
  return found;
}
