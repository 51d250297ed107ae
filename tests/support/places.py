"""Where things are that several tests need, and the scripts of the project as modules."""

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
SEEN = TESTS / "support" / "seen.json"
"""A small lexicon."""
DATA = Path(os.environ.get("SPACY_NEREVAL_DATA", ROOT.parent / "shared" / "data"))
"""Open data that is not part of the project; tests that need it are skipped where it is missing."""
FOLDERS = "assets/warranty/", "examples/spancat-"
SPANCAT = {split: tuple(ROOT / f"{folder}{split}.jsonl" for folder in FOLDERS) for split in ("dev", "test")}
"""Gold annotation of real texts, and the scored predictions of a small span categoriser."""
RECORDED = TESTS / "data"
"""Recorded results of other programs."""


def script(name: str) -> ModuleType:
    """A script of the project as a module."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        spec = spec_from_file_location(f"script_{name}", ROOT / "scripts" / f"{name}.py")
        assert spec and spec.loader
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop(0)
