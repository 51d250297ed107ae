// The reader's search in texts and ids.

// A pattern may begin with flags as other languages write them: (?i), (?s), or (?-i) for case-sensitive search.
const INITIAL_FLAGS = /^\(\?([ims]*)(-i)?\)/;

// Replaces escapes that JavaScript refuses, such as \- and \_, by the character's code.
const plainly = (pattern) => pattern.replace(/\\([\s\S])/gu, (whole, character) =>
  (/[\p{L}\p{N}^$\\.*+?()[\]{}|/]/u.test(character) ? whole : `\\u{${character.codePointAt(0).toString(16)}}`));

// The regular expression of a search; null without a search; { refused: reason } if the pattern is not valid.
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
