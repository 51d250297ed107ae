// The outcomes of gold spans under any two of several systems, instead of the tables of the first with each other one.

const pair = { one: 0, other: Math.max(data.lead, 1) };

function drawChanges() {
  const matrix = outcomes.map(() => outcomes.map(() => 0));
  for (const doc of documents) {
    const after = outcomesOf(doc, pair.other);
    outcomesOf(doc, pair.one).forEach((from, g) => (matrix[from][after[g]] += 1));
  }
  const side = (from, to) => (from === to ? "same" : to === CORRECT ? "fixed" : from === CORRECT ? "broken" : "changed");
  const numbers = { same: 0, fixed: 0, broken: 0, changed: 0 };
  const cell = (n, from, to) => {
    numbers[side(from, to)] += n;
    const shown = !n || from === to ? number(n)
      : button({ class: "count", "aria-label": `${outcomes[from]}, then ${outcomes[to]}: show ${number(n)}` }, () => ask({ ...pair, move: [from, to] }), number(n));
    return make("td", { class: `number ${side(from, to)}` }, shown);
  };
  const rows = matrix.map((row, from) => make("tr", null, make("th", { scope: "row" }, outcomes[from]), ...row.map((n, to) => cell(n, from, to))));
  const said = `: ${number(numbers.fixed)} fixed, ${number(numbers.broken)} broken, ${number(numbers.changed)} changed otherwise`;
  const caption = make("caption", null, bdi(systems[pair.one]), ", then ", bdi(systems[pair.other]), said);
  const heads = outcomes.map((outcome) => make("th", { scope: "col", class: "number" }, outcome));
  const table = make("table", { class: "outcomes" }, caption, make("thead", null, make("tr", null, make("th", { scope: "col" }, bdi(systems[pair.one], 40)), ...heads)), make("tbody", null, ...rows));
  const words = `Gold spans under ${name(systems[pair.one])} and ${name(systems[pair.other])}`;
  $("changed").replaceChildren(make("div", { class: "scroll", role: "region", "aria-label": words, tabindex: "0" }, table));
}

if (systems.length > 2) {
  for (const side of ["one", "other"]) {
    const select = $(`changes-${side}`);
    select.append(...systems.map((system, k) => option(String(k), `${letter(k)}: ${name(system)}`)));
    select.addEventListener("change", () => {
      const [before, chosen] = [pair[side], Number(select.value)];
      const rest = side === "one" ? "other" : "one";
      if (pair[rest] === chosen) pair[rest] = before; // swap the two
      pair[side] = chosen;
      for (const each of ["one", "other"]) $(`changes-${each}`).value = String(pair[each]);
      drawChanges();
    });
    select.value = String(pair[side]);
  }
  drawChanges();
}
