"""The measures that the papers cite: worked by hand, against brute force, and against libraries."""

import random
from collections import Counter
from fractions import Fraction
from math import log2
from typing import Any

import pytest
import twins
import twins_cited
from asking import counted, near, scored
from cited import examples, f1, scores, some
from hypothesis import example, given
from hypothesis import strategies as st
from profiles import tries
from strategies import corpora, flat, nested
from toy import TOY

from spacy_nereval import Document, create
from spacy_nereval.core.alignment import closest_pairs

COLUMNS = {
    "token": ("tp", "fp", "fn", "correct", "tokens"),
    "overlap": ("covered_gold", "gold", "covered_pred", "pred"),
    "plagdet": ("covered_gold", "gold", "covered_pred", "pred", "detected", "detections"),
}

# The toy sentence, by hand


@pytest.mark.parametrize(
    ("name", "options", "counts", "p", "r"),
    [
        ("char", {}, (18, 19, 29), "18/37", "18/47"),
        ("char", {"typed": False}, (31, 6, 16), "31/37", "31/47"),
        # Barack Obama Merkel; Monday and New York City as ORG; Angela, New York City and Acme Corp; 7 of 16 wrong
        ("token", {}, (3, 4, 6, 9, 16), "3/7", "3/9"),
        # Merkel begins one span and continues the other
        ("token", {"scheme": "bio"}, (2, 5, 7, 8, 16), "2/7", "2/9"),
        ("relaxed", {}, (3, 1, 1), "3/4", "3/4"),
        ("relaxed", {"typed": True}, (2, 2, 2), "1/2", "1/2"),
        ("relaxed", {"strong": True}, (2, 2, 2), "1/2", "1/2"),
        ("relaxed", {"typed": True, "strong": True}, (1, 3, 3), "1/4", "1/4"),
        ("overlap", {}, (Fraction(32, 13), 4, 3, 4), "3/4", "8/13"),
        ("overlap", {"typed": True}, (Fraction(19, 13), 4, 2, 4), "1/2", "19/52"),
        ("plagdet", {}, (Fraction(32, 13), 4, 3, 4, 3, 3), "3/4", "8/13"),
        ("plagdet", {"average": "micro"}, (31, 47, 31, 37, 3, 3), "31/37", "31/47"),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else None,
)
def test_the_toy_sentence_scores_what_it_does_by_hand(name, options, counts, p, r):
    result = scored(TOY, name, **options)
    assert result["counts"] == dict(zip(COLUMNS.get(name, ("tp", "fp", "fn")), map(near, counts), strict=True))
    p, r = Fraction(p), Fraction(r)
    assert {x: result["scores"][x] for x in "prf"} == {"p": near(p), "r": near(r), "f": near(f1(p, r))}


def test_the_accuracy_of_the_toy_sentence_counts_the_tokens_outside_all_entities_too():
    assert scores(TOY, "token")["accuracy"] == Fraction(9, 16)
    assert scores(TOY, "token", scheme="bio")["accuracy"] == Fraction(8, 16)


def test_the_value_of_the_toy_sentence_is_a_hit_a_slip_half_a_mix_up_and_a_false_alarm():
    result = scored(TOY, "ace")
    assert result["counts"] == {"pairs": 2.5, "false_alarms": 1, "gold": 4}
    assert result["scores"] == {"value": Fraction(7, 16)}
    assert result["confusion"] == {"": {"PER": 1}, "GPE": {"ORG": 1}, "ORG": {"": 1}, "PER": {"PER": 2}}


def test_the_toy_sentence_per_label():
    """A mix-up is a miss of one label and a false alarm of the other; a pair counts for the gold label."""
    for name, expected in (
        ("char", {"GPE": (0, 0, 13), "ORG": (0, 13, 9), "PER": (18, 6, 7)}),
        ("relaxed", {"GPE": (1, 0, 0), "ORG": (0, 0, 1), "PER": (2, 1, 0)}),
    ):
        rows = scored(TOY, name)["per_type"].items()
        assert {label: tuple(row["counts"][x] for x in ("tp", "fp", "fn")) for label, row in rows} == expected
    matrix = {"": {"PER": 6}, "GPE": {"ORG": 13}, "ORG": {"": 9}, "PER": {"": 7, "PER": 18}}
    assert scored(TOY, "char", typed=False)["confusion"] == matrix


# The other worked numbers


LOREHLT = Document(gold=[(1, 11, "A"), (12, 13, "A")], pred=[(1, 6, "A"), (6, 13, "A")])


@pytest.mark.parametrize(
    ("recall", "precision", "p", "r"),
    [
        ("max", "max", Fraction(6, 7), Fraction(3, 4)),
        ("max", "sum", Fraction(13, 14), Fraction(3, 4)),
        ("sum", "max", Fraction(6, 7), 1),
        ("sum", "sum", Fraction(13, 14), 1),
    ],
)
def test_a_split_span_is_covered_in_part_by_the_one_and_wholly_by_the_sum(recall, precision, p, r):
    found = scores(LOREHLT, "overlap", recall=recall, precision=precision)
    assert found == {"p": near(p), "r": near(r), "f": near(f1(p, r))}


PLAGDET = Document(
    gold=[(0, 10, "A"), (20, 40, "A"), (50, 60, "A")],
    pred=[(0, 10, "A"), (22, 30, "A"), (32, 44, "A"), (70, 75, "A")],
)


@pytest.mark.parametrize(
    ("average", "p", "r", "expected"),
    [("macro", Fraction(2, 3), Fraction(3, 5), 0.477771), ("micro", Fraction(26, 35), Fraction(26, 40), 0.524486)],
)
def test_a_span_found_in_two_pieces_has_its_granularity_taken_off(average, p, r, expected):
    found = scores(PLAGDET, "plagdet", average=average)
    assert found["granularity"] == Fraction(3, 2)
    assert (found["p"], found["r"], found["f"]) == (near(p), near(r), near(f1(p, r)))
    assert found["plagdet"] == near(f1(p, r) / Fraction(log2(2.5)))
    assert round(found["plagdet"], 6) == expected


@pytest.mark.parametrize(
    ("gold", "pred", "value"),
    [
        ([(0, 10, "P")], [(0, 10, "O"), (5, 12, "P")], Fraction(1, 4)),
        ([(0, 10, "P"), (10, 20, "O")], [(0, 20, "O")], Fraction(1, 2)),
        ([(0, 20, "P")], [(0, 10, "P"), (10, 20, "P")], Fraction(1, 4)),
        ([], [(0, 10, "P")], None),
        ([(0, 10, "P")], [], 0),
        ([(0, 10, "P")], [(20, 30, "P"), (40, 50, "P")], Fraction(-3, 2)),
        ([(0, 10, "P")], [(0, 3, "P")], 1),  # three tenths are enough
        ([(0, 10, "P")], [(8, 11, "P")], Fraction(-3, 4)),
    ],
)
def test_the_value_of_a_mapping_is_what_it_is_by_hand(gold, pred, value):
    assert scores(Document(gold, pred), "ace")["value"] == near(value)


@pytest.mark.parametrize("tenths", range(1, 11))
def test_the_gate_of_ace_is_the_number_as_it_is_written(tenths):
    """0.1 is a little more than a tenth and 0.3 a little less, for those who compare floats."""
    gold, at, below = ([(0, length, "P")] for length in (100, 10 * tenths, 10 * tenths - 1))
    values = [scores(Document(gold, pred), "ace", min_overlap=tenths / 10)["value"] for pred in (at, below)]
    assert values == [1, -0.75]


def test_block_labels_weigh_gold_spans_pairs_and_false_alarms():
    """Weights 2 and .5: the smaller one of a mix-up counts, times .5."""
    doc = Document([(0, 10, "P"), (20, 30, "P"), (40, 50, "O")], [(0, 10, "P"), (20, 30, "Q"), (60, 70, "Q")])
    result = scored(doc, "ace", weights={"P": 2, "Q": 0.5})
    assert result["counts"] == {"pairs": 2.25, "false_alarms": 0.5, "gold": 5}
    assert result["scores"]["value"] == near(Fraction(9, 4) / 5 - Fraction(3, 4) * Fraction(1, 2) / 5)
    assert {label: row["counts"]["gold"] for label, row in result["per_type"].items()} == {"O": 1, "P": 4, "Q": 0}


# Where a cited program says something else


def test_gerbil_counts_one_pair_or_two_depending_on_list_order_and_relaxed_always_two():
    gold, pred = [(0, 10, "A"), (0, 4, "A")], [(0, 4, "A"), (6, 10, "A")]
    assert twins_cited.in_list_order(gold, pred) == (1, 1, 1)
    assert twins_cited.in_list_order(gold[::-1], pred) == (2, 0, 0)
    for order in (1, -1):
        assert counted(Document(gold[::order], pred), "relaxed") == {"tp": 2}


def test_plagdet_of_nested_spans_that_are_all_found_is_below_1():
    """Each of two nested gold spans overlaps both predictions, as its authors' program counts them too."""
    gold = [(0, 10, "A"), (2, 5, "A")]
    found = scores(Document(gold, gold), "plagdet")
    assert (found["f"], found["granularity"], found["plagdet"]) == (1, 2, near(1 / Fraction(log2(3))))


@some
@given(corpora(flat()))
def test_plagdet_of_flat_spans_that_are_all_found_is_1(corpus):
    corpus = [Document(doc.gold, doc.gold) for doc in corpus]
    expected = 1 if any(doc.gold for doc in corpus) else None
    for average in ("macro", "micro"):
        assert scores(corpus, "plagdet", average=average)["plagdet"] == expected


def test_ace_with_the_class_and_role_of_nist_s_program_is_lower_than_with_the_type_alone():
    """.5 for the type; NIST's program takes .9 more for the class and again for the role, .405."""
    assert scores(TOY, "ace")["value"] == near(Fraction(7, 16))
    assert scores(TOY, "ace", type_error=0.405)["value"] == near(Fraction("1.655") / 4)


# The package against brute force


def agree(name: str, doc: Document, expected: Any, **options: Any) -> None:
    """Every verdict: the same name for the same spans with the same amount, and no other."""
    found = list(create(name, **options).verdicts(doc))
    verdicts = {verdict[:3]: verdict.amount for verdict in found}
    assert len(verdicts) == len(found)
    assert verdicts == {(kind, gold, pred): near(amount) for kind, gold, pred, amount in expected}


EMPTY_SPAN = Document([(0, 9, "A"), (4, 4, "A")], [(0, 9, "A"), (0, 3, "B")], "New White", tokens=[(0, 3), (4, 9)])
"""A span of length zero at the start of a token, which it does not make a first one."""


@pytest.mark.parametrize("scheme", ["plain", "bio"])
@examples
@example(doc=EMPTY_SPAN)
@given(doc=nested())
def test_token_compares_sets_of_tags(scheme, doc):
    agree("token", doc, twins_cited.token(doc.gold, doc.pred, doc.tokens, scheme), scheme=scheme)


@pytest.mark.parametrize("typed", [True, False])
@examples
@given(doc=nested())
def test_char_compares_sets_of_characters(typed, doc):
    agree("char", doc, twins_cited.char(doc.gold, doc.pred, typed), typed=typed)


@pytest.mark.parametrize("strong", [False, True])
@pytest.mark.parametrize("typed", [False, True])
@examples
@given(doc=nested())
def test_relaxed_has_the_most_pairs_of_all_pairings(typed, strong, doc):
    expected = twins_cited.relaxed(doc.gold, doc.pred, typed, strong)
    agree("relaxed", doc, expected, typed=typed, strong=strong)


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("recall", ["max", "sum"])
@pytest.mark.parametrize("precision", ["max", "sum"])
@tries(80)
@given(doc=nested())
def test_overlap_is_the_mean_share_that_is_covered(typed, recall, precision, doc):
    expected = list(twins_cited.overlap(doc.gold, doc.pred, recall, precision, typed))
    agree("overlap", doc, expected, recall=recall, precision=precision, typed=typed)
    shares = [[share for _, span, _, share in expected if span], [share for _, span, _, share in expected if not span]]
    r, p = (sum(side) / len(side) if side else None for side in shares)
    f = None if p is None and r is None else f1(p, r) if p and r else 0
    found = scores(doc, "overlap", recall=recall, precision=precision, typed=typed)
    assert found == {"p": near(p), "r": near(r), "f": near(f)}


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("average", ["macro", "micro"])
@examples
@given(doc=nested())
def test_plagdet_is_its_four_equations(typed, average, doc):
    expected = list(twins_cited.plagdet(doc.gold, doc.pred, average, typed))
    agree("plagdet", doc, expected, average=average, typed=typed)
    number: Counter = Counter()
    for name, gold, _, amount in expected:
        number[name] += amount
        if name not in ("detected", "fragment"):
            number["gold" if gold else "pred"] += 1 if average == "macro" else amount
    r, p = (Fraction(number[f"covered_{x}"], number[x]) if number[x] else None for x in ("gold", "pred"))
    pieces = number["detected"] + number["fragment"], number["detected"]
    f, granularity, plagdet = twins_cited.plagdet_score(p, r, *pieces)
    assert scores(doc, "plagdet", average=average, typed=typed) == {
        "p": near(p),
        "r": near(r),
        "f": near(f),
        "granularity": near(granularity),
        "plagdet": near(plagdet),
    }


ACE_OPTIONS = [
    {},
    {"type_error": 0.405},
    {"min_overlap": 0, "type_error": 0, "false_alarm": 0},
    {"min_overlap": 0.5, "weights": {"A": 2, "B": 0.3}},
    {"min_overlap": 0, "false_alarm": 0.1, "type_error": 0.9, "weights": {"A": 0, "B": 3}},
    {"min_overlap": 1},
]


@examples
@given(doc=nested(), data=st.data())
def test_closest_pairs_are_worth_the_most_then_the_most_then_the_closest_then_the_leftmost(doc, data):
    allowed = [(i, j) for i in range(len(doc.gold)) for j in range(len(doc.pred))]
    worth = {pair: data.draw(st.integers(0, 2)) for pair in allowed if data.draw(st.booleans())}

    def rank(pairs: list[tuple[int, int]]) -> tuple:
        apart = sum(abs(doc.gold[i][k] - doc.pred[j][k]) for i, j in pairs for k in (0, 1))
        return -sum(worth[pair] for pair in pairs), -len(pairs), apart, sorted(pairs)

    best = min(twins.pairings(sorted(worth)), key=rank)
    found = closest_pairs(doc.gold, doc.pred, worth)
    assert [(g, p) for g, p in found if g and p] == [(doc.gold[i], doc.pred[j]) for i, j in sorted(best)]
    assert sorted(g for g, _ in found if g) == list(doc.gold)
    assert sorted(p for _, p in found if p) == list(doc.pred)


def test_three_pairs_far_apart_are_more_than_two_close_ones():
    gold, pred = ([(at, at + 1, "A") for at in side] for side in ((100, 200, 300), (0, 100, 200)))
    worth = dict.fromkeys([(0, 0), (1, 1), (2, 2), (0, 1), (1, 2)], 0)
    assert closest_pairs(gold, pred, worth) == list(zip(gold, pred))


@pytest.mark.parametrize("options", ACE_OPTIONS, ids=str)
@examples
@given(doc=nested())
def test_ace_finds_the_mapping_of_greatest_value(options, doc):
    exact = {
        key: {label: Fraction(str(w)) for label, w in value.items()} if key == "weights" else Fraction(str(value))
        for key, value in options.items()
    }
    value, verdicts = twins_cited.ace(doc.gold, doc.pred, **exact)
    agree("ace", doc, verdicts, **options)
    assert scores(doc, "ace", **options)["value"] == near(value)


@some
@given(corpora())
def test_the_rows_of_token_sum_to_the_total_but_for_what_counts_no_label(corpus):
    for scheme in ("plain", "bio"):
        result = scored(corpus, "token", scheme=scheme)
        rows = [row["counts"] for row in result["per_type"].values()]
        for column in ("tp", "fp", "fn"):
            assert result["counts"][column] == sum(row[column] for row in rows)
        assert all((row["correct"], row["tokens"]) == (0, 0) for row in rows)
        assert result["counts"]["tokens"] == sum(len(doc.tokens) for doc in corpus)


# Libraries, on documents too large for brute force


def crowded(seed: int, spans: int) -> Document:
    """Spans that overlap a few others of each side, of all lengths and three labels."""
    draw = random.Random(seed)

    def side() -> list[tuple[int, int, str]]:
        starts = [draw.randrange(4 * spans) for _ in range(spans)]
        return [(start, start + draw.choice((0, 1, 2, 5, 9, 30)), draw.choice("ABC")) for start in starts]

    return Document(side(), [*side(), (0, 4 * spans, "A")])


@pytest.mark.parametrize("seed", range(4))
def test_relaxed_has_as_many_pairs_as_scipy_finds(seed):
    sparse = pytest.importorskip("scipy.sparse")
    from scipy.sparse.csgraph import maximum_bipartite_matching

    doc = crowded(seed, 150)
    for typed in (False, True):
        met = [[twins_cited.meet(g, p) and (not typed or g[2] == p[2]) for p in doc.pred] for g in doc.gold]
        pairs = maximum_bipartite_matching(sparse.csr_matrix(met), perm_type="column")
        assert counted(doc, "relaxed", typed=typed)["tp"] == (pairs >= 0).sum()


@pytest.mark.parametrize("seed", range(10))
def test_the_value_of_ace_is_that_of_scipy_s_assignment(seed):
    optimize = pytest.importorskip("scipy.optimize")
    doc = crowded(seed, 150)
    gain = [[0.0] * len(doc.pred) for _ in doc.gold]
    for i, g in enumerate(doc.gold):
        for j, p in enumerate(doc.pred):
            shared, longer = min(g.end, p.end) - max(g.start, p.start), max(g.end - g.start, p.end - p.start)
            if g[:2] == p[:2] or 10 * shared >= 3 * longer > 0:
                gain[i][j] = 0.75 + (1 if g.label == p.label else 0.5)
    rows, columns = optimize.linear_sum_assignment(gain, maximize=True)
    total = sum(gain[i][j] for i, j in zip(rows, columns)) - 0.75 * len(doc.pred)
    assert scores(doc, "ace")["value"] == near(total / len(doc.gold))


# The measures that the papers cite agree with each other where they have to


def test_of_spans_that_do_not_overlap_the_closest_is_the_partner():
    gold, pred = [(2, 8, "A")], [(0, 1, "A"), (0, 2, "A")]
    assert closest_pairs(gold, pred, {(0, 0): 1, (0, 1): 1})[0] == (gold[0], pred[1])
