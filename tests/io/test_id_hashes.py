"""Files of hashes of document ids: what two of them share is found, however many files and hashes there are."""

from __future__ import annotations

import errno
from collections import Counter
from itertools import combinations
from random import Random
from zipfile import ZipFile

import numpy as np
import pytest

from spacy_nereval.io import count_files, id_hashes
from spacy_nereval.io.count_layout import OtherVersion
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
        assert found is None or holders(files, found) == [k for k, some in enumerate(sets) if found in some]


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


@pytest.mark.parametrize("why", ["another version", "not readable", "no counts"])
def test_hashes_are_kept_if_a_file_beside_them_may_need_them(tmp_path, monkeypatch, why):
    hashes = tmp_path / f"nereval-ids-{'0' * 32}.bin"
    hashes.write_bytes(b"")
    with ZipFile(tmp_path / "other.npz", "w") as archive:
        archive.writestr("other.npy", b"")

    def of_another_version(archive: ZipFile) -> None:
        raise OtherVersion("another version")

    if why == "another version":
        monkeypatch.setattr(count_files, "read_header", of_another_version)
    if why == "not readable":
        monkeypatch.setattr(count_files.os, "access", lambda file, mode: False)
    count_files.delete_unused_hashes(hashes)
    assert hashes.exists() == (why != "no counts")
