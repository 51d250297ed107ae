"""What is known about each metric, and how to try a law on all of them.

A new metric is found through the registry and tried against every law. Its
entry in CONTRACT says under which options, and names each law that it does not
keep, with the reason.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple

import pytest
from asking import NEEDED, made, scored
from hypothesis import note
from profiles import tries

from spacy_nereval import Document, Metric, Span, names
from spacy_nereval.metrics.registry import DEFAULT


class Case(NamedTuple):
    """A metric with some options, and what is known about it.

    swap: each score, and the one whose value it takes when gold and prediction change
        places; by default p and r change places and f stays. Empty: the metric has a
        direction, and the law says nothing. best: the values of scores when prediction
        and gold are the same, where that is not 1. exempt: the laws it does not
        keep, and why. What is declared of scores stands in the declaration alone.
    """

    options: Mapping[str, Any] = {}
    swap: Mapping[str, str] = {"p": "r", "r": "p", "f": "f"}
    best: Mapping[str, float] = {}
    exempt: Mapping[str, str] = {}
    name: str = ""

    @property
    def metric(self) -> Metric:
        return made(self.name, **self.options)

    @property
    def numbers(self) -> set[str]:
        """The scores that are numbers of spans."""
        return {score.name for score in self.metric.scores if score.unit == "count"}

    def result(self, documents: Iterable[Document]) -> dict[str, Any]:
        return scored(list(documents), self.name, **self.options)


def semeval(**options: Any) -> Case:
    parts = ("pr", "rp") if "beta" in options else ("pr", "rp", "ff")
    swap = {f"{scheme}_{a}": f"{scheme}_{b}" for scheme in ("strict", "exact", "partial", "type") for a, b in parts}
    swap |= {"und": "ovg", "ovg": "und", "sub": "sub", "err": "err"}
    return Case(options, swap=swap, best={"und": 0, "ovg": 0, "sub": 0, "err": 0})


def slot_error(**options: Any) -> Case:
    swap = {"err": "err"} if "beta" in options else {"f": "f", "e": "e", "err": "err"}
    return Case(options, swap=swap, best={"ser": 0, "err": 0, "e": 0})


def fair(**options: Any) -> Case:
    return Case(options, exempt={"swapping_the_sides_swaps_p_and_r": "gold spans choose first"})


def wrf(**options: Any) -> Case:
    exempt = {"the_rows_sum_to_the_total": "a word of two classes is one word of the combined class"}
    return Case(options, swap={"wrf": "wrf"}, exempt=exempt)


def token(**options: Any) -> Case:
    exempt = {"the_rows_sum_to_the_total": "whether a token is correct counts for no label; see test_cited.py"}
    return Case(options, swap={"p": "r", "r": "p", "f": "f", "accuracy": "accuracy"}, exempt=exempt)


def plagdet(**options: Any) -> Case:
    exempt = {"a_prediction_like_the_gold_has_the_best_score": "nesting raises granularity; see test_cited.py"}
    return Case(options, exempt=exempt)


def attributes() -> Case:
    rows = "rows are attributes and their values; see test_attribute_metric.py"
    none = "spans of these documents have no attributes; see test_attribute_metric.py"
    exempt = {"every_label_of_either_side_has_a_row": rows, "the_rows_sum_to_the_total": rows}
    exempt["the_list_adds_up_to_the_table"] = "a pair counts for each attribute, of which these documents have none"
    exempt |= dict.fromkeys(
        ("a_prediction_like_the_gold_has_the_best_score", "a_missing_span_costs_recall_alone"), none
    )
    swap = {f"{kind}_{one}": f"{kind}_{other}" for kind in ("given", "end") for one, other in ("pr", "rp", "ff")}
    return Case(exempt=exempt, swap=swap | {"accuracy": "accuracy", "all": "all"})


def ace(**options: Any) -> Case:
    by_label = {"renaming_the_labels_changes_nothing_but_their_names": "weights are given by label"}
    return Case(options, swap={}, exempt=by_label if "weights" in options else {})


def tmr() -> Case:
    whole = "which surfaces have several labels shows only in the whole corpus"
    exempt = {
        "counts_add": whole + "; see test_tmr.py",
        "the_verdicts_are_what_is_counted": whole + "; see test_tmr.py",
        "a_document_of_weight_2_counts_like_two_documents": whole + ", of which every resample is a part",
        "renaming_the_labels_changes_nothing_but_their_names": "labels are looked up in the training data",
        "a_prediction_like_the_gold_has_the_best_score": "a subset without spans is undefined; see test_tmr.py",
    }
    return Case(NEEDED["tmr"], swap={}, exempt=exempt)


def hits() -> Case:
    once = "a string counts once, in however many documents it is"
    exempt = {"counts_add": once + "; see test_mention_metric.py", "the_verdicts_are_what_is_counted": once}
    exempt["the_list_adds_up_to_the_table"] = once
    return Case({"scope": "hits"}, exempt=exempt)


CONTRACT = {
    "attributes": [attributes()],
    "hierarchical": [Case(), Case({"sep": "B", "depths": 1, "beta": 2}, swap={"p": "r", "r": "p"})],
    "mentions": [
        hits(),
        Case(),
        Case({"normalise": "exact", "multiset": True}),
        Case({"normalise": "universalner", "beta": 2}, swap={"p": "r", "r": "p"}),
    ],
    "tmr": [tmr()],
    "strict": [Case(), Case({"beta": 2}, swap={"p": "r", "r": "p"})],
    "semeval": [semeval(), semeval(focus="system"), semeval(beta=2)],
    "slot_error": [slot_error(), slot_error(slots="muc", weights="etape"), slot_error(beta=2)],
    "loio": [Case(), Case({"match": "optimal", "s": 1}), Case({"beta": 2}, swap={"p": "r", "r": "p"})],
    "fair": [fair(), fair(unit="token", focus="system"), fair(weights="fine"), Case({"weights": "traditional"})],
    "wrf": [wrf(), wrf(average="micro", weights="lenient"), wrf(unique=False)],
    "token": [token(), token(scheme="bio"), token(beta=2)._replace(swap={"p": "r", "r": "p"})],
    "char": [Case(), Case({"typed": False}), Case({"beta": 2}, swap={"p": "r", "r": "p"})],
    "relaxed": [Case(), Case({"typed": True}), Case({"strong": True, "beta": 2}, swap={"p": "r", "r": "p"})],
    "overlap": [
        Case(),
        Case({"recall": "sum", "precision": "sum", "typed": True}),
        Case({"recall": "sum"}, swap={}),
        Case({"beta": 2}, swap={"p": "r", "r": "p"}),
    ],
    "plagdet": [plagdet(), plagdet(typed=True), plagdet(average="micro")],
    "ace": [ace(), ace(min_overlap=0, type_error=0.405, weights={"A": 0.5, "B": 2.0})],
}


def law(test: Callable) -> Callable:
    """Try every case of every registered metric, but for those exempt from the test by its name.

    All cases of a metric see the same documents: to draw them takes longer than to score them."""
    name = test.__name__.removeprefix("test_")
    keeps = test.hypothesis.inner_test

    @wraps(keeps)
    def kept(case: Sequence[Case], **drawn: Any) -> None:
        for each in case:
            note(f"{each.name} with the options {each.options}")
            keeps(case=each, **drawn)

    test.hypothesis.inner_test = kept
    tables = {metric: [case._replace(name=metric) for case in CONTRACT.get(metric, [Case()])] for metric in names()}
    cases = {metric: [case for case in table if name not in case.exempt] for metric, table in tables.items()}
    cases = {metric: table for metric, table in cases.items() if table}
    marks = {metric: () if metric in DEFAULT else pytest.mark.costly for metric in cases}  # the others are not quick
    params = [pytest.param(table, id=metric, marks=marks[metric]) for metric, table in cases.items()]
    return pytest.mark.parametrize("case", params)(tries(15)(test))


def document(like: Document, sides: Iterable[Iterable[Span]]) -> Document:
    """The same text with other spans."""
    return Document(*sides, like.text, tokens=like.tokens)
