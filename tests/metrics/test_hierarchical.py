"""Labels with levels: the worked example, and a twin that replaces every span by all that its label stands for."""

from __future__ import annotations

from fractions import Fraction

from asking import counted, near, scored, tables
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries

from spacy_nereval import Document, create
from spacy_nereval.core.labels import label_rules
from spacy_nereval.core.spans import relabelled

PAIRS = [("A/B", "A/B"), ("A/B/C", "A/B"), ("A/B", "A/D"), ("E/F", "G/H"), ("I/J", None), (None, "K")]
EXAMPLE = Document(
    [(2 * k, 2 * k + 1, gold) for k, (gold, _) in enumerate(PAIRS) if gold],
    [(2 * k, 2 * k + 1, pred) for k, (_, pred) in enumerate(PAIRS) if pred],
)
LABELS = ("A", "A/B", "A/B/C", "A/C", "B", "B/A", "A/B/C/D")


def test_the_worked_example():
    scores = scored(EXAMPLE, "hierarchical")["scores"]
    assert [scores[x] for x in "prf"] == [near(Fraction(5, 9)), near(Fraction(5, 11)), near(Fraction(1, 2))]
    assert [scores[f"depth{k}_f"] for k in (1, 2, 3)] == [near(Fraction(n, 5)) for n in (3, 2, 1)]


def expanded(spans, sep):
    """Every span once for each level of its label, counted from the top."""
    parts = [(start, end, label.split(sep)) for start, end, label in spans]
    return {(start, end, tuple(names[: k + 1])) for start, end, names in parts for k in range(len(names))}


def cut(spans, sep, depth):
    return {(start, end, tuple(label.split(sep)[:depth])) for start, end, label in spans}


@st.composite
def documents(draw):
    span = st.tuples(st.integers(0, 3), st.integers(3, 5), st.sampled_from(LABELS))
    return Document(draw(st.lists(span, max_size=5)), draw(st.lists(span, max_size=5)))


@tries(200)
@given(corpus=st.lists(documents(), max_size=3), sep=st.sampled_from("/B"))
def test_the_counts_are_those_of_the_twin(corpus, sep):
    corpus = [
        Document(*([(a, b, x.replace("/B", "/b") if sep == "B" else x) for a, b, x in side] for side in doc.sides))
        for doc in corpus
    ]
    corpus = [doc for doc in corpus if sep == "/" or not any(x.startswith("B") for s in doc.sides for *_, x in s)]
    expected = dict.fromkeys(("tp", "fp", "fn", *(f"depth{k}_{x}" for k in (1, 2, 3) for x in ("tp", "fp", "fn"))), 0)
    for doc in corpus:
        sets = {"": [expanded(side, sep) for side in doc.sides]}
        sets |= {f"depth{k}_": [cut(side, sep, k) for side in doc.sides] for k in (1, 2, 3)}
        for prefix, (gold, pred) in sets.items():
            for name, found in (("tp", gold & pred), ("fp", pred - gold), ("fn", gold - pred)):
                expected[prefix + name] += len(found)
    assert tables(corpus, "hierarchical", sep=sep).total == expected


@tries(60)
@given(corpus=st.lists(documents(), max_size=3), depth=st.integers(1, 3))
def test_a_depth_scores_as_strict_with_labels_cut_to_it(corpus, depth):
    found = scored(corpus, "hierarchical")["scores"]
    strict = scored([*relabelled(corpus, label_rules(depth=depth))], "strict")["scores"]
    assert {x: found[f"depth{depth}_{x}"] for x in "prf"} == strict


def test_labels_without_levels_score_as_in_strict():
    doc = Document([(0, 1, "A"), (2, 3, "B"), (4, 5, "B")], [(0, 1, "A"), (2, 3, "A")])
    found = counted(doc, "hierarchical")
    assert {name: n for name, n in found.items() if "_" not in name} == counted(doc, "strict")


def test_as_many_depths_as_asked_for():
    names = {score.name for score in create("hierarchical", depths=4).scores}
    assert {"depth4_f"} <= names and "depth5_f" not in names
