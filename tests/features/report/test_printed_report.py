"""What the commands of this feature print, whole: see `printed.py`."""

from pathlib import Path

import pytest
from commands import Row, write
from everything import corpus, write_everything
from printed import check_section, every_section

from spacy_nereval.features.report.corrections import gold_digest

pytestmark = pytest.mark.costly  # many commands


def marks(gold: list[Row], reviewer: int) -> list[Row]:
    """Marks of a reviewer: another label, other boundaries, a new span, none, and a place without a decision.
    The second reviewer decides otherwise on the first place, and alone on the last."""
    digests = [
        gold_digest(row["id"], row["text"], [(span["start"], span["end"], span["label"]) for span in row["spans"]])
        for row in gold
    ]
    first, second, third = (gold[k]["spans"] for k in range(3))
    decided = [
        (0, first[0], "gold wrong", [first[0] | {"label": ("ORG", "LOC")[reviewer]}]),
        (0, first[2], "gold wrong", [first[2] | {"start": first[2]["start"] + 4}]),
        (1, None, "gold wrong", [{"start": 23, "end": 29, "label": "LOC"}]),
        (1, second[1], "system wrong", None),
        (2, third[0], "gold wrong", []),
        (2, third[1], "unclear", None),
        *[(2, third[2], "gold wrong", [third[2] | {"label": "ORG"}])] * reviewer,
    ]
    return [
        {"digest": digests[k], "gold": span, "mark": mark, "decided": new, "reason": ("agreement", "label")[reviewer]}
        | ({"note": "see above"} if span is None else {})
        for k, span, mark, new in (decided if not reviewer else decided[:2] + decided[-1:])
    ]


@every_section(Path(__file__).parent / "golden")
def test_all_that_is_printed_is_in_the_golden_file(path, title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_everything(tmp_path)
    for reviewer, name in enumerate(("marks", "other")):
        write(Path(f"{name}.jsonl"), *marks(corpus(), reviewer))
    check_section(path, title)
