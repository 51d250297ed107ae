// The form of filters, drawn from the state.

function drawForm() {
  const named = systems.map((system, k) => [k, systems.length > 1 ? `${letter(k)}: ${name(system)}` : name(system)]);
  fill("system", named);
  for (const id of ["metric", "matrix-metric"]) fill(id, metrics.map((metric, k) => [k, metric.name]));
  fill("label", [[ANY, "any"], ...labels.map((label, k) => [k, name(label, 200)])]);
  fill("side", [["", "on either side"], ["gold", "of gold"], ["pred", "predicted"], ["home", "that the verdict counts for"]]);
  fill("mark", [["", "any"], ...Object.entries(MARKS).map(([mark, { words }]) => [mark, words])]);
  $("system").value = String(state.one);
  const rest = named.filter(([k]) => k !== state.one);
  $("other").replaceChildren(...[[ANY, "none"], ...rest].map(([k, words]) => option(String(k), words)));
  $("other").value = String(state.other);
  $("system-title").textContent = comparing() ? "Changes from" : "Errors of";
  $("other-title").replaceChildren(...(comparing() ? ["to ", bdi(systems[state.other], 30)] : []));
  document.querySelectorAll("[data-of]").forEach((element) => (element.hidden = Number(element.dataset.of) !== state.one));
  document.querySelectorAll(".for-system").forEach((element) => (element.hidden = systems.length === 1));
  $("relation").replaceChildren(option("", "anything"), option("only", "only this one is wrong"), option("all", "all are wrong"),
    ...rest.map(([k, words]) => option(String(k), `${words} is right`)));
  $("relation").value = state.relation;
  $("metric").value = String(state.metric);
  document.querySelectorAll(".single").forEach((element) => (element.hidden = comparing()));
  $("matrix-metric").value = String(matrix.metric);
  $("label").value = String(state.label);
  $("side").value = state.side;
  $("side").hidden = state.label < 0;
  $("mark").value = state.mark;
  $("find").value = state.find;
  $("pattern").checked = state.pattern;
  $("wrong").checked = state.wrong;
  $("wrong").closest("p").hidden = comparing() ? isNarrowed(state) : state.chosen.size > 0;
  $("wrong-title").textContent = comparing() ? "Only documents with changes" : "Only errors";
  drawOrder();
  $("together").checked = state.together;
  $("together").closest("p").hidden = systems.length === 1 || state.view === "errors" || state.relation !== ""; // which shows all of them
  for (const view of VIEWS) $(`view-${view}`).setAttribute("aria-pressed", String(state.view === view));
  drawChoices();
  drawAsked();
  drawLegend();
}

// Draws the orders that can be chosen; and the order by a column of the list, if the list has it.
function drawOrder() {
  const { order, falling } = state;
  const offered = [["corpus", "as in the corpus"], ["errors", comparing() ? "most changes first" : "most errors first"]];
  const isOffered = !falling && offered.some(([value]) => value === order);
  const column = falling ? `${titleOf(order)}, descending` : titleOf(order);
  $("order").replaceChildren(...offered.map(([value, text]) => option(value, text)), ...(isOffered ? [] : [option("column", `by ${column}`)]));
  $("order").value = isOffered ? order : "column";
}

// The number of each verdict, or each change, in the corpus.
const totals = new Map(); // by systems and metric

function total(names) {
  const key = `${state.one} ${state.other} ${state.metric}`;
  if (totals.has(key)) return totals.get(key);
  const numbers = names.map(() => 0);
  for (const doc of documents) {
    if (comparing()) visitChanges(doc, state.one, state.other, (change) => (numbers[change] += 1));
    else verdicts(doc, state.one, state.metric, (verdict) => (numbers[verdict] += 1));
  }
  totals.set(key, numbers);
  return numbers;
}

// A box for each verdict, or for each change.
function drawChoices() {
  const metric = metrics[state.metric];
  const names = comparing() ? CHANGES : metric.words;
  const numbers = total(names);
  $("verdicts-title").textContent = comparing() ? "Change" : "Verdict";
  drawBoxes("verdicts", names.map((words, k) => {
    const key = comparing() || words === metric.verdicts[k] ? [] : [" ", make("small", null, metric.verdicts[k])];
    return { kind: comparing() ? CHANGE_KINDS[k] : metric.kinds[k], words: [words, ...key], n: numbers[k] };
  }));
}

function drawAsked() {
  const narrowed = [];
  const label = (k) => (k < 0 ? "none" : bdi(labels[k]));
  if (state.cell) narrowed.push([{ cell: null, chosen: new Set() }, "gold ", label(state.cell[0]), ", predicted ", label(state.cell[1])]);
  if (state.move) narrowed.push([{ move: null }, `${outcomes[state.move[0]]}, then ${outcomes[state.move[1]]}`]);
  if (state.group !== null) narrowed.push([{ group: null }, make("bdi", null, data.groups[state.group].title)]);
  if (state.bucket) narrowed.push([{ bucket: null }, `${data.slices[state.bucket[0]].title}: ${data.slices[state.bucket[0]].buckets[state.bucket[1]]}`]);
  drawChips(narrowed);
}

function drawLegend() {
  const sample = (side, text) => {
    const word = make("span", { class: "m" }, text);
    word.style.background = `${stripes({ side, kind: side === "pred" ? "spurious" : "missed" })} 0 100% / 100% 4px no-repeat`;
    word.style.paddingBottom = "5px";
    return word;
  };
  const lettered = shownSystems().length > 1 ? [". ", ...shownSystems().flatMap((s) => [make("b", { class: comparing() && state.view === "errors" ? `system-${s}` : null }, letter(s)), " ", bdi(systems[s], 40), "; "]).slice(0, -1)] : [];
  $("legend").replaceChildren("A full bar marks ", sample("gold", "gold spans"), ", a broken one ", sample("pred", "predictions"),
    comparing() && state.view === "errors" ? " of both systems in their colours" : " that differ; one bar marks what both share", ...(state.view === "errors" ? [] : [". The flag gives the label and the verdict, and → the label predicted instead"]), ...lettered, ".");
}
