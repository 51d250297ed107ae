// The reader's own marks, each on a place: a gold span, or a passage without a gold span. A mark says who is wrong,
// the decision for gold, and the predictions there, by names that other reports of the same gold share.

const keyOf = (k, g, start, end) => JSON.stringify(g >= 0 ? [k, g] : [k, ANY, start, end]);

// The key of the place of a verdict under a system.
function markKey({ k, g, p }, system) {
  const pred = g < 0 ? span(documents[k][3 + system][0], p) : null;
  return keyOf(k, g, pred?.start, pred?.end);
}

const NO_MARK = { mark: "", note: "", decided: null, seen: null };

const isSpan = (value) => Array.isArray(value) && value.length === 3 && value.slice(0, 2).every(Number.isInteger) && typeof value[2] === "string";
const isMark = (value) => Boolean(value) && (value.mark === "" || Object.hasOwn(MARKS, value.mark)) && typeof value.note === "string" &&
  (value.decided === null || (Array.isArray(value.decided) && value.decided.every(isSpan))) && othersOf(value).every((other) => isMark(other));

// The marks of other reviewers that differed from this one: { mark, decided, note, by, settled }. `settled` is "mine" or
// "theirs", whichever was chosen; null while the dispute is open.
const othersOf = (value) => value?.others ?? [];
const openDispute = (value) => othersOf(value).find(({ settled }) => !settled);

const isSame = (a, b) => a.mark === b.mark && JSON.stringify(a.decided) === JSON.stringify(b.decided);

// A mark with its open disputes: they end where it agrees with another reviewer, and reopen where it no longer does.
function withDisputes(value) {
  if (!value?.others) return value;
  return { ...value, others: value.others.map((other) => ({ ...other, settled: isSame(value, other) ? "theirs" : other.settled === "theirs" ? null : other.settled })) };
}

// A mark as version 0.2 stored it, with a single other one.
const upgraded = ({ other, ...value }) => (other ? { ...value, others: [{ ...other, by: "", settled: null }] } : value);

// The gold span of a place; null if it has none.
const goldAt = (key) => {
  const [k, g] = JSON.parse(key);
  return span(documents[k][2], g);
};

// A span with its label as text, as marks have it.
const named = (found) => found && Object.assign([found.start, found.end, labels[found.label]], found.pieces ? { pieces: found.pieces } : {});

// Such a span with offsets in characters and its words, as files have it.
const inCharacters = (text, found) => {
  const { 0: start, 1: end, 2: label, pieces } = found;
  const words = text === null ? {} : { text: spanText(text, { start, end, pieces }) };
  return { start: characters(text, start), end: characters(text, end), label, ...piecesInCharacters(text, pieces), ...words };
};

const spansIn = (flat) => Array.from({ length: flat.length / 3 }, (_, i) => span(flat, i));
const goldsOf = (k) => spansIn(documents[k][2]);

function plainSpan(text, found) {
  return found && { start: characters(text, found.start), end: characters(text, found.end), label: labels[found.label], ...piecesInCharacters(text, found.pieces) };
}

function documentAsJson(k, meta) {
  const doc = documents[k];
  const spans = goldsOf(k).filter((gold) => !isInvented(k, gold)).map((gold) => plainSpan(doc[1], gold));
  return { ...(doc[0] === null ? {} : { id: doc[0] }), text: textOf(k) ?? "", spans, meta: { document: k + 1, report: data.digest, ...meta } };
}
