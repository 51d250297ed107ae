"use strict";
// Shows the documents and draws the charts. Whatever comes from the corpus is put
// into the page as text nodes and attributes, never as markup.
(() => {
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const data = read("data");
const { systems, labels, metrics, documents, fates } = data;
const fateOf = new Map(data.fateOf);
const PER_PAGE = 20;
const GAP = 400; // a longer stretch of text without spans, or within one, is folded
const EDGE = 120; // what is left of it at both ends
const CLUSTERS = 150; // groups of spans shown of one document, unless asked for all
const LABELS = 25; // labels shown in the matrix, unless asked for all
const ANY = -1;
const CHANGES = ["mended", "broken", "changed", "spurious gone", "spurious new"];
const fair = metrics.findIndex((metric) => metric.name === "fair");

const $ = (id) => document.getElementById(id);

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

const number = (n) => n.toLocaleString("en");
const many = (n, what) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;

// Text as it is, but with a sign for each character that has none. As long as the text: spans count on it.
const signs = (text) =>
  text.replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "\ufffd")
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/[\u007f-\u009f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");

// A name on one line, with nothing in it that changes the direction of what follows.
const name = (text, longest = 60) => {
  const flat = signs(text.replace(/\s+/g, " "));
  return flat.length > longest ? `${flat.slice(0, longest - 1)}…` : flat;
};
const bdi = (text, longest) => make("bdi", null, name(text, longest));

// What the data say

const span = (flat, k) => ({ start: flat[3 * k], end: flat[3 * k + 1], label: flat[3 * k + 2] });
const labelOf = (flat, k) => (k < 0 ? ANY : flat[3 * k + 2]);

// Calls visit(verdict, gold, pred) for every verdict of a metric on a document under a system.
function verdicts(doc, system, metric, visit) {
  const side = doc[3 + system];
  const { settled } = metrics[metric];
  if (settled.length) {
    for (let i = 0; i < side[1].length; i += 3) visit(settled[side[1][i]], side[1][i + 1], side[1][i + 2]);
  }
  const judged = side[2 + metric];
  for (let i = 0; i < judged.length; i += 3) visit(judged[i], judged[i + 1], judged[i + 2]);
}

// What is right or wrong, told by FairEval's verdicts or, for other metrics, by the two spans.
const KIND = { tp: "hit", fn: "missed", fp: "spurious", le: "label", lbe: "both" };
function kindOf(doc, system, metric, verdict, g, p) {
  const { right, verdicts: names } = metrics[metric];
  if (verdict === right) return "hit";
  if (metric === fair) return KIND[names[verdict]] || "boundary";
  if (g < 0) return "spurious";
  if (p < 0) return "missed";
  const a = span(doc[2], g);
  const b = span(doc[3 + system][0], p);
  const sameBoundaries = a.start === b.start && a.end === b.end;
  if (a.label === b.label) return sameBoundaries ? "hit" : "boundary";
  return sameBoundaries ? "label" : "both";
}

// Per gold span its fate, a number in fates.
function fate(doc, system) {
  const found = new Array(doc[2].length / 3).fill(ANY);
  const names = metrics[fair].verdicts;
  verdicts(doc, system, fair, (verdict, g) => {
    if (g >= 0 && found[g] < 0) found[g] = fates.indexOf(fateOf.get(names[verdict]));
  });
  return found;
}

// Calls visit(change, gold, pred before, pred after, fate before, fate after) for whatever differs between two systems.
function changes(doc, one, other, visit) {
  const before = fate(doc, one);
  const after = fate(doc, other);
  before.forEach((from, g) => {
    const to = after[g];
    if (from !== to) visit(to === 0 ? 0 : from === 0 ? 1 : 2, g, ANY, ANY, from, to);
  });
  const spurious = [one, other].map((system) => {
    const found = new Map();
    verdicts(doc, system, fair, (verdict, g, p) => {
      if (metrics[fair].verdicts[verdict] !== "fp") return;
      const { start, end, label } = span(doc[3 + system][0], p);
      found.set(`${start} ${end} ${label}`, p);
    });
    return found;
  });
  for (const [key, p] of spurious[0]) if (!spurious[1].has(key)) visit(3, ANY, p, ANY, ANY, ANY);
  for (const [key, p] of spurious[1]) if (!spurious[0].has(key)) visit(4, ANY, ANY, p, ANY, ANY);
}

// What is asked for

const everything = () => ({
  one: state ? state.one : data.lead, // the system
  other: state ? state.other : ANY, // another one to compare it with
  metric: state ? state.metric : Math.max(fair, 0),
  chosen: new Set(), // verdicts, or changes where two systems are compared
  label: ANY,
  cell: null, // [gold label, predicted label] of the matrix
  move: null, // [fate before, fate after]
  find: "",
  wrong: false,
  order: "corpus",
});
let state = null;
state = { ...everything(), wrong: true };
let found = []; // numbers of documents
let at = 0; // page
const unfolded = new Set(); // documents shown in full

const comparing = () => state.other >= 0;
const narrowed = () =>
  state.chosen.size > 0 || state.label >= 0 || state.cell !== null || (comparing() && state.move !== null);

// The verdicts or changes of a document that are asked for: marks on gold and predicted spans, and their number.
function matches(doc) {
  const result = { n: 0, errors: 0, gold: new Set(), preds: [new Set(), new Set()] };
  const note = (g, p, q) => {
    result.n += 1;
    if (g >= 0) result.gold.add(g);
    if (p >= 0) result.preds[0].add(p);
    if (q >= 0) result.preds[1].add(q);
  };
  if (comparing()) {
    changes(doc, state.one, state.other, (change, g, p, q, from, to) => {
      result.errors += 1;
      if (state.chosen.size && !state.chosen.has(change)) return;
      if (state.move && (from !== state.move[0] || to !== state.move[1])) return;
      const label = g >= 0 ? labelOf(doc[2], g) : p >= 0 ? labelOf(doc[3 + state.one][0], p) : labelOf(doc[3 + state.other][0], q);
      if (state.label < 0 || label === state.label) note(g, p, q);
    });
    return result;
  }
  const { right, confusion } = metrics[state.metric];
  verdicts(doc, state.one, state.metric, (verdict, g, p) => {
    if (verdict !== right) result.errors += 1;
    if (state.chosen.size && !state.chosen.has(verdict)) return;
    const gold = labelOf(doc[2], g);
    const pred = labelOf(doc[3 + state.one][0], p);
    if (state.label >= 0 && gold !== state.label && pred !== state.label) return;
    if (state.cell && (gold !== state.cell[0] || pred !== state.cell[1] || !confusion.includes(verdict))) return;
    note(g, p, ANY);
  });
  return result;
}

function search() {
  const needle = state.find.trim().toLowerCase();
  let n = 0;
  found = [];
  const errors = new Map();
  documents.forEach((doc, k) => {
    if (needle && !(doc[1] || "").toLowerCase().includes(needle) && !(doc[0] || "").toLowerCase().includes(needle)) return;
    const match = matches(doc);
    if ((state.wrong && !match.errors) || (narrowed() && !match.n)) return;
    n += match.n;
    errors.set(k, match.errors);
    found.push(k);
  });
  if (state.order === "errors") found.sort((a, b) => errors.get(b) - errors.get(a) || a - b);
  at = 0;
  const what = comparing() ? "change" : "verdict";
  const parts = narrowed() ? `${many(n, what)} in ` : "";
  $("matches").textContent = found.length
    ? `${parts}${number(found.length)} of ${many(documents.length, "document")}`
    : `No document of ${number(documents.length)} is like that`;
  show();
}

// Documents

function show() {
  const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
  at = Math.min(Math.max(at, 0), pages - 1);
  $("list").replaceChildren(...found.slice(at * PER_PAGE, (at + 1) * PER_PAGE).map(article));
  arrange();
  $("where").textContent = `Page ${number(at + 1)} of ${number(pages)}`;
  $("previous").disabled = at === 0;
  $("next").disabled = at === pages - 1;
  document.querySelector(".pages").hidden = pages === 1;
}

function article(k) {
  const doc = documents[k];
  const match = matches(doc);
  const link = make("a", { href: `#doc-${k + 1}`, "aria-label": `Link to document ${k + 1}` }, `${number(k + 1)}`);
  const heading = make("h3", null, link, " ");
  if (doc[0] !== null) heading.append(bdi(doc[0], 120));
  const element = make("article", { id: `doc-${k + 1}`, tabindex: "-1" }, make("header", null, heading, summary(doc)));
  const shown = comparing() ? [state.one, state.other] : [state.one];
  const sides = shown.map((system, i) => {
    const marks = { gold: match.gold, pred: match.preds[i] };
    const text = annotated(doc, k, system, marks);
    if (!comparing()) return text;
    return make("figure", null, make("figcaption", null, bdi(systems[system])), text);
  });
  element.append(comparing() ? make("div", { class: "sides" }, ...sides) : sides[0]);
  return element;
}

function summary(doc) {
  const numbers = new Map();
  const count = (words) => numbers.set(words, (numbers.get(words) || 0) + 1);
  if (comparing()) {
    changes(doc, state.one, state.other, (change) => count(CHANGES[change]));
  } else {
    const { right, words } = metrics[state.metric];
    verdicts(doc, state.one, state.metric, (verdict) => verdict !== right && count(words[verdict]));
  }
  const parts = [...numbers].map(([words, n]) => (n > 1 ? `${n} ${words}` : words));
  return make("p", null, parts.join(", ") || (comparing() ? "no change" : "no error"));
}

// The text of a document with the spans that overlap in groups: the text above, the gold spans
// below it, the predicted ones below these.
function annotated(doc, k, system, marks) {
  const text = doc[1];
  const paragraph = make("p", { class: "text", dir: "auto" });
  let groups = grouped(doc, system, marks);
  const all = groups.length;
  if (all > CLUSTERS && !unfolded.has(k)) {
    const wanted = groups.filter((group) => group.some((item) => (narrowed() ? item.matched : item.kind !== "hit")));
    groups = (wanted.length ? wanted : groups).slice(0, CLUSTERS);
  }
  if (text === null) {
    paragraph.append(make("em", null, "no text: "));
    for (const group of groups) paragraph.append(cluster(null, group, k), " ");
    return paragraph;
  }
  let end = 0;
  for (const group of groups) {
    const start = Math.min(...group.map((item) => item.start));
    paragraph.append(...between(text, end, start, k));
    paragraph.append(cluster(text, group, k));
    end = Math.max(...group.map((item) => item.end));
  }
  paragraph.append(...between(text, end, text.length, k));
  if (groups.length < all) paragraph.append(unfold(k, `${number(all - groups.length)} more groups of spans`));
  return paragraph;
}

function between(text, start, end, k) {
  if (start >= end) return [];
  if (end - start <= GAP || unfolded.has(k)) return [make("bdi", null, signs(text.slice(start, end)))];
  const left = start ? start + EDGE : start;
  const right = end < text.length ? end - EDGE : start ? end : Math.min(end, start + GAP);
  const parts = [];
  if (left > start) parts.push(make("bdi", null, signs(text.slice(start, left))));
  if (end === text.length) {
    const last = Math.min(end, left + GAP - EDGE);
    if (!start) parts.push(make("bdi", null, signs(text.slice(start, last))));
    const hidden = end - (start ? left : last);
    parts.push(unfold(k, many(hidden, "character")));
    return parts;
  }
  parts.push(unfold(k, many(right - left, "character")));
  parts.push(make("bdi", null, signs(text.slice(right, end))));
  return parts;
}

// The text within a span, which is folded in its middle.
function within(text, k) {
  if (text.length <= GAP || unfolded.has(k)) return [signs(text)];
  const hidden = many(text.length - 2 * EDGE, "character");
  return [signs(text.slice(0, EDGE)), unfold(k, hidden), signs(text.slice(-EDGE))];
}

function unfold(k, what) {
  const button = make("button", { class: "fold" }, `… ${what} …`);
  button.addEventListener("click", () => {
    unfolded.add(k);
    $(`doc-${k + 1}`).replaceWith(article(k));
    arrange();
    $(`doc-${k + 1}`).focus();
  });
  return button;
}

// The spans of both sides, in groups that share no character with each other.
function grouped(doc, system, marks) {
  const pred = doc[3 + system][0];
  const { words, right } = metrics[state.metric];
  const items = [];
  const collect = (flat, side) => {
    for (let k = 0; k < flat.length / 3; k++) {
      items.push({ ...span(flat, k), side, k, kind: null, said: [], matched: narrowed() && marks[side].has(k) });
    }
  };
  collect(doc[2], "gold");
  collect(pred, "pred");
  const golds = items.slice(0, doc[2].length / 3);
  const preds = items.slice(golds.length);
  verdicts(doc, system, state.metric, (verdict, g, p) => {
    for (const item of [golds[g], preds[p]]) {
      if (!item) continue;
      if (!item.kind) {
        item.kind = kindOf(doc, system, state.metric, verdict, g, p); // the first verdict on a span marks it
        item.right = verdict === right;
        item.pair = preds[p];
      }
      if (!item.said.includes(words[verdict])) item.said.push(words[verdict]);
    }
  });
  items.sort((a, b) => a.start - b.start || a.end - b.end || (a.side < b.side ? -1 : a.side > b.side ? 1 : a.k - b.k));
  const groups = [];
  let reach = -1;
  let last = null;
  for (const item of items) {
    if (item.start >= reach && !(last && last.start === item.start && last.end === item.end)) groups.push([]);
    groups[groups.length - 1].push(item);
    reach = Math.max(reach, item.end);
    last = item;
  }
  return groups;
}

// A grid: the text cut at every boundary, a bar below each span, and below its left end a flag,
// which takes no room in the text. In which row they stand is for `arrange` to say.
function cluster(text, group, k) {
  const edges = [...new Set(group.flatMap((item) => [item.start, item.end]))].sort((a, b) => a - b);
  const columns = Math.max(1, edges.length - 1);
  const element = make("span", { class: "cluster" });
  element.style.gridTemplateColumns = `repeat(${columns}, auto)`;
  for (let i = 0; i < columns; i++) {
    const [start, end] = [edges[i], edges[i + 1] ?? edges[i]];
    const word = make("bdi", { class: "word" }, ...(text === null ? [`${start}–${end}`] : within(text.slice(start, end), k)));
    word.style.gridColumn = i + 1;
    element.append(word);
  }
  for (const side of ["gold", "pred"]) {
    for (const item of group.filter((each) => each.side === side).sort((a, b) => a.start - b.start || b.end - a.end)) {
      const first = Math.min(edges.indexOf(item.start), columns - 1);
      const behind = Math.max(edges.indexOf(item.end), first + 1);
      for (const part of [bar(item), flag(item)]) {
        part.style.gridColumn = `${first + 1} / ${behind + 1}`;
        part.style.gridRow = "2";
        element.append(part);
      }
    }
  }
  return element;
}

// Gives every bar and its flag the first row below the text where nothing else stands in that line,
// predicted spans below the gold ones of their group. Measures everything first, then moves it.
function arrange() {
  const parts = (element) => [...element.querySelectorAll(".bar")].map((each) => [each, each.nextElementSibling]);
  const flags = $("list").querySelectorAll(".flag");
  flags.forEach((each) => (each.style.translate = ""));
  const texts = [...$("list").querySelectorAll(".text")].map((text) => ({
    inside: text.getBoundingClientRect(),
    clusters: [...text.querySelectorAll(".cluster")].map((element) => ({
      top: element.getBoundingClientRect().top,
      items: parts(element).map((pair) => [...pair, ...pair.map((part) => part.getBoundingClientRect())]),
    })),
  }));
  for (const { inside, clusters } of texts) {
    let rows = [];
    let line = null;
    for (const { top, items } of clusters) {
      if (line === null || Math.abs(top - line) > 2) rows = [];
      line = top;
      let below = 0; // the last row of the gold spans
      for (const [strip, sign, across, words] of items) {
        const shift = Math.max(Math.min(0, inside.right - words.right), inside.left - words.left);
        const left = Math.min(across.left, words.left + shift);
        const right = Math.max(across.right, words.right + shift) + 3;
        let row = strip.classList.contains("pred") ? below : 0;
        while ((rows[row] ??= []).some((other) => other.left < right && left < other.right)) row += 1;
        rows[row].push({ left, right });
        if (strip.classList.contains("gold")) below = Math.max(below, row + 1);
        strip.style.gridRow = sign.style.gridRow = String(row + 2);
        if (shift) sign.style.translate = `${shift}px`;
      }
    }
  }
}

const classes = (part, item) => `${part} ${item.side} ${item.kind || "none"}${item.matched ? " matched" : ""}`;
const bar = (item) => make("span", { class: classes("bar", item) });

// The label, and the verdicts. What is said of a pair stands on the predicted span, below the gold
// one, and without the label where it is the gold one again.
function flag(item) {
  const side = item.side === "gold" ? "gold" : "predicted";
  const again = item.side === "pred" && (item.kind === "hit" || item.kind === "boundary");
  const element = make("span", {
    class: classes("flag", item),
    title: `${side} ${name(labels[item.label])}, ${item.start} to ${item.end}: ${item.said.join(", ") || "no verdict"}`,
  });
  element.append(make("span", { class: "hidden" }, ` ${side} `), make("bdi", { class: again ? "hidden" : null }, name(labels[item.label], 40)));
  if (item.side === "gold" && item.pair && item.pair.kind === item.kind) return element;
  const said = item.said.join(", ");
  const words = item.right ? [make("span", { "aria-hidden": "true" }, "✓"), make("span", { class: "hidden" }, said)] : [said];
  element.append(make("span", { class: "verdict" }, ...words));
  return element;
}

// The matrix

const matrix = { system: data.lead, metric: Math.max(fair, 0), all: false };

function confusion() {
  const cells = new Map();
  const { confusion: shown } = metrics[matrix.metric];
  for (const doc of documents) {
    verdicts(doc, matrix.system, matrix.metric, (verdict, g, p) => {
      if (!shown.includes(verdict)) return;
      const key = `${labelOf(doc[2], g)} ${labelOf(doc[3 + matrix.system][0], p)}`;
      cells.set(key, (cells.get(key) || 0) + 1);
    });
  }
  return cells;
}

function drawMatrix() {
  const cells = confusion();
  const weight = new Map();
  for (const [key, n] of cells) for (const label of new Set(key.split(" ").map(Number))) weight.set(label, (weight.get(label) || 0) + n);
  weight.delete(ANY);
  const ranked = [...weight.keys()].sort((a, b) => weight.get(b) - weight.get(a) || a - b);
  const kept = (matrix.all ? ranked : ranked.slice(0, LABELS)).sort((a, b) => a - b);
  const most = Math.max(1, ...cells.values());
  const axis = [...kept, ANY];
  const nothing = (side) => make("em", null, side === "gold" ? "no gold span" : "missed");
  const title = (label, side) => (label < 0 ? nothing(side) : bdi(labels[label], 30));
  const head = make("thead", null, make("tr", null, make("td", null, make("span", { class: "hidden" }, "gold, then predicted")),
    ...axis.map((label) => make("th", { scope: "col" }, make("span", null, title(label, "pred"))))));
  const body = make("tbody", null);
  let first = true;
  for (const gold of axis) {
    const row = make("tr", null, make("th", { scope: "row" }, title(gold, "gold")));
    for (const pred of axis) {
      const n = cells.get(`${gold} ${pred}`) || 0;
      const cell = make("td", null);
      if (n) {
        const said = `gold ${gold < 0 ? "none" : name(labels[gold])}, predicted ${pred < 0 ? "none" : name(labels[pred])}: ${number(n)}`;
        const pressed = state.cell && !comparing() && state.one === matrix.system && state.metric === matrix.metric && state.cell[0] === gold && state.cell[1] === pred;
        const button = make("button", { class: "heat", "aria-label": said, "aria-pressed": String(Boolean(pressed)), tabindex: first ? "0" : "-1" }, number(n));
        button.style.setProperty("--heat", (0.15 + 0.85 * Math.sqrt(n / most)).toFixed(3));
        button.addEventListener("click", () => {
          ask({ one: matrix.system, other: ANY, metric: matrix.metric, cell: pressed ? null : [gold, pred] });
        });
        cell.append(button);
        first = false;
      } else if (gold >= 0 || pred >= 0) {
        cell.append(make("span", { class: "zero" }, "·"));
      }
      row.append(cell);
    }
    body.append(row);
  }
  const table = $("matrix");
  table.replaceChildren(table.caption, head, body);
  const rest = $("matrix-rest");
  rest.replaceChildren();
  if (ranked.length > LABELS) {
    const button = make("button", null, matrix.all ? `Only the ${LABELS} with most` : `All ${number(ranked.length)} labels`);
    button.addEventListener("click", () => {
      matrix.all = !matrix.all;
      drawMatrix();
      $("matrix-rest").querySelector("button").focus();
    });
    rest.append(matrix.all ? "" : `The ${LABELS} labels with most verdicts. `, button);
  }
}

$("matrix").addEventListener("keydown", (event) => {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  const cell = event.target.closest("td");
  if (!step || !cell) return;
  event.preventDefault();
  const rows = [...$("matrix").tBodies[0].rows];
  let r = rows.indexOf(cell.parentElement) + step[0];
  let c = cell.cellIndex + step[1];
  for (; rows[r] && rows[r].cells[c] && c > 0; r += step[0], c += step[1]) {
    const button = rows[r].cells[c].querySelector("button");
    if (!button) continue;
    $("matrix").querySelectorAll("button").forEach((each) => each.setAttribute("tabindex", "-1"));
    button.setAttribute("tabindex", "0");
    button.focus();
    return;
  }
});

// The form

const option = (value, text) => make("option", { value }, text);

function drawForm() {
  const view = systems.map((system, k) => option(String(k), name(system)));
  for (let k = 1; k < systems.length; k++) view.push(option(`0 ${k}`, `${name(systems[0])} and ${name(systems[k])}, changes`));
  $("view").replaceChildren(...view);
  $("view").value = comparing() ? `${state.one} ${state.other}` : String(state.one);
  document.querySelectorAll(".for-system").forEach((element) => (element.hidden = systems.length === 1));
  for (const id of ["metric", "matrix-metric"]) {
    if (!$(id).options.length) $(id).append(...metrics.map((metric, k) => option(String(k), metric.name)));
  }
  $("metric").value = String(state.metric);
  document.querySelector(".single").hidden = comparing();
  $("matrix-metric").value = String(matrix.metric);
  if (!$("matrix-system").options.length) $("matrix-system").append(...systems.map((system, k) => option(String(k), name(system))));
  $("matrix-system").value = String(matrix.system);
  if (!$("label").options.length) $("label").append(option("-1", "any"), ...labels.map((label, k) => option(String(k), name(label))));
  $("label").value = String(state.label);
  $("find").value = state.find;
  $("wrong").checked = state.wrong;
  $("wrong-title").textContent = comparing() ? "Only documents with changes" : "Only documents with errors";
  $("order").value = state.order;
  $("order").options[1].textContent = comparing() ? "most changes first" : "most errors first";
  drawChoices();
  drawCell();
  drawLegend();
}

// A box for each verdict, or for each kind of change, with how many there are.
function drawChoices() {
  const metric = metrics[state.metric];
  const names = comparing() ? CHANGES : metric.words;
  const numbers = names.map(() => 0);
  for (const doc of documents) {
    if (comparing()) changes(doc, state.one, state.other, (change) => (numbers[change] += 1));
    else verdicts(doc, state.one, state.metric, (verdict) => (numbers[verdict] += 1));
  }
  $("verdicts-title").textContent = comparing() ? "Change" : "Verdict";
  $("verdicts").replaceChildren(
    ...names.map((words, k) => {
      const box = make("input", { type: "checkbox", value: String(k) });
      box.checked = state.chosen.has(k);
      box.addEventListener("change", () => {
        if (box.checked) state.chosen.add(k);
        else state.chosen.delete(k);
        search();
      });
      const kind = comparing() ? "" : kindOfVerdict(metric, k);
      const text = make("span", null, words);
      if (!comparing() && words !== metric.verdicts[k]) text.append(" ", make("small", null, metric.verdicts[k]));
      return make("label", null, box, make("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), text,
        make("span", { class: "n" }, number(numbers[k])));
    }),
  );
}

const kindOfVerdict = (metric, verdict) => {
  if (metrics.indexOf(metric) === fair) return KIND[metric.verdicts[verdict]] || "boundary";
  return ["hit", "missed", "spurious"][metric.settled.indexOf(verdict)] || "";
};

function drawCell() {
  const element = $("cell");
  element.replaceChildren();
  element.hidden = !(state.cell || state.move);
  if (element.hidden) return;
  const parts = state.cell
    ? ["gold ", state.cell[0] < 0 ? "none" : bdi(labels[state.cell[0]]), ", predicted ", state.cell[1] < 0 ? "none" : bdi(labels[state.cell[1]])]
    : [`${fates[state.move[0]]}, then ${fates[state.move[1]]}`];
  const button = make("button", { type: "button" }, "Clear");
  button.addEventListener("click", () => {
    state.cell = state.move = null;
    refresh();
    $("find").focus();
  });
  element.append("Only ", ...parts, " ", button);
}

function drawLegend() {
  const example = (side, text) => make("span", { class: `flag ${side} none` }, text);
  $("legend").replaceChildren("Below the text ", example("gold", "gold"), " and below that ",
    example("pred", "predicted"), " spans, with the verdict; a label that is the gold one again is left out.");
}

// Everything anew after a choice outside the form, which then moves on to the documents.
function ask(wanted) {
  state = { ...everything(), ...wanted };
  refresh();
  $("documents-title").focus({ preventScroll: true });
  $("documents").scrollIntoView();
}

function refresh() {
  drawForm();
  drawMatrix();
  search();
}

const soon = (() => {
  let timer;
  return (action) => {
    clearTimeout(timer);
    timer = setTimeout(action, 150);
  };
})();

addEventListener("resize", () => soon(arrange));
$("filters").addEventListener("submit", (event) => event.preventDefault());
$("filters").addEventListener("reset", (event) => {
  event.preventDefault();
  state = everything();
  refresh();
});
$("view").addEventListener("change", () => {
  const [one, other] = $("view").value.split(" ").map(Number);
  Object.assign(state, { one, other: other ?? ANY, chosen: new Set(), cell: null, move: null });
  if (comparing()) state.metric = fair;
  refresh();
});
$("metric").addEventListener("change", () => {
  Object.assign(state, { metric: Number($("metric").value), chosen: new Set(), cell: null });
  refresh();
});
$("find").addEventListener("input", () => soon(() => {
  state.find = $("find").value;
  search();
}));
$("label").addEventListener("change", () => {
  state.label = Number($("label").value);
  search();
});
$("wrong").addEventListener("change", () => {
  state.wrong = $("wrong").checked;
  search();
});
$("order").addEventListener("change", () => {
  state.order = $("order").value;
  search();
});
$("matrix-system").addEventListener("change", () => {
  matrix.system = Number($("matrix-system").value);
  drawMatrix();
});
$("matrix-metric").addEventListener("change", () => {
  matrix.metric = Number($("matrix-metric").value);
  drawMatrix();
});
for (const [id, step] of [["previous", -1], ["next", 1]]) {
  $(id).addEventListener("click", () => {
    at += step;
    show();
    $("documents-title").focus({ preventScroll: true });
    $("matches").scrollIntoView({ block: "center" });
  });
}
document.querySelectorAll("button[data-verdict]").forEach((button) =>
  button.addEventListener("click", () => {
    const verdict = metrics[fair].verdicts.indexOf(button.dataset.verdict);
    ask({ one: Number(button.dataset.system), other: ANY, metric: fair, chosen: new Set([verdict]) });
  }));
document.querySelectorAll("button[data-from]").forEach((button) =>
  button.addEventListener("click", () => {
    const move = [Number(button.dataset.from), Number(button.dataset.to)];
    ask({ one: 0, other: Number(button.dataset.other), metric: fair, move });
  }));

// A link to a document shows it, whatever was asked for before.
function follow() {
  const [, digits] = /^#doc-(\d+)$/.exec(location.hash) || [];
  const k = Number(digits) - 1;
  if (!documents[k]) return;
  if (!found.includes(k)) {
    state = everything();
    refresh();
  }
  at = Math.floor(found.indexOf(k) / PER_PAGE);
  show();
  $(`doc-${k + 1}`).focus({ preventScroll: true });
  $(`doc-${k + 1}`).scrollIntoView();
}
addEventListener("hashchange", follow);

refresh();
follow();

// Charts, in the colours of the page

const dark = matchMedia("(prefers-color-scheme: dark)");

// All have an area to be filled, and none is the triangle of precision or of recall.
const SYMBOLS = [
  "circle", "square", "diamond", "cross", "triangle-right", "triangle-left",
  "M0,-1.2L0.35,-0.4L1.2,-0.37L0.53,0.15L0.74,0.97L0,0.5L-0.74,0.97L-0.53,0.15L-1.2,-0.37L-0.35,-0.4Z", // a star
  "M-0.7,-1L0,-0.3L0.7,-1L1,-0.7L0.3,0L1,0.7L0.7,1L0,0.3L-0.7,1L-1,0.7L-0.3,0L-1,-0.7Z", // a cross on its side
];

function theme() {
  const style = getComputedStyle(document.documentElement);
  const color = (property) => style.getPropertyValue(property).trim();
  const text = { labelColor: color("--ink"), titleColor: color("--soft"), labelFont: color("--sans"), titleFont: color("--sans"), labelFontSize: 12 };
  return {
    aria: false,
    background: null,
    font: color("--sans"),
    view: { stroke: null },
    axis: { ...text, domain: false, ticks: false, gridColor: color("--line"), labelPadding: 8 },
    axisY: { grid: false },
    legend: { ...text, labelFontSize: 13, symbolSize: 80, symbolOpacity: 1 },
    text: { color: color("--ink"), fontSize: 12, font: color("--sans") },
    range: {
      category: SYMBOLS.map((_, k) => color(`--system-${k}`)),
      symbol: SYMBOLS,
    },
  };
}

function tip(handler, event, item, value) {
  const element = $("tip");
  element.hidden = !value;
  if (!value) return;
  element.replaceChildren(...[value.name, value.system, `${value.score} ${value.shown}`].map((part) => make("bdi", null, name(String(part)))));
  element.style.left = `${Math.min(event.clientX + 12, innerWidth - element.offsetWidth - 8)}px`;
  element.style.top = `${event.clientY + 16}px`;
}

function draw(element, spec) {
  const fitted = { ...spec, config: theme(), width: "container", autosize: { type: "fit-x", contains: "padding" } };
  const options = { ast: true, actions: false, defaultStyle: false, renderer: "svg", tooltip: tip };
  vegaEmbed(element, fitted, options)
    .then(() => element.querySelector("svg").setAttribute("aria-hidden", "true")) // the table says it all
    .catch((error) => element.replaceChildren(String(error)));
}

const specs = read("charts");
const drawn = new Set();
const watch = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || drawn.has(target)) continue;
      drawn.add(target);
      draw(target, specs[target.dataset.chart]);
    }
  },
  { rootMargin: "600px" },
);
document.querySelectorAll(".chart").forEach((element) => watch.observe(element));
dark.addEventListener("change", () => drawn.forEach((element) => draw(element, specs[element.dataset.chart])));
addEventListener("beforeprint", () => document.querySelectorAll(".chart").forEach((element) => {
  if (!drawn.has(element)) draw(element, specs[element.dataset.chart]);
}));
})();
