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
const unfolded = new Set(); // documents shown in full

// The state that an address asks for; what it does not say or says wrongly is as in the beginning.
function fromAddress(hash) {
  const { text, whole, set, among } = said(hash);
  const usual = unfiltered();
  const one = whole("one", annotators.length) ?? ANY;
  const other = whole("other", annotators.length) ?? ANY;
  return {
    view: among("view", VIEWS, usual.view),
    one,
    other: other === one ? ANY : other,
    label: whole("label", labels.length) ?? ANY,
    chosen: set("chosen", kinds.length),
    group: whole("group", groups.length),
    find: text("find") || "",
    pattern: text("pattern") === "true",
    order: among("order", ORDERS, usual.order),
    at: whole("at", 1e9) ?? 0,
  };
}
