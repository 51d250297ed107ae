"""`--collapse`, `--append` and `--check-repeats` of the commands."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, flat, refused, run, write
from made_up import corpus, second

from spacy_nereval import Document
from spacy_nereval.io.count_files import load

DOCUMENTS = corpus(24)


def side(documents: list[Document], name: str) -> list[dict[str, Any]]:
    return [
        {
            "id": d.id,
            "text": d.text,
            "tokens": [{"start": a, "end": b} for a, b in d.tokens or ()],
            "spans": [{"start": a, "end": b, "label": label} for a, b, label in getattr(d, name)],
        }
        for d in documents
    ]


@pytest.fixture
def files(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, some in (("all", DOCUMENTS), ("a", DOCUMENTS[:10]), ("b", DOCUMENTS[10:]), ("c", corpus(5, 9))):
        write(Path(f"g-{name}.jsonl"), *side(some, "gold"))
        write(Path(f"p-{name}.jsonl"), *side(some, "pred"))
        write(Path(f"q-{name}.jsonl"), *side(second(some), "pred"))


def counted(names: str, output: str, *options: Any, system: str = "p") -> str:
    given = [f"{kind}-{name}.jsonl" for kind in ("g", system) for name in names.split()]
    return accepted("count", *given, "-o", output, "--replicates", 30, "-m", "strict,fair,wrf", *options)


def scores(counts: str, *options: str) -> bytes:
    accepted("score", counts, "-C", "-o", "out.json", *options)
    return Path("out.json").read_bytes()


def quiet(*arguments: Any) -> str:
    """What a command printed that reports progress on stderr."""
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_result_of_collapsed_counts_is_that_of_the_others_to_the_last_byte(files):
    counted("all", "full.npz")
    said = counted("all", "collapsed.npz", "--collapse")
    assert "24 documents in collapsed.npz" in said
    assert "occur in several files were not looked for; --check-repeats does" in flat(said)
    assert scores("collapsed.npz") == scores("full.npz")
    accepted("merge", "full.npz", "--collapse", "--replicates", 30, "-o", "merged.npz")
    assert scores("merged.npz") == scores("full.npz")
    quiet("count", "g-a.jsonl", "g-b.jsonl", "p-a.jsonl", "p-b.jsonl", "-m", "strict,fair,wrf", "--collapse",
          "--replicates", 30, "-o", "parts.npz")  # fmt: skip
    assert scores("parts.npz") == scores("full.npz")


def test_collapsed_counts_have_a_thousand_half_samples_unless_others_are_asked_for(files):
    accepted("count", "g-a.jsonl", "p-a.jsonl", "--collapse", "-m", "strict", "-o", "a.npz")
    assert load(Path("a.npz")).replicates.drawn == (1000, 0)
    counted("a", "b.npz", "--collapse", "--seed", 3)
    assert load(Path("b.npz")).replicates.drawn == (30, 3)
    accepted("count", "g-a.jsonl", "p-a.jsonl", "--collapse", "--replicates", 0, "-m", "strict", "-o", "c.npz")
    assert load(Path("c.npz")).replicates is None
    assert "without half-samples, and no documents to resample" in refused("score", "c.npz", "-C")
    assert "strict F" in flat(accepted("score", "c.npz"))


def test_the_main_score_has_its_interval_without_being_asked_for(files):
    counted("all", "collapsed.npz", "--collapse")
    counted("all", "full.npz")
    shown = [accepted("score", name) for name in ("collapsed.npz", "full.npz")]
    assert shown[0] == shown[1] and "[" in shown[0]


HITS = ("-m", "mentions", "--mentions.scope", "hits")
LOST = [
    (("score", "a.npz", "--per-document", "d.csv"), "a.npz holds collapsed counts, which have no scores"),
    (("score", "a.npz", "--tables", "documents"), "a.npz holds collapsed counts, which have no scores"),
    (("score", "a.npz", "--tables", "groups"), "a.npz holds collapsed counts, which have no repeated"),
    (("score", "a.npz", "--by", "eLen"), "a.npz is a count file without spans"),
    (("errors", "a.npz"), "a.npz: a count file has no texts and no spans"),
    (("errors", "g-a.jsonl", "a.npz"), "a.npz: a count file has no texts and no spans"),
    (("report", "g-a.jsonl", "a.npz", "-o", "r.html"), "a.npz: a count file has no texts and no spans"),
    (("score", "a.npz", "-C", "--samples", "7"), "a.npz holds collapsed counts, which keep the half"),
    (("score", "a.npz", "-C", "--seed", "7"), "no documents to draw others from: count the corpus again"),
    (("compare", "a.npz", "b.npz", "--trials", "9"), "collapsed counts keep no documents, so they have no permutation"),
    (("compare", "a.npz", "b.npz", "--seed", "9"), "--seed 9: a.npz holds collapsed counts"),
    (("compare", "a.npz", "full.npz"), "one is collapsed, the other has documents"),
    (("compare", "g-a.jsonl", "a.npz", "q-a.jsonl"), "one is collapsed, the other has documents"),
    (("compare", "a.npz", "q-a.jsonl"), "a.npz is a count file, and q-a.jsonl is not: name the gold annotation first"),
    (("compare", "a.npz", "seed.npz"), "30 replicates with seed 0, the other 30 replicates with seed 1"),
    (("compare", "a.npz", "other.npz"), "the systems were not counted on the same documents"),
    (("score", "g-a.jsonl", "--system", "A=a.npz,b.npz"), "no means of training runs"),
    (("merge", "a.npz", "full.npz", "-o", "x.npz"), "one is collapsed, the other has documents (--collapse makes both"),
    (("merge", "a.npz", "-o", "x.npz", "--replicates", "3"), "give --collapse, too"),
    (("merge", "a.npz", "a.npz", "-o", "x.npz"), "a.npz and a.npz are the same counts"),
    (("merge", "a.npz", "-o", "x.npz", "--check-repeats"), "a.npz has no hashes of its ids: count it with"),
    (("count", "g-a.jsonl", "p-a.jsonl", "-o", "x.npz", "--append"), "--append is for collapsed counts"),
    (("count", "g-a.jsonl", "p-a.jsonl", "-o", "x.npz", "--check-repeats"), "--check-repeats is for collapsed counts"),
    (("count", "g-a.jsonl", "p-a.jsonl", "-o", "x.npz", "--collapse", *HITS), "mentions depends on the corpus"),
    (("count", "g-a.jsonl", "p-a.jsonl", "-o", "x.npz", "--collapse", "--replicates", "0", "--seed", "1"), "--seed"),
]  # fmt: skip


@pytest.fixture
def systems(files) -> None:
    counted("a", "a.npz", "--collapse")
    counted("a", "b.npz", "--collapse", system="q")
    counted("a", "full.npz", system="q")
    counted("b", "other.npz", "--collapse", system="q")
    counted("a", "seed.npz", "--collapse", "--seed", 1)


def test_what_is_given_up_is_said_where_it_is_asked_for(systems):
    for arguments, said in LOST:
        assert said in refused(*arguments), arguments
    assert not Path("x.npz").exists() and not Path("d.csv").exists()


def test_all_tables_are_those_that_there_are(systems):
    assert "Documents" not in accepted("score", "a.npz", "--tables", "all")
    assert "Confusion matrix" in accepted("score", "a.npz", "--tables", "all")


def test_two_systems_are_compared_with_and_without_naming_gold(systems):
    said = accepted("compare", "a.npz", "b.npz", "--per-label", "-o", "out.json")
    assert accepted("compare", "g-a.jsonl", "a.npz", "b.npz", "--per-label") == said
    found = json.loads(Path("out.json").read_bytes())
    assert found["collapsed"] and {"strict", "fair", "wrf"} == {row["metric"] for row in found["comparisons"]}
    assert "standard error" in flat(said) and "there is no permutation test and no p-value" in flat(said)


def test_comparisons_of_collapsed_counts_are_no_tests_of_data_sets(systems):
    counted("b", "p.npz", "--collapse")
    for name, pair in (("first", ("a.npz", "b.npz")), ("second", ("p.npz", "other.npz"))):
        accepted("compare", *pair, "--name", "p", "--name", "q", "-o", f"{name}.json")
    said = flat(accepted("datasets", "first.json", "second.json"))
    assert "No test in first: its counts are collapsed and keep no documents to swap. It counts as p = 1" in said


ADD = ("--collapse", "--append")


def test_files_are_added_once_whatever_their_names(files):
    assert "10 documents" in counted("a", "total.npz", *ADD)
    said = counted("a b", "total.npz", *ADD)
    assert "1 of 2 files are in total.npz already, and skipped: g-a.jsonl" in flat(said)
    assert "24 documents in total.npz" in said
    counted("all", "full.npz")
    assert scores("total.npz") == scores("full.npz")
    before = Path("total.npz").read_bytes()
    os.rename("g-b.jsonl", "g-x.jsonl")
    os.rename("p-b.jsonl", "p-x.jsonl")
    said = counted("a x", "total.npz", *ADD)
    assert "2 of 2 files are in total.npz already" in said and "nothing to add to total.npz" in said
    assert Path("total.npz").read_bytes() == before
    assert len(load(Path("total.npz")).parts) == 2
    assert not Path("total.npz.lock").exists()


REFUSED_TO_ADD = [
    (("-m", "strict,fair,wrf", "--replicates", "31"), "--replicates 31: total.npz was counted with --replicates 30"),
    (("-m", "strict,fair,wrf", "--seed", "1"), "--seed 1: total.npz was counted with --seed 0"),
    (("-m", "strict"), "total.npz was counted in another way: one has the metrics strict, fair, wrf, the other strict"),
    (("-m", "strict,fair,wrf", "--fair.unit", "token"), "fair.unit is 'char' and 'token'"),
    (("-m", "strict,fair,wrf", "--unit", "block:2"), "one resamples by id, the other by block:2"),
    (("-m", "strict,fair,wrf", "--labels", "A=B"), "the label rules"),
]


def test_what_does_not_fit_is_not_added_and_the_counts_stay(files):
    counted("a", "total.npz", *ADD)
    before = Path("total.npz").read_bytes()
    for options, said in REFUSED_TO_ADD:
        assert said in refused("count", "g-b.jsonl", "p-b.jsonl", "-o", "total.npz", *ADD, *options)
        assert Path("total.npz").read_bytes() == before and not Path("total.npz.lock").exists()
    counted("b", "full.npz")
    said = refused("count", "g-c.jsonl", "p-c.jsonl", "-o", "full.npz", *ADD)
    assert "--append: full.npz holds counts with documents: collapse it first" in said
    write(Path("g-d.jsonl"), *side(corpus(5, 9), "gold"))
    write(Path("p-d.jsonl"), *side(corpus(5, 9), "pred"))
    same = ["g-c.jsonl", "g-d.jsonl", "p-c.jsonl", "p-d.jsonl"]
    assert "g-c.jsonl and g-d.jsonl have the same content" in refused("count", *same, "-o", "new.npz", *ADD)


def test_two_jobs_do_not_add_to_one_file_at_once(files):
    counted("a", "total.npz", *ADD)
    Path("total.npz.lock").write_text('{"user": "ann", "host": "elsewhere", "pid": 1}')
    said = refused("count", "g-b.jsonl", "p-b.jsonl", "-o", "total.npz", *ADD)
    assert "another run, process 1 of ann on elsewhere, writes to total.npz: wait for it, or choose another" in said


def hashes() -> list[str]:
    return sorted(path.name for path in Path().glob("nereval-ids-*.bin"))


def test_repeated_documents_are_found_by_hashes_on_disk(files):
    check = ("--collapse", "--check-repeats")
    said = counted("a", "a.npz", *check)
    assert "not looked for" not in said
    counted("b", "b.npz", *check)
    counted("all", "all.npz", *check)
    assert len(hashes()) == 3 and sorted(Path(name).stat().st_size for name in hashes()) == [160, 224, 384]
    accepted("merge", "a.npz", "b.npz", "--check-repeats", "-o", "both.npz")
    assert len(hashes()) == 3  # the same as of all
    said = refused("merge", "b.npz", "all.npz", "--check-repeats", "-o", "x.npz")
    assert "b.npz and all.npz have documents with the same id, 14 in all files: they would count twice" in said
    accepted("merge", "b.npz", "all.npz", "--check-repeats", "--shared-ids", "-o", "x.npz")
    assert "--check-repeats does" in flat(accepted("merge", "b.npz", "all.npz", "-o", "x.npz"))
    counted("a", "full.npz")
    accepted("merge", "full.npz", "b.npz", *check, "--replicates", 30, "-o", "x.npz")
    assert "same id, 10 in all files" in refused(
        "merge", "full.npz", "all.npz", *check, "--replicates", 30, "-o", "y.npz"
    )


def test_repeated_documents_are_found_when_files_are_added(files):
    check = (*ADD, "--check-repeats")
    counted("a", "total.npz", *check)
    first = hashes()
    counted("b", "total.npz", *check)
    assert len(hashes()) == 1 and hashes() != first
    options = ("-m", "strict,fair,wrf", "-o", "total.npz", *check)
    assert "have documents with the same id, 24 in all" in refused("count", "g-all.jsonl", "p-all.jsonl", *options)
    Path(hashes()[0]).write_bytes(b"x" * 16)
    assert "is missing or damaged: count again" in refused("count", "g-c.jsonl", "p-c.jsonl", *options)
    Path(hashes()[0]).unlink()
    assert "is missing or damaged: count again" in refused("count", "g-c.jsonl", "p-c.jsonl", *options)


def test_a_full_disk_leaves_the_counts_as_they_were(files, monkeypatch):
    counted("a", "total.npz", *ADD)
    before = Path("total.npz").read_bytes()

    def full(*args: Any, **how: Any) -> None:
        args[0].write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numpy.savez_compressed", full)
    options = ("-o", "total.npz", "-m", "strict,fair,wrf")
    assert "No space left on device: total.npz" in refused("count", "g-b.jsonl", "p-b.jsonl", *ADD, *options)
    assert Path("total.npz").read_bytes() == before
    assert {path.name for path in Path().iterdir()} >= {"total.npz"} and not [*Path().glob(".total*")]


posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX")


def piped(*arguments: Any, content: bytes) -> str:
    """What a command printed with this standard input, as a shell gives it."""
    source, target = os.pipe()
    before = os.dup(0)
    thread = threading.Thread(target=lambda: (os.write(target, content), os.close(target)), daemon=True)
    try:
        os.dup2(source, 0)
        os.close(source)
        thread.start()
        return quiet(*arguments)
    finally:
        os.dup2(before, 0)
        os.close(before)
        thread.join()


@posix
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_gold_or_predictions_come_from_standard_input(files, name):
    gold, pred = Path("g-all.jsonl"), Path("p-all.jsonl")
    wanted = accepted("score", gold, pred, "-m", "strict")
    assert piped("score", name, pred, "-m", "strict", "-f", "jsonl", content=gold.read_bytes()) == wanted
    assert piped("score", gold, name, "-m", "strict", "-f", "jsonl", content=pred.read_bytes()) == wanted
    counted("all", "full.npz")
    options = ("-m", "strict,fair,wrf", "-f", "jsonl", "--collapse", "--replicates", 30, "-o", "piped.npz")
    piped("count", name, pred, *options, content=gold.read_bytes())
    assert scores("piped.npz") == scores("full.npz")


@posix
def test_what_came_from_a_pipe_is_recognised_by_its_content(files):
    options = ("-m", "strict,fair,wrf", "-f", "jsonl", *ADD, "--replicates", 30, "-o", "total.npz")
    piped("count", "g-a.jsonl", "-", *options, content=Path("p-a.jsonl").read_bytes())
    assert "1 of 1 files are in total.npz already" in counted("a", "total.npz", *ADD)


@posix
def test_a_pipe_without_a_format_and_both_sides_from_one_are_refused_with_the_remedy(files):
    said = run("score", "-", "-", "-f", "jsonl")
    assert said.exit_code == 1
    assert "standard input is given for gold and for predictions: give one of them as a file" in said.stderr
