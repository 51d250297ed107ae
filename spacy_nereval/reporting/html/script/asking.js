// What the reader asks for, in the form and in the address, so that Back, Forward and links work. A page declares its
// `state`, how it is `unfiltered`, its VIEWS, and how to draw it: `refresh` and `search`.

// The address of the state: only what differs from the beginning.
function address(wanted = state, doc = null) {
  const usual = unfiltered();
  const parts = new URLSearchParams();
  for (const [key, value] of Object.entries(wanted)) {
    const said = value instanceof Set || Array.isArray(value) ? [...value].join(".") : value;
    const initial = usual[key] instanceof Set ? "" : usual[key];
    if (said !== initial && said !== null) parts.set(key, String(said));
  }
  if (doc !== null) parts.set("doc", String(doc + 1));
  return `#${parts}`;
}

// Puts the state into the address: as a new entry of the history, or instead of the present one.
function record(replace = false) {
  const hash = address();
  if (hash === location.hash || (hash === "#" && !location.hash)) return;
  history[replace ? "replaceState" : "pushState"](null, "", hash);
}

// What an address says, checked: null where it says nothing or something wrong.
function said(hash) {
  const asked = new URLSearchParams(hash.slice(1));
  const isWhole = (n, low, high) => Number.isInteger(n) && n >= low && n < high;
  const numbers = (key) => (asked.get(key) ? asked.get(key).split(".").map(Number) : []);
  return {
    text: (key) => asked.get(key),
    whole: (key, high) => (asked.has(key) && isWhole(Number(asked.get(key)), 0, high) ? Number(asked.get(key)) : null),
    list: (key, tops) => (numbers(key).length === tops.length && numbers(key).every((n, i) => isWhole(n, -1, tops[i])) ? numbers(key) : null),
    set: (key, high) => new Set(numbers(key).filter((n) => isWhole(n, 0, high))),
    among: (key, values, usual) => (values.includes(asked.get(key)) ? asked.get(key) : usual),
  };
}

// Applies a choice within the form.
function choose(wanted, redraw = true) {
  state = { ...state, ...wanted };
  if (redraw) refresh();
  else search();
  record();
}

const onChange = (id, wanted) => $(id).addEventListener("change", () => choose({ at: 0, ...wanted() }));

// The parts of the form and of the list that every page has. `reset` is what stays when everything is to be shown.
function listen(reset) {
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    choose({ ...unfiltered(), ...reset() });
  });
  onChange("label", () => ({ label: Number($("label").value) }));
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
  addEventListener("popstate", follow);
  addEventListener("beforeprint", () => show(true));
  addEventListener("afterprint", () => show());
  if (matchMedia("(max-width: 60rem)").matches) $("drawer").open = false;
}

// Shows a document whole, without filters if they hide it; `kept` is what stays then.
function openDocument(k, kept = shownWhole()) {
  state = { ...state, view: "documents" };
  if (!found.includes(k)) state = { ...unfiltered(), ...kept, view: "documents" };
  refresh();
  state.at = Math.floor(found.indexOf(k) / PER_PAGE.documents);
  show();
  const hash = `#doc-${k + 1}`;
  if (location.hash !== hash) history.pushState(null, "", hash);
  $(`doc-${k + 1}`).focus({ preventScroll: true });
  $(`doc-${k + 1}`).scrollIntoView();
}

function tellUnknown(doc) {
  $("notice").textContent = `There is no document ${name(doc, 20)}: this page has ${many(documents.length, "document")}.`;
  $("list-title").scrollIntoView();
}

// Follows the address: a document, a state, or a section, which the browser finds itself.
function follow() {
  $("notice").textContent = "";
  const [, digits] = /^#doc-(\d+)$/.exec(location.hash) || [];
  if (!digits && location.hash && !location.hash.includes("=")) return;
  const doc = digits || said(location.hash).text("doc");
  if (!digits) {
    state = fromAddress(location.hash);
    refresh();
  }
  if (doc !== null && documents[Number(doc) - 1]) openDocument(Number(doc) - 1);
  else if (doc !== null) tellUnknown(doc);
}

// Draws the page for the first time, as its address asks for.
function start(list) {
  refresh();
  if (!location.hash) return;
  follow();
  if (location.hash.includes("=")) $(list).scrollIntoView();
}
