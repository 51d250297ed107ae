// Long texts: stretches without wanted spans are folded. Folded text stays in the page, hidden.

const GAP = 400; // characters; a longer stretch of text without wanted spans, or within one, is folded
const EDGE = 120; // characters that stay at both of its ends
const FLAGS = 150; // maximum number of spans shown of one document, until the reader opens all

// The stretches of a text: [start, end, whether it is shown].
function stretches(text, marks, matched) {
  let wanted = marks.flags.filter((flag) => flag.start <= text.length);
  if (wanted.length > FLAGS) {
    const asked = wanted.filter((flag) => matched(flag) || flag.said.some(({ kind }) => kind !== "hit"));
    wanted = (asked.length ? asked : wanted).slice(0, FLAGS);
  }
  const kept = []; // stretches around the ends of wanted spans
  const keep = (at) => kept.push([Math.max(0, at - EDGE), Math.min(text.length, at + EDGE)]);
  keep(0);
  for (const flag of wanted) {
    keep(flag.start);
    keep(flag.end);
  }
  keep(Math.min(text.length, GAP - EDGE));
  kept.sort((a, b) => a[0] - b[0]);
  const found = [];
  let end = 0;
  for (const [from, to] of kept) {
    if (from - end > GAP - 2 * EDGE) found.push([end, from, false], [from, to, true]);
    else if (found.length && found[found.length - 1][2]) found[found.length - 1][1] = Math.max(end, to);
    else found.push([end, to, true]);
    end = Math.max(end, to);
  }
  if (text.length - end > GAP - 2 * EDGE) found.push([end, text.length, false]);
  else found[found.length - 1][1] = text.length;
  return found;
}
