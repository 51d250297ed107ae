"""Options of metrics: what each of them changes."""

from __future__ import annotations

import pytest
from asking import counted, near, scored
from scroll import ALL, TEXT, TOKENS

from spacy_nereval import Document, Span, create

# P 3/5 and R 3/4, if nothing but exact spans counts
UNEVEN = Document(
    gold=[(0, 3, "A"), (4, 10, "A"), (11, 14, "B"), (15, 18, "B")],
    pred=[(0, 3, "A"), (4, 10, "A"), (11, 14, "B"), (19, 22, "B"), (23, 29, "A")],
    text=TEXT,
)


# One pair for each kind of error: another label, the same label, another label and place
MIXED = Document(
    gold=[(0, 3, "A"), (4, 10, "A"), (15, 18, "A")],
    pred=[(0, 3, "B"), (4, 14, "A"), (15, 22, "B")],
    text=TEXT,
    tokens=TOKENS,
)


# Options


@pytest.mark.parametrize(
    ("name", "prefix"),
    [("strict", ""), ("loio", ""), ("fair", "")]
    + [("semeval", f"{s}_") for s in ("strict", "exact", "partial", "type")],
)
@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_beta_weighs_recall_against_precision(name, prefix, beta):
    scores = scored(UNEVEN, name, beta=beta)["scores"]
    p, r, f = (scores[prefix + x] for x in "prf")
    assert p < r
    assert f == near((1 + beta**2) * p * r / (beta**2 * p + r))


def test_beta_changes_the_f_of_the_slot_error_and_not_the_rate():
    one, two = (scored(UNEVEN, "slot_error", beta=beta)["scores"] for beta in (1, 2))
    assert one["ser"] == two["ser"]
    assert two["f"] == near(5 * 0.6 * 0.75 / (4 * 0.6 + 0.75))


@pytest.mark.parametrize("s", [0, 0.25, 0.75, 1])
def test_s_is_what_overlap_is_worth_to_loio(s):
    scores = scored(Document([(0, 4, "A"), (6, 8, "A")], [(0, 4, "A"), (6, 10, "A")]), "loio", s=s)["scores"]
    assert (scores["tp"], scores["fp"], scores["fn"]) == (1 + s / 2, 1 - s / 2, 1 - s / 2)


def test_loio_walks_from_the_left_or_looks_for_the_most_credit():
    doc = Document([(0, 10, "A")], [(0, 2, "A"), (2, 10, "A")])
    assert counted(doc, "loio", match="walk")["overlap"] == near(0.2)
    assert counted(doc, "loio", match="optimal")["overlap"] == near(0.8)


def test_the_first_gold_span_that_the_walk_overlaps_need_not_be_the_best():
    doc = Document([(0, 3, "A"), (2, 9, "A")], [(2, 8, "A")])
    assert counted(doc, "loio")["overlap"] == near(1 / 6)


def test_the_optimum_is_of_shares_and_not_of_characters():
    """4 of 10 are more than 8 of 28."""
    assert counted(Document([(0, 10, "A")], [(0, 4, "A"), (2, 30, "A")]), "loio", match="optimal")["overlap"] == near(
        0.4
    )


@pytest.mark.parametrize(
    ("gold", "pred", "confusion"),
    [
        pytest.param(
            [(0, 4, "A"), (0, 4, "B")],
            [(0, 4, "A"), (0, 4, "C")],
            {"A": {"A": 1}, "B": {"C": 1}},
            id="identical boundaries and label",
        ),
        pytest.param(
            [(0, 4, "A"), (3, 8, "B")],
            [(0, 1, "C"), (0, 4, "D")],
            {"A": {"D": 1}, "B": {"": 1}, "": {"C": 1}},
            id="identical boundaries before more pairs",
        ),
        pytest.param(
            [(0, 5, "A"), (5, 10, "B")],
            [(0, 2, "C"), (4, 6, "A")],
            {"A": {"C": 1}, "B": {"A": 1}},
            id="more pairs before the same label",
        ),
        pytest.param(
            [(0, 10, "A")],
            [(0, 2, "A"), (2, 10, "B")],
            {"A": {"A": 1}, "": {"B": 1}},
            id="the same label before shared characters",
        ),
        pytest.param(
            [(0, 10, "A")],
            [(0, 2, "B"), (2, 10, "C")],
            {"A": {"C": 1}, "": {"B": 1}},
            id="shared characters before the leftmost",
        ),
        pytest.param([(0, 10, "A")], [(0, 5, "B"), (5, 10, "C")], {"A": {"B": 1}, "": {"C": 1}}, id="the leftmost"),
    ],
)
def test_each_criterion_of_the_alignment_goes_before_the_next(gold, pred, confusion):
    assert scored(Document(gold, pred), "semeval")["confusion"] == confusion


@pytest.mark.parametrize(
    ("gold", "pred", "counts"),
    [
        pytest.param([(0, 2), (1, 2)], [(0, 3)], {"be_l": 2}, id="shortest gold span first"),
        pytest.param([(0, 6)], [(0, 2), (2, 8)], {"be_o": 1, "be_s": 1}, id="most shared units"),
        # [1, 3) takes [0, 4) and [1, 4) takes [1, 5); each leaves one unit to [1, 6), and [0, 4) one more outside it
        pytest.param(
            [(1, 3), (1, 4), (1, 6)],
            [(0, 4), (1, 5)],
            {"be_l": 2, "be_s": 1},
            id="fewest differing units that are left",
        ),
        # [5, 6) takes [3, 6) and [0, 4) takes [1, 6); each leaves two units to [2, 6)
        pytest.param(
            [(0, 4), (2, 6), (5, 6)], [(1, 6), (3, 6)], {"be_l": 1, "be_o": 1, "be_s": 1}, id="then the shorter"
        ),
        pytest.param([(1, 4), (3, 4)], [(2, 4), (3, 5)], {"be_l": 1, "be_o": 1}, id="then the leftmost"),
    ],
)
def test_fair_takes_the_most_similar_span(gold, pred, counts):
    doc = Document([(*span, "A") for span in gold], [(*span, "A") for span in pred])
    assert counted(doc, "fair") == counts


def test_of_two_spans_alike_but_for_their_labels_fair_takes_the_smaller_label():
    doc = Document([(0, 4, "A")], [(2, 6, "C"), (2, 6, "B")])
    assert scored(doc, "fair")["confusion"] == {"": {"C": 1}, "A": {"B": 1}}


def test_fair_finds_shared_tokens_where_no_character_is_shared():
    doc = Document([(4, 7, "A")], [(7, 10, "A")], TEXT, tokens=TOKENS)
    assert counted(doc, "fair", unit="char") == {"fn": 1, "fp": 1}
    assert counted(doc, "fair", unit="token") == {"be_o": 1}


@pytest.mark.parametrize("unit", ["char", "token"])
def test_fair_meets_the_span_with_which_most_units_are_shared(unit):
    """Two short tokens or one long one: what is left for the other prediction is the same, the partner is not."""
    doc = Document([(0, 10, "A")], [(0, 4, "A"), (4, 12, "A")], tokens=[(0, 2), (2, 4), (4, 10), (10, 12)])
    first = next(iter(create("fair", unit=unit).verdicts(doc)))
    assert (first.name, first.pred[:2]) == (("be_o", (4, 12)) if unit == "char" else ("be_s", (0, 4)))


def test_a_table_of_weights_names_the_errors_that_differ_from_fair():
    kinds = ("tp", "fp", "fn", "le", "be_s", "be_l", "be_o", "lbe")
    n = dict.fromkeys(kinds, 1)
    scores = create("fair", weights={"le": {"tp": 1}, "lbe": {"fp": 1, "fn": 1}}).formula(n)
    tp, fp, fn = 1 + 1, 1 + 3 * 0.5 + 1, 1 + 3 * 0.5 + 1
    assert (scores["p"], scores["r"]) == (near(tp / (tp + fp)), near(tp / (tp + fn)))


def test_weights_change_scores_and_never_counts():
    for name, options in (
        ("fair", [{"weights": w} for w in ("fair", "traditional", "boundary", "fine", {"le": {"tp": 1}})]),
        ("slot_error", [{"weights": w, "slots": s} for w in ("equal", "etape", {"d": 0}) for s in ("entity", "muc")]),
    ):
        counts = [scored(MIXED, name, **each)["counts"] for each in options]
        assert counts == counts[:1] * len(options)


def test_an_error_kind_that_a_table_leaves_out_costs_one():
    doc = Document([(0, 3, "A"), (4, 10, "A")], [(0, 3, "B"), (11, 14, "A")])  # a wrong type, a deletion, an insertion
    assert scored(doc, "slot_error", weights={"s_type": 0.25})["scores"]["ser"] == near(2.25 / 2)
    assert scored(doc, "slot_error", weights={"d": 0, "i": 3})["scores"]["ser"] == near(4 / 2)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("semeval", ("type_error", "extent_error", "both_error")),
        ("slot_error", ("s_type", "s_extent", "s_both")),
        ("fair", ("le", "be_l", "lbe")),
    ],
)
def test_focus_says_whose_label_a_pair_counts_for(name, kinds):
    other_label, same_label, neither = kinds
    rows = {
        focus: {
            label: {column: n for column, n in row["counts"].items() if n}
            for label, row in scored(MIXED, name, focus=focus)["per_type"].items()
        }
        for focus in ("target", "system")
    }
    assert rows["target"] == {"A": {other_label: 1, same_label: 1, neither: 1}, "B": {}}
    assert rows["system"] == {"A": {same_label: 1}, "B": {other_label: 1, neither: 1}}


def test_focus_does_not_change_what_concerns_one_side_only():
    doc = Document([(0, 3, "A")], [(4, 10, "B")])
    target, system = (scored(doc, "fair", focus=focus)["per_type"] for focus in ("target", "system"))
    assert target == system
    assert (target["A"]["counts"]["fn"], target["B"]["counts"]["fp"]) == (1, 1)


WORDS = Document(gold=[(4, 14, "A"), (23, 29, "A")], pred=[(4, 10, "A")], text=TEXT, tokens=TOKENS)


def test_words_are_counted_once_however_often_they_occur():
    assert counted(WORDS, "wrf") == {"match": 1, "gold": 2, "pred": 1, "documents": 1}
    assert counted(WORDS, "wrf", unique=False) == {"match": 1, "gold": 3, "pred": 1, "documents": 1}


def test_words_that_differ_in_case_are_one_word_unless_case_is_kept():
    assert counted(WORDS, "wrf", case="keep") == {"match": 1, "gold": 3, "pred": 1, "documents": 1}


def test_words_are_tokens_clipped_to_the_span_or_split_at_white_space():
    doc = Document([(0, 7, "A")], [(0, 8, "A")], "U.K.-led", tokens=[(0, 4), (4, 5), (5, 8)])
    assert counted(doc, "wrf", unigrams="token") == {"match": 2, "gold": 3, "pred": 3, "documents": 1}
    assert counted(doc, "wrf", unigrams="whitespace") == {"gold": 1, "pred": 1, "documents": 1}


def test_a_class_scores_its_mean_over_documents_or_from_all_words():
    """One word of one, and none of three."""
    corpus = [
        Document([(0, 3, "A")], [(0, 3, "A")], TEXT),
        Document([(0, 14, "A")], [], TEXT),
        Document([], [], TEXT),
    ]
    assert scored(corpus, "wrf", average="docs")["scores"]["wrf"] == near(1 / 2)
    assert scored(corpus, "wrf", average="micro")["scores"]["wrf"] == near(2 / 5)


def test_the_weights_of_the_classes_in_the_data_are_scaled_to_sum_to_1():
    weights = {"A": 0.2, "B": 0.2, "C": 0.5, "combined": 0.1}
    doc = Document([(0, 3, "A"), (4, 10, "B")], [(0, 3, "A")], TEXT)
    assert scored(doc, "wrf", weights=weights)["scores"]["wrf"] == near((0.2 * 1 + 0.2 * 0 + 0.1 * 2 / 3) / 0.5)


# Spans that are easily forgotten: of length zero, touching, doubled, ending within a token


# Spans that are easily forgotten


def one_of_each_side(name: str) -> dict[str, int]:
    """What a metric counts for a gold span and a prediction that have nothing to do with each other."""
    return {
        "strict": {"fn": 1, "fp": 1},
        "semeval": {"mis": 1, "spu": 1},
        "slot_error": {"d": 1, "i": 1},
        "loio": {"gold": 1, "pred": 1},
        "fair": {"fn": 1, "fp": 1},
    }[name]


@pytest.mark.parametrize("name", ALL[:-1])
@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ((0, 5, "A"), (5, 9, "A")),
        ((5, 9, "A"), (0, 5, "A")),
        ((3, 3, "A"), (4, 4, "A")),
        ((3, 3, "A"), (0, 9, "A")),
        ((3, 3, "A"), (3, 9, "A")),
        ((3, 3, "A"), (0, 3, "A")),
        ((0, 9, "A"), (3, 3, "A")),
        ((3, 9, "A"), (3, 3, "A")),
    ],
    ids=str,
)
def test_touching_spans_and_spans_of_length_zero_meet_nothing(name, gold, pred):
    assert counted(Document([gold], [pred]), name) == one_of_each_side(name)


@pytest.mark.parametrize(
    ("name", "same", "other_label"),
    [
        ("strict", {"tp": 1}, {"fn": 1, "fp": 1}),
        ("semeval", {"match": 1}, {"type_error": 1}),
        ("slot_error", {"c": 1}, {"s_type": 1}),
        ("loio", {"exact": 1, "gold": 1, "pred": 1}, {"gold": 1, "pred": 1}),
        ("fair", {"tp": 1}, {"le": 1}),
    ],
)
def test_spans_of_length_zero_match_where_their_boundaries_are_the_same(name, same, other_label):
    assert counted(Document([(3, 3, "A")], [(3, 3, "A")]), name) == same
    assert counted(Document([(3, 3, "A")], [(3, 3, "B")]), name) == other_label


@pytest.mark.parametrize("name", ALL)
def test_doubles_count_once(name):
    once = Document([(0, 3, "A"), (4, 10, "A")], [(0, 3, "A"), (4, 14, "A")], TEXT)
    twice = Document([*once.gold, *once.gold], [*once.pred, *once.pred], TEXT)
    assert scored(twice, name) == scored(once, name)


def test_a_document_sorts_its_spans_and_names_them():
    doc = Document([[4, 10, "B"], (0, 3, "A"), (4, 10, "A")], [])
    assert doc.gold == (Span(0, 3, "A"), Span(4, 10, "A"), Span(4, 10, "B"))
    assert doc.gold[0].label == "A"


def test_whole_numbers_of_any_kind_are_offsets():
    numpy = pytest.importorskip("numpy")
    doc = Document([(numpy.int64(0), numpy.int32(3), "A")], [])
    assert [type(value) for value in doc.gold[0]] == [int, int, str]


def test_an_empty_or_white_token_is_no_word():
    doc = Document([(0, 5, "A")], [], "a \t b", tokens=[(0, 1), (1, 1), (2, 3), (4, 5)])
    assert next(doc.unigrams([doc.gold[0]])) == ["a", "b"]


def test_a_span_that_ends_within_a_token_has_part_of_it_as_a_word():
    doc = Document([(1, 7, "A")], [], TEXT, tokens=TOKENS)
    assert next(doc.unigrams([doc.gold[0]])) == ["he", "scr"]
    assert doc.covered_tokens(doc.gold[0]) == (0, 2)
