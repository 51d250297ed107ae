// What the reader's choices do, and the first drawing of the page.

// Applies a choice within the form.
function choose(wanted, redraw = true) {
  state = { ...state, ...wanted };
  if (redraw) refresh();
  else search();
  record();
}

// Applies a choice made outside the form, and moves to the list.
function ask(wanted) {
  state = { ...unfiltered(), one: state.one, metric: state.metric, view: state.view, ...wanted };
  if (!comparing() && state.chosen.size === 0 && wanted.metric === undefined && wanted.group !== undefined) state.metric = fair;
  refresh();
  record();
  $("list-title").focus({ preventScroll: true });
  $("list-errors").scrollIntoView();
}

// Draws everything that depends on the state.
function refresh() {
  drawForm();
  drawMatrix();
  drawMarks();
  search();
}

$("filters").addEventListener("submit", (event) => event.preventDefault());
$("filters").addEventListener("reset", (event) => {
  event.preventDefault();
  choose({ ...unfiltered(), one: state.one, view: state.view, wrong: false });
});
const onChange = (id, wanted) => $(id).addEventListener("change", () => choose({ at: 0, ...wanted() }));
onChange("system", () => {
  const one = Number($("system").value);
  const relation = state.relation === String(one) ? "" : state.relation;
  return { one, other: one === state.other ? ANY : state.other, relation, group: null };
});
onChange("other", () => ({ other: Number($("other").value), chosen: new Set(), cell: null, move: null, group: null, metric: fair }));
onChange("relation", () => ({ relation: $("relation").value }));
onChange("metric", () => ({ metric: Number($("metric").value), chosen: new Set(), cell: null, group: null }));
onChange("label", () => ({ label: Number($("label").value) }));
onChange("mark", () => ({ mark: $("mark").value }));
onChange("pattern", () => ({ pattern: $("pattern").checked }));
onChange("wrong", () => ({ wrong: $("wrong").checked }));
onChange("order", () => ({ order: $("order").value, falling: false }));
$("together").addEventListener("change", () => {
  together = $("together").checked;
  refresh();
});
$("find").addEventListener("input", () => {
  state = { ...state, find: $("find").value, at: 0 }; // at once: another filter may be chosen before the pause
  soon(() => {
    search();
    record(true);
  });
});
for (const view of VIEWS) $(`view-${view}`).addEventListener("click", () => choose({ view, at: 0 }));
for (const [id, drawn] of [["matrix-system", "system"], ["matrix-metric", "metric"], ["matrix-as", "as"]]) {
  $(id).addEventListener("change", () => {
    matrix[drawn] = drawn === "as" ? $(id).value : Number($(id).value);
    drawMatrix();
  });
}
for (const [id, step] of [["previous", -1], ["next", 1]]) {
  $(id).addEventListener("click", () => {
    choose({ at: state.at + step }, false);
    $("list-title").focus({ preventScroll: true });
    $("matches").scrollIntoView({ block: "center" });
  });
}

// Buttons of the tables above say in an attribute what they ask for.
function follows(element, more = {}) {
  const wanted = { ...JSON.parse(element.dataset.ask), ...more };
  if (wanted.document !== undefined) return openDocument(wanted.document);
  if (wanted.verdicts) {
    wanted.metric ??= fair;
    wanted.chosen = new Set(wanted.verdicts.map((verdict) => metrics[wanted.metric].verdicts.indexOf(verdict)));
    delete wanted.verdicts;
  }
  return ask({ view: "errors", ...wanted });
}
document.querySelectorAll("[data-ask]").forEach((element) => element.addEventListener("click", () => follows(element)));

// A mark of a chart asks for what its row of the table beside it asks for, under its own system.
function openMark(chart, { name: row, system }) {
  const line = [...chart.closest(".pair").querySelectorAll("tbody tr")].find((each) => each.dataset.name === row);
  const element = line && line.querySelector("[data-ask]");
  if (element) follows(element, { one: systems.indexOf(system) });
}

// The reader's choice of document: shows it whole, without filters if they hide it.
function openDocument(k) {
  state = { ...state, view: "documents" };
  if (!found.includes(k)) state = { ...unfiltered(), one: state.one, view: "documents", wrong: false };
  refresh();
  state.at = Math.floor(found.indexOf(k) / PER_PAGE.documents);
  show();
  const hash = `#doc-${k + 1}`;
  if (location.hash !== hash) history.pushState(null, "", hash);
  $(`doc-${k + 1}`).focus({ preventScroll: true });
  $(`doc-${k + 1}`).scrollIntoView();
}

// A flag asks for all verdicts between the same labels.
function openFlag(k, flag, { verdict, system, pred }) {
  ask({ view: "errors", one: system, metric: state.metric, chosen: new Set([verdict]), cell: [flag.gold ? flag.gold.label : ANY, pred ? pred.label : ANY] });
}

// Follows the address: a document, a state, or a section, which the browser finds itself.
function follow() {
  $("notice").textContent = "";
  const [, digits] = /^#doc-(\d+)$/.exec(location.hash) || [];
  if (digits) {
    if (documents[Number(digits) - 1]) openDocument(Number(digits) - 1);
    else tellUnknown(digits);
    return;
  }
  if (location.hash && !location.hash.includes("=")) return;
  const [wanted, doc] = fromAddress(location.hash);
  state = wanted;
  refresh();
  if (doc !== null && !documents[Number(doc) - 1]) tellUnknown(doc);
  else if (doc !== null) openDocument(Number(doc) - 1);
}

function tellUnknown(doc) {
  $("notice").textContent = `There is no document ${name(doc, 20)}: this report has ${many(documents.length, "document")}.`;
  $("list-errors").scrollIntoView();
}

addEventListener("popstate", follow);
addEventListener("beforeprint", () => show(true));
addEventListener("afterprint", () => show());

if (matchMedia("(max-width: 60rem)").matches) $("drawer").open = false;
loadMarks();
refresh();
if (location.hash) {
  follow();
  if (location.hash.includes("=")) $("list-errors").scrollIntoView();
}
