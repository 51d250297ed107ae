// The page of thresholds: what is chosen, and the lines of its charts.

const data = read("data");
const specs = read("charts");
const LINES = 8; // beside the one of all labels
const DASHES = specs.cut.layer.flatMap((layer) => (layer.encoding.strokeDash ? [layer.encoding.strokeDash.scale.range] : []))[0];
const ALL = -1; // every label that has a line

const systems = data.systems.map((each) => each.name);
const several = systems.length > 1;

const state = { score: data.best, label: ALL, side: data.golds.length - 1, system: several ? ALL : 0 };
const percent = (value) => (value === null ? null : 100 * value);
const round = (value) => String(Number(value.toPrecision(4)));
const option = (value, text) => make("option", { value: String(value) }, text);
const labelOf = (k) => (k === 0 ? "all labels" : name(data.labels[k]));

// The lines of the charts: of each system, or of the labels of one. Line 0 is for all labels together.
function chosenLines() {
  if (state.system === ALL) return systems.map((_, s) => ({ s, k: Math.max(0, state.label), line: s + 1 }));
  const labels = state.label > 0 ? [0, state.label] : state.label === 0 ? [0] : data.labels.slice(0, LINES + 1).map((_, k) => k);
  return labels.map((k, line) => ({ s: state.system, k, line }));
}

const sideOf = (s) => data.systems[s].sides[state.side];
const said = ({ s, k }) => ({ name: labelOf(k), system: several ? name(systems[s]) : "" });

// The points of a line, without those that are undefined.
const points = (xs, ys, line, more) =>
  (xs || []).map((x, k) => ({ x, y: (ys || [])[k], line, order: k, ...more })).filter(({ x, y }) => x !== null && y !== null && y !== undefined);

function filled(lines) {
  return { lines, datasets: { lines: lines.flatMap((each) => each.points), marks: lines.flatMap((each) => each.marks) } };
}

function cutLines() {
  const { title, ratio } = data.scores[state.score];
  return filled(chosenLines().map((each) => {
    const { cuts, curves, at } = sideOf(each.s);
    const values = (curves[state.score][each.k] || []).map((value) => (ratio ? percent(value) : value));
    const cut = data.systems[each.s].cuts[each.k];
    const value = at[each.k] === null ? null : values[at[each.k]];
    const mark = { x: cut, y: value, line: each.line, ...said(each), score: `${title} at ${cut === null ? "" : round(cut)}:`, shown: value ? round(value) : "0" };
    return { ...each, points: points(cuts, values, each.line, said(each)), marks: value === null || value === undefined ? [] : [mark] };
  }));
}

function stepLines(x, y, at) {
  return filled(chosenLines().map((each) => {
    const side = sideOf(each.s);
    const [xs, ys] = [side[x][each.k], side[y][each.k]].map((values) => values && values.map(percent));
    const mark = side[at][each.k] && side[at][each.k].map(percent);
    const more = { line: each.line, ...said(each), score: "at the cut:" };
    return { ...each, points: points(xs, ys, each.line, said(each)), marks: mark ? [{ x: mark[0], y: mark[1], ...more, shown: mark.map(round).join(", ") }] : [] };
  }));
}

function bins() {
  const shown = state.system === ALL ? systems.map((_, s) => s) : [state.system];
  const lines = shown.map((s) => ({ s, k: 0, line: s + 1, points: data.systems[s].bins }));
  const rows = lines.flatMap(({ s, line }) => data.systems[s].bins.map(({ mean, correct, n, range }) => (
    { x: percent(mean), y: percent(correct), n, line, name: `scores ${range}`, system: several ? name(systems[s]) : "", score: `of ${many(n, "prediction")}`, shown: `${round(percent(correct))} % are correct` })));
  return { lines: several ? lines : [], datasets: { bins: rows } };
}

const CHARTS = {
  cut: cutLines,
  recall: () => stepLines("recall", "precision", "at_recall"),
  coverage: () => stepLines("coverage", "risk", "at_coverage"),
  calibration: bins,
};

function legend(element, lines) {
  const drawn = lines.filter((each) => each.points.length);
  element.replaceChildren(...drawn.map(({ s, k, line }) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [key, value] of [["width", 28], ["height", 8], ["aria-hidden", "true"]]) svg.setAttribute(key, value);
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", "M0 4H28");
    path.setAttribute("stroke-dasharray", line && DASHES[line][1] ? DASHES[line].join(" ") : "none");
    svg.append(path);
    return make("span", { class: line ? `system-${line - 1}` : "all" }, svg, state.system === ALL ? bdi(systems[s]) : k ? bdi(data.labels[k]) : make("bdi", null, "all labels"));
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
  if (Object.values(datasets).every((rows) => !rows.length)) {
    element.replaceChildren(make("p", { class: "key" }, "Nothing to draw."));
    return;
  }
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
$("side").append(...data.golds.map((each, k) => option(k, name(each))));
$("system").append(option(ALL, "all systems"), ...systems.map((each, k) => option(k, name(each))));
for (const id of ["score", "label", "side", "system"]) {
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

document.querySelectorAll("[data-save]").forEach((element) => element.addEventListener("click", () => {
  save(`${JSON.stringify(data.systems[Number(element.dataset.save)].file, null, 2)}\n`, "cuts.json", "application/json");
}));
$("save-curves").addEventListener("click", () => {
  const rows = chosenLines().flatMap(({ s, k }) => {
    const { cuts, curves } = sideOf(s);
    return cuts.map((cut, at) => [systems[s], k ? data.labels[k] : "", data.scores[state.score].title, cut, (curves[state.score][k] || [])[at]]);
  });
  save([["system", "label", "score", "cut", "value"], ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n"), "curves.csv", "text/csv");
});
