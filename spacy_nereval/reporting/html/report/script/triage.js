// The reader's own marks: who is wrong, and a note. They stay in this browser, under the report's digest.

const STORE = `spacy-nereval ${data.digest}`;

const marksMade = new Map();

function loadMarks() {
  try {
    for (const [key, value] of JSON.parse(localStorage.getItem(STORE) || "[]")) if (isMark(value)) marksMade.set(key, value);
  } catch {
    $("notice").textContent = "This browser keeps no marks: export them before you close the page.";
  }
}

function storeMarks() {
  try {
    localStorage.setItem(STORE, JSON.stringify([...marksMade]));
  } catch {
    $("notice").textContent = "This browser keeps no marks: export them before you close the page.";
  }
  drawMarks();
}

function setMark(row, mark, note) {
  const key = markKey(row, state.one);
  const before = marksMade.get(key) || { mark: "", note: "" };
  const after = { mark: mark === undefined ? before.mark : mark === before.mark ? "" : mark, note: note ?? before.note };
  if (after.mark || after.note) marksMade.set(key, after);
  else marksMade.delete(key);
  storeMarks();
}

// The buttons of a row, and its note.
function triage(row) {
  if (comparing()) return [];
  const own = marksMade.get(markKey(row, state.one)) || { mark: "", note: "" };
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

function importMarks(text) {
  const { found: read, refused } = marksIn(text);
  for (const [key, value] of read) marksMade.set(key, value);
  storeMarks();
  $("notice").textContent = `Read ${many(read.length, "mark")}${refused ? `; left out ${many(refused, "line")} that are not marks on this report` : ""}.`;
  refresh();
}
