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
const unfolded = new Set(); // documents shown in full

const comparing = () => state.other >= 0;

// The state that an address asks for; what it does not say or says wrongly is as in the beginning.
function fromAddress(hash) {
  const { text, whole, list, set, among } = said(hash);
  const usual = unfiltered();
  const one = whole("one", systems.length) ?? usual.one;
  const other = whole("other", systems.length) ?? ANY;
  const metric = whole("metric", metrics.length) ?? usual.metric;
  const relation = among("relation", RELATIONS, usual.relation);
  const compared = other !== one && other >= 0;
  return {
    view: among("view", VIEWS, usual.view),
    one,
    other: compared ? other : ANY,
    metric,
    chosen: set("chosen", compared ? CHANGES.length : metrics[metric].words.length),
    label: whole("label", labels.length) ?? ANY,
    cell: list("cell", [labels.length, labels.length]),
    move: list("move", [outcomes.length, outcomes.length]),
    group: whole("group", data.groups.length),
    bucket: list("bucket", [data.slices.length, 64]),
    relation: relation === String(one) ? "" : relation,
    mark: among("mark", Object.keys(MARKS), usual.mark),
    find: text("find") || "",
    pattern: text("pattern") === "true",
    wrong: text("wrong") !== "false",
    order: among("order", ORDERS, usual.order),
    falling: text("falling") === "true",
    at: whole("at", 1e9) ?? 0,
  };
}
