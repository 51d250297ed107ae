// The page of thresholds: what is chosen, and the lines of its charts.

const data = read("data");
const specs = read("charts");
const LINES = 8; // beside the one of all labels
const DASHES = specs.cut.layer.flatMap((layer) => (layer.encoding.strokeDash ? [layer.encoding.strokeDash.scale.range] : []))[0];
const ALL = -1; // every label that has a line

const state = { score: data.best, label: ALL, side: data.sides.length - 1 };
const percent = (value) => (value === null ? null : 100 * value);
const option = (value, text) => make("option", { value: String(value) }, text);

// The labels with a line: all labels together, and the one chosen or the most frequent ones.
function chosenLabels() {
  if (state.label !== ALL) return state.label === 0 ? [0] : [0, state.label];
  return data.labels.slice(0, LINES + 1).map((_, k) => k);
}

const labelOf = (k) => (k === 0 ? "all labels" : name(data.labels[k]));

// The points of a line, without those that are undefined.
function points(xs, ys, line, more) {
  return xs.map((x, k) => ({ x, y: ys[k], line, order: k, ...more })).filter(({ x, y }) => x !== null && y !== null);
}

function cutLines() {
  const { cuts, curves, at } = side();
  const { title, ratio } = data.scores[state.score];
  const shown = (value) => (ratio ? percent(value) : value);
  return filled(chosenLabels().map((k, line) => {
    const values = (curves[state.score][k] || []).map(shown);
    const [cut, value] = [data.cuts[k], at[k] === null ? null : values[at[k]]];
    const said = { name: labelOf(k), system: title };
    return {
      k, line,
      points: points(cuts, values, line, said),
      marks: value === null || value === undefined ? [] : [{ x: cut, y: value, line, ...said, score: `cut ${round(cut)}:`, shown: round(value) }],
    };
  }));
}

function stepLines(xs, ys, at) {
  return filled(chosenLabels().map((k, line) => {
    const found = [xs[k] || [], ys[k] || []].map((values) => values.map(percent));
    const mark = at && at[k] ? at[k].map(percent) : null;
    const said = { name: labelOf(k), system: "" };
    return {
      k, line,
      points: points(...found, line, said),
      marks: mark && mark[0] !== null && mark[1] !== null ? [{ x: mark[0], y: mark[1], line, ...said, score: "at the cut:", shown: `${round(mark[0])}, ${round(mark[1])}` }] : [],
    };
  }));
}

const round = (value) => String(Number(value.toPrecision(4)));

function filled(lines) {
  return { lines, datasets: { lines: lines.flatMap((each) => each.points), marks: lines.flatMap((each) => each.marks) } };
}

const side = () => data.sides[state.side];
const CHARTS = {
  cut: cutLines,
  recall: () => stepLines(side().recall, side().precision, side().at_recall),
  coverage: () => stepLines(side().coverage, side().risk, side().at_coverage),
  calibration: () => ({
    lines: [],
    datasets: {
      bins: data.bins.map(({ mean, correct, n, range }) => ({
        x: percent(mean), y: percent(correct), n, line: 1, name: `scores ${range}`, system: many(n, "prediction"), score: "correct:", shown: `${round(percent(correct))} %`,
      })),
    },
  }),
};

function legend(element, lines) {
  const drawn = lines.filter((each) => each.points.length);
  element.replaceChildren(...drawn.map(({ k, line }) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [key, value] of [["width", 28], ["height", 8], ["aria-hidden", "true"]]) svg.setAttribute(key, value);
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", "M0 4H28");
    path.setAttribute("stroke-dasharray", line && DASHES[line][1] ? DASHES[line].join(" ") : "none");
    svg.append(path);
    return make("span", { class: line ? `system-${line - 1}` : "all" }, svg, k ? bdi(data.labels[k]) : make("bdi", null, "all labels"));
  }));
}

function colours() {
  const found = theme();
  const ink = getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
  found.range.category = [ink, ...found.range.category];
  found.axis.titleFontWeight = 400;
  return found;
}

function titled(spec, which) {
  if (which !== "cut") return spec;
  const { title, ratio } = data.scores[state.score];
  const copy = structuredClone(spec);
  for (const layer of copy.layer) {
    if (layer.encoding.y && layer.encoding.y.title !== undefined) layer.encoding.y.title = `${title}${ratio ? ", %" : ""}`;
  }
  return copy;
}

function draw(element) {
  const which = element.dataset.chart;
  const { lines, datasets } = CHARTS[which]();
  const spec = { ...titled(specs[which], which), datasets, config: colours(), width: "container", autosize: { type: "fit-x", contains: "padding" } };
  legend(document.querySelector(`[data-legend="${which}"]`), lines);
  vegaEmbed(element, spec, { ast: true, actions: false, defaultStyle: false, renderer: "svg", tooltip: tip })
    .then(() => element.querySelector("svg").setAttribute("aria-hidden", "true")) // its label says what it shows
    .catch((error) => element.replaceChildren(String(error)));
}

const drawn = new Set();
const watch = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting || drawn.has(target)) continue;
    drawn.add(target);
    draw(target);
  }
}, { rootMargin: "600px" });
document.querySelectorAll(".chart").forEach((element) => watch.observe(element));
dark.addEventListener("change", () => drawn.forEach(draw));
addEventListener("beforeprint", () => document.querySelectorAll(".chart").forEach((element) => drawn.has(element) || draw(element)));

$("score").append(...data.scores.map(({ title }, k) => option(k, title)));
$("label").append(option(ALL, data.labels.length > LINES + 1 ? `the ${LINES} most frequent` : "every label"), ...data.labels.map((_, k) => option(k, labelOf(k))));
$("side").append(...data.sides.map((each, k) => option(k, name(each.name))));
for (const id of ["score", "label", "side"]) {
  $(id).value = String(state[id]);
  $(id).addEventListener("change", () => {
    state[id] = Number($(id).value);
    drawn.forEach(draw);
  });
}
$("choices").addEventListener("submit", (event) => event.preventDefault());

function save(text, file, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: file });
  link.click();
  URL.revokeObjectURL(link.href);
}

// A text as a cell of CSV. An apostrophe precedes what a spreadsheet would run as a formula.
const csvCell = (value) => {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
};

if ($("save-cuts")) $("save-cuts").addEventListener("click", () => save(`${JSON.stringify(data.file, null, 2)}\n`, "cuts.json", "application/json"));
$("save-curves").addEventListener("click", () => {
  const { cuts, curves } = side();
  const { title } = data.scores[state.score];
  const rows = chosenLabels().flatMap((k) => cuts.map((cut, at) => [k ? data.labels[k] : "", title, cut, (curves[state.score][k] || [])[at]]));
  save([["label", "score", "cut", "value"], ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n"), "curves.csv", "text/csv");
});
