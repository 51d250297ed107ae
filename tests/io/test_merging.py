"""Files of counts are merged to the counts of the whole, or refused."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import corpus
from profiles import tries
from stored_counts import ALL, same, stored
from strategies import corpora, nested

from spacy_nereval import Confidence, Document, count, create, create_all, evaluate
from spacy_nereval.io import count_files as storage
from spacy_nereval.io.count_files import load, merge, save


@tries(20)
@given(parts=st.lists(corpora(nested(), most=3), min_size=1, max_size=4))
def test_merged_counts_are_the_counts_of_the_whole_bit_for_bit(tmp_path_factory, parts):
    folder = tmp_path_factory.mktemp("parts")
    paths = [stored(part, folder / f"{k}.npz", source=str(k)) for k, part in enumerate(parts)]
    whole = count([document for part in parts for document in part], ALL)
    whole.sources = [str(k) for k in range(len(parts))]
    same(merge(paths, shared_ids=True), whole)


def test_merged_counts_of_labels_in_another_order_are_those_of_the_whole(tmp_path):
    """Also what is skipped and ignored, also merged by pieces, also after another save."""
    parts = [[*corpus(4, 1, "BA"), None], corpus(5, 2, "CB"), [None, *corpus(3, 3, "A")], corpus(2, 4, "DC")]
    parts[1][2].ignored = 2
    paths = [stored(part, tmp_path / f"{k}.npz") for k, part in enumerate(parts)]
    whole = count([document for part in parts for document in part], ALL)
    assert (whole.skipped, whole.ignored) == (2, 2)
    same(merge(paths, shared_ids=True), whole)
    save(merge(paths[:2], shared_ids=True), tmp_path / "first.npz")
    save(merge(paths[2:], shared_ids=True), tmp_path / "last.npz")
    save(merge([tmp_path / "first.npz", tmp_path / "last.npz"], shared_ids=True), tmp_path / "all.npz")
    same(load(tmp_path / "all.npz"), whole)
    same(merge(paths[:1]), count(parts[0], ALL))


def test_parts_merged_in_any_order_score_the_same_bit_for_bit(tmp_path):
    """Sums of fractions, too."""
    documents = corpus(140)
    paths = [stored(documents[k::7], tmp_path / f"{k}.npz") for k in range(7)]
    expected = evaluate(count(documents, ALL))
    assert expected["metrics"]["loio"]["counts"]["overlap"] % 0.1 > 1e-3  # no round number
    for order in ([0, 1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1, 0], [3, 0, 6, 2, 5, 1, 4]):
        assert evaluate(merge([paths[k] for k in order])) == expected
    same(load(stored(documents, tmp_path / "whole.npz")), count(documents, ALL))


def test_merged_replicates_give_the_intervals_of_the_whole(tmp_path):
    documents = corpus(20)
    paths = [stored(documents[a:b], tmp_path / f"{a}.npz", replicates=30) for a, b in ((0, 3), (3, 4), (4, 20))]
    whole = load(stored(documents, tmp_path / "all.npz", replicates=30))
    merged = merge(paths)
    same(merged, whole)
    assert evaluate(merged, Confidence()) == evaluate(whole, Confidence())


def test_texts_without_id_of_several_files_are_told_apart_by_what_they_say(tmp_path):
    """The same text with the same gold spans is one unit wherever it is read."""
    first, other = corpus(3, 1, named=False), corpus(3, 2, named=False)
    paths = [stored(d, tmp_path / f"{k}.npz", source=f"{k}.jsonl") for k, d in enumerate((first, other, first))]
    assert len({*merge(paths[:2]).units}) == 6
    assert len({*merge(paths).units}) == 6


def test_a_merge_remembers_its_parts(tmp_path):
    """b is in a and b together; merging it again is refused, with the names of both files."""
    a, b, c = (stored(corpus(3, seed, named=False), tmp_path / f"{name}.npz") for seed, name in enumerate("abc"))
    both, all_three = tmp_path / "both.npz", tmp_path / "all.npz"
    save(merge([a, b]), both)
    save(merge([both, c]), all_three)
    assert load(all_three).documents == 9
    for paths in ([both, b], [b, both], [all_three, both], [all_three, a], [c, all_three], [both, all_three]):
        with pytest.raises(ValueError, match=f"{paths[0]} and {paths[1]} (hold some of|are) the same counts"):
            merge(paths, shared_ids=True)


def test_the_same_counts_are_not_merged_twice_under_whatever_name(tmp_path):
    paths = [stored(corpus(3, seed, named=False), tmp_path / f"{seed}.npz") for seed in range(3)]
    for copy in (paths[1], Path(shutil.copy(paths[1], tmp_path / "copy.npz"))):
        with pytest.raises(ValueError, match=f"{paths[1]} and {copy} are the same counts"):
            merge([*paths, copy])


def test_documents_of_one_id_in_two_files_are_refused_unless_they_may_share_it(tmp_path):
    documents = [Document([(0, 3, "A")], [(0, 3, "A")], "abc", id=id) for id in ("x", "x", "y", "z", "")]
    parts = [documents[:3], documents[3:], documents[2:]]  # x twice in one file is one document in two texts
    paths = [stored(part, tmp_path / f"{k}.npz", replicates=4) for k, part in enumerate(parts)]
    assert merge(paths[:2]).documents == 5
    with pytest.raises(ValueError, match=f"{paths[0]} and {paths[2]} both have y: documents would count twice"):
        merge([paths[0], paths[2]])
    with pytest.raises(ValueError, match=f"{paths[1]} and {paths[2]} both have z, : documents"):
        merge(paths[1:])
    both = merge([paths[0], paths[2]], shared_ids=True)
    assert both.documents == 6 and both.units == ["x", "x", "y", "y", "z", ""]


def test_counts_say_what_they_were_counted_from(tmp_path):
    path, counts = tmp_path / "a.npz", count(corpus(2), ALL)
    save(counts, path, origin={"data": "1"})
    same(load(path), counts)
    same(load(path, origin={"data": "1"}), counts)
    same(merge([path], origins=[{"data": "1"}]), counts)
    for other in ({"data": "2"}, {}):
        with pytest.raises(ValueError, match="a.npz was counted from something else"):
            load(path, origin=other)
        with pytest.raises(ValueError, match="a.npz was changed by somebody else"):
            merge([path], origins=[other])
    save(counts, path)
    with pytest.raises(ValueError, match="counted from something else"):
        load(path, origin={"data": "1"})


@pytest.mark.parametrize("number", [1, 2, 3, 9])
def test_any_number_of_files_merges_in_their_order(tmp_path, number):
    documents = corpus(number)
    paths = [stored([document], tmp_path / f"{k}.npz") for k, document in enumerate(documents)]
    same(merge(paths), count(documents, ALL))


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ({"strict": {}}, {"fair": {}}, "one has the metrics strict, the other fair"),
        ({"strict": {}}, {"strict": {}, "fair": {}}, "one has the metrics strict, the other strict, fair"),
        ({"strict": {}, "loio": {}}, {"strict": {}, "loio": {"s": 1}}, "loio.s is 0.75 and 1.0"),
        ({"loio": {"beta": 2}}, {"loio": {"s": 1}}, "loio.s is 0.75 and 1.0; loio.beta is 2.0 and 1.0"),
    ],
)
def test_files_of_other_metrics_or_settings_are_not_merged(tmp_path, ours, theirs, said):
    a, b = (stored(corpus(2), tmp_path / f"{k}.npz", create_all(t)) for k, t in zip("ab", (ours, theirs)))
    with pytest.raises(ValueError) as refused:
        merge([a, b])
    assert str(refused.value).endswith(f"and {b} cannot be merged: {said}")
    assert str(a) in str(refused.value)


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((0, 7), "one has no half-samples, the other 7 half-samples with seed 0"),
        ((7, 8), "7 half-samples with seed 0, the other 8"),
    ],
)
def test_files_of_other_replicates_are_not_merged(tmp_path, numbers, said):
    a, b = (stored(corpus(2), tmp_path / f"{n}.npz", replicates=n) for n in numbers)
    with pytest.raises(ValueError, match=said) as refused:
        merge([a, b])
    assert str(a) in str(refused.value) and str(b) in str(refused.value)


def test_counts_of_another_version_of_a_metric_are_neither_loaded_nor_merged(tmp_path, monkeypatch):
    old = stored(corpus(2), tmp_path / "old.npz")
    monkeypatch.setattr(storage, "create", lambda name, **options: replace(create(name, **options), version=2))
    with pytest.raises(
        ValueError, match="old.npz was counted by version 1 of strict, and this is version 2: count again"
    ):
        load(old)
    with pytest.raises(
        ValueError, match="old.npz was counted by version 1 of strict, and this is version 2: count again"
    ):
        merge([old, old])


def test_counts_of_two_versions_are_not_added():
    a = count(corpus(2), [create("strict")])
    b = count(corpus(2), [replace(create("strict"), version=2)])
    with pytest.raises(ValueError, match="strict.version is 1 and 2"):
        a + b
