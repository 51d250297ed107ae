// The decisions of an adjudicator: for each disputed place the spans that count, or that it is unclear, and a note.

const keyOf = (k, p) => `${k} ${p}`;

// The annotations at a place: the numbers of their spans, the same ones together, those of most annotators first.
function readingsOf(doc, [first, count]) {
  const found = new Map();
  for (const annotator of doc.by) {
    const spans = Array.from({ length: count }, (_, i) => first + i).filter((n) => doc.spans[n][3].includes(annotator));
    const key = spans.join(" ");
    found.set(key, { spans, by: [...(found.get(key)?.by ?? []), annotator] });
  }
  return [...found.values()].filter(({ spans }) => spans.length).sort((a, b) => b.by.length - a.by.length);
}

const isDecision = (value) => Boolean(value) && typeof value.note === "string" && typeof value.unclear === "boolean" &&
  (value.chosen === null || (Array.isArray(value.chosen) && value.chosen.every(Number.isInteger)));

// A document as a line of gold annotation: the decisions, and the consensus elsewhere.
function adjudicated(k, decided) {
  const doc = documents[k];
  const placeAt = new Map(doc.places.flatMap(([first, count], p) => Array.from({ length: count }, (_, i) => [first + i, p])));
  const own = doc.places.map((_, p) => decided.get(keyOf(k, p)));
  const spans = doc.spans.filter((each, n) => !isInvented(doc, each[0]) && (own[placeAt.get(n)]?.chosen?.includes(n) ?? isConsensus(doc, each[3])));
  const note = own.map((each) => each?.note).filter(Boolean).join("; ");
  const meta = { decided: own.filter((each) => each?.chosen).length, open: own.filter((each) => !each?.chosen).length, ...(note ? { note } : {}) };
  return { ...(doc.id === null ? {} : { id: doc.id }), text: whole(doc), spans: spans.map((each) => plain(doc, each)), meta };
}
