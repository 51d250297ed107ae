"""Counts as files: what comes back, what may be merged, and what is refused."""

from __future__ import annotations

import gc
import io
import json
import os
import shutil
import struct
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import corpus
from places import ROOT, SEEN
from profiles import tries
from strategies import corpora, nested

from spacy_nereval import Confidence, Counts, Document, count, create, create_all, evaluate
from spacy_nereval.evaluation.comparison import compare
from spacy_nereval.evaluation.intervals import replicate
from spacy_nereval.evaluation.per_document import disagreement, document_rows
from spacy_nereval.evaluation.result import plain
from spacy_nereval.io import count_files as storage
from spacy_nereval.io.count_files import load, merge, save
from spacy_nereval.io.count_header import LATER, Header, schema

ALL = create_all()
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


def same(a: Counts, b: Counts) -> None:
    """Both say the same, bit for bit, whatever is asked."""
    assert evaluate(a) == evaluate(b)
    assert document_rows(a) == document_rows(b)
    assert disagreement(a) == disagreement(b)
    for name in ("ids", "units", "unit", "labels", "sources", "spans_key", "skipped", "ignored", "repaired"):
        assert getattr(a, name) == getattr(b, name), name
    assert a.totals() == b.totals()
    assert a.differences(b) == ""
    assert (a.replicates is None) is (b.replicates is None)
    if a.replicates and b.replicates:
        assert a.replicates.drawn == b.replicates.drawn
        assert all((x == y).all() for x, y in zip(a.replicates.sums.arrays, b.replicates.sums.arrays, strict=True))


def stored(documents: list[Document], path: Path, metrics: Any = ALL, replicates: int = 0, source: str = "") -> Path:
    counts = count(documents, metrics)
    counts.sources = [source] if source else []
    if replicates:
        counts.replicates = replicate(counts, replicates, 0)
    save(counts, path)
    return path


# Back again


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
    path = stored(documents, tmp_path / "a.npz", replicates=3, source=odd)
    counts = count(documents, ALL)
    counts.sources, counts.replicates = [odd], replicate(count(documents, ALL), 3, 0)
    same(load(path), counts)
    assert load(path).ids == [odd, ""]
    assert evaluate(load(path), Confidence()) == evaluate(counts, Confidence())


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


# Merged


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


@pytest.mark.parametrize("number", range(1, 10))
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
        ((0, 7), "one has no replicates, the other 7 replicates with seed 0"),
        ((7, 8), "7 replicates with seed 0, the other 8"),
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


# Damaged


def changed(path: Path, change: Callable[[dict[str, np.ndarray], dict[str, Any]], Any], *, hashed: bool = True) -> Path:
    """The file after a change of its arrays and its header, with the hash of the new content."""
    with np.load(path) as archive:
        arrays = dict(archive)
    header = json.loads(arrays.pop("header").tobytes())
    change(arrays, header)
    if hashed:
        header["digest"] = ""
        rest = sha256(json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode())
        for name, array in sorted(arrays.items()):
            rest.update(f"{name} {array.dtype.str} {array.shape}".encode())
            rest.update(array.tobytes())
        header["digest"] = rest.hexdigest()
    arrays["header"] = np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), dtype=np.uint8)
    other = path.with_name("changed.npz")
    np.savez_compressed(other, **arrays)
    return other


def refused(path: Path) -> str:
    """What is said of the file."""
    with pytest.raises(ValueError) as error:
        load(path)
    assert str(path) in str(error.value)
    return str(error.value)


@pytest.fixture
def file(tmp_path) -> Path:
    return stored([*corpus(3), Document([(0, 3, "A")], [(0, 2, "A")], "abc")], tmp_path / "a.npz")


@pytest.fixture
def with_replicates(tmp_path) -> Path:
    return stored(corpus(4), tmp_path / "replicates.npz", replicates=3)


def test_a_file_that_is_not_there_or_is_a_folder_is_refused(tmp_path):
    assert "does not exist, or is not a file" in refused(tmp_path / "none.npz")
    assert "does not exist, or is not a file" in refused(tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"hello\n", b"PK\x03\x04", b"\x93NUMPY", b"\x80\x04N.", b'{"text": "a"}\n', bytes(range(256))]
)
def test_a_file_of_something_else_is_refused(tmp_path, content):
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    assert "does not hold counts, or is damaged" in refused(path)


@pytest.mark.parametrize(
    "arrays",
    [
        {},
        {"x": np.arange(3)},
        {"header": np.arange(3)},
        {"header": np.frombuffer(b"{}", dtype=np.uint8)},
        {"header": np.frombuffer(b"[1]", dtype=np.uint8)},
        {"header": np.frombuffer(b'"text"', dtype=np.uint8)},
        {"header": np.frombuffer(b'{"format": "something else 1"}', dtype=np.uint8)},
    ],
    ids=["empty", "foreign", "numbers", "no format", "list", "string", "other format"],
)
def test_an_npz_file_of_something_else_is_refused(tmp_path, arrays):
    np.savez(tmp_path / "a.npz", **arrays)
    assert "does not hold counts, or is damaged" in refused(tmp_path / "a.npz")


def test_a_plain_npy_file_and_a_zip_file_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3))
    assert "does not hold counts" in refused(tmp_path / "a.npy")
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("header", "{}")
    assert "does not hold counts" in refused(tmp_path / "a.npz")


@pytest.mark.parametrize("number", [3, 5])
def test_another_version_of_the_format_is_refused_by_name_and_with_the_remedy(file, number):
    path = changed(file, lambda arrays, header: header.update(format=f"spacy-nereval counts {number}"))
    said = (
        f"has the format 'spacy-nereval counts {number}', and this version reads 'spacy-nereval counts 4': count again"
    )
    assert refused(path) == f"{path} {said}"


def test_a_file_that_this_test_writes_anew_is_read(file, with_replicates):
    """So that what is refused below is refused for what was changed."""
    for path in (file, with_replicates):
        same(load(changed(path, lambda arrays, header: None)), load(path))


class Trap:
    """Who unpickles it notices."""

    sprung = False

    def __reduce__(self):
        return (setattr, (Trap, "sprung", True))


@pytest.mark.parametrize("name", ["header", "cells/data", "cells/indptr"])
def test_an_array_of_objects_is_refused_and_not_unpickled(file, name):
    def trapped(arrays, header):
        arrays[name] = np.array([Trap()], dtype=object)

    with np.load(file) as archive:
        arrays = dict(archive)
    trapped(arrays, None)
    path = file.with_name("trap.npz")
    np.savez(path, **arrays)
    assert "does not hold counts, or is damaged" in refused(path)
    assert not Trap.sprung


def test_a_file_that_ends_early_is_refused_wherever_it_ends(file, tmp_path):
    content, path = file.read_bytes(), tmp_path / "short.npz"
    for end in sorted(Random(0).sample(range(len(content)), 60)) + [len(content) - 1]:
        path.write_bytes(content[:end])
        refused(path)


@pytest.mark.costly
def test_a_file_with_a_wrong_byte_is_refused_or_says_the_same_wherever_it_is(file, tmp_path):
    """Some bytes, such as the time of writing, do not matter."""
    content, path, expected = file.read_bytes(), tmp_path / "wrong.npz", evaluate(load(file))
    random = Random(0)
    found = 0
    for place in [*range(40), *sorted(random.sample(range(len(content)), 300))]:
        wrong = bytearray(content)
        wrong[place] ^= random.randrange(1, 256)
        path.write_bytes(wrong)
        try:
            assert evaluate(load(path)) == expected
        except ValueError as error:
            assert str(path) in str(error), place
            found += 1
    assert found > 60


@pytest.mark.parametrize("key", sorted(Header.model_fields.keys() - LATER.keys()))
def test_a_header_that_lacks_something_is_refused(file, key):
    assert "damaged" in refused(changed(file, lambda arrays, header: header.pop(key), hashed=key != "digest"))


STRICT = {"name": "strict", "version": 1, "settings": {"beta": 1.0}, "verdicts": [], "columns": []}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("metrics", None),
        ("metrics", []),
        ("metrics", ["strict"]),
        ("metrics", [{"name": "strict"}]),
        ("metrics", [STRICT | {"name": "no such"}]),
        ("metrics", [STRICT | {"settings": {"s": 1}}]),
        ("metrics", [STRICT | {"settings": {"name": "fair"}}]),
        ("columns", 3),
        ("columns", [["", "hit", "A", "A"]]),
        ("columns", [["", "hit", "A", "A", "", 1]]),
        ("ids", ["a"]),
        ("ids", None),
        ("ids", [1, 2, 3, 4]),
        ("units", ["a"]),
        ("entries", -1),
        ("entries", 10**15),
        ("entries", "four"),
        ("skipped", -1),
        ("skipped", "none"),
        ("skipped", 1.5),
        ("skipped", True),
        ("spans_key", 3),
        ("parts", "abc"),
        ("replicates", {"samples": 3}),
        ("replicates", {"samples": 3, "seed": 0, "labels": ["A", "B", "C"]}),
        ("origin", []),
        ("more", 1),
    ],
    ids=str,
)
def test_a_header_that_does_not_fit_is_refused(file, key, value):
    """On loading, also with the hash of what it says."""
    assert "damaged" in refused(changed(file, lambda arrays, header: header.update({key: value})))


@pytest.mark.parametrize(
    "update",
    [{"samples": -1}, {"samples": 10**15}, {"seed": -1}, {"labels": ["A", "A", "B", "C"]}, {"labels": ["A", "B"]}]
    + [{"labels": ["A", "B", "D"]}, {"samples": 2}, {"more": 0}],
    ids=str,
)
def test_a_header_whose_replicates_do_not_fit_is_refused(with_replicates, update):
    refused(changed(with_replicates, lambda arrays, header: header["replicates"].update(update)))


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_a_header_that_is_nested_deeply_is_refused(file, opening):
    with np.load(file) as archive:
        arrays = dict(archive)
    for text in (opening * 200_000, '{"format": "spacy-nereval counts 4", "origin": ' + opening * 200_000):
        arrays["header"] = np.frombuffer(text.encode(), dtype=np.uint8)
        np.savez_compressed(file, **arrays)
        assert "does not hold counts, or is damaged" in refused(file)


def test_columns_that_count_what_is_not_counted_or_are_there_twice_are_refused(file):
    for column in (
        ["", "hit", "A", "A", "high", ""],
        ["strict", "tp", "A", "A", "", ""],
        ["x", "tp", "A", "A", "", ""],
    ):
        path = changed(file, lambda arrays, header, column=column: header["columns"].__setitem__(0, column))
        assert "which is not counted here" in refused(path)
    path = changed(file, lambda arrays, header: header["columns"].__setitem__(0, header["columns"][1]))
    assert "a column occurs twice" in refused(path)


@pytest.mark.parametrize("name", ["cells/data", "cells/indices", "cells/indptr", "header"])
def test_a_file_that_lacks_an_array_is_refused(file, name):
    with np.load(file) as archive:
        arrays = dict(archive)
    arrays.pop(name)
    np.savez(file, **arrays)
    assert "damaged" in refused(file)


@pytest.mark.parametrize("value", [-1, 10**6, 2**31 - 1, -(2**31)])
@pytest.mark.parametrize(
    ("name", "place"), [("indices", 0), ("indices", -1), ("indptr", 0), ("indptr", 2), ("indptr", -1)]
)
def test_places_that_there_are_not_are_refused(file, name, place, value):
    path = changed(file, lambda arrays, header: arrays[f"cells/{name}"].__setitem__(place, value))
    assert "is damaged" in refused(path)


def test_fewer_than_none_of_something_is_refused(file, with_replicates):
    for path, name in (
        (file, "cells/data"),
        (with_replicates, "replicates/counts"),
        (with_replicates, "replicates/documents"),
    ):
        path = changed(path, lambda arrays, header, name=name: arrays[name].reshape(-1).__setitem__(0, -1))
        assert "below 0" in refused(path)


@pytest.mark.parametrize(
    "put",
    [
        lambda a: a.update({"cells/data": a["cells/data"][:-1]}),
        lambda a: a.update({"cells/data": a["cells/data"][None]}),
        lambda a: a.update({"cells/data": a["cells/data"].astype(str)}),
        lambda a: a.update({"cells/data": a["cells/data"] + 0.5}),
        lambda a: a.update({"cells/data": a["cells/data"] * np.nan}),
        lambda a: a.update({"cells/data": a["cells/data"] > 0}),
        lambda a: a.update({"cells/data": np.float64(3)}),
        lambda a: a.update({"cells/indptr": a["cells/indptr"][1:]}),
        lambda a: a.update({"cells/indptr": a["cells/indptr"].astype(complex)}),
    ],
    ids=["fewer", "another axis", "text", "halves", "nan", "truth", "one", "fewer rows", "complex"],
)
def test_arrays_that_do_not_fit_the_header_are_refused(file, put):
    assert "is not the array that the header describes" in refused(changed(file, lambda arrays, header: put(arrays)))


@pytest.mark.parametrize("name", ["counts", "means", "class_means", "documents"])
def test_replicates_that_lack_something_or_have_another_shape_are_refused(with_replicates, name):
    refused(changed(with_replicates, lambda arrays, header: arrays.pop(f"replicates/{name}")))
    cut = lambda arrays, header: arrays.update({f"replicates/{name}": arrays[f"replicates/{name}"][..., :-1]})  # noqa: E731
    assert f"replicates/{name} is not the array" in refused(changed(with_replicates, cut))


def test_what_was_changed_without_its_hash_is_refused(file):
    for change in (
        lambda arrays, header: arrays["cells/data"].__setitem__(0, 7),
        lambda arrays, header: header.update(skipped=7),
        lambda arrays, header: header["ids"].__setitem__(0, "x"),
    ):
        assert "it was changed after it was written" in refused(changed(file, change, hashed=False))


@pytest.mark.parametrize("name", ["header", "cells/data"])
@pytest.mark.parametrize("shape", [(10**15,), (10**8,), (-1,), (2**63,), (10**5,) * 3], ids=str)
def test_an_array_that_says_it_is_huge_is_refused_before_there_is_room_for_it(file, name, shape):
    with zipfile.ZipFile(file) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    start = io.BytesIO()
    np.lib.format.write_array_header_1_0(start, {"descr": "|u1", "fortran_order": False, "shape": shape})
    members[f"{name}.npy"] = start.getvalue() + b"\0" * 10
    with zipfile.ZipFile(file, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    tracemalloc.start()
    refused(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**7


def with_member(file: Path, name: str, content: bytes, **how) -> Path:
    """The archive with other bytes for one of its arrays."""
    with zipfile.ZipFile(file) as archive:
        members = {member: archive.read(member) for member in archive.namelist()} | {f"{name}.npy": content}
    with zipfile.ZipFile(file, "w", **how) as archive:
        for member, data in members.items():
            archive.writestr(member, data)
    return file


NO_PYTHON = ("{'descr': '<i8', 'shape': (3,)", "(" * 9000, "  x\n y", "'" * 3, "-" * 9000 + "1", "[" * 150 + "]" * 150)


@pytest.mark.parametrize("name", ["header", "cells/data"])
@pytest.mark.parametrize("text", NO_PYTHON, ids=range(len(NO_PYTHON)))
def test_an_array_whose_header_is_no_python_is_refused(file, name, text):
    content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
    said = refused(with_member(file, name, content))
    assert "does not hold counts, or is damaged" in said and len(said) < 1000


def test_a_member_that_is_compressed_in_another_way_and_damaged_is_refused(file):
    content = bytearray(with_member(file, "header", b"x" * 999, compression=zipfile.ZIP_LZMA).read_bytes())
    at = content.find(b"header.npy") + len("header.npy")
    content[at + 4 : at + 12] = b"\xff" * 8
    file.write_bytes(content)
    assert "does not hold counts, or is damaged" in refused(file)


def test_an_encrypted_member_is_refused(file):
    content = bytearray(file.read_bytes())
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the flags of each member, twice in the file
        place = content.find(signature)
        while place >= 0:
            content[place + at] |= 1
            place = content.find(signature, place + 1)
    file.write_bytes(content)
    assert "encrypted" in refused(file)


def test_the_schema_of_the_header_is_current(file):
    """Write it anew with SPACY_NEREVAL_REGENERATE=1."""
    path = ROOT / "docs" / "reference" / "counts-file.schema.json"
    if os.environ.get("SPACY_NEREVAL_REGENERATE"):
        path.write_text(json.dumps(schema(), indent=2) + "\n", encoding="utf8")
    assert json.loads(path.read_text(encoding="utf8")) == json.loads(json.dumps(schema()))


@pytest.mark.costly
def test_a_file_that_is_refused_is_closed(tmp_path):
    """An open one cannot be deleted everywhere."""
    path = tmp_path / "a.npz"
    path.write_bytes(b"PK\x03\x04 and no more")
    with warnings.catch_warnings(record=True) as left_open:
        warnings.simplefilter("always")
        with pytest.raises(ValueError):
            load(path)
        gc.collect()
    assert [str(warning.message) for warning in left_open] == []


def test_a_damaged_file_is_named_among_those_to_merge(file, tmp_path):
    (tmp_path / "bad.npz").write_bytes(file.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"bad\.npz does not hold counts"):
        merge([file, tmp_path / "bad.npz"])


def test_what_save_writes_is_an_archive_that_numpy_reads_from_memory(file):
    """An .npz file like others, not one that only this package reads."""
    with np.load(io.BytesIO(file.read_bytes())) as archive:
        assert {*archive.files} == {"header", "cells/data", "cells/indices", "cells/indptr"}
