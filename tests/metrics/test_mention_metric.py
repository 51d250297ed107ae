"""The metrics mentions, of strings with labels, and hierarchical, of labels with levels."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from asking import counted, near, scored, tables
from compared import compare
from hypothesis import given
from hypothesis import strategies as st
from places import DATA
from profiles import tries
from refusals import refused_with
from strategies import nested

from spacy_nereval import Document, count, create, evaluate
from spacy_nereval.core.labels import label_rules
from spacy_nereval.core.spans import Span, relabel
from spacy_nereval.counting.sums import Slot, slots
from spacy_nereval.counting.table import sum_counts
from spacy_nereval.io.formats.settings import Format
from spacy_nereval.io.read import read_files
from spacy_nereval.metrics.mentions import universalner

TEXT = "Bob met BOB . The Bob . bob"
DOC = Document(
    [(0, 3, "PER"), (8, 11, "PER"), (24, 27, "ORG")], [(0, 3, "PER"), (14, 21, "PER"), (24, 27, "PER")], TEXT
)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"tp": 1, "fp": 1, "fn": 1}),  # bob; The Bob; bob as ORG
        ({"multiset": True}, {"tp": 2, "fp": 1, "fn": 1}),
        ({"normalise": "exact"}, {"tp": 1, "fp": 2, "fn": 2}),
        ({"normalise": "universalner"}, {"tp": 1, "fn": 1}),
        ({"normalise": "universalner", "multiset": True}, {"tp": 2, "fp": 1, "fn": 1}),
    ],
)
def test_what_counts_as_the_same_string(options, expected):
    assert counted(DOC, "mentions", **options) == expected


@tries(150)
@given(
    corpus=st.lists(nested(), max_size=3),
    normalise=st.sampled_from(["exact", "universalner"]),
    multiset=st.booleans(),
)
def test_the_counts_are_those_of_the_twin(corpus, normalise, multiset):
    expected = Counter(tp=0, fp=0, fn=0)
    for doc in corpus:
        fold = str if normalise == "exact" else universalner
        gold, pred = (Counter((fold(doc.text[a:b]), x) for a, b, x in side) for side in doc.sides)
        if not multiset:
            gold, pred = Counter([*gold]), Counter([*pred])
        expected += Counter(tp=(gold & pred).total(), fp=(pred - gold).total(), fn=(gold - pred).total())
    assert tables(corpus, "mentions", normalise=normalise, multiset=multiset).total == {
        name: expected[name] for name in ("tp", "fp", "fn")
    }


def test_universalner_leaves_out_what_it_takes_for_articles():
    words = {"vitamin A": "vitamin", "C++": "c", "The  U.S. ": "us", "an apple a day": "apple day", "Ada’s": "ada’s"}
    assert {word: universalner(word) for word in words} == words


# Strings of the whole corpus


def hits(corpus, **options):
    return scored(corpus, "mentions", scope="hits", **options)


def surface_f(corpus):
    """Unique surfaces with labels; those with a span in place are found."""
    sides = [{(doc.text[a:b], x) for doc in corpus for a, b, x in doc.sides[k]} for k in (0, 1)]
    found = {(doc.text[a:b], x) for doc in corpus for a, b, x in {*doc.sides[0]} & {*doc.sides[1]}}
    return len(found), len(sides[0]), len(sides[1])


@tries(150)
@given(corpus=st.lists(nested(), max_size=4))
def test_a_string_counts_once_in_the_corpus_and_is_found_if_a_span_is_in_place(corpus):
    counts = hits(corpus, normalise="exact")["counts"]
    assert (counts["hit"], counts["gold"], counts["pred"]) == surface_f(corpus)


def test_a_string_that_was_found_once_is_found():
    sides = (([(0, 3, "PER")], "Bob met"), ([(4, 7, "PER")], "Bob Eve"))
    result = hits([Document([(0, 3, "PER")], pred, text) for pred, text in sides])
    assert (result["counts"], result["scores"]["r"]) == ({"hit": 1, "gold": 1, "pred": 2}, 1.0)
    assert result["averages"]["docs"]["f"] == 0.5, "of each document by itself"


@pytest.mark.parametrize("scope", ["documents", "hits"])
def test_the_words_of_a_span_with_a_gap_are_the_string_that_they_are_without(scope):
    apart, together = "left and right knee pain", "left knee pain"
    corpus = [
        Document([Span.of_pieces([(0, 4), (15, 24)], "SIGN")], [], apart),
        Document([(0, 14, "SIGN")], [(0, 14, "SIGN")], together),
    ]
    result = scored(corpus, "mentions", scope=scope)
    assert result["scores"]["r"] == (1.0 if scope == "hits" else 0.5)  # one string, found once, or two
    in_one = Document([Span.of_pieces([(0, 4), (15, 24)], "SIGN")], [(25, 39, "SIGN")], f"{apart} {together}")
    assert scored([in_one], "mentions", scope="documents")["scores"]["f"] == 1.0


def test_counts_of_parts_are_united_before_strings_are_counted():
    parts = [count([Document([(0, 3, "PER")], [], "Bob")], [create("mentions", scope="hits")]) for _ in "ab"]
    assert evaluate(parts[0] + parts[1])["metrics"]["mentions"]["counts"]["gold"] == 1


def test_a_resample_counts_its_own_strings():
    """Each half-sample has its strings once, even if it has only one of the documents with a string."""
    corpus = [Document([(0, 3, "PER")], [(0, 3, "PER")], "Bob", id=str(k)) for k in range(9)]
    counts = count(corpus, [create("mentions", scope="hits")])

    class Halves:
        sums = 2

        def block(self, documents):
            return np.array([[1] * 9, [0] * 8 + [1]])[:, documents]

    place = slots(counts.metrics)[Slot("mentions", "gold")]
    assert sum_counts(counts, Halves()).counts[place].sum(axis=0).tolist() == [1, 1]


def test_systems_are_not_compared_by_strings_of_the_corpus():
    counts = count([Document([(0, 3, "PER")], [], "Bob", id="a")], [create("mentions", scope="hits")])
    with refused_with(
        ValueError,
        "mentions counts each string once in the whole corpus, so differences of documents do not "
        "add up: compare the systems by another metric",
    ):
        compare(counts, counts)


WNUT = DATA / "wnut17" / "emerging.test.annotated"


@pytest.mark.skipif(not WNUT.exists(), reason="the corpus is not part of the repository")
def test_the_surfaces_of_wnut_2017():
    """The gold side of the task's test set; the predictions leave out every third entity and move every fifth."""
    corpus = []
    for document in read_files(WNUT, WNUT, formats=(Format("conll"), Format("conll"))):
        spans = sorted(document.sides[0])
        kept = [(a, b - (k % 5 == 0 and b - a > 1), x) for k, (a, b, x) in enumerate(spans) if k % 3]
        corpus.append(Document(spans, kept, document.text))
    counts = hits(corpus, normalise="exact")["counts"]
    labels = Counter(x for doc in corpus for _, _, x in doc.gold)
    known = {"person": 429, "location": 150, "corporation": 66, "product": 127, "creative-work": 142, "group": 165}
    assert labels == known
    assert (counts["hit"], counts["gold"], counts["pred"]) == surface_f(corpus)
    assert counts["gold"] < sum(len(doc.gold) for doc in corpus) == 1079


# Labels with levels: the worked example, and a twin that replaces every span by all that its label stands for


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
def test_the_counts_of_every_level_are_those_of_the_twin(corpus, sep):
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
    strict = scored([*relabel(corpus, label_rules(depth=depth))], "strict")["scores"]
    assert {x: found[f"depth{depth}_{x}"] for x in "prf"} == strict


def test_as_many_depths_as_asked_for():
    names = {score.name for score in create("hierarchical", depths=4).scores}
    assert {"depth4_f"} <= names and "depth5_f" not in names
