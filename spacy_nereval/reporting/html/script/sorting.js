// Tables sort by the column whose header is clicked.
document.querySelectorAll("table.sortable").forEach((table) => {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  heads.forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const sorter = button({ class: "sort" }, () => {
      const falling = head.getAttribute("aria-sort") !== "descending";
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      const value = (line) => {
        const text = line.cells[column].textContent.trim();
        const n = parseFloat(text.replace(/,/g, ""));
        return column === 0 ? text.toLowerCase() : Number.isNaN(n) ? -Infinity : n;
      };
      const lines = [...table.tBodies[0].rows].sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
      table.tBodies[0].append(...(falling === (column > 0) ? lines.reverse() : lines));
    }, ...head.childNodes);
    head.replaceChildren(sorter);
  });
});
