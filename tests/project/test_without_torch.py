"""scripts/without_torch.py: what it hides, from what, and how it starts what it is given."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import catalogue
import pytest
from project_scripts import script

started = script("without_torch")


class Package:
    """A package, with its requirements."""

    def __init__(self, requires: list[str] | None) -> None:
        self.requires = requires


@pytest.fixture
def ran(monkeypatch) -> list:
    """What was started, and whether PyTorch was hidden from it."""
    seen: list = []
    for name in ("run_path", "run_module"):
        monkeypatch.setattr(
            started.runpy, name, lambda program, **_: seen.append((program, sys.argv, sys.modules.get("torch", 0)))
        )
    needs = {"ours": ["spacy>=3.8", "torchlike; extra == 'x'"], "plain": None, "theirs": ["numpy", "torch>=1.8.0"]}
    entries = [SimpleNamespace(name=name, dist=Package(requires)) for name, requires in needs.items()]
    found = SimpleNamespace(groups={"spacy_factories", "console_scripts"}, select=lambda group: entries)
    monkeypatch.setattr(catalogue, "AVAILABLE_ENTRY_POINTS", found)
    monkeypatch.setitem(sys.modules, "torch", "there")
    monkeypatch.setattr(sys, "path", [*sys.path])
    return seen


def test_torch_and_what_requires_it_look_as_if_they_were_not_installed(ran, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["without_torch.py", "scripts/train.py", "a.cfg", "--gpu-id", "-1"])
    started.main()
    assert ran == [("scripts/train.py", ["scripts/train.py", "a.cfg", "--gpu-id", "-1"], None)]
    points = catalogue.AVAILABLE_ENTRY_POINTS
    assert {group: [point.name for point in of] for group, of in points.items()} == {
        "spacy_factories": ["ours", "plain"]
    }
    assert sys.path[0] == "scripts"


def test_a_command_for_a_gpu_has_everything(ran, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["without_torch.py", "spacy", "nereval", "evaluate", "--gpu-id", "0"])
    started.main()
    assert ran == [("spacy", ["spacy", "nereval", "evaluate", "--gpu-id", "0"], "there")]
    assert not isinstance(catalogue.AVAILABLE_ENTRY_POINTS, dict)
