// A list that is shown a page at a time and filtered by a form. The reader's choices are in the URL fragment. Each page
// defines `state` with unfiltered(), everything(), chosenAnew() and fromAddress(), VIEWS and PER_PAGE, search() and refresh(),
// documents, found, listed(), elementsOf() and fitList().

const unfolded = new Set(); // documents shown in full

const PRINTED = 20; // pages of the list

// A button that shows the whole document.
function fold(k, hidden) {
  return button({ class: "fold", dir: "ltr" }, () => {
    unfolded.add(k);
    $(`doc-${k + 1}`).replaceWith(article(k));
    $(`doc-${k + 1}`).focus();
  }, `… ${many(hidden, "character")} …`);
}

// Draws a checkbox for each choice of a list: the colour of its kind, its words, and their number.
function drawBoxes(id, choices) {
  $(id).replaceChildren(...choices.map(({ kind, words, n }, k) => {
    const box = make("input", { type: "checkbox", value: String(k) });
    box.checked = state.chosen.has(k);
    box.addEventListener("change", () => {
      const chosen = new Set(state.chosen);
      if (box.checked) chosen.add(k);
      else chosen.delete(k);
      choose({ chosen, at: 0 });
      $(id).querySelector(`[value="${k}"]`).focus();
    });
    return make("label", null, box, make("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), make("span", null, ...words), make("span", { class: "n" }, number(n)));
  }));
}

// Draws the filters that were chosen outside the form. Each has the choice that clears it, and its words.
function drawChips(narrowed) {
  const chips = narrowed.map(([clear, ...words]) => make("span", { class: "chip" }, ...words, " ",
    button({ "aria-label": "Clear" }, () => {
      choose({ ...clear, at: 0 });
      $("find").focus();
    }, "×")));
  $("asked").replaceChildren(...(chips.length ? ["Only ", ...chips] : []));
  $("asked").hidden = !chips.length;
}

// Writes the state into the URL fragment, as a new entry of the history or in place of the current one.
function record(replace = false) {
  const hash = addressOf(state, unfiltered());
  if (hash === location.hash || (hash === "#" && !location.hash)) return;
  history[replace ? "replaceState" : "pushState"](null, "", hash);
}

// Applies a choice within the form.
function choose(wanted, redraw = true) {
  state = chosenAnew({ ...state, doc: null }, wanted);
  if (redraw) refresh();
  else search();
  record();
}

// Applies a choice made outside the form, and moves to the list.
function goTo(wanted) {
  state = wanted;
  refresh();
  record();
  $("list-title").focus({ preventScroll: true });
  document.querySelector(".documents").scrollIntoView();
}

function show(printing = false) {
  const size = PER_PAGE[state.view];
  const pages = Math.max(1, Math.ceil(listed().length / size));
  if (state.doc !== null) state.at = Math.floor(found.indexOf(state.doc) / size);
  state.at = Math.min(Math.max(state.at, 0), pages - 1);
  const last = (state.at + (printing ? PRINTED : 1)) * size;
  $("list").replaceChildren(...elementsOf(listed().slice(state.at * size, last)));
  fitList();
  if (printing && (state.at || last < listed().length)) {
    const numbers = `${number(state.at * size + 1)} to ${number(Math.min(last, listed().length))} of ${number(listed().length)}`;
    $("list").prepend(make("p", { class: "key" }, `Printed are ${numbers}, from the page that was shown: filters or another page print others.`));
  }
  $("where").textContent = `Page ${number(state.at + 1)} of ${number(pages)}`;
  $("previous").disabled = state.at === 0;
  $("next").disabled = state.at === pages - 1;
  document.querySelector(".pages").hidden = pages === 1;
  highlight();
}

// Shows a whole document in the list. If the filters hide it, removes them and says so.
function openDocument(k, replace = false) {
  state = chosenAnew(state, { view: "documents", doc: k });
  if (!found.includes(k)) {
    state = { ...everything(state), doc: k };
    $("notice").textContent = `The filters hid document ${number(k + 1)}, so they are taken back.`;
  }
  refresh();
  record(replace);
  $(`doc-${k + 1}`).focus({ preventScroll: true });
  $(`doc-${k + 1}`).scrollIntoView();
}

// Follows the URL fragment: a document, choices, or a section, to which the browser scrolls by itself. A section keeps
// the choices.
function follow() {
  $("notice").textContent = "";
  const digits = documentIn(location.hash);
  let hash = location.hash;
  if (hash && !digits && !hash.includes("=")) {
    hash = history.state && history.state.asked;
    if (!hash) {
      history.replaceState({ asked: addressOf(state, unfiltered()) }, "");
      return;
    }
  }
  const doc = digits ?? readerOf(hash).text("doc");
  if (!digits) {
    state = fromAddress(hash);
    refresh();
  }
  if (!doc) return;
  if (documents[Number(doc) - 1]) openDocument(Number(doc) - 1, true);
  else {
    $("notice").textContent = `There is no document ${name(doc, 20)}: this page has ${many(documents.length, "document")}.`;
    $("list-title").scrollIntoView();
  }
}

const onChange = (id, wanted) => $(id).addEventListener("change", () => choose({ at: 0, ...wanted() }));

// Adds the event listeners that every such list needs, and follows the URL fragment.
function listen() {
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  onChange("pattern", () => ({ pattern: $("pattern").checked }));
  $("find").addEventListener("input", () => {
    state = { ...state, find: $("find").value, at: 0, doc: null }; // at once: another filter may be chosen before the pause
    soon(() => {
      search();
      record(true);
    });
  });
  for (const view of VIEWS) $(`view-${view}`).addEventListener("click", () => choose({ view, at: 0 }));
  for (const [id, step] of [["previous", -1], ["next", 1]]) {
    $(id).addEventListener("click", () => {
      choose({ at: state.at + step }, false);
      $("list-title").focus({ preventScroll: true });
      $("matches").scrollIntoView({ block: "center" });
    });
  }
  $("copy-link").addEventListener("click", () => copy(location.href.split("#")[0] + addressOf(state, unfiltered()), "Link"));
  addEventListener("popstate", follow);
  addEventListener("beforeprint", () => show(true));
  addEventListener("afterprint", () => show());
  if (matchMedia("(max-width: 60rem)").matches) for (const id of ["drawer", "keys-help"]) $(id).open = false;
  refresh();
  if (location.hash) {
    follow();
    if (location.hash.includes("=") && state.doc === null) document.querySelector(".documents").scrollIntoView();
  }
}
