// Charts, in the colours of the page. A mark asks for what its row of the table beside it asks for.
drawCharts((element) => {
  const hasRows = element.closest(".pair").querySelector("[data-ask]");
  const config = { ...theme(), mark: { cursor: hasRows ? "pointer" : "default" } };
  embed(element, { ...specs[element.dataset.chart], config })
    .then((drawing) => drawing && drawing.view.addEventListener("click", (event, item) => item && item.datum && item.datum.system && openMark(element, item.datum)));
});
