// Numbers, names and characters as people read them.

const number = (n) => n.toLocaleString("en");
const many = (n, what) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;

// Characters that are invisible or would reverse the direction of text: controls, overrides, noncharacters.
// Joiners and direction marks stay, since words are written with them.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202d\u202e\ufffe\uffff]/g;
const UNSEEN_OR_BREAK = new RegExp(`${UNSEEN.source}|\\n`, "g");

function sign(character) {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return { 0x7f: "␡", 0x202d: "LRO", 0x202e: "RLO" }[code] || `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

// Characters that change the direction of text, and lone surrogates.
const TURNING_OR_HALF = /[\u202a-\u202c\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

// Characters that nobody sees, or takes for a space, and accents on their own.
const NO_GLYPH = /(?! )[\p{Cf}\p{Zs}\p{Zl}\p{Zp}]/gu;
const ACCENT = /\p{Mn}/gu;

// A character as the tables write it that the program prints: \xad, \u200b.
function escaped(character) {
  const code = character.codePointAt(0).toString(16);
  return code.length < 3 ? `\\x${code.padStart(2, "0")}` : code.length < 5 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
}

// Labels that look like another one, since their accents are not written alike.
const composed = data.labels.map((label) => (label ?? "").normalize()).sort();
const twins = new Set(composed.filter((form, k) => k && form === composed[k - 1]));

// A name on one line, with marks for characters that nobody sees.
const name = (text, longest) => {
  const marked = text.replace(NO_GLYPH, escaped);
  return onLine(text !== text.normalize() && twins.has(text.normalize()) ? marked.replace(ACCENT, escaped) : marked, longest);
};

// A name, or a part of a text, on one line, without characters that would change the direction of the rest.
const onLine = (text, longest = 60) => {
  const flat = text.replace(/\s+/g, " ").replace(UNSEEN, "\ufffd").replace(TURNING_OR_HALF, "\ufffd");
  if (!flat.trim()) return "(empty)";
  if (flat.length <= longest) return flat;
  const last = /^\S*(\/[^\s/]+)$/.exec(flat); // of a label with levels, the last one says most
  return last && last[1].length < longest ? `…${last[1]}` : `${flat.slice(0, longest - 1)}…`;
};

const labelName = (label) => (label < 0 ? "none" : name(labels[label], 500));
