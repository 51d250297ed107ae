"""Documents without ids and texts, collapsed in parts and merged, have the units and intervals of one call."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from commands import run
from compared import compare
from products import NIGHT
from refusals import refused_with

from spacy_nereval import Document, collapse, count_collapsed, create_all, merge, score
from spacy_nereval.counting.counts import Counts
from spacy_nereval.evaluation.collapsing import spans_and_documents, unit_numbers
from spacy_nereval.io.count_files import load

LENGTH = 30


def corpus(
    number: int, seed: int, places: int = LENGTH, empty: float = 0.2
) -> list[tuple[list[tuple[int, str]], list[tuple[int, str]]]]:
    """Sides of documents as (token, label): spans of one token at few or many places, a third of them wrong.

    empty: the share of documents without gold spans.
    """
    random = Random(seed)

    def spans(least: int) -> list[tuple[int, str]]:
        tokens = random.sample(range(places), random.randint(least, min(places, 3)))
        return sorted((token, random.choice(["PER", "LOC"])) for token in tokens)

    golds = [spans(1) if random.random() >= empty else [] for _ in range(number)]
    return [(gold, gold if random.random() < 0.7 else spans(0)) for gold in golds]


def tags(spans):
    return [next((f"B-{label}" for token, label in spans if token == k), "O") for k in range(LENGTH)]


def offsets(spans):
    return [(token, token + 1, label) for token, label in spans]


KINDS = {
    "tags": lambda sides, first: score(*([tags(side) for side in column] for column in zip(*sides)), ["strict"]).counts,
    "spans": lambda sides, first: score(*([*map(offsets, column)] for column in zip(*sides)), ["strict"]).counts,
    "placeholders": lambda sides, first: (
        score(
            *([{"tokens": ["_"] * LENGTH, "ner_tags": tags(side)} for side in column] for column in zip(*sides)),
            ["strict"],
        ).counts
    ),
    "Documents": lambda sides, first: count_collapsed(
        (Document(offsets(gold), offsets(pred)) for gold, pred in sides), create_all(["strict"])
    ),
    "one with an id": lambda sides, first: count_collapsed(
        (Document(offsets(gold), offsets(pred), id=None if k else f"d{first}") for k, (gold, pred) in enumerate(sides)),
        create_all(["strict"]),
    ),
}


def collapsed(kind: str, sides, at) -> Counts:
    parts = [KINDS[kind](sides[a:b], a) for a, b in pairwise([0, *at, len(sides)])]
    return merge([part if part.collapsed else collapse(part) for part in parts])


def interval(counts: Counts) -> list[float]:
    return [*score(counts, confidence=True).strict.interval("f")]


CUTS = [([20], 2), ([1, 2, 41], 2), (range(16, 132, 16), 5), (range(1, 132), LENGTH)]
"""Where documents are divided into parts, and at how many places their spans are."""

SINGLE = ("Documents",)
"""The kinds whose documents are parts of their own by day; those of all others are at night."""


@pytest.mark.costly
@pytest.mark.parametrize(
    ("kind", "at", "places"),
    [
        pytest.param(kind, at, places, marks=() if len(at) == 3 or kind in SINGLE else NIGHT)
        for kind in KINDS
        for at, places in CUTS
    ],
)
def test_parts_collapsed_and_merged_have_the_units_and_the_interval_of_one_call(kind, at, places):
    """Many documents of one part have the positions and the gold spans of documents of other parts."""
    sides = corpus(132, 0, places, empty=0.2 * (len(at) < 100))  # alone, nothing tells empty ones apart
    whole, merged = collapsed(kind, sides, []), collapsed(kind, sides, at)
    expected, numbers = unit_numbers(whole), unit_numbers(merged)
    assert expected.number == numbers.number == 132 == merged.collapsed.units
    assert numbers.effective == pytest.approx(expected.effective) and numbers.documents == 132
    # The half-samples are others: the standard error of a standard deviation of 1,000 is 2.2 %
    low, high = interval(whole)
    width = high - low
    assert interval(merged) == pytest.approx([low, high], abs=0.1 * width)


@pytest.mark.costly
@pytest.mark.parametrize("kind", KINDS)
def test_half_samples_of_merged_parts_vary_as_independent_documents_do(kind):
    """A half-sample has each document with probability 1/2: the variance of its spans is a quarter of their squares."""
    sides = corpus(132, 1, places=5)
    merged = collapsed(kind, sides, range(8, 132, 8))
    *_, spans, documents = spans_and_documents(merged.replicates.sums)
    sizes = np.array([len(gold) + len(pred) for gold, pred in sides])
    for drawn, squares in ((spans, (sizes**2).sum()), (documents, 132)):
        assert np.var(drawn) == pytest.approx(squares / 4, rel=0.2)  # its standard error is 4.5 %
    assert spans.mean() == pytest.approx(sizes.sum() / 2, rel=0.02)


@pytest.mark.costly
@pytest.mark.parametrize(
    ("kind", "at"),
    [
        pytest.param(kind, at, marks=() if len(at) == 3 or kind in SINGLE else NIGHT)
        for kind in KINDS
        for at, _ in CUTS[:3]
    ],
)
def test_two_systems_draw_the_same_bits_in_the_same_parts(kind, at):
    """Whatever they predict, and in any order of the parts."""
    sides = corpus(132, 2)
    others = [(gold, gold[:1]) for gold, _ in sides]
    first, second = collapsed(kind, sides, at), collapsed(kind, others, at)
    drawn = [counts.replicates.sums.documents.tolist() for counts in (first, second)]
    assert drawn[0] == drawn[1] and first.collapsed.gold_sum == second.collapsed.gold_sum
    assert {row["difference"] for row in compare(first, collapsed(kind, sides, at))} == {0}
    assert len(compare(first, second)) > 1
    with refused_with(
        ValueError,
        "the systems were not counted on the same documents, though as many: texts or ids differ, or "
        "the parts that were merged do; they have 132 documents with 200 gold spans and 132 "
        "documents with 200 gold spans",
    ):
        compare(first, collapsed(kind, others, [50]))


def test_later_documents_of_a_stream_have_the_checksum_of_the_first():
    """Which is what collapsing afterwards gives."""
    sides = corpus(2500, 3, places=3)
    documents = [Document(offsets(gold), offsets(pred)) for gold, pred in sides]
    counts = score(documents, ["strict"]).counts
    drawn = [
        c.replicates.sums.documents.tolist()
        for c in (collapse(counts), count_collapsed(iter(documents), counts.metrics))
    ]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("named", ["ids", "texts"])
def test_documents_with_ids_or_texts_draw_the_bits_of_their_own_in_every_part(named):
    def fields(k):
        return {"id": f"d{k}"} if named == "ids" else {"text": f"Ada met Bob {k} times" + " and again" * 3}

    sides = [(offsets(gold), offsets(pred)) for gold, pred in corpus(60, 4)]
    documents = [Document(*both, **fields(k)) for k, both in enumerate(sides)]
    whole, merged = (
        merge([count_collapsed(iter(part), create_all(["strict"])) for part in parts])
        for parts in ([documents], [documents[:7], documents[7:]])
    )
    assert whole.replicates.sums.documents.tolist() == merged.replicates.sums.documents.tolist()
    assert whole.collapsed.gold_sum == merged.collapsed.gold_sum


@pytest.mark.slow
def test_parts_that_the_command_collapses_and_merges_have_the_units_of_one_file(tmp_path):
    sides = corpus(132, 5, places=3)

    def counted(part, name: str, *options: str):
        for place, side in enumerate(("gold", "pred")):
            rows = [json.dumps({"tokens": ["_"] * LENGTH, "ner_tags": tags(both[place])}) for both in part]
            (tmp_path / f"{name}.{side}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf8")
        files = [tmp_path / f"{name}.{side}.jsonl" for side in ("gold", "pred")]
        run("count", *files, "--output", tmp_path / f"{name}.npz", *options)
        return tmp_path / f"{name}.npz"

    def merged(*paths, options=()):
        run("merge", *paths, "--output", tmp_path / "merged.npz", *options)
        return load(tmp_path / "merged.npz")

    cuts = [sides[a:b] for a, b in pairwise([0, 20, 40, 132])]
    whole = load(counted(sides, "all", "--collapse"))
    expected = unit_numbers(whole)
    early = merged(*(counted(part, f"early{k}", "--collapse") for k, part in enumerate(cuts)))
    late = merged(*(counted(part, f"late{k}") for k, part in enumerate(cuts)), options=["--collapse"])
    for counts in (early, late):
        numbers = unit_numbers(counts)
        assert numbers.number == 132 and numbers.effective == pytest.approx(expected.effective)
    assert early.replicates.sums.documents.tolist() == late.replicates.sums.documents.tolist()


@pytest.mark.parametrize("older", [0, 1])
def test_parts_of_which_one_lacks_the_checksum_of_gold_have_none_together(older):
    """It cannot be known any more, so nothing is compared by it."""
    parts = [collapsed("spans", corpus(40, seed), [20]).collapsed for seed in (1, 2)]
    assert (parts[0] + parts[1]).gold_sum is not None
    parts[older] = parts[older]._replace(gold_sum=None)
    assert (parts[0] + parts[1]).gold_sum is None
