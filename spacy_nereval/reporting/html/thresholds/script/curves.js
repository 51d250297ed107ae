// The lines of the charts, from what is chosen.

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
  const lines = chosenLines().map((each) => {
    const { cuts, curves, at, peaks } = sideOf(each.s);
    const values = (curves[state.score][each.k] || []).map((value) => (ratio ? percent(value) : value));
    const mark = (x, y) => ({ x, y, line: each.line, ...said(each), score: `${title} at ${round(x)}:`, shown: round(y) });
    const cut = data.systems[each.s].cuts[each.k];
    const value = cut === null || at[each.k] === null ? null : values[at[each.k]];
    const shown = points(cuts, values, each.line, said(each));
    const [x, y] = (peaks[state.score][each.k] || [null, null]);
    const peak = y === null ? null : { x, y: ratio ? percent(y) : y };
    return { ...each, points: shown, peak, marks: value === null || value === undefined ? [] : [mark(cut, value)], peaks: x === null || !peak ? [] : [mark(x, peak.y)] };
  });
  const found = filled(lines);
  return { lines, datasets: { ...found.datasets, peaks: lines.flatMap((each) => each.peaks) } };
}

// Says what the first chart shows.
function describe() {
  const { title } = data.scores[state.score];
  const told = cutLines().lines.filter(({ peak }) => peak);
  const best = (each) => [make("bdi", null, state.system === ALL ? name(systems[each.s]) : labelOf(each.k)), ` ${round(each.peak.y)} ${each.peak.x === null ? "with nothing kept" : `at ${round(each.peak.x)}`}`];
  $("matches").replaceChildren(...(told.length ? [`Best ${title} on `, bdi(data.golds[state.side]), ": ", ...told.flatMap((each, k) => (k ? [", ", ...best(each)] : best(each))), "."] : [`${title} is undefined at every cut.`]));
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
