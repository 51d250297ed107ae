"""Files of collapsed counts: damaged ones are refused, others are merged, and none counts twice."""

from __future__ import annotations

import json
import os
import re
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from made_up import corpus
from places import ROOT
from stored_counts import changed, refused, stored

from spacy_nereval import Confidence, count, create_all, evaluate
from spacy_nereval.evaluation.collapsing import Halves, collapse, count_collapsed
from spacy_nereval.io.count_files import load, merge, save
from spacy_nereval.io.count_layout import CollapsedHeader, schema

FAIR = create_all(["strict", "fair", "loio"])


def collapsed(documents: Any, path: Path, samples: int = 9, shard: str = "") -> Path:
    counts = count_collapsed(iter(documents), FAIR, samples)
    counts.parts = [shard] if shard else []
    save(counts, path)
    return path


@pytest.fixture
def file(tmp_path) -> Path:
    return collapsed(corpus(12), tmp_path / "a.npz", shard="12" * 16)


def test_a_file_says_what_the_counts_say(file, tmp_path):
    whole = collapse(count(corpus(12), FAIR), 9)
    found = load(file)
    assert evaluate(found, Confidence()) == evaluate(whole, Confidence())
    assert found.totals() == whole.totals() and found.parts == ["12" * 16]
    assert (found.collapsed.units, found.collapsed.squares.tolist()) == (12, whole.collapsed.squares.tolist())
    same = changed(file, lambda arrays, header: None)  # so that what is refused below is refused for the change
    assert evaluate(load(same), Confidence()) == evaluate(whole, Confidence())


def test_a_file_without_half_samples_or_documents_is_read(tmp_path):
    assert load(collapsed(corpus(3), tmp_path / "a.npz", samples=0)).replicates is None
    assert load(collapsed([], tmp_path / "b.npz")).documents == 0


def test_another_version_is_refused_by_name_and_with_the_remedy(file):
    path = changed(file, lambda arrays, header: header.update(format="spacy-nereval counts collapsed 2"))
    said = (
        "has the format 'spacy-nereval counts collapsed 2', and this version reads 'spacy-nereval counts collapsed 1'"
    )
    assert refused(path) == f"{path} {said}: count again"


def test_a_release_that_knows_no_collapsed_counts_refuses_them_by_name(file):
    """It asks for this beginning."""
    with np.load(file) as archive:
        assert json.loads(archive["header"].tobytes())["format"].startswith("spacy-nereval counts ")


@pytest.mark.parametrize("kind", ["spacy-nereval counts 4", "spacy-nereval counts collapsed 1"])
def test_counts_of_one_kind_are_not_read_as_the_other(file, tmp_path, kind):
    path = stored(corpus(3), tmp_path / "full.npz") if "collapsed" in kind else file
    assert "damaged" in refused(changed(path, lambda arrays, header: header.update(format=kind)))


@pytest.mark.parametrize("key", ["labels", "unit_number", "shards", "unit", "metrics", "columns", "digest"])
def test_a_header_that_lacks_something_is_refused(file, key):
    assert "damaged" in refused(changed(file, lambda arrays, header: header.pop(key), hashed=key != "digest"))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ids", ["a"]),
        ("units", ["a"]),
        ("parts", ["a"]),
        ("labels", ["A", "B"]),
        ("labels", ["A", "B", "D"]),
        ("labels", None),
        ("unit_number", -1),
        ("unit_number", 13),
        ("shards", -1),
        ("shards", 2),
        ("shards", 10**15),
        ("id_hashes", "../a"),
        ("entries", 10**6),
        ("more", 1),
    ],
    ids=str,
)
def test_a_header_that_does_not_fit_is_refused(file, key, value):
    assert "damaged" in refused(changed(file, lambda arrays, header: header.update({key: value})))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("all/documents", -1, "below 0"),
        ("all/documents", 5, "more averages or units than documents"),
        ("all/means", 13, "more averages or units than documents"),
        ("all/means", -1, "below 0"),
        ("squares", -1, "below 0"),
        ("replicates/documents", 13, "a half-sample has more than there is"),
        ("replicates/counts", 10**6, "a half-sample has more than there is"),
        ("replicates/counts", -1, "below 0"),
        ("cells/data", -1, "below 0"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(file, name, value, said):
    put = lambda arrays, header: arrays[name].reshape(-1).__setitem__(0, value)  # noqa: E731  # one of several ways to damage a file, side by side
    assert said in refused(changed(file, put))


@pytest.mark.parametrize("name", ["all/means", "all/class_means", "all/documents", "squares", "shards", "cells/indptr"])
def test_a_file_that_lacks_an_array_or_has_another_one_is_refused(file, name):
    assert "damaged" in refused(changed(file, lambda arrays, header: arrays.pop(name)))
    if name != "all/class_means":
        halves = lambda arrays, header: arrays.update({name: arrays[name] + 0.5})  # noqa: E731  # one of several ways to damage a file, side by side
        assert f"{name} is not the array that the header describes" in refused(changed(file, halves))
    longer = lambda arrays, header: arrays.update({name: np.stack([arrays[name]] * 2)})  # noqa: E731  # one of several ways to damage a file, side by side
    assert f"{name} is not the array that the header describes" in refused(changed(file, longer))


def test_what_was_changed_without_its_hash_is_refused(file):
    for change in (
        lambda arrays, header: arrays["all/means"].reshape(-1).__setitem__(0, 7),
        lambda arrays, header: arrays["shards"].__setitem__((0, 0), 7),
        lambda arrays, header: header.update(unit_number=7),
    ):
        assert "it was changed after it was written" in refused(changed(file, change, hashed=False))


def test_a_file_that_ends_early_or_has_a_wrong_byte_is_refused_or_says_the_same(file, tmp_path):
    content, expected, random = file.read_bytes(), evaluate(load(file)), Random(0)
    path = tmp_path / "damaged.npz"
    for end in random.sample(range(len(content)), 15):
        path.write_bytes(content[:end])
        refused(path)
    found = 0
    for place in random.sample(range(len(content)), 60):
        wrong = bytearray(content)
        wrong[place] ^= random.randrange(1, 256)
        path.write_bytes(wrong)
        try:
            assert evaluate(load(path)) == expected
        except ValueError as error:
            assert str(path) in str(error), place
            found += 1
    assert found > 20


def in_parts(tmp_path: Path, number: int = 5) -> list[Path]:
    documents = corpus(30)
    edges = [round(k * 30 / number) for k in range(number + 1)]
    return [collapsed(documents[a:b], tmp_path / f"{a}.npz", shard=f"{a:032x}") for a, b in pairwise(edges)]


def test_files_in_any_order_and_tree_merge_to_the_same_file(tmp_path):
    paths, found = in_parts(tmp_path), []
    orders = [paths, paths[::-1], [*paths[2:], *paths[:2]]]
    save(merge(paths[:2]), tmp_path / "first.npz")
    save(merge(paths[2:]), tmp_path / "last.npz")
    for order in (*orders, [tmp_path / "last.npz", tmp_path / "first.npz"]):
        save(merge(order), tmp_path / "all.npz")
        with np.load(tmp_path / "all.npz") as archive:
            found.append(json.loads(archive["header"].tobytes())["digest"])
    assert len({*found}) == 1
    whole = collapse(count(corpus(30), FAIR), 9)
    assert evaluate(load(tmp_path / "all.npz"), Confidence()) == evaluate(whole, Confidence())


def test_a_shard_that_is_in_two_files_is_refused_with_their_names(tmp_path):
    first, second, *_ = in_parts(tmp_path)
    save(merge([first, second]), tmp_path / "both.npz")
    for files, same in (([first, first], "are the same counts"), ([tmp_path / "both.npz", second], "hold some of")):
        with pytest.raises(ValueError, match=re.escape(f"{files[0]} and {files[1]} {same}")):
            merge(files)
    assert merge([first, first], allow_repeats=True).documents == 12
    unnamed = collapsed(corpus(4), tmp_path / "unnamed.npz")  # counted from what has no content to name it by
    with pytest.raises(ValueError, match="are the same counts"):
        merge([unnamed, collapsed(corpus(4), tmp_path / "again.npz")])


def test_files_with_documents_are_collapsed_on_merging(tmp_path):
    paths = [stored(part, tmp_path / f"{k}.npz", FAIR) for k, part in enumerate((corpus(20), corpus(10, 1)))]
    for path in paths[1:]:
        counts = load(path)
        counts.ids = counts.units = [f"other {id}" for id in counts.ids]
        save(counts, path)
    whole = merge(paths)
    found = merge(paths, collapsed=Halves(9))
    assert evaluate(found, Confidence()) == evaluate(collapse(whole, 9), Confidence())
    save(found, tmp_path / "all.npz")
    with pytest.raises(ValueError, match="hold some of the same counts"):
        merge([tmp_path / "all.npz", paths[0]], collapsed=Halves(9))
    with pytest.raises(ValueError, match="one is collapsed, the other has documents"):
        merge([tmp_path / "all.npz", paths[0]])


def test_the_schema_of_the_header_is_current():
    """Write it anew with SPACY_NEREVAL_REGENERATE=1."""
    path = ROOT / "docs" / "reference" / "collapsed-counts-file.schema.json"
    if os.environ.get("SPACY_NEREVAL_REGENERATE"):
        path.write_text(json.dumps(schema(CollapsedHeader), indent=2) + "\n", encoding="utf8")
    assert json.loads(path.read_text(encoding="utf8")) == json.loads(json.dumps(schema(CollapsedHeader)))
