// A text with the spans of all its annotators: a row of bars for each, in the annotator's colour.

const GLYPHS = [...data.symbols];

const glyph = (k) => make("b", { class: `system-${k % GLYPHS.length}`, "aria-hidden": "true" }, GLYPHS[k % GLYPHS.length]);

// Names of annotators, each with its symbol.
const named = (numbers) => numbers.map((k) => make("span", { class: "who" }, glyph(k), " ", bdi(annotators[k], 40)));

const MOST_NAMES = 3; // annotators named in a flag; of more, their number
const CONTEXT = 90; // characters of the text on either side of a place

// The bars of some spans. Every annotator of the document has a row, or more where own spans overlap.
function barsOf(doc, spans) {
  const bars = [];
  let rows = 0;
  for (const k of doc.by) {
    const ends = [];
    for (const [start, end, , by, pieces] of spans) {
      if (!by.includes(k)) continue;
      let row = ends.findIndex((last) => last <= start);
      if (row < 0) row = ends.length;
      ends[row] = Math.max(end, start + 1);
      bars.push({ start, end, pieces, row: rows + row, side: "both", kind: `system-${k % GLYPHS.length}`, flags: new Set() });
    }
    rows += Math.max(1, ends.length);
  }
  return { bars: bars.sort((a, b) => a.start - b.start || b.end - a.end || a.row - b.row), rows };
}

// A place in its context, on one line.
function inContext(doc, place) {
  const [from, to] = [startOf(doc, place), endOf(doc, place)];
  const paragraph = make("p", { class: "text", dir: direction(doc) });
  if (doc.text === null) {
    paragraph.append(make("em", null, "no text"));
    return paragraph;
  }
  const low = Math.max(isInvented(doc, from) ? doc.ends + 1 : 0, contextStart(doc.text, from, CONTEXT));
  const high = Math.min(doc.ends !== null && !isInvented(doc, from) ? doc.ends : doc.text.length, contextEnd(doc.text, to, CONTEXT));
  const { bars, rows } = barsOf(doc, versionsOf(doc, place).versions);
  paragraph.style.setProperty("--rows", String(rows));
  const flat = doc.text.replace(/[\n\t\r]/g, " ");
  paragraph.append(low > 0 ? "… " : "", ...marked(flat, low, high, { bars, flags: [], rows, rtl: doc.rtl }, null), high < doc.text.length ? " …" : "");
  return paragraph;
}

// The annotators of each version of a place, a line for each version.
function whoSaidWhat(doc, place) {
  const { versions, silent } = versionsOf(doc, place);
  const items = versions.map((version) => {
    const [start, end, label, by] = version;
    const words = doc.text === null ? `${start}–${end}` : onLine(wordsOf(doc, version), 200);
    const what = make("span", { class: "what" }, make("b", null, make("bdi", null, words)), " ", make("span", { class: "tag" }, bdi(labels[label], 40)));
    if (isInvented(doc, start)) what.append(" ", make("small", null, "not in the text"));
    if (isConsensus(doc, by)) what.append(" ", make("small", null, "consensus"));
    return make("li", null, make("span", null, ...spaced(named(by))), what);
  });
  if (silent.length) items.push(make("li", null, make("span", null, ...spaced(named(silent))), make("span", { class: "what none" }, "nothing")));
  return make("ul", { class: "said" }, ...items);
}

const spaced = (elements) => elements.flatMap((element, k) => (k ? [" ", element] : [element]));

// The flags of a whole document: one for each span, with its label and, if not all agree, who marked it.
function flagsOf(doc, matched) {
  const disputed = new Map();
  for (const place of doc.places) for (let k = place[0]; k < place[0] + place[1]; k += 1) disputed.set(k, place);
  const flags = doc.spans.map(([start, end, label, by], k) => {
    const agreed = by.length === doc.by.length;
    const place = disputed.get(k);
    const kind = agreed ? "hit" : kinds[kindsOf(place)[0]].kind;
    return { start, end, label, by, of: doc.by.length, at: k, place: behindWord(doc.text, end), said: [{ kind }], agreed, asked: !agreed && matched(place) };
  });
  return flags.sort((a, b) => a.place - b.place || a.end - b.end || a.start - b.start || a.at - b.at);
}

function flagged(flag) {
  const parts = [bdi(labels[flag.label], 32)];
  if (!flag.agreed && flag.by.length > MOST_NAMES) parts.push(make("span", { class: "verdict" }, ` ${flag.by.length} of ${flag.of}`));
  else if (!flag.agreed) parts.push(...flag.by.map((k) => make("span", { class: "verdict" }, ` ${GLYPHS[k % GLYPHS.length]} ${name(annotators[k], 20)}`)));
  const said = `${name(labels[flag.label])}: ${flag.agreed ? "all annotators" : flag.by.map((k) => name(annotators[k])).join(", ")}`;
  return make("span", { class: `flag ${flag.said[0].kind}${flag.asked ? " matched" : ""}`, dir: "ltr", title: said }, ...parts);
}

// The whole text of a document, long stretches without disputes folded.
function annotated(doc, k, matched) {
  const paragraph = make("p", { class: "text", dir: direction(doc) });
  const flags = flagsOf(doc, matched);
  const { bars, rows } = barsOf(doc, doc.spans);
  const marks = { bars, rows, flags, rtl: doc.rtl };
  paragraph.style.setProperty("--rows", String(rows));
  if (doc.text === null) {
    paragraph.append(make("em", null, "no text: "), ...flags.flatMap((flag) => [`${flag.start}–${flag.end} `, flagged(flag), " "]));
    return paragraph;
  }
  for (const [start, end, shown] of unfolded.has(k) ? [[0, doc.text.length, true]] : stretches(doc.text, marks, (flag) => flag.asked)) {
    if (shown) paragraph.append(...marked(doc.text, start, end, marks, flagged));
    else paragraph.append(fold(k, end - start), make("span", { hidden: true }, doc.text.slice(start, end)));
  }
  return paragraph;
}
