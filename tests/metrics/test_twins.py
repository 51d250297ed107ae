"""The package against its brute-force twins: overall, per label, and by pairs of labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
import twins
import twins_fair_wrf
from asking import near, scored, tables
from hypothesis import example, given
from hypothesis import strategies as st
from profiles import tries
from strategies import corpora, nested

from spacy_nereval import Document, Span, create, score
from spacy_nereval.core import alignment as matching
from spacy_nereval.core.overlapping import overlaps

examples = tries(150)

STRICT = ("tp", "fp", "fn")
SEMEVAL = ("match", "type_error", "extent_error", "both_error", "mis", "spu")
SLOT_ERROR = ("c", "s_type", "s_extent", "s_both", "d", "i")
LOIO = ("exact", "overlap", "fn", "fp")
LOIO_COLUMNS = {"exact": ["exact"], "gold": ["exact", "overlap", "fn"], "pred": ["exact", "overlap", "fp"]}
FAIR = ("tp", "fp", "fn", "le", "be_s", "be_l", "be_o", "lbe")


def agree(
    found: Any,
    verdicts: Iterable[twins.Verdict],
    columns: Iterable[str] | Mapping[str, Iterable[str]],
    shown: Iterable[str],
    *,
    amounts: Iterable[str] = (),
    focus: str = "target",
) -> None:
    """The counts are those of the twin's verdicts, down to each label and cell."""
    verdicts = list(verdicts)
    columns = columns if isinstance(columns, Mapping) else {name: [name] for name in columns}
    total, rows = twins.tally(verdicts, columns, {name: [name] for name in amounts}, focus)
    for name in amounts:
        assert found.total.pop(name) == near(total.pop(name))
        assert {label: row.pop(name) for label, row in found.rows.items()} == {
            label: near(row.pop(name)) for label, row in rows.items()
        }
    assert found.total == total
    assert found.rows == rows
    assert found.confusion == twins.confusion(verdicts, shown)


# What overlaps what


@examples
@example(Document([(2, 2, "A")], [(2, 2, "B")]))  # empty, and at the same place
@example(Document([(2, 2, "A"), (4, 5, "A")], [(2, 2, "B")]))
@given(nested())
def test_overlaps_are_those_of_sets_of_characters(doc):
    pairs = {(i, j): (g, p) for i, g in enumerate(doc.gold) for j, p in enumerate(doc.pred)}
    shared = {ij: len(twins.characters(g) & twins.characters(p)) for ij, (g, p) in pairs.items()}
    met = sorted((*ij, shared[ij]) for ij, (g, p) in pairs.items() if shared[ij] or g[:2] == p[:2])
    assert overlaps(doc.gold, doc.pred) == met
    assert all(g.overlaps(p) is bool(shared[ij]) for ij, (g, p) in pairs.items())


@examples
@example(Document([(0, 9, "A"), (1, 2, "A")], [(5, 6, "B")]))  # the longest span is not the last that began
@given(nested())
def test_overlap_groups_hold_every_span_but_the_hits_and_share_no_character(doc):
    assert sorted(span for group in doc.overlap_groups for span in group.gold) == sorted(set(doc.gold) - set(doc.pred))
    assert sorted(span for group in doc.overlap_groups for span in group.pred) == sorted(set(doc.pred) - set(doc.gold))
    spans = [(k, span) for k, group in enumerate(doc.overlap_groups) for span in (*group.gold, *group.pred)]
    assert all(k == m or not (a.overlaps(b) or a[:2] == b[:2]) for k, a in spans for m, b in spans)


def test_spans_that_touch_are_judged_apart():
    doc = Document([(0, 5, "A"), (5, 5, "A")], [(5, 9, "A"), (9, 12, "B")])
    assert [len(group.gold) + len(group.pred) for group in doc.overlap_groups] == [1, 1, 1, 1]


@examples
@given(nested())
def test_covered_tokens_are_those_that_share_a_character(doc):
    for span in doc.gold:
        covered = [k for k, token in enumerate(doc.tokens) if twins.characters(token) & twins.characters(span)]
        assert list(range(*doc.covered_tokens(span))) == covered


@pytest.mark.parametrize(("case", "by"), [("lower", "token"), ("keep", "token"), ("lower", "whitespace")])
@examples
@given(doc=nested())
def test_the_words_of_a_span_are_those_cut_out_by_hand(case, by, doc):
    for span in doc.gold:
        assert [*doc.unigrams([span], case=case, by=by)] == [twins_fair_wrf.words(span, doc.text, doc.tokens, case, by)]


# Pairings


def heaviest(edges: Mapping[int, Mapping[int, int]]) -> list[tuple[int, int]]:
    """By trying all: the pairs of greatest weight, and of several the leftmost."""
    steps = [(i, j) for i in edges for j in edges[i]]
    pairs = min(twins.pairings(steps), key=lambda pairs: (-sum(edges[i][j] for i, j in pairs), sorted(pairs)))
    return sorted(pairs)


@examples
@given(st.dictionaries(st.integers(0, 3), st.dictionaries(st.integers(0, 3), st.integers(1, 4), min_size=1)))
def test_best_pairs_are_the_heaviest_and_then_the_leftmost(edges):
    assert list(matching.best_pairs(edges).items()) == heaviest(edges)


@examples
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 3)), max_size=8))
def test_best_pairs_of_a_chain_are_the_heaviest_and_then_the_leftmost(walk):
    """In a chain every edge shares its left or its right end with the edge before it."""
    edges, i, j = {0: {0: 1}}, 0, 0
    for down, weight in walk:
        i, j = (i + 1, j) if down else (i, j + 1)
        edges.setdefault(i, {})[j] = weight
    assert list(matching.best_pairs(edges).items()) == heaviest(edges)


@examples
@given(nested())
def test_the_alignment_is_the_greatest_of_all_pairings(doc):
    pairs = [(span, span) for span in doc.hits]
    pairs += [(gold, pred) for group in doc.overlap_groups for gold, pred in group.alignment if gold and pred]
    assert sorted(pairs) == sorted(twins.alignment(doc.gold, doc.pred))


# Metric by metric


@examples
@given(nested())
def test_strict_is_set_arithmetic(doc):
    agree(tables(doc, "strict"), twins.strict(doc.gold, doc.pred), STRICT, STRICT)


@pytest.mark.parametrize(("name", "verdicts"), [("semeval", SEMEVAL), ("slot_error", SLOT_ERROR)])
@examples
@given(doc=nested())
def test_semeval_and_slot_error_count_the_pairs_of_the_alignment(name, verdicts, doc):
    expected = list(twins.aligned(doc.gold, doc.pred, verdicts))
    for focus in ("target", "system"):
        agree(tables(doc, name, focus=focus), expected, verdicts, verdicts, focus=focus)


@tries(100)
@given(nested())
def test_the_four_schemes_are_those_of_the_table(doc):
    result = scored(doc, "semeval")
    assert result["schemes"] == twins.schemes(result["counts"])


@pytest.mark.parametrize("match", ["walk", "optimal"])
@examples
@given(doc=nested())
def test_loio_walks_or_finds_the_optimum(match, doc):
    verdicts = twins.loio(doc.gold, doc.pred, optimal=match == "optimal")
    agree(tables(doc, "loio", match=match), verdicts, LOIO_COLUMNS, LOIO, amounts=["overlap"])


@pytest.mark.parametrize("most", [5, 10])
@pytest.mark.parametrize("unit", ["char", "token"])
@examples
@given(data=st.data())
def test_fair_is_algorithm_2(unit, most, data):
    doc = data.draw(nested(most))
    expected = list(twins_fair_wrf.fair(doc.gold, doc.pred, doc.tokens if unit == "token" else None))
    for focus in ("target", "system"):
        agree(tables(doc, "fair", unit=unit, focus=focus), expected, FAIR, FAIR[1:], focus=focus)


@pytest.mark.parametrize(
    ("name", "options", "twin"),
    [
        ("strict", {}, lambda doc: twins.strict(doc.gold, doc.pred)),
        ("semeval", {}, lambda doc: twins.aligned(doc.gold, doc.pred, SEMEVAL)),
        ("slot_error", {}, lambda doc: twins.aligned(doc.gold, doc.pred, SLOT_ERROR)),
        ("loio", {}, lambda doc: twins.loio(doc.gold, doc.pred)),
        ("loio", {"match": "optimal"}, lambda doc: twins.loio(doc.gold, doc.pred, optimal=True)),
        ("fair", {}, lambda doc: twins_fair_wrf.fair(doc.gold, doc.pred)),
        ("fair", {"unit": "token"}, lambda doc: twins_fair_wrf.fair(doc.gold, doc.pred, doc.tokens)),
    ],
    ids=["strict", "semeval", "slot_error", "loio-walk", "loio-optimal", "fair-char", "fair-token"],
)
@tries(200)
@given(doc=nested())
def test_every_verdict_is_the_twin_s(name, options, twin, doc):
    """The same name for the same two spans, not only as many of them."""
    found = {(v.name, v.gold, v.pred): v.amount for v in create(name, **options).verdicts(doc)}
    assert found == {(name, gold, pred): near(amount) for name, gold, pred, amount in twin(doc)}


OWN = {"A": 0.1, "B": 0.2, "C": 0.15, "D": 0.25, "combined": 0.3}
WRF_OPTIONS = [
    {"weights": weights, "average": average} for weights in ("strict", "lenient", OWN) for average in ("docs", "micro")
] + [{"unique": False}, {"case": "keep"}, {"unigrams": "whitespace"}]


@pytest.mark.parametrize("options", WRF_OPTIONS, ids=lambda options: "-".join(str(v)[:9] for v in options.values()))
@tries(120)
@given(corpus=corpora())
def test_wrf_is_its_definition(options, corpus):
    result = scored(corpus, "wrf", **options)
    twin = twins_fair_wrf.wrf(corpus, **options)
    assert result["scores"]["wrf"] == near(twin.wrf)
    assert result["counts"] == result["combined"]["counts"]
    rows = result["per_type"] | {"combined": result["combined"]}
    assert twin.counts.keys() <= rows.keys()
    for label, row in rows.items():
        match, pred, gold, documents = twin.counts.get(label, (0, 0, 0, 0))
        assert row["counts"] == {"match": match, "gold": gold, "pred": pred, "documents": documents}
        scores = twin.scores.get(label, dict.fromkeys(("r1_p", "r1_r", "r1_f")))
        assert row["scores"] == {x: near(value) for x, value in scores.items()}


# Averages


@tries(80)
@given(corpora(most=4))
def test_averages_are_means_of_what_is_defined(corpus):
    labels = sorted({span.label for doc in corpus for span in (*doc.gold, *doc.pred)})
    support = [sum(span.label == label for doc in corpus for span in doc.gold) for label in labels]
    result = score(corpus)["metrics"]
    single = [score([doc])["metrics"] for doc in corpus]
    for name in result:
        rows = [result[name]["per_type"][label]["scores"] for label in labels]
        documents = [alone[name]["scores"] for alone in single]
        for average, scores, weights in (("macro", rows, None), ("weighted", rows, support), ("docs", documents, None)):
            counts = {score.name for score in create(name).scores if score.unit == "count"}
            for key in set(scores[0] if scores else ()) - counts:
                mean, undefined = twins.mean([row[key] for row in scores], weights)
                assert result[name]["averages"][average][key] == near(mean), (name, average, key)
                assert result[name]["averages"][average]["undefined"][key] == undefined, (name, average, key)


# The twins themselves


def test_the_twins_give_an_answer_worked_by_hand():
    """The first prediction takes its characters from the gold span; the second meets what is left."""
    gold, small, other = Span(0, 10, "A"), Span(0, 3, "A"), Span(2, 8, "B")
    assert list(twins_fair_wrf.fair([gold], [small, other])) == [("be_s", gold, small, 1), ("lbe", gold, other, 1)]
    assert list(twins_fair_wrf.fair([gold], [small, Span(0, 2, "B")])) == [
        ("be_s", gold, small, 1),
        ("fp", None, (0, 2, "B"), 1),
    ]
    assert twins.alignment([gold], [small, other]) == [(gold, small)]
    assert twins_fair_wrf.rouge_counts(
        Document([gold], [small], "ab a ab ba", tokens=[(0, 2), (3, 4), (5, 7), (8, 10)])
    ) == {
        "A": (1, 1, 3),
        "combined": (1, 1, 3),
    }
