"""A corpus of several files on the command line: the same scores however it is named, and what is refused."""

import os
from pathlib import Path

import pytest
from commands import accepted, line, piped, refused, write
from compressed import packed
from corpora import NAMES, check_scores

from spacy_nereval.cli.guards import STDIN_FILE

JSONL = ("-m", "strict", "-f", "jsonl")
GOLD, PRED = Path("gold.jsonl"), Path("pred.jsonl")

posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX")


WAYS = (
    "count gold/a.jsonl gold/b.jsonl gold/deep/c.jsonl pred/a.jsonl pred/b.jsonl pred/deep/c.jsonl",
    "count gold/**/*.jsonl pred/**/*.jsonl",
    "count gold pred -f jsonl",
    "count gold/ ./pred/ -f jsonl",
    "count --files-from pairs.txt",
    "count --files-from folders.txt -f jsonl",
    "count --files-from patterns.txt.gz",
    "count gold pred -f jsonl --workers 1",
    "count gold pred -f jsonl --collapse",
    "count --both both[0-2].jsonl --column gold,pred",
    "count --both --files-from both.txt --column gold,pred --workers 1",
)


@pytest.mark.costly
@pytest.mark.parametrize("way", WAYS)
def test_a_corpus_has_the_same_scores_however_it_is_named(way, corpus):
    write(corpus / "pairs.txt", *(f"gold/{name}.jsonl\t pred/{name}.jsonl" for name in reversed(NAMES)), "")
    write(corpus / "folders.txt", "gold\tpred")
    packed(write(corpus / "patterns.txt", "gold/*.jsonl\tpred/*.jsonl", "gold/deep/*\tpred/deep/*"), ".gz")
    write(corpus / "both.txt", "both[01].jsonl", "both2.jsonl")
    check_scores(way)


UNEVEN = "gold/*.jsonl is 2 and pred/a.jsonl is 1 of the files"
REFUSED = {
    "count gold other -f jsonl": "gold has no file z, and other has one: give both the same names, or a list of both",
    "count gold/*.jsonl pred/a.jsonl": f"{UNEVEN}: expected a file of predictions for each file of gold",
    "count gold/a.jsonl pred/a.jsonl --files-from list.txt": "gold/a.jsonl and --files-from list.txt exclude each "
    "other: list",
    "count --files-from list.txt": "list.txt, line 2: expected a file of gold annotation and one of predictions, with",
    "count --files-from more.txt": f"more.txt, line 1: {UNEVEN}",
    "count --files-from nowhere.txt": "nowhere.txt does not exist or is not a file",
    "count": "there are no files to count: give GOLD... and PRED..., or a list with --files-from",
    "count nothing pred -f jsonl": "nothing is a folder without files of the format jsonl",
    "count x pred -f jsonl": "x has no file a, and pred has one",  # folders of the same names are paired by these
}


@pytest.mark.parametrize(("command", "said"), REFUSED.items())
def test_what_is_no_corpus_is_refused(command, said, corpus):
    for name in ("other/a", "other/b", "other/z", "x/y", "x/b", "x/deep/c"):
        (corpus / name).parent.mkdir(parents=True, exist_ok=True)
        write(corpus / f"{name}.jsonl", line("Ada"))
    (corpus / "nothing").mkdir()
    write(corpus / "list.txt", "gold/a.jsonl\tpred/a.jsonl", "gold/b.jsonl")
    write(corpus / "more.txt", "gold/*.jsonl\tpred/a.jsonl")
    assert refused(*command.split(), "-m", "strict", "-o", "counts.npz").startswith(f"✘ {said}")


@posix
@pytest.mark.costly
@pytest.mark.parametrize("name", ["-", STDIN_FILE])
def test_names_of_files_come_from_standard_input(corpus, name):
    listed = b"".join(b"gold/%b.jsonl\tpred/%b.jsonl\n" % (side.encode(), side.encode()) for side in NAMES)
    for counts, given in {"full.npz": (GOLD, PRED), "listed.npz": ("--files-from", name)}.items():
        piped("count", *given, "-m", "strict", "--collapse", "-o", counts, content=listed)
    scores = {accepted("score", counts, "-C") for counts in ("full.npz", "listed.npz")}
    assert len(scores) == 1 and "12 documents" in scores.pop()


@posix
def test_what_came_from_a_pipe_is_recognised_by_its_content(corpus):
    add = ("--collapse", "--append", "-o", "total.npz")
    piped("count", GOLD, "-", *JSONL, *add, content=PRED.read_bytes())
    assert "1 of 1 files are in total.npz already" in accepted("count", GOLD, PRED, *JSONL, *add)


@posix
def test_a_pipe_among_the_files_of_workers_is_refused_before_it_is_read(corpus):
    os.mkfifo("pipe.jsonl")
    for golds in (["gold/a.jsonl", "pipe.jsonl"], ["pipe.jsonl"]):
        preds = ["pred/a.jsonl", "pred/b.jsonl"][: len(golds)]
        said = refused("count", *golds, *preds, "--parts", "parts", "-o", "x.npz")
        assert said.startswith("✘ pipe.jsonl is a pipe, and a worker reads its file more than once")
    assert not Path("parts").exists()
