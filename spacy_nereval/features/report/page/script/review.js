// The review: a queue of places, shown one at a time with the evidence against gold and the possible corrections.

const POSITION = `spacy-nereval ${data.digest} review`;
const CONTEXT = 300; // characters on either side of a place
const OTHERS = 4; // places with the same words that are listed at once

// Starts or resumes a queue at the place with a key, or without a key at the first place without a mark.
function startReview(queue, key = null) {
  review.queue = queue;
  review.words = queue === "disputed" ? DISPUTES : DEFAULT_WORDS;
  review.places = queue ? queueOf(queue, { rows, asked: state, marks: marksMade }) : [];
  const found = review.places.findIndex((place) => (key === null ? !isMarked(place) : place.key === key));
  review.at = Math.max(found, 0);
  $("queue").value = queue;
  keepPosition();
  drawReview();
}

const isMarked = ({ key }) => (review.queue === "disputed" ? !openDispute(marksMade.get(key)) : Boolean(marksMade.get(key)?.mark));

const DISPUTES = { done: (settled) => `${number(settled)} settled`, all: "Every dispute is settled." };

const keepPosition = () => keep(POSITION, [review.queue, current()?.key ?? null]);

function resumeReview() {
  const [queue, key] = kept(POSITION, ([queue, key]) => [queue, key], ["", null]);
  if (queue !== "" && Object.hasOwn(QUEUES, queue)) startReview(queue, key);
}

// Drawing

// Where the spans of a place begin and end: of gold, predictions and corrections.
function stretchOf(place, spans) {
  const own = spans.filter(Boolean);
  return [Math.min(...own.map(([start]) => start)), Math.max(...own.map(([, end]) => end))];
}

function cardOf(place) {
  const gold = named(goldAt(place.key));
  const predicted = predictedAt(place);
  const value = marksMade.get(place.key) || NO_MARK;
  const { words, witnesses } = evidenceOf(place);
  const doc = documents[place.k];
  const where = make("p", { class: "key" }, button({ class: "link" }, () => openDocument(place.k), `Document ${number(place.k + 1)}`), ...(doc[0] === null ? [] : [" ", bdi(doc[0], 120)]));
  const shown = [gold, ...predicted.map(([, pred]) => pred), ...(value.decided || [])];
  const parts = [where, passage(place, gold, predicted, value, stretchOf(place, shown)), choicesOf(place, gold), ownCorrection(place),
    lastLine(value.note, (note) => change(noting(place, note)), "Next without a mark"), versions(place, gold, predicted, value)];
  if (words.length) parts.push(make("ul", { class: "evidence" }, ...words.map((each) => make("li", null, each))));
  for (const each of witnesses) parts.push(others(place, data.review.witnesses[each]));
  return parts;
}

// The text around a place, in which the reader can select other boundaries.
function passage({ k }, gold, predicted, { decided }, [start, end]) {
  const text = textOf(k);
  if (text === null) return make("p", null, `Characters ${start} to ${end}`);
  const [from, to] = [contextStart(text, start, CONTEXT), contextEnd(text, end, CONTEXT)];
  const bars = [];
  const bar = (found, side, kind) => found && bars.push({ start: found[0], end: found[1], pieces: found.pieces, side, kind, flags: new Set() });
  for (const [, each] of spansNow(k, new Map())) if (each[1] > from && each[0] < to) bar(each, "gold", "none");
  for (const [system, pred] of predicted) bar(pred, "pred", `system-${system}`);
  for (const each of decided || []) bar(each, "gold", "hit");
  const marks = { bars, flags: [], rows: inRows(bars), rtl: rightToLeft.has(k) };
  const paragraph = make("p", { class: `text passage${from ? " cut" : ""}${to < text.length ? " goes-on" : ""}`, dir: direction(k), "data-from": String(from) },
    ...marked(text, from, start, marks), make("span", { class: "place" }, ...marked(text, start, end, marks)), ...marked(text, end, to, marks));
  paragraph.style.setProperty("--rows", String(marks.rows));
  return paragraph;
}

// The spans of gold and of each system, and the decision.
function versions({ k }, gold, predicted, { decided, others = [] }) {
  const said = (found) => (found ? spanWords(k, found) : "no span");
  const rows = [["gold", said(gold), "none"]];
  for (const [system, pred] of predicted) rows.push([name(systems[system]), said(pred), `system-${system}`]);
  if (decided) rows.push(["decided", correctionWords(k, gold, decided), "hit"]);
  for (const other of others) rows.push([reviewerOf(other), `${markWords(k, gold, other)}${SETTLED[other.settled] ?? ""}`, "none"]);
  return make("dl", { class: "versions" }, ...rows.flatMap(([who, words, kind]) =>
    [make("dt", null, make("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), who), make("dd", null, make("bdi", null, words))]));
}

const SETTLED = { mine: " (you kept yours)", theirs: " (you took it)" };
const reviewerOf = ({ by }) => (by ? `another reviewer, ${name(by, 40)}` : "another reviewer");
const markWords = (k, gold, { mark, decided, note }) =>
  [mark && MARKS[mark].words, decided && correctionWords(k, gold, decided), note].filter(Boolean).join(": ") || "no mark";

// The buttons that settle an open dispute with another reviewer.
function disputeOf(place, gold, value) {
  const other = openDispute(value);
  if (!other) return [];
  return [make("div", { role: "group", "aria-label": "Which mark stays" },
    keyButton("m", { class: "choice" }, keepMine, `keep mine: ${markWords(place.k, gold, value)}`),
    keyButton("t", { class: "choice" }, takeTheirs, `take theirs: ${markWords(place.k, gold, other)}`))];
}

// Other gold spans of these words with another label.
function others(place, flat) {
  const found = [];
  for (let i = 0; i < flat.length; i += 2) if (flat[i] !== place.k || flat[i + 1] !== place.g) found.push([flat[i], flat[i + 1]]);
  const lines = found.map(([k, g], i) => {
    const each = span(documents[k][2], g);
    const text = textOf(k);
    return make("li", { hidden: i >= OTHERS }, button({ class: "link", "aria-label": `Show document ${number(k + 1)}` }, () => openDocument(k), documents[k][0] === null ? number(k + 1) : bdi(documents[k][0], 40)), " ",
      make("span", { class: "context", dir: direction(k) }, ...textNodes(wordsBefore(text, each.start, 60), true), make("mark", null, ...textNodes(text.slice(each.start, each.end), true)),
        ...textNodes(wordsAfter(text, each.end, 60), true)), " ", bdi(labels[each.label], 30));
  });
  if (!lines.length) return make("div");
  const more = lines.length > OTHERS ? [button({ class: "more" }, ({ target }) => {
    target.parentElement.querySelectorAll("li[hidden]").forEach((line) => (line.hidden = false));
    target.remove();
  }, `${number(lines.length - OTHERS)} more`)] : [];
  return make("div", { class: "others" }, make("p", { class: "key" }, "The same words in gold, elsewhere:"), make("ul", null, ...lines), ...more);
}

// A button for each mark, and for each correction that is proposed.
function choicesOf(place, gold) {
  const value = marksMade.get(place.key) || NO_MARK;
  const { mark: own, decided } = value;
  const choice = (key, spans) => keyButton(key, { class: "choice", "aria-pressed": String(JSON.stringify(decided) === JSON.stringify(spans)) }, () => choosing(place, spans), correctionWords(place.k, gold, spans));
  const proposed = proposalsOf(place).filter((spans) => spans.length).slice(0, 9).map((spans, i) => choice(String(i + 1), spans));
  const marks = Object.entries(MARKS).map(([mark, { words, key }]) =>
    keyButton(key, { class: "choice", "aria-pressed": String(own === mark) }, () => change(marking(place, mark)), words));
  return make("div", { class: "answers" }, ...disputeOf(place, gold, value), make("div", { role: "group", "aria-label": "Who is wrong" }, ...marks),
    make("div", { role: "group", "aria-label": "Corrections of gold" }, ...proposed, ...(gold ? [choice("0", [])] : [])));
}

// The span from which the reader's own changes start: the decided one, or that of gold, or the first proposal.
function draftOf(place) {
  const value = marksMade.get(place.key) || NO_MARK;
  return value.decided?.[0] ?? named(goldAt(place.key)) ?? proposalsOf(place).find((spans) => spans.length)?.[0] ?? null;
}

function ownCorrection(place) {
  const draft = draftOf(place);
  const field = make("input", { id: "own-label", list: "label-names", autocomplete: "off", spellcheck: "false", value: draft ? draft[2] : "", "aria-keyshortcuts": "l" });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      const span = draftOf(place);
      focusCard();
      if (span) decide(place, [[span[0], span[1], field.value.trim()]]);
    } else if (event.key === "Escape") focusCard();
  });
  const step = (key, words, side, by) => keyButton(key, { "aria-label": words, title: `${words} (key ${key})` }, () => moveBoundary(place, side, by), (by < 0) !== rightToLeft.has(place.k) ? "←" : "→");
  return make("div", { class: "own-correction" }, make("label", null, make("kbd", null, "l"), " Label ", field),
    keyButton("b", {}, () => takeSelection(place), "Boundaries as selected"),
    make("span", { role: "group", "aria-label": "Boundaries by words" }, "Begin ", step("q", "begin a word earlier", "start", -1), " ", step("w", "begin a word later", "start", 1), " End ", step("e", "end a word earlier", "end", -1), " ", step("r", "end a word later", "end", 1)));
}

// Deciding

// Decides on a place; choosing a correction again removes it.
function choosing(place, spans) {
  const before = marksMade.get(place.key);
  if (before?.mark === "gold" && JSON.stringify(before.decided) === JSON.stringify(spans)) {
    change([[place.key, { ...before, decided: null }]]);
  } else decide(place, spans);
}

function decide(place, spans, before) {
  const { changes, refused } = decisionOn(place, spans, marksMade, before);
  if (refused) {
    tell(refused);
    return;
  }
  change(changes);
  if (changes.length > 1) tell(`Also taken out: ${changes.slice(1).map(([key]) => spanWords(place.k, named(goldAt(key)))).join(", ")}.`);
}

const NO_DISPUTE = "No open dispute with another reviewer here.";

function keepMine() {
  const { key } = current();
  const value = marksMade.get(key);
  if (!openDispute(value)) return tell(NO_DISPUTE);
  return change([[key, { ...value, others: value.others.map((other) => ({ ...other, settled: other.settled ?? "mine" })) }]]);
}

function takeTheirs() {
  const place = current();
  const value = marksMade.get(place.key);
  const other = openDispute(value);
  if (!other) return tell(NO_DISPUTE);
  const theirs = { ...value, mark: other.mark, decided: other.decided, note: notes(value.note, other.note) };
  if (!other.decided) return change([[place.key, theirs]]);
  return decide(place, other.decided, theirs);
}

// The boundaries that are selected in the text of the place; null if nothing is.
function selected() {
  const text = $("card").querySelector(".passage");
  const chosen = getSelection();
  if (!text || chosen.isCollapsed || !chosen.rangeCount) return null;
  const range = chosen.getRangeAt(0);
  if (!text.contains(range.startContainer) || !text.contains(range.endContainer)) return null;
  const before = new Range();
  before.setStart(text, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const start = Number(text.dataset.from) + before.toString().length;
  return trimmed(textOf(current().k), start, start + range.toString().length);
}

const NO_SPAN = "There is no span here to move.";

function takeSelection(place) {
  const found = selected();
  const draft = draftOf(place);
  if (!found) tell("Select the words of the span in the text first.");
  else if (draft) decide(place, [[...found, draft[2]]]);
  else tell(NO_SPAN);
}

function moveBoundary(place, side, step) {
  const draft = draftOf(place);
  const found = draft && movedBoundary(textOf(place.k) ?? "", draft, side, step);
  if (!draft) tell(NO_SPAN);
  else if (String(found) === String(draft.slice(0, 2))) tell(`The ${side === "start" ? "beginning" : "end"} cannot move further ${(step < 0) ? "back" : "on"}.`);
  else decide(place, [[...found, draft[2]]]);
}

// Keys

const ACTIONS = {
  ...MOVES,
  l: () => $("own-label").select(),
  b: () => takeSelection(current()),
  q: () => moveBoundary(current(), "start", -1),
  w: () => moveBoundary(current(), "start", 1),
  e: () => moveBoundary(current(), "end", -1),
  r: () => moveBoundary(current(), "end", 1),
  m: keepMine,
  t: takeTheirs,
  0: () => (goldAt(current().key) ? choosing(current(), []) : tell("There is no gold span here to remove.")),
  ...Object.fromEntries(Object.entries(MARKS).map(([mark, { key }]) => [key, () => change(marking(current(), mark))])),
};

// The action of a key on the current place; null if it has none.
function reviewKey(key) {
  if (!current()) return null;
  if (Object.hasOwn(ACTIONS, key)) return ACTIONS[key];
  if (!/^[1-9]$/.test(key)) return null;
  const spans = proposalsOf(current()).filter((each) => each.length)[Number(key) - 1];
  return () => (spans ? choosing(current(), spans) : tell(`There is no correction ${key} here.`));
}

onKeys("#review .found, #list-errors .found", ({ key, target }) =>
  (target.closest("#list-errors") ? listKey(key, target.closest("tbody tr")) : reviewKey(key)));

$("queue").replaceChildren(option("", "choose what to review"), ...Object.entries(QUEUES)
  .filter(([queue]) => systems.length > 1 || queue !== "disagreements").map(([queue, { words }]) => option(queue, words)));
$("queue").addEventListener("change", () => {
  startReview($("queue").value);
  focusCard();
});
onReview(startReview);
$("label-names").replaceChildren(...labels.map((label) => option(label, label)));
