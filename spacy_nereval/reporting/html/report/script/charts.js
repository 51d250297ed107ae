// Charts, in the colours of the page.

function draw(element, spec) {
  const hasRows = element.closest(".pair").querySelector("[data-ask]");
  const fitted = { ...spec, config: { ...theme(), mark: { cursor: hasRows ? "pointer" : "default" } }, width: "container", autosize: { type: "fit-x", contains: "padding" } };
  const options = { ast: true, actions: false, defaultStyle: false, renderer: "svg", tooltip: tip };
  vegaEmbed(element, fitted, options)
    .then(({ view }) => {
      element.querySelector("svg").setAttribute("aria-hidden", "true"); // the table has the same numbers
      view.addEventListener("click", (event, item) => item && item.datum && item.datum.system && openMark(element, item.datum));
    })
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
