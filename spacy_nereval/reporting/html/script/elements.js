// Elements, numbers and names. Whatever comes from the corpus enters the page as text nodes
// and attributes, never as markup.

const read = (id) => JSON.parse(document.getElementById(id).textContent);

const $ = (id) => document.getElementById(id);

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

const number = (n) => n.toLocaleString("en");
const many = (n, what) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;

// The text with a visible sign for each invisible character. It stays as long as it was, since offsets
// of spans count its characters.
const signs = (text) =>
  text.replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "\ufffd")
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/[\u007f-\u009f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");

// A name on one line, without characters that would change the direction of what follows.
const name = (text, longest = 60) => {
  const flat = signs(text.replace(/\s+/g, " "));
  return flat.length > longest ? `${flat.slice(0, longest - 1)}…` : flat;
};
const bdi = (text, longest) => make("bdi", null, name(text, longest));
