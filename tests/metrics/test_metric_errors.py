"""Options, spans and choices of metrics that are refused, each with what would be right."""

from __future__ import annotations

import math

import pytest
from asking import scored
from scroll import ALL, TEXT

from spacy_nereval import Document, create, create_all, score


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("strikt", {}, "there is no metric 'strikt': did you mean 'strict'? There are strict, semeval, slot_error"),
        ("strict", {"speed": 1}, "strict has no option 'speed'; its options are beta"),
        ("wrf", {"beta": 1}, "wrf has no option 'beta'; its options are weights, average, unique, case, unigrams"),
        ("token", {"typed": True}, "token has no option 'typed'; its options are scheme, beta"),
        ("strict", {"beta": -1}, "strict.beta = -1: input should be greater than or equal to 0"),
        ("strict", {"beta": "high"}, "strict.beta = 'high': input should be a valid number"),
        ("strict", {"beta": math.nan}, "strict.beta = nan: "),
        ("char", {"beta": -1}, "char.beta = -1: input should be greater than or equal to 0"),
        ("loio", {"s": 2}, "loio.s = 2: input should be less than or equal to 1"),
        ("loio", {"s": -0.5}, "loio.s = -0.5: input should be greater than or equal to 0"),
        ("loio", {"match": "greedy"}, "loio.match = 'greedy': input should be 'walk' or 'optimal'"),
        ("fair", {"unit": "word"}, "fair.unit = 'word': input should be 'char' or 'token'"),
        ("fair", {"focus": "both"}, "fair.focus = 'both': input should be 'target' or 'system'"),
        ("fair", {"weights": "unfair"}, "fair.weights = 'unfair': expected fair | traditional | boundary | fine | "
            "table"),
        ("fair", {"weights": {"x": {"tp": 1}}}, "fair.weights = {'x': {'tp': 1.0}}: there is no error 'x'; there are "
            "fp, fn, le, be_s, be_l, be_o, lbe"),
        ("fair", {"weights": {"x": "y"}}, "fair.weights = {'x': 'y'}: expected "),
        ("fair", {"weights": {"le": {"tn": 1}}}, "fair.weights = {'le': {'tn': 1}}: expected "),
        ("fair", {"weights": {"le": {"fp": 1e308}}}, "fair.weights = {'le': {'fp': 1e+308}}: a weight of le "
            "is not a number from 0 to 1e+12"),
        ("fair", {"weights": {"le": {"fp": math.nan}}}, "fair.weights = {'le': {'fp': nan}}: "),
        ("fair", {"weights": {"le": {"fp": math.inf}}}, "fair.weights = {'le': {'fp': inf}}: "),
        ("slot_error", {"slots": "three"}, "slot_error.slots = 'three': input should be 'entity' or 'muc'"),
        ("slot_error", {"weights": "quaero"}, "slot_error.weights = 'quaero': expected equal | etape | table"),
        ("slot_error", {"weights": {"s": 1}}, "slot_error.weights = {'s': 1.0}: there is no 's'; there are "
            "s_type, s_extent, s_both, d, i"),
        ("slot_error", {"weights": {"d": 1e308}}, "slot_error.weights = {'d': 1e+308}: the weight of 'd' "
            "is not a number from 0 to 1e+12"),
        ("slot_error", {"weights": {"d": math.nan}}, "slot_error.weights = {'d': nan}: the weight of 'd' is "
            "not a number"),
        ("wrf", {"weights": {"A": 0.5, "combined": 0.4}}, "wrf.weights = {'A': 0.5, 'combined': 0.4}: they sum to 0.9, "
            "not to 1"),
        ("wrf", {"weights": {}}, "wrf.weights = {}: they sum to 0, not to 1"),
        ("wrf", {"weights": {"A": -1, "B": 2}}, "wrf.weights = {'A': -1.0, 'B': 2.0}: the weight of 'A' "
            "is not a number from 0 to 1e+12"),
        ("wrf", {"unique": "perhaps"}, "wrf.unique = 'perhaps': input should be a valid boolean"),
        ("wrf", {"average": "macro"}, "wrf.average = 'macro': input should be 'docs' or 'micro'"),
        ("token", {"scheme": "biluo"}, "token.scheme = 'biluo': input should be 'plain' or 'bio'"),
        ("char", {"typed": "maybe"}, "char.typed = 'maybe': input should be a valid boolean"),
        ("relaxed", {"strong": 2}, "relaxed.strong = 2: input should be a valid boolean"),
        ("overlap", {"recall": "min"}, "overlap.recall = 'min': input should be 'max' or 'sum'"),
        ("plagdet", {"average": "docs"}, "plagdet.average = 'docs': input should be 'macro' or 'micro'"),
        ("ace", {"min_overlap": 1.1}, "ace.min_overlap = 1.1: input should be less than or equal to 1"),
        ("ace", {"min_overlap": -0.1}, "ace.min_overlap = -0.1: input should be greater than or equal to 0"),
        ("ace", {"type_error": 2}, "ace.type_error = 2: input should be less than or equal to 1"),
        ("ace", {"false_alarm": -1}, "ace.false_alarm = -1: input should be greater than or equal to 0"),
        ("ace", {"false_alarm": math.inf}, "ace.false_alarm = inf: input should be less than or equal to"),
        ("ace", {"weights": {"PER": 1e308}}, "ace.weights = {'PER': 1e+308}: the weight of 'PER' is not a number from "
            "0 to 1e+12"),
        ("ace", {"weights": {"PER": math.nan}}, "ace.weights = {'PER': nan}: the weight of 'PER' is not a number from "
            "0 to 1e+12"),
        ("ace", {"weights": "nist"}, "ace.weights = 'nist': expected equal | table of text to number"),
        ("hierarchical", {"sep": ""}, "hierarchical.sep"),
        ("hierarchical", {"depths": 0}, "hierarchical.depths"),
        ("hierarchical", {"depths": 10}, "hierarchical.depths"),
        ("hierarchical", {"depths": 1.5}, "hierarchical.depths"),
        ("mentions", {"scope": "hits", "multiset": True}, "mentions.multiset = True: with scope = 'hits'"),
    ],
    ids=lambda value: None if isinstance(value, str) else str(value)[:40],
)  # fmt: skip
def test_a_wrong_option_is_refused_with_what_would_be_right(name, options, message):
    with pytest.raises(ValueError) as raised:
        create(name, **options)
    assert str(raised.value).startswith(message)


def test_a_weight_of_0_leaves_a_class_out():
    doc = Document([(0, 3, "A"), (4, 10, "B")], [(0, 3, "A")], TEXT)
    assert scored(doc, "wrf", weights={"A": 1, "B": 0})["scores"]["wrf"] == 1


@pytest.mark.parametrize(("side", "other", "said"), [("gold", "pred", "gold"), ("pred", "gold", "predicted")])
@pytest.mark.parametrize(
    ("span", "problem"),
    [
        *(
            (span, f" span {span!r} is not (start, end, label) with whole-number offsets")
            for span in ((0, 4), (0.5, 4, "A"), (False, 4, "A"), "A04", None)
        ),
        ((-1, 4, "A"), " Span(-1, 4, 'A') starts before the text"),
        ((4, 3, "A"), " Span(4, 3, 'A') ends before it starts"),
        ((25, 30, "A"), " Span(25, 30, 'A') ends after the text, which has 29 characters"),
        ((30, 30, "A"), " Span(30, 30, 'A') ends after the text, which has 29 characters"),
        ((0, 4, ""), " Span(0, 4, '') has no label: expected a non-empty string"),
        ((0, 4, None), " Span(0, 4, None) has no label: expected a non-empty string"),
    ],
)
def test_a_wrong_span_is_refused_with_what_is_wrong(side, other, said, span, problem):
    with pytest.raises(ValueError) as raised:
        Document(**{side: [(0, 3, "A"), span], other: []}, text=TEXT)
    assert str(raised.value) == said + problem


def test_a_text_of_one_character_is_not_said_to_have_characters():
    with pytest.raises(ValueError, match="which has 1 character$"):
        Document([(0, 2, "A")], [], "A")


def test_spans_may_end_where_the_text_ends_and_anywhere_without_a_text():
    assert Document([(23, 29, "A"), (29, 29, "A")], [], TEXT).gold == ((23, 29, "A"), (29, 29, "A"))
    assert Document([(23, 10**9, "A")], []).gold == ((23, 10**9, "A"),)


ADA = Document([(0, 3, "A")], [(0, 3, "B")], "Ada sleeps")
NO_TOKENS = (
    r"this document has no tokens \(.* JSONL carry none, .*\); use the metric char instead, .* read a .spacy file"
)


@pytest.mark.parametrize(
    ("document", "name", "options", "said"),
    [
        (ADA, "tmr", {}, "give a file as its option train"),
        (ADA, "token", {}, NO_TOKENS),
        (Document([], [], "Ada sleeps"), "token", {}, NO_TOKENS),  # accuracy counts them all
        (ADA, "fair", {"unit": "token"}, NO_TOKENS),
        (Document(*ADA.sides), "wrf", {}, r"words need the text: pass Document\(gold=..., pred=..., text=...\)"),
        (Document(*ADA.sides), "mentions", {}, "mentions need the text"),
        (ADA, "wrf", {"weights": {"A": 0.5, "combined": 0.5}}, "wrf.weights has no weight for 'B', which occurs in "
            "the data; 0 leaves a class out"),
    ],
    ids=["training data", "tokens", "tokens of no span", "tokens as units", "words", "a text", "weights of labels"],
)  # fmt: skip
def test_what_a_metric_needs_of_a_document_is_said(document, name, options, said):
    with pytest.raises(ValueError, match=said):
        scored(document, name, **options)


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ("strict,bleu", "there is no metric 'bleu'; there are strict, "),
        ("strict,strict", "metrics names strict more than once"),
        (" , ", "metrics is empty; choose from strict, "),
        ([], "metrics is empty; choose from strict, "),
        ({}, "metrics is empty; choose from strict, "),
        (["strict", "bleu"], "there is no metric 'bleu'; there are strict, "),
        ({"loio": {"s": 7}}, "loio.s = 7: "),
    ],
    ids=str,
)
def test_a_wrong_choice_of_metrics_is_refused(metrics, message):
    with pytest.raises(ValueError) as raised:
        score([Document([], [])], metrics)
    assert str(raised.value).startswith(message)


def test_metrics_are_chosen_by_name_or_with_options_and_the_six_of_the_papers_otherwise():
    assert [metric.name for metric in create_all()] == ALL
    assert [metric.name for metric in create_all(["fair", "strict"])] == ["fair", "strict"]
    assert [(m.name, m.settings) for m in create_all({"strict": None, "loio": {"s": 0}})] == [
        ("strict", {"beta": 1.0}),
        ("loio", {"s": 0.0, "match": "walk", "beta": 1.0}),
    ]
