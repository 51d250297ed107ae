// Helpers for the forms and tables of every page.

const option = (value, text) => make("option", { value }, text);

function fill(id, options) {
  if (!$(id).options.length) $(id).append(...options.map(([value, text]) => option(String(value), text)));
}

// On phones the contents take most of the first screen, so that they begin closed there.
if (matchMedia("(max-width: 40rem)").matches) $("contents").open = false;
document.querySelectorAll("nav.contents a").forEach((link) => link.addEventListener("click", () => {
  if (matchMedia("(max-width: 40rem)").matches) $("contents").open = false;
}));

// Runs an action once typing pauses.
const soon = (() => {
  let timer;
  return (action) => {
    clearTimeout(timer);
    timer = setTimeout(action, 150);
  };
})();

// Buttons that show the rest of a list.
document.querySelectorAll("button.more").forEach((element) => element.addEventListener("click", () => {
  const rest = [...element.parentElement.querySelectorAll("li[hidden]")];
  rest.forEach((item) => (item.hidden = false));
  rest[0].querySelector("button").focus();
  element.remove();
}));
