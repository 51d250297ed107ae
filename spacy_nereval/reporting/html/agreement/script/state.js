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

// The address of the state: only what differs from the beginning.
function address(wanted = state) {
  const usual = unfiltered();
  const parts = new URLSearchParams();
  for (const [key, value] of Object.entries(wanted)) {
    const said = value instanceof Set ? [...value].join(".") : value;
    const initial = usual[key] instanceof Set ? "" : usual[key];
    if (said !== initial && said !== null) parts.set(key, String(said));
  }
  return `#${parts}`;
}

// The state that an address asks for; what it does not say or says wrongly is as in the beginning.
function fromAddress(hash) {
  const asked = new URLSearchParams(hash.slice(1));
  const wanted = unfiltered();
  const whole = (key, high) => {
    const n = Number(asked.get(key));
    return asked.has(key) && Number.isInteger(n) && n >= 0 && n < high ? n : null;
  };
  const among = (key, values) => (values.includes(asked.get(key)) ? asked.get(key) : wanted[key]);
  wanted.view = among("view", VIEWS);
  wanted.order = among("order", ORDERS);
  wanted.one = whole("one", annotators.length) ?? ANY;
  wanted.other = whole("other", annotators.length) ?? ANY;
  if (wanted.other === wanted.one) wanted.other = ANY;
  wanted.label = whole("label", labels.length) ?? ANY;
  wanted.group = whole("group", groups.length);
  const chosen = (asked.get("chosen") || "").split(".").filter(Boolean).map(Number);
  wanted.chosen = new Set(chosen.filter((n) => Number.isInteger(n) && n >= 0 && n < kinds.length));
  wanted.find = asked.get("find") || "";
  wanted.pattern = asked.get("pattern") === "true";
  wanted.at = whole("at", 1e9) ?? 0;
  return wanted;
}

// Puts the state into the address: as a new entry of the history, or instead of the present one.
function record(replace = false) {
  const hash = address();
  if (hash === location.hash || (hash === "#" && !location.hash)) return;
  history[replace ? "replaceState" : "pushState"](null, "", hash);
}
