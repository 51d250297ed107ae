"""Counts that are merged are those of all documents counted together: scores, intervals, tests and units."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
import spacy
from commands import run
from hypothesis import given
from hypothesis import strategies as st
from products import NIGHT, mostly_at_night
from profiles import tries
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_nereval import Document, compare, count, create_all, evaluate, merge, score
from spacy_nereval.counting.counts import Counts
from spacy_nereval.counting.unit_keys import is_written
from spacy_nereval.io.count_files import load, save
from spacy_nereval.io.records import Record
from spacy_nereval.io.units import FileUnits, parse_unit

METRICS = ["strict", "fair"]
WORDS = ["Ada", "Bob", "Rome", "Oslo"]
NLP = spacy.blank("en")


def corpus(number: int, seed: int) -> list[tuple[list[tuple[int, str]], list[tuple[int, str]]]]:
    """Documents of four tokens, many of them equal: (token, label) of gold and of predictions."""
    random = Random(seed)
    sides = [[(0, "PER")], [(2, "LOC")], [(0, "PER"), (2, "LOC")], [], []]
    golds = [random.choice(sides) for _ in range(number)]
    return [(gold, random.choice([gold, gold, random.choice(sides)])) for gold in golds]


def tags(spans):
    found = ["O"] * 4
    for token, label in spans:
        found[token] = f"B-{label}"
    return found


def offsets(spans):
    starts = [0, 4, 8, 13]
    return [(starts[token], starts[token] + len(WORDS[token]), label) for token, label in spans]


def doc(spans):
    found = NLP(" ".join(WORDS))
    found.ents = [found.char_span(start, end, label=label) for start, end, label in offsets(spans)]
    return found


def record(spans, number=None):
    listed = [{"start": start, "end": end, "label": label} for start, end, label in offsets(spans)]
    return {"text": " ".join(WORDS), "spans": listed} | ({} if number is None else {"id": f"d{number}"})


def both_sides(documents):
    return lambda sides, first: score(documents(sides, first), METRICS)


def two_sides(item, **others):
    def scored(sides, first):
        gold, pred = ([item(side, first + k) for k, side in enumerate(column)] for column in zip(*sides))
        return score(gold, pred, METRICS, **{name: [value] * len(sides) for name, value in others.items()})

    return scored


def document(gold, pred, **fields):
    return Document(offsets(gold), offsets(pred), **fields)


KINDS = {
    "tags": two_sides(lambda side, k: tags(side)),
    "tags with words": two_sides(lambda side, k: tags(side), tokens=WORDS),
    "spans": two_sides(lambda side, k: offsets(side)),
    "spans of texts": two_sides(lambda side, k: offsets(side), text=" ".join(WORDS)),
    "mentions": two_sides(lambda side, k: [(WORDS[t], label) for t, label in side] or [], text=" ".join(WORDS)),
    "Docs": two_sides(lambda side, k: doc(side)),
    "records": two_sides(lambda side, k: record(side)),
    "records with ids": two_sides(record),
    "Documents": both_sides(lambda sides, first: [document(*side) for side in sides]),
    "Documents with texts": both_sides(lambda sides, first: [document(*side, text=" ".join(WORDS)) for side in sides]),
    "Documents with ids": both_sides(
        lambda sides, first: [document(*side, id=f"d{first + k}") for k, side in enumerate(sides)]
    ),
    "Examples": both_sides(lambda sides, first: [Example(doc(pred), doc(gold)) for gold, pred in sides]),
}
WRITTEN = {kind for kind in KINDS if kind not in ("tags", "spans", "Documents")}
NAMED = {kind for kind in KINDS if "ids" in kind}


def cut(sides, at):
    return [(sides[a:b], a) for a, b in pairwise([0, *at, len(sides)])]


def numbers(counts: Counts) -> dict:
    """Scores and intervals to ten digits, since the order of additions decides the last ones."""
    listed = json.dumps(evaluate(counts, confidence={})["metrics"])
    assert "intervals" in listed
    return json.loads(listed, parse_float=lambda digits: float(f"{float(digits):.10g}"))


@pytest.mark.costly
@pytest.mark.parametrize(
    "kind", mostly_at_night(KINDS, by_day=["tags", "mentions", "Docs", "records with ids", "Documents"])
)
def test_batches_of_every_kind_merged_are_one_call(kind, tmp_path):
    sides, others = corpus(12, 0), corpus(12, 1)
    others = [(gold, pred) for (gold, _), (_, pred) in zip(sides, others)]
    scored = KINDS[kind]
    whole, other = (scored(of, 0).counts for of in (sides, others))
    expected, compared = numbers(whole), compare({"a": whole, "b": other})["comparisons"]
    units = 12 if kind in NAMED or kind not in WRITTEN else 4
    assert len({*whole.units}) == units
    for at in ([8], [1, 2, 9], range(1, 12)):
        parts, of_others = ([scored(*part).counts for part in cut(of, at)] for of in (sides, others))
        merged = merge(parts)
        assert merged.units == whole.units and numbers(merged) == expected
        if len(at) > 9:  # every document alone
            assert compare({"a": merged, "b": merge(of_others)})["comparisons"] == compared
        for k, part in enumerate(parts[:4]):
            save(part, tmp_path / f"{k}.npz")
        stored = merge([tmp_path / f"{k}.npz" for k in range(min(4, len(parts)))])
        assert stored.units == merge(parts[:4]).units


@tries(20)
@given(
    kind=st.sampled_from(sorted(KINDS)),
    number=st.integers(2, 12),
    seed=st.integers(0, 99),
    at=st.sets(st.integers(1, 11)),
    order=st.randoms(use_true_random=False),
)
def test_any_batches_in_any_order_have_the_scores_and_intervals_of_one_call(kind, number, seed, at, order):
    """Merging in a tree gives the units of merging in a row. The order only decides which unit has which key."""
    sides = corpus(number, seed)
    parts = [KINDS[kind](*part).counts for part in cut(sides, sorted(k for k in at if k < number))]
    whole = KINDS[kind](sides, 0).counts
    assert merge(parts).units == whole.units
    half = len(parts) // 2
    tree = [merge(some) for some in (parts[:half], parts[half:]) if some]
    assert merge(tree).units == whole.units
    order.shuffle(parts)
    shuffled = merge(parts)
    assert Counter(shuffled.units) == Counter(whole.units)
    assert numbers(shuffled) == numbers(whole)


@pytest.mark.slow
def test_reversed_documents_have_the_same_numbers():
    sides = corpus(60, 3)
    for kind in sorted(set(KINDS) - NAMED):
        assert numbers(KINDS[kind](sides[::-1], 0).counts) == numbers(KINDS[kind](sides, 0).counts)


def faireval(sides, place):
    blocks = [
        "\n".join(f"{label}\t{token + 1}\t{token + 1}\t{token + 1}" for token, label in side[place])
        or "NONE\t999\t999\t999"
        for side in sides
    ]
    return "\n\n".join(blocks) + "\n"


def numbered_columns(sides, place):
    lines = [[f"{k} {tag}" for k, tag in enumerate(tags(side[place]), 1)] for side in sides]
    return "".join("-DOCSTART- O\n\n" + "\n".join(own) + "\n\n" for own in lines)


def jsonl(sides, place):
    return "".join(json.dumps(record(side[place])) + "\n" for side in sides)


def number_texts(sides, place):
    """Rows of texts that are token numbers, as FairEval's files give them."""
    numbered = [[dict(start=2 * t, end=2 * t + 1, label=label) for t, label in side[place]] for side in sides]
    return "".join(json.dumps({"text": "1 2 3 4", "spans": spans}) + "\n" for spans in numbered)


FILES = {
    "csv": (faireval, 60),
    "conll": (numbered_columns, 60),
    "jsonl": (jsonl, 4),
    "numbers.jsonl": (number_texts, 60),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "rule"),
    [
        pytest.param(ending, rule, marks=() if j % 3 == k % 3 or (j, k) == (0, 2) else NIGHT)
        for j, ending in enumerate(FILES)
        for k, rule in enumerate(["id", "document", "block:5"])
    ],
)
def test_day_files_merged_by_the_command_are_one_file(ending, rule, tmp_path):
    """The files of the days have the same names, in folders of their own."""
    write, units = FILES[ending]
    sides = corpus(60, 5)

    def counted(own, folder: Path) -> Path:
        folder.mkdir()
        for place, name in enumerate(("gold", "pred")):
            (folder / f"{name}.{ending}").write_text(write(own, place), encoding="utf8")
        output = folder / "counts.npz"
        run("count", folder / f"gold.{ending}", folder / f"pred.{ending}", "--unit", rule, "--output", output)
        return output

    whole = load(counted(sides, tmp_path / "all"))
    days = [counted(own, tmp_path / str(first)) for own, first in cut(sides, [20, 30])]
    run("merge", *days, "--output", tmp_path / "merged.npz")
    merged = load(tmp_path / "merged.npz")
    expected = {"id": units, "document": 60, "block:5": 12}[rule]
    assert len({*whole.units}) == len({*merged.units}) == expected
    assert numbers(merged) == numbers(whole)
    if rule != "block:5":  # The keys of blocks have their number in their file.
        assert merged.units == whole.units


def test_blocks_of_days_that_begin_alike_are_apart():
    """Nothing but their order tells them apart: the file, the number and the first document are the same."""
    parts = []
    for _ in range(3):
        units = FileUnits(parse_unit("block:2"), Path("gold.csv"))
        documents = [Document([], [(0, 3, "PER")]) for _ in range(4)]
        parts.append(count([units.assign_unit(d, Record("", set())) for d in documents], create_all(METRICS)))
    assert sorted(Counter(merge(parts).units).values()) == [2] * 6


def test_equal_documents_of_rule_document_are_apart_after_merging():
    parts = []
    for _ in range(3):
        units = FileUnits(parse_unit("document"))
        documents = [Document([(0, 3, "PER")], [], "Ada") for _ in range(2)]
        own = [units.assign_unit(d, Record("Ada", {(0, 3, "PER")})) for d in documents]
        parts.append(count(own, create_all(METRICS)))
    assert len({*merge(parts).units}) == 6


def test_counts_of_version_0_2_are_numbered_on():
    """Their documents without id and text have their position as the key of their unit."""
    parts = [count([Document([(0, 3, "PER")], [])] * 3, create_all(METRICS)) for _ in range(2)]
    for part in parts:
        part.units = ["0", "1", "2"]
    assert merge(parts).units == ["0", "1", "2", "3", "4", "5"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", False),
        ("1", False),
        ("0 1 2", False),
        ("1 2\n1 2", False),
        ("1 2\n3 4", False),
        ("1 3", False),
        ("2 3 4\n11 12", False),
        ("_ _", False),
        ("w1 w2 w10", False),
        ("[UNK]", False),
        ("_ _ .", False),
        ("[UNK] , [UNK] .", False),
        ("w1, w2.", False),
        ("1 , 2 .", False),
        ("- - !", False),
        ("Ada .", True),
        ("2019 .", True),
        ("2019", True),
        ("Ada", True),
        ("room 1 room 2", True),
        ("3 rooms", True),
    ],
)
def test_token_numbers_and_placeholders_are_no_text(text, written):
    assert is_written(text) is written


@pytest.mark.parametrize(
    "tokens", [["_"] * 4, ["tok"] * 4, ["11", "12", "13", "14"], ["w1", "w2", "w3", "w4"], ["_", ",", "_", "."]]
)
def test_documents_of_tokens_without_words_are_units_of_their_own(tokens):
    """As lists of tags without any words are."""
    gold = [["B-PER", "O", "O", "O"]] * 60
    pred = [["B-PER" if number % 3 else "O", "O", "O", "O"] for number in range(60)]
    sides = ([{"tokens": tokens, "ner_tags": tags} for tags in side] for side in (gold, pred))
    named, bare = (score(*both, ["strict"], confidence=True) for both in (sides, (gold, pred)))
    assert named["confidence"]["units"] == bare["confidence"]["units"] == 60
    assert named.strict.interval("f") == bare.strict.interval("f")


@pytest.mark.parametrize("words", [["_", "_"], ["w1", "w2"], ["Ada", "met"]])
@pytest.mark.parametrize("blank", ["", " ", None])
def test_docs_and_examples_without_words_or_with_blank_ids_are_units_of_their_own(words, blank):
    """But Docs of one written text without ids are one unit."""

    def docs(number_of_spans):
        for number in range(60):
            doc = Doc(NLP.vocab, words=words)
            doc.user_data["id"] = blank
            doc.set_ents([Span(doc, 0, 1, "PER")][: number_of_spans(number)])
            yield doc

    gold, pred = [*docs(lambda number: 1)], [*docs(lambda number: number % 3)]
    expected = 1 if words == ["Ada", "met"] else 60
    assert score(gold, pred, ["strict"], confidence=True)["confidence"]["units"] == expected
    examples = [Example(two, one) for one, two in zip(gold, pred)]
    assert score(examples, ["strict"], confidence=True)["confidence"]["units"] == expected


@pytest.mark.parametrize("blank", ["", " ", None, float("nan")])
def test_a_blank_id_is_no_id(blank):
    rows = [{"id": blank, "text": f"Ada, {number} of 60", "spans": [[0, 3, "PER"]]} for number in range(60)]
    pred = [row | {"spans": row["spans"][: number % 3]} for number, row in enumerate(rows)]
    assert score(rows, pred, ["strict"], confidence=True)["confidence"]["units"] == 60
    documents = [Document([(0, 3, "PER")], [], row["text"], id=blank) for row in rows]
    assert score(documents, ["strict"], confidence=True)["confidence"]["units"] == 60
