// One error per line, aligned on its span. The reader can sort the lines, and mark who is wrong.

const AROUND = 90; // characters on either side

const COLUMNS = [["corpus", "document"], ["before", "before"], ["surface", "span"], ["after", "after"], ["gold", "gold"], ["pred", "predicted"], ["verdict", "verdict"]];

const CHANGE_KINDS = ["fixed", "broken", "changed", "fixed", "broken"]; // of a spurious span that is gone, and of a new one

const LIST_NAME = "Errors, one per line";

const BOUNDARIES = { left: "left boundary", right: "right boundary", both: "both boundaries", neither: "no boundary" };

const titleOf = (order) => (order === "errors" ? "number of errors" : COLUMNS.find(([key]) => key === order)[1]);

function concordance(shown) {
  const head = COLUMNS.filter(([, title]) => !["before", "after"].includes(title)).map(([order, title]) => header(order, title));
  head.splice(1, 1, make("th", { scope: "col", class: "kwic-head" }, header("before", "before"), header("surface", "span"), header("after", "after")));
  const table = make("table", { class: "lines" }, make("caption", { class: "hidden" }, LIST_NAME), make("thead", null, make("tr", null, ...head, ...(comparing() ? [] : [make("th", { scope: "col" }, "your mark")]))),
    make("tbody", null, ...shown.map(line)));
  return make("div", { class: "scroll", role: "region", "aria-label": LIST_NAME, tabindex: "0" }, table);
}

function header(order, title) {
  const on = state.order === order;
  const inside = button({ class: "sort", "aria-label": `Sort by ${title}` }, () => {
    choose({ order, falling: on ? !state.falling : false, at: 0 }, false);
    drawOrder(); // the rest of the form does not change
  }, title, make("span", { "aria-hidden": "true" }, on ? (state.falling ? " ↓" : " ↑") : ""));
  if (["before", "surface", "after"].includes(order)) return inside;
  return make("th", { scope: "col", "aria-sort": on ? (state.falling ? "descending" : "ascending") : null }, inside);
}

function line(row, i) {
  const doc = documents[row.k];
  const { gold, pred, after, start, end } = spansOf(row, state);
  const kind = comparing() ? CHANGE_KINDS[row.v] : kindOf(doc, state.one, state.metric, row.v, row.g, row.p);
  const label = (own) => (own ? make("span", null, bdi(labels[own.label], 30), attributesShown(own)) : "–");
  const cell = (head, ...own) => make("td", { class: own.length > 1 ? "said pair" : "said", "data-head": head, title: own.map((each) => labelName(each ? each.label : ANY) + (each ? attributesShown(each) : "")).join(" / ") },
    ...own.flatMap((each) => [" / ", label(each)]).slice(1));
  const id = doc[0] === null ? "" : name(doc[0], 120);
  const where = button({ class: "link", title: id || null, "aria-label": `Show document ${number(row.k + 1)}${id && `, ${id}`}` }, () => openDocument(row.k),
    id ? bdi(doc[0]) : number(row.k + 1));
  const boundary = comparing() ? null : correctBoundary(gold, pred);
  const verdict = wordsOf(row, state) + (boundary ? `, ${BOUNDARIES[boundary]} correct` : "");
  const element = make("tr", { tabindex: i ? "-1" : "0" },
    make("th", { scope: "row", class: id ? "where" : "number where" }, where), make("td", null, kwic(row, gold, pred, after, start, end, comparing() ? "none" : kind)),
    cell("gold", gold), comparing() ? cell("predicted", pred, after) : cell("predicted", pred),
    make("td", { class: "said words", title: verdict }, make("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), verdict),
    ...(comparing() ? [] : [make("td", { class: "triage" }, ...triage(row))]));
  element.row = row;
  return element;
}

function kwic({ k }, gold, pred, after, start, end, kind) {
  const text = documents[k][1];
  if (text === null) return make("span", null, `${start}–${end}`);
  const bars = [];
  const bar = (span, side, of) => span && bars.push({ ...span, side, kind: of, row: bars.length, flags: new Set() });
  const same = !comparing() && gold && pred && sameExtent(gold, pred);
  bar(gold, same ? "both" : "gold", kind);
  if (!same) bar(pred, "pred", comparing() ? `system-${state.one}` : kind);
  bar(after, "pred", `system-${state.other}`);
  const marks = { bars, flags: [], rows: bars.length, rtl: rightToLeft.has(k) };
  const middle = end - start > 160
    ? [...marked(text, start, start + 80, marks), "…", ...marked(text, end - 80, end, marks)]
    : marked(text, start, end, marks);
  const invented = isInvented(k, { start });
  const before = make("span", null, ...(invented ? [make("em", null, `${ABSENT.toLowerCase()}: `)] : textNodes(wordsBefore(text, start, AROUND), true)));
  const behind = make("span", { class: "after" }, ...(invented ? [] : textNodes(wordsAfter(textOf(k), end, AROUND), true)));
  const element = make("span", { class: "kwic", dir: direction(k) },
    make("span", { class: "before" }, before), make("span", { class: "rest" }, make("span", { class: "span" }, ...middle), behind));
  if (!invented) element.sides = [[before, (most) => wordsBefore(text, start, most)], [behind, (most) => wordsAfter(textOf(k), end, most)]];
  return element;
}

// Shortens contexts to the available width. On narrow screens lines wrap, so nothing is omitted.
function fitList() {
  const lines = [...$("list").querySelectorAll(".kwic")].filter(({ sides }) => sides);
  if (!lines.length || matchMedia("(max-width: 40rem)").matches) return;
  const pen = make("canvas").getContext("2d");
  const { fontSize, fontFamily } = getComputedStyle(lines[0]);
  pen.font = `${fontSize} ${fontFamily}`;
  const widthOf = (words) => pen.measureText(words.replace(/\n/g, "↵")).width;
  const rooms = lines.map((each) => [each.firstChild.clientWidth, each.lastChild.clientWidth - each.lastChild.firstChild.offsetWidth]);
  lines.forEach(({ sides }, i) => sides.forEach(([element, cut], side) => {
    const room = rooms[i][side] - 2;
    let [most, words] = [AROUND, cut(AROUND)];
    while (most > 0 && widthOf(words) > room) words = cut((most = Math.floor(Math.min(most - 1, (most * room) / widthOf(words)))));
    element.replaceChildren(...textNodes(most > 0 ? words : "…", true));
  }));
}

new ResizeObserver(fitList).observe($("list"));

// Moves the current row, over pages if need be.
function move(step) {
  const lines = [...$("list").querySelectorAll("tbody tr")];
  let next = lines.indexOf(document.activeElement.closest("tr"));
  next = next < 0 ? (step > 0 ? 0 : lines.length - 1) : next + step;
  if (next < 0 || next >= lines.length) {
    const at = state.at + step;
    if (at < 0 || at >= Math.ceil(rows.length / PER_PAGE.errors)) {
      $("notice").textContent = step < 0 ? "This is the first line." : "This is the last line.";
      return;
    }
    choose({ at });
    next = step > 0 ? 0 : PER_PAGE.errors - 1;
  }
  focusLine(next);
}

function focusLine(i) {
  const lines = [...$("list").querySelectorAll("tbody tr")];
  lines.forEach((each, k) => each.setAttribute("tabindex", k === i ? "0" : "-1"));
  lines[i].focus();
  lines[i].scrollIntoView({ block: "nearest" });
}

// The action of a key on a row of the list: the focused row, or else the one that the tab key would reach.
function listKey(key, focused) {
  if (state.view !== "errors") return null;
  if (key === "j" || key === "k") return () => move(key === "j" ? 1 : -1);
  if (key === "z") return undo;
  const line = focused ?? $("list").querySelector("tbody tr[tabindex='0']");
  if (!line) return null;
  if (comparing()) return "gsun".includes(key) ? () => ($("notice").textContent = "Changes take no marks: choose “Changes to: none” first.") : null;
  if (key === "n") return () => openNote(line.querySelector(".note"));
  const mark = Object.keys(MARKS).find((each) => MARKS[each].key === key);
  return mark ? () => {
    line.focus();
    change(marking(placeOfRow(line.row), mark));
  } : null;
}
