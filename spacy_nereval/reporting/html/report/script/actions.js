// What the reader's choices do, and the first drawing of the page.

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

onChange("system", () => {
  const one = Number($("system").value);
  const relation = state.relation === String(one) ? "" : state.relation;
  return { one, other: one === state.other ? ANY : state.other, relation, group: null };
});
onChange("other", () => ({ other: Number($("other").value), chosen: new Set(), cell: null, move: null, group: null, metric: fair }));
onChange("relation", () => ({ relation: $("relation").value }));
onChange("metric", () => ({ metric: Number($("metric").value), chosen: new Set(), cell: null, group: null }));
onChange("mark", () => ({ mark: $("mark").value }));
onChange("wrong", () => ({ wrong: $("wrong").checked }));
onChange("order", () => ({ order: $("order").value, falling: false }));
$("together").addEventListener("change", () => {
  together = $("together").checked;
  refresh();
});
for (const [id, drawn] of [["matrix-system", "system"], ["matrix-metric", "metric"], ["matrix-as", "as"]]) {
  $(id).addEventListener("change", () => {
    matrix[drawn] = drawn === "as" ? $(id).value : Number($(id).value);
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

// What stays when a document is shown without filters.
const shownWhole = () => ({ one: state.one, wrong: false });

listen(() => ({ one: state.one, view: state.view, wrong: false }));
loadMarks();
start("list-errors");
