"""Each field of what a run depends on: if it changes, counts are made anew, signatures differ, and nothing is added."""

import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from commands import GOLD, PRED, write

from spacy_nereval import Confidence, evaluate, load, score
from spacy_nereval.core.arguments import Reading
from spacy_nereval.core.labels import label_rules
from spacy_nereval.evaluation.collapsing import Halves
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.features.parts.parts_command import FileCounter
from spacy_nereval.features.parts.shards import Shard
from spacy_nereval.integration.pipelines import Pipeline
from spacy_nereval.io.count_files import merge, save

READINGS: dict[str, Any] = {
    "labels": '{"A": "B"}', "only": ["A"], "depth": 1, "sep": "-", "format": "conll", "spans_key": "sc", "column": "2",
    "scheme": "IOB1", "repair": "conll", "discontinuous": "hull", "offsets": "utf8", "end": "inclusive",
    "check_text": False, "annotator": "ann", "tag_names": "O,B-A", "match": "exact", "occurrences": "all",
    "unit": "document", "keys": ["text=content"], "match_text": "normalised",
    "word_column": 2, "outside": "none", "trim": "space", "join": True,
    "missing_tokens": "O", "label_from": "kb_id", "link_column": 3,
}  # fmt: skip
"""Another value for each field of how files are read."""

BASE = FileCounter({"strict": {"beta": 1.0}}, Reading(), None, Confidence(samples=5), "", code="code.py")
COLLAPSED = replace(BASE, collapse=Halves(5, 0))

CHANGES: dict[str, FileCounter] = {
    "a metric": replace(BASE, metrics={"relaxed": {"beta": 1.0}}),
    "an option": replace(BASE, metrics={"strict": {"beta": 2.0}}),
    "a further metric": replace(BASE, metrics={"strict": {"beta": 1.0}, "fair": {}}),
    "no replicates": replace(BASE, replicates=None),
    "the number of replicates": replace(BASE, replicates=Confidence(samples=6)),
    "the seed of replicates": replace(BASE, replicates=Confidence(samples=5, seed=1)),
    "collapsed": COLLAPSED,
    "collapsed, of more samples": replace(BASE, collapse=Halves(6, 0)),
    "collapsed, of another seed": replace(BASE, collapse=Halves(5, 1)),
    "collapsed, with hashes": replace(COLLAPSED, check_repeats=True),
    "other code": replace(BASE, code="other.py"),
    "no code": replace(BASE, code=None),
    "a model": replace(BASE, pipeline=Pipeline("model")),
    "another model": replace(BASE, pipeline=Pipeline("other")),
    "a model with code": replace(BASE, pipeline=Pipeline("model", "other.py")),
    **{name: replace(BASE, reading=replace(Reading(), **{name: value})) for name, value in READINGS.items()},
}
SHARDS = [Shard("a", "g.jsonl", "p.jsonl"), Shard("a", "p.jsonl", "p.jsonl"), Shard("a", "g.jsonl", "g.jsonl")]


def test_every_field_changes_the_origin_of_a_part(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, rows in (("g", GOLD), ("p", PRED)):
        write(Path(f"{name}.jsonl"), *rows)
    for name in ("model", "other"):
        Path(name).mkdir()
        Path(name, "config.cfg").write_text(f"# {name}")
        Path(f"{name}.py").write_text(f"# {name}")
    Path("code.py").write_text("# code")
    assert {*READINGS} == {field.name for field in fields(Reading)}, "give each field another value"
    assert all(getattr(Reading, name) != value for name, value in READINGS.items())
    origins = [("the base", BASE.origin(SHARDS[0])), *(("a file", BASE.origin(each)) for each in SHARDS[1:])]
    origins += [
        ("a name", BASE.origin(Shard("b", "g.jsonl", "p.jsonl"))),
        ("alone", BASE.origin(Shard("a", "g.jsonl"))),
    ]
    origins += [(name, changed.origin(SHARDS[0])) for name, changed in CHANGES.items()]
    assert BASE.origin(SHARDS[0]) == origins[0][1]
    for place, value in {"importlib.metadata.version": str, "spacy_nereval.core.about.__version__": "0"}.items():
        with monkeypatch.context() as patch:
            patch.setattr(place, value)
            origins.append((place, BASE.origin(SHARDS[0])))
    for name in ("g.jsonl", "p.jsonl", "code.py"):
        Path(name).write_text(Path(name).read_text() + "\n")
        origins.append((f"the content of {name}", BASE.origin(SHARDS[0])))
    for k, (name, origin) in enumerate(origins):
        assert not [other for other, before in origins[:k] if before == origin], name


@pytest.fixture
def documents(tmp_path) -> Any:
    return [load(write(tmp_path / f"{name}.jsonl", *rows)) for name, rows in (("g", GOLD), ("p", PRED))]


OTHERS: dict[str, tuple[Any, str]] = {
    "unit": ("block:2", "one resamples by id, the other by block:2"),
    "spans_key": ("sc", "one counted entities, the other spans under 'sc'"),
    "located": ({"first,exact"}, "one looked for mentions by listed,caseless, the other by first,exact"),
    "label_rules": (label_rules("X=Y"), "one has the label rules none, the other labels:"),
}
"""Fields of counts beside their metrics, with another value, and why they do not belong together."""


@pytest.mark.parametrize("field", OTHERS)
def test_counts_of_different_fields_are_neither_added_nor_merged_nor_compared(field, documents, tmp_path):
    ours, theirs = (score(*documents, ["strict"], Confidence()).counts for _ in range(2))
    value, said = OTHERS[field]
    ours.located = {"listed,caseless"}
    theirs.located = {"listed,caseless"}
    setattr(theirs, field, value)
    paths = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for counts, path in zip((ours, theirs), paths):
        save(counts, path)

    together = {
        "added": lambda: ours + theirs,
        "merged": lambda: merge(paths),
        "compared": lambda: comparison([System("a", ours), System("b", theirs)], []),
    }
    for done, call in together.items():
        with pytest.raises(ValueError, match=f"cannot be {done}: .*{re.escape(said)}"):
            call()
    signatures = [evaluate(counts, Confidence(samples=9))["signature"] for counts in (ours, theirs)]
    assert signatures[0] != signatures[1]
    assert getattr(theirs + theirs, field) == value, "nor are they forgotten"
