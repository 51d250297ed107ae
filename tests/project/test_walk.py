"""The walk of an Example in docs/explanation/architecture.md passes the files that it names, and no others."""

import re
import sys
from pathlib import Path
from types import FrameType

import pytest
import spacy
from places import TESTS
from spacy.training import Example

import spacy_nereval
from spacy_nereval.integration.scorer import make_ner_scorer

PACKAGE = Path(spacy_nereval.__file__).parent
PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "architecture.md"
SECTION = PAGE.read_text(encoding="utf8").split("## An Example, step by step")[1].split("\n## ")[0]
STEPS = re.findall(r"^\d+\. `([a-z_]+/[a-z_]+\.py)`", SECTION, flags=re.MULTILINE)


def passed() -> set[str]:
    """The files of the package whose functions run while an Example with a boundary error is scored."""
    nlp = spacy.blank("en")
    example = Example.from_dict(nlp("Ada Lovelace met Bob"), {"entities": [(0, 12, "PER")]})
    example.predicted.set_ents([example.predicted.char_span(0, 3, "PER")])
    score = make_ner_scorer({"fair": {}})
    score([example])  # what is imported at first use is imported now
    files: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        file = Path(frame.f_code.co_filename)
        if event == "call" and file.is_relative_to(PACKAGE):
            files.add(file.relative_to(PACKAGE).as_posix())

    sys.setprofile(note)
    try:
        found = score([example])
    finally:
        sys.setprofile(None)
    assert found["ents_nereval"]["metrics"]["fair"]["counts"]["be_s"] == 1
    return files


def test_the_walk_names_every_file_that_an_example_passes():
    assert passed() == set(re.findall(r"`([a-z_]+/[a-z_]+\.py)`", SECTION))


def test_the_walk_has_at_most_nine_steps_each_in_a_file_of_its_own():
    assert 0 < len(STEPS) == len(set(STEPS)) <= 9


def test_every_file_and_folder_that_the_page_names_exists():
    named = set(re.findall(r"`([a-z_/]+(?:\.py|/))`", PAGE.read_text(encoding="utf8"))) - {"spacy_nereval/__init__.py"}
    assert len(named) > 60
    found = [f"/{path.relative_to(PACKAGE).as_posix()}{'/' * path.is_dir()}" for path in PACKAGE.rglob("*")]
    assert [name for name in named if not any(path.endswith(f"/{name}") for path in found)] == []


def test_both_pages_list_the_rooms_from_top_to_bottom():
    contract = (PAGE.parents[2] / ".importlinter").read_text(encoding="utf8")
    layers = contract.split("layers =\n")[1].split("exhaustive")[0]
    rooms = [line.strip().split(" | ") for line in layers.splitlines() if line.strip()]
    for page in (PAGE, PAGE.parents[2] / "CONTRIBUTING.md"):
        rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page.read_text(encoding="utf8"), flags=re.M)
        assert [re.findall(r"\w+", row) for row in rows][: len(rooms)] == rooms


@pytest.mark.parametrize("folder", [PACKAGE, TESTS], ids=["package", "tests"])
def test_every_module_has_a_name_of_its_own(folder):
    """So that a name in a message or a search leads to one file, and pytest can collect all tests in one process."""
    places: dict[str, list[str]] = {}
    for path in folder.rglob("*.py"):
        places.setdefault(path.stem, []).append(path.relative_to(folder).as_posix())
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert shared.keys() <= {"__init__", "conftest"}, shared
