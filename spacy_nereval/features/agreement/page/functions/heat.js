// How full the colours of the pairs of annotators are: as good as the best is full colour, and undefined none.

function heatOf({ values, better }) {
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const best = better < 0 ? low : high;
  const share = (value) => (high > low ? 1 - Math.abs(value - best) / (high - low) : 1);
  return values.map((value) => (value === null ? 0 : 0.15 + 0.85 * share(value)));
}
