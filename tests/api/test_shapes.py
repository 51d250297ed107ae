"""Shapes in which others keep entities: the same spans, whichever the door."""

from __future__ import annotations

import json
from typing import Any

import pytest
from commands import accepted

from spacy_nereval import score

TEXTS = ["Ada met Bob in Rome", "nobody", "Rome and Rome"]
GOLD = [[(0, 3, "PER"), (8, 11, "PER"), (15, 19, "LOC")], [], [(0, 4, "LOC"), (9, 13, "LOC")]]
PRED = [[(0, 3, "PER"), (8, 11, "LOC")], [], [(0, 4, "LOC")]]
SHAPES: dict[str, Any] = {
    "spaCy 2": lambda text, spans: (text, {"entities": spans}),
    "spaCy 2, as JSON has it": lambda text, spans: [text, {"entities": [[*span] for span in spans]}],
    "text and entities": lambda text, spans: {"text": text, "entities": spans},
    "entities": lambda text, spans: {"entities": spans},
    "entities that repeat their text": lambda text, spans: {
        "entities": [{"text": text[a:b], "label": label} for a, b, label in spans]
    },
    "strings by label": lambda text, spans: {
        name: [text[a:b] for a, b, label in spans if label == name] for name in {label for _, _, label in spans}
    },
}
EXPECTED = score(GOLD, PRED, ["strict", "fair"], text=TEXTS)["metrics"]


def sides(shape: str) -> list[list[Any]]:
    return [[SHAPES[shape](text, spans) for text, spans in zip(TEXTS, side)] for side in (GOLD, PRED)]


@pytest.mark.parametrize("shape", SHAPES)
def test_spans_are_the_same_in_every_shape(shape):
    made = sides(shape)
    texts = {} if shape in ("spaCy 2", "spaCy 2, as JSON has it", "text and entities") else {"text": TEXTS}
    assert score(*made, ["strict", "fair"], **texts)["metrics"] == EXPECTED


@pytest.mark.parametrize("shape", ["spaCy 2", "spaCy 2, as JSON has it", "text and entities"])
def test_the_command_reads_what_python_reads(shape, tmp_path):
    files = [tmp_path / name for name in ("gold.jsonl", "pred.jsonl")]
    for path, items in zip(files, sides(shape)):
        path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf8")
    accepted("score", *files, "-m", "strict,fair", "-o", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["metrics"] == EXPECTED


def test_rows_of_numbers_are_the_same_in_python_and_in_files(tmp_path):
    names = "O,B-PER,I-PER"
    rows = [[{"tokens": ["Ada", "##da", "met"], "ner_tags": tags}] for tags in ([1, -100, 0], [1, 0, 1])]
    files = [tmp_path / name for name in ("gold.json", "pred.json")]
    for path, items in zip(files, rows):
        path.write_text(json.dumps(items), encoding="utf8")
    accepted("score", *files, "-m", "strict", "--tag-names", names, "--format", "hf", "-o", tmp_path / "out.json")
    found = json.loads((tmp_path / "out.json").read_text())["metrics"]
    assert found == score(*rows, ["strict"], tag_names=names)["metrics"]


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"entities": ["Ada"]}, "has entities without labels; expected \\(start, end, label\\)"),
        ({"words": ["Ada"], "labels": ["B-PER"]}, "has no 'text'"),
        ({"PER": "Ada"}, "has no 'text'"),
    ],
)
def test_what_looks_like_it_and_is_not_is_refused(item, said):
    with pytest.raises(ValueError, match=f"gold, document 0: .*{said}"):
        score([item], [[]], ["strict"], text=["Ada"])


def test_the_word_of_a_pipeline_may_be_spelt_otherwise_and_its_text_may_not():
    span = {"start": 0, "end": 3, "entity_group": "PER", "word": "ad ##a"}
    assert score([[span]], [[span]], ["strict"], text=["Ada"])["metrics"]["strict"]["counts"]["tp"] == 1
    with pytest.raises(ValueError, match="is 'Ada', but it says 'ad ##a'"):
        score([[{**span, "text": "ad ##a"}]], [[]], ["strict"], text=["Ada"])


def test_ends_do_not_look_inclusive_if_one_of_them_is_at_the_end_of_a_word():
    spans = [[(0, 2, "PER"), (8, 10, "PER"), (15, 18, "LOC"), (4, 7, "X")]]
    assert score(spans, spans, ["strict"], text=["Ada met Bob in Rome"])["metrics"]["strict"]["counts"]["tp"] == 4


def test_ends_that_are_said_to_be_exclusive_are():
    texts = ["Ada met Bob in Rome"]
    inclusive = [[(0, 2, "PER"), (8, 10, "PER"), (15, 18, "LOC")]]
    with pytest.raises(ValueError, match='give end="inclusive", or end="exclusive" if they are not'):
        score(inclusive, inclusive, ["strict"], text=texts)
    result = score(inclusive, inclusive, ["strict"], text=texts, end="exclusive")
    assert result["metrics"]["strict"]["counts"]["tp"] == 3
    assert result.errors("strict", ["all"])[0]["gold_text"] == "Ad"


def test_a_label_to_keep_that_does_not_occur_is_said():
    result = score(GOLD, PRED, ["strict"], text=TEXTS, only=["PER", "LAW"])
    assert "only: LAW to keep, but neither side has such a label" in str(result)
    assert result["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 0, "fn": 1}
