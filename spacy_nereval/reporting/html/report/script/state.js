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

// The address of the state: only what differs from the beginning.
function address(wanted = state, doc = null) {
  const usual = unfiltered();
  const parts = new URLSearchParams();
  for (const [key, value] of Object.entries(wanted)) {
    const said = value instanceof Set ? [...value].join(".") : Array.isArray(value) ? value.join(".") : value;
    const initial = usual[key] instanceof Set ? "" : usual[key];
    if (said !== initial && said !== null) parts.set(key, String(said));
  }
  if (doc !== null) parts.set("doc", String(doc + 1));
  return `#${parts}`;
}

// The state that an address asks for; what it does not say or says wrongly is as in the beginning.
function fromAddress(hash) {
  const asked = new URLSearchParams(hash.slice(1));
  const wanted = unfiltered();
  const whole = (key, low, high) => {
    const n = Number(asked.get(key));
    return asked.has(key) && Number.isInteger(n) && n >= low && n < high ? n : null;
  };
  const list = (key, tops) => {
    const numbers = (asked.get(key) || "").split(".").map(Number);
    return asked.get(key) && numbers.length === tops.length && numbers.every((n, i) => Number.isInteger(n) && n >= -1 && n < tops[i]) ? numbers : null;
  };
  const among = (key, values) => (values.includes(asked.get(key)) ? asked.get(key) : wanted[key]);
  wanted.view = among("view", VIEWS);
  wanted.one = whole("one", 0, systems.length) ?? wanted.one;
  wanted.other = whole("other", 0, systems.length) ?? ANY;
  if (wanted.other === wanted.one) wanted.other = ANY;
  wanted.metric = whole("metric", 0, metrics.length) ?? wanted.metric;
  const choices = wanted.other >= 0 ? CHANGES.length : metrics[wanted.metric].words.length;
  const chosen = (asked.get("chosen") || "").split(".").filter(Boolean).map(Number);
  wanted.chosen = new Set(chosen.filter((n) => Number.isInteger(n) && n >= 0 && n < choices));
  wanted.label = whole("label", 0, labels.length) ?? ANY;
  wanted.cell = list("cell", [labels.length, labels.length]);
  wanted.move = list("move", [outcomes.length, outcomes.length]);
  wanted.group = whole("group", 0, data.groups.length);
  wanted.bucket = list("bucket", [data.slices.length, 64]);
  wanted.relation = among("relation", RELATIONS);
  if (wanted.relation === String(wanted.one)) wanted.relation = "";
  wanted.mark = among("mark", Object.keys(MARKS));
  wanted.find = asked.get("find") || "";
  wanted.pattern = asked.get("pattern") === "true";
  wanted.wrong = asked.get("wrong") !== "false";
  wanted.order = among("order", ORDERS);
  wanted.falling = asked.get("falling") === "true";
  wanted.at = whole("at", 0, 1e9) ?? 0;
  return [wanted, asked.has("doc") ? asked.get("doc") : null];
}

// Puts the state into the address: as a new entry of the history, or instead of the present one.
function record(replace = false) {
  const hash = address();
  if (hash === location.hash || (hash === "#" && !location.hash)) return;
  history[replace ? "replaceState" : "pushState"](null, "", hash);
}
