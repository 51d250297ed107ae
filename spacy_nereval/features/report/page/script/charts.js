// Charts, in the colours of the page.

drawCharts((element) => {
  const hasRows = element.closest(".pair").querySelector("[data-ask]");
  const config = { ...theme(), mark: { cursor: hasRows ? "pointer" : "default" } };
  embed(element, { ...specs[element.dataset.chart], config })
    .then((result) => result && result.view.addEventListener("click", (event, item) => item && item.datum && item.datum.system && openMark(element, item.datum)));
});
