"""Files of counts are merged to the counts of the whole, or refused."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import accepted, line, refused, write
from compared import compare
from hypothesis import given
from hypothesis import strategies as st
from made_up import corpus
from places import SEEN
from profiles import tries
from stored_counts import ALL, same, stored
from strategies import corpora, nested

from spacy_nereval import Confidence, Document, count, create, create_all, evaluate
from spacy_nereval.evaluation.intervals import replicate
from spacy_nereval.evaluation.result import plain
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


# Counts come back from files as they were, whole or not at all


ODD = (
    "ü/ö",
    "\"quoted\" 'label'",
    " ",
    "\n",
    "\x00",
    "..",
    "-1",
    "null",
    "header",
    "cells/data",
    "😀",
    "é",
    "e\u0301",
)
"""Labels and ids that a file format could stumble over."""


@tries(25)
@given(documents=corpora(nested(), most=4))
def test_counts_come_back_from_a_file_as_they_were(tmp_path_factory, documents):
    path = tmp_path_factory.mktemp("counts") / "counts.npz"
    counts = count([*documents, None], ALL)
    counts.ignored, counts.repaired, counts.sources = 3, 2, ["gold.spacy"]
    counts.spans_key, counts.unit = "sc", "document"
    counts.replicates = replicate(counts, 5, 1)
    save(counts, path)
    same(load(path), counts)


def test_intervals_and_comparisons_of_loaded_counts_are_those_of_the_counts(tmp_path):
    a, b = count(corpus(9), ALL), count(corpus(9)[::-1], ALL)
    loaded = [load(stored(corpus(9)[::step], tmp_path / f"{step}.npz")) for step in (1, -1)]
    confidence = Confidence(samples=70)
    assert evaluate(loaded[0], confidence) == evaluate(a, confidence)
    assert plain(compare(*loaded, confidence=confidence)) == plain(compare(a, b, confidence=confidence))


def test_replicates_come_back_with_their_settings_and_their_intervals(tmp_path):
    counts = count(corpus(6), ALL)
    counts.replicates = replicate(counts, 30, 4)
    save(counts, tmp_path / "a.npz")
    found = load(tmp_path / "a.npz")
    assert (found.replicates.samples, found.replicates.seed) == (30, 4)
    assert evaluate(found, Confidence()) == evaluate(counts, Confidence())


@pytest.mark.parametrize("odd", ODD)
def test_odd_labels_ids_and_sources_come_back(tmp_path, odd):
    documents = [Document([(0, 1, odd)], [(0, 1, odd), (2, 3, "A")], "a b", id=odd), Document([], [], "a", id="")]
    metrics = create_all(["strict", "fair"])
    path = stored(documents, tmp_path / "a.npz", metrics, replicates=3, source=odd)
    counts = count(documents, metrics)
    counts.sources, counts.replicates = [odd], replicate(count(documents, metrics), 3, 0)
    same(load(path), counts)
    assert load(path).ids == [odd, ""]


def test_notes_on_verdicts_come_back(tmp_path):
    """The verdicts of tmr depend on what the whole corpus notes, so the notes are kept."""
    metrics = [create("tmr", train=str(SEEN))]
    parts = [corpus(6, 1), corpus(5, 2)]
    for number, part in enumerate(parts):
        for document in part:
            document.id = f"{number}.{document.id}"
    paths = [stored(part, tmp_path / f"{k}.npz", metrics) for k, part in enumerate(parts)]
    assert any(key.note for key in load(paths[0]).keys)
    same(load(paths[0]), count(parts[0], metrics))
    same(merge(paths), count([*parts[0], *parts[1]], metrics))


def test_settings_that_are_tables_come_back(tmp_path):
    metrics = create_all(
        {
            "wrf": {"weights": {"A": 0.25, "B": 0.25, "ü": 0.25, "C": 0.0, "combined": 0.25}},
            "fair": {"weights": {"le": {"tp": 0.5}}, "unit": "token"},
            "slot_error": {"weights": {"d": 2.0}},
            "loio": {"s": 1},
        }
    )
    path = stored(corpus(5), tmp_path / "a.npz", metrics)
    same(load(path), count(corpus(5), metrics))
    assert [m.settings for m in load(path).metrics] == [m.settings for m in metrics]


def test_counts_of_no_document_and_of_one_without_spans_come_back(tmp_path):
    for documents in ([], [Document([], [], "a")], [None]):
        same(load(stored(documents, tmp_path / "a.npz")), count(documents, ALL))


def test_the_file_names_everything_that_can_change_a_number(tmp_path):
    """The signature stands in every file of counts."""
    path = stored(corpus(3), tmp_path / "a.npz")
    with np.load(path) as archive:
        header = archive["header"].tobytes().decode("utf8")
    assert evaluate(count(corpus(3), ALL))["signature"] in header


def test_the_file_holds_no_pickle_and_no_text_of_the_documents(tmp_path):
    secret = Document([(0, 6, "A")], [(0, 3, "A")], "secret words", tokens=[(0, 6), (7, 12)], id="x")
    path = stored([secret, *corpus(3)], tmp_path / "a.npz", replicates=5)
    with np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    assert all(array.dtype.kind in "iuf" for array in arrays.values())
    assert not any(b"secret" in array.tobytes() or b"words" in array.tobytes() for array in arrays.values())


def test_the_file_is_readable_as_others_are_and_replaces_an_older_one(tmp_path):
    other = tmp_path / "other"
    other.write_text("x")
    path = tmp_path / "a.npz"
    path.write_text("old")
    stored(corpus(2), path)
    assert path.stat().st_mode == other.stat().st_mode
    same(load(path), count(corpus(2), ALL))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.npz", "other"]


def test_a_failure_leaves_neither_half_a_file_nor_a_lost_old_one(tmp_path, monkeypatch):
    path, old = tmp_path / "a.npz", stored(corpus(2), tmp_path / "old.npz").read_bytes()
    path.write_bytes(old)
    whole = np.savez_compressed

    def fails(file, **arrays):
        whole(file, header=arrays["header"])
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez_compressed", fails)
    with pytest.raises(OSError, match="no space left"):
        stored(corpus(3), path)
    with pytest.raises(OSError, match="no space left"):
        stored(corpus(3), tmp_path / "new.npz")
    assert path.read_bytes() == old
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.npz", "old.npz"]


# A count file knows what it was merged from, so nothing counts twice unless that is meant


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """a, b and c, and ab and abc merged from them."""
    monkeypatch.chdir(tmp_path)
    for k, name in enumerate("abc"):
        write(tmp_path / f"{name}.jsonl", line("Ada " * (k + 1), (0, 3, "PER"), id=name))
        accepted("count", f"{name}.jsonl", f"{name}.jsonl", "-o", f"{name}.npz", "-m", "strict")
    accepted("merge", "a.npz", "b.npz", "-o", "ab.npz")
    accepted("merge", "ab.npz", "c.npz", "-o", "abc.npz")


@pytest.mark.parametrize(
    "given", [("a", "a"), ("ab", "b"), ("b", "ab"), ("ab", "abc"), ("c", "a", "abc"), ("ab", "ab")]
)
def test_parts_that_overlap_are_named_and_refused(given, parts, tmp_path):
    said = refused("merge", *(f"{name}.npz" for name in given), "-o", "out.npz")
    assert "the same counts" in said and given[-1] in said and "--allow-repeats" in said
    assert not (tmp_path / "out.npz").exists()


@pytest.mark.parametrize(("given", "ids"), [(("a", "a"), "aa"), (("ab", "b"), "abb"), (("abc", "ab", "c"), "abcabc")])
def test_repeats_are_counted_if_they_are_allowed(given, ids, parts, tmp_path):
    accepted("merge", *(f"{name}.npz" for name in given), "-o", "out.npz", "--allow-repeats")
    assert load(tmp_path / "out.npz").ids == [*ids]
    assert "some of the same counts" in refused("merge", "out.npz", f"{ids[0]}.npz", "-o", "more.npz")
