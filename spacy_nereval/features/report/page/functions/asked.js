// What the reader asks for, and how it is read from an address.

const MARKS = { gold: { words: "gold wrong", key: "g" }, system: { words: "system wrong", key: "s" }, unclear: { words: "unclear", key: "u" } };
const RELATIONS = ["", "only", "all", ...systems.keys()].map(String); // how others do where this one is wrong; or who is right
const SIDES = ["", "gold", "pred", "home"]; // whose label: either's, one side's, or the one that a verdict counts for
const ORDERS = ["corpus", "errors", "before", "surface", "after", "gold", "pred", "verdict"];
const VIEWS = ["errors", "documents"];

const unfiltered = () => ({
  view: "errors", // one error per line, or whole documents
  one: data.lead, // the system
  other: ANY, // another one to compare it with
  metric: Math.max(fair, 0),
  chosen: new Set(), // verdicts; changes, if two systems are compared
  label: ANY,
  side: "",
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
  together: false, // whether all systems are marked in one text
  at: 0, // the page of the list
  doc: null, // the document that was opened
});

// Without filters, whole documents of the same system.
const everything = ({ one, together }) => ({ ...unfiltered(), one, together, view: "documents", wrong: false });

const isComparing = ({ other }) => other >= 0;

// The same without what cannot apply, so that no filter is shown and ignored, and none applies and is hidden.
function settled(asked) {
  const next = { ...asked };
  if (next.other === next.one) next.other = ANY;
  if (isComparing(next)) next.metric = Math.max(fair, 0); // whose verdicts say what changed
  else next.move = null;
  const choices = isComparing(next) ? CHANGES.length : metrics[next.metric].words.length;
  next.chosen = new Set([...next.chosen].filter((verdict) => verdict < choices).sort((a, b) => a - b));
  if (next.label < 0) next.side = "";
  if (next.relation === String(next.one) || systems.length === 1) next.relation = "";
  if (next.group !== null && (data.groups[next.group].system !== next.one || next.metric !== fair)) next.group = null;
  if (systems.length === 1) next.together = false;
  return next;
}

// The choices after another one, which takes back what was chosen among the verdicts of another metric, or changes.
function chosenAnew(asked, wanted) {
  const next = { ...asked, ...wanted };
  const others = next.metric !== asked.metric || isComparing(next) !== isComparing(asked);
  return settled(others && !wanted.chosen ? { ...next, chosen: new Set() } : next);
}

// What a row of a table, a cell or a flag asks for: no filter of before stays. It may name verdicts, FairEval's unless it
// names a metric too.
function askedBy({ verdicts: names, ...wanted }, { one, metric, view, together }) {
  const byFair = names || wanted.group !== undefined;
  const next = { ...unfiltered(), one, metric: byFair ? fair : metric, view, together, ...wanted };
  if (names) next.chosen = new Set(names.map((verdict) => metrics[next.metric].verdicts.indexOf(verdict)));
  return settled(next);
}

// What an address asks for; what it does not say or says wrongly is as in the beginning.
function fromAddress(hash) {
  const { whole, numbers, list, among, text, flag } = readerOf(hash);
  const usual = unfiltered();
  const bucket = list("bucket", [data.slices.length, Infinity]);
  return settled({
    view: among("view", VIEWS) ?? usual.view,
    one: whole("one", systems.length) ?? usual.one,
    other: whole("other", systems.length) ?? ANY,
    metric: whole("metric", metrics.length) ?? usual.metric,
    chosen: numbers("chosen", Infinity),
    label: whole("label", labels.length) ?? ANY,
    side: among("side", SIDES) ?? "",
    cell: list("cell", [labels.length, labels.length], ANY),
    move: list("move", [outcomes.length, outcomes.length]),
    group: whole("group", data.groups.length),
    bucket: bucket && bucket[1] < data.slices[bucket[0]].buckets.length ? bucket : null,
    relation: among("relation", RELATIONS) ?? "",
    mark: among("mark", Object.keys(MARKS)) ?? "",
    find: text("find"),
    pattern: flag("pattern", false),
    wrong: flag("wrong", true),
    order: among("order", ORDERS) ?? usual.order,
    falling: flag("falling", false),
    together: flag("together", false),
    at: whole("at", Infinity) ?? 0,
    doc: whole("doc", Infinity) ? whole("doc", Infinity) - 1 : null,
  });
}
