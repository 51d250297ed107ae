// The page of thresholds: its charts and its form.

const state = usual;
const DASHES = specs.cut.layer.flatMap((layer) => (layer.encoding.strokeDash ? [layer.encoding.strokeDash.scale.range] : []))[0];

// Describes the first chart: the best value of each line, and the cut there.
function describe() {
  const { title } = data.scores[state.score];
  const told = cutLines(state).lines.filter(({ peak }) => peak);
  const best = (each) => [make("bdi", null, state.system === ALL ? name(systems[each.s]) : labelOf(each.k)), ` ${each.peak}`];
  $("matches").replaceChildren(...(told.length ? [`Best ${title} on `, bdi(data.golds[state.side]), ": ", ...told.flatMap((each, k) => (k ? [", ", ...best(each)] : best(each))), "."] : [`${title} is undefined at every threshold.`]));
}

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

// The chart without the layers that have no data: Vega warns of these.
function nonEmpty(spec, datasets) {
  return { ...spec, layer: spec.layer.filter(({ data: { name: own } }) => !own || datasets[own].length) };
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
  const { lines, datasets } = CHARTS[which](state);
  const spec = { ...nonEmpty(titled(specs[which], which), datasets), datasets, config: colours() };
  legend(document.querySelector(`[data-legend="${which}"]`), lines);
  if (Object.values(datasets).every((rows) => !rows.length)) {
    element.replaceChildren(make("p", { class: "key" }, "Nothing to draw."));
    return;
  }
  embed(element, spec);
}

drawCharts(draw);

$("score").append(...data.scores.map(({ title }, k) => option(k, title)));
$("label").append(option(ALL, data.labels.length > LINES + 1 ? `the ${LINES} most frequent` : "every label"), ...data.labels.map((_, k) => option(k, labelOf(k))));
$("side").append(...data.golds.map((each, k) => option(k, name(each))));
$("system").append(option(ALL, "all systems"), ...systems.map((each, k) => option(k, name(each))));
function choose(id, value) {
  state[id] = value;
  $(id).value = String(value);
  describe();
  drawn.forEach(draw);
}
for (const id of ["score", "label", "side", "system"]) {
  $(id).value = String(state[id]);
  $(id).addEventListener("change", () => choose(id, Number($(id).value)));
}
describe();

// A click on the row of a label or score shows its curve.
document.querySelectorAll("[data-ask]").forEach((element) => element.addEventListener("click", () => {
  const { label, score } = JSON.parse(element.dataset.ask);
  if (score !== undefined) choose("score", data.scores.findIndex((each) => each.name === score));
  else choose("label", data.labels.indexOf(label));
  document.querySelector("[data-chart=cut]").scrollIntoView({ block: "center" });
}));
$("choices").addEventListener("submit", (event) => event.preventDefault());

document.querySelectorAll("[data-save]").forEach((element) => element.addEventListener("click", () => {
  save(`${JSON.stringify(data.systems[Number(element.dataset.save)].file, null, 2)}\n`, "cuts.json");
}));
$("save-curves").addEventListener("click", () => save(curvesAsTable(state), "curves.csv"));
