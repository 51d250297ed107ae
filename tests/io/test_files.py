"""Reading gold and predicted files, and writing results whole or not at all."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from docs import doc, nlp, write_docs
from spacy.lang.en import English
from spacy.tokens import Doc, Span

from spacy_nereval import Document, score
from spacy_nereval.integration.examples import read
from spacy_nereval.integration.pipelines import predict
from spacy_nereval.integration.spacy_files import read_docs
from spacy_nereval.io.paths import is_stream
from spacy_nereval.io.read import read_files, records
from spacy_nereval.io.writing import atomic, write_json

ADA = {"text": "Ada met Bob", "spans": [{"start": 0, "end": 3, "label": "PER"}]}


def write_lines(path: Path, entries: Iterable[Any]) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf8")
    return path


def as_entry(made: Doc) -> dict[str, Any]:
    """What a line of a JSONL file says of a Doc."""
    entry: dict[str, Any] = {"text": made.text, "spans": [], "tokens": []}
    for ent in made.ents:
        entry["spans"].append({"start": ent.start_char, "end": ent.end_char, "label": ent.label_})
    for token in made:
        entry["tokens"].append({"start": token.idx, "end": token.idx + len(token)})
    return entry | ({"id": made.user_data["id"]} if "id" in made.user_data else {})


def only(path: Path):
    (found,) = records(path)
    return found


# Lines of JSON


def test_a_line_has_a_text_and_its_spans(tmp_path):
    found = only(write_lines(tmp_path / "a.jsonl", [ADA]))
    assert (found.text, found.spans, found.tokens, found.id) == ("Ada met Bob", {(0, 3, "PER")}, None, None)
    assert found.annotated
    assert found.gaps == ()


def test_a_line_may_have_tokens_and_an_id(tmp_path):
    entry = ADA | {"tokens": [{"start": 0, "end": 3, "text": "Ada"}, {"start": 4, "end": 11}], "id": 7}
    found = only(write_lines(tmp_path / "a.jsonl", [entry]))
    assert (found.tokens, found.id) == ([(0, 3), (4, 11)], "7")


def test_an_empty_list_of_spans_is_an_annotation(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [{"text": "a", "spans": []}])
    (found,) = read_files(path, path)
    assert found is not None
    assert found.gold == ()


def test_a_span_may_be_there_twice_overlap_and_have_no_length(tmp_path):
    spans = [{"start": a, "end": b, "label": "A"} for a, b in [(0, 1), (0, 1), (0, 3), (1, 1), (3, 3)]]
    found = only(write_lines(tmp_path / "a.jsonl", [{"text": "abc", "spans": spans}]))
    assert found.spans == {(0, 1, "A"), (0, 3, "A"), (1, 1, "A"), (3, 3, "A")}


def test_whatever_else_a_line_says_does_not_matter(tmp_path):
    entry = {"meta": {"x": [1]}, "text": "abc", "spans": [{"start": 0, "end": 1, "label": "A", "score": 0.5}]}
    assert only(write_lines(tmp_path / "a.jsonl", [entry])).spans == {(0, 1, "A")}


@pytest.mark.parametrize(
    "data",
    [
        b'{"text": "a", "spans": []}',
        b'\n\n{"text": "a", "spans": []}\n  \n\t\n',
        b'{"text": "a", "spans": []}\r\n\r\n',
        b'\xef\xbb\xbf{"text": "a", "spans": []}\n',
    ],
    ids=["no last newline", "empty lines", "newlines of Windows", "byte order mark"],
)
def test_lines_are_read_as_other_systems_write_them(tmp_path, data):
    (tmp_path / "a.jsonl").write_bytes(data)
    assert only(tmp_path / "a.jsonl").text == "a"


def test_a_line_ends_at_a_newline_only(tmp_path):
    text = "a\u2028b\u0085c\x0cd\re"
    (tmp_path / "a.jsonl").write_text(
        '{"text": "a\u2028b\u0085c\\fd\\re", "spans": []}\n{"text": "\\n", "spans": []}\n', encoding="utf8", newline=""
    )
    assert [found.text for found in records(tmp_path / "a.jsonl")] == [text, "\n"]


def test_offsets_count_characters_and_not_bytes(tmp_path):
    entry = {"text": "\U0001f600é Zoë", "spans": [{"start": 3, "end": 6, "label": "Ä"}]}
    for k, line in enumerate((json.dumps(entry), json.dumps(entry, ensure_ascii=False))):
        path = tmp_path / f"{k}.jsonl"
        path.write_text(line, encoding="utf8")
        found = only(path)
        assert [(found.text[a:b], label) for a, b, label in found.spans] == [("Zoë", "Ä")]


def test_ndjson_is_the_same_by_another_name(tmp_path):
    assert only(write_lines(tmp_path / "a.ndjson", [ADA])).spans == {(0, 3, "PER")}


def test_lines_are_read_one_at_a_time(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(ADA) + "\n{\n", encoding="utf8")
    found = records(path)
    assert next(found).text == "Ada met Bob"
    with pytest.raises(ValueError, match="line 2"):
        next(found)


# Docs


def test_a_file_of_docs_has_their_entities_tokens_and_ids(tmp_path):
    found = only(write_docs(tmp_path / "a.spacy", [doc("Ada met|_|Bob", (0, 1, "PER"), id="seven")]))
    assert (found.text, found.spans, found.id) == ("Ada met Bob", {(0, 3, "PER")}, "seven")
    assert found.tokens == [(0, 3), (4, 7), (7, 8), (8, 11)]


def test_a_file_of_docs_has_their_span_groups(tmp_path):
    grouped = doc("a b", (0, 1, "A"), spans={"k": [(0, 2, "B"), (1, 1, "C")]})
    path = write_docs(tmp_path / "a.spacy", [grouped, doc("a")])
    with_group, without = records(path, "k")
    assert with_group.spans == {(0, 3, "B"), (2, 2, "C")}
    assert (with_group.annotated, without.annotated) == (True, False)
    other = write_docs(tmp_path / "b.spacy", [doc("a b"), doc("a")])
    with pytest.raises(ValueError, match=r"no document in .*b\.spacy has spans under the key 'k'"):
        list(read_files(path, other, "k"))


def test_documents_without_annotation_are_none(tmp_path):
    gold = write_docs(tmp_path / "a.spacy", [doc("a"), doc("a", annotated=False), doc("")])
    pred = write_docs(tmp_path / "b.spacy", [doc("a"), doc("a"), doc("")])
    assert [found is None for found in read_files(gold, pred)] == [False, True, False]


def test_predictions_in_a_gap_are_ignored_whichever_file_they_come_from(tmp_path):
    gold = write_docs(tmp_path / "a.spacy", [doc("a b c", (0, 1, "A"), missing=[(1, 2)])])
    pred = doc("a b c", (0, 1, "A"), (1, 2, "A"), (2, 3, "A"))
    for path in (write_docs(tmp_path / "b.spacy", [pred]), write_lines(tmp_path / "b.jsonl", [as_entry(pred)])):
        (found,) = read_files(gold, path)
        assert (found.ignored, found.pred) == (1, ((0, 1, "A"), (4, 5, "A")))


def test_texts_may_differ_in_white_space_and_case(tmp_path):
    gold = write_docs(tmp_path / "a.spacy", [doc("Ada|_|met Bob", (0, 1, "PER"))])
    entry = {"text": "\nADA met bob", "spans": [{"start": 1, "end": 4, "label": "PER"}]}
    pred = write_lines(tmp_path / "b.jsonl", [entry])
    (found,) = read_files(gold, pred)
    assert found.gold == found.pred == ((0, 3, "PER"),)


# What cannot be read


@pytest.mark.parametrize("other", [doc("Ada met Eve"), doc("Ada met Bob .")])
@pytest.mark.parametrize("id, named", [(None, "document 1:"), ("x-7", "document 1 (x-7):")])
def test_other_texts_are_an_error_that_names_the_document(tmp_path, other, id, named):
    golds = [doc("a"), doc("Ada met Bob", (0, 1, "PER"), id=id)]
    for gold in (write_docs(tmp_path / "a.spacy", golds), write_lines(tmp_path / "a.jsonl", map(as_entry, golds))):
        pred = write_docs(tmp_path / "b.spacy", [doc("a"), other])
        with pytest.raises(ValueError) as raised:
            list(read_files(gold, pred))
        assert str(raised.value).startswith(f"{gold} and {pred}, {named} the predicted text differs from the reference")


def test_a_span_without_a_label_in_a_group_is_an_error_that_names_file_and_document(tmp_path):
    good, bad = (doc("a b", spans={"k": [(0, 1, label)]}) for label in ("A", ""))
    gold = write_docs(tmp_path / "gold.spacy", [good, good])
    pred = write_docs(tmp_path / "pred.spacy", [good, bad])
    with pytest.raises(ValueError, match=r"span without a label") as raised:
        list(read_files(gold, pred, "k"))
    assert str(pred) in str(raised.value)
    assert "document 1" in str(raised.value)


# Writing


def test_docs_keep_their_own_vocabulary_out_of_what_is_read(tmp_path):
    path = write_docs(tmp_path / "a.spacy", [doc("Ada ADA|_|x", (0, 1, "A"), (1, 2, "A"))])
    (found,) = read_docs(path)
    assert found.vocab is not nlp.vocab
    same = read(found, found)
    assert next(same.unigrams([same.gold[0]])) == next(same.unigrams([same.gold[1]]))


# What a pipeline predicts on them


def test_a_pipeline_is_scored_on_gold_annotation_in_any_format(tmp_path):
    pipeline = English()
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    gold = pipeline.make_doc("Ada met Bob")
    gold.set_ents([Span(gold, 0, 1, "PER"), Span(gold, 2, 3, "PER")])
    write_docs(tmp_path / "gold.spacy", [gold])
    (tmp_path / "gold.jsonl").write_text(
        '{"text": "Ada met Bob", "spans": [{"start": 0, "end": 3, "label": "PER"}, [8, 11, "PER"]]}'
    )
    (tmp_path / "gold.conll").write_text("Ada B-PER\nmet O\nBob B-PER\n")
    for name in ("gold.spacy", "gold.jsonl", "gold.conll"):
        (document,) = predict(pipeline, tmp_path / name)
        assert {*document.gold} == {(0, 3, "PER"), (8, 11, "PER")}, name
        assert {*document.pred} == {(0, 3, "PER")}, name
    with pytest.raises(ValueError, match=r"span groups such as 'sc' are read from \.spacy files only"):
        list(predict(pipeline, tmp_path / "gold.jsonl", "sc"))


# Results are written whole or not at all


def test_a_result_is_written_as_it_is(tmp_path):
    gold, pred = [(0, 5, "Ä"), (8, 9, "B"), (10, 11, "B")], [(0, 4, "Ä"), (8, 9, "B")]
    result = score([Document(gold, pred, text="abcdefghijk")])
    write_json(tmp_path / "out.json", result)
    text = (tmp_path / "out.json").read_text(encoding="utf8")
    written = json.loads(text)
    assert written.keys() == result.keys()
    assert written["metrics"]["fair"]["counts"] == result["metrics"]["fair"]["counts"]
    assert set(written["metrics"]["fair"]["per_type"]) == {"Ä", "B"}
    assert text.endswith("}\n")
    assert len(text.splitlines()) > 20


def test_floats_are_written_with_all_their_digits(tmp_path):
    value = {"third": 1 / 3, "tiny": 1e-13, "near one": 1 - 2**-53, "none": None}
    write_json(tmp_path / "out.json", value)
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf8")) == value


@pytest.mark.skipif(os.name != "posix", reason="making links needs rights on Windows")
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "kept").mkdir()
    link = tmp_path / "out.json"
    link.symlink_to(tmp_path / "kept" / "out.json")
    for value in (1, 2):
        write_json(link, value)
        assert link.is_symlink() and json.loads((tmp_path / "kept" / "out.json").read_text()) == value


@pytest.mark.skipif(os.name != "posix", reason="streams with paths are those of POSIX")
@pytest.mark.parametrize("mode", ["wb", "ab"], ids=["after >", "after >>"])
@pytest.mark.parametrize(
    "name", ["/dev/fd/{}", "/proc/self/fd/{}", "/proc/{process}/fd/{}", "link", "chain", "folder/{}"]
)
def test_a_log_behind_a_stream_keeps_what_it_holds(name, mode, tmp_path):
    log = tmp_path / "log.txt"
    log.write_text("old\n" if mode == "ab" else "")
    with log.open(mode) as file:
        (tmp_path / "link").symlink_to(f"/dev/fd/{file.fileno()}")
        (tmp_path / "chain").symlink_to("link")
        (tmp_path / "folder").symlink_to("/dev/fd")
        file.write(b"before\n")
        file.flush()
        path = tmp_path / name.format(file.fileno(), process=os.getpid())
        assert is_stream(path)
        write_json(path, [1])
        with pytest.raises(ValueError), atomic(path) as stream:
            stream.write(b"half of it")
            raise ValueError
        file.write(b"after\n")
    assert log.read_text() == "old\n" * (mode == "ab") + "before\n[\n  1\n]\nafter\n"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no /proc here")
def test_a_log_of_another_process_is_appended_to(tmp_path):
    log = tmp_path / "log.txt"
    with log.open("w") as file, subprocess.Popen(["sleep", "60"], stdout=file) as process:
        try:
            file.write("before\n")
            file.flush()
            write_json(Path(f"/proc/{process.pid}/fd/1"), 1)
        finally:
            process.kill()
    assert log.read_text() == "before\n1\n"


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
@pytest.mark.parametrize("mask, mode", [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_file_has_the_permissions_of_any_new_file(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        write_json(tmp_path / "out.json", {})
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.json").stat().st_mode) == mode


def test_a_file_that_cannot_replace_another_is_named_by_the_name_that_was_given(tmp_path, monkeypatch):
    """As Windows refuses it while a program has the file open."""

    def refuse(source, target):
        raise PermissionError(13, "Permission denied", str(source), None, str(target))

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError) as raised:
        write_json(tmp_path / "out.json", 1)
    assert raised.value.filename == str(tmp_path / "out.json")
    assert os.listdir(tmp_path) == []


def test_writing_leaves_the_permissions_of_other_threads_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("all threads share it"))
    write_json(tmp_path / "out.json", 1)


@pytest.mark.parametrize("at", ["dumps", "replace"])
def test_what_was_there_stays_if_writing_fails(tmp_path, monkeypatch, at):
    path = tmp_path / "out.json"
    path.write_text("old", encoding="utf8")
    if at == "replace":

        def replace(*paths):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", replace)
    with pytest.raises((OSError, TypeError, ValueError)):
        write_json(path, {} if at == "replace" else {"no": object()})
    assert path.read_text(encoding="utf8") == "old"
    assert os.listdir(tmp_path) == ["out.json"]
