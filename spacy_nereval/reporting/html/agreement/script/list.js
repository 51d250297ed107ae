// The list: one disputed place after the other, or whole documents, a page at a time.

const PER_PAGE = { disputes: 25, documents: 20 };

let places = []; // [document, place] of each dispute that matches
let found = []; // numbers of documents

const members = groups.map((group) => {
  const keys = new Set();
  for (let i = 0; i < group.members.length; i += 2) keys.add(`${group.members[i]} ${group.members[i + 1]}`);
  return keys;
});

const narrowed = () => state.one >= 0 || state.other >= 0 || state.label >= 0 || state.chosen.size > 0 || state.group !== null;

// Whether a place has a difference of a chosen kind between the chosen annotators, and the chosen label.
function matches(k, p) {
  const doc = documents[k];
  const place = doc.places[p];
  if (state.group !== null && !members[state.group].has(`${k} ${p}`)) return false;
  if (state.label >= 0 && !versionsOf(doc, place).versions.some(([, , label]) => label === state.label)) return false;
  const asked = [state.one, state.other].filter((annotator) => annotator >= 0);
  return place[3].some(([kind, a, b]) => (!state.chosen.size || state.chosen.has(kind)) && asked.every((annotator) => annotator === a || annotator === b));
}

// Finds the places and documents that match, and shows the first page of them.
function search() {
  const pattern = needle();
  $("find").setAttribute("aria-invalid", String(pattern === undefined));
  places = [];
  found = [];
  documents.forEach((doc, k) => {
    if (pattern === undefined || (pattern && !has(pattern, doc.text || "") && !has(pattern, doc.id || ""))) return;
    const own = doc.places.map((_, p) => p).filter((p) => matches(k, p));
    places.push(...own.map((p) => [k, p]));
    if (own.length || (!narrowed() && state.order === "corpus")) found.push(k);
  });
  if (state.order === "disputes") {
    places.sort((a, b) => documents[b[0]].places[b[1]][2] - documents[a[0]].places[a[1]][2] || a[0] - b[0] || a[1] - b[1]);
    found.sort((a, b) => documents[a].rank - documents[b].rank);
  }
  $("matches").textContent = pattern === undefined ? "This is no regular expression"
    : places.length ? `${many(places.length, "disputed place")} in ${number(new Set(places.map(([k]) => k)).size)} of ${many(documents.length, "document")}`
    : "No dispute matches";
  show();
}

const listed = () => (state.view === "disputes" ? places : found);

const elementsOf = (shown) => shown.map((each) => (state.view === "disputes" ? dispute(...each) : article(each)));

const link = (k) => make("a", { href: `#doc-${k + 1}` }, bdi(nameOf(documents[k], k), 80));
const wordsOf = (place) => kindsOf(place).map((kind) => kinds[kind].words).join(", ");

// One disputed place.
function dispute(k, p) {
  const doc = documents[k];
  const place = doc.places[p];
  const colors = new Set(kindsOf(place).map((kind) => kinds[kind].kind));
  const swatches = [...colors].map((kind) => make("span", { class: `swatch ${kind}`, "aria-hidden": "true" }));
  const about = make("p", null, ...swatches, `${wordsOf(place)} · ${many(place[2], "dispute")}`);
  return make("article", { class: "dispute" }, make("header", null, make("h3", null, link(k)), about), inContext(doc, place), whoSaidWhat(doc, place));
}

// A whole document.
function article(k) {
  const doc = documents[k];
  const asked = new Set(narrowed() ? doc.places.filter((_, p) => matches(k, p)) : []);
  const n = doc.places.reduce((sum, place) => sum + place[2], 0);
  const about = make("p", null, ...spaced(named(doc.by)), ` · ${n ? many(n, "dispute") : "no dispute"}`);
  return make("article", { id: `doc-${k + 1}`, tabindex: "-1" }, make("header", null, make("h3", null, link(k)), about),
    annotated(doc, k, (place) => asked.has(place)));
}
