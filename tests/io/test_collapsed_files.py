"""Files of collapsed counts: damaged ones are refused, others are merged, and none counts twice."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from made_up import corpus
from stored_counts import FAIR, changed, refused, stored, stored_collapsed

from spacy_nereval import Confidence, count, evaluate
from spacy_nereval.evaluation.collapsing import Halves, collapse
from spacy_nereval.io.count_files import load, merge, save


def test_a_file_says_what_the_counts_say(collapsed, tmp_path):
    whole = collapse(count(corpus(12), FAIR), 9)
    found = load(collapsed)
    assert evaluate(found, Confidence()) == evaluate(whole, Confidence())
    assert found.totals() == whole.totals() and found.parts == ["12" * 16]
    assert (found.collapsed.units, found.collapsed.squares.tolist()) == (12, whole.collapsed.squares.tolist())
    same = changed(collapsed, lambda arrays, header: None)  # so that what is refused below is refused for the change
    assert evaluate(load(same), Confidence()) == evaluate(whole, Confidence())


def test_a_file_without_half_samples_or_documents_is_read(tmp_path):
    assert load(stored_collapsed(corpus(3), tmp_path / "a.npz", samples=0)).replicates is None
    assert load(stored_collapsed([], tmp_path / "b.npz")).documents == 0


def test_a_release_that_knows_no_collapsed_counts_refuses_them_by_name(collapsed):
    """It asks for this beginning."""
    with np.load(collapsed) as archive:
        assert json.loads(archive["header"].tobytes())["format"].startswith("spacy-nereval counts ")


def test_a_file_that_ends_early_or_has_a_wrong_byte_is_refused_or_says_the_same(collapsed, tmp_path):
    content, expected, random = collapsed.read_bytes(), evaluate(load(collapsed)), Random(0)
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
    return [stored_collapsed(documents[a:b], tmp_path / f"{a}.npz", shard=f"{a:032x}") for a, b in pairwise(edges)]


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
    unnamed = stored_collapsed(corpus(4), tmp_path / "unnamed.npz")  # counted from what has no content to name it by
    with pytest.raises(ValueError, match="are the same counts"):
        merge([unnamed, stored_collapsed(corpus(4), tmp_path / "again.npz")])


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
