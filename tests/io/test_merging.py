"""Files of counts come back as they were, and are merged to the counts of the whole, or refused."""

import errno
import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from zipfile import ZipFile

import numpy as np
import pytest
from asking import refusal
from hypothesis import given
from hypothesis import strategies as st
from made_up import corpus
from places import SEEN
from profiles import tries
from refusals import refused_with
from stored_counts import ALL, FAIR, changed, same, stored, stored_collapsed
from strategies import corpora, nested

from spacy_nereval import Confidence, Document, count, create, create_all, evaluate
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.evaluation.intervals import draw_replicates
from spacy_nereval.io import count_files as storage
from spacy_nereval.io import id_hashes
from spacy_nereval.io.count_files import load, merge, save
from spacy_nereval.io.count_layout import OtherVersion
from spacy_nereval.io.id_hashes import files_with_hash, hashes_of, merge_distinct, merge_hashes


@tries(20)
@given(parts=st.lists(corpora(nested(), most=3), min_size=1, max_size=4), first=st.integers(1, 4))
def test_merged_counts_are_the_counts_of_the_whole_bit_for_bit(tmp_path_factory, parts, first):
    """With their half-samples, with what is skipped and ignored, and if some are merged and saved before."""
    folder = tmp_path_factory.mktemp("parts")
    for number, document in enumerate(document for part in parts for document in part):
        document.ignored, document.repaired, document.duplicates, document.rejected = range(number, number + 4)
    parts = [[*part, None] for part in parts]
    paths = [stored(part, folder / f"{k}.npz", replicates=4, source=str(k)) for k, part in enumerate(parts)]
    whole = count([document for part in parts for document in part], ALL)
    whole.sources, whole.replicates = [str(k) for k in range(len(parts))], draw_replicates(whole, 4, 0)
    assert whole.skipped == len(parts)
    same(merge(paths, shared_ids=True), whole)
    save(merge(paths[:first], shared_ids=True), folder / "first.npz")
    same(merge([folder / "first.npz", *paths[first:]], shared_ids=True), whole)


def test_texts_without_id_of_several_files_are_told_apart_by_what_they_say(tmp_path):
    """The same text with the same gold spans is one unit wherever it is read."""
    first, other = corpus(3, 1, named=False), corpus(3, 2, named=False)
    paths = [stored(d, tmp_path / f"{k}.npz", source=f"{k}.jsonl") for k, d in enumerate((first, other, first))]
    assert len({*merge(paths[:2]).units}) == len({*merge(paths).units}) == 6


def test_a_merge_remembers_its_parts(tmp_path):
    """b is in a and b together, and in its copy; merging it again is refused with both names, unless it is allowed."""
    a, b, c = (stored(corpus(3, seed, named=False), tmp_path / f"{name}.npz") for seed, name in enumerate("abc"))
    both, all_three, repeated = (tmp_path / f"{name}.npz" for name in ("both", "all", "repeated"))
    save(merge([a, b]), both)
    save(merge([both, c]), all_three)
    save(merge([both, b], allow_repeats=True), repeated)
    assert load(all_three).documents == load(repeated).documents == 9
    copy = Path(shutil.copy(b, tmp_path / "copy.npz"))
    for paths in ([both, b], [b, both], [all_three, both], [all_three, a], [c, all_three], [both, all_three]):
        with pytest.raises(ValueError, match=f"{paths[0]} and {paths[1]} (share some|are the same) counts"):
            merge(paths, shared_ids=True)
    for paths, said in (
        ([a, b, b], "are the same counts"),
        ([a, b, copy], "are the same counts"),
        ([a, repeated], "share some counts"),
    ):
        assert f"{paths[-2]} and {paths[-1]} {said}" in refusal(merge, paths)


def test_documents_of_one_id_in_two_files_are_refused_unless_they_may_share_it(tmp_path):
    documents = [Document([(0, 3, "A")], [(0, 3, "A")], "abc", id=id) for id in ("x", "x", "y", "z", "")]
    parts = [documents[:3], documents[3:], documents[2:]]  # x twice in one file is one document in two texts
    paths = [stored(part, tmp_path / f"{k}.npz", replicates=4) for k, part in enumerate(parts)]
    assert merge(paths[:2]).documents == 5
    assert f"{paths[0]} and {paths[2]} both have y: documents would count twice" in refusal(merge, [paths[0], paths[2]])
    assert f"{paths[1]} and {paths[2]} both have z: documents" in refusal(merge, paths[1:])
    assert "if the parts of one document share its id, use shared_ids=True" in refusal(merge, paths[1:])
    both = merge([paths[0], paths[2]], shared_ids=True)
    assert both.documents == 6 and len(both.units) == 6 and both.units[:5] == ["x", "x", "y", "y", "z"]


def test_counts_say_what_they_were_counted_from(tmp_path):
    path, counts = tmp_path / "a.npz", count(corpus(2), ALL)
    save(counts, path, origin={"data": "1"})
    same(load(path), counts)
    same(load(path, origin={"data": "1"}), counts)
    same(merge([path], origins=[{"data": "1"}]), counts)
    for other in ({"data": "2"}, {}):
        assert "a.npz was counted from something else" in refusal(load, path, origin=other)
        assert "a.npz was changed by somebody else" in refusal(merge, [path], origins=[other])
    save(counts, path)
    assert "counted from something else" in refusal(load, path, origin={"data": "1"})


UNLIKE = [
    ({"strict": {}}, {"fair": {}}, "one has the metrics strict, the other fair"),
    ({"strict": {}}, {"strict": {}, "fair": {}}, "one has the metrics strict, the other strict, fair"),
    ({"strict": {}, "loio": {}}, {"strict": {}, "loio": {"s": 1}}, "loio.s is 0.75 and 1.0"),
    ({"loio": {"beta": 2}}, {"loio": {"s": 1}}, "loio.s is 0.75 and 1.0; loio.beta is 2.0 and 1.0"),
    (0, 7, "one has no half-samples, the other 7 half-samples with seed 0"),
    (7, 8, "7 half-samples with seed 0, the other 8"),
]


@pytest.mark.parametrize(("ours", "theirs", "said"), UNLIKE)
def test_files_of_other_metrics_settings_or_half_samples_are_not_merged(tmp_path, ours, theirs, said):
    paths = tmp_path / "a.npz", tmp_path / "b.npz"
    for path, own in zip(paths, (ours, theirs)):
        metrics, replicates = (ALL, own) if isinstance(own, int) else (create_all(own), 0)
        stored(corpus(2), path, metrics, replicates)
    told = refusal(merge, paths)
    assert f"and {paths[1]} cannot be merged: " in told and said in told and str(paths[0]) in told


def test_counts_of_another_version_of_a_metric_are_neither_loaded_nor_merged(tmp_path, monkeypatch):
    old = stored(corpus(2), tmp_path / "old.npz")
    monkeypatch.setattr(storage, "create", lambda name, **options: replace(create(name, **options), version=2))
    said = "old.npz was counted by version 1 of strict, and this is version 2: count again"
    for read in (lambda: load(old), lambda: merge([old, old])):
        with pytest.raises(ValueError, match=said):
            read()


def test_counts_of_two_versions_are_not_added():
    a = count(corpus(2), [create("strict")])
    b = count(corpus(2), [replace(create("strict"), version=2)])
    assert "strict.version is 1 and 2" in refusal(a.__add__, b)


# Counts come back from files as they were, whole or not at all


@tries(25)
@given(documents=corpora(nested(), most=4))
def test_counts_come_back_from_a_file_as_they_were(tmp_path_factory, documents):
    path = tmp_path_factory.mktemp("counts") / "counts.npz"
    counts = count([*documents, None], ALL)
    counts.ignored, counts.repaired, counts.sources = 3, 2, ["gold.spacy"]
    counts.spans_key, counts.unit = "sc", "document"
    counts.replicates = draw_replicates(counts, 5, 1)
    save(counts, path)
    same(load(path), counts)


ODD = ("ü/ö", "\"quoted\" 'label'", " ", "\n", "\x00", "..", "-1", "null", "header", "cells/data", "😀", "é", "e\u0301")
"""Labels and ids that a file format could stumble over."""


@pytest.mark.parametrize("odd", ODD)
def test_odd_labels_ids_and_sources_come_back(tmp_path, odd):
    documents = [Document([(0, 1, odd)], [(0, 1, odd), (2, 3, "A")], "a b", id=odd), Document([], [], "a", id="")]
    metrics = create_all(["strict", "fair"])
    path = stored(documents, tmp_path / "a.npz", metrics, replicates=3, source=odd)
    counts = count(documents, metrics)
    counts.sources, counts.replicates = [odd], draw_replicates(counts, 3, 0)
    same(load(path), counts)
    assert load(path).ids == [odd if odd.strip() else None, None]  # a blank id is none


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
    weights = {"wrf": {"A": 0.25, "B": 0.25, "ü": 0.25, "C": 0.0, "combined": 0.25}, "fair": {"le": {"tp": 0.5}}}
    tables = {**weights, "slot_error": {"d": 2.0}}.items()
    counts = count(corpus(5), create_all({name: {"weights": table} for name, table in tables}))
    save(counts, tmp_path / "a.npz")
    same(load(tmp_path / "a.npz"), counts)
    assert [m.settings for m in load(tmp_path / "a.npz").metrics] == [m.settings for m in counts.metrics]


def test_the_file_holds_the_signature_but_no_pickle_and_no_text_of_the_documents(tmp_path):
    documents = [Document([(0, 6, "A")], [(0, 3, "A")], "secret words", tokens=[(0, 6), (7, 12)], id="x"), *corpus(3)]
    path = stored(documents, tmp_path / "a.npz", replicates=5)
    with np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    assert all(array.dtype.kind in "iuf" for array in arrays.values())
    assert not any(b"secret" in array.tobytes() or b"words" in array.tobytes() for array in arrays.values())
    signature, header = evaluate(count(documents, ALL))["signature"], arrays["header"].tobytes().decode("utf8")
    assert [part for part in signature.split("|") if part not in header] == []


def test_a_failure_leaves_neither_half_a_file_nor_a_lost_old_one(tmp_path, monkeypatch):
    old = stored(corpus(2), tmp_path / "old.npz").read_bytes()
    whole = np.savez_compressed

    def fails(file, **arrays):
        whole(file, header=arrays["header"])
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez_compressed", fails)
    for name in ("old", "new"):
        with refused_with(OSError, "no space left"):
            stored(corpus(3), tmp_path / f"{name}.npz")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("old.npz", old)]


# Files of hashes of document ids: what two of them share is found, however many files and hashes there are


@pytest.mark.slow
def test_any_files_merge_to_what_their_sets_unite_to(tmp_path, monkeypatch):
    """Hashes with zeros at either end, empty files, more files than a block has room for, and several stages."""
    random = Random(0)
    target = tmp_path / "all"
    for number in range(60):
        monkeypatch.setattr(id_hashes, "BLOCK", random.choice([1, 2, 7, 50]))
        monkeypatch.setattr(id_hashes, "TOGETHER", random.choice([2, 3, 100]))
        zeros = [bytes(k) + random.randbytes(16 - k) for k in (0, 1, 15, 16)]
        common = [*zeros, *(each[::-1] for each in zeros), b"\xff" * 16]
        sets = [{random.randbytes(16) for _ in range(random.choice([0, 1, 9]))} for _ in range(random.randrange(25))]
        for some in random.sample(sets, len(sets) * (number % 3) // 2):
            some.add(random.choice(common))
        files = [tmp_path / str(k) for k in range(len(sets))]
        for file, some in zip(files, sets):
            file.write_bytes(b"".join(sorted(some)))
        twice = {each for each, times in Counter(each for some in sets for each in some).items() if times > 1}
        found = merge_hashes(files, target)
        assert found in twice if twice else found is None
        assert target.read_bytes() == b"".join(sorted(set().union(*sets)))
        assert found is None or files_with_hash(files, found) == [k for k, some in enumerate(sets) if found in some]


def test_what_cannot_be_merged_leaves_no_temporary_file(monkeypatch):
    files = [hashes_of("ab"), hashes_of("bc")]
    folder = files[0].parent
    before = sorted(folder.iterdir())
    with refused_with(
        ValueError,
        "x and y have documents with the same id, 1 in all files: they would count twice; remove one "
        "of the files; if one has changed since it was counted, count all again; if the parts of one "
        "document share its id, use shared_ids=True",
    ):
        merge_distinct(["x", "y"], files, False)
    assert sorted(folder.iterdir()) == before

    def full(files):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(id_hashes, "_blocks", full)
    with refused_with(
        OSError,
        "the hashes of the ids of documents cannot be written to /tmp, the folder for temporary "
        "files (No space left on device): set TMPDIR to a folder with more space",
    ):
        merge_distinct(["x", "y"], files, True)
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("why", ["another version", "not readable", "no counts"])
def test_hashes_are_kept_if_a_file_beside_them_may_need_them(tmp_path, monkeypatch, why):
    hashes = tmp_path / f"nereval-ids-{'0' * 32}.bin"
    hashes.write_bytes(b"")
    with ZipFile(tmp_path / "other.npz", "w") as archive:
        archive.writestr("other.npy", b"")

    def of_another_version(archive: ZipFile) -> None:
        raise OtherVersion("another version")

    if why == "another version":
        monkeypatch.setattr(storage, "read_header", of_another_version)
    if why == "not readable":
        monkeypatch.setattr(storage.os, "access", lambda file, mode: False)
    storage.delete_unused_hashes(hashes)
    assert hashes.exists() == (why != "no counts")


# Files of collapsed counts


def test_a_file_says_what_the_counts_say(tmp_path):
    collapsed = stored_collapsed(corpus(12), tmp_path / "collapsed.npz", shard="12" * 16)
    whole = collapse(count(corpus(12), FAIR), 9)
    found = load(collapsed)
    with np.load(collapsed) as archive:  # a release that knows no collapsed counts asks for this beginning
        assert json.loads(archive["header"].tobytes())["format"].startswith("spacy-nereval counts ")
    assert evaluate(found, Confidence()) == evaluate(whole, Confidence())
    assert found.totals() == whole.totals() and found.parts == ["12" * 16]
    assert (found.collapsed.units, found.collapsed.squares.tolist()) == (12, whole.collapsed.squares.tolist())
    again = changed(collapsed, lambda arrays, header: None)  # so that what is refused below is refused for the change
    assert evaluate(load(again), Confidence()) == evaluate(whole, Confidence())


def test_a_file_without_half_samples_or_documents_is_read(tmp_path):
    assert load(stored_collapsed(corpus(3), tmp_path / "a.npz", samples=0)).replicates is None
    assert load(stored_collapsed([], tmp_path / "b.npz")).documents == 0


def in_parts(tmp_path: Path, number: int = 5) -> list[Path]:
    documents = corpus(30)
    edges = [round(k * 30 / number) for k in range(number + 1)]
    return [stored_collapsed(documents[a:b], tmp_path / f"{a}.npz", shard=f"{a:032x}") for a, b in pairwise(edges)]


def test_a_shard_that_is_in_two_files_is_refused_with_their_names(tmp_path):
    first, second, *_ = in_parts(tmp_path)
    save(merge([first, second]), tmp_path / "both.npz")
    for files, said in (
        ([first, first], "are the same counts"),
        ([tmp_path / "both.npz", second], "share some counts"),
    ):
        with pytest.raises(ValueError, match=re.escape(f"{files[0]} and {files[1]} {said}")):
            merge(files)
    assert merge([first, first], allow_repeats=True).documents == 12
    unnamed = stored_collapsed(corpus(4), tmp_path / "unnamed.npz")  # counted from what has no content to name it by
    assert "are the same counts" in refusal(merge, [unnamed, stored_collapsed(corpus(4), tmp_path / "again.npz")])
