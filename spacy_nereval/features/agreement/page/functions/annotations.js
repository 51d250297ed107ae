// The data of the page on agreement: documents, their spans with who marked them, and the disputed
// places. Their layout: _data in agreement_page.py.

const { annotators, labels, kinds, documents, groups } = data;
const ANY = -1; // any annotator, or any label
const direction = (doc) => (doc.rtl ? "rtl" : "ltr");
const isInvented = (doc, start) => doc.ends !== null && start > doc.ends;
const nameOf = (doc, k) => doc.id ?? `Document ${number(k + 1)}`;

// The spans of a place, and who marked nothing there.
function versionsOf(doc, place) {
  const [first, count] = place;
  const versions = doc.spans.slice(first, first + count);
  const spoke = new Set(versions.flatMap(([, , , by]) => by));
  return { versions, silent: doc.by.filter((k) => !spoke.has(k)) };
}

const wordsOf = (doc, [start, end, , , pieces]) => spanText(doc.text, { start, end, pieces });
const startOf = (doc, place) => doc.spans[place[0]][0];
const endOf = (doc, place) => Math.max(...versionsOf(doc, place).versions.map(([, end]) => end));
const kindsOf = (place) => [...new Set(place[3].map(([kind]) => kind))].sort((a, b) => a - b);
const isConsensus = (doc, by) => by.length >= doc.need;
