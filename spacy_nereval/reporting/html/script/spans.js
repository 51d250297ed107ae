// Spans below the text: a bar and a flag for each, in rows that do not overlap.

// The spans of both sides in overlap groups: spans of different groups share no character.
function overlapGroups(doc, system, marks) {
  const pred = doc[3 + system][0];
  const { words, right } = metrics[state.metric];
  const items = [];
  const collect = (flat, side) => {
    for (let k = 0; k < flat.length / 3; k++) {
      items.push({ ...span(flat, k), side, k, kind: null, said: [], matched: narrowed() && marks[side].has(k) });
    }
  };
  collect(doc[2], "gold");
  collect(pred, "pred");
  const golds = items.slice(0, doc[2].length / 3);
  const preds = items.slice(golds.length);
  verdicts(doc, system, state.metric, (verdict, g, p) => {
    for (const item of [golds[g], preds[p]]) {
      if (!item) continue;
      if (!item.kind) {
        item.kind = kindOf(doc, system, state.metric, verdict, g, p); // the first verdict on a span gives its colour
        item.right = verdict === right;
        item.pair = preds[p];
      }
      if (!item.said.includes(words[verdict])) item.said.push(words[verdict]);
    }
  });
  items.sort((a, b) => a.start - b.start || a.end - b.end || (a.side < b.side ? -1 : a.side > b.side ? 1 : a.k - b.k));
  const groups = [];
  let reach = -1;
  let last = null;
  for (const item of items) {
    if (item.start >= reach && !(last && last.start === item.start && last.end === item.end)) groups.push([]);
    groups[groups.length - 1].push(item);
    reach = Math.max(reach, item.end);
    last = item;
  }
  return groups;
}

// A grid: the text cut at every boundary, a bar below each span, and a flag below the left end of the
// bar, which takes no space in the text. `arrange` assigns their rows.
function drawnGroup(text, group, k) {
  const edges = [...new Set(group.flatMap((item) => [item.start, item.end]))].sort((a, b) => a - b);
  const columns = Math.max(1, edges.length - 1);
  const element = make("span", { class: "group" });
  element.style.gridTemplateColumns = `repeat(${columns}, auto)`;
  for (let i = 0; i < columns; i++) {
    const [start, end] = [edges[i], edges[i + 1] ?? edges[i]];
    const word = make("bdi", { class: "word" }, ...(text === null ? [`${start}–${end}`] : within(text.slice(start, end), k)));
    word.style.gridColumn = i + 1;
    element.append(word);
  }
  for (const side of ["gold", "pred"]) {
    for (const item of group.filter((each) => each.side === side).sort((a, b) => a.start - b.start || b.end - a.end)) {
      const first = Math.min(edges.indexOf(item.start), columns - 1);
      const behind = Math.max(edges.indexOf(item.end), first + 1);
      for (const part of [bar(item), flag(item)]) {
        part.style.gridColumn = `${first + 1} / ${behind + 1}`;
        part.style.gridRow = "2";
        element.append(part);
      }
    }
  }
  return element;
}

// Gives every bar and its flag the first row below the text that is free in that line, predicted spans
// below the gold ones of their group. Measures everything first, so that the browser lays out once.
function arrange() {
  const parts = (element) => [...element.querySelectorAll(".bar")].map((each) => [each, each.nextElementSibling]);
  const flags = $("list").querySelectorAll(".flag");
  flags.forEach((each) => (each.style.translate = ""));
  const texts = [...$("list").querySelectorAll(".text")].map((text) => ({
    inside: text.getBoundingClientRect(),
    groups: [...text.querySelectorAll(".group")].map((element) => ({
      top: element.getBoundingClientRect().top,
      items: parts(element).map((pair) => [...pair, ...pair.map((part) => part.getBoundingClientRect())]),
    })),
  }));
  for (const { inside, groups } of texts) {
    let rows = [];
    let line = null;
    for (const { top, items } of groups) {
      if (line === null || Math.abs(top - line) > 2) rows = [];
      line = top;
      let below = 0; // the last row of the gold spans
      for (const [strip, sign, across, words] of items) {
        const shift = Math.max(Math.min(0, inside.right - words.right), inside.left - words.left);
        const left = Math.min(across.left, words.left + shift);
        const right = Math.max(across.right, words.right + shift) + 3;
        let row = strip.classList.contains("pred") ? below : 0;
        while ((rows[row] ??= []).some((other) => other.left < right && left < other.right)) row += 1;
        rows[row].push({ left, right });
        if (strip.classList.contains("gold")) below = Math.max(below, row + 1);
        strip.style.gridRow = sign.style.gridRow = String(row + 2);
        if (shift) sign.style.translate = `${shift}px`;
      }
    }
  }
}

const classes = (part, item) => `${part} ${item.side} ${item.kind || "none"}${item.matched ? " matched" : ""}`;
const bar = (item) => make("span", { class: classes("bar", item) });

// The label and the verdicts. The verdict on a pair is on the predicted span only, which leaves its
// label out where it equals the gold label.
function flag(item) {
  const side = item.side === "gold" ? "gold" : "predicted";
  const again = item.side === "pred" && (item.kind === "hit" || item.kind === "boundary");
  const element = make("span", {
    class: classes("flag", item),
    title: `${side} ${name(labels[item.label])}, ${item.start} to ${item.end}: ${item.said.join(", ") || "no verdict"}`,
  });
  element.append(make("span", { class: "hidden" }, ` ${side} `), make("bdi", { class: again ? "hidden" : null }, name(labels[item.label], 40)));
  if (item.side === "gold" && item.pair && item.pair.kind === item.kind) return element;
  const said = item.said.join(", ");
  const words = item.right ? [make("span", { "aria-hidden": "true" }, "✓"), make("span", { class: "hidden" }, said)] : [said];
  element.append(make("span", { class: "verdict" }, ...words));
  return element;
}
