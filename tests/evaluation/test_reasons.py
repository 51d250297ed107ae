"""Scores after mending, rates of prediction, and doubtful gold spans: against brute force and by hand."""

from collections import Counter
from typing import Any

import pytest
from asking import near
from hypothesis import given
from profiles import tries
from strategies import corpora, flat, nested

from spacy_nereval import Confidence, Document, Verdict, count, create, score
from spacy_nereval.core.declaration import Metric
from spacy_nereval.evaluation.gold_suspects import Evidence, gold_suspects
from spacy_nereval.evaluation.prediction_rates import prediction_rates
from spacy_nereval.evaluation.what_if import what_if

SETTINGS: dict[str, Any] = {
    "fair": {"fair": {}},
    "fine": {"fair": {"weights": "fine"}},
    "traditional": {"fair": {"weights": "traditional"}},
    "system": {"fair": {"focus": "system"}},
    "tokens": {"fair": {"unit": "token"}},
    **{name: {name: {}} for name in ("semeval", "strict", "slot_error", "char", "token", "relaxed", "mentions")},
}


def corrected(document: Document, metric: Metric, wanted: Any) -> Document:
    """The document after an annotator corrected, in its predictions, the places of those errors."""
    pred, errors = {*document.pred}, [v for v in metric.verdicts(document) if v.gold != v.pred and wanted(v)]
    for _, _, wrong, _ in errors:
        if wrong not in document.gold:
            pred.discard(wrong)
    for _, right, _, _ in errors:
        pred |= {right} - {None}
    return Document(document.gold, pred, document.text, tokens=document.tokens)


@given(corpora(nested() | flat(3)))
@tries(60)
@pytest.mark.parametrize("name", SETTINGS)
def test_a_score_after_mending_is_that_of_corrected_predictions(name, documents):
    ((metric_name, options),) = SETTINGS[name].items()
    metric = create(metric_name, **options)
    headline = metric.headlines[0].name

    def home(verdict: Verdict) -> str:
        first, second = (verdict.pred, verdict.gold) if metric.focus == "system" else (verdict.gold, verdict.pred)
        span = first or second
        return span.label if span else ""

    errors = [v for d in documents for v in metric.verdicts(d) if v.gold != v.pred and (v.gold or v.pred)]
    wrong = [v for v in errors if v.name not in metric.correct_verdicts]
    found = {each[:2]: each for each in what_if(documents, metric)}
    assert {each: found[each].errors for each in found} == Counter(
        choice for v in wrong for choice in ((v.name, None), (None, home(v)))
    )
    now = score(documents, SETTINGS[name])["metrics"][metric_name]["scores"][headline]
    for (verdict, label), each in found.items():

        def wanted(v: Verdict, verdict: Any = verdict, label: Any = label) -> bool:
            return v.name not in metric.correct_verdicts and (
                home(v) == label if verdict is None else v.name == verdict
            )

        after = [corrected(d, metric, wanted) for d in documents]
        expected = score(after, SETTINGS[name])["metrics"][metric_name]["scores"][headline]
        assert each.score == (None if expected is None else near(expected)), each
        assert each.gain == (None if None in (now, expected) else near(expected - now)), each


def test_a_gold_span_in_pieces_is_mended_once():
    gold = [(0, 9, "A"), (10, 19, "A"), (20, 29, "A"), (30, 39, "A"), (40, 49, "A"), (50, 59, "A")]
    pieces = [(start + k, start + k + 3, "A") for start in (10, 20) for k in (0, 3, 6)]
    documents = [Document(gold, [gold[0], *pieces], "x" * 60)] * 30
    found = {each.verdict: each for each in what_if(documents, create("fair"))}
    each = found["be_s"]
    assert (each.errors, each.score, each.gain) == (180, near(2 / 3), near(2 / 3 - 2 / 11))


def test_mending_by_hand():
    gold = [(0, 3, "A"), (4, 7, "A"), (8, 9, "B"), (12, 14, "B")]
    pred = [(0, 3, "A"), (4, 6, "A"), (8, 9, "A"), (20, 22, "B")]
    fair = create("fair")
    found = {(e.verdict, e.label): e for e in what_if([Document(gold, pred)], fair)}
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
        what_if([Document([(0, 1, "A")], [], "a")], metric)


@given(corpora())
@tries(60)
def test_rates_are_numbers_of_spans(documents):
    sides = [Counter(span.label for d in documents for span in side(d)) for side in (gold_of, pred_of)]
    found = prediction_rates(count(documents, [create("strict")]))
    assert {each.label: (each.gold, each.pred) for each in found} == {
        label: (sides[0][label], sides[1][label]) for label in {*sides[0], *sides[1]}
    }
    for each in found:
        assert each.rate == (each.pred / each.gold if each.gold else None)


def gold_of(document: Document) -> Any:
    return document.gold


def pred_of(document: Document) -> Any:
    return document.pred


def test_a_rate_that_varies_more_has_a_wider_interval():
    widths = []
    for numbers in ((1, 2, 2, 2, 3), (0, 1, 2, 3, 4)):
        documents = [
            Document([(0, 1, "A")], [(j, j + 1, "A") for j in range(numbers[k % 5])], id=str(k)) for k in range(60)
        ]
        counts = count(documents, [create("strict")], units=True)
        (found,) = prediction_rates(counts, Confidence(samples=400))
        assert found.rate == 2.0
        assert found.low is not None and found.high is not None and found.low <= 2 <= found.high
        assert not found.few
        widths.append(found.high - found.low)
    assert 0 < widths[0] < widths[1] < 2


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
