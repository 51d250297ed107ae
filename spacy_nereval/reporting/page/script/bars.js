// Marked text: bars below the words of each span, on every line that it runs over, and a flag after it. Below a gap of
// a span its bar is thin.

const ROW = 6; // pixels from one bar to the next

const stripes = (bar) => {
  const color = `color-mix(in srgb, var(--${!bar.kind || bar.kind === "none" ? "soft" : bar.kind}), var(--bar))`;
  if (bar.side === "pred") return `repeating-linear-gradient(90deg, ${color} 0 5px, transparent 5px 8px)`;
  return `linear-gradient(${color}, ${color})`;
};

// The text from start to end as nodes, with its bars and, unless `bare`, its flags.
function marked(text, start, end, { bars, flags, rows, rtl }, flagged) {
  const nodes = [];
  const edges = new Set([start, end]);
  for (const bar of bars) if (bar.end > start && bar.start < end) for (const at of [bar.start, bar.end, ...(bar.pieces ?? []).flat()]) edges.add(Math.min(end, Math.max(start, at)));
  const behind = flagged ? flags.filter((flag) => flag.place <= end && (flag.place > start || (flag.place === start && (flag.start === start || !start)))) : [];
  for (const flag of behind) edges.add(flag.place);
  const sorted = [...edges].sort((a, b) => a - b);
  const waiting = bars.filter((bar) => bar.end > start && bar.start < end);
  let active = [];
  let next = 0;
  let flag = 0;
  const word = (under, from, at, ...children) => {
    const element = make("span", { class: "m" }, ...children);
    element.style.background = under.map((bar) => `${stripes(bar)} ${rtl ? "100%" : "0"} calc(100% - ${(rows - 1 - bar.row) * ROW}px) / ${bar.end === at ? "calc(100% - 1px)" : "100%"} ${isGap(bar, from) ? 1 : 4}px no-repeat`).join(",");
    element.style.paddingBottom = `${rows * ROW}px`;
    element.flags = new Set(under.flatMap((bar) => [...bar.flags]));
    return element;
  };
  const flush = (at) => {
    const own = [];
    while (flag < behind.length && behind[flag].place <= at) own.push(flagged(behind[flag++]));
    const longer = active.filter((bar) => bar.end > at); // their bars go on below the flags
    if (own.length) nodes.push(...(longer.length ? [word(longer, at, null, ...own)] : own));
  };
  flush(start);
  for (let i = 0; i + 1 < sorted.length; i++) {
    const [from, to] = [sorted[i], sorted[i + 1]];
    active = active.filter((bar) => bar.end > from);
    while (next < waiting.length && waiting[next].start <= from) {
      if (waiting[next].end > from) active.push(waiting[next]);
      next += 1;
    }
    if (active.length) {
      nodes.push(word(active, from, to, ...textNodes(text.slice(from, to), true)));
    } else {
      nodes.push(...textNodes(text.slice(from, to)));
    }
    flush(to);
  }
  return nodes;
}

// The words of a flag light up while it is pointed at or has the focus.
for (const [event, on] of [["pointerover", true], ["focusin", true], ["pointerout", false], ["focusout", false]]) {
  $("list").addEventListener(event, ({ target }) => {
    const element = target.closest(".flag");
    if (element) element.closest(".text").querySelectorAll(".m").forEach((word) => word.classList.toggle("on", on && word.flags.has(element.flag)));
  });
}
