// The reader's choices, and how they are read from an address.

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
  doc: null, // the document that was opened
});

// Without filters, whole documents, those without disputes too.
const everything = () => ({ ...unfiltered(), view: "documents", order: "corpus" });

// The same without choices that cannot apply.
const settled = (asked) => (asked.other >= 0 && asked.other === asked.one ? { ...asked, other: ANY } : asked);

const chosenAnew = (asked, wanted) => settled({ ...asked, ...wanted });

// The choices in an address; missing or invalid ones are as in the beginning.
function fromAddress(hash) {
  const { whole, numbers, among, text, flag } = readerOf(hash);
  const usual = unfiltered();
  return settled({
    view: among("view", VIEWS) ?? usual.view,
    one: whole("one", annotators.length) ?? ANY,
    other: whole("other", annotators.length) ?? ANY,
    label: whole("label", labels.length) ?? ANY,
    chosen: numbers("chosen", kinds.length),
    group: whole("group", groups.length),
    find: text("find"),
    pattern: flag("pattern", false),
    order: among("order", ORDERS) ?? usual.order,
    at: whole("at", Infinity) ?? 0,
    doc: whole("doc", documents.length + 1) ? whole("doc", documents.length + 1) - 1 : null,
  });
}
