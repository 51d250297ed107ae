// Adjudication: the disputed places of the list, one at a time, each decided by a key.

const STORE = `spacy-nereval ${data.digest} adjudication`;
const NOTHING = { chosen: null, unclear: false, note: "" };

let decisions = new Map();
const undone = []; // the states before changes: [key, decision or nothing]

const isMarked = ({ key }) => Boolean(decisions.get(key)?.chosen || decisions.get(key)?.unclear);

const keepPosition = () => keep(`${STORE} place`, [review.places.map(({ key }) => key), review.at]);

// Begins with places, as keys, at the first one that is open unless another is known.
function startReview(keys, at = null) {
  review.queue = "disputes";
  review.places = keys.map((key) => [key, ...key.split(" ").map(Number)]).filter(([, k, p]) => documents[k]?.places[p]).map(([key, k, p]) => ({ key, k, p }));
  review.at = Math.min(at ?? Math.max(review.places.findIndex((place) => !isMarked(place)), 0), Math.max(review.places.length - 1, 0));
  keepPosition();
  drawReview();
}

// Decides on the place; a second choice of the same takes it back.
function decide(change) {
  const { key } = current();
  const before = decisions.get(key);
  undone.push([key, before]);
  setDecision(key, { ...NOTHING, ...before, ...change });
}

function setDecision(key, value) {
  if (value && (value.chosen || value.unclear || value.note)) decisions.set(key, value);
  else decisions.delete(key);
  keep(`${STORE} decisions`, [...decisions]);
  drawMarks();
  drawReview();
}

function drawMarks() {
  const chosen = [...decisions.values()].filter((each) => each.chosen).length;
  $("marks").textContent = `${many(chosen, "place")} decided in this browser`;
}

const isChosen = (value, spans) => JSON.stringify(value?.chosen ?? null) === JSON.stringify(spans);
const choosing = (spans) => decide({ chosen: isChosen(decisions.get(current().key), spans) ? null : spans, unclear: false });
const doubting = () => decide({ chosen: null, unclear: !decisions.get(current().key)?.unclear });

function undo() {
  const [key, before] = undone.pop() ?? [];
  if (key) setDecision(key, before);
  else tell(NOTHING_UNDONE);
}

function cardOf({ k, p, key }) {
  const doc = documents[k];
  const value = decisions.get(key);
  const choice = (letter, pressed, action, ...words) => keyButton(letter, { "aria-pressed": String(pressed) }, action, ...words);
  const said = ({ spans }) => spans.map((n) => `${name(labels[doc.spans[n][2]], 40)} “${doc.text === null ? `${doc.spans[n][0]}–${doc.spans[n][1]}` : onLine(doc.text.slice(doc.spans[n][0], doc.spans[n][1]), 60)}”`).join(" and ");
  const readings = readingsOf(doc, doc.places[p]).slice(0, 9).map((reading, i) =>
    choice(String(i + 1), isChosen(value, reading.spans), () => choosing(reading.spans), make("bdi", null, said(reading)), " ", ...spaced(named(reading.by))));
  return [make("p", { class: "key" }, link(k), ` · ${kindWords(doc.places[p])}`), inContext(doc, doc.places[p]), whoSaidWhat(doc, doc.places[p]),
    make("div", { class: "answers" }, make("div", { role: "group", "aria-label": "Decision" }, ...readings,
      choice("0", isChosen(value, []), () => choosing([]), "no span here"), choice("u", Boolean(value?.unclear), doubting, "unclear"))),
    lastLine(value?.note ?? "", (note) => decide({ note }), "Next that is open")];
}

const ACTIONS = { ...MOVES, u: doubting, 0: () => choosing([]) };

onKeys("#review .found", ({ key }) => {
  if (!current()) return null;
  if (Object.hasOwn(ACTIONS, key)) return ACTIONS[key];
  if (!/^[1-9]$/.test(key)) return null;
  const reading = readingsOf(documents[current().k], documents[current().k].places[current().p])[Number(key) - 1];
  return () => (reading ? choosing(reading.spans) : tell(`There is no choice ${key} here.`));
});

onReview(() => startReview(places.map(([k, p]) => keyOf(k, p))));
$("save-adjudicated").addEventListener("click", () => {
  save(documents.map((_, k) => `${JSON.stringify(adjudicated(k, decisions))}\n`).join(""), "adjudicated.jsonl");
  tell($("notice").textContent);
});

decisions = kept(`${STORE} decisions`, (found) => new Map(found.filter(([, value]) => isDecision(value))), []);
drawMarks();
const [keptKeys, keptAt] = kept(`${STORE} place`, ([keys, at]) => [keys, at], [[], 0]);
if (keptKeys.length) startReview(keptKeys, keptAt);
else drawReview();
