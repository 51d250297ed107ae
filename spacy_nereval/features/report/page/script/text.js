// The text of a document, with long stretches folded.

const ABSENT = "Not in the text";

// The text of a document under some systems. `matched` returns whether a flag passes the filters.
function annotated(doc, k, shown, matched) {
  const text = doc[1];
  const marks = { ...marksOf(doc, shown, state.metric), rtl: rightToLeft.has(k) };
  const several = shown.length > 1;
  const paragraph = make("p", { class: "text", dir: direction(k) });
  paragraph.style.setProperty("--rows", String(marks.rows));
  const flagged = (flag) => flagElement(doc, k, flag, several, matched(flag));
  if (text === null) {
    paragraph.append(make("em", null, "no text: "));
    for (const flag of marks.flags) paragraph.append(`${flag.start}–${flag.end} `, flagged(flag), " ");
    return paragraph;
  }
  const ends = annexes.has(k) ? annexes.get(k) + 1 : text.length; // a line break comes before absent mentions
  for (const [start, end, shown] of unfolded.has(k) ? [[0, ends, true]] : stretches(text.slice(0, ends), marks, matched)) {
    if (shown) paragraph.append(...marked(text, start, end, marks, flagged));
    else paragraph.append(fold(k, end - start), make("span", { hidden: true }, text.slice(start, end)));
  }
  if (annexes.has(k)) {
    paragraph.append(make("span", { class: "annex", role: "group", "aria-label": ABSENT, "data-title": ABSENT }, ...marked(text, ends, text.length, marks, flagged)));
  }
  return paragraph;
}
