"""Files, folders and pipes of gold and predictions are read; results are written whole or not at all."""

import errno
import itertools
import json
import os
import stat
import subprocess
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from asking import refusal
from commands import GOLD, GOLD_DOCS, PRED, accepted, flat, line, refused, run, write
from docs import doc, write_docs
from reading import only
from reading import read as read_records
from spacy.lang.en import English
from spacy.tokens import Span

from spacy_nereval import Document, score
from spacy_nereval.core.labels import NO_LABEL
from spacy_nereval.integration.pipelines import predict
from spacy_nereval.io import paths
from spacy_nereval.io.paths import is_stream
from spacy_nereval.io.read import Pairing, read_files, records
from spacy_nereval.io.records import Record
from spacy_nereval.io.writing import atomic_file, write_json

posix = pytest.mark.skipif(os.name != "posix", reason="pipes, links and permissions are those of POSIX")

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
    lines = write(tmp_path / "b.jsonl", line("a b", (0, 3, "B")), line("a"))
    assert next(read_files(path, lines, "k")).hits == {(0, 3, "B")}
    assert "span groups such as 'k' are read from .spacy files only" in refusal(read_files, lines, lines, "k")


def test_predictions_in_a_gap_are_ignored_whichever_file_they_come_from(tmp_path):
    gold = write_docs(tmp_path / "a.spacy", [doc("a b c", (0, 1, "A"), missing=[(1, 2)])])
    pred = write_docs(tmp_path / "b.spacy", [doc("a b c", (0, 1, "A"), (1, 2, "A"), (2, 3, "A"))])
    for path in (pred, write(tmp_path / "b.jsonl", line("a b c", (0, 1, "A"), (2, 3, "A"), (4, 5, "A")))):
        (found,) = read_files(gold, path)
        assert (found.ignored, found.pred) == (1, ((0, 1, "A"), (4, 5, "A")))


@pytest.mark.parametrize("other", ["Ada met Eve", "Ada met Bob ."])
@pytest.mark.parametrize("id, named", [(None, "document 1:"), ("x-7", "document 1 (x-7):")])
def test_other_texts_are_an_error_that_names_the_document(tmp_path, other, id, named):
    """Texts may differ in white space and case."""
    golds = [doc("a"), doc("Ada|_|met Bob", (0, 1, "PER"), id=id)]
    rows = [line("a"), line("Ada met Bob", **({"id": id} if id else {}))]
    pred = write(tmp_path / "b.jsonl", line("A"), line("\nADA met bob", (1, 4, "PER")))
    for gold in (write_docs(tmp_path / "a.spacy", golds), write(tmp_path / "a.jsonl", *rows)):
        write(pred, line("A"), line("\nADA met bob", (1, 4, "PER")))
        assert [found.pred for found in read_files(gold, pred)] == [(), ((0, 3, "PER"),)]
        write(pred, line("a"), line(other))
        raised = refusal(read_files, gold, pred)
        assert raised.startswith(f"{gold} and {pred}, {named} the predicted text differs from the reference")


def test_a_span_without_a_label_in_a_group_is_read_with_a_label_of_its_own(tmp_path):
    docs = [doc("a b", spans={"k": [(0, 1, label)]}) for label in ("A", "")]
    gold, pred = (write_docs(tmp_path / f"{name}.spacy", side) for name, side in (("gold", docs), ("pred", docs[::-1])))
    assert [found.pred for found in read_files(gold, pred, "k")] == [((0, 1, NO_LABEL),), ((0, 1, "A"),)]


def test_a_pipeline_is_scored_on_gold_annotation_in_any_format(tmp_path):
    pipeline = English()
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    gold = pipeline.make_doc("Ada met Bob")
    gold.set_ents([Span(gold, 0, 1, "PER"), Span(gold, 2, 3, "PER")])
    (tmp_path / "gold.conll").write_text("Ada B-PER\nmet O\nBob B-PER\n")
    lines = write(tmp_path / "gold.jsonl", line("Ada met Bob", (0, 3, "PER"), (8, 11, "PER")))
    for path in (write_docs(tmp_path / "gold.spacy", [gold]), lines, tmp_path / "gold.conll"):
        (document,) = predict(pipeline, path)
        assert {*document.gold} == {(0, 3, "PER"), (8, 11, "PER")}, path
        assert {*document.pred} == {(0, 3, "PER")}, path
    assert "span groups such as 'sc' are read from .spacy files only" in refusal(predict, pipeline, lines, "sc")


# Files of a kind that is not read

ROW = '{"text": "Ada", "spans": []}\n'
OTHER_KINDS = [
    ("a.conll", b"PK\x03\x04zip", "a.conll is a zip archive: unpack it first"),
    ("a.jsonl", ROW.encode("utf-16"), "a.jsonl is in UTF-16, expected UTF-8: convert it first, with iconv"),
    ("a.jsonl", ROW.encode("utf-32"), "a.jsonl is in UTF-32, expected UTF-8"),
    ("a.conll", "Ada B-PER\n".encode("utf-16-le"), "a.conll is in UTF-16, expected UTF-8"),
    ("a.csv", "PER\t1\t1\t1\n".encode("utf-16-be"), "a.csv is in UTF-16, expected UTF-8"),
    ("a.conll", b"# sent_id = 1\n# text = Ada\n1\tAda\n", "line 3: this is CoNLL-U: read it with --format conllu"),
    ("a.tsv", b"1\tAda\tAda\tPROPN\t_\t_\t0\troot\t_\tname=B-PER\n", "a.tsv, line 1: this is CoNLL-U"),
    ("a.jsonl", ROW.encode() + "Zoë".encode("latin1"), "a.jsonl, line 2: not valid UTF-8 ('utf-8'"),
    ("a.conll", b"a O\n" + "Zoë".encode("latin1"), "a.conll, line 2: not valid UTF-8 ('utf-8'"),
    ("a.csv", b"A\t1\t1\t1\n" + "Zoë".encode("latin1"), "a.csv, line 2: not valid UTF-8 ('utf-8'"),
    ("b.jsonl", ROW.encode() + "Zoë".encode("latin1"), "convert it first, as with iconv -f WINDOWS-1252 -t UTF-8"),
    ("b.json", b"[" + ROW.strip().encode() + ', "Zoë"]'.encode("latin1"), "convert it first, as with iconv"),
    ("c.json", b'[{"text": "Ada",, "spans": []}]', "c.json, line 1: not valid JSON (Expecting property name"),
    ("d.json", b'[[["Ada", "B-PER"], ["met", "O"]]]', "first value is [['Ada', 'B-PER'], ['met', 'O']]; expected an"),
    (
        "b.csv",
        b"Word,Tag\nAda,B-PER\n",
        "words and their tags in columns with tabs or spaces between them are read with",
    ),
]


@pytest.mark.parametrize(("name", "data", "said"), OTHER_KINDS, ids=[said[:40] for _, _, said in OTHER_KINDS])
def test_files_of_another_kind_are_named_with_the_remedy(name, data, said, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    assert said in refused("score", path, path)


LOOKS = {
    "like CoNLL-U": ("a.conll", "# B-PER\ntext O\n"),
    "numbers": ("a.conll", "1 O\n2 B-A\n"),
    "comments": ("a.conll", "# O\n= O\n"),
    "a zero, as in UTF-16": ("a.jsonl", '{"text": "Ada\\u0000", "spans": [[0, 3, "A"]]}'),
}


@pytest.mark.parametrize(("name", "text"), LOOKS.values(), ids=LOOKS)
def test_a_file_that_only_looks_like_another_kind_is_read(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    assert run("score", tmp_path / name, tmp_path / name).exit_code == 0


# Pipes


def pipe(path: Path, data: bytes) -> Path:
    """A named pipe, into which somebody writes once."""
    if not path.exists():
        os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=(data,), daemon=True).start()
    return path


@posix
@pytest.mark.parametrize(
    "command", [("score", "-m", "strict"), ("errors",), ("compare", "-m", "strict", "--trials", "20")]
)
def test_pipes_are_read_as_files_are(command, tmp_path):
    """Several times, where that is needed: the format, tokens and both sides are looked up."""
    gold, pred = write(tmp_path / "g.jsonl", *GOLD), write(tmp_path / "p.jsonl", *PRED)
    name, *options = command
    systems = (pred, pred) if name == "compare" else (pred,)
    wanted = accepted(name, gold, *systems, *options, "--format", "jsonl")
    assert accepted(name, pipe(tmp_path / "g", gold.read_bytes()), *systems, *options, "-f", "jsonl") == wanted


@posix
def test_a_pipe_that_is_written_again_is_read_again(tmp_path):
    pred = write(tmp_path / "p.jsonl", line("Ada"))
    accepted("score", pipe(tmp_path / "x", b'{"text": "Ada", "spans": []}\n'), pred, "-f", "jsonl")
    assert "differs" in refused("score", pipe(tmp_path / "x", b'{"text": "Bob", "spans": []}\n'), pred, "-f", "jsonl")


@posix
def test_process_substitution_of_a_shell_is_read(tmp_path):
    """CoNLL is read twice; a model is not looked for under the name of a pipe."""
    source, target = os.pipe()
    os.write(target, b"Ada B-PER\nmet O\n")
    os.close(target)
    conll = tmp_path / "p.conll"
    conll.write_text("Ada B-PER\nmet O\n")
    said = accepted("errors", conll, f"/dev/fd/{source}", "--format", "conll")
    os.close(source)
    assert "1 gold span, 1 predicted span" in flat(said)


@posix
def test_docs_come_from_a_pipe_too(tmp_path):
    data = write_docs(tmp_path / "g.spacy", GOLD_DOCS).read_bytes()
    assert len(read_records(pipe(tmp_path / "x", data), name="spacy")) == len(GOLD_DOCS)


@posix
@pytest.mark.parametrize("command", [("score", "-m", "strict"), ("errors",), ("count", "-o", "out.npz")])
def test_a_full_disk_of_temporary_files_names_the_pipe_and_the_folder(command, tmp_path, monkeypatch):
    import resource

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "full"))
    (tmp_path / "full").mkdir()
    monkeypatch.setattr(paths, "_folder_of_copies", lambda: SimpleNamespace(name=tmp_path / "full"))
    pred, gold = write(tmp_path / "p.jsonl", *PRED * 9), tmp_path / "g"
    os.mkfifo(gold)

    def fill() -> None:
        with suppress(BrokenPipeError):
            gold.write_bytes(pred.read_bytes())

    writer = threading.Thread(target=fill, daemon=True)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        writer.start()
        said = refused(*command, gold, pred, "-f", "jsonl")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    where = f"{tmp_path}/full, the folder for temporary files (File too large)"
    assert said == f"✘ the content of {gold} cannot be written to {where}: set TMPDIR to a folder with more space"
    assert not [*(tmp_path / "full").rglob("?")]


@posix
def test_a_pipe_that_could_not_be_copied_is_not_opened_again(tmp_path, monkeypatch):
    def fails(path: Path) -> Path:
        opened.append(path)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    opened: list[Path] = []
    monkeypatch.setattr(paths, "_copy", fails)
    os.mkfifo(tmp_path / "g")
    for _ in range(2):
        with pytest.raises(OSError, match="No space left on device"):
            paths.readable_file(tmp_path / "g")
    assert opened == [tmp_path / "g"]


# Which documents of two files are a pair: by id if all of them have ids, else by their order


def id_of(letter: str) -> str | None:
    return None if letter == "-" else letter


def side(*ids: str, skipped: str = "") -> list[Record]:
    """A document for each letter, which is its id; it has none if it is a hyphen."""
    return [Record("text", set(), id=id_of(id), annotated=id not in skipped) for id in ids]


def paired(golds: list[Record], preds: list[Record]) -> list[tuple[str | None, str | None]]:
    return [(gold.id, pred.id) for gold, pred in Pairing("G", "P").pairs(iter(golds), iter(preds))]


@pytest.mark.parametrize("order", itertools.permutations("abcd"))
def test_documents_with_ids_are_paired_in_any_order(order):
    assert paired(side(*"abcd"), side(*order)) == [(id, id) for id in "abcd"]
    assert paired(side(*order), side(*"abcd")) == [(id, id) for id in order]


def test_documents_with_one_id_keep_their_order():
    golds = [Record(str(k), set(), id=id) for k, id in enumerate("aba")]
    preds = [Record(str(k), set(), id=id) for k, id in enumerate("baa")]
    found = [(gold.text, pred.text) for gold, pred in Pairing("G", "P").pairs(iter(golds), iter(preds))]
    assert found == [("0", "1"), ("1", "0"), ("2", "2")]


def test_only_predictions_that_come_too_early_are_held():
    """Files in one order are read side by side, however long they are."""
    read: list[str] = []

    def noted(name: str, ids: str):
        for record in side(*ids):
            read.append(name + str(record.id))
            yield record

    for _ in Pairing("G", "P").pairs(noted("g", "abc"), noted("p", "abc")):
        pass
    assert read == ["ga", "pa", "gb", "pb", "gc", "pc"]


APART = "no id is in both: give each text the same id in both, or remove the ids from one of them to pair by order"


MISSING = [
    ("abc", "ab", "P lacks 1 document: c"),
    ("ab", "abc", "G lacks 1 document: c"),
    ("abx", "aby", "P lacks 1 document: x; G lacks 1 document: y"),
    ("aab", "ab", "P lacks 1 document: a"),
    ("abcdefg", "g", "P lacks 6 documents: a, b, c, d, e, ..."),
    ("ab", "", "P lacks 2 documents: a, b"),
    ("ab", "xy", f"P lacks 2 documents: a, b; G lacks 2 documents: x, y; {APART}"),
]


@pytest.mark.parametrize(("golds", "preds", "said"), MISSING)
def test_missing_and_surplus_documents_are_named(golds, preds, said):
    remedy = "; missing_tokens='O' reads their tokens as outside of spans" * ("G lacks" not in said and bool(preds))
    assert refusal(paired, side(*golds), side(*preds)) == said + remedy


def test_a_document_that_is_not_annotated_may_be_missing():
    assert paired(side(*"abc", skipped="b"), side(*"ca")) == [("a", "a"), ("b", "b"), ("c", "c")]
    assert paired(side(*"ac"), side(*"xca", skipped="x")) == [("a", "a"), ("c", "c")]


@pytest.mark.parametrize(("golds", "preds"), [("--", "--"), ("ab", "--"), ("--", "ab"), ("a-", "ab")])
def test_without_all_ids_documents_are_paired_by_order(golds, preds):
    assert paired(side(*golds), side(*preds)) == [(id_of(a), id_of(b)) for a, b in zip(golds, preds)]


@pytest.mark.parametrize(
    ("golds", "preds"), [("ab-", "ba-"), ("a-", "b-"), ("-a", "-b"), ("ab", "ba-"), ("ab-", "bac")]
)
def test_ids_that_contradict_the_order_are_refused(golds, preds):
    with pytest.raises(ValueError, match=r"some documents have no id, .* document \d is [ab] in G and [ab] in P: give"):
        paired(side(*golds), side(*preds))


def test_texts_of_documents_that_are_skipped_are_compared(tmp_path):
    gold = write(tmp_path / "g.jsonl", line("Ada"), line("Bob", answer="reject"))
    pred = write(tmp_path / "p.jsonl", line("Ada"), line("Eve"))
    assert "document 1: the predicted text differs" in refused("score", gold, pred)


# Results are written whole or not at all


def test_what_is_written_is_read_back_with_all_digits_and_letters(tmp_path):
    gold, pred = [(0, 5, "Ä"), (8, 9, "B"), (10, 11, "B")], [(0, 4, "Ä"), (8, 9, "B")]
    result = {"third": 1 / 3, "tiny": 1e-13, "near one": 1 - 2**-53, "none": None, **score([Document(gold, pred)])}
    write_json(tmp_path / "out.json", result)
    text = (tmp_path / "out.json").read_text(encoding="utf8")
    assert json.loads(text) == result
    assert text.endswith("}\n") and len(text.splitlines()) > 20


@posix
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "kept").mkdir()
    link = tmp_path / "out.json"
    link.symlink_to(tmp_path / "kept" / "out.json")
    for value in (1, 2):
        write_json(link, value)
        assert link.is_symlink() and json.loads((tmp_path / "kept" / "out.json").read_text()) == value


@posix
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
        with pytest.raises(ValueError), atomic_file(path) as stream:
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


@posix
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
