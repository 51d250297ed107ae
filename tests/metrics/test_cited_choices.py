"""The measures that the papers cite: choices, averages and bad input."""

from __future__ import annotations

import pytest
from asking import counted, near, tables
from cited import scores
from toy import TOY

from spacy_nereval import Document, count, create, score

CITED = ("token", "char", "relaxed", "overlap", "plagdet", "ace")


# Choices that are ours


def test_a_character_under_several_spans_is_that_of_the_leftmost_then_the_shortest_then_the_smallest_label():
    pred = [(0, 20, "P")]
    for gold, owner in (
        ([(1, 9, "B"), (2, 9, "A")], "B"),
        ([(1, 9, "A"), (1, 8, "B")], "B"),
        ([(1, 9, "B"), (1, 9, "A")], "A"),
    ):
        assert tables(Document(gold, pred), "char", typed=False).confusion[owner]["P"] >= 7
    doc = Document([(0, 4, "B"), (2, 9, "A")], pred)
    assert tables(doc, "char", typed=False).confusion == {"": {"P": 11}, "A": {"P": 5}, "B": {"P": 4}}


def test_nested_spans_of_one_label_cover_their_characters_and_tokens_once():
    doc = Document([(0, 9, "A"), (4, 9, "A")], [(0, 3, "A"), (0, 9, "B")], "New White", tokens=[(0, 3), (4, 9)])
    assert counted(doc, "char") == {"tp": 3, "fp": 9, "fn": 6}
    assert counted(doc, "token") == {"tp": 1, "fp": 2, "fn": 1, "tokens": 2}


def test_a_token_that_a_nested_span_begins_with_is_a_first_one():
    tokens = [(0, 3), (4, 9)]
    doc = Document([(0, 9, "A"), (4, 9, "A")], [(0, 9, "A")], "New White", tokens=tokens)
    assert counted(doc, "token", scheme="bio") == {"tp": 1, "fp": 1, "fn": 1, "correct": 1, "tokens": 2}
    same = Document(doc.gold, [(0, 3, "A"), (4, 9, "A")], doc.text, tokens=tokens)
    assert counted(same, "token", scheme="bio") == {"tp": 2, "correct": 2, "tokens": 2}


def test_a_span_of_length_zero_at_the_start_of_a_token_begins_none():
    """Scheme `bio`: it covers no token, so it makes no token a first one."""
    tokens = [(0, 3), (4, 9)]
    doc = Document([(0, 9, "A"), (4, 4, "A")], [(0, 9, "A"), (0, 3, "B")], "New White", tokens=tokens)
    assert doc.covered_tokens(doc.gold[1]) == (1, 1)
    for gold, pred in (doc.gold, doc.gold[:1]), (doc.gold[:1], doc.gold):
        sides = Document(gold, [*pred, (0, 3, "B")], doc.text, tokens=tokens)
        found = counted(sides, "token", scheme="bio")
        assert found == {"tp": 2, "fp": 1, "correct": 1, "tokens": 2}


def test_a_span_has_the_tokens_that_it_touches():
    doc = Document([(1, 5, "A")], [(0, 9, "A")], "New White", tokens=[(0, 3), (4, 9)])
    assert counted(doc, "token") == {"tp": 2, "correct": 2, "tokens": 2}


def test_equal_labels_pair_first_then_the_closest():
    doc = Document([(0, 9, "A"), (0, 9, "B")], [(0, 9, "B"), (2, 9, "A"), (3, 9, "A")])
    pairs = [(v.gold, v.pred) for v in create("relaxed").verdicts(doc) if v.name == "tp"]
    assert pairs == [((0, 9, "A"), (2, 9, "A")), ((0, 9, "B"), (0, 9, "B"))]


def test_a_span_over_everything_does_not_take_the_partner_of_one_that_is_found():
    doc = Document([(0, 90, "A"), (10, 15, "A"), (20, 25, "A")], [(10, 15, "A"), (20, 25, "A")])
    for name in ("relaxed", "ace"):
        alone = [
            v.gold for v in create(name, **({"min_overlap": 0} if name == "ace" else {})).verdicts(doc) if not v.pred
        ]
        assert alone == [(0, 90, "A")]


@pytest.mark.parametrize(
    ("name", "same", "other_label", "beside"),
    [
        ("char", {}, {}, {"fn": 9}),
        ("relaxed", {"tp": 1}, {"tp": 1}, {"fn": 1, "fp": 1}),
        (
            "overlap",
            {"covered_gold": 1, "gold": 1, "covered_pred": 1, "pred": 1},
            {"covered_gold": 1, "gold": 1, "covered_pred": 1, "pred": 1},
            {"gold": 1, "pred": 1},
        ),
        (
            "plagdet",
            {"covered_gold": 1, "gold": 1, "covered_pred": 1, "pred": 1},
            {"covered_gold": 1, "gold": 1, "covered_pred": 1, "pred": 1},
            {"gold": 1, "pred": 1},
        ),
        (
            "ace",
            {"pairs": 1, "gold": 1},
            {"pairs": 0.5, "gold": 1},
            {"false_alarms": 1, "gold": 1},
        ),
    ],
)
def test_a_span_of_length_zero_meets_its_equal_alone(name, same, other_label, beside):
    assert counted(Document([(3, 3, "A")], [(3, 3, "A")]), name) == same
    assert counted(Document([(3, 3, "A")], [(3, 3, "B")]), name) == other_label
    assert counted(Document([(0, 9, "A")], [(3, 3, "A")]), name) == beside


# Averages, resamples, sums


def test_f_of_means_is_0_where_one_side_has_no_span_and_undefined_where_none_has():
    for name in ("overlap", "plagdet"):
        assert scores(Document([(0, 5, "A")], []), name)["f"] == 0
        assert scores(Document([], [(0, 5, "A")]), name)["f"] == 0
        assert scores(Document([(0, 5, "A")], [(6, 9, "A")]), name)["f"] == 0
        assert scores(Document([], []), name)["f"] is None


@pytest.mark.parametrize(("name", "options"), [("token", {}), ("char", {}), ("relaxed", {}), ("overlap", {})])
def test_beta_weighs_recall(name, options):
    for beta in (0.5, 2):
        found = scores(TOY, name, beta=beta, **options)
        p, r = found["p"], found["r"]
        assert found["f"] == near((1 + beta**2) * p * r / (beta**2 * p + r))


@pytest.mark.parametrize("name", CITED)
def test_the_score_keys_are_the_names_of_the_scores_behind_that_of_the_metric(name):
    expected = {
        "token": ["token_p", "token_r", "token_f", "token_accuracy"],
        "plagdet": ["plagdet_p", "plagdet_r", "plagdet_f", "plagdet_granularity", "plagdet"],
        "ace": ["ace"],
    }
    assert list(create(name).keys) == expected.get(name, [f"{name}_{x}" for x in "prf"])


# Bad input


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("token", {"scheme": "biluo"}, "token.scheme = 'biluo': input should be 'plain' or 'bio'"),
        ("token", {"typed": True}, "token has no option 'typed'; its options are scheme, beta"),
        ("char", {"beta": -1}, "char.beta = -1: input should be greater than or equal to 0"),
        ("char", {"typed": "maybe"}, "char.typed = 'maybe': input should be a valid boolean"),
        ("relaxed", {"strong": 2}, "relaxed.strong = 2: input should be a valid boolean"),
        ("overlap", {"recall": "min"}, "overlap.recall = 'min': input should be 'max' or 'sum'"),
        ("plagdet", {"average": "docs"}, "plagdet.average = 'docs': input should be 'macro' or 'micro'"),
        ("ace", {"min_overlap": 1.1}, "ace.min_overlap = 1.1: input should be less than or equal to 1"),
        ("ace", {"min_overlap": -0.1}, "ace.min_overlap = -0.1: input should be greater than or equal to 0"),
        ("ace", {"type_error": 2}, "ace.type_error = 2: input should be less than or equal to 1"),
        ("ace", {"false_alarm": -1}, "ace.false_alarm = -1: input should be greater than or equal to 0"),
        ("ace", {"false_alarm": float("inf")}, "ace.false_alarm = inf: input should be less than or equal to"),
        (
            "ace",
            {"weights": {"PER": -1}},
            "ace.weights = {'PER': -1.0}: the weight of 'PER' is not a number from 0 to 1e+12",
        ),
        (
            "ace",
            {"weights": {"PER": float("nan")}},
            "ace.weights = {'PER': nan}: the weight of 'PER' is not a number from 0 to 1e+12",
        ),
        ("ace", {"weights": "nist"}, "ace.weights = 'nist': expected equal | table of text to number"),
    ],
    ids=lambda value: None if isinstance(value, str) else str(value),
)
def test_a_wrong_option_is_refused_with_what_would_be_right(name, options, message):
    with pytest.raises(ValueError) as raised:
        create(name, **options)
    assert str(raised.value).startswith(message)


def test_token_without_tokens_says_that_jsonl_carries_none_and_offers_char():
    doc = Document([(0, 3, "A")], [(0, 3, "A")], "Ada sleeps")
    with pytest.raises(ValueError, match=r"has no tokens \(.* JSONL carry none, .*\); use the metric char instead"):
        score([doc], ["token"])
    assert scores(doc, "char")["f"] == 1


def test_a_document_without_spans_needs_tokens_too_since_accuracy_counts_them():
    with pytest.raises(ValueError, match="this document has no tokens"):
        count([Document([], [], "Ada sleeps")], [create("token")])
