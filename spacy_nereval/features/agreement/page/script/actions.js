// The form, the heat map, and the effects of the reader's choices.

const scores = data.scores;

// The pairs under the chosen score.
function drawHeat() {
  const chosen = scores[Number($("score").value)];
  const heat = heatOf(chosen);
  document.querySelectorAll("#heat .heat").forEach((cell) => {
    const k = Number(cell.dataset.pair);
    cell.textContent = chosen.shown[k];
    cell.style.setProperty("--heat", heat[k].toFixed(3));
  });
}

function drawForm() {
  const names = annotators.map((annotator, k) => [k, name(annotator, 40)]);
  fill("one", [[ANY, "any"], ...names]);
  fill("other", [[ANY, "any other"], ...names]);
  fill("label", [[ANY, "any"], ...labels.map((label, k) => [k, name(label)])]);
  for (const id of ["one", "other", "label"]) $(id).value = String(state[id]);
  [...$("other").options].forEach((each) => (each.disabled = state.one >= 0 && each.value === String(state.one)));
  $("find").value = state.find;
  $("pattern").checked = state.pattern;
  $("order").value = state.order;
  for (const view of VIEWS) $(`view-${view}`).setAttribute("aria-pressed", String(state.view === view));
  drawBoxes("kinds", kinds.map(({ kind, words }, k) => ({ kind, words: [words], n: numbers[k] })));
  drawChips(state.group === null ? [] : [[{ group: null }, make("bdi", null, groups[state.group].title)]]);
}

// In how many places there is each kind of difference.
const numbers = kinds.map((_, kind) => documents.reduce((sum, doc) => sum + doc.places.filter((place) => kindsOf(place).includes(kind)).length, 0));

// Draws everything that depends on the state.
function refresh() {
  drawForm();
  search();
}

// Applies a choice made outside the form, and moves to the list. A document is asked for by its rank.
function ask({ document: rank, ...wanted }) {
  if (rank !== undefined) {
    openDocument(documents.findIndex((doc) => doc.rank === rank));
    return;
  }
  goTo(settled({ ...unfiltered(), ...wanted }));
}

document.querySelectorAll("[data-ask]").forEach((element) => element.addEventListener("click", () => ask(JSON.parse(element.dataset.ask))));
if ($("score")) {
  $("score").addEventListener("change", drawHeat); // two annotators have no heat map
  drawHeat();
}
$("filters").addEventListener("reset", (event) => {
  event.preventDefault();
  choose({ ...unfiltered(), view: state.view });
});
onChange("one", () => ({ one: Number($("one").value) }));
onChange("other", () => ({ other: Number($("other").value) }));
onChange("label", () => ({ label: Number($("label").value) }));
onChange("order", () => ({ order: $("order").value }));
$("legend").replaceChildren("A bar below the words for each annotator: ", ...spaced(named(annotators.map((_, k) => k))), ".");
$("save-prodigy").addEventListener("click", () => save(asked(places).map((k) => JSON.stringify(forProdigy(k))).join("\n") + "\n", "disputes.jsonl"));
$("save-label-studio").addEventListener("click", () => save(`${JSON.stringify(asked(places).map(forLabelStudio), null, 1)}\n`, "disputes.json"));
if (documents.some(withGaps)) $("save-label-studio").after(" Documents with gaps are not in the files for Prodigy and Label Studio, which cannot store them.");
listen();
