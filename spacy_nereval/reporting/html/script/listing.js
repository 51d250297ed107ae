// A list that is shown a page at a time and narrowed by a form, with what the reader asks for in the address. Each page
// has its own state with unfiltered() and everything(), VIEWS and PER_PAGE, search() and refresh(), found and listed(),
// elementsOf() and follow().

const unfolded = new Set(); // documents shown in full

// The address of the state: only what differs from the beginning.
function address(wanted = state, doc = null) {
  const usual = unfiltered();
  const parts = new URLSearchParams();
  for (const [key, value] of Object.entries(wanted)) {
    const said = value instanceof Set ? [...value].join(".") : Array.isArray(value) ? value.join(".") : value;
    const initial = usual[key] instanceof Set ? "" : usual[key];
    if (said !== initial && said !== null) parts.set(key, String(said));
  }
  if (doc !== null) parts.set("doc", String(doc + 1));
  return `#${parts}`;
}

// Reads what an address asks for: whole numbers from 0, sets of them, and words among known ones; null for anything else.
function readerOf(asked) {
  const isWhole = (n, high) => Number.isInteger(n) && n >= 0 && n < high;
  return {
    whole: (key, high) => (asked.has(key) && isWhole(Number(asked.get(key)), high) ? Number(asked.get(key)) : null),
    numbers: (key, high) => new Set((asked.get(key) || "").split(".").filter(Boolean).map(Number).filter((n) => isWhole(n, high))),
    among: (key, values) => (values.includes(asked.get(key)) ? asked.get(key) : null),
  };
}

// Puts the state into the address: as a new entry of the history, or instead of the present one.
function record(replace = false) {
  const hash = address();
  if (hash === location.hash || (hash === "#" && !location.hash)) return;
  history[replace ? "replaceState" : "pushState"](null, "", hash);
}

// Applies a choice within the form.
function choose(wanted, redraw = true) {
  state = { ...state, ...wanted };
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

function show(all = false) {
  const size = PER_PAGE[state.view];
  const pages = Math.max(1, Math.ceil(listed().length / size));
  state.at = Math.min(Math.max(state.at, 0), pages - 1);
  $("list").replaceChildren(...elementsOf(all ? listed() : listed().slice(state.at * size, (state.at + 1) * size)));
  $("where").textContent = `Page ${number(state.at + 1)} of ${number(pages)}`;
  $("previous").disabled = state.at === 0;
  $("next").disabled = state.at === pages - 1;
  document.querySelector(".pages").hidden = pages === 1;
  highlight();
}

// The reader's choice of document: shows it whole, without filters if they hide it.
function openDocument(k) {
  state = { ...state, view: "documents" };
  if (!found.includes(k)) state = everything();
  refresh();
  state.at = Math.floor(found.indexOf(k) / PER_PAGE.documents);
  show();
  const hash = `#doc-${k + 1}`;
  if (location.hash !== hash) history.pushState(null, "", hash);
  $(`doc-${k + 1}`).focus({ preventScroll: true });
  $(`doc-${k + 1}`).scrollIntoView();
}

// The number of the document in an address such as #doc-3, as text.
const documentIn = (hash) => (/^#doc-(\d+)$/.exec(hash) || [])[1];

const onChange = (id, wanted) => $(id).addEventListener("change", () => choose({ at: 0, ...wanted() }));

// Listens to what every such list has, and follows the address.
function listen() {
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  onChange("pattern", () => ({ pattern: $("pattern").checked }));
  $("find").addEventListener("input", () => {
    state = { ...state, find: $("find").value, at: 0 }; // at once: another filter may be chosen before the pause
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
  $("copy-link").addEventListener("click", () => copy(location.href.split("#")[0] + address(), "Link"));
  addEventListener("popstate", follow);
  addEventListener("beforeprint", () => show(true));
  addEventListener("afterprint", () => show());
  if (matchMedia("(max-width: 60rem)").matches) $("drawer").open = false;
  refresh();
  if (location.hash) {
    follow();
    if (location.hash.includes("=")) document.querySelector(".documents").scrollIntoView();
  }
}
