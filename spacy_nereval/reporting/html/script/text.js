// The text of a document, with long stretches folded.

const GAP = 400; // characters; a longer stretch of text without spans, or within one, is folded
const EDGE = 120; // characters that stay at both of its ends
const GROUPS = 150; // overlap groups shown of one document, until all are asked for

// The text of a document with its overlap groups: gold spans below the text, predicted ones below these.
function annotated(doc, k, system, marks) {
  const text = doc[1];
  const paragraph = make("p", { class: "text", dir: "auto" });
  let groups = overlapGroups(doc, system, marks);
  const all = groups.length;
  if (all > GROUPS && !unfolded.has(k)) {
    const wanted = groups.filter((group) => group.some((item) => (narrowed() ? item.matched : item.kind !== "hit")));
    groups = (wanted.length ? wanted : groups).slice(0, GROUPS);
  }
  if (text === null) {
    paragraph.append(make("em", null, "no text: "));
    for (const group of groups) paragraph.append(drawnGroup(null, group, k), " ");
    return paragraph;
  }
  let end = 0;
  for (const group of groups) {
    const start = Math.min(...group.map((item) => item.start));
    paragraph.append(...between(text, end, start, k));
    paragraph.append(drawnGroup(text, group, k));
    end = Math.max(...group.map((item) => item.end));
  }
  paragraph.append(...between(text, end, text.length, k));
  if (groups.length < all) paragraph.append(unfold(k, `${number(all - groups.length)} more groups of spans`));
  return paragraph;
}

// The text between two groups, folded if it is long.
function between(text, start, end, k) {
  if (start >= end) return [];
  if (end - start <= GAP || unfolded.has(k)) return [make("bdi", null, signs(text.slice(start, end)))];
  const left = start ? start + EDGE : start;
  const right = end < text.length ? end - EDGE : start ? end : Math.min(end, start + GAP);
  const parts = [];
  if (left > start) parts.push(make("bdi", null, signs(text.slice(start, left))));
  if (end === text.length) {
    const last = Math.min(end, left + GAP - EDGE);
    if (!start) parts.push(make("bdi", null, signs(text.slice(start, last))));
    const hidden = end - (start ? left : last);
    parts.push(unfold(k, many(hidden, "character")));
    return parts;
  }
  parts.push(unfold(k, many(right - left, "character")));
  parts.push(make("bdi", null, signs(text.slice(right, end))));
  return parts;
}

// The text within a span, folded in its middle if it is long.
function within(text, k) {
  if (text.length <= GAP || unfolded.has(k)) return [signs(text)];
  const hidden = many(text.length - 2 * EDGE, "character");
  return [signs(text.slice(0, EDGE)), unfold(k, hidden), signs(text.slice(-EDGE))];
}

// A button that shows the whole document.
function unfold(k, what) {
  const button = make("button", { class: "fold" }, `… ${what} …`);
  button.addEventListener("click", () => {
    unfolded.add(k);
    $(`doc-${k + 1}`).replaceWith(article(k));
    arrange();
    $(`doc-${k + 1}`).focus();
  });
  return button;
}
