"""Every control of the report, and every two of them, in a real browser: what is listed is what the controls say."""

from typing import Any

import pytest
from browsers import Browser, needs_browser
from listed import Wanted, corpora, listed, right
from pages import system
from products import NIGHT

from spacy_nereval.features.report.report_view import ReportView
from spacy_nereval.reporting.declared import OUTCOMES as WORDS

pytestmark = needs_browser

STEPS = {
    "system": "set('system', -1)",
    "compared": "set('other', 1)",
    "only this one is wrong": "set('relation', 1)",
    "all are wrong": "set('relation', 2)",
    "another is right": "set('relation', 3)",
    "metric": "set('metric', 1)",
    "text": "type('ada')",
    "label": "set('label', 2)",
    "label of gold": "set('label', 1) && set('side', 1)",
    "label that counts": "set('label', 3) && set('side', 3)",
    "verdict": "click('#verdicts label:nth-child(2) input')",
    "last verdict": "click('#verdicts label:last-child input')",
    "right or wrong": "click('#wrong')",
    "order": "set('order', 1)",
    "documents": "click('#view-documents')",
    "together": "click('#together')",
    "document": "click('.lines tbody th button')",
    "cell": "ask('#matrix button.errors')",
    "hits": "ask('#matrix button.hits')",
    "verdicts": "ask('#errors tbody th button')",
    "repeated": "ask('#why tbody th button')",
    "slice": "ask('#slices tbody tr:nth-child(2) th button')",
    "what if": "ask('#mending tbody tr:last-child th button')",
    "change": "ask('#changes td.fixed button')",
    "sorted": "click('.lines button.sort')",
    "chip": "click('#asked button')",
    "everything": "click('#reset')",
}
"""What a reader can do, as JavaScript."""

MODES = [[*STEPS].index(step) for step in ("compared", "metric", "documents", "chip")]
"""The steps that are tried after each other one even where not all pairs are."""

HANDS = """// Its page is left alone by the history, which takes a few hundred entries only, and by scrolling.
// Nor is the list laid out and fitted into its box, which takes longer than all else: other tests look at it.
const shown = e => e && (one('#list').contains(e) || e.checkVisibility()) && !e.disabled;
const one = selector => document.querySelector(selector);
const click = selector => { const e = one(selector); const can = shown(e); if (can) e.click(); return can };
const ask = selector => { const e = one(selector); if (e) e.click(); return Boolean(e) };
const set = (id, at) => {
  const e = document.getElementById(id), option = [...e.options].at(at);
  if (!shown(e) || !option) return false;
  e.value = option.value;
  e.dispatchEvent(new Event('change'));
  return true;
};
const type = text => { const e = one('#find'); e.value = text; e.dispatchEvent(new Event('input')); return true };
let address = '';
const reset = () => { address = ''; dispatchEvent(new PopStateEvent('popstate')) };
const value = id => shown(one(id)) ? one(id).value : null;
const said = id => shown(one(id)) && one(id).value !== '-1' ? one(id).selectedOptions[0].textContent : null;
const all = selector => [...document.querySelectorAll(selector)];
const seen = () => ({
  one: Number(one('#system').value), other: value('#other'), relation: value('#relation') || '',
  order: one('#order').value, metric: said('#metric'), find: one('#find').value, label: said('#label'), address,
  side: value('#side') || '',
  chosen: all('#verdicts label:has(:checked)').map(e => (e.querySelector('small') || e.children[2]).textContent),
  wrong: shown(one('#wrong')) ? one('#wrong').checked : null,
  chips: all('#asked .chip').map(e => e.textContent.slice(0, -2)),
  matches: one('#matches').textContent,
  lines: all('.lines tbody tr').length,
  documents: all('#list article').map(e => Number(e.id.slice(4))),
});
const soon = window.setTimeout;
window.setTimeout = action => action();
history.pushState = history.replaceState = (state, title, hash) => { address = hash };
window.matchMedia = () => ({ matches: true });
Element.prototype.scrollIntoView = () => {};
HTMLElement.prototype.focus = () => {};
all('main > section:not(#list-errors), #list').forEach(e => { e.style.display = 'none' });
"""

EACH = """const [i, inPairs, modes] = arguments, first = steps[i], found = [];
reset();
const begun = seen();
if (first()) {
  const alone = seen();
  found.push([i, null, alone]);
  if (JSON.stringify(alone) === JSON.stringify(begun)) found.push([i, 'nothing', alone]);
  for (const [j, second] of steps.entries()) {
    const apart = i === j || (i < j) === ((i + j) % 2 === 0);  // each two in one order, every other one backwards
    if (!(inPairs && apart) && !modes.includes(j)) continue;
    reset();
    first();
    if (second()) found.push([i, j, seen()]);
  }
}
window.setTimeout = soon;
return found;"""
SCRIPT = f"{HANDS}const steps = [{','.join(f'() => {step}' for step in STEPS.values())}];{EACH}"


FOUR = corpora(6, 4)
REPORTS = {"one": corpora(3, 1), "two": corpora(1, 2), "five": [*FOUR, FOUR[0]]}
"""Documents under one, two and five systems, of which two are identical. Spans nest and cross in all of them.

Every control is there with five systems, which makes its page the one where all pairs are tried.
"""

OF_SEVERAL = {"system", "compared", "only this one is wrong", "all are wrong", "another is right", "change", "together"}
"""What cannot be done in the report of one system."""


def wanted(seen: dict[str, Any], view: ReportView) -> Wanted:
    """What the controls and chips say that is listed."""
    found = Wanted(
        one=seen["one"],
        other=None if seen["other"] in (None, "-1") else int(seen["other"]),
        metric=seen["metric"] or "fair",
        chosen=frozenset(seen["chosen"]),
        label=seen["label"],
        side=seen["side"],
        relation=seen["relation"],
        find=seen["find"],
        wrong=seen["wrong"] is not False,
    )
    for chip in seen["chips"]:
        if chip.startswith("gold "):
            cell = [part.split()[-1].replace("none", "") for part in chip.split(", predicted ")]
            found = found._replace(cell=(cell[0], cell[1]))
        elif chip.startswith("Words in the span: "):
            found = found._replace(words=int(chip.split()[-2]))
        elif ", then " in chip:
            move = [next(key for key, words in WORDS.items() if words == part) for part in chip.split(", then ")]
            found = found._replace(move=(move[0], move[1]))
        else:
            (members,) = {frozenset(m) for number, title, m in view.lists if (number, title) == (found.one, chip)}
            found = found._replace(members=members)
    return found


def noun_of(places: list[Any], wanted: Wanted) -> str:
    if wanted.other is not None:
        return "change"
    return "verdict" if any(name == right(wanted.metric) for _, name, *_ in places) else "error"


@pytest.mark.parametrize(
    ("name", "in_pairs"),
    [
        *((name, False) for name in REPORTS if name != "five"),
        pytest.param("five", True, marks=pytest.mark.slow),
        pytest.param("five", False, marks=NIGHT),
    ],
)
def test_every_control_and_every_two_of_them_list_what_they_say(browser: Browser, made, name, in_pairs):
    documents = REPORTS[name]
    systems = [system(f"s{k}", *own) for k, own in enumerate(documents)]
    view = ReportView(systems)
    browser.open(made(f"controls-{name}", *systems, alone=True), anchor="#one=0")
    names = [*STEPS]
    found = [each for i in range(len(names)) for each in browser(SCRIPT, i, in_pairs, MODES)]
    dead = {names[i] for i, j, _ in found if j == "nothing"}
    assert not dead, "these change nothing"
    rest = {*names} - {names[each] for *both, _ in found for each in both if isinstance(each, int)}
    unable = (OF_SEVERAL if len(documents) == 1 else set()) | (set() if in_pairs else {"together"})
    assert rest == unable, "these cannot be done"
    for i, j, seen in found:
        what = (names[i], j if j is None else names[j], seen)
        places, numbers = listed(documents, wanted(seen, view))
        documents_said = f"{len(numbers):,} of {len(documents[0])} documents"
        if not numbers:
            assert seen["matches"] == f"No document of {len(documents[0])} matches", what
            continue
        n, noun, rest = seen["matches"].split(" ", 2)
        assert (int(n), rest) == (len(places), f"in {documents_said}"), (what, wanted(seen, view), len(places))
        assert noun.rstrip("s") == noun_of(places, wanted(seen, view)), what
        assert seen["lines"] == (0 if seen["documents"] else min(25, len(places))), what
        shown = [k - 1 for k in seen["documents"]]
        if shown and seen["order"] != "errors":
            assert shown == sorted(numbers, reverse=seen["order"] == "column"), what
