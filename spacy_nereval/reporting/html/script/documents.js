// The list of documents, a page at a time.

const PER_PAGE = 20;

function show() {
  const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
  at = Math.min(Math.max(at, 0), pages - 1);
  $("list").replaceChildren(...found.slice(at * PER_PAGE, (at + 1) * PER_PAGE).map(article));
  arrange();
  $("where").textContent = `Page ${number(at + 1)} of ${number(pages)}`;
  $("previous").disabled = at === 0;
  $("next").disabled = at === pages - 1;
  document.querySelector(".pages").hidden = pages === 1;
}

// A document with its text, once for each system shown.
function article(k) {
  const doc = documents[k];
  const match = matches(doc);
  const link = make("a", { href: `#doc-${k + 1}`, "aria-label": `Link to document ${k + 1}` }, `${number(k + 1)}`);
  const heading = make("h3", null, link, " ");
  if (doc[0] !== null) heading.append(bdi(doc[0], 120));
  const element = make("article", { id: `doc-${k + 1}`, tabindex: "-1" }, make("header", null, heading, summary(doc)));
  const shown = comparing() ? [state.one, state.other] : [state.one];
  const sides = shown.map((system, i) => {
    const marks = { gold: match.gold, pred: match.preds[i] };
    const text = annotated(doc, k, system, marks);
    if (!comparing()) return text;
    return make("figure", null, make("figcaption", null, bdi(systems[system])), text);
  });
  element.append(comparing() ? make("div", { class: "sides" }, ...sides) : sides[0]);
  return element;
}

// How often there is each error or change.
function summary(doc) {
  const numbers = new Map();
  const count = (words) => numbers.set(words, (numbers.get(words) || 0) + 1);
  if (comparing()) {
    visitChanges(doc, state.one, state.other, (change) => count(CHANGES[change]));
  } else {
    const { right, words } = metrics[state.metric];
    verdicts(doc, state.one, state.metric, (verdict) => verdict !== right && count(words[verdict]));
  }
  const parts = [...numbers].map(([words, n]) => (n > 1 ? `${n} ${words}` : words));
  return make("p", null, parts.join(", ") || (comparing() ? "no change" : "no error"));
}
