"""Files with the annotation of several people: Prodigy's lines, and where nobody is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import refused, run, write
from reading import read
from samples import said, task

from spacy_nereval import load
from spacy_nereval.io.formats import annotators_of

PER, ORG = (0, 3, "PER"), (0, 3, "ORG")


def by(name: str | None, text: str, *spans: tuple[int, int, str], **more: Any) -> dict[str, Any]:
    listed = [{"start": start, "end": end, "label": label} for start, end, label in spans]
    return {"text": text, "spans": listed} | ({"_annotator_id": name} if name else {}) | more


def found(path: Path, **settings: Any) -> list[tuple[str, bool, set]]:
    return [(record.text, record.annotated, record.spans) for record in read(path, **settings)]


def two(folder: Path) -> Path:
    """Ann saw "Ada one" and "Ada two"; Bob saw them in another order, and "Ada three"."""
    return write(
        folder / "two.jsonl",
        by("ann", "Ada one", PER),
        by("bob", "Ada two", ORG),
        by("ann", "Ada two", PER),
        by("bob", "Ada three", ORG),
        by("bob", "Ada one"),
    )


def test_the_lines_of_one_annotator_are_read_in_the_order_of_the_documents(tmp_path):
    path = two(tmp_path)
    assert annotators_of(path) == ["ann", "bob"]
    ann = [("Ada one", True, {PER}), ("Ada two", True, {PER}), ("Ada three", False, set())]
    bob = [("Ada one", True, set()), ("Ada two", True, {ORG}), ("Ada three", True, {ORG})]
    assert found(path, annotator="ann") == ann
    assert found(path, annotator="bob") == bob
    assert [(each.text, each.annotated, each.spans) for each in load(path, annotator="bob")] == bob


def test_two_annotators_of_one_file_are_compared(tmp_path):
    path = two(tmp_path)
    done = run("score", path, path, "-m", "strict", "--annotator", "ann,bob", "--format", "json")
    assert done.exit_code == 0, done.output
    assert "2 documents, 2 gold spans, 1 predicted span" in done.stderr


def test_a_document_of_several_annotators_needs_a_choice(tmp_path):
    said_ = refused("score", two(tmp_path), two(tmp_path))
    assert "document on line 1 has 2 annotations, by ann, bob; choose an annotator with --annotator: ann, bob" in said_
    assert "there is no annotator 'eve'; there are ann, bob" in refused(
        "score", two(tmp_path), two(tmp_path), "--annotator", "eve"
    )


def test_an_id_tells_which_document_a_line_is_of(tmp_path):
    lines = [by("ann", "Ada", PER, id=1), by("bob", "Ada", ORG, id=2), by("bob", "Ada", id=1)]
    assert [len(record.spans) for record in read(write(tmp_path / "a.jsonl", *lines), annotator="bob")] == [0, 1]


def test_a_text_that_one_annotator_has_twice_is_two_documents(tmp_path):
    lines = [by("ann", "Ada", PER), by("ann", "Ada"), by("bob", "Ada", ORG)]
    path = write(tmp_path / "a.jsonl", *lines)
    assert found(path, annotator="bob") == [("Ada", True, {ORG}), ("Ada", False, set())]
    assert found(path, annotator="ann") == [("Ada", True, {PER}), ("Ada", True, set())]


@pytest.mark.parametrize("name", ["ann", None])
def test_a_file_of_one_annotator_or_divided_among_several_is_read_as_it_is(name, tmp_path):
    path = write(tmp_path / "a.jsonl", by("ann", "Ada one", PER), by("ann", "Ada one"), by(name, "Ada two", PER))
    assert [len(record.spans) for record in read(path)] == [1, 0, 1]


def test_what_an_annotator_rejected_is_no_annotation(tmp_path):
    path = write(tmp_path / "a.jsonl", by("ann", "Ada", PER, answer="reject"), by("bob", "Ada", ORG, answer="accept"))
    assert found(path) == [("Ada", True, {ORG})]
    assert found(path, annotator="ann") == [("Ada", False, set())]


def test_a_text_that_only_mentions_the_key_names_nobody(tmp_path):
    path = write(tmp_path / "a.jsonl", by(None, "the key _annotator_id"), by(None, "the key _annotator_id"))
    assert (annotators_of(path), len(read(path))) == ([], 2)


def test_mistakes_in_a_file_of_several_annotators_name_their_line(tmp_path):
    path = write(tmp_path / "a.jsonl", by("ann", "Ada", PER), by("bob", "Ada", (0, 9, "PER")))
    for settings, expected in (({"annotator": "bob"}, "line 2: span 0"), ({}, "on line 1 has 2 annotations")):
        with pytest.raises(ValueError, match=expected):
            read(path, **settings)
    path.write_text(path.read_text() + '{"_annotator_id": 3}\n')
    with pytest.raises(ValueError, match="line 3: expected an object"):
        read(path, annotator="ann")


# Files that name nobody


def test_an_annotator_is_refused_where_no_file_names_one(tmp_path):
    plain = write(tmp_path / "plain.jsonl", by(None, "Ada", PER))
    tsv = tmp_path / "a.conll"
    tsv.write_text("Ada\tB-PER\n")
    for path in (plain, tsv):
        expected = f"--annotator ann: {path} names no annotator; leave it out"
        assert expected in refused("score", path, path, "--annotator", "ann")
        assert expected in refused("convert", path, tmp_path / "out.jsonl", "--annotator", "ann")
    assert not (tmp_path / "out.jsonl").exists()
    with pytest.raises(ValueError, match=r"^annotator='ann': .*plain.jsonl names no annotator; leave it out"):
        load(plain, annotator="ann")


def test_one_name_counts_for_the_side_that_names_annotators(tmp_path):
    both = two(tmp_path)
    pred = write(tmp_path / "pred.jsonl", *(by(None, f"Ada {which}", PER) for which in ("one", "two", "three")))
    done = run("score", both, pred, "-m", "strict", "--annotator", "ann", "--format", "json")
    assert "2 documents, 2 gold spans, 2 predicted spans" in done.stderr, done.output
    assert f"--annotator bob: {pred} names no annotator" in refused("score", both, pred, "--annotator", "ann,bob")


def test_annotators_of_other_formats(tmp_path):
    tasks = tmp_path / "tasks.json"
    import json

    tasks.write_text(json.dumps([task(said(7), predictions=[{"model_version": "m1", "result": []}])]))
    assert annotators_of(tasks) == ["7", "m1"]
