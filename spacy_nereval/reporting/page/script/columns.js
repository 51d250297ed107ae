// Columns of wide tables can be hidden. Those of several systems begin without precision, then without intervals, where
// there is no room for them; recall always stays.

const WIDE = 6; // columns; a wider table has boxes for them

document.querySelectorAll("table.sortable").forEach((table) => {
  const [heads, above] = [...table.tHead.rows].reverse().map((row) => [...row.cells]);
  const titles = heads.map((head) => head.textContent.trim());
  const groups = table.querySelectorAll("colgroup");
  const systems = (above || []).flatMap((cell) => new Array(cell.colSpan).fill(cell.textContent.trim()));
  const rows = [...table.tBodies[0].rows];
  if (table.matches(".cards")) {
    for (const row of rows) [...row.cells].slice(1).forEach((cell, k) => (cell.dataset.head = `${systems[k + 1] ?? ""} ${heads[k + 1].textContent}`.trim()));
  }
  const choices = [...new Set(titles.slice(1))].filter(Boolean);
  if (heads.length <= WIDE || choices.length < 2) return;
  const intervals = table.querySelector("td > small") ? ["intervals"] : [];
  const hidden = new Set();
  const summary = make("summary");
  const boxes = make("div", { class: "boxes" }, ...[...choices, ...intervals].map((title) => {
    const box = make("input", { type: "checkbox", value: title });
    box.addEventListener("change", () => {
      hidden[box.checked ? "delete" : "add"](title);
      draw();
    });
    return make("label", null, box, " ", title);
  }));
  const draw = () => {
    const isHidden = titles.map((title, k) => k > 0 && hidden.has(title));
    for (const row of [{ cells: heads }, ...rows]) [...row.cells].forEach((cell, k) => (cell.hidden = isHidden[k]));
    table.classList.toggle("bare", hidden.has("intervals"));
    let column = 0;
    (above || []).forEach((cell, k) => {
      cell.dataset.width ??= String(cell.colSpan);
      const own = isHidden.slice(column, (column += Number(cell.dataset.width))).filter((each) => !each).length;
      cell.hidden = own === 0;
      cell.colSpan = groups[k].span = Math.max(own, 1);
      groups[k].hidden = own === 0;
    });
    boxes.querySelectorAll("input").forEach((box) => (box.checked = !hidden.has(box.value)));
    summary.textContent = hidden.size ? `Columns, without ${[...hidden].join(", ")}` : "Columns";
  };
  const box = table.parentElement;
  box.before(make("details", { class: "columns" }, summary, boxes));
  for (const title of ["P", "intervals"]) if (above && [...choices, ...intervals].includes(title) && box.scrollWidth > box.clientWidth) {
    hidden.add(title);
    draw();
  }
  draw();
});
