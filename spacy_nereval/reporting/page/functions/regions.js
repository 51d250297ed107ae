// A span as Label Studio has it, for a config that calls its text "text" and its labels "label".

const labelStudioRegion = ({ start, end, label, text }) => ({ from_name: "label", to_name: "text", type: "labels", value: { start, end, text, labels: [label] } });

// The words of a span, with an ellipsis for each of its gaps.
const spanText = (text, { start, end, pieces }) => (pieces ?? [[start, end]]).map(([from, to]) => text.slice(from, to)).join(" … ");

// Where a span is, as text: its pieces, so that spans with other gaps are elsewhere.
const extentOf = ({ start, end, pieces }) => (pieces ?? [[start, end]]).join(" ");
const sameExtent = (one, other) => extentOf(one) === extentOf(other);

// Whether a span has a gap at an offset.
const isGap = ({ pieces }, at) => Boolean(pieces) && !pieces.some(([from, to]) => from <= at && at < to);

// The pieces of a span with gaps in characters, as files have them.
const piecesInCharacters = (text, pieces) => (pieces ? { pieces: pieces.map((piece) => piece.map((at) => characters(text, at))) } : {});
