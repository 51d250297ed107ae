// The list: one error per line, or whole documents, a page at a time.

const PER_PAGE = { errors: 25, documents: 20 };

const listed = () => (state.view === "errors" ? rows : found);

const elementsOf = (shown) => (state.view === "errors" ? [concordance(shown)] : shown.map(article));

// The systems with visible verdicts: the one or two that are chosen, or all of them in one text.
function shownSystems() {
  if (state.view === "documents" && (state.together || state.relation)) return [...systems.keys()];
  return comparing() ? [state.one, state.other] : [state.one];
}

// A document with its text, in which the spans of all shown systems are marked.
function article(k) {
  const doc = documents[k];
  const asked = [];
  if (isNarrowed(state)) visitMatches(k, state, filtersOf(state, marksMade), (row) => asked.push(row));
  const golds = new Set(asked.map(({ g }) => g));
  const preds = [new Set(asked.map(({ p }) => p)), new Set(asked.map(({ q }) => q))];
  const matched = (flag) => asked.length > 0 && (flag.gold ? golds.has(flag.g)
    : flag.said.some(({ system, p }) => preds[system === state.other ? 1 : 0].has(p) && (system === state.one || system === state.other)));
  const link = make("a", { href: addressOf({ ...state, view: "documents", doc: k }, unfiltered()), "aria-label": `Link to document ${number(k + 1)}` }, `${number(k + 1)}`);
  const heading = make("h3", null, link, " ");
  if (doc[0] !== null) heading.append(bdi(doc[0], 120));
  return make("article", { id: `doc-${k + 1}`, tabindex: "-1" }, make("header", null, heading, summary(k)),
    annotated(doc, k, shownSystems(), matched));
}

// The number of each error or change in a document.
function summary(k) {
  const doc = documents[k];
  const numbers = new Map();
  const count = (words) => numbers.set(words, (numbers.get(words) || 0) + 1);
  if (comparing()) {
    visitChanges(doc, state.one, state.other, (change) => count(CHANGES[change]));
  } else {
    const { right, words } = metrics[state.metric];
    verdicts(doc, state.one, state.metric, (verdict, g, p) => verdict !== right && (g >= 0 || p >= 0) && count(words[verdict]));
  }
  const parts = [...numbers].map(([words, n]) => (n > 1 ? `${number(n)} × ${words}` : words));
  return make("p", null, parts.join(", ") || (comparing() ? "no change" : "no error"));
}
