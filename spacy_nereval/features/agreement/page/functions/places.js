// The disputed places that the reader asks for.

const members = groups.map((group) => {
  const keys = new Set();
  for (let i = 0; i < group.members.length; i += 2) keys.add(`${group.members[i]} ${group.members[i + 1]}`);
  return keys;
});

const isNarrowed = ({ one, other, label, chosen, group }) => one >= 0 || other >= 0 || label >= 0 || chosen.size > 0 || group !== null;

// Whether a place has a difference of a chosen kind between the chosen annotators, and the chosen label.
function matches(k, p, { one, other, label, chosen, group }) {
  const doc = documents[k];
  const place = doc.places[p];
  if (group !== null && !members[group].has(`${k} ${p}`)) return false;
  if (label >= 0 && !versionsOf(doc, place).versions.some(([, , each]) => each === label)) return false;
  const asked = [one, other].filter((annotator) => annotator >= 0);
  return place[3].some(([kind, a, b]) => (!chosen.size || chosen.has(kind)) && asked.every((annotator) => annotator === a || annotator === b));
}

// The places, as [document, place], and the documents that are asked for, in the order that is asked for;
// { refused: why } for a pattern that is none.
function matching(asked) {
  const pattern = patternOf(asked);
  if (pattern?.refused) return pattern;
  const places = [];
  const found = [];
  documents.forEach((doc, k) => {
    if (pattern && !has(pattern, doc.text || "") && !has(pattern, doc.id || "")) return;
    const own = doc.places.map((_, p) => p).filter((p) => matches(k, p, asked));
    places.push(...own.map((p) => [k, p]));
    if (own.length || (!isNarrowed(asked) && asked.order === "corpus")) found.push(k);
  });
  if (asked.order === "disputes") {
    places.sort((a, b) => documents[b[0]].places[b[1]][2] - documents[a[0]].places[a[1]][2] || a[0] - b[0] || a[1] - b[1]);
    found.sort((a, b) => documents[a].rank - documents[b].rank);
  }
  return { places, found };
}
