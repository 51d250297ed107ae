// Tables are sorted by a click on the header of a column; a third click restores the original order.

// The cell of a row in a column, where cells may span several columns.
function cellAt(row, column) {
  let at = 0;
  return [...row.cells].find((cell) => (at += cell.colSpan) > column);
}

// The sort key of a cell: its value if it has one, else its text.
function valueOf(cell) {
  if (!cell) return null;
  if (cell.dataset.value !== undefined) return cell.dataset.value === "" ? null : Number(cell.dataset.value);
  return cell.textContent.trim();
}

document.querySelectorAll("table.sortable").forEach((table) => {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const first = [...table.tBodies[0].rows];
  let column = 0;
  for (const head of heads) {
    const own = column;
    column += head.colSpan;
    if (!head.textContent.trim()) continue;
    const sorter = button({ class: "sort" }, () => {
      const values = first.map((row) => valueOf(cellAt(row, own)));
      const order = nextOrder(head.getAttribute("aria-sort"), values.some((value) => typeof value === "number") && own > 0);
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      if (order) head.setAttribute("aria-sort", order);
      const places = order ? sortedPlaces(values, order === "descending") : values.map((_, k) => k);
      table.tBodies[0].append(...places.map((k) => first[k]));
    }, ...head.childNodes);
    head.replaceChildren(sorter);
  }
});
