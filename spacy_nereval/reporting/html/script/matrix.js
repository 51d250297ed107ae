// The confusion matrix, whose cells filter the documents.

const LABELS = 25; // labels shown in the matrix, until all are asked for

const matrix = { system: data.lead, metric: Math.max(fair, 0), all: false };

// From "gold label, predicted label" to the number of verdicts.
function confusion() {
  const cells = new Map();
  const { confusion: shown } = metrics[matrix.metric];
  for (const doc of documents) {
    verdicts(doc, matrix.system, matrix.metric, (verdict, g, p) => {
      if (!shown.includes(verdict)) return;
      const key = `${labelOf(doc[2], g)} ${labelOf(doc[3 + matrix.system][0], p)}`;
      cells.set(key, (cells.get(key) || 0) + 1);
    });
  }
  return cells;
}

function drawMatrix() {
  const cells = confusion();
  const weight = new Map();
  for (const [key, n] of cells) for (const label of new Set(key.split(" ").map(Number))) weight.set(label, (weight.get(label) || 0) + n);
  weight.delete(ANY);
  const ranked = [...weight.keys()].sort((a, b) => weight.get(b) - weight.get(a) || a - b);
  const kept = (matrix.all ? ranked : ranked.slice(0, LABELS)).sort((a, b) => a - b);
  const most = Math.max(1, ...cells.values());
  const axis = [...kept, ANY];
  const nothing = (side) => make("em", null, side === "gold" ? "no gold span" : "missed");
  const title = (label, side) => (label < 0 ? nothing(side) : bdi(labels[label], 30));
  const head = make("thead", null, make("tr", null, make("td", null, make("span", { class: "hidden" }, "gold, then predicted")),
    ...axis.map((label) => make("th", { scope: "col" }, make("span", null, title(label, "pred"))))));
  const body = make("tbody", null);
  let first = true;
  for (const gold of axis) {
    const row = make("tr", null, make("th", { scope: "row" }, title(gold, "gold")));
    for (const pred of axis) {
      const n = cells.get(`${gold} ${pred}`) || 0;
      const cell = make("td", null);
      if (n) {
        const said = `gold ${gold < 0 ? "none" : name(labels[gold])}, predicted ${pred < 0 ? "none" : name(labels[pred])}: ${number(n)}`;
        const pressed = state.cell && !comparing() && state.one === matrix.system && state.metric === matrix.metric && state.cell[0] === gold && state.cell[1] === pred;
        const button = make("button", { class: "heat", "aria-label": said, "aria-pressed": String(Boolean(pressed)), tabindex: first ? "0" : "-1" }, number(n));
        button.style.setProperty("--heat", (0.15 + 0.85 * Math.sqrt(n / most)).toFixed(3));
        button.addEventListener("click", () => {
          ask({ one: matrix.system, other: ANY, metric: matrix.metric, cell: pressed ? null : [gold, pred] });
        });
        cell.append(button);
        first = false;
      } else if (gold >= 0 || pred >= 0) {
        cell.append(make("span", { class: "zero" }, "·"));
      }
      row.append(cell);
    }
    body.append(row);
  }
  const table = $("matrix");
  table.replaceChildren(table.caption, head, body);
  const rest = $("matrix-rest");
  rest.replaceChildren();
  if (ranked.length > LABELS) {
    const button = make("button", null, matrix.all ? `Only the ${LABELS} with most` : `All ${number(ranked.length)} labels`);
    button.addEventListener("click", () => {
      matrix.all = !matrix.all;
      drawMatrix();
      $("matrix-rest").querySelector("button").focus();
    });
    rest.append(matrix.all ? "" : `The ${LABELS} labels with most verdicts. `, button);
  }
}

// Arrow keys move to the next cell with a number.
$("matrix").addEventListener("keydown", (event) => {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  const cell = event.target.closest("td");
  if (!step || !cell) return;
  event.preventDefault();
  const rows = [...$("matrix").tBodies[0].rows];
  let r = rows.indexOf(cell.parentElement) + step[0];
  let c = cell.cellIndex + step[1];
  for (; rows[r] && rows[r].cells[c] && c > 0; r += step[0], c += step[1]) {
    const button = rows[r].cells[c].querySelector("button");
    if (!button) continue;
    $("matrix").querySelectorAll("button").forEach((each) => each.setAttribute("tabindex", "-1"));
    button.setAttribute("tabindex", "0");
    button.focus();
    return;
  }
});
