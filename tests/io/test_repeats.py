"""A count file knows what it was merged from, so nothing counts twice unless that is meant."""

from __future__ import annotations

import pytest
from commands import accepted, line, refused, write

from spacy_nereval.io.count_files import load


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
