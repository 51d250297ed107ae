// The review: queues of places { k, g, p, system }, the evidence against gold at each, and the corrections of gold.

// The places where gold may be wrong, which review_data in report_page.py groups by their evidence.
const DOUBTS = data.review.kinds.flatMap(([evidence, proposals, system, places]) => Array.from({ length: places.length / 2 }, (_, i) => {
  const [k, n] = places.slice(2 * i, 2 * i + 2);
  return system < 0 ? { k, g: n, p: ANY, system: data.lead, evidence, proposals } : { k, g: ANY, p: n, system, evidence, proposals };
}));
const doubtAt = new Map(DOUBTS.map((place) => [markKey(place, place.system), place]));

// The spans that the evidence on a place proposes: other labels, or spans with boundaries of their own.
function evident({ k, g, p, system, proposals }) {
  if (Array.isArray(proposals[0])) return spansIn(proposals[0]).map(named);
  const { start, end } = g >= 0 ? span(documents[k][2], g) : span(documents[k][3 + system][0], p);
  return proposals.map((label) => [start, end, labels[label]]);
}

// The groups of repeated errors that each place belongs to, built when needed.
const repeatsAt = new Map();
function repeatsOf(key) {
  if (!repeatsAt.size) {
    visitGroups((group, place) => {
      const own = markKey(place, place.system);
      if (!repeatsAt.has(own)) repeatsAt.set(own, new Set());
      repeatsAt.get(own).add(group);
    });
  }
  return [...(repeatsAt.get(key) || [])];
}

function visitGroups(visit) {
  data.groups.slice(0, data.review.repeats).forEach(({ system, members }, group) => {
    for (let i = 0; i < members.length; i += 3) visit(group, { k: members[i], g: members[i + 1], p: members[i + 2], system });
  });
}

const sizeOf = (group) => new Set(Array.from({ length: data.groups[group].members.length / 3 }, (_, i) => data.groups[group].members.slice(3 * i, 3 * i + 3).join(" "))).size;

// The places on which some systems are right and others are not.
function disagreements() {
  const found = [];
  documents.forEach((doc, k) => {
    const each = systems.map((_, system) => findings(doc, system, fair));
    for (let g = 0; g < doc[2].length / 3; g++) {
      const wrong = each.findIndex(({ right }) => !right.has(g));
      if (wrong >= 0 && each.some(({ right }) => right.has(g))) found.push({ k, g, p: firstPrediction(doc, wrong, g), system: wrong });
    }
    systems.forEach((_, system) => {
      for (const [place, p] of spuriousOf(doc, system)) {
        if (!each.every(({ spurious }) => spurious.has(place))) found.push({ k, g: ANY, p, system });
      }
    });
  });
  return found;
}

// The places of the list: the errors, or gold spans that changed, that the filters leave.
const listedPlaces = (rows, { one, other }) => rows.map(({ k, g, p, q }) => (p < 0 && g < 0 ? { k, g, p: q, system: other } : { k, g, p, system: one }));

const QUEUES = {
  doubts: { words: "gold that may be wrong", places: () => DOUBTS },
  repeated: { words: "repeated errors", places: () => {
    const found = [];
    visitGroups((group, place) => found.push(place));
    return found;
  } },
  disagreements: { words: "disagreements of systems", places: () => (systems.length > 1 ? disagreements() : []) },
  list: { words: "the list below", places: ({ rows, asked }) => listedPlaces(rows, asked) },
  disputed: { words: "marks that differ", places: ({ marks }) => [...marks].filter(([, value]) => othersOf(value).length).map(([key]) => placeAt(key)) },
};

// The place of a key. A system's prediction there is looked up, since a key has none.
function placeAt(key) {
  const [k, g, start, end] = JSON.parse(key);
  for (let system = 0; g < 0 && system < systems.length; system++) {
    const flat = documents[k][3 + system][0];
    for (let p = 0; p < flat.length / 3; p++) if (flat[3 * p] === start && flat[3 * p + 1] === end) return { k, g, p, system, key };
  }
  return { k, g, p: ANY, system: data.lead, key };
}

// Each place of a queue once, with its key. Invented mentions are excluded, since gold cannot mark them.
function queueOf(name, known) {
  const found = new Map();
  for (const place of QUEUES[name].places(known)) {
    if (place.g < 0 && place.p < 0 && !place.key) continue;
    const key = place.key ?? markKey(place, place.system);
    const own = goldAt(key) ?? (place.p >= 0 ? span(documents[place.k][3 + place.system][0], place.p) : { start: JSON.parse(key)[2] });
    if (!found.has(key) && !isInvented(place.k, own)) found.set(key, { ...place, key });
  }
  return [...found.values()];
}

// The predictions of the systems at a place: [system, span with its label as text], or null where one predicts nothing.
function predictedAt({ k, g, key }) {
  const [, , start, end] = JSON.parse(key);
  return systems.flatMap((_, system) => {
    const flat = documents[k][3 + system][0];
    const own = new Set();
    verdicts(documents[k], system, fair, (verdict, gold, p) => {
      if (p >= 0 && (g >= 0 ? gold === g : flat[3 * p] < end && flat[3 * p + 1] > start)) own.add(p);
    });
    return own.size ? [...own].map((p) => [system, named(span(flat, p))]) : [[system, null]];
  });
}

// The evidence against gold at a place: reasons, sentences, and the numbers of lists of other places.
function evidenceOf({ key }) {
  const found = (doubtAt.get(key)?.evidence || []).map((n) => data.review.evidence[n]);
  const reasons = [...new Set(found.map(([reason]) => data.review.reasons[reason]))];
  const words = found.map(([, sentence]) => sentence);
  for (const group of repeatsOf(key)) {
    if (!reasons.includes("repeated error")) reasons.push("repeated error");
    words.push(`${systems.length > 1 ? `${name(systems[data.groups[group].system])}: ` : ""}${data.groups[group].title}, on ${many(sizeOf(group), "place")}`);
  }
  return { reasons, words, witnesses: [...new Set(found.map(([, , list]) => list))].filter((list) => list >= 0) };
}

// The corrections that the evidence and the predictions propose, each a list of spans that replace the gold span: none
// where all systems predict nothing.
function proposalsOf(place) {
  const gold = named(goldAt(place.key));
  const predicted = predictedAt(place).map(([, pred]) => pred);
  const doubt = doubtAt.get(place.key);
  const found = new Map();
  for (const each of [...(doubt ? evident(doubt) : []), ...predicted]) {
    if (each && String(each) !== String(gold)) found.set(String(each), [each]);
  }
  return [...found.values(), ...(gold && !predicted.some(Boolean) ? [[]] : [])];
}

// Whether no gold span overlaps another one, so that corrections must not either.
const overlap = (a, b) => Math.max(a[0], b[0]) < Math.min(a[1], b[1]);
let flat = null; // looked up once it is needed
const isFlat = () => (flat ??= documents.every((doc, k) => {
  const spans = goldsOf(k).map(named).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return spans.every((each, i) => !i || !overlap(spans[i - 1], each));
}));

// The spans of a document with the corrections that are decided: [key of the place, span, whether it is decided].
function spansNow(k, marks) {
  const found = [];
  goldsOf(k).forEach((gold, g) => {
    const key = keyOf(k, g);
    const decided = marks.get(key)?.decided;
    if (decided) found.push(...decided.map((each) => [key, each, true]));
    else if (!isInvented(k, gold)) found.push([key, named(gold), false]);
  });
  for (const [key, { decided }] of marks) {
    const [own, g] = JSON.parse(key);
    if (own === k && g < 0) found.push(...(decided || []).map((each) => [key, each, true]));
  }
  return found;
}

// The changes of marks by a decision on a place: [key, mark] for it and for gold spans that the decision replaces; or
// { refused: reason }. `before` is the mark that the decision completes.
function decisionOn(place, spans, marks, before = marks.get(place.key) || NO_MARK) {
  const text = textOf(place.k);
  if (text === null) return { refused: "This document has no text." };
  for (const [start, end, label] of spans) {
    if (!label.trim()) return { refused: "A span needs a label." };
    if (!(start < end) || end > text.length || !text.slice(start, end).trim()) return { refused: "These boundaries have no words between them." };
  }
  const seen = before.seen || seenAt(place);
  const changes = [[place.key, { ...before, mark: "gold", decided: spans, seen }]];
  for (const [key, each, decided] of isFlat() ? spansNow(place.k, marks) : []) {
    if (key === place.key || !spans.some((own) => overlap(own, each))) continue;
    if (decided) return { refused: `This overlaps the correction ${spanWords(place.k, each)}: undo that first.` };
    changes.push([key, { ...(marks.get(key) || { ...NO_MARK, seen: seenAt(placeAt(key)) }), mark: "gold", decided: [] }]);
  }
  return { changes };
}

// The spans of a system at a place, by its name, for files and for other reports.
function seenAt({ k, g, p: known, system }) {
  const p = known < 0 && g >= 0 ? firstPrediction(documents[k], system, g) : known;
  const flat = documents[k][3 + system][0];
  let verdict = "";
  verdicts(documents[k], system, fair, (v, gold, pred) => {
    if (gold === g && (p < 0 || pred === p) && !verdict) verdict = metrics[fair].words[v];
  });
  return { system: systems[system], pred: named(span(flat, p)), verdict };
}

const spanWords = (k, [start, end, label]) => `${name(label, 40)} “${onLine((textOf(k) ?? "").slice(start, end), 60)}”`;

// A correction in words.
function correctionWords(k, gold, spans) {
  if (!spans.length) return "no span here";
  if (!gold || spans.length > 1) return `${gold ? "" : "new span "}${spans.map((each) => spanWords(k, each)).join(" and ")}`;
  const [each] = spans;
  if (each[0] === gold[0] && each[1] === gold[1]) return `label ${name(each[2], 40)}`;
  return `${each[2] === gold[2] ? "boundaries " : ""}${spanWords(k, each)}`;
}

// A stretch of a text without the white space at its ends.
function trimmed(text, start, end) {
  const inside = text.slice(start, end);
  return [start + inside.length - inside.trimStart().length, end - (inside.length - inside.trimEnd().length)];
}

// Scripts that write no spaces between words: there a run of letters is a clause, which is split into words.
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const RUN = /[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu;

// The pieces of a text, [text, offset]: its words or its graphemes ("grapheme"); characters in browsers without both.
function piecesOf(text, granularity) {
  if (typeof Intl.Segmenter !== "function") return [...text.matchAll(/[^]/gu)].map(({ 0: piece, index }) => [piece, index]);
  return [...new Intl.Segmenter(undefined, { granularity }).segment(text)].map(({ segment, index }) => [segment, index]);
}

// A boundary moved by a word: to where the one before begins or the next one ends. Within the only word of a span, it
// moves by a character where words have no spaces between them. It stays where it cannot move.
function movedBoundary(text, span, side, step) {
  const found = steppedBoundary(text, span, side, step, "word");
  const stays = found[0] === span[0] && found[1] === span[1];
  return stays && UNSPACED.test(text.slice(span[0], span[1])) ? steppedBoundary(text, span, side, step, "grapheme") : found;
}

function steppedBoundary(text, [start, end], side, step, granularity) {
  const words = [...text.matchAll(RUN)].flatMap(({ index, 0: run }) =>
    (UNSPACED.test(run) ? piecesOf(run, granularity) : [[run, 0]]).map(([word, at]) => [index + at, index + at + word.length]));
  if (side === "start") {
    const found = step < 0 ? words.findLast(([from]) => from < start) : words.find(([from]) => from > start);
    return found && found[0] < end ? [found[0], end] : [start, end];
  }
  const found = step < 0 ? words.findLast(([, to]) => to < end) : words.find(([, to]) => to > end);
  return found && found[1] > start ? [start, found[1]] : [start, end];
}
