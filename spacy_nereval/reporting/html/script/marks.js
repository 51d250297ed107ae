// Marked text: bars below the words of each span, on every line that it runs over, and a flag behind it.

// What follows a span within the same word, in scripts that write spaces between words.
const REST_OF_WORD = /(?<=[\p{L}\p{N}\p{M}])(?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{N}\p{M}\u200c\u200d]|['’](?=\p{L}))+/uy;
const LONGEST_WORD = 40; // characters; a flag stays in the middle of anything longer

// Where a flag stands: behind the word in which its spans end, so that it splits no word.
function behindWord(text, end) {
  REST_OF_WORD.lastIndex = end;
  const rest = REST_OF_WORD.exec(text || "");
  return rest && rest[0].length <= LONGEST_WORD ? end + rest[0].length : end;
}

const ROW = 6; // pixels from one bar to the next

// The bars and flags of a document under some systems. A span that gold and prediction share is one bar;
// there is a flag for each gold span, and for each prediction without one, which says the verdict of every system.
function marksOf(doc, shown) {
  const bars = new Map();
  const flags = new Map();
  const noteBar = (span, side, kind, flag) => {
    const key = `${span.start} ${span.end} ${side === "pred" ? span.label : ""}`;
    const bar = bars.get(key) || { ...span, side, kind, flags: new Set() };
    if (side === "both") bar.side = "both";
    if (bar.kind === "hit") bar.kind = kind;
    bars.set(key, bar);
    bar.flags.add(flag);
  };
  for (const system of shown) {
    verdicts(doc, system, state.metric, (verdict, g, p) => {
      const gold = span(doc[2], g);
      const pred = span(doc[3 + system][0], p);
      if (!gold && !pred) return;
      const kind = kindOf(doc, system, state.metric, verdict, g, p);
      const key = gold ? `${g}` : `${pred.start} ${pred.end} ${pred.label}`;
      const flag = flags.get(key) || { g, gold, end: 0, start: Infinity, said: [], at: flags.size };
      flags.set(key, flag);
      flag.said.push({ system, verdict, kind, p, pred });
      flag.end = Math.max(flag.end, gold ? gold.end : 0, pred ? pred.end : 0);
      flag.start = Math.min(flag.start, gold ? gold.start : Infinity, pred ? pred.start : Infinity);
      const same = gold && pred && gold.start === pred.start && gold.end === pred.end;
      if (gold) noteBar(gold, same ? "both" : "gold", kind, flag);
      if (pred && !same) noteBar(pred, "pred", kind, flag);
    });
  }
  const sorted = [...bars.values()].sort((a, b) => a.start - b.start || b.end - a.end || (a.side < b.side ? -1 : 1));
  const ends = []; // of the last bar in each row
  for (const bar of sorted) {
    bar.row = ends.findIndex((end) => end <= bar.start);
    if (bar.row < 0) bar.row = ends.length;
    ends[bar.row] = Math.max(bar.end, bar.start + 1);
  }
  for (const flag of flags.values()) flag.place = behindWord(doc[1], flag.end);
  const placed = [...flags.values()].sort((a, b) => a.place - b.place || a.end - b.end || a.start - b.start || a.at - b.at);
  return { bars: sorted, flags: placed, rows: ends.length };
}

const stripes = (bar) => {
  const color = `color-mix(in srgb, var(--${bar.kind || "soft"}), var(--bar))`;
  if (bar.side === "pred") return `repeating-linear-gradient(90deg, ${color} 0 5px, transparent 5px 8px)`;
  return `linear-gradient(${color}, ${color})`;
};

// The text from start to end as nodes, with its bars and, unless `bare`, its flags.
function marked(text, start, end, { bars, flags, rows, rtl }, flagged) {
  const nodes = [];
  const edges = new Set([start, end]);
  for (const bar of bars) if (bar.end > start && bar.start < end) edges.add(Math.max(start, bar.start)).add(Math.min(end, bar.end));
  const behind = flagged ? flags.filter((flag) => flag.place <= end && (flag.place > start || (flag.place === start && (flag.start === start || !start)))) : [];
  for (const flag of behind) edges.add(flag.place);
  const sorted = [...edges].sort((a, b) => a - b);
  const waiting = bars.filter((bar) => bar.end > start && bar.start < end);
  let active = [];
  let next = 0;
  let flag = 0;
  const word = (under, at, ...children) => {
    const element = make("span", { class: "m" }, ...children);
    element.style.background = under.map((bar) => `${stripes(bar)} ${rtl ? "100%" : "0"} calc(100% - ${(rows - 1 - bar.row) * ROW}px) / ${bar.end === at ? "calc(100% - 1px)" : "100%"} 4px no-repeat`).join(",");
    element.style.paddingBottom = `${rows * ROW}px`;
    element.flags = new Set(under.flatMap((bar) => [...bar.flags]));
    return element;
  };
  const flush = (at) => {
    const own = [];
    while (flag < behind.length && behind[flag].place <= at) own.push(flagged(behind[flag++]));
    const longer = active.filter((bar) => bar.end > at); // their bars go on below the flags
    if (own.length) nodes.push(...(longer.length ? [word(longer, null, ...own)] : own));
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
      nodes.push(word(active, to, ...textNodes(text.slice(from, to), true)));
    } else {
      nodes.push(...textNodes(text.slice(from, to)));
    }
    flush(to);
  }
  return nodes;
}

// What a flag says: the label, and each system's verdict.
function flagText(doc, flag, several) {
  const { words, right } = metrics[state.metric];
  const own = flag.gold ? labels[flag.gold.label] : labels[flag.said[0].pred.label];
  const parts = [make("bdi", null, name(own, 32))];
  const groups = new Map();
  for (const { system, verdict, kind, pred } of flag.said) {
    let said = verdict === right ? "✓" : words[verdict];
    if (flag.gold && pred && pred.label !== flag.gold.label) {
      said = kind === "label" ? `→ ${name(labels[pred.label], 32)}` : `→ ${name(labels[pred.label], 32)}, boundaries`;
    }
    groups.set(said, [...(groups.get(said) || []), system]);
  }
  for (const [said, by] of groups) {
    parts.push(" ", make("span", { class: "verdict" }, ...(several ? [make("b", null, by.map(letter).join("")), " "] : []), said));
  }
  return parts;
}

const letter = (system) => String.fromCharCode(65 + system);

function flagElement(doc, k, flag, several, matched) {
  const first = flag.said.find(({ kind }) => kind !== "hit") || flag.said[0];
  const { words } = metrics[state.metric];
  const sides = [flag.gold && `gold ${labelName(flag.gold.label)} ${flag.gold.start} to ${flag.gold.end}`,
    ...flag.said.map(({ system, verdict, pred }) => `${several ? `${name(systems[system])}: ` : ""}${pred ? `predicted ${labelName(pred.label)} ${pred.start} to ${pred.end}, ` : ""}${words[verdict]}`)];
  const element = button({ class: `flag ${first.kind || "none"}${matched ? " matched" : ""}`, dir: "ltr", title: sides.filter(Boolean).join("; ") },
    () => openFlag(k, flag, first), ...flagText(doc, flag, several));
  element.flag = flag;
  return element;
}

// The words of a flag light up while it is pointed at or has the focus.
for (const [event, on] of [["pointerover", true], ["focusin", true], ["pointerout", false], ["focusout", false]]) {
  $("list").addEventListener(event, ({ target }) => {
    const element = target.closest(".flag");
    if (element) element.closest(".text").querySelectorAll(".m").forEach((word) => word.classList.toggle("on", on && word.flags.has(element.flag)));
  });
}
