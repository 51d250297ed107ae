"""`nereval apply` and `apply`: the new gold annotation is the edit by hand, through both doors."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, flat, line, refused, run, write

from spacy_nereval import apply, load, score
from spacy_nereval.features.report.corrections import gold_digest
from spacy_nereval.reporting.formats import json_text

TEXTS = ("Ada met Bob", "in Rome", "Ada in Oslo", "in Rome")
GOLD = ([(0, 3, "LOC"), (8, 11, "PER")], [(3, 7, "LOC")], [(0, 6, "PER")], [(3, 7, "LOC")])
FIXED = ([(0, 3, "PER"), (8, 11, "PER")], [(3, 7, "LOC")], [(0, 3, "PER"), (7, 11, "LOC")], [])
"""The gold annotation as an edit by hand has it."""


def span(of: Any) -> Any:
    return None if of is None else dict(zip(("start", "end", "label"), of))


def mark(k: int, gold: Any, decided: Any, **more: Any) -> dict[str, Any]:
    found = {"digest": gold_digest(None, TEXTS[k], GOLD[k]), "gold": span(gold), "mark": "gold wrong"}
    return {**found, "decided": None if decided is None else [*map(span, decided)], **more}


MARKS = [
    mark(0, (0, 3, "LOC"), [(0, 3, "PER")], reason="two labels"),
    mark(2, (0, 6, "PER"), [(0, 3, "PER")]),
    mark(2, None, [(7, 11, "LOC")], pred=span((7, 11, "LOC"))),
    mark(3, (3, 7, "LOC"), [], copy=1),
    mark(1, (3, 7, "LOC"), None),
]


@pytest.fixture
def marked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, spans in (("gold", GOLD), ("fixed", FIXED), ("pred", FIXED)):
        write(Path(f"{name}.jsonl"), *(line(text, *own) for text, own in zip(TEXTS, spans)))
    write(Path("a.jsonl"), *MARKS[:3])
    write(Path("b.jsonl"), *MARKS[2:])
    return tmp_path


def test_the_new_gold_is_the_edit_by_hand_and_scores_move_as_it_says(marked):
    said = accepted("apply", "gold.jsonl", "a.jsonl", "b.jsonl", "-o", "new.jsonl")
    assert [record.spans for record in load("new.jsonl")] == [[*own] for own in FIXED]
    assert Path("new.jsonl").read_bytes() == Path("fixed.jsonl").read_bytes()
    for told in (
        "4 documents with 5 spans written to new.jsonl",
        "4 corrections in 3 of 4 documents (label 1, boundaries 1, added 1, removed 1): 5 gold spans before, 5 after",
        "Marks on 5 places: gold wrong 5",
        "LOC Ada (0–3)",
        "two labels",
        "Gold stays as it is on 1 place marked as 'gold wrong' without a correction",
    ):
        assert told in flat(said)
    before, after = (score(load(f"{name}.jsonl"), load("pred.jsonl"), "strict").strict for name in ("gold", "new"))
    assert (before.counts, after.counts) == ({"tp": 2, "fp": 3, "fn": 3}, {"tp": 5, "fp": 0, "fn": 0})


@pytest.mark.parametrize("name", ["new.jsonl", "new.conll", "new"])
def test_python_says_and_writes_the_same(marked, name):
    options = ["--only", "PER,LOC", "--labels", "PER=PER"]
    assert run("apply", "gold.jsonl", "a.jsonl", "b.jsonl", "-o", name, *options).exit_code == 0
    found = apply(load("gold.jsonl"), ["a.jsonl", *MARKS[2:]], only=["PER", "LOC"], labels={"PER": "PER"})
    found.write(f"python-{name}")
    files = [Path(name)] if Path(name).is_file() else sorted(Path(name).iterdir())
    assert files and all(file.read_bytes() == Path("python-" + str(file)).read_bytes() for file in files)
    spans = [[span(own) for own in spans] for spans in GOLD]
    for items, more in (
        ([{"text": text, "spans": own} for text, own in zip(TEXTS, spans)], {}),
        ([*GOLD], {"text": TEXTS}),
    ):
        assert [record.spans for record in apply(items, MARKS, **more).gold] == [[*own] for own in FIXED]
    printed = run("apply", "gold.jsonl", "a.jsonl", "b.jsonl", "-o", "again.jsonl", "-f", "json", "--tables", "all")
    view = apply(load("gold.jsonl"), ["a.jsonl", "b.jsonl"])._view()
    assert json.loads(printed.stdout) == json.loads(json_text(view.tables([*view.makers])))
    assert found.conclusion in flat(accepted("apply", "gold.jsonl", "a.jsonl", "b.jsonl", "-o", "third.jsonl"))


def test_scores_of_spans_follow_their_new_labels(marked):
    spans = [span((0, 3, "PER")) | {"score": 0.25}, span((8, 11, "LOC")) | {"score": 0.5}]
    write(Path("scored.jsonl"), {"text": TEXTS[0], "spans": spans})
    accepted("convert", "scored.jsonl", "command.jsonl", "--labels", "PER=PERSON,LOC=")
    apply(load("scored.jsonl"), [], labels="PER=PERSON,LOC=").write("python.jsonl")
    assert json.loads(Path("python.jsonl").read_text())["spans"] == [span((0, 3, "PERSON")) | {"score": 0.25}]
    assert Path("python.jsonl").read_bytes() == Path("command.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("fixed.jsonl", "a.jsonl"), "a.jsonl, line 1: made on other gold annotation"),
        (("empty.jsonl", "a.jsonl"), "none of the 0 documents of empty.jsonl has the digest"),
        (("gold.jsonl", "gold.jsonl"), "gold.jsonl, line 1: it has no digest of a document; expected a mark"),
        (("gold.jsonl", "a.jsonl", "c.jsonl"), "marks disagree on 1 place: document 0: a.jsonl, line 1"),
        (("gold.jsonl", "a.jsonl", "--conflicts", "none"), "--conflicts none: expected one of refuse, keep"),
        (("gold.jsonl", "a.jsonl", "-o", "new.txt"), "cannot write .txt files"),
        (("gold.jsonl", "a.jsonl", "--unit", "id"), "--unit id: nothing is resampled here"),
    ],
)
def test_what_cannot_be_applied_is_refused_and_nothing_is_written(marked, arguments, said):
    Path("empty.jsonl").touch()
    write(Path("c.jsonl"), mark(0, (0, 3, "LOC"), []))
    output = () if "-o" in arguments else ("-o", "new.jsonl")
    assert said in refused("apply", *arguments, *output)
    assert not Path("new.jsonl").exists()
    if "c.jsonl" in arguments:
        told = flat(accepted("apply", *arguments, *output, "--conflicts", "keep"))
        assert "Gold stays as it is on 1 place on which marks disagree" in told
        assert load("new.jsonl")[0].spans == GOLD[0]
