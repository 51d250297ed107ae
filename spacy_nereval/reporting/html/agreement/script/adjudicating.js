// Adjudication: the disputed places of the list, one at a time, each decided by a key.

const STORE = `spacy-nereval ${data.digest} adjudication`;
const NOTHING = { chosen: null, unclear: false, note: "" };

let decisions = new Map();
const undone = []; // what changes were before: [key, decision or nothing]

const isMarked = ({ key }) => Boolean(decisions.get(key)?.chosen || decisions.get(key)?.unclear);

function keep(part, value) {
  try {
    localStorage.setItem(`${STORE} ${part}`, JSON.stringify(value));
  } catch {
    $("notice").textContent = "This browser keeps no decisions: save them before you close the page.";
  }
}

function kept(part, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`${STORE} ${part}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

const keepPosition = () => keep("place", [review.places.map(({ key }) => key), review.at]);

// Begins with places, as keys, at the first one that is open unless another is known.
function startReview(keys, at = null) {
  review.queue = "disputes";
  review.places = keys.map((key) => [key, ...key.split(" ").map(Number)]).filter(([, k, p]) => documents[k]?.places[p]).map(([key, k, p]) => ({ key, k, p }));
  review.at = Math.min(at ?? Math.max(review.places.findIndex((place) => !isMarked(place)), 0), Math.max(review.places.length - 1, 0));
  keepPosition();
  drawReview();
}

// Decides on the place; what is chosen again is taken back.
function decide(change) {
  const { key } = current();
  const before = decisions.get(key);
  undone.push([key, before]);
  setDecision(key, { ...NOTHING, ...before, ...change });
}

function setDecision(key, value) {
  if (value && (value.chosen || value.unclear || value.note)) decisions.set(key, value);
  else decisions.delete(key);
  keep("decisions", [...decisions]);
  drawReview();
}

const isChosen = (value, spans) => JSON.stringify(value?.chosen ?? null) === JSON.stringify(spans);
const choosing = (spans) => decide({ chosen: isChosen(decisions.get(current().key), spans) ? null : spans, unclear: false });
const doubting = () => decide({ chosen: null, unclear: !decisions.get(current().key)?.unclear });

function undo() {
  const [key, before] = undone.pop() ?? [];
  if (key) setDecision(key, before);
}

function drawReview() {
  drawProgress();
  const label = $("card").contains(document.activeElement) && (document.activeElement.dataset.key ?? "");
  $("card").replaceChildren(...(current() ? cardOf(current()) : []));
  if (label !== false) ((label && $("card").querySelector(`[data-key="${label}"]`)) || $("card")).focus({ preventScroll: true });
  const chosen = [...decisions.values()].filter((each) => each.chosen).length;
  $("marks").textContent = `${many(chosen, "place")} decided in this browser`;
}

function cardOf({ k, p, key }) {
  const doc = documents[k];
  const value = decisions.get(key);
  const choice = (letter, pressed, action, ...words) => button({ "data-key": letter, "aria-keyshortcuts": letter, "aria-pressed": String(pressed) }, action, make("kbd", null, letter), " ", ...words);
  const step = (letter, action, words) => button({ "data-key": letter, "aria-keyshortcuts": letter }, action, make("kbd", null, letter), ` ${words}`);
  const said = ({ spans }) => spans.map((n) => `${name(labels[doc.spans[n][2]], 40)} “${doc.text === null ? `${doc.spans[n][0]}–${doc.spans[n][1]}` : name(doc.text.slice(doc.spans[n][0], doc.spans[n][1]), 60)}”`).join(" and ");
  const readings = readingsOf(doc, doc.places[p]).slice(0, 9).map((reading, i) =>
    choice(String(i + 1), isChosen(value, reading.spans), () => choosing(reading.spans), make("bdi", null, said(reading)), " ", ...spaced(named(reading.by))));
  const note = make("input", { id: "review-note", class: "note open wide", "aria-label": "Note", value: value?.note ?? "" });
  note.addEventListener("change", () => decide({ note: note.value }));
  note.addEventListener("keydown", (event) => ["Enter", "Escape"].includes(event.key) && $("card").focus({ preventScroll: true }));
  return [make("p", { class: "key" }, link(k), ` · ${wordsOf(doc.places[p])}`), inContext(doc, doc.places[p]), whoSaidWhat(doc, doc.places[p]),
    make("div", { class: "answers" }, make("div", { role: "group", "aria-label": "What counts" }, ...readings,
      choice("0", isChosen(value, []), () => choosing([]), "no span here"), choice("u", Boolean(value?.unclear), doubting, "unclear"))),
    make("div", { class: "steps" }, make("label", null, make("kbd", null, "n"), " Note ", note), step("z", undo, "Undo"), step("k", () => goToPlace(review.at - 1), "Previous"),
      step("j", () => goToPlace(review.at + 1), "Next"), step("i", goToUnmarked, "Next that is open"))];
}

const ACTIONS = { j: () => goToPlace(review.at + 1), k: () => goToPlace(review.at - 1), i: goToUnmarked, z: undo, u: doubting, n: () => $("review-note").focus(), 0: () => choosing([]) };

addEventListener("keydown", (event) => {
  if (!current() || event.ctrlKey || event.metaKey || event.altKey || isTextField(event.target)) return;
  const reading = /^[1-9]$/.test(event.key) && readingsOf(documents[current().k], documents[current().k].places[current().p])[Number(event.key) - 1];
  const action = Object.hasOwn(ACTIONS, event.key) ? ACTIONS[event.key] : reading && (() => choosing(reading.spans));
  if (!action) return;
  event.preventDefault();
  action();
});

document.querySelectorAll("[data-review]").forEach((element) => element.addEventListener("click", () => {
  startReview(places.map(([k, p]) => keyOf(k, p)));
  $("review").scrollIntoView();
  $("card").focus({ preventScroll: true });
}));
$("save-adjudicated").addEventListener("click", () => {
  save(documents.map((_, k) => `${JSON.stringify(adjudicated(k, decisions))}\n`).join(""), "adjudicated.jsonl");
  tell($("notice").textContent);
});

decisions = new Map(kept("decisions", []).filter(([, value]) => isDecision(value)));
const [keptKeys, keptAt] = kept("place", [[], 0]);
if (keptKeys.length) startReview(keptKeys, keptAt);
else drawReview();
