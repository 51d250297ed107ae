// The URL fragment for the reader's choices, of which it has only those that differ from the initial ones.

function addressOf(asked, usual) {
  const parts = new URLSearchParams();
  for (const [key, value] of Object.entries(asked)) {
    const said = value instanceof Set || Array.isArray(value) ? [...value].join(".") : value;
    const initial = usual[key] instanceof Set ? "" : usual[key];
    if (said === initial || said === null) continue;
    parts.set(key, String(key === "doc" ? said + 1 : said)); // people count documents from 1
  }
  return `#${parts}`;
}

// Functions that read the parameters of a URL fragment: one whole number, a set or a fixed number of them, one of some
// words, a text, or a flag. They check values against bounds; null for a wrong value.
function readerOf(hash) {
  const asked = new URLSearchParams(hash.slice(1));
  const isWhole = (text, high, low = 0) => /^-?\d{1,9}$/.test(text) && Number(text) >= low && Number(text) < high;
  const parts = (key) => (asked.get(key) || "").split(".").filter(Boolean);
  return {
    whole: (key, high) => (isWhole(asked.get(key) ?? "", high) ? Number(asked.get(key)) : null),
    numbers: (key, high) => new Set(parts(key).filter((text) => isWhole(text, high)).map(Number)),
    list: (key, highs, low = 0) => (parts(key).length === highs.length && parts(key).every((text, i) => isWhole(text, highs[i], low)) ? parts(key).map(Number) : null),
    among: (key, values) => (values.includes(asked.get(key)) ? asked.get(key) : null),
    text: (key) => asked.get(key) || "",
    flag: (key, usual) => (["true", "false"].includes(asked.get(key)) ? asked.get(key) === "true" : usual),
  };
}

// The number of the document in an address such as #doc-3, as text.
const documentIn = (hash) => (/^#doc-(\d+)$/.exec(hash) || [])[1];
