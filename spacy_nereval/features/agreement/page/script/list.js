// The list: one disputed place after the other, or whole documents, a page at a time.

const PER_PAGE = { disputes: 25, documents: 20 };

let state = unfiltered();
let places = []; // [document, place] of each dispute that matches
let found = []; // numbers of documents

// Finds the places and documents that match, and shows the first page of them.
function search() {
  const result = matching(state);
  $("find").setAttribute("aria-invalid", String(Boolean(result.refused)));
  ({ places = [], found = [] } = result);
  $("matches").textContent = result.refused ? noPattern(result)
    : places.length ? `${many(places.length, "disputed place")} in ${number(new Set(places.map(([k]) => k)).size)} of ${many(documents.length, "document")}`
    : "No dispute matches";
  show();
}

const listed = () => (state.view === "disputes" ? places : found);

const elementsOf = (shown) => shown.map((each) => (state.view === "disputes" ? dispute(...each) : article(each)));

const fitList = () => {}; // contexts wrap

const link = (k) => make("a", { href: addressOf({ ...state, view: "documents", doc: k }, unfiltered()) }, bdi(nameOf(documents[k], k), 80));
const kindWords = (place) => kindsOf(place).map((kind) => kinds[kind].words).join(", ");

// One disputed place.
function dispute(k, p) {
  const doc = documents[k];
  const place = doc.places[p];
  const colors = new Set(kindsOf(place).map((kind) => kinds[kind].kind));
  const swatches = [...colors].map((kind) => make("span", { class: `swatch ${kind}`, "aria-hidden": "true" }));
  const about = make("p", null, ...swatches, `${kindWords(place)} · ${many(place[2], "dispute")}`);
  return make("article", { class: "dispute" }, make("header", null, make("h3", null, link(k)), about), inContext(doc, place), whoSaidWhat(doc, place));
}

// A whole document.
function article(k) {
  const doc = documents[k];
  const asked = new Set(isNarrowed(state) ? doc.places.filter((_, p) => matches(k, p, state)) : []);
  const n = doc.places.reduce((sum, place) => sum + place[2], 0);
  const about = make("p", null, ...spaced(named(doc.by)), ` · ${n ? many(n, "dispute") : "no dispute"}`);
  return make("article", { id: `doc-${k + 1}`, tabindex: "-1" }, make("header", null, make("h3", null, link(k)), about),
    annotated(doc, k, (place) => asked.has(place)));
}
