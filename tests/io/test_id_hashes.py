"""Files of hashes of document ids: what two of them share is found, however many files and hashes there are."""

from __future__ import annotations

import errno
from itertools import combinations

import numpy as np
import pytest

from spacy_nereval.io import id_hashes
from spacy_nereval.io.id_hashes import HASH, hashes_of, holders, merge_hashes, stored, without_repeats


@pytest.mark.parametrize("block", [2, 1 << 20])
def test_what_two_of_many_files_have_is_found_wherever_they_stand(tmp_path, monkeypatch, block):
    monkeypatch.setattr(id_hashes, "TOGETHER", 2)
    monkeypatch.setattr(id_hashes, "BLOCK", block)
    files = [hashes_of(f"{name}{k}" for k in range(9)) for name in "abcde"]
    assert merge_hashes(files, tmp_path / "all") is None
    whole = stored(tmp_path / "all").tolist()
    assert whole == sorted(whole) and len({*whole}) == len(whole) == 45
    shared = stored(hashes_of(["shared"]))
    for pair in combinations(range(5), 2):
        given = list(files)
        for k in pair:
            given[k] = tmp_path / f"{pair}-{k}"
            np.sort(np.concatenate([stored(files[k]), shared])).astype(HASH).tofile(given[k])
        found = merge_hashes(given, tmp_path / "all")
        assert found == bytes(shared[0]).ljust(id_hashes.SIZE, b"\0")
        assert holders(given, found) == [*pair]
        assert len(stored(tmp_path / "all")) == 46


def test_what_cannot_be_merged_leaves_no_temporary_file(monkeypatch):
    files = [hashes_of("ab"), hashes_of("bc")]
    folder = files[0].parent
    before = sorted(folder.iterdir())
    with pytest.raises(ValueError, match="x and y have documents with the same id, 1 in all files"):
        without_repeats(["x", "y"], files, False)
    assert sorted(folder.iterdir()) == before

    def full(files):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(id_hashes, "_blocks", full)
    with pytest.raises(OSError, match="No space left on device"):
        without_repeats(["x", "y"], files, True)
    assert sorted(folder.iterdir()) == before
