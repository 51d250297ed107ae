"""Counts come back from files as they were, whole or not at all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from made_up import corpus
from places import SEEN
from profiles import tries
from stored_counts import ALL, same, stored
from strategies import corpora, nested

from spacy_nereval import Confidence, Document, count, create, create_all, evaluate
from spacy_nereval.evaluation.comparison import compare
from spacy_nereval.evaluation.intervals import replicate
from spacy_nereval.evaluation.result import plain
from spacy_nereval.io.count_files import load, merge, save

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
