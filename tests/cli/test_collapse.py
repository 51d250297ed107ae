"""`--collapse`: the same scores without documents. `--append`: files are added once, documents found by their ids."""

import json
import os
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from collapsing import ADD, DOCUMENTS, counted, scores, scores_alone
from commands import accepted, flat, printed, refused, run, side, write
from made_up import corpus

from spacy_nereval import Document
from spacy_nereval.io.count_files import load, save


@pytest.mark.costly
def test_the_result_of_collapsed_counts_is_that_of_the_others_to_the_last_byte(files):
    counted("all", "full.npz")
    said = counted("all", "collapsed.npz", "--collapse")
    assert "24 documents in collapsed.npz" in said
    assert "were not looked for, and count several times: --check-repeats finds them" in flat(said)
    assert scores_alone("collapsed.npz") == scores_alone("full.npz")
    assert scores("collapsed.npz") == scores("full.npz")
    accepted("merge", "full.npz", "--collapse", "--replicates", 30, "-o", "merged.npz")
    assert scores("merged.npz") == scores("full.npz")
    printed("count", "g-a.jsonl", "g-b.jsonl", "p-a.jsonl", "p-b.jsonl", "-m", "strict,fair,wrf", "--collapse",
          "--replicates", 30, "-o", "parts.npz")  # fmt: skip
    assert scores("parts.npz") == scores("full.npz")


def test_a_file_of_the_corpus_is_known_however_its_counts_were_collapsed(files):
    counted("a", "full.npz")
    counted("a", "collapsed.npz", "--collapse")
    accepted("merge", "full.npz", "--collapse", "-o", "merged.npz")
    accepted("merge", "merged.npz", "-o", "again.npz")
    for one, other in (("collapsed.npz", "again.npz"), ("full.npz", "collapsed.npz"), ("merged.npz", "full.npz")):
        said = refused("merge", one, other, "--collapse", "-o", "x.npz")
        assert re.search("are the same counts|share some counts", said) and "count their documents twice" in said
    accepted("merge", "full.npz", "collapsed.npz", "--collapse", "--allow-repeats", "-o", "x.npz")
    assert load(Path("x.npz")).documents == 20


def test_collapsed_counts_have_a_thousand_half_samples_unless_others_are_asked_for(files):
    accepted("count", "g-a.jsonl", "p-a.jsonl", "--collapse", "-m", "strict", "-o", "a.npz")
    assert load(Path("a.npz")).replicates.settings == (1000, 0)
    counted("a", "b.npz", "--collapse", "--seed", 3)
    assert load(Path("b.npz")).replicates.settings == (30, 3)
    accepted("count", "g-a.jsonl", "p-a.jsonl", "--collapse", "--replicates", 0, "-m", "strict", "-o", "c.npz")
    assert load(Path("c.npz")).replicates is None
    assert "without half-samples, and no documents to resample" in refused("score", "c.npz", "-C")
    assert "strict F" in flat(accepted("score", "c.npz"))


def test_merging_keeps_the_half_samples_that_files_have_unless_others_are_asked_for(files):
    counted("a", "full.npz", "--seed", 3)
    accepted("count", "g-b.jsonl", "p-b.jsonl", "-m", "strict,fair,wrf", "-o", "without.npz")
    full = load(Path("full.npz")).replicates
    for given, options, drawn in (
        (["full.npz"], [], (30, 3)),
        (["full.npz"], ["--replicates", 20], (20, 3)),
        (["full.npz"], ["--seed", 0], (30, 0)),
        (["full.npz", "without.npz"], [], (30, 3)),
        (["full.npz", "without.npz"], ["--replicates", 20], (20, 3)),
        (["full.npz", "without.npz"], ["--seed", 5], (30, 5)),
        (["without.npz"], [], (1000, 0)),
    ):
        accepted("merge", *given, "--collapse", *options, "-o", "merged.npz")
        found = load(Path("merged.npz")).replicates
        assert found.settings == drawn, (given, options)
        if (given, options) == (["full.npz"], []):
            assert all((a == b).all() for a, b in zip(found.sums.arrays, full.sums.arrays, strict=True))
            assert scores("merged.npz") == scores("full.npz")
    said = refused("merge", "without.npz", "full.npz", "--collapse", "-o", "x.npz")
    assert "one has 1000 half-samples with seed 0, the other 30 half-samples with seed 3" in said


def test_the_main_score_has_its_interval_without_being_asked_for(files):
    counted("all", "collapsed.npz", "--collapse")
    counted("all", "full.npz")
    shown = [accepted("score", name) for name in ("collapsed.npz", "full.npz")]
    assert all("[" in each for each in shown)


@pytest.fixture
def systems(files) -> None:
    counted("a", "a.npz", "--collapse")
    counted("a", "b.npz", "--collapse", system="q")
    counted("a", "full.npz", system="q")
    counted("b", "other.npz", "--collapse", system="q")
    counted("a", "seed.npz", "--collapse", "--seed", 1)


def test_all_tables_are_those_that_there_are(systems):
    assert "Documents" not in accepted("score", "a.npz", "--tables", "all")
    assert "Confusion matrix" in accepted("score", "a.npz", "--tables", "all")


def test_two_systems_are_compared_with_and_without_naming_gold(systems):
    said = accepted("compare", "a.npz", "b.npz", "--per-label", "-o", "out.json")
    assert run("compare", "g-a.jsonl", "a.npz", "b.npz", "--per-label").stdout == said
    named = accepted("compare", "--system", "a=a.npz", "--system", "b=b.npz", "--per-label")
    assert named == said
    found = json.loads(Path("out.json").read_bytes())
    assert found["collapsed"] and {"strict", "fair", "wrf"} == {row["metric"] for row in found["comparisons"]}
    assert "standard error" in flat(said) and "there is no permutation test and no p-value" in flat(said)
    counted("b", "p.npz", "--collapse")
    accepted("compare", "p.npz", "other.npz", "--name", "a", "--name", "b", "-o", "second.json")
    said = flat(accepted("datasets", "out.json", "second.json"))
    assert "No test in out: its counts are collapsed and keep no documents to permute. It counts as p = 1" in said


# Files are added

METRICS = ("-m", "strict,fair,wrf")


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
    (("--replicates", "31"), "--replicates 31: total.npz was counted with --replicates 30"),
    (("--seed", "1"), "--seed 1: total.npz was counted with --seed 0"),
    (("-m", "strict"), "total.npz was counted in another way: one has the metrics strict, fair, wrf, the other strict"),
    (("--fair.unit", "token"), "fair.unit is 'char' and 'token'"),
    (("--unit", "block:2"), "one resamples by id, the other by block:2"),
]


def adding(name: str, *options: Any, system: str = "p") -> tuple[Any, ...]:
    """The command that adds a part of the corpus."""
    output = () if "-o" in options else ("-o", "total.npz" if system == "p" else f"{system}.npz")
    metrics = () if "-m" in options else METRICS
    return "count", f"g-{name}.jsonl", f"{system}-{name}.jsonl", *metrics, *output, *ADD, *options


def parts(**some: list[Document]) -> None:
    """Write documents as parts of the corpus."""
    for name, documents in some.items():
        write(Path(f"g-{name}.jsonl"), *side(documents, "gold"))
        write(Path(f"p-{name}.jsonl"), *side(documents, "pred"))


def test_what_does_not_fit_is_not_added_and_the_counts_stay(files):
    counted("a", "total.npz", *ADD)
    before = Path("total.npz").read_bytes()
    for name, (options, said) in product("ab", REFUSED_TO_ADD):  # a is there already, b is new
        assert said in refused(*adding(name, *options))
        assert Path("total.npz").read_bytes() == before and not Path("total.npz.lock").exists()
    counted("b", "full.npz")
    said = refused(*adding("c", "-o", "full.npz"))
    assert "--append: full.npz contains counts with documents: collapse it first" in said
    parts(d=corpus(5, 9))
    same = ["g-c.jsonl", "g-d.jsonl", "p-c.jsonl", "p-d.jsonl"]
    assert "g-c.jsonl and g-d.jsonl have the same content" in refused("count", *same, "-o", "new.npz", *ADD)


def test_files_of_predictions_are_not_added_to_those_of_a_pipeline(files):
    counted("a", "total.npz", *ADD, "--no-check-repeats")
    counts = load(Path("total.npz"))
    counts.collapsed = counts.collapsed._replace(pipeline="f" * 32)
    save(counts, Path("total.npz"))
    assert "total.npz was counted with a pipeline, not from files of predictions" in refused(*adding("b"))


def test_two_jobs_do_not_add_to_one_file_at_once(files):
    counted("a", "total.npz", *ADD)
    Path("total.npz.lock").write_text('{"user": "ann", "host": "elsewhere", "pid": 1}')
    said = flat(refused(*adding("b"), status=75))
    assert "another run, process 1 of ann on elsewhere, writes to total.npz: wait for it, as --wait 60" in said
    assert "or choose another" in said


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
    for allowing in ("--shared-ids", "--allow-repeats"):
        accepted("merge", "b.npz", "all.npz", "--check-repeats", allowing, "-o", "x.npz")
    assert "--check-repeats finds" in flat(accepted("merge", "b.npz", "all.npz", "-o", "x.npz"))
    counted("a", "full.npz")
    accepted("merge", "full.npz", "b.npz", *check, "--replicates", 30, "-o", "x.npz")
    assert "same id, 10 in all files" in refused(
        "merge", "full.npz", "all.npz", *check, "--replicates", 30, "-o", "y.npz"
    )


def test_it_is_said_if_no_document_has_an_id_to_look_for(files):
    said = "No document has an id, so --check-repeats cannot find documents that occur in several files."
    for name in ("a", "b"):
        for path in (Path(f"g-{name}.jsonl"), Path(f"p-{name}.jsonl")):
            write(path, *({**json.loads(row), "id": None} for row in path.read_text().splitlines()))
        options = (*METRICS, "--replicates", 0, "--collapse", "--check-repeats")
        assert said in flat(printed("count", f"g-{name}.jsonl", f"p-{name}.jsonl", "-o", f"{name}.npz", *options))
    assert said in flat(accepted("merge", "a.npz", "b.npz", "--check-repeats", "-o", "both.npz"))
    printed("count", "g-c.jsonl", "p-c.jsonl", "-o", "c.npz", *options)
    assert said not in flat(accepted("merge", "a.npz", "c.npz", "--check-repeats", "-o", "some.npz"))


def test_repeated_documents_are_found_when_files_are_added(files):
    counted("a", "total.npz", *ADD)
    first = hashes()
    counted("b", "total.npz", *ADD)
    assert len(hashes()) == 1 and hashes() != first
    assert "have documents with the same id, 24 in all" in refused(*adding("all"))
    Path(hashes()[0]).write_bytes(b"x" * 16)
    assert "is missing or damaged: count again" in refused(*adding("c"))
    Path(hashes()[0]).unlink()
    assert "is missing or damaged: count again" in refused(*adding("c"))


def test_two_systems_on_the_same_documents_are_added_to_in_turn(files):
    """Their hashes are equal, so they have one file of them."""
    Path("parts.zip").write_text("of somebody else")
    for name, number in (("a", 1), ("b", 2)):
        counted(name, "p.npz", *ADD)
        assert len(hashes()) == number  # the earlier one is deleted when nothing has it any more
        counted(name, "q.npz", *ADD, system="q")
        assert len(hashes()) == 1
    for system in "pq":
        said = refused(*adding("all", "-o", f"{system}.npz", system=system))
        assert f"{system}.npz and g-all.jsonl have documents with the same id, 24 in all" in said


def test_a_file_that_has_changed_is_not_counted_again_unless_asked_for(files):
    counted("a", "total.npz", *ADD)
    before = Path("total.npz").read_bytes()
    parts(a=DOCUMENTS[:11])  # a document more
    said = flat(refused(*adding("a")))
    assert "documents with the same id, 10 in all files" in said and "if one has changed since it was counted" in said
    assert Path("total.npz").read_bytes() == before
    said = flat(accepted(*adding("a", "--no-check-repeats")))
    assert "21 documents in total.npz" in said and "were not looked for, and count several times" in said
    assert not hashes()  # so that nothing says that these counts can be checked
    said = flat(refused(*adding("c")))
    assert "total.npz has no hashes of ids, by which documents are found that it has already" in said
    assert "or give --no-check-repeats, and such documents count twice" in said


def test_several_files_are_checked_when_they_are_added(files):
    counted("a", "total.npz", *ADD)
    parts(x=DOCUMENTS[10:15], y=DOCUMENTS[15:])
    said = printed("count", "g-x.jsonl", "g-y.jsonl", "p-x.jsonl", "p-y.jsonl", *adding("x")[3:])
    assert "24 documents" in said and "not looked for" not in said
    assert [Path(name).stat().st_size for name in hashes()] == [16 * 24]
    assert "have documents with the same id, 24 in all" in refused(*adding("all"))


def test_counts_without_half_samples_are_added_to_without_them(files):
    accepted(*adding("a", "--replicates", 0))
    assert "24 documents in total.npz" in accepted(*adding("b"))
    assert load(Path("total.npz")).replicates is None


def test_hashes_stay_where_new_files_have_no_new_ids(files):
    counted("a", "total.npz", *ADD)
    before = hashes()
    parts(x=DOCUMENTS[2:5])
    assert "13 documents in total.npz" in counted("x", "total.npz", *ADD, "--shared-ids")
    assert hashes() == before and len(before) == 1
    assert "have documents with the same id, 10 in all" in refused(*adding("all"))
