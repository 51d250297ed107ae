// The reader's choices, such as filters, and how they are read from the URL fragment.

const MARKS = { gold: { words: "gold wrong", key: "g" }, system: { words: "system wrong", key: "s" }, unclear: { words: "unclear", key: "u" } };
const RELATIONS = ["", "only", "all", ...systems.keys()].map(String); // which systems are wrong where this one is: any, this one alone, all; or the one that is right
const SIDES = ["", "gold", "pred", "home"]; // the side of the label: either, one, or the one that a verdict counts for
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

// The choices that show whole documents of the same system, without filters.
const everything = ({ one, together }) => ({ ...unfiltered(), one, together, view: "documents", wrong: false });

const isComparing = ({ other }) => other >= 0;

// The choices without those that cannot apply, so that exactly the filters that are shown apply.
function settled(asked) {
  const next = { ...asked };
  if (next.other === next.one) next.other = ANY;
  if (isComparing(next)) next.metric = Math.max(fair, 0); // its verdicts show the changes
  else next.move = null;
  const choices = isComparing(next) ? CHANGES.length : metrics[next.metric].words.length;
  next.chosen = new Set([...next.chosen].filter((verdict) => verdict < choices).sort((a, b) => a - b));
  if (next.label < 0) next.side = "";
  if (next.relation === String(next.one) || systems.length === 1) next.relation = "";
  if (next.group !== null && (data.groups[next.group].system !== next.one || next.metric !== fair)) next.group = null;
  if (systems.length === 1) next.together = false;
  return next;
}

// The choices after a further one. Another metric, or comparing or not, clears the chosen verdicts or changes.
function chosenAnew(asked, wanted) {
  const next = { ...asked, ...wanted };
  const others = next.metric !== asked.metric || isComparing(next) !== isComparing(asked);
  return settled(others && !wanted.chosen ? { ...next, chosen: new Set() } : next);
}

// The choices when a row, a cell or a flag is clicked. Earlier filters are cleared. `verdicts` are names of FairEval's
// verdicts, or of those of `metric`.
function askedBy({ verdicts: names, ...wanted }, { one, metric, view, together }) {
  const byFair = names || wanted.group !== undefined;
  const next = { ...unfiltered(), one, metric: byFair ? fair : metric, view, together, ...wanted };
  if (names) next.chosen = new Set(names.map((verdict) => metrics[next.metric].verdicts.indexOf(verdict)));
  return settled(next);
}

// The choices in a URL fragment. Missing or invalid ones have their initial values.
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
