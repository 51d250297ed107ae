// What the reader asks for, and its place in the address, so that Back, Forward and links work.

const VIEWS = ["disputes", "documents"];
const ORDERS = ["disputes", "corpus"];

const unfiltered = () => ({
  view: "disputes",
  one: ANY, // an annotator
  other: ANY, // another one, from whom the first differs
  label: ANY,
  chosen: new Set(), // kinds of differences
  group: null, // a number in groups
  find: "",
  pattern: false, // whether `find` is a regular expression
  order: "disputes",
  at: 0, // the page of the list
});
let state = unfiltered();

// Without filters, whole documents, those without disputes too.
const everything = () => ({ ...unfiltered(), view: "documents", order: "corpus" });

// The state that an address asks for; what it does not say or says wrongly is as in the beginning.
function fromAddress(hash) {
  const asked = new URLSearchParams(hash.slice(1));
  const wanted = unfiltered();
  const { whole, numbers, among } = readerOf(asked);
  wanted.view = among("view", VIEWS) ?? wanted.view;
  wanted.order = among("order", ORDERS) ?? wanted.order;
  wanted.one = whole("one", annotators.length) ?? ANY;
  wanted.other = whole("other", annotators.length) ?? ANY;
  if (wanted.other === wanted.one) wanted.other = ANY;
  wanted.label = whole("label", labels.length) ?? ANY;
  wanted.group = whole("group", groups.length);
  wanted.chosen = numbers("chosen", kinds.length);
  wanted.find = asked.get("find") || "";
  wanted.pattern = asked.get("pattern") === "true";
  wanted.at = whole("at", 1e9) ?? 0;
  return wanted;
}
