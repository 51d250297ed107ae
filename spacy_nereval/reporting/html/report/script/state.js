// What the reader asks for, and its place in the address, so that Back, Forward and links work.

const RELATIONS = ["", "only", "all", ...systems.keys()].map(String); // how others do where this one is wrong; or who is right
const ORDERS = ["corpus", "errors", "before", "surface", "after", "gold", "pred", "verdict"];
const VIEWS = ["errors", "documents"];

const unfiltered = () => ({
  view: "errors", // one error per line, or whole documents
  one: data.lead, // the system
  other: ANY, // another one to compare it with
  metric: Math.max(fair, 0),
  chosen: new Set(), // verdicts; changes, if two systems are compared
  label: ANY,
  cell: null, // [gold label, predicted label] of the matrix
  move: null, // [outcome before, outcome after]
  group: null, // a number in data.groups
  bucket: null, // [attribute, bucket]
  relation: "",
  mark: "", // the reader's own mark
  find: "",
  pattern: false, // whether `find` is a regular expression
  wrong: true,
  order: "corpus",
  falling: false,
  at: 0, // the page of the list
});
let state = unfiltered();

// Without filters, whole documents of the same system.
const everything = () => ({ ...unfiltered(), one: state.one, view: "documents", wrong: false });

const comparing = () => state.other >= 0;

// The state that an address asks for; what it does not say or says wrongly is as in the beginning.
function fromAddress(hash) {
  const asked = new URLSearchParams(hash.slice(1));
  const wanted = unfiltered();
  const { whole, numbers, among } = readerOf(asked);
  const list = (key, tops) => {
    const numbers = (asked.get(key) || "").split(".").map(Number);
    return asked.get(key) && numbers.length === tops.length && numbers.every((n, i) => Number.isInteger(n) && n >= -1 && n < tops[i]) ? numbers : null;
  };
  wanted.view = among("view", VIEWS) ?? wanted.view;
  wanted.one = whole("one", systems.length) ?? wanted.one;
  wanted.other = whole("other", systems.length) ?? ANY;
  if (wanted.other === wanted.one) wanted.other = ANY;
  wanted.metric = whole("metric", metrics.length) ?? wanted.metric;
  const choices = wanted.other >= 0 ? CHANGES.length : metrics[wanted.metric].words.length;
  wanted.chosen = numbers("chosen", choices);
  wanted.label = whole("label", labels.length) ?? ANY;
  wanted.cell = list("cell", [labels.length, labels.length]);
  wanted.move = list("move", [outcomes.length, outcomes.length]);
  wanted.group = whole("group", data.groups.length);
  wanted.bucket = list("bucket", [data.slices.length, 64]);
  wanted.relation = among("relation", RELATIONS) ?? wanted.relation;
  if (wanted.relation === String(wanted.one)) wanted.relation = "";
  wanted.mark = among("mark", Object.keys(MARKS)) ?? wanted.mark;
  wanted.find = asked.get("find") || "";
  wanted.pattern = asked.get("pattern") === "true";
  wanted.wrong = asked.get("wrong") !== "false";
  wanted.order = among("order", ORDERS) ?? wanted.order;
  wanted.falling = asked.get("falling") === "true";
  wanted.at = whole("at", 1e9) ?? 0;
  return [wanted, asked.has("doc") ? asked.get("doc") : null];
}
