// Charts are drawn when they come near the window, and again when the page is printed or its colours change.

const specs = JSON.parse($("charts").textContent);
const drawn = new Set();

function embed(element, spec) {
  const whole = { ...spec, width: "container", autosize: { type: "fit-x", contains: "padding" } };
  return vegaEmbed(element, whole, { ast: true, actions: false, defaultStyle: false, renderer: "svg", tooltip: tip })
    .then((result) => {
      element.querySelector("svg").setAttribute("aria-hidden", "true"); // its label and the tables describe it
      return result;
    })
    .catch((error) => element.replaceChildren(String(error)));
}

function drawCharts(draw) {
  const first = (element) => {
    if (drawn.has(element)) return;
    drawn.add(element);
    draw(element);
  };
  const watch = new IntersectionObserver((entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && first(target)), { rootMargin: "600px" });
  const charts = document.querySelectorAll(".chart");
  charts.forEach((element) => watch.observe(element));
  dark.addEventListener("change", () => drawn.forEach(draw));
  addEventListener("beforeprint", () => charts.forEach(first));
}
