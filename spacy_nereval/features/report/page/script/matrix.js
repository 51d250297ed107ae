// The confusion matrix. Its cells filter the list. Hits are on the diagonal, next to boundary errors; or only errors
// are counted, as in the paper of a metric with a taxonomy of errors.

const LABELS = 25; // labels shown in the matrix, until the reader opens all

const matrix = { metric: Math.max(fair, 0), all: false, what: "all", as: "n" };

// From "gold label, predicted label" to the numbers of hits and of errors, and the sums of rows and columns.
const confusions = new Map(); // by system, metric, and whether there are hits

function confusion(withHits) {
  const key = `${state.one} ${matrix.metric} ${withHits}`;
  if (!confusions.has(key)) confusions.set(key, counted(withHits));
  return confusions.get(key);
}

function counted(withHits) {
  const cells = new Map();
  const sums = { gold: new Map(), pred: new Map() };
  const { right } = metrics[matrix.metric];
  const add = (map, key, n) => map.set(key, (map.get(key) || 0) + n);
  for (const doc of documents) {
    verdicts(doc, state.one, matrix.metric, (verdict, g, p) => {
      if ((g < 0 && p < 0) || (verdict === right && !withHits)) return;
      const [gold, pred] = [labelOf(doc[2], g), labelOf(doc[3 + state.one][0], p)];
      const key = `${gold} ${pred}`;
      const cell = cells.get(key) || { hits: 0, errors: 0, verdicts: new Set() };
      cells.set(key, cell);
      cell[verdict === right ? "hits" : "errors"] += 1;
      if (verdict !== right) cell.verdicts.add(verdict);
      add(sums.gold, gold, 1);
      add(sums.pred, pred, 1);
    });
  }
  return { cells, sums };
}

function drawMatrix() {
  const table = $("matrix");
  const withHits = matrix.what === "all";
  const ofPaper = metrics[matrix.metric].taxonomy ? ": the matrix of the paper on FairEval, and of the JSON result" : "";
  table.caption.textContent = withHits ? "Hits and errors" : `Errors alone${ofPaper}`;
  $("matrix-as").disabled = !withHits; // shares of errors are neither recall nor precision
  const { cells, sums } = confusion(withHits);
  const weight = new Map();
  for (const [key, { hits, errors }] of cells) for (const label of new Set(key.split(" ").map(Number))) weight.set(label, (weight.get(label) || 0) + hits + errors);
  weight.delete(ANY);
  const ranked = [...weight.keys()].sort((a, b) => weight.get(b) - weight.get(a) || a - b);
  const kept = (matrix.all ? ranked : ranked.slice(0, LABELS)).sort((a, b) => a - b);
  const most = { hits: 1, errors: 1 };
  for (const cell of cells.values()) for (const what of ["hits", "errors"]) most[what] = Math.max(most[what], cell[what]);
  const axis = [...kept, ANY];
  const title = (label, side) => (label < 0 ? make("em", null, side === "gold" ? "no gold span" : "missed") : bdi(labels[label], 30));
  const head = make("thead", null, make("tr", null, make("td", null, make("span", { class: "hidden" }, "gold, then predicted")),
    ...axis.map((label) => make("th", { scope: "col", title: label < 0 ? null : name(labels[label], 500) }, make("span", null, title(label, "pred")))), make("th", { scope: "col" }, make("span", null, "all"))));
  const body = make("tbody", null);
  let first = true;
  const shown = (n, gold, pred) => {
    if (matrix.as === "n" || !withHits) return number(n);
    const whole = matrix.as === "row" ? sums.gold.get(gold) : sums.pred.get(pred);
    return whole ? `${((100 * n) / whole).toFixed(n === whole ? 0 : 1)} %` : "–";
  };
  const heat = (n, what, gold, pred, found) => {
    const chosen = what === "hits" ? new Set([metrics[matrix.metric].right]) : found.verdicts;
    const kind = what === "hits" ? "correct" : gold === pred ? "wrong boundaries" : "";
    const said = `gold ${labelName(gold)}, predicted ${labelName(pred)}${kind && `, ${kind}`}: ${number(n)}`;
    const pressed = state.cell && !comparing() && state.metric === matrix.metric &&
      state.cell[0] === gold && state.cell[1] === pred && [...chosen].every((v) => state.chosen.has(v));
    const element = button({ class: `heat ${what}`, title: said, "aria-label": said, "aria-pressed": String(Boolean(pressed)), tabindex: first ? "0" : "-1" },
      () => ask({ one: state.one, other: ANY, metric: matrix.metric, ...(pressed ? {} : { cell: [gold, pred], chosen: new Set(chosen) }) }), shown(n, gold, pred));
    element.style.setProperty("--heat", (0.15 + 0.85 * Math.sqrt(n / most[what])).toFixed(3));
    first = false;
    return element;
  };
  for (const gold of axis) {
    const row = make("tr", null, make("th", { scope: "row", title: gold < 0 ? null : name(labels[gold], 500) }, title(gold, "gold")));
    for (const pred of axis) {
      const found = cells.get(`${gold} ${pred}`);
      const cell = make("td", { class: gold === pred && gold >= 0 ? "diagonal" : null });
      if (found && found.hits) cell.append(heat(found.hits, "hits", gold, pred, found));
      if (found && found.errors) cell.append(heat(found.errors, "errors", gold, pred, found));
      if (!found && (gold >= 0 || pred >= 0)) cell.append(make("span", { class: "zero" }, "·"));
      row.append(cell);
    }
    row.append(make("td", { class: "sum" }, number(sums.gold.get(gold) || 0)));
    body.append(row);
  }
  const last = make("tr", null, make("th", { scope: "row" }, "all"), ...axis.map((pred) => make("td", { class: "sum" }, number(sums.pred.get(pred) || 0))), make("td", null));
  body.append(last);
  table.replaceChildren(table.caption, head, body);
  drawRest(ranked.length, withHits);
}

function drawRest(n, withHits) {
  const rest = $("matrix-rest");
  rest.replaceChildren(withHits ? "Green: correct. Blue: errors; on the diagonal, boundary errors with the right label. A span with two verdicts counts twice."
    : "Nothing is counted that is correct, so the diagonal has boundary errors with the right label.");
  if (n > LABELS) {
    rest.append(matrix.all ? " " : ` The ${LABELS} labels with most verdicts. `, button({ id: "all-labels" }, () => {
      matrix.all = !matrix.all;
      drawMatrix();
      $("all-labels").focus();
    }, matrix.all ? `Only the ${LABELS} with most` : `All ${number(n)} labels`));
  }
}

// Arrow keys move to the next cell with a number.
$("matrix").addEventListener("keydown", (event) => {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  const cell = event.target.closest("td");
  if (!step || !cell) return;
  event.preventDefault();
  const focus = (next) => {
    $("matrix").querySelectorAll("button").forEach((each) => each.setAttribute("tabindex", "-1"));
    next.setAttribute("tabindex", "0");
    next.focus();
  };
  const beside = step[1] > 0 ? event.target.nextElementSibling : step[1] < 0 ? event.target.previousElementSibling : null;
  if (beside) return focus(beside);
  const lines = [...$("matrix").tBodies[0].rows];
  let r = lines.indexOf(cell.parentElement) + step[0];
  let c = cell.cellIndex + step[1];
  for (; lines[r] && lines[r].cells[c] && c > 0; r += step[0], c += step[1]) {
    const next = lines[r].cells[c].querySelector("button");
    if (next) return focus(next);
  }
});
