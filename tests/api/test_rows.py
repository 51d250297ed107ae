"""Hugging Face's data sets and rows, and training data of GLiNER, in memory."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spacy_nereval import Document, agreement, compare, score
from spacy_nereval.api.rows import tags_of

NAMES = ["O", "B-PER", "I-PER"]
ROWS = [
    {"id": "0", "tokens": ["Ada", "Lovelace", "met"], "ner_tags": [1, 2, 0]},
    {"id": "1", "tokens": ["Bob"], "ner_tags": [0]},
]
TAGS = [["B-PER", "I-PER", "O"], ["B-PER"]]


class ClassLabel:
    names = NAMES


class Sequence:
    """A feature as `datasets` names it up to version 3; `List` of version 4 has the same attribute."""

    feature = ClassLabel()


class Streamed:
    """What a `datasets.IterableDataset` is: it has no length."""

    def __init__(self, rows: list[dict[str, Any]], tags: object = Sequence()) -> None:
        self.features = {"id": None, "tokens": None, "ner_tags": tags}
        self._rows = rows

    def __iter__(self):
        return iter(self._rows)


class DataSet(Streamed):
    """What a `datasets.Dataset` is here: it has a length, and rows by number."""

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int) -> dict[str, Any]:
        return self._rows[place]


def counts(gold: Any, pred: Any, **how: Any) -> tuple[int, ...]:
    """tp, fp and fn."""
    return tuple(score(gold, pred, ["strict"], **how).strict.counts.values())


@pytest.mark.parametrize("feature", [Sequence(), [ClassLabel()]])
@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        (TAGS, (1, 1, 0)),
        (DataSet(ROWS), (1, 0, 0)),
        (DataSet(ROWS, [SimpleNamespace(names=["O", "B-LOC", "I-LOC"])]), (0, 1, 1)),
        (ROWS[::-1], (1, 0, 0)),  # paired by id, with the names of gold
        ([[{"entity_group": "PER", "start": 0, "end": 12}], []], (1, 0, 0)),
        ([[("Ada", "PER")], [("Bob", "PER")]], (0, 2, 1)),
    ],
)
def test_a_data_set_is_scored_against_whatever_a_model_gives(pred, expected, feature):
    assert counts(DataSet(ROWS, feature), pred) == expected


def test_streamed_data_sets_and_comparisons():
    assert counts(Streamed(ROWS), iter(TAGS)) == (1, 1, 0)
    found = compare({"a": TAGS, "b": ROWS}, Streamed(ROWS), ["strict"], samples=20, trials=20)
    row = next(row for row in found["comparisons"] if row["score"] == "p")
    assert (row["baseline_value"], row["value"]) == (0.5, 1.0)


def test_tags_of_rows_may_be_named_texts_or_arrays():
    named = [{"tokens": ["Ada"], "ner_tags": ["B-PER"]}]
    assert counts(named, [["B-PER"]]) == (1, 0, 0)
    arrays = [{"tokens": np.array(row["tokens"]), "ner_tags": np.array(row["ner_tags"])} for row in ROWS]
    for names in (NAMES, ",".join(NAMES), dict(enumerate(NAMES))):
        assert counts(ROWS, TAGS, tag_names=names) == (1, 1, 0)
        assert counts(arrays, TAGS, tag_names=names) == (1, 1, 0)
    assert counts(DataSet(ROWS), TAGS, tag_names=["O", "B-LOC", "I-LOC"])[0] == 0, "what is given counts"


def test_a_text_beside_the_tokens_is_the_text():
    row = {"text": "Ada  met", "tokens": ["Ada", "met"], "ner_tags": ["O", "B-X"]}
    assert counts([row], [[(5, 8, "X")]])[0] == 1


def test_tokens_tagged_minus_100_have_no_annotation():
    rows = [{"tokens": ["Ada", "##da"], "ner_tags": [1, -100]}, {"tokens": ["Bob"], "ner_tags": [-100]}]
    found = score(rows, [["O", "B-PER"], ["B-PER"]], ["strict"], tag_names=NAMES)
    assert (found["ignored"], found["skipped"], found.strict.counts["fn"]) == (1, 1, 1)
    sides = tags_of([("gold", [[1, -100, 0]], ["O", "B-PER"]), ("pred", [["B-PER", "B-PER", "O"]], None)])
    assert sides == [[["B-PER", "O"]], [["B-PER", "O"]]], "places that one side leaves out"


IDS = np.array([[-100, 1, -100, 2, 0, -100], [-100, 1, 0, 1, -100, -100]])
OUTPUT = np.array([[1, 1, 0, 2, 0, 1], [0, 1, 2, 2, 2, 2]])
"""A model's labels, and the argmax of its output, with special tokens, a part of a word, and padding."""


@pytest.mark.parametrize("names", [NAMES, dict(enumerate(NAMES)), "O,B-PER,I-PER"])
@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist, list])
def test_the_output_of_a_model_is_read_with_the_names_of_its_tags(names, kind):
    """As a Trainer's compute_metrics is written everywhere: places without a label are left out on both sides."""
    by_hand = [["B-PER", "I-PER", "O"], ["B-PER", "O", "B-PER"]], [["B-PER", "I-PER", "O"], ["B-PER", "I-PER", "I-PER"]]
    expected = score(*by_hand, ["strict", "fair"])
    found = score(kind(IDS), kind(OUTPUT), ["strict", "fair"], tag_names=names)
    assert (found["metrics"], found["documents"]) == (expected["metrics"], expected["documents"])
    words = [["Ada", "Lovelace", "met"], ["Ada", "met", "Bob"]]
    with_words = score(kind(IDS), kind(OUTPUT), ["strict", "fair"], tag_names=names, tokens=words)
    assert with_words["metrics"] == expected["metrics"]
    assert agreement({"a": kind(IDS), "b": kind(OUTPUT)}, tag_names=names)["documents"] == 2


def test_a_row_without_tokens_is_annotated():
    rows = [{"tokens": ["Ada"], "ner_tags": ["B-PER"]}, {"tokens": [], "ner_tags": []}]
    found = score(rows, rows, ["strict"])
    assert (found["documents"], found["skipped"]) == (2, 0)


def test_the_scheme_is_that_of_all_rows():
    rows = [{"tokens": ["a", "b"], "tags": ["I-X", "I-X"]}, {"tokens": ["a", "b"], "tags": ["I-X", "B-X"]}]
    assert score(rows, rows, ["strict"]).get("repaired", 0) == 0, "IOB1"
    assert score(rows, rows, ["strict"], scheme="IOB2", repair="conll")["repaired"] == 4


DOCCANO = {"text": "😀 Ada met", "label": [[3, 6, "PER"]]}
GLINER = {"tokenized_text": ["Ada", "Lovelace", "met"], "ner": [[0, 1, "PER"]]}


def test_training_data_of_gliner():
    assert counts([GLINER], [GLINER | {"ner": [(0, 0, "PER")]}]) == (0, 1, 1)
    given = {"start": 0, "end": 12, "text": "Ada Lovelace", "label": "PER", "score": 0.9}
    assert counts([GLINER], [[given]]) == (1, 0, 0)


@pytest.mark.parametrize(
    ("gold", "pred", "names", "said"),
    [
        ([[1, 0]], [[1, 0]], None, "gold, document 0: tag 0 is 1, a number without a name; .* give tag_names=,"),
        ([[1, 3]], [[1, 0]], NAMES, "gold, document 0: the tag 3 has no name; there are 3 names, from 0 up"),
        ([[1, -1]], [[1, 0]], NAMES, "gold, document 0: the tag -1 has no name"),
        ([[1, -100, 0]], [[1, 0]], NAMES, "document 0: gold has 3 and pred has 2 tags, with -100 left out"),
        (ROWS, TAGS, 3, "tag_names=3: expected the names of the tags"),
        (ROWS, ROWS, None, r"gold, document 0: the tag 1 is a number without a name: .* tag_names='O,B-PER,...'"),
        ({"train": DataSet(ROWS), "test": DataSet(ROWS)}, TAGS, None,
            r"gold has the splits train, test; .*gold\['train'\]"),
        ([ROWS[0] | {"ner_tags": [1]}], [["O"]], None, "gold, document 0: there are 3 tokens and 1 tags"),
        (DataSet([ROWS[0] | {"ner_tags": [1, 2, 9]}]), [["O"]], None, "gold, document 0: the tag 9 has no name;"),
        (DataSet([ROWS[0] | {"tokens": ["Ada", "", "met"]}]), [["O"]], None, "document 0: pred has 1 tag for 3 tokens"),
        ([GLINER | {"ner": [[0, 3, "PER"]]}], [GLINER], None, "gold, document 0: span 0 is from token 0 to 3"),
        (DataSet(ROWS), [["O", "O"], ["O"]], None, "document 0: pred has 2 tags for 3 tokens"),
        (DataSet(ROWS), [ROWS[0], {"text": "Bob", "spans": []}], None, "pred, document 1: expected lists"),
        ([DOCCANO], [DOCCANO], None, r"gold, document 0: .* say which with offsets='codepoint' or offsets='utf16'$"),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_read_are_refused_in_one_line(gold, pred, names, said):
    with pytest.raises(ValueError, match=f"^{said}") as raised:
        score(gold, pred, ["strict"], tag_names=names)
    assert "\n" not in str(raised.value)


def test_a_real_data_set():
    datasets = pytest.importorskip("datasets", reason="datasets is no dependency")
    strings, tags = datasets.Value("string"), datasets.ClassLabel(names=NAMES)
    features = datasets.Features({"id": strings, "tokens": [strings], "ner_tags": [tags]})
    real = datasets.Dataset.from_list(ROWS, features=features)
    assert counts(real, TAGS) == (1, 1, 0)
    assert counts(real.to_iterable_dataset(), real) == (1, 0, 0)
    with pytest.raises(ValueError, match="gold has the splits test"):
        score(datasets.DatasetDict({"test": real}), TAGS)


# What a set of metrics leaves out

TRAIN = "it needs metrics={'tmr': {'train': 'FILE'}}"


def test_all_metrics_on_tags_leave_out_what_needs_texts_or_options_and_say_so():
    found = score(TAGS, TAGS, ["all"])
    texts = "the texts are not known: give text=, the text of each document"
    words = "the words are not known: give tokens=, the words of each document"
    left_out = {"tmr": TRAIN, "mentions": texts, "wrf": words}
    assert found["left_out"] == left_out
    assert f"mentions is left out: {texts}" in str(found)
    found = compare({"a": TAGS, "b": TAGS}, TAGS, ["all"], samples=20, trials=20)
    assert found["left_out"] == left_out


def test_all_metrics_of_documents_say_what_they_leave_out_too():
    known = ((None, None), ("Ada", None), ("Ada", [(0, 3)]))
    plain, with_text, whole = (Document([(0, 3, "A")], [], text, tokens=tokens) for text, tokens in known)
    assert [*score([plain], ["all"])["left_out"]] == ["tmr", "wrf", "mentions", "token"]
    assert [*score([with_text], ["all"])["left_out"]] == ["tmr", "token"]
    assert score([None, whole], ["all"])["left_out"] == {"tmr": TRAIN}
    assert "left_out" not in score([whole], ["strict"])


# Offsets of records
def test_the_unit_of_offsets_is_chosen():
    found = score([DOCCANO], [[("Ada", "PER")]], ["strict"], offsets="utf16")
    assert found.strict.f == 1.0
    with pytest.raises(ValueError, match="offsets='utf': expected one of codepoint, utf16, utf8"):
        compare({"a": [DOCCANO], "b": [DOCCANO]}, [DOCCANO], offsets="utf")
