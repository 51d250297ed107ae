"""`score` of whatever a user has: every kind of item gives the same numbers, or an error that says what is wrong."""

import json
import random
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from commands import run, write
from docs import doc
from places import ROOT
from refusals import refused_with
from spacy.training import Example

from spacy_nereval import (
    Confidence,
    Document,
    Result,
    agreement,
    apply,
    compare,
    gate,
    load,
    plan,
    score,
    score_runs,
    thresholds,
)
from spacy_nereval.api.sides import tags_of
from spacy_nereval.core.arguments import Reading
from spacy_nereval.integration.examples import documents
from spacy_nereval.io import count_files
from spacy_nereval.io.formats.tags import read_tag_lists
from spacy_nereval.io.records import Record

WORDS = [["Ada", "met", "Bob", "in", "New", "York"], ["Rome", "calls"], ["Nobody", "slept"]]
TEXTS = [" ".join(words) for words in WORDS]
OFFSETS = [[match.span() for match in re.finditer(r"\S+", text)] for text in TEXTS]
GOLD = [["B-PER", "O", "B-PER", "O", "B-LOC", "I-LOC"], ["B-LOC", "O"], ["O", "O"]]
PRED = [["B-PER", "O", "B-ORG", "O", "O", "B-LOC"], ["B-LOC", "B-PER"], ["O", "O"]]
GOLD_SPANS = [[(0, 3, "PER"), (8, 11, "PER"), (15, 23, "LOC")], [(0, 4, "LOC")], []]
PRED_SPANS = [[(0, 3, "PER"), (8, 11, "ORG"), (19, 23, "LOC")], [(0, 4, "LOC"), (5, 10, "PER")], []]


def dicts(side, start="start", end="end", label="label", *, inclusive=0, surface=None):
    made = [[{start: a, end: b - inclusive, label: name} for a, b, name in spans] for spans in side]
    if surface:
        for spans, text in zip(made, TEXTS):
            for span in spans:
                span[surface] = text[span[start] : span[end] + inclusive]
    return made


def docs(side):
    made = [doc(text) for text in TEXTS]
    for each, spans in zip(made, side):
        each.set_ents([each.char_span(*span) for span in spans])
    return made


def records(side):
    rows = enumerate(zip(TEXTS, dicts(side)))
    return [{"text": text, "spans": spans, "id": f"d{k}"} for k, (text, spans) in rows]


def objects(side):
    """As presidio-analyzer and presidio-evaluator have spans."""
    return [[SimpleNamespace(start=a, end=b, entity_type=name, score=0.9) for a, b, name in spans] for spans in side]


SHAPES = {
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
WITH_THEIR_TEXT = [*SHAPES][:3]


def shaped(shape: str, side: list[Any]) -> list[Any]:
    return [*map(SHAPES[shape], TEXTS, side)]


@pytest.fixture(scope="module")
def expected():
    return score([Document(*sides, tokens=tokens) for *sides, tokens in zip(*SIDES, TEXTS, OFFSETS)])["metrics"]


SIDES = GOLD_SPANS, PRED_SPANS
WITH_TEXT = {
    "tuples": (GOLD_SPANS, PRED_SPANS, {"text": TEXTS}),
    "lists": ([[[*span] for span in spans] for spans in GOLD_SPANS], PRED_SPANS, {"text": TEXTS}),
    "dicts": (dicts(GOLD_SPANS), dicts(PRED_SPANS), {"text": TEXTS}),
    "doccano's keys": (dicts(GOLD_SPANS, "start_offset", "end_offset"), PRED_SPANS, {"text": TEXTS}),
    "transformers": (GOLD_SPANS, dicts(PRED_SPANS, label="entity_group", surface="word"), {"text": TEXTS}),
    "GLiNER": (GOLD_SPANS, dicts(PRED_SPANS, surface="text"), {"text": TEXTS}),
    "Presidio": (objects(GOLD_SPANS), objects(PRED_SPANS), {"text": TEXTS}),
    "nervaluate": (*(dicts(side, inclusive=1) for side in SIDES), {"text": TEXTS, "end": "inclusive"}),
    "Docs": (docs(GOLD_SPANS), docs(PRED_SPANS), {}),
    "spaCy's Spans": (*([doc.ents for doc in docs(side)] for side in SIDES), {"text": TEXTS}),
    "records": (records(GOLD_SPANS), records(PRED_SPANS)[::-1], {}),
    "Records": ([Record(*pair) for pair in zip(TEXTS, map(set, GOLD_SPANS))], records(PRED_SPANS), {}),
    "Docs and spans": (docs(GOLD_SPANS), dicts(PRED_SPANS), {}),
    "Docs and tags": (docs(GOLD_SPANS), PRED, {}),
    "records, tags and words": (records(GOLD_SPANS), PRED, {"tokens": WORDS}),
    "tags and words": (GOLD, PRED, {"tokens": WORDS}),
    "tags and texts": (GOLD, PRED, {"text": TEXTS}),
    "tags, texts and words": (GOLD, PRED, {"text": TEXTS, "tokens": WORDS}),
    "tags and spans": (GOLD, PRED_SPANS, {"tokens": WORDS}),
    "spans and tokens": (GOLD_SPANS, PRED_SPANS, {"text": TEXTS, "tokens": OFFSETS}),
    "iterators": (iter(GOLD_SPANS), iter(PRED_SPANS), {"text": iter(TEXTS)}),
}
for name in SHAPES:
    WITH_TEXT[name] = (*(shaped(name, side) for side in SIDES), {} if name in WITH_THEIR_TEXT else {"text": TEXTS})


@pytest.mark.parametrize("kind", WITH_TEXT)
def test_every_kind_of_item_gives_the_numbers_of_documents(kind, expected):
    gold, pred, options = WITH_TEXT[kind]
    assert score(gold, pred, **options)["metrics"] == expected


def test_examples_are_scored_as_they_are_and_so_are_the_calls_of_before(expected):
    examples = [Example(pred, gold) for gold, pred in zip(docs(GOLD_SPANS), docs(PRED_SPANS))]
    assert score(examples)["metrics"] == expected
    made = [*documents(examples)]
    assert score(made, ["fair"])["metrics"] == score(examples, metrics=["fair"])["metrics"]
    confidence = Confidence(samples=20)
    found = score(made, ["fair"], confidence)
    assert found == score(iter(made), {"fair": {}}, confidence=confidence)
    assert found == score(examples, metrics=["fair"], confidence=confidence)
    assert score(made, None, confidence)["confidence"]["level"] == 0.95
    assert score([None, *made])["skipped"] == 1
    assert score([], ["strict"])["documents"] == score([])["documents"] == 0


def test_tags_alone_are_scored_in_tokens():
    result = score(GOLD, PRED)
    assert [*result["metrics"]] == ["strict", "semeval", "slot_error", "loio", "fair"]
    assert result["metrics"]["strict"]["counts"] == {"tp": 2, "fp": 3, "fn": 2}
    assert result["metrics"]["fair"]["counts"]["be_s"] == 1
    assert (result["gold"], result["pred"], result["documents"]) == (4, 5, 3)
    assert score(GOLD, PRED, ["token"])["metrics"]["token"]["scores"]["accuracy"] == 7 / 10


WHOLE = Document([(0, 3, "A")], [], "Ada", tokens=[(0, 3)])
LEFT_OUT = {
    "tmr": "it needs metrics={'tmr': {'train': 'FILE'}}",
    "mentions": "the texts are not known: give text=, the text of each document",
    "token": "the tokens are not known: give tokens=, the tokens of each document",
    "wrf": "the words are not known: give text=, the text of each document",
    "words": "the words are not known: give tokens=, the words of each document",
    "tokenless": "the documents have no tokens",
    "mentionsless": "the texts are not known",
    "wrfless": "the words are not known",
}

LACKING = [
    ((GOLD, PRED), {"metrics": ["all"]}, "tmr mentions words"),
    ((GOLD, PRED), {}, "words"),
    (SIDES, {"metrics": ["all"]}, "tmr mentions token wrf"),
    (SIDES, {"metrics": ["all"], "text": TEXTS}, "tmr token"),
    (SIDES, {}, "wrf"),
    (([Document(*WHOLE.sides)],), {"metrics": ["all"]}, "tmr mentionsless tokenless wrfless"),
    (([Document(*WHOLE.sides, "Ada")],), {"metrics": ["all"]}, "tmr tokenless"),
    (([None, WHOLE],), {"metrics": ["all"]}, "tmr"),
    (([{"text": "Ada", "spans": []}],) * 2, {"metrics": ["all"]}, "tmr tokenless"),
    (([{"text": "Ada", "spans": []}], [[(0, 3, "A")]]), {"metrics": ["all"]}, "tmr token"),
    (([WHOLE],), {"metrics": ["strict"]}, ""),
]


@pytest.mark.parametrize(("sides", "options", "names"), LACKING)
def test_metrics_of_a_set_that_lack_what_they_need_are_left_out_and_named(sides, options, names):
    """What to give is said only where it can be given: "...less" stands for the reason alone."""
    expected = {name.replace("words", "wrf").removesuffix("less"): LEFT_OUT[name] for name in names.split()}
    result = score(*sides, **options)
    assert result.get("left_out", {}) == expected
    assert not result["metrics"].keys() & expected.keys()
    assert all(f"{name} is excluded: {why}" in str(result) for name, why in expected.items())
    if len(sides) > 1:
        systems = {"a": sides[1], "b": sides[1]}
        assert compare(systems, sides[0], samples=9, trials=9, **options)["left_out"] == expected


def test_with_the_words_of_tags_wrf_counts_words_not_their_numbers():
    """The repeated "Rome" is one word, and was two while tokens were told apart by their numbers."""
    tags, words = ["B-LOC", "O", "B-LOC", "O", "B-PER"], ["Rome", "and", "Rome", "saw", "Ada"]
    predicted = ["B-LOC", "O", "O", "O", "B-PER"]
    assert score([tags], [predicted], ["wrf"], tokens=[words])["metrics"]["wrf"]["scores"]["wrf"] == 1.0


def test_documents_without_annotation_are_skipped():
    for gold, pred, options in ((GOLD, PRED, {}), (*SIDES, {"text": TEXTS})):
        for sides in (([gold[0], None, gold[2]], pred), (gold, [pred[0], None, pred[2]])):
            result = score(*sides, **options)
            assert (result["documents"], result["skipped"]) == (2, 1)
        with refused_with(
            ValueError,
            "pred: none of the predictions of 2 documents has entity annotation: expected the spans of "
            "each text, an empty list or file where there are none",
        ):
            score([gold[0], None, gold[2]], [None] * 3, **options)


def test_predictions_where_gold_is_not_annotated_are_ignored_and_counted():
    for options in ({}, {"tokens": [["a", "b", "c"]]}):
        result = score([["-", "B-A", "O"]], [["B-A", "B-A", "O"]], ["strict"], **options)
        assert result["ignored"] == 1 and result["metrics"]["strict"]["scores"]["p"] == 1
        beside = score([["B-A", "-", "B-A"]], [["B-A", "O", "B-A"]], ["strict"], **options)
        assert beside["ignored"] == 0 and beside["metrics"]["strict"]["counts"]["tp"] == 2


@pytest.mark.parametrize("tokens", [None, [["Ada", "met"]], [[(0, 3), (4, 7)]]], ids=["none", "words", "offsets"])
def test_repairs_of_both_sides_are_counted(tokens):
    gold, pred = [["I-A", "O"]], [["I-A", "I-B"]]
    assert score(gold, pred, ["strict"], scheme="IOB2", repair="conll", tokens=tokens)["repaired"] == 3


def test_the_same_text_twice_is_two_units_without_words():
    gold = [["B-A", "O"]] * 6
    result = score(gold, [["B-A", "O"]] * 5 + [["O", "O"]], ["strict"], Confidence(samples=20))
    assert result["confidence"]["units"] == 6


SCHEMES = [
    (["A", "A", "O", "A"], {}, [(0, 2), (3, 4)]),  # IO
    (["E-mail", "E-mail", "O", "O"], {"scheme": "IO"}, [(0, 2)]),
    (["B-A", "O", "I-A", "I-A"], {"repair": "conll"}, [(0, 1), (2, 4)]),
    (["B-A", "O", "I-A", "I-A"], {"repair": "discard"}, [(0, 1)]),
    (["I-A", "I-A", "O", "O"], {"scheme": "IOB2", "repair": "discard"}, []),
    (["I-A", "I-A", "O", "O"], {"scheme": "IOB1", "repair": "error"}, [(0, 2)]),
    (["B-A", "E-A", "O", "O"], {"scheme": "BIOES", "repair": "error"}, [(0, 2)]),
]


@pytest.mark.parametrize(("tags", "options", "spans"), SCHEMES)
def test_schemes_and_repairs(tags, options, spans):
    (found,) = read_tag_lists([tags], "gold", Reading(**options))
    assert [span[:2] for span in found.spans] == spans


ALLOWED = {"BILUO": "BI*L|U", "IOB2": "BI*", "IOB1": "[BI]I*"}


def found_by_patterns(sequence):
    """The twin of reading tags: (start, end, label), prefixes, and whether the chunk touches one of its label."""
    found = []
    for label in "AB":
        own = "".join(tag[0] if tag.endswith(f"-{label}") else " " for tag in sequence)
        own = own.replace("E", "L").replace("S", "U")
        matches = [*re.finditer("[BI]I*L?|[LU]", own)]
        ends = {match.end() for match in matches}
        found += [((*match.span(), label), match[0], match.start() in ends) for match in matches]
    return sorted(found)


@pytest.mark.parametrize("letters", ["BI", "BIES", "BILUES"])
def test_sequences_are_read_as_patterns_of_their_prefixes_say(letters):
    """Random tags, most of them invalid: spans, repaired spans and gaps, and the scheme of all sequences."""
    rng = random.Random(0)
    tags = ["O", "-", *(f"{letter}-{label}" for letter in letters for label in "AB")]
    schemes = set()
    for _ in range(300):
        sequences = [[rng.choice(tags) for _ in range(rng.randrange(5))] for _ in range(rng.randrange(1, 4))]
        read = [found_by_patterns(sequence) for sequence in sequences]
        every = [chunk for chunks in read for chunk in chunks]
        if any({*"LU"} & {*prefixes} for _, prefixes, _ in every):
            scheme = "BILUO"
        else:
            lone = any(prefixes[0] == "B" and not touches for _, prefixes, touches in every)
            scheme = "IOB1" if any(prefixes[0] == "I" for _, prefixes, _ in every) and not lone else "IOB2"
        schemes.add(scheme)
        for repair in ("conll", "discard"):
            for sequence, chunks, found in zip(
                sequences, read, read_tag_lists(sequences, "gold", Reading(repair=repair))
            ):
                allowed = [span for span, prefixes, _ in chunks if re.fullmatch(ALLOWED[scheme], prefixes)]
                assert found.spans == (allowed if repair == "discard" else [span for span, *_ in chunks])
                assert found.repaired == len(chunks) - len(allowed)
                assert found.gaps == [k for k, tag in enumerate(sequence) if tag == "-"]
    assert schemes == ({"IOB1", "IOB2"} if letters == "BI" else {"BILUO", "IOB1", "IOB2"})


def test_a_file_is_loaded_in_the_format_that_is_named_or_told_by_its_name(tmp_path):
    path = write(tmp_path / "a.txt", *records(GOLD_SPANS))
    assert score(load(str(path), format="jsonl"), PRED_SPANS)["gold"] == 4
    with pytest.raises(ValueError, match="cannot infer the format"):
        load(path)


RULES = {"gate": {"rules": {"found": {"score": "strict_f", "at_least": 50}}}}
EACH = {
    "score": lambda gold, a, b: score(gold, b),
    "compare": lambda gold, a, b: compare({"a": a, "b": b}, gold, "strict"),
    "gate": lambda gold, a, b: gate(RULES, gold, b, a),
    "plan": lambda gold, a, b: plan(gold, b, a, difference=5),
    "thresholds": lambda gold, a, b: thresholds(gold, b, "strict").apply(gold, b),
    "apply": lambda gold, a, b: apply(gold, ROOT / "examples" / "marks.jsonl"),
}


@pytest.mark.parametrize("function", EACH)
def test_the_path_of_a_file_stands_for_its_documents(function, tmp_path):
    names = ("spancat-test",) * 3 if function == "thresholds" else ("gold", "baseline", "improved")
    paths = [ROOT / "examples" / f"{name}.jsonl" for name in names]
    if function != "apply":  # a part of each file is enough
        paths = [write(tmp_path / path.name, *path.read_text().splitlines()[:40]) for path in paths]
    expected = EACH[function](*map(load, paths))
    assert EACH[function](*paths) == EACH[function](*map(str, paths)) == expected
    assert dict(expected)


@pytest.mark.parametrize("shape", WITH_THEIR_TEXT)
def test_the_command_reads_what_python_reads(shape, tmp_path):
    files = [tmp_path / name for name in ("gold.jsonl", "pred.jsonl")]
    for path, side in zip(files, SIDES):
        path.write_text("".join(json.dumps(item) + "\n" for item in shaped(shape, side)), encoding="utf8")
    assert run("score", *files, "-m", "strict,fair", "-o", tmp_path / "out.json").exit_code == 0
    expected = score(*SIDES, ["strict", "fair"], text=TEXTS)["metrics"]
    assert json.loads((tmp_path / "out.json").read_text())["metrics"] == expected


# What cannot be read: the error says what is wrong with which item

REFUSED: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "words of tags": (GOLD, PRED, {"metrics": ["wrf"]}, "words need the text: give tokens=, the words of each"),
    "lengths": (GOLD, [PRED[0], ["O"], PRED[2]], {},
        "document 1: gold has 2 tags and pred has 1; expected one tag per token"),
    "documents": (GOLD, PRED[:2], {}, "gold has 3 documents and pred has 2 documents; expected the same number"),
    "no training data, before there are documents": ([], [], {"metrics": "tmr"},
        "tmr needs metrics={'tmr': {'train': 'FILE'}}"),
    "none": (GOLD, [["O", None], [], []], {}, "pred, document 0: tag 1 is None; expected a tag"),
    "no tag": ([["O", "B-A"], ["C"]], [["O", "O"], ["O"]], {}, "gold, document 1, tag 0: 'C' is not a tag"),
    "bare": ([["B", "I"]], [["O", "O"]], {}, "gold, document 0, tag 0: 'B' is not a tag, since it has no label"),
    "mixed": (GOLD, [PRED[0], [(0, 4, "LOC")], PRED[2]], {},
        "pred, document 1: spans, and the documents before have tags"),
    "not nested": (["B-A", "O"], ["B-A"], {}, "gold, document 0: it is the text 'B-A'; expected a list of tags"),
    "text": ("B-A", ["O"], {}, "gold: there is no file 'B-A'; expected a list of documents, or their file"),
    "against spans": (GOLD, PRED_SPANS, {},
        "document 0: gold has tags, which count tokens, and the other side has spans"),
    "shorter tags": (GOLD_SPANS, [["O"], [], []], {"tokens": WORDS}, "document 0: pred has 1 tag for 6 tokens"),
    "longer tags": (GOLD, PRED, {"tokens": [WORDS[0][:5], *WORDS[1:]]}, "document 0: gold has 6 tags for 5 tokens"),
    "words": (GOLD, PRED, {"text": ["Ada", *TEXTS[1:]]}, "document 0: gold has 6 tags, and the text has 1 word"),
    "not in the text": (GOLD, PRED, {"text": TEXTS, "tokens": [["Ada", "Eve"], *WORDS[1:]]},
        "document 0: token 1, 'Eve', is not in the text after character 3"),
    "fewer texts": (*SIDES, {"text": TEXTS[:1]}, "gold has 3 documents and pred has 3 documents and text"),
    "no label": ([[{"start": 0, "end": 3}]], [[]], {}, "document 0: gold span 0, {'start': 0, 'end': 3}, has no label"),
    "raw pipeline": ([[]], [[{"entity": "B-PER", "start": 0, "end": 3}]], {},
        "document 0: pred span 0 has the tag of a single token, 'B-PER'; expected whole spans: make the pipeline with "
        'aggregation_strategy="simple"'),
    "slow tokenizer": ([[]], [[{"entity_group": "PER", "start": None, "end": None}]], {},
        "document 0: pred span 0, {'entity_group': 'PER', 'start': None, 'end': None}, has no number as start and end"),
    "one span": ([(0, 3, "A")], [(0, 3, "A")], {}, "gold, document 0: (0, 3, 'A') is a single span"),
    "one dict": (dicts(GOLD_SPANS)[0], [], {}, "gold, document 0: {'start': 0, 'end': 3, 'label': 'PER'} is a single"),
    "another text": (GOLD_SPANS, [[{"start": 0, "end": 3, "label": "A", "text": "Eve"}], [], []], {"text": TEXTS},
        "document 0: pred span 0 from 0 to 3 is 'Ada', but it says 'Eve'"),
    "other words": ([[]], [[{"start": 0, "end": 3, "label": "A", "text": "ad ##a"}]], {"text": ["Ada"]},
        "document 0: pred span 0 from 0 to 3 is 'Ada', but it says 'ad ##a'"),
    "inclusive, said": (GOLD_SPANS, dicts(PRED_SPANS, inclusive=1, surface="word"), {"text": TEXTS},
        "document 0: pred span 0 from 0 to 2 is 'Ad', and it says 'Ada', which ends at 3: give end='inclusive' ("),
    "invalid tags of a scheme that is named": (GOLD, [["I-A", *PRED[0][1:]], *PRED[1:]], {"scheme": "IOB2"},
        "pred, document 0, tag 0: I-A continues no span, and the tags are IOB2; use repair='conll' to read it"),
    "invalid tags": ([["O", "I-A", "B-B"]], [["O"] * 3], {"repair": "error"},
        "gold, document 0, tag 1: I-A continues no span, and the tags are IOB2, as B-B in gold, document 0, tag"),
    "text of Docs": (*map(docs, SIDES), {"text": TEXTS}, "text= is given, but the spaCy Docs have"),
    "tokens of Docs": (docs(GOLD_SPANS), PRED, {"tokens": WORDS},
        "document 0: tokens= is given, but the document has its own"),
    "ids": (records(GOLD_SPANS), [{**record, "id": f"e{k}"} for k, record in enumerate(records(PRED_SPANS)[1:])], {},
        "pred lacks 3 documents: d0, d1, d2"),
    "other texts": (records(GOLD_SPANS), [{**each, "text": "Bob met Ada in Old York"} for each in records(PRED_SPANS)],
        {}, "document 0 (d0): the predicted text differs"),
    "a Doc": (docs(GOLD_SPANS)[0], docs(PRED_SPANS)[0], {}, "gold is of type Doc; expected a list of documents: wrap"),
    "Documents as pred": (GOLD, [Document([], [])], {}, "pred has Documents, which contain both sides"),
    "Documents twice": ([Document([], [])], ["strict"], {"metrics": ["fair"]},
        "Documents and Examples contain both sides"),
    "unhappy item": ([3], [3], {}, "gold, document 0: 3 is of type int; expected a list of tags"),
    "no labels": ([{"entities": ["Ada"]}], [[]], {"text": ["Ada"]},
        "gold, document 0: {'entities': ['Ada']} has entities without labels; expected (start, end, label)"),
    "no lists by label": ([{"PER": "Ada"}], [[]], {"text": ["Ada"]}, "gold, document 0: {'PER': 'Ada'} has no 'text'"),
    "words and labels": ([{"words": ["Ada"], "labels": ["B-PER"]}], [[]], {"text": ["Ada"]},
        "gold, document 0: {'words': ['Ada'], 'labels': ['B-PER']} has no 'text'"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_read_is_said(kind):
    gold, pred, options, said = REFUSED[kind]
    with pytest.raises(ValueError, match="^" + re.escape(said)):
        score(gold, pred, **options)


def test_the_word_of_a_pipeline_may_be_spelt_otherwise():
    span = {"start": 0, "end": 3, "entity_group": "PER", "word": "ad ##a"}
    assert score([[span]], [[span]], text=["Ada"]).strict.counts["tp"] == 1


SHORT = [(0, 2, "PER"), (8, 10, "PER"), (15, 18, "LOC")]
"""Every one ends one character before the end of a word."""


def test_ends_do_not_look_inclusive_if_one_is_at_the_end_of_a_word_or_they_are_said_to_be_exclusive():
    text = ["Ada met Bob in Rome"]
    whole = [[*SHORT, (4, 7, "X")]]
    assert score(whole, whole, text=text).strict.counts["tp"] == 4
    result = score([SHORT], [SHORT], text=text, end="exclusive")
    assert result.strict.counts["tp"] == 3
    assert result.errors("strict", ["all"])[0]["gold_text"] == "Ad"


# The units of documents, which are found when they are asked for


def test_kept_documents_get_their_units_when_the_counts_are_asked_for(tmp_path):
    made = [
        Document([(0, 3, "PER"), (8, 12, "LOC")], [(0, 3, "PER")], "Ada sees Rome"),
        Document([(0, 3, "PER")], [], "Bob sleeps", id="b"),
        Document([], [(0, 3, "PER")], "Eve"),
    ]
    eager, later = score(iter(made), ["strict"]).counts, score(made, ["strict"])
    assert eager.units[1] == "b" and len({*eager.units}) == 3
    later.save(tmp_path / "counts.npz")
    assert later.counts.units == count_files.load(tmp_path / "counts.npz").units == eager.units
    assert later.counts.unit == eager.unit == "id"
    drawn = Confidence(samples=50)
    found = score(made, ["strict"], drawn)
    assert score(later.counts, confidence=drawn) == found == score(eager, confidence=drawn)


# Hugging Face's data sets and rows, and training data of GLiNER, in memory


NAMES = ["O", "B-PER", "I-PER"]
ROWS = [{"id": "0", "tokens": ["Ada", "Lovelace", "met"], "ner_tags": [1, 2, 0]}]
ROWS += [{"id": "1", "tokens": ["Bob"], "ner_tags": [0]}]
TAGS = [["B-PER", "I-PER", "O"], ["B-PER"]]


TAG = SimpleNamespace(names=NAMES)
LISTED = SimpleNamespace(feature=TAG)
"""The features of tags and of lists of them, as `datasets` has them."""


class Streamed:
    """What a `datasets.IterableDataset` is: it has no length."""

    def __init__(self, rows: list[dict[str, Any]], tags: object = LISTED) -> None:
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


GIVEN = [
    (TAGS, (1, 1, 0)),
    (DataSet(ROWS), (1, 0, 0)),
    (DataSet(ROWS, [SimpleNamespace(names=["O", "B-LOC", "I-LOC"])]), (0, 1, 1)),
    (ROWS[::-1], (1, 0, 0)),  # paired by id, with the names of gold
    ([[{"entity_group": "PER", "start": 0, "end": 12}], []], (1, 0, 0)),
    ([[("Ada", "PER")], [("Bob", "PER")]], (0, 2, 1)),
]


@pytest.mark.parametrize("feature", [LISTED, [TAG]])
@pytest.mark.parametrize(("pred", "expected"), GIVEN)
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


WRONG_ROWS = [
    ([[1, 0]], [[1, 0]], None, "gold, document 0: tag 0 is 1, a number without a name; .* give tag_names=,"),
    ([[1, 3]], [[1, 0]], NAMES, "gold, document 0: the tag 3 has no name; there are 3 names, from 0 up"),
    ([[1, -1]], [[1, 0]], NAMES, "gold, document 0: the tag -1 has no name"),
    ([[1, -100, 0]], [[1, 0]], NAMES, "document 0: gold has 3 and pred has 2 tags, -100 excluded"),
    (ROWS, TAGS, 3, "tag_names=3: expected the names of the tags"),
    (ROWS, ROWS, None, r"gold, document 0: the tag 1 is a number without a name: .* tag_names='O,B-PER,...'"),
    ({"train": DataSet(ROWS), "test": DataSet(ROWS)}, TAGS, None,
        r"gold has the splits train, test; .*gold\['train'\]"),
    (DataSet([ROWS[0] | {"tokens": ["Ada", "", "met"]}]), [["O"]], None, "document 0: pred has 1 tag for 3 tokens"),
    (DataSet(ROWS), [["O", "O"], ["O"]], None, "document 0: pred has 2 tags for 3 tokens"),
    (DataSet(ROWS), [ROWS[0], {"text": "Bob", "spans": []}], None, "pred, document 1: expected lists"),
    ([DOCCANO], [DOCCANO], None, r"gold, document 0: .* say which with offsets='codepoint' or offsets='utf16'$"),
]  # fmt: skip


@pytest.mark.parametrize(("gold", "pred", "names", "said"), WRONG_ROWS)
def test_rows_that_cannot_be_read_are_refused_in_one_line(gold, pred, names, said):
    with pytest.raises(ValueError, match=f"^{said}") as raised:
        score(gold, pred, ["strict"], tag_names=names)
    assert "\n" not in str(raised.value)


# Offsets of records
def test_the_unit_of_offsets_is_chosen():
    found = score([DOCCANO], [[("Ada", "PER")]], ["strict"], offsets="utf16")
    assert found.strict.f == 1.0


def test_each_training_run_has_its_own_warnings_and_each_side_its_own_notes(tmp_path):
    gold = [[(0, 3, "A"), (5, 8, "B")]] * 3
    runs = {"one": gold, "two": [[(0, 3, "X"), (5, 8, "B")]] * 3, "three": gold}
    result = score_runs(gold, runs, "strict")
    said = [line for line in str(result).splitlines() if "never occurs in gold" in line]
    assert len(said) == 1 and said[0].startswith("⚠ two: 3 of 6 predicted spans have a label that never occurs in")
    result.save(tmp_path / "runs.json")
    said = [line for line in str(Result.load(tmp_path / "runs.json")).splitlines() if "never occurs" in line]
    assert said == ["⚠ 1 of 6 predicted spans has a label that never occurs in gold: X. Gold has A, B."]
    for sides, named in ((([["B-A", "O"]], [["A", "O"]]), "pred"), (([["A", "O"]], [["B-A", "O"]]), "gold")):
        (note,) = (line for line in str(score(*sides, "strict")).splitlines() if "have no prefixes" in line)
        assert note.startswith(f"ℹ {named}: the tags have no prefixes")
