// The order of a table's rows by one of its columns.

// Numbers within texts are compared as numbers, so that "2 words" comes before "10 words".
const natural = new Intl.Collator("en", { numeric: true });

// The places of rows in ascending order of their values, or descending; values that are undefined (null) come last, and
// equal ones stay in their order.
function sortedPlaces(values, falling) {
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : natural.compare(a, b));
  const sign = falling ? -1 : 1;
  return values.map((_, k) => k).sort((i, j) => {
    const [a, b] = [values[i], values[j]];
    if (a === null || b === null) return (a === null) - (b === null) || i - j;
    return sign * compare(a, b) || i - j;
  });
}

// What a header does when it is clicked: numbers begin with the highest, texts with the first; the third click takes the
// order back.
function nextOrder(current, isNumber) {
  const [first, second] = isNumber ? ["descending", "ascending"] : ["ascending", "descending"];
  return current === first ? second : current === second ? null : first;
}
