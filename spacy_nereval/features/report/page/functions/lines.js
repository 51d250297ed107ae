// The lines of the list: their spans and their order.

// The gold span and the predictions of a row, and where they begin and end.
function spansOf({ k, g, p, q }, asked) {
  const doc = documents[k];
  const compared = isComparing(asked);
  let [gold, pred, after] = [span(doc[2], g), span(doc[3 + asked.one][0], p), compared ? span(doc[3 + asked.other][0], q) : null];
  if (compared && g >= 0) {
    pred = span(doc[3 + asked.one][0], firstPrediction(doc, asked.one, g));
    after = span(doc[3 + asked.other][0], firstPrediction(doc, asked.other, g));
  }
  const own = [gold, pred, after].filter(Boolean);
  return { gold, pred, after, start: Math.min(...own.map((s) => s.start)), end: Math.max(...own.map((s) => s.end)) };
}

const wordsOf = ({ v }, asked) => (isComparing(asked) ? CHANGES[v] : metrics[asked.metric].words[v]);

const KEYS = {
  before: (text, { start }) => text.slice(Math.max(0, start - 40), start).trim().toLowerCase().split(/\s+/).reverse().join(" "),
  surface: (text, { start, end }) => text.slice(start, end).toLowerCase(),
  after: (text, { end }) => text.slice(end, end + 40).trim().toLowerCase(),
  gold: (text, { gold }) => (gold ? labels[gold.label] : ""),
  pred: (text, { pred }) => (pred ? labels[pred.label] : ""),
  verdict: (text, spans, row, asked) => wordsOf(row, asked),
};

// Documents and rows in the chosen order; `errors` has the number of errors of each document.
function inOrder(found, rows, errors, asked) {
  const { order, falling } = asked;
  if (order === "errors") {
    found.sort((a, b) => errors.get(b) - errors.get(a) || a - b);
    rows.sort((a, b) => errors.get(b.k) - errors.get(a.k) || a.k - b.k);
  } else if (order !== "corpus") {
    const keys = rows.map((row) => KEYS[order](documents[row.k][1] || "", spansOf(row, asked), row, asked)); // once for each
    const places = rows.map((_, i) => i).sort((i, j) => (keys[i] < keys[j] ? -1 : keys[i] > keys[j] ? 1 : i - j));
    rows = places.map((i) => rows[i]);
    found = [...new Set([...rows.map(({ k }) => k), ...found])];
  }
  return falling ? { found: found.reverse(), rows: rows.reverse() } : { found, rows };
}
