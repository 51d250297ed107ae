// The reader's own marks: who is wrong, the decision, and a note. They stay in this browser, under the gold's digest.

const STORE = `spacy-nereval ${data.digest} marks`;

let marksMade = new Map();
const undone = []; // for each change, the marks before it: [key, mark or nothing]

function loadMarks() {
  marksMade = kept(STORE, (found) => new Map(found.filter(([key, value]) => isMark(value) && isKey(key)).map(([key, value]) => [key, upgraded(value)])), []);
}

// Whether a key names a place of this gold annotation.
function isKey(key) {
  const [k, g] = JSON.parse(key);
  return Boolean(documents[k]) && (g < 0 || g < documents[k][2].length / 3);
}

// Changes marks: [key, mark], or [key] to remove the mark. All of them are undone together.
function change(changes, undoing = false) {
  if (changes.some(([key, value]) => value?.decided?.length && gapped.has(JSON.parse(key)[0]))) {
    tell("This document has spans with gaps, which decisions cannot express. Correct it in the annotation tool; a note can say how.");
    return;
  }
  if (!undoing) undone.push(changes.map(([key]) => [key, marksMade.get(key)]));
  for (const [key, changed] of changes) {
    const value = undoing ? changed : withDisputes(changed);
    if (value && (value.mark || value.note || value.decided || othersOf(value).length)) marksMade.set(key, value);
    else marksMade.delete(key);
  }
  keep(STORE, [...marksMade]);
  redrawMarks();
}

function undo() {
  if (undone.length) change(undone.pop(), true);
  else $("notice").textContent = tell(NOTHING_UNDONE);
}

// The change that marks a place. The same mark again removes it, and another mark removes the decision.
function marking(place, mark) {
  const before = marksMade.get(place.key) || { ...NO_MARK, seen: seenAt(place) };
  const next = mark === before.mark ? "" : mark;
  return [[place.key, { ...before, mark: next, decided: next === "gold" ? before.decided : null }]];
}

const noting = (place, note) => [[place.key, { ...(marksMade.get(place.key) || { ...NO_MARK, seen: seenAt(place) }), note }]];

// The buttons that mark a place.
function markButtons(place) {
  const own = marksMade.get(place.key) || NO_MARK;
  return Object.entries(MARKS).map(([mark, { words, key }]) =>
    button({ class: "mark", "aria-pressed": String(own.mark === mark), "aria-label": words, "aria-keyshortcuts": key, title: `${words} (key ${key})`, "data-mark": mark },
      () => change(marking(place, mark)), key.toUpperCase()));
}

// The buttons of a row of the list, and its note.
function triage(row) {
  if (comparing()) return [];
  const place = placeOfRow(row);
  const note = noteField(marksMade.get(place.key)?.note ?? "", (words) => change(noting(place, words)), (field) => field.closest("tr").focus());
  note.addEventListener("blur", () => note.classList.remove("open"));
  const opener = button({ class: "mark", "aria-label": "note", title: "note (key n)" }, () => openNote(note), "N");
  return [...markButtons(place), opener, note];
}

const placeOfRow = ({ k, g, p }) => ({ k, g, p, system: state.one, key: markKey({ k, g, p }, state.one) });

function openNote(note) {
  if (!note) return;
  note.classList.add("open");
  note.focus();
}

// Draws the marks again wherever they are shown. The focus stays where it is.
function redrawMarks() {
  for (const line of $("list").querySelectorAll("tbody tr")) {
    const cell = line.querySelector(".triage");
    if (!cell || cell.contains(document.activeElement) && document.activeElement.matches(".note")) continue;
    const focused = cell.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
    cell.replaceChildren(...triage(line.row));
    if (focused) cell.querySelector(`[aria-label="${focused}"]`).focus();
  }
  drawMarks();
  drawReview();
}

function drawMarks() {
  const decided = [...marksMade.values()].filter((mark) => mark.decided).length;
  const open = [...marksMade.values()].filter(openDispute).length;
  const parts = [`${many(marksMade.size, "mark")} in this browser`, ...(decided ? [many(decided, "correction")] : []), ...(open ? [many(open, "open dispute")] : [])];
  $("marks").textContent = marksMade.size ? parts.join(", ") : "No marks yet";
  for (const id of Object.keys(SAVED)) $(id).disabled = marksMade.size === 0;
}

function importMarks(text, file) {
  const { found: read, refused } = marksIn(text);
  const { changes, numbers } = joined(marksMade, read, file);
  change(changes);
  const parts = [`Read ${many(read.length, "mark")}`];
  if (numbers.same) parts.push(`${number(numbers.same)} as yours`);
  if (numbers.differing) parts.push(`${number(numbers.differing)} differ from yours, which stay until you settle them`);
  if (refused) parts.push(`skipped ${many(refused, "line")} that are not marks on this gold annotation`);
  refresh();
  if (numbers.differing) startReview("disputed");
  $("notice").textContent = `${parts.join("; ")}.`;
  tell($("notice").textContent);
}

// Another tab with a report of the same gold has changed the marks.
addEventListener("storage", ({ key }) => {
  if (key !== STORE) return;
  loadMarks();
  redrawMarks();
});
