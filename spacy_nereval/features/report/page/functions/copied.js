// The shown list as JSON lines or CSV, for copying and saving.

const FIELDS = ["document", "id", "system", "metric", "verdict", "gold_start", "gold_end", "gold_label", "gold_text", "pred_start", "pred_end", "pred_label", "pred_text", "left", "right", "in_text", "correct_boundary"];

// Which boundary is right, if the label is and the boundaries differ; as in the error list of Python.
function correctBoundary(gold, pred) {
  if (!gold || !pred || gold.label !== pred.label) return null;
  const [left, right] = [gold.start === pred.start, gold.end === pred.end];
  if (left && right) return sameExtent(gold, pred) ? null : "both";
  return left ? "left" : right ? "right" : "neither";
}

// The context of spans, and whether all of them are in the text.
function around(k, spans, start, end) {
  const text = textOf(k);
  if (text === null) return [null, null, null];
  const found = !spans.some((span) => isInvented(k, span));
  const [from, to] = [Math.max(0, start - 40), end + 40];
  const half = (at) => (isWithinCharacter(text, at) ? 1 : 0);
  return found ? [text.slice(from + half(from), start), text.slice(end, to - half(to)), true] : [null, null, false];
}

function asRow(row, asked) {
  const doc = documents[row.k];
  const text = doc[1];
  const { gold, pred, start, end } = spansOf(row, asked);
  const part = (s) => (s && text !== null ? spanText(text, s) : null);
  const side = (s) => (s ? [characters(text, s.start), characters(text, s.end), labels[s.label], part(s)] : [null, null, null, null]);
  const values = [row.k + 1, doc[0], systems[asked.one], metrics[asked.metric].name,
    isComparing(asked) ? CHANGES[row.v] : metrics[asked.metric].verdicts[row.v], ...side(gold), ...side(pred),
    ...around(row.k, [gold, pred].filter(Boolean), start, end), correctBoundary(gold, pred)];
  return Object.fromEntries(FIELDS.map((field, i) => [field, values[i]]));
}

// The documents of the view, a line each, with gold spans and the rows on them.
function viewAsLines({ found, rows }, asked) {
  if (asked.view === "documents") return found.map((k) => JSON.stringify(documentAsJson(k, {}))).join("\n") + "\n";
  const byDocument = new Map();
  for (const row of rows) byDocument.set(row.k, [...(byDocument.get(row.k) || []), asRow(row, asked)]);
  return [...byDocument].map(([k, errors]) => JSON.stringify(documentAsJson(k, { errors }))).join("\n") + "\n";
}

const viewAsTable = ({ rows }, asked) => [FIELDS.join(","), ...rows.map((row) => Object.values(asRow(row, asked)).map(csvCell).join(","))].join("\r\n") + "\r\n";
