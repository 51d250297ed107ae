"""Counts as files: what comes back, what may be merged, and what is refused."""

from __future__ import annotations

import gc
import io
import json
import shutil
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import corpus
from profiles import tries
from strategies import corpora, nested

from spacy_nereval import Confidence, Counts, Document, count, create, create_all, evaluate
from spacy_nereval.evaluation.comparison import compare
from spacy_nereval.evaluation.intervals import replicate
from spacy_nereval.evaluation.per_document import disagreement, document_rows
from spacy_nereval.io import count_files as storage
from spacy_nereval.io.count_files import load, merge, save
from spacy_nereval.metrics.registry import DEFAULT

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
    "rows/settled",
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
    assert (a.ids, a.labels, a.sources, a.skipped, a.ignored) == (b.ids, b.labels, b.sources, b.skipped, b.ignored)
    assert a.differences(b) == ""


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
    counts.ignored, counts.sources = 3, ["gold.spacy"]
    save(counts, path)
    same(load(path), counts)


def test_intervals_and_comparisons_of_loaded_counts_are_those_of_the_counts(tmp_path):
    a, b = count(corpus(9), ALL), count(corpus(9)[::-1], ALL)
    loaded = [load(stored(corpus(9)[::step], tmp_path / f"{step}.npz")) for step in (1, -1)]
    confidence = Confidence(samples=70)
    assert evaluate(loaded[0], confidence) == evaluate(a, confidence)
    assert compare(*loaded, confidence=confidence) == compare(a, b, confidence=confidence)


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
    for name, tape in whole.replicates.tapes.items():
        for key, values in tape.items():
            np.testing.assert_allclose(merged.replicates.tapes[name][key], values, rtol=1e-12)
    ours, expected = (evaluate(counts, Confidence()) for counts in (merged, whole))
    assert ours["metrics"]["strict"]["intervals"]["scores"] == expected["metrics"]["strict"]["intervals"]["scores"]


def test_texts_without_id_of_several_files_stay_documents_of_their_own(tmp_path):
    paths = [stored(corpus(3, named=False), tmp_path / f"{k}.npz", source=f"{k}.jsonl") for k in range(2)]
    assert len(set(merge(paths).units.tolist())) == 6


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
    assert both.documents == 6 and both.units.tolist() == [0, 0, 1, 1, 2, 3]


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
        ((0, 7), "one has no replicates, the other 7 replicates of seed 0"),
        ((7, 8), "7 replicates of seed 0, the other 8"),
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
    with pytest.raises(ValueError, match="old.npz was counted by version 1 of strict, this is version 2"):
        load(old)
    with pytest.raises(ValueError, match="old.npz was counted by version 1 of strict, this is version 2"):
        merge([old, old])


def test_counts_of_two_versions_are_not_added():
    a = count(corpus(2), [create("strict")])
    b = count(corpus(2), [replace(create("strict"), version=2)])
    with pytest.raises(ValueError, match="strict.version is 1 and 2"):
        a + b


# Damaged


def changed(path: Path, change: Callable[[dict[str, np.ndarray], dict[str, Any]], Any]) -> Path:
    """The file after a change of its arrays and its header."""
    with np.load(path) as archive:
        arrays = dict(archive)
    header = json.loads(arrays["header"].tobytes())
    change(arrays, header)
    if "header" in arrays:
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
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
    assert "is not there, or is no file" in refused(tmp_path / "none.npz")
    assert "is not there, or is no file" in refused(tmp_path)


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


def test_a_later_format_is_refused_by_name(file):
    path = changed(file, lambda arrays, header: header.update(format="spacy-nereval counts 4"))
    assert "'spacy-nereval counts 4', this version reads 'spacy-nereval counts 3'" in refused(path)


class Trap:
    """Who unpickles it notices."""

    sprung = False

    def __reduce__(self):
        return (setattr, (Trap, "sprung", True))


@pytest.mark.parametrize("name", ["header", "rows/strict", "amounts/settled", "extra"])
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


@pytest.mark.parametrize(
    "key", ["metrics", "labels", "documents", "ids", "skipped", "ignored", "sources", "replicates"]
)
def test_a_header_that_lacks_something_is_refused(file, key):
    refused(changed(file, lambda arrays, header: header.pop(key)))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("metrics", None),
        ("metrics", ["strict"]),
        ("metrics", [{"name": "strict"}]),
        ("metrics", [{"name": "no such", "settings": {}, "version": 1}]),
        ("metrics", [{"name": "strict", "settings": {"s": 1}, "version": 1}]),
        ("labels", 3),
        ("labels", [["A"], ["B"], ["C"]]),
        ("labels", ["A", "A", "B"]),
        ("documents", 3),
        ("documents", -1),
        ("documents", "four"),
        ("ids", ["a"]),
        ("ids", None),
        ("skipped", "none"),
        ("replicates", {"samples": 3}),
        ("replicates", {"samples": 3, "seed": 0, "labels": ["A", "B", "C"]}),
    ],
)
def test_a_header_that_does_not_fit_is_refused(file, key, value):
    """Whether on loading, or on scoring at the latest: never a number."""
    refused(changed(file, lambda arrays, header: header.update({key: value})))


@pytest.mark.parametrize("kind", ["rows", "amounts"])
@pytest.mark.parametrize("name", ["settled", *DEFAULT])
def test_counts_without_rows_per_document_are_refused(file, kind, name):
    said = refused(changed(file, lambda arrays, header: arrays.pop(f"{kind}/{name}")))
    assert f"the counts of each document are missing for {name}" in said


@pytest.mark.parametrize("name", ["settled", "strict", "loio", "wrf"])
@pytest.mark.parametrize(
    ("column", "value"),
    [(0, -1), (0, 4), (0, 10**6), (1, -1), (1, 15), (1, 40), (1, 63), (1, 64), (2, -2), (2, 3), (3, -2), (3, 99)],
    ids=lambda value: str(value),
)
def test_rows_of_documents_verdicts_or_labels_that_there_are_not_are_refused(file, name, column, value):
    assert load(file).documents == 4 and len(load(file).labels) == 3

    def put(arrays, header):
        if not len(arrays[f"rows/{name}"]):
            arrays[f"rows/{name}"] = np.zeros((1, 4), dtype=np.int32)
            arrays[f"amounts/{name}"] = np.ones(1)
        arrays[f"rows/{name}"][-1, column] = value

    assert "is damaged" in refused(changed(file, put))


@pytest.mark.parametrize(
    "put",
    [
        lambda a: a.update({"rows/settled": a["rows/settled"][:-1]}),
        lambda a: a.update({"rows/settled": a["rows/settled"][:, :3]}),
        lambda a: a.update({"rows/settled": a["rows/settled"].ravel()}),
        lambda a: a.update({"amounts/settled": a["amounts/settled"][:-1]}),
        lambda a: a.update({"amounts/settled": np.float64(3)}),
        lambda a: a.update({"rows/settled": a["rows/settled"].astype(str)}),
        lambda a: a.update({"amounts/settled": a["amounts/settled"].astype(str)}),
        lambda a: a.update({"rows/settled": a["rows/settled"] + 0.5}),
        lambda a: a.update({"amounts/settled": a["amounts/settled"] * np.nan}),
    ],
    ids=["fewer rows", "fewer columns", "flat", "fewer amounts", "one amount", "text", "text amounts", "halves", "nan"],
)
def test_rows_that_do_not_fit_together_are_refused(file, put):
    refused(changed(file, lambda arrays, header: put(arrays)))


@pytest.mark.parametrize("part", ["/columns0", "/columns1", "/spans1", "/docs.sum"])
def test_replicates_that_lack_something_are_refused(with_replicates, part):
    refused(changed(with_replicates, lambda arrays, header: arrays.pop(f"replicates/strict{part}")))


def test_replicates_of_a_metric_that_was_not_counted_are_refused(with_replicates):
    refused(changed(with_replicates, lambda arrays, header: arrays.update({"replicates/x/columns0": np.ones(3)})))


def test_replicates_of_another_shape_are_refused(with_replicates):
    def cut(arrays, header):
        arrays["replicates/strict/columns1"] = arrays["replicates/strict/columns1"][:, :-1]

    refused(changed(with_replicates, cut))


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
        assert {"header", "rows/settled", "amounts/settled"} < set(archive.files)
