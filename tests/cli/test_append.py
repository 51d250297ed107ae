"""Files are added to collapsed counts with `--append`, once each; repeated documents are found by their ids."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from typing import Any

from collapsing import ADD, DOCUMENTS, counted, quiet, scores, side
from commands import accepted, flat, refused, write
from made_up import corpus

from spacy_nereval.io.count_files import load, save


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
    (("-m", "strict,fair,wrf", "--spans-key", "k"), "one counted entities, the other spans under 'k'"),
]


def test_what_does_not_fit_is_not_added_and_the_counts_stay(files):
    counted("a", "total.npz", *ADD)
    before = Path("total.npz").read_bytes()
    for name, (options, said) in product("ab", REFUSED_TO_ADD):  # a is there already, b is new
        assert said in refused("count", f"g-{name}.jsonl", f"p-{name}.jsonl", "-o", "total.npz", *ADD, *options)
        assert Path("total.npz").read_bytes() == before and not Path("total.npz.lock").exists()
    counted("b", "full.npz")
    said = refused("count", "g-c.jsonl", "p-c.jsonl", "-o", "full.npz", *ADD)
    assert "--append: full.npz holds counts with documents: collapse it first" in said
    write(Path("g-d.jsonl"), *side(corpus(5, 9), "gold"))
    write(Path("p-d.jsonl"), *side(corpus(5, 9), "pred"))
    same = ["g-c.jsonl", "g-d.jsonl", "p-c.jsonl", "p-d.jsonl"]
    assert "g-c.jsonl and g-d.jsonl have the same content" in refused("count", *same, "-o", "new.npz", *ADD)


def test_files_of_predictions_are_not_added_to_those_of_a_pipeline(files):
    counted("a", "total.npz", *ADD, "--no-check-repeats")
    counts = load(Path("total.npz"))
    counts.collapsed = counts.collapsed._replace(pipeline="f" * 32)
    save(counts, Path("total.npz"))
    said = refused("count", "g-b.jsonl", "p-b.jsonl", "-m", "strict,fair,wrf", "-o", "total.npz", *ADD)
    assert "total.npz was counted with a pipeline, not from files of predictions" in said


def test_two_jobs_do_not_add_to_one_file_at_once(files):
    counted("a", "total.npz", *ADD)
    Path("total.npz.lock").write_text('{"user": "ann", "host": "elsewhere", "pid": 1}')
    said = flat(refused("count", "g-b.jsonl", "p-b.jsonl", "-o", "total.npz", *ADD, status=75))
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
    accepted("merge", "b.npz", "all.npz", "--check-repeats", "--shared-ids", "-o", "x.npz")
    assert "--check-repeats finds" in flat(accepted("merge", "b.npz", "all.npz", "-o", "x.npz"))
    counted("a", "full.npz")
    accepted("merge", "full.npz", "b.npz", *check, "--replicates", 30, "-o", "x.npz")
    assert "same id, 10 in all files" in refused(
        "merge", "full.npz", "all.npz", *check, "--replicates", 30, "-o", "y.npz"
    )


def test_it_is_said_if_no_document_has_an_id_to_look_for(files):
    said = "No document has an id, so --check-repeats cannot find documents that occur in several files."
    for name in ("a", "b"):
        for kind, some in (("g", "gold"), ("p", "pred")):
            rows = side(DOCUMENTS[:10] if name == "a" else DOCUMENTS[10:], some)
            write(Path(f"{kind}-{name}.jsonl"), *({**row, "id": None} for row in rows))
        options = ("-m", "strict,fair,wrf", "--replicates", 0, "--collapse", "--check-repeats")
        assert said in flat(quiet("count", f"g-{name}.jsonl", f"p-{name}.jsonl", "-o", f"{name}.npz", *options))
    assert said in flat(accepted("merge", "a.npz", "b.npz", "--check-repeats", "-o", "both.npz"))
    quiet("count", "g-c.jsonl", "p-c.jsonl", "-o", "c.npz", *options)
    assert said not in flat(accepted("merge", "a.npz", "c.npz", "--check-repeats", "-o", "some.npz"))


def test_repeated_documents_are_found_when_files_are_added(files):
    counted("a", "total.npz", *ADD)
    first = hashes()
    counted("b", "total.npz", *ADD)
    assert len(hashes()) == 1 and hashes() != first
    options = ("-m", "strict,fair,wrf", "-o", "total.npz", *ADD)
    assert "have documents with the same id, 24 in all" in refused("count", "g-all.jsonl", "p-all.jsonl", *options)
    Path(hashes()[0]).write_bytes(b"x" * 16)
    assert "is missing or damaged: count again" in refused("count", "g-c.jsonl", "p-c.jsonl", *options)
    Path(hashes()[0]).unlink()
    assert "is missing or damaged: count again" in refused("count", "g-c.jsonl", "p-c.jsonl", *options)


def test_two_systems_on_the_same_documents_are_added_to_in_turn(files):
    """Their hashes are equal, so they have one file of them."""
    Path("parts.zip").write_text("of somebody else")
    for name, number in (("a", 1), ("b", 2)):
        counted(name, "p.npz", *ADD)
        assert len(hashes()) == number  # the earlier one is deleted when nothing has it any more
        counted(name, "q.npz", *ADD, system="q")
        assert len(hashes()) == 1
    for system in "pq":
        options = ("-m", "strict,fair,wrf", "-o", f"{system}.npz", *ADD)
        said = refused("count", "g-all.jsonl", f"{system}-all.jsonl", *options)
        assert f"{system}.npz and g-all.jsonl have documents with the same id, 24 in all" in said


def test_a_file_that_has_changed_is_not_counted_again_unless_asked_for(files):
    counted("a", "total.npz", *ADD)
    before = Path("total.npz").read_bytes()
    for kind, some in (("g", "gold"), ("p", "pred")):
        write(Path(f"{kind}-a.jsonl"), *side(DOCUMENTS[:11], some))  # a document more
    options = ("g-a.jsonl", "p-a.jsonl", "-m", "strict,fair,wrf", "-o", "total.npz", *ADD)
    said = flat(refused("count", *options))
    assert "documents with the same id, 10 in all files" in said and "if one has changed since it was counted" in said
    assert Path("total.npz").read_bytes() == before
    said = flat(accepted("count", *options, "--no-check-repeats"))
    assert "21 documents in total.npz" in said and "were not looked for, and count several times" in said
    assert not hashes()  # so that nothing says that these counts can be checked
    said = flat(refused("count", "g-c.jsonl", "p-c.jsonl", *options[2:]))
    assert "total.npz has no hashes of ids, by which documents are found that it has already" in said
    assert "or give --no-check-repeats, and such documents count twice" in said


def test_several_files_are_checked_when_they_are_added(files):
    counted("a", "total.npz", *ADD)
    options = ("-m", "strict,fair,wrf", "-o", "total.npz", *ADD)
    for name, some in (("x", DOCUMENTS[10:15]), ("y", DOCUMENTS[15:])):
        write(Path(f"g-{name}.jsonl"), *side(some, "gold"))
        write(Path(f"p-{name}.jsonl"), *side(some, "pred"))
    said = quiet("count", "g-x.jsonl", "g-y.jsonl", "p-x.jsonl", "p-y.jsonl", *options)
    assert "24 documents" in said and "not looked for" not in said
    assert [Path(name).stat().st_size for name in hashes()] == [16 * 24]
    assert "have documents with the same id, 24 in all" in refused("count", "g-all.jsonl", "p-all.jsonl", *options)
    Path(hashes()[0]).unlink()
    assert "is missing or damaged: count again" in refused("count", "g-a.jsonl", "p-a.jsonl", *options)


def test_counts_without_half_samples_are_added_to_without_them(files):
    options = ("-m", "strict", "-o", "total.npz", *ADD)
    accepted("count", "g-a.jsonl", "p-a.jsonl", "--replicates", 0, *options)
    assert "24 documents in total.npz" in accepted("count", "g-b.jsonl", "p-b.jsonl", *options)
    assert load(Path("total.npz")).replicates is None


def test_hashes_stay_where_new_files_have_no_new_ids(files):
    counted("a", "total.npz", *ADD)
    before = hashes()
    for name in ("g", "p"):
        write(Path(f"{name}-x.jsonl"), *side(DOCUMENTS[2:5], {"g": "gold", "p": "pred"}[name]))
    assert "13 documents in total.npz" in counted("x", "total.npz", *ADD, "--shared-ids")
    assert hashes() == before and len(before) == 1
    said = refused("count", "g-all.jsonl", "p-all.jsonl", "-m", "strict,fair,wrf", "-o", "total.npz", *ADD)
    assert "have documents with the same id, 10 in all" in said


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
