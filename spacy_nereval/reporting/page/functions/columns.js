// The order of a table's rows by one of its columns.

// Numbers within texts are compared as numbers, so that "2 words" comes before "10 words".
const natural = new Intl.Collator("en", { numeric: true });

// The indices of rows, sorted by their values; undefined values (null) come last, and rows with equal values keep their
// order.
function sortedPlaces(values, falling) {
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : natural.compare(a, b));
  const sign = falling ? -1 : 1;
  return values.map((_, k) => k).sort((i, j) => {
    const [a, b] = [values[i], values[j]];
    if (a === null || b === null) return (a === null) - (b === null) || i - j;
    return sign * compare(a, b) || i - j;
  });
}

// The next sort order when a header is clicked: numbers start descending, texts ascending; the third click restores the
// original order (null).
function nextOrder(current, isNumber) {
  const [first, second] = isNumber ? ["descending", "ascending"] : ["ascending", "descending"];
  return current === first ? second : current === second ? null : first;
}
