// Elements, numbers and names. Whatever comes from the corpus enters the page as text nodes
// and attributes, never as markup.

document.documentElement.classList.add("scripted"); // without it, whatever needs scripts is not shown

const $ = (id) => document.getElementById(id);

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

const button = (attributes, action, ...children) => {
  const element = make("button", { type: "button", ...attributes }, ...children);
  element.addEventListener("click", action);
  return element;
};

// The text as nodes. An unseen character is in an element that shows a sign in its place; the text
// content stays as it is. Within spans (`breaks`) line breaks have a sign too.
function textNodes(text, breaks = false) {
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(breaks ? UNSEEN_OR_BREAK : UNSEEN)) {
    if (found.index > end) nodes.push(text.slice(end, found.index));
    nodes.push(found[0] === "\n" ? make("span", { class: "break" }, "\n") : make("span", { class: "unseen", "data-sign": sign(found[0]) }, found[0]));
    end = found.index + found[0].length;
  }
  if (end < text.length || !nodes.length) nodes.push(text.slice(end));
  return nodes;
}

const bdi = (text, longest) => {
  const shown = name(text, longest);
  return make("bdi", { title: shown.startsWith("…") || shown.endsWith("…") ? name(text, 500) : null }, shown);
};
