// What the reader looks for in texts and ids.

// What a text has to match: null for everything, undefined for a pattern that is none.
function patternOf({ find, pattern }) {
  const text = find.trim();
  if (!text) return null;
  try {
    return new RegExp(pattern ? text : text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
  } catch {
    return undefined;
  }
}

const has = (pattern, text) => {
  pattern.lastIndex = 0;
  return pattern.test(text);
};
