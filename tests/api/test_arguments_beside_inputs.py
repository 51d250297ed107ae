"""Every argument beside every kind of input: it changes the result, or it is refused by its name; none is ignored."""

import inspect
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import spacy
from refusals import refused_with
from spacy.training import Example

from spacy_nereval import Document, compare, count, create_all, evaluate, score, score_runs
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.io.count_files import save

TEXT = "ada met Bob 😀 in Rome ."
GOLD = [(0, 3, "PER"), (8, 11, "PER/X"), (17, 21, "LOC")]
PRED = [(0, 3, "PER"), (8, 11, "LOC")]
WORDS = TEXT.split()
TAGS = ["B-PER", "O", "I-PER/X", "O", "O", "B-LOC", "O"]
METRICS = ["strict"]

VALUES: dict[str, Any] = {
    "text": [TEXT],
    "tokens": [WORDS],
    "scheme": "IOB1",
    "repair": "conll",
    "end": "inclusive",
    "spans_key": "sc",
    "keys": {"label": "kind"},
    "labels": {"PER": "P"},
    "only": ["PER"],
    "label_from": "label",
    "depth": 1,
    "sep": "-",
    "match": "exact",
    "occurrences": "first",
    "tag_names": ["O", "B-PER", "B-LOC"],
    "offsets": "utf16",
    "match_text": "normalised",
    "outside": "_",
    "trim": "space",
    "join": True,
    "missing_tokens": "O",
}
"""A value of each argument that says how items are read, unlike the default."""

ALONE = {"system", "metrics", "gold", "pred", "runs", "confidence", "systems", "by", "train"}
"""Arguments that are about something else than reading."""

ABOUT_TESTS = {"baseline", "level", "samples", "trials", "seed", "primary", "secondary", "margin", "per_label"}

COUNTS = count([Document(GOLD, PRED, TEXT, id="a")], create_all(METRICS))


@pytest.mark.parametrize("function", [score, score_runs, compare])
def test_every_argument_of_reading_has_a_value_here(function):
    assert {*inspect.signature(function).parameters} - ALONE - ABOUT_TESTS == {*VALUES}


def beside_counts(counts: Any) -> list[tuple[str, Callable[..., Any]]]:
    return [
        ("score", lambda **given: score(counts, **given)),
        ("evaluate", lambda **given: evaluate(counts, **given)),
        ("score_runs", lambda **given: score_runs(None, {"a": counts, "b": counts}, **given)),
        ("compare", lambda **given: compare({"a": counts, "b": counts}, **given)),
    ]


@pytest.mark.parametrize("kind", ["counts", "file", "collapsed"])
@pytest.mark.parametrize("name", VALUES)
def test_counts_take_no_argument_of_reading(name, kind, tmp_path):
    save(COUNTS, tmp_path / "a.npz")
    counts = {"counts": COUNTS, "file": str(tmp_path / "a.npz"), "collapsed": collapse(COUNTS)}[kind]
    for function, call in beside_counts(counts):
        if function == "evaluate" and kind != "file":
            continue  # the plain function of counts, which has two arguments
        with pytest.raises((ValueError, TypeError)) as error:
            call(**{name: VALUES[name]})
        assert name in str(error.value), (function, str(error.value))


Spans = Sequence[tuple[int, int, str]]
NLP = spacy.blank("en")


def dicts(spans: Spans, kind: str = "X") -> list[dict[str, Any]]:
    return [{"start": start, "end": end, "label": label, "kind": kind} for start, end, label in spans]


def doc(spans: Spans, group: Spans) -> Any:
    found = NLP(TEXT)
    found.ents = [found.char_span(*span) for span in spans]
    found.spans["sc"] = [found.char_span(*span) for span in group]
    return found


def row(tags: list[Any], words: list[str] = WORDS) -> dict[str, Any]:
    return {"tokens": words, "ner_tags": tags}


LISTED = [["Ada", "PER"], ["bob", "LOC"], ["Bob", "PER"], ["Rome", "LOC"], ["Rome", "LOC"]]
ABOUT_LABELS = "labels only label_from depth sep"
ABOUT_TAGS = "scheme outside repair tag_names missing_tokens"
NAMES = ["O", "B-PER", "I-PER", "B-LOC"]
CONLL = {"repair": "conll", "outside": "_"}
SHORT = WORDS[:3]

KINDS: dict[str, tuple[tuple[Any, ...], dict[str, Any], str, str]] = {
    "spans": (([dicts(GOLD)], [dicts(PRED, "Y")]), {}, "end keys text tokens", "offsets"),
    "spans with texts": (([dicts(GOLD)], [dicts(PRED, "Y")]), {"text": [TEXT]}, "end keys offsets trim join", "tokens"),
    "tags": (([TAGS], [["B-PER", "_", *"OOOOO"]]), CONLL, "scheme text tokens", "missing_tokens tag_names"),
    "mentions": (([GOLD], [LISTED]), {"text": [TEXT]}, "end offsets match occurrences trim join", "keys tokens"),
    "records": (
        ([{"text": TEXT, "spans": dicts(GOLD)}], [{"text": TEXT, "spans": dicts(PRED, "Y")}]), {},
        "end keys offsets trim join", f"{ABOUT_TAGS} match occurrences match_text",
    ),
    "records of mentions": (
        ([{"text": TEXT, "spans": GOLD}], [{"text": TEXT, "mentions": LISTED}]), {},
        "end offsets match occurrences trim join", f"{ABOUT_TAGS} keys match_text",
    ),
    "rows": (
        ([row(TAGS)], [row(["B-PER", "_", "O"], SHORT)]), {**CONLL, "missing_tokens": "O", "match_text": "same"},
        "scheme trim join", "tag_names end keys match occurrences offsets",
    ),
    "Docs": (([doc(GOLD, PRED)], [doc(PRED, GOLD)]), {}, "spans_key trim join", "match_text missing_tokens"),
    "Documents": (([Document(GOLD, PRED, TEXT)],), {}, "trim join", ""),
    "Examples": (([Example(doc(PRED, GOLD), doc(GOLD, GOLD))],), {}, "spans_key trim join", ""),
}  # fmt: skip
"""What is given and further arguments; those that change the result, beside the ones about labels; and those that might
concern other items of the kind, and change nothing here. All others are refused by their names."""


def outcome(name: str, **given: Any) -> str:
    sides, more, *_ = KINDS[name]
    try:
        result = score(*sides, **{**more, **given})
        return json.dumps([result, result.errors()], sort_keys=True, default=str)
    except ValueError as error:
        return f"refused: {error}"


@pytest.mark.parametrize("kind", KINDS)
def test_an_argument_changes_the_result_or_is_refused_by_its_name(kind):
    _, more, changing, idle = KINDS[kind]
    usual = outcome(kind)
    assert not usual.startswith("refused"), usual
    outcomes = {name: outcome(kind, **{name: value}) for name, value in VALUES.items() if name not in more}
    refused = {name: said for name, said in outcomes.items() if said.startswith("refused")}
    assert {name for name, said in outcomes.items() if said == usual} == {*idle.split()}
    assert {*outcomes} - {*refused} - {*idle.split()} == {*changing.split(), *ABOUT_LABELS.split()}
    assert {name: said for name, said in refused.items() if not said.startswith(f"refused: {name}=")} == {}


def test_numbers_of_tags_take_their_names():
    sides = [[1, 0, 3]], [[1, 0, 0]]
    assert score(*sides, tag_names=NAMES)["gold"] == 2
    with refused_with(
        ValueError,
        "gold, document 0: tag 0 is 1, a number without a name; expected tags such as 'B-PER': give "
        "tag_names=, the names in their order or the model's id2label",
    ):
        score(*sides)


def test_an_argument_that_concerns_one_of_two_sides_is_taken():
    records = [{"tokens": SHORT, "ner_tags": ["B-PER", "O", "I-PER"]}]
    found = score([doc([(0, 3, "PER")], [])[:3].as_doc()], records, ["strict"], repair="conll")
    assert found.strict.counts == {"tp": 1, "fp": 1, "fn": 0}
