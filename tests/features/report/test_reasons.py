"""Scores after mending, doubtful gold spans, and rates of prediction with intervals: by brute force and by hand."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from asking import near
from commands import accepted, write
from hypothesis import given
from pages import Parsed, system
from profiles import tries
from refusals import refused_with
from scipy.stats import t
from scored import scored
from strategies import corpora, flat, nested
from twin_statistics import by_influence, spread_of

from spacy_nereval import Confidence, Document, Verdict, count, create, score
from spacy_nereval.core.declaration import Metric
from spacy_nereval.evaluation.prediction_rates import prediction_rates, rate_differences
from spacy_nereval.features.report.gold_suspects import (
    FEW,
    PER_REASON,
    SHOWN,
    Doubt,
    Evidence,
    gold_suspects,
    merge_suspects,
    select_doubts,
)
from spacy_nereval.features.report.report_numbers import mending_gains
from spacy_nereval.features.report.report_page import page
from spacy_nereval.features.report.report_view import ReportView

OF_FAIR = ({}, {"weights": "fine"}, {"weights": "traditional"}, {"focus": "system"}, {"unit": "token"})
OTHERS = ("semeval", "strict", "slot_error", "char", "token", "relaxed", "mentions")


def corrected(document: Document, metric: Metric, wanted: Any) -> Document:
    """The document after an annotator corrected, in its predictions, the places of those errors."""
    pred, errors = {*document.pred}, [v for v in metric.verdicts(document) if v.gold != v.pred and wanted(v)]
    for _, _, wrong, _ in errors:
        if wrong not in document.gold:
            pred.discard(wrong)
    for _, right, _, _ in errors:
        pred |= {right} - {None}
    return Document(document.gold, pred, document.text, tokens=document.tokens)


@pytest.mark.slow
@given(corpora(nested() | flat(3)))
@tries(60)
@pytest.mark.parametrize(
    ("name", "options"), [*(("fair", own) for own in OF_FAIR), *((name, {}) for name in OTHERS)], ids=str
)
def test_a_score_after_mending_is_that_of_corrected_predictions(name, options, documents):
    metric = create(name, **options)
    headline = metric.headlines[0].name

    def home(verdict: Verdict) -> str:
        first, second = (verdict.pred, verdict.gold) if metric.focus == "system" else (verdict.gold, verdict.pred)
        span = first or second
        return span.label if span else ""

    errors = [v for d in documents for v in metric.verdicts(d) if v.gold != v.pred and (v.gold or v.pred)]
    wrong = [v for v in errors if v.name not in metric.correct_verdicts]
    found = {each[:2]: each for each in mending_gains(documents, metric)}
    assert {each: found[each].errors for each in found} == Counter(
        choice for v in wrong for choice in ((v.name, None), (None, home(v)))
    )
    now = score(documents, {name: options})["metrics"][name]["scores"][headline]
    for (verdict, label), each in found.items():

        def wanted(v: Verdict, verdict: Any = verdict, label: Any = label) -> bool:
            return v.name not in metric.correct_verdicts and (
                home(v) == label if verdict is None else v.name == verdict
            )

        after = [corrected(d, metric, wanted) for d in documents]
        expected = score(after, {name: options})["metrics"][name]["scores"][headline]
        assert each.score == (None if expected is None else near(expected)), each
        assert each.gain == (None if None in (now, expected) else near(expected - now)), each


def test_mending_by_hand():
    gold = [(0, 3, "A"), (4, 7, "A"), (8, 9, "B"), (12, 14, "B")]
    pred = [(0, 3, "A"), (4, 6, "A"), (8, 9, "A"), (20, 22, "B")]
    fair = create("fair")
    found = {(e.verdict, e.label): e for e in mending_gains([Document(gold, pred)], fair)}
    now = 2 / 6  # a hit and an error of each of four kinds: tp 1, fp 2, fn 2
    assert found["be_s", None].score == near(4 / 7)  # tp 2, fp 1.5, fn 1.5
    assert found["fn", None].score == near(4 / 7)  # tp 2, fp 2, fn 1
    assert found["fp", None].score == near(2 / 5)  # tp 1, fp 1, fn 2
    assert found[None, "B"].score == near(6 / 7)  # only the boundary error of A is left
    assert found[None, "B"].errors == 3
    assert found["fp", None].gain == near(2 / 5 - now)


@pytest.mark.parametrize("name", ["loio", "wrf", "overlap"])
def test_metrics_without_whole_verdicts_cannot_be_mended(name):
    metric = create(name)
    with pytest.raises(ValueError, match=f"{name} does not add up whole verdicts"):
        mending_gains([Document([(0, 1, "A")], [], "a")], metric)


@given(corpora())
@tries(60)
def test_rates_are_numbers_of_spans(documents):
    gold, pred = (Counter(span[2] for d in documents for span in d.sides[side]) for side in (0, 1))
    found = prediction_rates(count(documents, [create("strict")]))
    assert {each.label: (each.gold, each.pred) for each in found} == {
        label: (gold[label], pred[label]) for label in {*gold, *pred}
    }
    for each in found:
        assert each.rate == (each.pred / each.gold if each.gold else None)


def said(systems: list[list[Document]]) -> list[tuple[int, int, str, tuple[Evidence, ...]]]:
    return [(each.document, each.start, each.gold, each.evidence) for each in gold_suspects(systems)]


def test_words_with_two_labels_are_doubtful_where_they_have_the_rarer_one():
    texts = ["Acme", "the  acme", "ACME", "Bell"]
    golds: list[Any] = [[(0, 4, "ORG")], [(5, 9, "LOC")], [(0, 4, "ORG")], [(0, 4, "ORG")]]
    documents = [Document(gold, [], text) for gold, text in zip(golds, texts)]
    assert said([documents]) == [(1, 5, "LOC", (Evidence("two labels", "ORG", 2, 1),))]


def test_two_labels_on_one_place_are_layers_and_no_contradiction():
    assert said([[Document([(0, 4, "ORG"), (0, 4, "LOC")], [], "Acme")] * 3]) == []


def test_numbers_that_stand_for_tokens_contradict_nothing():
    golds: list[Any] = [[(0, 1, "A")], [(0, 1, "B")], []]
    assert said([[Document(gold, [(0, 1, "A")], "1 2 3") for gold in golds]]) == []


def test_a_prediction_that_gold_confirms_elsewhere_makes_gold_doubtful():
    documents = [Document([(0, 4, "ORG")], [], "Acme"), Document([], [(4, 8, "ORG"), (0, 3, "ORG")], "and Acme")]
    assert said([documents]) == [(1, 4, "", (Evidence("unmarked", "ORG", 1),))]
    covered = Document([(0, 8, "X")], [(4, 8, "ORG")], "and Acme")
    assert said([[documents[0], covered]]) == []


def test_agreement_of_all_systems_is_evidence_and_more_reasons_come_first():
    golds = [Document([(0, 4, "ORG")], [], "Acme"), Document([(0, 4, "LOC")], [(0, 4, "ORG")], "Acme")]
    others = [golds[0], Document([(0, 4, "LOC")], [(0, 4, "ORG"), (0, 2, "B")], "Acme")]
    found = gold_suspects([golds, others])
    assert (found[0].document, found[0].gold) == (1, "LOC")
    assert {each.reason for each in found[0].evidence} == {"two labels", "agreement"}
    assert [suspect.document for suspect in found] == [1, 0]
    assert said([golds])[0][3] == (Evidence("two labels", "LOC", 1, 1),)
    assert gold_suspects([]) == []


# Predictions of which a system is sure, against gold


RIGHT = [k / 10 for k in range(10)]
"""Scores of correct predictions: half of them are below .5."""


def corpus(*others: Document, right: Any = RIGHT, label: str = "PER") -> list[Document]:
    """Documents with correct predictions of these scores, and others."""
    span = (0, 3, label)
    return [scored([span], [(*span, score)], f"{label} {k}") for k, score in enumerate(right)] + [*others]


def evidence(*systems: list[Document]) -> list[tuple[int, str, Evidence]]:
    return [(each.document, each.gold, *each.evidence) for each in gold_suspects(systems)]


def against(score: float, label: str = "PER", gold: Any = ()) -> Document:
    return scored(gold, [(0, 4, label, score)], "Roma is old")


def test_a_prediction_against_gold_is_evidence_where_its_score_is_above_half_of_the_correct_ones():
    documents = corpus(against(0.5), against(0.4), against(0.95, gold=[(0, 4, "LOC")]))
    assert evidence(documents) == [
        (12, "LOC", Evidence("confidence", "PER", 1, 0, 0, 0.95, 1.0)),
        (10, "", Evidence("confidence", "PER", 1, 0, 0, 0.5, 0.5)),
    ]


def test_scores_of_other_labels_and_equal_scores_say_nothing():
    surer = corpus(right=[0.9] * 10, label="LOC")
    assert evidence([*corpus(), *surer, against(0.6), against(0.9, "LOC")]) == [
        (20, "", Evidence("confidence", "PER", 1, 0, 0, 0.6, 0.6))
    ]
    assert evidence(corpus(against(0.9, "ORG"))) == []  # no correct prediction to compare it with


def test_nothing_is_said_without_scores_or_with_few_correct_predictions():
    assert evidence([Document(d.gold, d.pred, d.text) for d in corpus(against(0.9))]) == []
    assert evidence(corpus(against(0.9), right=[0.1] * (FEW - 1))) == []
    assert len(evidence(corpus(against(0.9), right=[0.1] * FEW))) == 1
    assert evidence(corpus(against(float("nan")), scored([], [(0, 2, "PER", "high")], "ab"))) == []


def test_several_systems_are_each_compared_with_their_own_scores_and_two_weigh_more_than_one():
    percent = corpus(against(55), against(94), right=[100 * each for each in RIGHT])
    shares = corpus(against(0.71), against(0.2))
    found = gold_suspects([shares, percent])
    assert [each.document for each in found] == [10, 11]  # both agree on both, but only on one both are sure
    assert [why for why in found[0].evidence if why.reason == "confidence"] == [
        Evidence("confidence", "PER", 2, 0, 0, 0.71, 0.8),
        Evidence("confidence", "PER", 2, 0, 1, 55.0, 0.6),
    ]
    assert [why.system for why in found[1].evidence if why.reason == "confidence"] == [1]


@pytest.mark.costly
def test_the_page_says_the_score_and_the_gold_span_that_the_prediction_crosses():
    documents = corpus(scored([(5, 11, "PER")], [(0, 11, "PER", 0.987)], "Mary Shelle wrote"), against(0.6))
    found = Parsed(page([system("one", *documents)]))
    row = found.row("11")
    assert row[1:] == [
        "Mary Shelle wrote",
        "PER “Shelle”",
        "predicted PER with score 0.987, above 100 % of its correct PER",
    ]
    assert found.row("12")[2:] == ["none", "predicted PER with score 0.6, above 60 % of its correct PER"]
    assert "or a system is surer of a prediction against it than of most of its correct ones" in found.text
    both = Parsed(page([system("one", *documents), system("two", *documents)]))
    assert "one predicts PER with score 0.6" in both.text and "two predicts PER with score 0.6" in both.text


def test_a_page_without_scores_does_not_speak_of_them():
    documents = [Document(d.gold, d.pred, d.text) for d in corpus(against(0.9))]
    text = Parsed(page([system("one", *documents)])).text
    assert "with score" not in text and "surer" not in text


def test_what_a_system_is_sure_of_is_no_contradiction_of_gold():
    found = ReportView([system("one", *corpus(against(0.9)))])
    assert len(found.doubts) == 1 and found.errors_in_doubt == [[]]


def test_every_reason_has_places_on_the_page():
    numbers = {"PER": SHOWN, "LOC": 2 * SHOWN}
    twice = [Document([(0, 3, label)], [], "Eve") for label, number in numbers.items() for _ in range(number)]

    def places(number: int) -> list[Doubt]:
        documents = corpus(*twice, *(against(0.9) for _ in range(number)))
        return merge_suspects(gold_suspects([documents]), documents)

    shown = select_doubts(places(3))
    assert len(places(3)) > len(shown) == SHOWN
    assert sum(each.evidence[0].reason == "confidence" for each in shown) == 3
    assert sum(each.evidence[0].reason == "two labels" for each in shown) == SHOWN - 3
    assert sum(each.evidence[0].reason == "confidence" for each in select_doubts(places(50))) == PER_REASON


@pytest.mark.costly
@pytest.mark.parametrize("systems", [1, 2])
def test_the_command_reads_the_scores_from_the_files(tmp_path, systems):
    span = {"start": 0, "end": 3, "label": "PER"}
    scores = {f"Ada {k}": k / 10 for k in range(10)} | {"Rom fell": 0.93}
    gold = [{"text": text, "spans": [span] * text.startswith("Ada")} for text in scores]
    pred = [{"text": text, "spans": [span | {"score": score}]} for text, score in scores.items()]
    sides = {"gold": gold, "pred": pred, "other": pred}
    files = [write(tmp_path / f"{name}.jsonl", *rows) for name, rows in sides.items()]
    accepted("report", *files[: systems + 1], "-o", tmp_path / "r.html")
    said = Parsed((tmp_path / "r.html").read_text(encoding="utf8")).text
    assert "PER with score 0.93, above 100 % of its correct PER" in said


# Rates of two systems, and intervals


def counts_of(preds: list[list[str]], golds: list[list[str]]) -> Any:
    sides = [[[(k, k + 1, label) for k, label in enumerate(labels)] for labels in side] for side in (golds, preds)]
    documents = [Document(gold, pred, id=f"{k}") for k, (gold, pred) in enumerate(zip(*sides))]
    return count(documents, [create("strict")], units=True)


GOLDS = [["A", "B"], ["A"], ["B", "B"], ["A", "A", "A"]] * 15
FIRST = [["A"], ["A", "A"], ["B"], ["A", "A"]] * 15
SECOND = [["A", "A", "A"], ["B"], ["B", "B"], ["A", "C"]] * 10 + FIRST[40:]


@pytest.mark.parametrize("changed", [40, 12, 8])  # of few documents, the variance has few degrees of freedom
def test_the_interval_is_that_of_leaving_each_document_out_of_both_systems_at_once(changed):
    others = SECOND[:changed] + FIRST[changed:]
    one, two = counts_of(FIRST, GOLDS), counts_of(others, GOLDS)
    found = {each.label: each for each in rate_differences(one, two, Confidence())}
    for label in "AB":
        gold, first, second = (
            np.array([labels.count(label) for labels in side], dtype=float) for side in (GOLDS, FIRST, others)
        )
        gap = (second.sum() - first.sum()) / gold.sum()
        without = ((second - first).sum() - (second - first)) / (gold.sum() - gold)
        variance, _, freedom = spread_of(gap, without, 2 * gold + first + second)
        assert changed > 12 or freedom < 20
        reach = np.sqrt(variance) * t.ppf(0.975, freedom)
        assert found[label].difference == pytest.approx(gap)
        assert (found[label].low, found[label].high) == (pytest.approx(gap - reach), pytest.approx(gap + reach))
    assert found["C"].difference is None and found["C"].low is None


def rates(numbers: list[tuple[int, int]]) -> tuple[float, float, float]:
    """The rate of a label and its interval, from the numbers of gold and of predicted spans of documents."""
    gold, pred = ([["A"] * n for n in side] for side in zip(*numbers))
    (found,) = prediction_rates(counts_of(pred, gold), Confidence())
    assert not found.few
    return found.rate, found.low, found.high


def test_a_label_predicted_exactly_as_often_as_gold_everywhere_is_known_better_than_by_its_documents_alone():
    """The rate does not vary over 20 documents, all of which have predictions: its mean is worth 20 * 41 of them."""
    rate, low, high = rates([(5, 5)] * 20)
    t2, number = t.ppf(0.975, 19) ** 2, 20 * (20 + 0.5) / 0.5
    half = np.sqrt(t2) * np.sqrt(1 / number + t2 / 4 / number**2)
    assert (rate, low, high) == pytest.approx((1, 1 + t2 / 2 / number - half, 1 + t2 / 2 / number + half))
    assert (round(low, 3), round(high, 3)) == (0.93, 1.076)
    for number in (1, 2, 5):  # nearly as often: no jump
        _, less, more = rates([(5, 5)] * (20 - number) + [(5, 6)] * number)
        assert 0.89 < less < 1 < more < 1.15


@pytest.mark.parametrize(
    "numbers",
    [[(5, 6), (4, 4), (3, 1)] * 5, [(2, 5), (0, 1), (4, 3), (1, 0)] * 6, [(2, 0)] * 14 + [(1, 4), (3, 2)] * 4],
)
def test_the_interval_of_a_rate_is_that_of_leaving_each_document_out(numbers):
    gold, pred = np.array(numbers, dtype=float).T
    left = (pred.sum() - pred) / (gold.sum() - gold)
    rate, low, high = rates(numbers)
    mixed = min((gold > 0).sum(), (pred > 0).sum())
    assert (low, high) == pytest.approx(by_influence(rate, left, [], gold + pred, (0, np.inf), mixed=mixed).bounds)


def test_equal_systems_differ_by_nothing_without_an_interval():
    one = counts_of(FIRST, GOLDS)
    for each in rate_differences(one, one, Confidence()):
        assert (each.difference, each.low, each.high) == (0.0, None, None)


def test_few_units_are_flagged_and_other_units_refused():
    one, two = counts_of(FIRST[:4], GOLDS[:4]), counts_of(SECOND[:4], GOLDS[:4])
    assert all(each.few for each in rate_differences(one, two, Confidence()) if each.low is not None)
    with refused_with(
        ValueError,
        "the two systems were counted with other units, so their rates cannot be compared",
    ):
        rate_differences(one, counts_of(FIRST[:5], GOLDS[:5]), Confidence())


def test_what_the_text_does_not_have_is_no_fault_of_gold():
    def document(annex: int | None) -> Document:
        found = Document([(0, 3, "PER")], [(4, 7, "PER")], "Bob\nBob")
        found.annex = annex
        return found

    (found,) = gold_suspects([[document(None)]] * 2)
    assert {each.reason for each in found.evidence} == {"unmarked", "agreement"}
    assert gold_suspects([[document(3)]] * 2) == []
