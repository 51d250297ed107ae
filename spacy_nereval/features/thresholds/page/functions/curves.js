// The lines of the charts, from the reader's choices.

const LINES = 8; // besides the one of all labels
const ALL = -1; // every label that has a line

const systems = data.systems.map((each) => each.name);
const several = systems.length > 1;

const usual = { score: data.best, label: ALL, side: data.golds.length - 1, system: several ? ALL : 0 };
const percent = (value) => (value === null ? null : 100 * value);
const labelOf = (k) => (k === 0 ? "all labels" : name(data.labels[k]));

// The lines of the charts: of each system, or of the labels of one. Line 0 is for all labels together.
function chosenLines(asked) {
  if (asked.system === ALL) return systems.map((_, s) => ({ s, k: Math.max(0, asked.label), line: s + 1 }));
  const labels = asked.label > 0 ? [0, asked.label] : asked.label === 0 ? [0] : data.labels.slice(0, LINES + 1).map((_, k) => k);
  return labels.map((k, line) => ({ s: asked.system, k, line }));
}

const sideOf = (s, asked) => data.systems[s].sides[asked.side];
const said = ({ s, k }) => ({ name: labelOf(k), system: several ? name(systems[s]) : "" });

// The points of a line, without those that are undefined.
const points = (xs, ys, line, more) =>
  (xs || []).map((x, k) => ({ x, y: (ys || [])[k], line, order: k, ...more })).filter(({ x, y }) => x !== null && y !== null && y !== undefined);

function filled(lines) {
  return { lines, datasets: { lines: lines.flatMap((each) => each.points), marks: lines.flatMap((each) => each.marks) } };
}

function cutLines(asked) {
  const { title, ratio } = data.scores[asked.score];
  const drawnAs = (value) => (ratio ? percent(value) : value);
  const lines = chosenLines(asked).map((each) => {
    const { cuts, curves, at, marks, peaks } = sideOf(each.s, asked);
    const values = (curves[asked.score][each.k] || []).map(drawnAs);
    const mark = (x, y, shown) => ({ x, y, line: each.line, ...said(each), score: `${title}:`, shown });
    const text = marks[asked.score][each.k];
    const peak = peaks[asked.score][each.k];
    return {
      ...each,
      points: points(cuts, values, each.line, said(each)),
      peak: peak && peak[2],
      marks: text ? [mark(data.systems[each.s].cuts[each.k], values[at[each.k]], text)] : [],
      peaks: peak && peak[0] !== null ? [mark(peak[0], drawnAs(peak[1]), peak[2])] : [],
    };
  });
  const found = filled(lines);
  return { lines, datasets: { ...found.datasets, peaks: lines.flatMap((each) => each.peaks) } };
}

function stepLines(asked, x, y, at) {
  return filled(chosenLines(asked).map((each) => {
    const side = sideOf(each.s, asked);
    const [xs, ys] = [side[x][each.k], side[y][each.k]].map((values) => values && values.map(percent));
    const mark = side[at][each.k];
    const more = { line: each.line, ...said(each), score: "at the threshold:" };
    return { ...each, points: points(xs, ys, each.line, said(each)), marks: mark ? [{ x: percent(mark[0]), y: percent(mark[1]), ...more, shown: mark[2] }] : [] };
  }));
}

function bins(asked) {
  const shown = asked.system === ALL ? systems.map((_, s) => s) : [asked.system];
  const lines = shown.map((s) => ({ s, k: 0, line: s + 1, points: data.systems[s].bins }));
  const rows = lines.flatMap(({ s, line }) => data.systems[s].bins.map(({ mean, hits, n, range, shown: text }) => (
    { x: percent(mean), y: percent(hits), n, line, name: `scores ${range}`, system: several ? name(systems[s]) : "", score: `of ${many(n, "prediction")}`, shown: text })));
  return { lines: several ? lines : [], datasets: { bins: rows } };
}

const CHARTS = {
  cut: cutLines,
  recall: (asked) => stepLines(asked, "recall", "precision", "at_recall"),
  coverage: (asked) => stepLines(asked, "coverage", "risk", "at_coverage"),
  calibration: bins,
};

// The chosen curves as CSV, a row for each cut.
function curvesAsTable(asked) {
  const rows = chosenLines(asked).flatMap(({ s, k }) => {
    const { cuts, curves } = sideOf(s, asked);
    return cuts.map((cut, at) => [systems[s], data.golds[asked.side], k ? data.labels[k] : "", data.scores[asked.score].title, cut, (curves[asked.score][k] || [])[at] ?? null]);
  });
  return [["system", "documents", "label", "score", "cut", "value"], ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n");
}
