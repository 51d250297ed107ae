"""What became of each gold span under two systems, and the scores of each document by itself."""

import json
from collections import Counter
from typing import Any

import pytest
from asking import NEEDED, near
from hypothesis import given
from hypothesis import strategies as st
from made_up import corpus, every_variant
from profiles import tries
from strategies import corpora, nested

from spacy_nereval import Document, Span, count, create, create_all, names, score
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.error_list import OUTCOME_OF_VERDICT, gold_outcomes, transitions
from spacy_nereval.evaluation.result import disagreement, document_rows
from spacy_nereval.reporting.remarks import disagreement_lines

OUTCOMES = ("correct", "boundary", "label error", "label and boundary", "missed")
TEXT = "Ada Lovelace met Bob in Rome"
WORDS = [(0, 3), (4, 12), (13, 16), (17, 20), (21, 23), (24, 28)]
ADA, ADA_LOVELACE, BOB, ROME = (0, 3), (0, 12), (17, 20), (24, 28)


def doc(gold: list[Any], pred: list[Any], **more: Any) -> Document:
    return Document(gold, pred, TEXT, tokens=WORDS, **more)


def between(before: list[Document], after: list[Document]) -> dict[str, Any]:
    return transitions(map(gold_outcomes, before), map(gold_outcomes, after), after)


def test_changes_are_those_of_fair_with_its_options():
    """The gold span of four tokens shares two with each prediction, but more characters with the one of label B."""
    gold = [(4, 23, "A"), (13, 28, "A")]
    documents = [doc(gold, pred) for pred in ([], [(0, 16, "B"), (21, 28, "A")])]
    outcomes = {}
    for unit in ("token", "char"):
        metrics = create_all({"strict": {}, "fair": {"unit": unit}})
        before, after = (System(name, [count([d], metrics)], [d]) for name, d in zip("ab", documents))
        (changed,) = comparison([before, after], documents, None, 100)["transitions"]
        outcomes[unit] = changed["counts"]["missed"]
    assert outcomes == {"token": {"boundary": 2}, "char": {"label and boundary": 1, "boundary": 1}}


@st.composite
def two_systems(draw: st.DrawFn) -> tuple[list[Document], list[Document]]:
    """Texts with two predictions of each."""
    documents = draw(corpora(nested(), most=3))
    others = [draw(nested()) for _ in documents]
    return documents, [
        Document(a.gold, [s for s in (*b.pred, *b.gold) if s.end <= len(a.text)], a.text)
        for a, b in zip(documents, others)
    ]


# Transitions


GOLD = (*ADA_LOVELACE, "PER")
PREDICTIONS = {
    "correct": [(*ADA_LOVELACE, "PER")],
    "boundary": [(*ADA, "PER")],
    "label error": [(*ADA_LOVELACE, "LOC")],
    "label and boundary": [(*ADA, "LOC")],
    "missed": [(*BOB, "PER")],
}


@pytest.mark.parametrize("before", OUTCOMES)
@pytest.mark.parametrize("after", OUTCOMES)
def test_every_transition_has_its_name(before, after):
    found = between([doc([GOLD], PREDICTIONS[before])], [doc([GOLD], PREDICTIONS[after])])
    assert found["counts"] == {before: {after: 1}}
    span = {"document": 0, "start": 0, "end": 12, "label": "PER", "text": "Ada Lovelace", "from": before, "to": after}
    assert found["spans"] == ([] if before == after else [span])


def test_a_further_prediction_on_a_span_does_not_count_it_again():
    document = doc([(*ADA_LOVELACE, "PER")], [(*ADA, "PER"), (4, 12, "LOC"), (0, 4, "LOC"), (4, 8, "PER")])
    assert list(gold_outcomes(document).values()) == ["boundary"]


@tries(50)
@given(two_systems())
def test_the_sums_of_the_table_are_the_verdicts_of_faireval(systems):
    """The kinds that a span can have once only; a second boundary error on a span is none in the table."""
    before, after = systems
    table = between(before, after)["counts"]
    rows = Counter({kind: sum(row.values()) for kind, row in table.items()})
    columns: Counter[str] = Counter()
    for row in table.values():
        columns.update(row)
    for found, documents in ((rows, before), (columns, after)):
        counts = score(documents, ["fair"])["metrics"]["fair"]["counts"]
        assert (found["correct"], found["label error"], found["missed"]) == (counts["tp"], counts["le"], counts["fn"])
        boundary = counts["be_s"] + counts["be_l"] + counts["be_o"]
        assert found["boundary"] <= boundary and found["label and boundary"] <= counts["lbe"]
        assert set(found) <= set(OUTCOMES)


@tries(50)
@given(two_systems())
def test_the_list_holds_exactly_the_spans_that_changed_with_their_text(systems):
    before, after = systems
    expected = [
        (number, *span, a.text[span.start : span.end], gold_outcomes(a)[span], gold_outcomes(b)[span])
        for number, (a, b) in enumerate(zip(before, after))
        for span in a.gold
    ]
    found = between(before, after)
    assert [(*span.values(),) for span in found["spans"]] == [each for each in expected if each[-2] != each[-1]]
    changed = Counter((span["from"], span["to"]) for span in found["spans"])
    assert changed == Counter({(a, b): n for a, row in found["counts"].items() for b, n in row.items() if a != b})


def test_the_table_is_in_the_same_order_always():
    gold = [(4 * k, 4 * k + 2, "A") for k in range(5)]
    pred = [gold[4], (12, 13, "A"), (8, 10, "B"), (4, 5, "B")]
    found = between(
        [Document(gold, [])] + [Document(gold, pred)] * 2,
        [Document(gold, pred), Document(gold, []), Document(gold, pred)],
    )
    assert list(found["counts"]) == list(OUTCOMES)
    assert list(found["counts"]["missed"]) == list(OUTCOMES)


def test_a_changed_span_goes_by_the_id_of_its_document_or_else_its_position_and_may_have_no_text():
    before = [doc([GOLD], []), doc([GOLD], [], id="second"), Document([GOLD], [], id="bare")]
    after = [doc([GOLD], [GOLD]), doc([GOLD], [GOLD], id="second"), Document([GOLD], [GOLD], id="bare")]
    spans = between(before, after)["spans"]
    assert [span["document"] for span in spans] == [0, "second", "bare"]
    assert [span["text"] for span in spans] == ["Ada Lovelace", "Ada Lovelace", None]
    assert json.loads(json.dumps(spans)) == spans


def test_texts_without_annotation_have_no_spans():
    assert gold_outcomes(None) == {}
    found = transitions([gold_outcomes(None), {}], [gold_outcomes(None), {}], [None, None])
    assert found == {"counts": {}, "spans": []}


# Scores of each document


@every_variant
@tries(10)
@given(documents=corpora(nested(), most=4))
def test_the_row_of_a_document_is_what_it_scores_alone(name, options, documents):
    for k, document in enumerate(documents):
        document.id = None if k % 2 else f"doc {k}"
    metric = create(name, **options)
    rows = document_rows(count(documents, [metric]))
    assert sorted(str(row["document"]) for row in rows) == sorted(str(d.id or k) for k, d in enumerate(documents))
    for row in rows:
        (document,) = (d for k, d in enumerate(documents) if row["document"] == (k if d.id is None else d.id))
        scores = score([document], {name: options})["metrics"][name]["scores"]
        assert row == {"document": row["document"], "gold": len(document.gold), "pred": len(document.pred)} | {
            key: near(scores[of]) for key, of in metric.keys.items()
        }
    json.dumps(rows, allow_nan=False)


# A missed span has no wrong attribute, so the metric attributes says nothing of it.
@pytest.mark.parametrize("name", [name for name in names() if not create(name).attributes])
def test_the_worst_document_comes_first_and_those_without_a_score_last(name):
    """By the metric's F or what it has like one; by its error rate, the highest first, if it has no such score."""
    gold = [(0, 3, "A"), (17, 20, "A"), (24, 28, "A")]
    preds = {"half": gold[:2], "all": gold, "none": [], "one": gold[:1]}
    documents = [doc([], [], id="empty"), *(doc(gold, pred, id=id) for id, pred in preds.items())]
    rows = document_rows(count(documents, [create(name, **NEEDED.get(name, {}))]))
    assert [row["document"] for row in rows] == ["none", "one", "half", "all", "empty"]


def test_the_first_metric_says_which_document_is_worst():
    """The first text loses by strict F, the second by WRF."""
    documents = [
        doc([(0, 12, "A"), (17, 28, "A")], [(0, 11, "A"), (17, 27, "A")], id="boundaries"),
        doc([(0, 3, "A"), (17, 28, "A")], [(0, 3, "A")], id="missed"),
    ]
    for metrics, first in ((["strict", "wrf"], "boundaries"), (["wrf", "strict"], "missed")):
        assert document_rows(count(documents, create_all(metrics)))[0]["document"] == first


# Where WRF and strict F disagree


@tries(40)
@given(corpora(nested(), most=8))
def test_every_document_is_above_below_equal_or_undefined(documents):
    counts = count(documents, create_all(["strict", "wrf"]))
    found = disagreement(counts)
    classes: dict[str, list[int]] = {"above": [], "below": [], "equal": [], "undefined": []}
    for k, document in enumerate(documents):
        metrics = score([document], ["strict", "wrf"])["metrics"]
        strict, wrf = metrics["strict"]["scores"]["f"], metrics["wrf"]["scores"]["wrf"]
        gap = None if None in (strict, wrf) else wrf - strict
        name = "undefined" if gap is None else "equal" if abs(gap) < 1e-12 else "above" if gap > 0 else "below"
        classes[name].append(k)
    defined = len(documents) - len(classes["undefined"])
    assert (found["documents"], found["undefined"]) == (defined, len(classes["undefined"]))
    for name in ("above", "below", "equal"):
        assert found[name]["documents"] == len(classes[name])
        assert found[name]["share"] == (near(len(classes[name]) / defined) if defined else None)
        assert set(found[name]["examples"]) <= set(classes[name])
        assert len(found[name]["examples"]) == min(3, len(classes[name]))
    json.dumps(found, allow_nan=False)


def test_documents_where_they_disagree_go_by_their_id_and_the_widest_gap_comes_first():
    gold = [(0, 12, "PER")]
    documents = [
        doc(gold, gold, id="equal"),
        doc(gold, [(0, 3, "PER")], id="half"),
        doc(gold, [(0, 16, "PER")], id="most"),
        doc([(0, 3, "PER"), (24, 28, "PER")], [(0, 3, "PER"), (4, 16, "PER")], id="below"),
    ]
    found = disagreement(count(documents, create_all(["wrf", "strict"])))
    assert found["above"]["examples"] == ["most", "half"]
    assert found["below"]["examples"] == ["below"]
    assert found["equal"]["examples"] == ["equal"]
    lines = disagreement_lines(found)
    assert "4 documents (0 excluded, in which one of them is undefined)" in lines[0]
    assert [line.strip() for line in lines[1:]] == [
        "above in 2 (50.0 %), such as most, half",
        "below in 1 (25.0 %), such as below",
        "the same in 1 (25.0 %), such as equal",
    ]


@pytest.mark.parametrize("metrics", [["strict"], ["wrf", "fair"]])
def test_without_both_there_is_no_disagreement(metrics):
    assert disagreement(count(corpus(3), create_all(metrics))) is None


def test_where_no_document_is_defined_there_are_no_shares():
    found = disagreement(count([doc([], [])], create_all(["strict", "wrf"])))
    assert [found[name]["share"] for name in ("above", "below", "equal")] == [None] * 3
    assert all(disagreement_lines(found))


BEST_FIRST = ("correct", "label error", "boundary", "label and boundary", "missed")
"""As the pages on `compare` and on the result say it."""


@given(corpora())
@tries(100)
def test_the_outcome_of_a_gold_span_in_pieces_is_the_first_of_its_verdicts_as_the_pages_order_them(documents):
    fair = create("fair")
    for document in documents:
        of_gold: dict[Span, set[str]] = {}
        for verdict in fair.verdicts(document):
            if verdict.gold:
                of_gold.setdefault(verdict.gold, set()).add(OUTCOME_OF_VERDICT[verdict.name])
        expected = {span: next(name for name in BEST_FIRST if name in found) for span, found in of_gold.items()}
        assert gold_outcomes(document) == expected
