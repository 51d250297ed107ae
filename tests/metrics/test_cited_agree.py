"""The measures that the papers cite agree with brute force and with libraries."""

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
import twins
import twins_cited
from asking import counted, near, scored
from cited import examples, f1, scores, some
from hypothesis import example, given
from hypothesis import strategies as st
from profiles import tries
from strategies import corpora, nested

from spacy_nereval import Document, create
from spacy_nereval.core.alignment import closest_pairs

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
