// A queue of places to decide on one by one, with keys that work while the focus is in it, except in text fields. Each page
// defines isMarked(place), keepPosition(), cardOf(place) and undo().

const UNKEPT = "This browser keeps nothing: save your work before you close the page.";

// The progress in words: places that are done and left, and a queue without any left.
const DEFAULT_WORDS = { done: (done, left) => `${number(done)} done, ${number(left)} left`, all: "Every place has a mark." };

const review = { queue: "", places: [], at: 0, words: DEFAULT_WORDS };

const current = () => review.places[review.at];

function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    warnUnkept();
  }
}

// Warns next to the list and the marks that they are lost with the page.
function warnUnkept() {
  $("notice").textContent = UNKEPT;
  $("unkept").textContent = UNKEPT;
}

// Returns `read` of the value that this browser stores under a name, or of `otherwise` if none can be read.
function kept(name, read, otherwise) {
  try {
    return read(JSON.parse(localStorage.getItem(name)) ?? otherwise);
  } catch {
    warnUnkept();
    return read(otherwise);
  }
}

const focusCard = () => $("card").focus({ preventScroll: true });

function goToPlace(at) {
  if (at < 0 || at >= review.places.length) {
    tell(at < 0 ? "This is the first place." : "This is the last place.");
    return;
  }
  review.at = at;
  keepPosition();
  drawReview();
  focusCard();
  $("review-state").scrollIntoView({ block: "nearest" });
  $("card").scrollIntoView({ block: "nearest" });
}

function goToUnmarked() {
  const after = review.places.findIndex((place, i) => i > review.at && !isMarked(place));
  const found = after < 0 ? review.places.findIndex((place) => !isMarked(place)) : after;
  if (found < 0) tell(review.words.all);
  else goToPlace(found);
}

const NOTHING_UNDONE = "There is nothing to undo.";

const tell = (words) => ($("review-notice").textContent = words);

function drawProgress() {
  const done = review.places.filter(isMarked).length;
  const all = review.places.length;
  tell("");
  $("review-state").hidden = !review.queue;
  $("review-bar").max = Math.max(all, 1);
  $("review-bar").value = done;
  $("review-done").textContent = all ? `Place ${number(review.at + 1)} of ${number(all)}: ${review.words.done(done, all - done)}` : "Nothing to review here";
}

// Draws the current place. The focus stays where it is.
function drawReview() {
  drawProgress();
  const key = $("card").contains(document.activeElement) ? document.activeElement.dataset.key ?? "" : null;
  $("card").replaceChildren(...(current() ? cardOf(current()) : []));
  if (key !== null) ($("card").querySelector(`[data-key="${key}"]`) ?? $("card")).focus({ preventScroll: true });
}

const keyButton = (key, attributes, action, ...words) =>
  button({ "data-key": key, "aria-keyshortcuts": key, ...attributes }, action, make("kbd", null, key), " ", ...words);

// A field for a note. `back` is where the focus goes from it.
function noteField(value, save, back) {
  const note = make("input", { class: "note", "aria-label": "Note", placeholder: "note", value });
  note.addEventListener("change", () => save(note.value));
  note.addEventListener("keydown", ({ key }) => ["Enter", "Escape"].includes(key) && back(note));
  return note;
}

// The actions of keys in every queue.
const MOVES = { z: undo, k: () => goToPlace(review.at - 1), j: () => goToPlace(review.at + 1), i: goToUnmarked, n: () => $("review-note").focus() };

// The last line of a card: its note, and buttons that go to other places. `open` is the text of the button `i`.
function lastLine(value, save, open) {
  const note = noteField(value, save, focusCard);
  note.classList.add("wide");
  note.id = "review-note";
  const steps = Object.entries({ z: "Undo", k: "Previous", j: "Next", i: open }).map(([key, words]) => keyButton(key, {}, MOVES[key], words));
  return make("div", { class: "steps" }, make("label", null, make("kbd", null, "n"), " Note ", note), ...steps);
}

// Calls `start` with the queue of a clicked button, and moves to the card.
const onReview = (start) => document.querySelectorAll("[data-review]").forEach((element) => element.addEventListener("click", () => {
  start(element.dataset.review);
  $("review").scrollIntoView();
  focusCard();
}));

// Keys of one letter can be switched off, since speech input and slips of the hand press them too.
const KEYS_ON = "spacy-nereval keys";
$("keys").checked = kept(KEYS_ON, (on) => on !== false, true);
$("keys").addEventListener("change", () => keep(KEYS_ON, $("keys").checked));

// Runs the action that `actionOf` returns for a key, if any, while the focus is within the elements of a selector.
const onKeys = (within, actionOf) => addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !$("keys").checked || !event.target.closest?.(within) || isTextField(event.target)) return;
  const action = actionOf(event);
  if (!action) return;
  event.preventDefault();
  action();
});

const isTextField = (target) => Boolean(target.closest("textarea, select, [contenteditable], input:not([type='checkbox'], [type='file'], [type='radio'])"));
