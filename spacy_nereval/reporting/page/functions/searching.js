// What the reader looks for in texts and ids.

// A pattern may begin with flags as other languages write them: (?i), (?s), or (?-i) for one that tells A from a.
const INITIAL_FLAGS = /^\(\?([ims]*)(-i)?\)/;

// An escape of anything that needs none, such as \- and \_, is the character itself.
const plainly = (pattern) => pattern.replace(/\\([\s\S])/gu, (whole, character) =>
  (/[\p{L}\p{N}^$\\.*+?()[\]{}|/]/u.test(character) ? whole : `\\u{${character.codePointAt(0).toString(16)}}`));

// What a text has to match: null for everything; { refused: why } for a pattern that is none.
function patternOf({ find, pattern }) {
  const text = find.trim();
  if (!text) return null;
  if (!pattern) return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
  const [written, flags = "", minded] = INITIAL_FLAGS.exec(text) ?? [""];
  try {
    return new RegExp(plainly(text.slice(written.length)), [...new Set(`gu${flags}${minded ? "" : "i"}`)].join(""));
  } catch ({ message }) {
    return { refused: message.slice(message.lastIndexOf(": ") + 2).toLowerCase() };
  }
}

const has = (pattern, text) => {
  pattern.lastIndex = 0;
  return pattern.test(text);
};

const noPattern = ({ refused }) => `This is no regular expression: ${refused}`;
