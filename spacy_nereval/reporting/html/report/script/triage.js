// The reader's own marks: who is wrong, and a note. They stay in this browser, under the report's digest.

const MARKS = { gold: { words: "gold wrong", key: "g" }, system: { words: "system wrong", key: "s" }, unclear: { words: "unclear", key: "u" } };
const STORE = `spacy-nereval ${data.digest}`;

const marksMade = new Map();

// What a mark is on: the document, the system, and the spans.
function markKey({ k, g, p }) {
  return JSON.stringify([k, state.one, g, p]);
}

function loadMarks() {
  try {
    for (const [key, value] of JSON.parse(localStorage.getItem(STORE) || "[]")) if (isMark(value)) marksMade.set(key, value);
  } catch {
    $("notice").textContent = "This browser keeps no marks: export them before you close the page.";
  }
}

const isMark = (value) => value && (value.mark === "" || Object.hasOwn(MARKS, value.mark)) && typeof value.note === "string";

function storeMarks() {
  try {
    localStorage.setItem(STORE, JSON.stringify([...marksMade]));
  } catch {
    $("notice").textContent = "This browser keeps no marks: export them before you close the page.";
  }
  drawMarks();
}

function setMark(row, mark, note) {
  const key = markKey(row);
  const before = marksMade.get(key) || { mark: "", note: "" };
  const after = { mark: mark === undefined ? before.mark : mark === before.mark ? "" : mark, note: note ?? before.note };
  if (after.mark || after.note) marksMade.set(key, after);
  else marksMade.delete(key);
  storeMarks();
}

// The buttons of a row, and its note.
function triage(row) {
  if (comparing()) return [];
  const own = marksMade.get(markKey(row)) || { mark: "", note: "" };
  const buttons = Object.entries(MARKS).map(([mark, { words, key }]) =>
    button({ class: "mark", "aria-pressed": String(own.mark === mark), "aria-label": words, title: `${words} (key ${key})` }, (event) => {
      setMark(row, mark);
      const cell = event.target.closest(".triage");
      cell.replaceChildren(...triage(row));
      cell.querySelector(`[aria-label="${words}"]`).focus();
    }, key.toUpperCase()));
  const note = make("input", { class: "note", "aria-label": "Note", placeholder: "note", value: own.note });
  note.addEventListener("change", () => setMark(row, undefined, note.value));
  note.addEventListener("blur", () => note.classList.remove("open"));
  note.addEventListener("keydown", ({ key }) => ["Enter", "Escape"].includes(key) && note.closest("tr").focus());
  const opener = button({ class: "mark", "aria-label": "note", title: "note (key n)" }, () => openNote(note.closest("tr")), "N");
  return [...buttons, opener, note];
}

function openNote(line) {
  const note = line.querySelector(".note");
  if (!note) return;
  note.classList.add("open");
  note.focus();
}

function drawMarks() {
  $("marks").textContent = marksMade.size ? `${many(marksMade.size, "mark")} in this browser` : "No marks yet";
  $("export").disabled = marksMade.size === 0;
}

function plainSpan(text, span) {
  return span && { start: characters(text, span.start), end: characters(text, span.end), label: labels[span.label] };
}

// Marked documents with their gold spans, a line each: Prodigy and nereval read them, and this page does again.
function marksAsLines() {
  const byDocument = new Map();
  for (const [key, { mark, note }] of marksMade) {
    const [k, system, g, p] = JSON.parse(key);
    const doc = documents[k];
    if (!doc || !doc[3 + system]) continue;
    const entry = { mark, note, system: systems[system], gold: plainSpan(doc[1], span(doc[2], g)), pred: plainSpan(doc[1], span(doc[3 + system][0], p)), key };
    byDocument.set(k, [...(byDocument.get(k) || []), entry]);
  }
  return [...byDocument].sort((a, b) => a[0] - b[0]).map(([k, marks]) => JSON.stringify(documentAsJson(k, { marks }))).join("\n") + "\n";
}

function documentAsJson(k, meta) {
  const doc = documents[k];
  const spans = Array.from({ length: doc[2].length / 3 }, (_, g) => span(doc[2], g)).filter((gold) => !isInvented(k, gold)).map((gold) => plainSpan(doc[1], gold));
  return { ...(doc[0] === null ? {} : { id: doc[0] }), text: textOf(k) ?? "", spans, meta: { document: k + 1, report: data.digest, ...meta } };
}

function importMarks(text) {
  let taken = 0;
  let refused = 0;
  for (const line of text.split("\n").filter((each) => each.trim())) {
    try {
      const { meta } = JSON.parse(line);
      for (const { mark, note, key } of meta.report === data.digest ? meta.marks : []) {
        const [k, system, g, p] = JSON.parse(key);
        if (!isMark({ mark, note }) || !documents[k] || !systems[system] || !Number.isInteger(g) || !Number.isInteger(p)) throw new TypeError();
        marksMade.set(JSON.stringify([k, system, g, p]), { mark, note });
        taken += 1;
      }
      if (meta.report !== data.digest) refused += 1;
    } catch {
      refused += 1;
    }
  }
  storeMarks();
  $("notice").textContent = `Read ${many(taken, "mark")}${refused ? `; left out ${many(refused, "line")} that are not marks on this report` : ""}.`;
  refresh();
}
