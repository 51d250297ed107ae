"""Where things are that several tests need."""

import os
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
SEEN = TESTS / "support" / "seen.json"
"""A small lexicon."""
DATA = Path(os.environ.get("SPACY_NEREVAL_DATA", ROOT.parent / "shared" / "data"))
"""Open data that is not part of the project; tests that need it are skipped where it is missing."""
RECORDED = TESTS / "data"
"""Recorded results of other programs."""
