"""Results are written whole or not at all."""

from __future__ import annotations

import json
import os
import stat

import pytest

from spacy_nereval import Document, score
from spacy_nereval.io.writing import write_json


def test_a_result_is_written_as_it_is(tmp_path):
    gold, pred = [(0, 5, "Ä"), (8, 9, "B"), (10, 11, "B")], [(0, 4, "Ä"), (8, 9, "B")]
    result = score([Document(gold, pred, text="abcdefghijk")])
    write_json(tmp_path / "out.json", result)
    text = (tmp_path / "out.json").read_text(encoding="utf8")
    written = json.loads(text)
    assert written.keys() == result.keys()
    assert written["metrics"]["fair"]["counts"] == result["metrics"]["fair"]["counts"]
    assert set(written["metrics"]["fair"]["per_type"]) == {"Ä", "B"}
    assert text.endswith("}\n")
    assert len(text.splitlines()) > 20


def test_floats_are_written_with_all_their_digits(tmp_path):
    value = {"third": 1 / 3, "tiny": 1e-13, "near one": 1 - 2**-53, "none": None}
    write_json(tmp_path / "out.json", value)
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf8")) == value


def test_what_was_there_is_replaced(tmp_path):
    path = tmp_path / "out.json"
    path.write_text("[1, 2, 3, 4, 5, 6, 7, 8, 9]", encoding="utf8")
    write_json(path, {})
    assert json.loads(path.read_text(encoding="utf8")) == {}
    assert os.listdir(tmp_path) == ["out.json"]


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
@pytest.mark.parametrize("mask, mode", [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_file_has_the_permissions_of_any_new_file(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        write_json(tmp_path / "out.json", {})
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.json").stat().st_mode) == mode


@pytest.mark.parametrize("at", ["dumps", "replace"])
def test_what_was_there_stays_if_writing_fails(tmp_path, monkeypatch, at):
    path = tmp_path / "out.json"
    path.write_text("old", encoding="utf8")
    if at == "replace":

        def replace(*paths):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", replace)
    with pytest.raises((OSError, TypeError, ValueError)):
        write_json(path, {} if at == "replace" else {"no": object()})
    assert path.read_text(encoding="utf8") == "old"
    assert os.listdir(tmp_path) == ["out.json"]
