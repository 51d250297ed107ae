// The colours and fonts of charts, and their tooltips.

const dark = matchMedia("(prefers-color-scheme: dark)");

// All can be filled with colour, and none is a triangle of precision or recall.
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
