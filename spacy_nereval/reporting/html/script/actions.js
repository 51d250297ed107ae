// What the reader's choices do, and the first drawing of the page.

// Applies a choice made outside the form, and moves to the documents.
function ask(wanted) {
  state = { ...unfiltered(), ...wanted };
  refresh();
  $("documents-title").focus({ preventScroll: true });
  $("documents").scrollIntoView();
}

// Draws everything that depends on the state.
function refresh() {
  drawForm();
  drawMatrix();
  search();
}

// Runs an action once typing or resizing pauses.
const soon = (() => {
  let timer;
  return (action) => {
    clearTimeout(timer);
    timer = setTimeout(action, 150);
  };
})();

addEventListener("resize", () => soon(arrange));
$("filters").addEventListener("submit", (event) => event.preventDefault());
$("filters").addEventListener("reset", (event) => {
  event.preventDefault();
  state = unfiltered();
  refresh();
});
$("view").addEventListener("change", () => {
  const [one, other] = $("view").value.split(" ").map(Number);
  Object.assign(state, { one, other: other ?? ANY, chosen: new Set(), cell: null, move: null });
  if (comparing()) state.metric = fair;
  refresh();
});
$("metric").addEventListener("change", () => {
  Object.assign(state, { metric: Number($("metric").value), chosen: new Set(), cell: null });
  refresh();
});
$("find").addEventListener("input", () => soon(() => {
  state.find = $("find").value;
  search();
}));
$("label").addEventListener("change", () => {
  state.label = Number($("label").value);
  search();
});
$("wrong").addEventListener("change", () => {
  state.wrong = $("wrong").checked;
  search();
});
$("order").addEventListener("change", () => {
  state.order = $("order").value;
  search();
});
$("matrix-system").addEventListener("change", () => {
  matrix.system = Number($("matrix-system").value);
  drawMatrix();
});
$("matrix-metric").addEventListener("change", () => {
  matrix.metric = Number($("matrix-metric").value);
  drawMatrix();
});
for (const [id, step] of [["previous", -1], ["next", 1]]) {
  $(id).addEventListener("click", () => {
    at += step;
    show();
    $("documents-title").focus({ preventScroll: true });
    $("matches").scrollIntoView({ block: "center" });
  });
}
document.querySelectorAll("button[data-verdict]").forEach((button) =>
  button.addEventListener("click", () => {
    const verdict = metrics[fair].verdicts.indexOf(button.dataset.verdict);
    ask({ one: Number(button.dataset.system), other: ANY, metric: fair, chosen: new Set([verdict]) });
  }));
document.querySelectorAll("button[data-from]").forEach((button) =>
  button.addEventListener("click", () => {
    const move = [Number(button.dataset.from), Number(button.dataset.to)];
    ask({ one: 0, other: Number(button.dataset.other), metric: fair, move });
  }));

// Shows the document that the address links to, without filters if they hide it.
function follow() {
  const [, digits] = /^#doc-(\d+)$/.exec(location.hash) || [];
  const k = Number(digits) - 1;
  if (!documents[k]) return;
  if (!found.includes(k)) {
    state = unfiltered();
    refresh();
  }
  at = Math.floor(found.indexOf(k) / PER_PAGE);
  show();
  $(`doc-${k + 1}`).focus({ preventScroll: true });
  $(`doc-${k + 1}`).scrollIntoView();
}
addEventListener("hashchange", follow);

refresh();
follow();
