// The flags of the report.

// The attributes of a span behind its label.
const attributesShown = ({ attributes }) => (attributes ? ` (${name(attributes, 60)})` : "");

// The text of a flag: the label and attributes, and each system's verdict, with its attributes if these are others.
function flagText(doc, flag, several) {
  const { words, right } = metrics[state.metric];
  const own = flag.gold ?? flag.said[0].pred;
  const parts = [make("bdi", null, name(labels[own.label], 32)), make("span", { class: "attributes" }, attributesShown(own))];
  const groups = new Map();
  for (const { system, verdict, kind, pred } of flag.said) {
    let said = verdict === right ? "✓" : words[verdict];
    if (flag.gold && pred && pred.label !== flag.gold.label) {
      said = kind === "label" ? `→ ${name(labels[pred.label], 32)}` : `→ ${name(labels[pred.label], 32)}, boundaries`;
    }
    if (flag.gold && pred && pred.attributes !== flag.gold.attributes) said += `, predicted${attributesShown(pred) || " without attributes"}`;
    groups.set(said, [...(groups.get(said) || []), system]);
  }
  for (const [said, by] of groups) {
    parts.push(" ", make("span", { class: "verdict" }, ...(several ? [make("b", null, by.map(letter).join("")), " "] : []), said));
  }
  return parts;
}

function flagElement(doc, k, flag, several, matched) {
  const first = flag.said.find(({ kind }) => kind !== "hit") || flag.said[0];
  const { words } = metrics[state.metric];
  const sides = [flag.gold && `gold ${labelName(flag.gold.label)} ${flag.gold.start} to ${flag.gold.end}`,
    ...flag.said.map(({ system, verdict, pred }) => `${several ? `${name(systems[system])}: ` : ""}${pred ? `predicted ${labelName(pred.label)} ${pred.start} to ${pred.end}, ` : ""}${words[verdict]}`)];
  const element = button({ class: `flag ${first.kind || "none"}${matched ? " matched" : ""}`, dir: "ltr", title: sides.filter(Boolean).join("; ") },
    () => openFlag(k, flag, first), ...flagText(doc, flag, several));
  element.flag = flag;
  return element;
}
