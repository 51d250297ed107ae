// The form of filters, drawn from what is asked for.

const option = (value, text) => make("option", { value }, text);

function drawForm() {
  const view = systems.map((system, k) => option(String(k), name(system)));
  for (let k = 1; k < systems.length; k++) view.push(option(`0 ${k}`, `${name(systems[0])} and ${name(systems[k])}, changes`));
  $("view").replaceChildren(...view);
  $("view").value = comparing() ? `${state.one} ${state.other}` : String(state.one);
  document.querySelectorAll(".for-system").forEach((element) => (element.hidden = systems.length === 1));
  for (const id of ["metric", "matrix-metric"]) {
    if (!$(id).options.length) $(id).append(...metrics.map((metric, k) => option(String(k), metric.name)));
  }
  $("metric").value = String(state.metric);
  document.querySelector(".single").hidden = comparing();
  $("matrix-metric").value = String(matrix.metric);
  if (!$("matrix-system").options.length) $("matrix-system").append(...systems.map((system, k) => option(String(k), name(system))));
  $("matrix-system").value = String(matrix.system);
  if (!$("label").options.length) $("label").append(option("-1", "any"), ...labels.map((label, k) => option(String(k), name(label))));
  $("label").value = String(state.label);
  $("find").value = state.find;
  $("wrong").checked = state.wrong;
  $("wrong-title").textContent = comparing() ? "Only documents with changes" : "Only documents with errors";
  $("order").value = state.order;
  $("order").options[1].textContent = comparing() ? "most changes first" : "most errors first";
  drawChoices();
  drawCell();
  drawLegend();
}

// A box for each verdict, or for each change, with its number.
function drawChoices() {
  const metric = metrics[state.metric];
  const names = comparing() ? CHANGES : metric.words;
  const numbers = names.map(() => 0);
  for (const doc of documents) {
    if (comparing()) visitChanges(doc, state.one, state.other, (change) => (numbers[change] += 1));
    else verdicts(doc, state.one, state.metric, (verdict) => (numbers[verdict] += 1));
  }
  $("verdicts-title").textContent = comparing() ? "Change" : "Verdict";
  $("verdicts").replaceChildren(
    ...names.map((words, k) => {
      const box = make("input", { type: "checkbox", value: String(k) });
      box.checked = state.chosen.has(k);
      box.addEventListener("change", () => {
        if (box.checked) state.chosen.add(k);
        else state.chosen.delete(k);
        search();
      });
      const kind = comparing() ? "" : metric.kinds[k];
      const text = make("span", null, words);
      if (!comparing() && words !== metric.verdicts[k]) text.append(" ", make("small", null, metric.verdicts[k]));
      return make("label", null, box, make("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), text,
        make("span", { class: "n" }, number(numbers[k])));
    }),
  );
}

// The cell of the matrix, or the move between two outcomes, that the documents are filtered by.
function drawCell() {
  const element = $("cell");
  element.replaceChildren();
  element.hidden = !(state.cell || state.move);
  if (element.hidden) return;
  const parts = state.cell
    ? ["gold ", state.cell[0] < 0 ? "none" : bdi(labels[state.cell[0]]), ", predicted ", state.cell[1] < 0 ? "none" : bdi(labels[state.cell[1]])]
    : [`${outcomes[state.move[0]]}, then ${outcomes[state.move[1]]}`];
  const button = make("button", { type: "button" }, "Clear");
  button.addEventListener("click", () => {
    state.cell = state.move = null;
    refresh();
    $("find").focus();
  });
  element.append("Only ", ...parts, " ", button);
}

function drawLegend() {
  const example = (side, text) => make("span", { class: `flag ${side} none` }, text);
  $("legend").replaceChildren("Below the text ", example("gold", "gold"), " and below that ",
    example("pred", "predicted"), " spans, each with its verdict. A predicted label is left out where it equals the gold label.");
}
