// Marks as files, and files of marks read again.

const EVERY = ["document", "id", "digest", "copy", "system", "verdict", "gold", "pred", "reason", "evidence", "mark", "note", "proposed", "decided", "others"];

// A mark as `nereval apply` reads it: a line of JSON.
function recordOf(key, { mark, note, decided, seen, others = [] }) {
  const place = placeAt(key);
  const { k } = place;
  const text = documents[k][1];
  const each = (found) => found && inCharacters(text, found);
  const { reasons, words } = evidenceOf(place);
  const [proposed] = proposalsOf(place);
  const values = [k + 1, documents[k][0], digestOf(k), copiesOf(k).indexOf(k), seen?.system ?? null, seen?.verdict ?? null, each(named(goldAt(key))), each(seen?.pred ?? null),
    reasons.join("; "), words.join("; "), mark ? MARKS[mark].words : "", note, proposed ? proposed.map(each) : null, decided && decided.map(each),
    others.map((other) => ({ ...other, mark: other.mark ? MARKS[other.mark].words : "", decided: other.decided && other.decided.map(each) }))];
  return Object.fromEntries(EVERY.map((field, i) => [field, values[i]]));
}

// All marks, in the order of the corpus.
function recordsOf(marks) {
  const placed = [...marks].map(([key, value]) => [JSON.parse(key), key, value]);
  placed.sort(([[a, g, s]], [[b, h, t]]) => a - b || (g < 0) - (h < 0) || g - h || (s ?? 0) - (t ?? 0));
  return placed.map(([, key, value]) => recordOf(key, value));
}

const asJsonLines = (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

// A table for spreadsheets: a line per mark, spans in columns of their own.
function marksAsTable(marks) {
  const fields = EVERY.flatMap((field) => (["gold", "pred"].includes(field) ? ["start", "end", "label", "text"].map((part) => `${field}_${part}`) : [field]));
  const spans = (found) => (found === null ? "" : found.map(({ label, text, start, end }) => `${label} “${text}” ${start}–${end}`).join("; ") || "no span");
  const lines = recordsOf(marks).map((row) => EVERY.flatMap((field) => {
    if (["gold", "pred"].includes(field)) return ["start", "end", "label", "text"].map((part) => row[field]?.[part] ?? null);
    if (field === "others") return [row.others.map((other) => [other.by, other.mark, spans(other.decided), other.note, other.settled && `settled: ${other.settled}`].filter(Boolean).join(", ")).join("; ")];
    return ["proposed", "decided"].includes(field) ? [spans(row[field])] : [row[field]];
  }));
  return [fields, ...lines].map((cells) => cells.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

// The marked documents, each with its current spans and the words of its marks; without those that have spans with gaps,
// which Prodigy and Label Studio cannot store.
function tasksOf(marks) {
  const byDocument = new Map();
  for (const row of recordsOf(marks).filter((each) => !gapped.has(each.document - 1))) byDocument.set(row.document - 1, [...(byDocument.get(row.document - 1) || []), row]);
  return [...byDocument].map(([k, rows]) => {
    const spans = spansNow(k, marks).map(([, each]) => inCharacters(documents[k][1], each)).sort((a, b) => a.start - b.start || a.end - b.end);
    const said = (field) => [...new Set(rows.map((row) => row[field]).filter(Boolean))].join("; ");
    return { k, spans, said: { mark: said("mark"), reason: said("reason"), evidence: said("evidence"), note: said("note") } };
  });
}

// Tasks for Prodigy: its spans are the gold spans with the corrections, so that `ner.manual` begins there.
const forProdigy = (marks) => asJsonLines(tasksOf(marks).map(({ k, spans, said }) => ({
  ...(documents[k][0] === null ? {} : { id: documents[k][0] }),
  text: textOf(k) ?? "",
  spans: spans.map(({ text, ...each }) => each),
  meta: { document: k + 1, ...said },
})));

// Tasks for Label Studio, for a labelling config that calls its text "text" and its labels "label".
const forLabelStudio = (marks) => `${JSON.stringify(tasksOf(marks).map(({ k, spans, said }) => ({
  data: { text: textOf(k) ?? "", ...(documents[k][0] === null ? {} : { document: documents[k][0] }), ...said },
  predictions: [{ model_version: "gold with corrections", result: spans.map(labelStudioRegion) }],
})), null, 1)}\n`;

// Reading marks

// The offset in UTF-16 units after a number of characters.
const inUnits = (text, count) => [...text].slice(0, count).join("").length;

// The place and the mark that a line of a file has.
function markOf(row) {
  const k = documentOf(row);
  if (k === undefined) throw new TypeError();
  const text = documents[k][1] ?? "";
  const read = ({ start, end, label }) => [inUnits(text, start), inUnits(text, end), label];
  const said = ({ mark, decided }) => ({ mark: mark ? Object.keys(MARKS).find((each) => MARKS[each].words === mark) : "", decided: decided ? decided.map(read) : null });
  const [gold, pred] = [row.gold, row.pred].map((each) => each && read(each));
  const { mark, decided } = said(row);
  const others = (row.others ?? []).map((other) => ({ ...said(other), note: other.note ?? "", by: other.by ?? "", settled: other.settled ?? null }));
  const g = gold ? goldsOf(k).findIndex((each) => String(named(each)) === String(gold)) : ANY;
  const stretch = pred || (decided && decided[0]);
  const value = { mark, note: row.note ?? "", decided, seen: row.system ? { system: row.system, pred: pred || null, verdict: row.verdict ?? "" } : null, ...(others.length ? { others } : {}) };
  if ((gold && g < 0) || (!gold && !stretch) || !isMark(value)) throw new TypeError();
  return [keyOf(k, g, ...(stretch || [])), value];
}

// The marks of a file, with how many lines are no marks on this gold.
function marksIn(text) {
  const found = [];
  let refused = 0;
  for (const line of text.split("\n").filter((each) => each.trim())) {
    try {
      found.push(markOf(JSON.parse(line)));
    } catch {
      refused += 1;
    }
  }
  return { found, refused };
}

// Two notes as one.
const notes = (own, other) => [...new Set([own, other].filter(Boolean))].join("; ");

// The changes from joining the marks of a file to the reader's own: [key, mark]. Where marks differ, the own one stays,
// with the other one in `others`. `by` is the name of the file.
function joined(marks, found, by = "") {
  const changes = [];
  const numbers = { added: 0, same: 0, differing: 0 };
  for (const [key, value] of found) {
    const own = marks.get(key);
    const kind = !own ? "added" : isSame(own, value) ? "same" : "differing";
    numbers[kind] += 1;
    if (kind === "added") changes.push([key, value]);
    else {
      const { mark, decided, note } = value;
      const others = [...othersOf(own)];
      for (const other of [{ mark, decided, note, by, settled: null }, ...othersOf(value)]) {
        if (![own, ...others].some((each) => isSame(each, other))) others.push(other);
      }
      const next = { ...own, ...(others.length ? { others } : {}), ...(kind === "same" ? { note: notes(own.note, note) } : {}) };
      if (JSON.stringify(next) !== JSON.stringify(own)) changes.push([key, next]);
    }
  }
  return { changes, numbers };
}
