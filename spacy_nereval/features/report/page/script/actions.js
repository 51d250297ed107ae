// The effects of the reader's choices, and the first drawing of the page.

// Applies a choice made outside the form, and moves to the list.
const ask = (wanted) => goTo(askedBy(wanted, state));

// Draws everything that depends on the state.
function refresh() {
  drawForm();
  drawMatrix();
  drawMarks();
  search();
}

$("filters").addEventListener("reset", (event) => {
  event.preventDefault();
  choose({ ...everything(state), view: state.view });
});
onChange("system", () => ({ one: Number($("system").value) }));
onChange("other", () => ({ other: Number($("other").value) }));
onChange("relation", () => ({ relation: $("relation").value }));
onChange("metric", () => ({ metric: Number($("metric").value) }));
onChange("label", () => ({ label: Number($("label").value) }));
onChange("side", () => ({ side: $("side").value }));
onChange("mark", () => ({ mark: $("mark").value }));
onChange("wrong", () => ({ wrong: $("wrong").checked }));
onChange("together", () => ({ together: $("together").checked, at: state.at }));
onChange("order", () => ({ order: $("order").value, falling: false }));
for (const [id, part] of [["matrix-metric", "metric"], ["matrix-what", "what"], ["matrix-as", "as"]]) {
  $(id).addEventListener("change", () => {
    matrix[part] = ["what", "as"].includes(part) ? $(id).value : Number($(id).value);
    drawMatrix();
  });
}

// Buttons of the tables above have the choices that they make in an attribute.
function follows(element, more = {}) {
  const wanted = { ...JSON.parse(element.dataset.ask), ...more };
  if (wanted.document !== undefined) openDocument(wanted.document);
  else ask({ view: "errors", ...wanted });
}
document.querySelectorAll("[data-ask]").forEach((element) => element.addEventListener("click", () => follows(element)));

// A click on a mark of a chart makes the choices of its row in the table next to the chart, for the system of the mark.
function openMark(chart, { name: row, system }) {
  const line = [...chart.closest(".pair").querySelectorAll("tbody tr")].find((each) => each.dataset.name === row);
  const element = line && line.querySelector("[data-ask]");
  if (element) follows(element, { one: systems.indexOf(system) });
}

// A click on a flag lists all verdicts between the same labels.
function openFlag(k, flag, { verdict, system, pred }) {
  ask({ view: "errors", one: system, metric: state.metric, chosen: new Set([verdict]), cell: [flag.gold ? flag.gold.label : ANY, pred ? pred.label : ANY] });
}

loadMarks();
listen();
resumeReview();
