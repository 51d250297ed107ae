// The disputed documents of the view for adjudication, as `nereval agreement --disputes` writes them.

const plain = (doc, [start, end, label, , pieces]) => ({ start: characters(doc.text, start), end: characters(doc.text, end), label: labels[label], ...piecesInCharacters(doc.text, pieces) });
const whole = (doc) => (doc.ends === null ? doc.text : doc.text.slice(0, doc.ends)) ?? "";
const inText = (doc) => doc.spans.filter(([start]) => !isInvented(doc, start));
const marking = (doc, k) => inText(doc).filter(([, , , by]) => by.includes(k));

// The documents with a dispute that matches, the most disputed first.
const disputed = (places) => [...new Set(places.map(([k]) => k))].sort((a, b) => documents[a].rank - documents[b].rank);

// The documents that tasks can store: Prodigy and Label Studio have no spans with gaps.
const withGaps = (doc) => doc.spans.some(([, , , , pieces]) => pieces);
const asked = (places) => disputed(places).filter((k) => !withGaps(documents[k]));

function disputesOf(doc) {
  return doc.places.reduce((sum, place) => sum + place[2], 0);
}

// A line for Prodigy: the consensus as spans, every disputed span as an option.
function forProdigy(k) {
  const doc = documents[k];
  const open = inText(doc).filter(([, , , by]) => by.length < doc.by.length);
  const options = open.map((span, n) => {
    const each = plain(doc, span);
    return { id: n, text: `${span[3].map((a) => annotators[a]).join(", ")}: ${wordsOf(doc, span)} (${each.label})`, ...each };
  });
  return {
    ...(doc.id === null ? {} : { id: doc.id }),
    text: whole(doc),
    spans: inText(doc).filter(([, , , by]) => isConsensus(doc, by)).map((span) => plain(doc, span)),
    options,
    meta: { disputes: disputesOf(doc), annotators: doc.by.map((a) => annotators[a]).join(", ") },
  };
}

// A task for Label Studio: the spans of each annotator as predictions.
function forLabelStudio(k) {
  const doc = documents[k];
  const region = (span) => {
    const { start, end, label } = plain(doc, span);
    return labelStudioRegion({ start, end, label, text: wordsOf(doc, span) });
  };
  return {
    data: { text: whole(doc), ...(doc.id === null ? {} : { document: doc.id }), disputes: disputesOf(doc) },
    predictions: doc.by.map((a) => ({ model_version: annotators[a], result: marking(doc, a).map(region) })),
  };
}
