"""Files that cannot be counted or told apart are named, with what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from docs import doc, write_docs
from sharded import ALL_PARTS, SHARDS, evaluated, parts, refused, sentences


def test_files_that_cannot_be_counted_are_named_with_what_is_wrong_while_the_others_are_counted(here):
    write_docs(Path("shards/empty.spacy"), [])
    Path("shards/text.spacy").write_text("no DocBin")
    Path("shards/folder.spacy").mkdir()
    write_docs(Path("shards/bare.spacy"), [doc("Ada saw Rome .", annotated=False)])
    bad = [f"shards/{name}.spacy" for name in ("bare", "empty", "folder", "none", "text")]
    lines = refused("evaluate", "training/model-best", *SHARDS, *bad)
    for line, said in zip(
        lines,
        [
            "bare.spacy: none of the 1 gold documents is annotated",
            "there are no documents to score in empty.spacy",
            "shards/folder.spacy is a folder without .ann files",
            "No such file or directory: ",
            "shards/text.spacy is not a .spacy file; expected a file written by DocBin.to_disk",
            "5 of 9 files could not be counted; the counts of the others are in nereval-parts",
        ],
        strict=True,
    ):
        assert said in line
    assert list(parts()) == ALL_PARTS
    assert evaluated(*SHARDS, said="(4 by an earlier run)")["documents"] == 42


def test_a_model_that_cannot_be_loaded_is_one_line_for_all_files(here):
    config = Path("mortal/config.cfg")
    config.write_text(config.read_text().replace('factory = "mortal"', 'factory = "immortal"'))
    said, last = refused("evaluate", "mortal", *SHARDS)
    assert said.startswith("shards/a.spacy, shards/b.spacy, shards/c.spacy, shards/d.spacy: the model mortal cannot")
    assert "immortal" in said and last.endswith("4 of 4 files could not be counted")
    assert refused("evaluate", "no_such_model", *SHARDS)[0].endswith(
        "there is no model no_such_model, neither a package nor a folder"
    )


def test_documents_of_one_id_in_two_files_are_refused_unless_they_may_share_it(here):
    write_docs(here / "shards/e.spacy", sentences("a")[:2])
    (line,) = [line for line in refused("evaluate", "training/model-best", *SHARDS, "shards/e.spacy") if "both" in line]
    assert "shards/a.spacy and shards/e.spacy both have a 0, a 1" in line
    assert evaluated(*SHARDS, "shards/e.spacy", "--shared-ids")["documents"] == 44
    shutil.copy(here / SHARDS[1], here / "shards/f.spacy")
    (line,) = refused("evaluate", "training/model-best", *SHARDS, "shards/f.spacy")
    assert line.startswith("shards/b.spacy and shards/f.spacy have the same content, and would count their documents")
    assert evaluated(*SHARDS, "shards/f.spacy", "--shared-ids", said="(5 by an earlier run)")["documents"] == 42 + 11


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["shards/a.spacy", "shards/b.spacy", "shards/a.spacy"], "shards/a.spacy is given twice"),
        (["shards/x/a.spacy", "shards/x-a.spacy"], "would both be counted in counts-x-a.spacy.npz: rename one"),
    ],
)
def test_two_files_of_one_name_are_refused(here, names, said):
    (line,) = refused("evaluate", "training/model-best", *names)
    assert said in line
    assert not Path("nereval-parts").exists()


def test_files_of_one_name_in_folders_are_told_apart(here):
    for letter in "ab":
        Path(f"shards/day={letter}").mkdir()
        shutil.move(f"shards/{letter}.spacy", f"shards/day={letter}/data.spacy")
    assert evaluated("shards/day=a/data.spacy", "shards/day=b/data.spacy")["documents"] == 12 + 11
    assert list(parts()) == ["counts-day=a-data.spacy.npz", "counts-day=b-data.spacy.npz"]


def test_an_odd_number_of_files_has_no_predictions_for_each(here):
    (line,) = refused("count", "gold/a.jsonl", "gold/b.jsonl", "pred/a.jsonl", "-o", "out.npz")
    assert "3 files were given" in line


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--engine", "hadoop"], "there is no engine 'hadoop'; there are loky, ray, dask, spark"),
        (["--by", "eLen"], "--by needs every span"),
        (["--parts", "far://away"], "cannot read far:// URLs"),
    ],
)
def test_options_that_cannot_be_are_refused_at_once(here, options, said):
    (line,) = refused("evaluate", "training/model-best", *SHARDS, *options)
    assert said in line
    assert not Path("nereval-parts").exists()
