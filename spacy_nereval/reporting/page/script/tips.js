// Shows the title of an element, such as the full text of a truncated label, on focus. On hover, the browser shows it.

let focused = null;

function saidBy(element) {
  if (!element.matches("button, a, tr")) return [];
  if (element.title) return [element.title];
  const cut = [...element.querySelectorAll("[title]")].filter((each) => each.matches("bdi") || each.scrollWidth > each.clientWidth);
  return [...new Set(cut.map((each) => each.title))];
}

function placeTip() {
  if (!focused) return;
  const { left, top, bottom } = focused.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = $("tip");
  $("tip").style.left = `${Math.max(8, Math.min(left, innerWidth - offsetWidth - 8))}px`;
  $("tip").style.top = `${bottom + 6 + offsetHeight < innerHeight ? bottom + 6 : top - 6 - offsetHeight}px`;
}

function hideTip() {
  if (focused) $("tip").hidden = true;
  focused = null;
}

addEventListener("focusin", ({ target }) => {
  hideTip();
  const said = target.matches(":focus-visible") ? saidBy(target) : [];
  if (!said.length) return;
  focused = target;
  $("tip").replaceChildren(...said.map((text) => make("bdi", null, text)));
  $("tip").hidden = false;
  placeTip();
});
addEventListener("focusout", hideTip);
addEventListener("keydown", ({ key }) => key === "Escape" && hideTip());
addEventListener("scroll", placeTip, true);
