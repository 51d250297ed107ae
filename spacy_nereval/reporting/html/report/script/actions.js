// What the reader's choices do, and the first drawing of the page.

// Applies a choice made outside the form, and moves to the list.
function ask(wanted) {
  const next = { ...unfiltered(), one: state.one, metric: state.metric, view: state.view, ...wanted };
  if (next.other < 0 && next.chosen.size === 0 && wanted.metric === undefined && wanted.group !== undefined) next.metric = fair;
  goTo(next);
}

// Draws everything that depends on the state.
function refresh() {
  drawForm();
  drawMatrix();
  drawMarks();
  search();
}

$("filters").addEventListener("reset", (event) => {
  event.preventDefault();
  choose({ ...everything(), view: state.view });
});
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
onChange("wrong", () => ({ wrong: $("wrong").checked }));
onChange("order", () => ({ order: $("order").value, falling: false }));
$("together").addEventListener("change", () => {
  together = $("together").checked;
  refresh();
});
for (const [id, part] of [["matrix-system", "system"], ["matrix-metric", "metric"], ["matrix-as", "as"]]) {
  $(id).addEventListener("change", () => {
    matrix[part] = part === "as" ? $(id).value : Number($(id).value);
    drawMatrix();
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

// A flag asks for all verdicts between the same labels.
function openFlag(k, flag, { verdict, system, pred }) {
  ask({ view: "errors", one: system, metric: state.metric, chosen: new Set([verdict]), cell: [flag.gold ? flag.gold.label : ANY, pred ? pred.label : ANY] });
}

// Follows the address: a document, a state, or a section, which the browser finds itself.
function follow() {
  $("notice").textContent = "";
  const digits = documentIn(location.hash);
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

loadMarks();
listen();
