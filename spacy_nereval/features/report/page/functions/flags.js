// The bars and flags of the report, before they are drawn.

// The bars and flags of a document under some systems. A span that gold and prediction share is one bar;
// there is a flag for each gold span, and for each prediction without one, with the verdict of every system.
function marksOf(doc, shown, metric) {
  const bars = new Map();
  const flags = new Map();
  const noteBar = (span, side, kind, flag) => {
    const key = `${extentOf(span)} ${side === "pred" ? span.label : ""}`;
    const bar = bars.get(key) || { ...span, side, kind, flags: new Set() };
    if (side === "both") bar.side = "both";
    if (bar.kind === "hit") bar.kind = kind;
    bars.set(key, bar);
    bar.flags.add(flag);
  };
  for (const system of shown) {
    verdicts(doc, system, metric, (verdict, g, p) => {
      const gold = span(doc[2], g);
      const pred = span(doc[3 + system][0], p);
      if (!gold && !pred) return;
      const kind = kindOf(doc, system, metric, verdict, g, p);
      const key = gold ? `${g}` : `${extentOf(pred)} ${pred.label}`;
      const flag = flags.get(key) || { g, gold, end: 0, start: Infinity, said: [], at: flags.size };
      flags.set(key, flag);
      flag.said.push({ system, verdict, kind, p, pred });
      flag.end = Math.max(flag.end, gold ? gold.end : 0, pred ? pred.end : 0);
      flag.start = Math.min(flag.start, gold ? gold.start : Infinity, pred ? pred.start : Infinity);
      const same = gold && pred && sameExtent(gold, pred);
      if (gold) noteBar(gold, same ? "both" : "gold", kind, flag);
      if (pred && !same) noteBar(pred, "pred", kind, flag);
    });
  }
  const sorted = [...bars.values()].sort((a, b) => a.start - b.start || b.end - a.end || (a.side < b.side ? -1 : 1));
  const rows = inRows(sorted);
  for (const flag of flags.values()) flag.place = behindWord(doc[1], flag.end);
  const placed = [...flags.values()].sort((a, b) => a.place - b.place || a.end - b.end || a.start - b.start || a.at - b.at);
  return { bars: sorted, flags: placed, rows };
}

// Gives each bar a row in which none overlaps another, and returns the number of rows. Bars must be sorted.
function inRows(bars) {
  const ends = []; // of the last bar in each row
  for (const bar of bars) {
    bar.row = ends.findIndex((end) => end <= bar.start);
    if (bar.row < 0) bar.row = ends.length;
    ends[bar.row] = Math.max(bar.end, bar.start + 1);
  }
  return ends.length;
}

const letter = (system) => String.fromCharCode(65 + system);
