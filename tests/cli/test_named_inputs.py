"""What commands read is looked up once, however many outputs it is compared with."""

from __future__ import annotations

from pathlib import Path

import pytest

from spacy_nereval.cli import guards
from spacy_nereval.cli.guards import check_files


def test_each_input_is_looked_up_once_whatever_parts_are_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"{number}.jsonl" for number in range(6)]
    Path("parts").mkdir()
    for name in names:
        Path(name).write_text("")
        Path("parts", f"counts-{name}.npz").write_text("")
    looked_up: list[str] = []
    place = guards._place
    monkeypatch.setattr(guards, "_place", lambda name: looked_up.append(name) or place(name))
    given = {"first": names[0], "others": names[1:], "output": Path("out.npz"), "parts": "parts"}
    check_files(given)
    assert looked_up == names
    Path("parts", "counts-5.jsonl.npz").unlink()
    Path("parts", "counts-5.jsonl.npz").hardlink_to("5.jsonl")
    with pytest.raises(ValueError, match="counts-5.jsonl.npz and 5.jsonl are the same file"):
        check_files(given)
