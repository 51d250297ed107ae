"""Damaged files: every reader gives the right result, or one line with the name of the file.

`--hypothesis-profile=long` tries many more.
"""

import json
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import writers
from compressed import packed
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import only, read
from samples import FORMS, SAMPLES, SPANS, TEXT, write_sample

from spacy_nereval.core.keys import read_keys
from spacy_nereval.core.plugins import readers
from spacy_nereval.core.spans import Document
from spacy_nereval.io.formats import AUTO, USERS, format_names, name_of, records, used_fields
from spacy_nereval.io.formats.settings import Format
from spacy_nereval.io.paths import error_message
from spacy_nereval.io.read import read_files

SIDES = [
    writers.Side(
        (("Ada", "met", "Bob", "."), ("In", "New", "York")), frozenset({(0, 1, "A"), (2, 3, "B"), (5, 7, "A")})
    ),
    writers.Side((("é", "😀"),), frozenset({(1, 2, "a-b")})),
    writers.Side((("nothing",),), frozenset()),
]

OF_PEOPLE = {
    "numbered": ("# id 1 x=y\n1\tAda\tB-A\t-\tann\n2\tmet\tO\t-\tann\n\n1\tBob\tS-A\t-\tann\n", "a.conll"),
    "header": ("TOKEN\tNE\tMISC\n# document = a\nAda\tB-A\t_\nmet\tM-A\tx\nBob\tE-A\t_\n\u200b\n", "a.tsv"),
    "old lines": ("\ufeffAda PER\rmet O\r\rBob PER\r", "a.iob"),
    "text": ("EU NNP B-NP B-ORG\nrejects VBZ B-VP O\n", "a.txt"),
}
"""Columns as people have them."""


def of_people(data: str) -> Callable:
    """Write a file that has no other content."""

    def write(path: Path, _: list[writers.Side]) -> Path:
        path.write_bytes(data.encode())
        return path

    return write


KEYS = read_keys("text=content,id=no,spans=ann.items,start=at.0,length=n,label=kind.name,score=p,surface=what")
"""A map of keys that reaches into objects and lists."""


def mapped(path: Path, corpus: list[writers.Side]) -> Path:
    """Write documents that only this map reads."""
    rows = []
    for side in corpus:
        spans = [
            {"at": [a, b], "n": b - a, "kind": {"name": label}, "p": 0.5, "what": side.text[a:b]}
            for a, b, label in side.offsets
        ]
        rows.append({"content": side.text, "no": len(rows), "ann": {"items": spans}})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf8")
    return path


MAPS = {"a map of keys": KEYS}
"""The map of each file that needs one."""

WRITERS: dict[str, tuple[Callable, str]] = {
    "a map of keys": (mapped, "a.jsonl"),
    "ours": (writers.jsonl(writers.ours), "a.jsonl"),
    "prodigy": (writers.jsonl(writers.prodigy), "a.jsonl"),
    "doccano": (writers.jsonl(writers.doccano), "a.jsonl"),
    "triples": (writers.jsonl(writers.triples("entities")), "a.jsonl"),
    "other names": (writers.jsonl(writers.other_names), "a.jsonl"),
    "a JSON list": (writers.json_list(writers.other_names), "a.json"),
    "names by label": (writers.jsonl(writers.by_label), "a.jsonl"),
    "answers": (writers.jsonl(writers.answer), "a.jsonl"),
    "marked answers": (writers.jsonl(writers.marked_answer), "a.jsonl"),
    "IOB1": (writers.conll("IOB1"), "a.conll"),
    "BILUO": (writers.conll("BILUO", marked=False), "a.iob"),
    "brat folder": (writers.brat, "a"),
    "faireval": (writers.faireval, "a.csv"),
    "spacy": (writers.write_spacy, "a.spacy"),
    **{name: (of_people(data), file) for name, (data, file) in OF_PEOPLE.items()},
    "compressed": (lambda path, sides: packed(writers.jsonl(writers.ours)(path, sides), ".gz"), "a.jsonl"),
}
"""A small file of each format that has no sample, or has others than its sample."""


def written(name: str, folder: Path) -> Path:
    """One of these files, or a sample."""
    if name in SAMPLES:
        return write_sample(name, folder)
    write, file = WRITERS[name]
    return write(folder / file, SIDES)


"""A small file of each format."""

ASKED: set[str] = set()


class Watched(Format):
    """How to read a file; what a reader looks at goes to `ASKED`."""

    def __getattribute__(self, name: str) -> Any:
        if name in USERS:
            ASKED.add(name)
        return super().__getattribute__(name)


@pytest.mark.parametrize("name", [*SAMPLES, *WRITERS])
def test_a_reader_looks_at_the_fields_that_concern_its_format(name, tmp_path):
    """What `USERS` declares: an argument that concerns none of the files is refused, and others change what is read."""
    path = written(name, tmp_path)
    format = "jsonl" if name in MAPS else SAMPLES.get(name, (None,))[0] or name_of(path)
    how = Watched(format, keys=MAPS.get(name), offsets="codepoint" if name == "doccano" else None, repair="conll")
    ASKED.clear()
    assert [*records(path, None, how)]
    generic = {"offsets", "end"} | {field for field, (_, users) in USERS.items() if users is None}
    assert ASKED - generic <= {*used_fields(format)}, format


HARMFUL = (
    *(b"\xff\xfe", b"\xef\xbb\xbf", *(bytes([each]) for each in b'\x00\r\n\t "[]{},:\\')),
    *b'-1 0 99999999999999999999 1e400 NaN null true "" [] {} \xf0\x9f\x98\x80'.split(),
    *(b"O", b"B-", b"-DOCSTART-", b"T1", b";", b"\xed\xa0\x80", b"\x1f\x8b", b"\\ud800", b"[" * 3000, b"9" * 5000),
)
"""What tends to break parsers."""


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Bytes, lines and stretches that are changed, left out, repeated or moved."""
    for _ in range(draw(st.integers(1, 4))):
        way = draw(st.sampled_from(("byte", "insert", "leave out", "repeat", "cut", "line", "swap", "replace")))
        lines = data.split(b"\n")
        a, b = sorted(draw(st.integers(0, len(data))) for _ in range(2))
        i, j = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        if way == "byte":
            data = data[:a] + bytes([draw(st.integers(0, 255))]) + data[a + 1 :]
        elif way == "insert":
            data = data[:a] + draw(st.sampled_from(HARMFUL)) + data[a:]
        elif way == "replace":
            data = data[:a] + draw(st.sampled_from(HARMFUL)) + data[min(b, a + 9) :]
        elif way == "leave out":
            data = data[:a] + data[b:]
        elif way == "repeat":
            data = data[:b] + data[a:b] + data[b:]
        elif way == "cut":
            data = data[:a]
        elif way == "line":
            data = b"\n".join([*lines[:i], lines[j], *lines[i:]])
        else:
            lines[i], lines[j] = lines[j], lines[i]
            data = b"\n".join(lines)
    return data


def check_outcome(read: Callable[[], object], path: Path) -> None:
    """A result, or an error that a command prints as one line with the name of the file."""
    try:
        read()
    except (ValueError, OSError) as error:
        assert path.name in error_message(error), error
        assert len(error_message(error)) < 2000, "what is shown of a file has to be short"


def check_documents(path: Path, offsets: str | None = None, name: str | None = None, **more: Any) -> None:
    """What is read has to be sound: a file against itself is all hits."""
    wanted = {"offsets": offsets, "repair": "conll", "discontinuous": "hull", "missing_tokens": "O"}
    used = used_fields(name or name_of(path))
    how = Format(name, **{field: value for field, value in wanted.items() if field in used}, **more)
    for document in read_files(path, path, formats=(how, how)):
        assert document is None or isinstance(document, Document)
        if document is not None and not document.ignored:
            assert document.hits == {*document.gold} == {*document.pred}
            assert all(0 <= start <= end <= len(document.text or "") for start, end, _ in document.gold)


def check_damaged(name: str, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = written(name, Path(folder))
        part = data.draw(st.sampled_from(sorted(part for part in Path(folder).rglob("*.*") if part.is_file())))
        part.write_bytes(data.draw(damaged(part.read_bytes())))
        offsets, format = data.draw(st.sampled_from([None, "utf16", "auto"])), SAMPLES.get(name, (None,))[0]
        format = "jsonl" if name in MAPS else format
        end, scheme = (
            data.draw(st.sampled_from([None, "inclusive"])),
            data.draw(st.sampled_from(["auto", "IO", "BMES"])),
        )
        more = {"end": end, "scheme": scheme, "keys": MAPS.get(name)}
        check_outcome(lambda: check_documents(path, offsets, format, **more), path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*(answers cannot be read|are paired by text)")
@pytest.mark.parametrize("name", WRITERS)
@tries(110)
@given(st.data())
def test_damaged_files_are_read_or_named(name, data):
    check_damaged(name, data)


@pytest.mark.parametrize("name", SAMPLES)
@tries(15)
@given(st.data())
def test_damaged_samples_are_read_or_named(name, data):
    check_damaged(name, data)


def test_every_reader_of_this_package_is_given_damaged_files(tmp_path):
    """And files that are sound before they are damaged."""
    points = entry_points(group=readers.entry_point_namespace)
    own = {point.name for point in points if point.value.startswith("spacy_nereval.")}
    of_samples, of_writers = {format for format, _, _ in SAMPLES.values()}, set()
    for name in WRITERS:
        (tmp_path / name).mkdir()
        path = written(name, tmp_path / name)
        format = "jsonl" if name in MAPS else name_of(path)
        of_writers.add(format)
        check_documents(path, "codepoint", format, keys=MAPS.get(name))
    assert own - {AUTO} == of_writers | of_samples
    assert {*format_names()} - {"spacy", "conll", "faireval"} == of_samples, "whose corpus test_formats.py has"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["start", "end", "label", "text"]), inner)
    ),
    max_leaves=8,
)


@tries(250)
@given(st.dictionaries(st.sampled_from(["text", "spans", "label", "tokens", "id", "answer", "meta"]), VALUES), VALUES)
def test_lines_of_any_json_are_read_or_named(row, value):
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl")
        for entry in (row, {"text": "Ada", **row}, {"text": "Ada", "spans": [value]}, value):
            path.write_text(json.dumps(entry) + "\n")
            check_outcome(lambda: check_documents(path), path)


PATHS = st.sampled_from(["text", "start", "0", "1", "spans", "label"])
PARTS = st.sampled_from(["text", "spans", "start", "end", "length", "label", "surface", "score", "id", "documents"])


@tries(150)
@given(
    st.dictionaries(PARTS, st.lists(PATHS, min_size=1, max_size=3).map(".".join), min_size=1, max_size=4),
    st.dictionaries(st.sampled_from(["text", "spans", "label", "start"]), VALUES),
    VALUES,
)
def test_any_map_of_keys_reads_any_json_or_names_the_file(parts, row, value):
    if {"end", "length"} <= parts.keys():
        return
    keys = read_keys(parts)
    with TemporaryDirectory() as folder:
        for name, entry in (("a.jsonl", {"text": "Ada", **row}), ("a.json", [{"text": "Ada", "spans": [value]}, row])):
            path = Path(folder, name)
            path.write_text(json.dumps(entry) + "\n")
            check_outcome(lambda path=path: check_documents(path, None, "jsonl", keys=keys), path)


WRITTEN = {'"': ["``", "''", "“", "&quot;"], "(": ["-LRB-", "（"], "é": ["e\u0301"], "-": ["–", "--"], "A": ["Ａ", "a"]}
"""Other ways to write a character."""


@tries(150)
@given(st.data())
def test_texts_that_differ_are_aligned_or_named_whatever_else_is_damaged(data):
    """What is aligned has spans in gold's text; and a text that only writes characters otherwise is aligned."""
    text = data.draw(st.text(alphabet="".join(WRITTEN) + " abc\u200b", min_size=1, max_size=12))
    other, places = "", []
    for character in text:
        ways = [character, *WRITTEN.get(character, ())]
        part = data.draw(st.sampled_from(ways))
        places.append((len(other), len(other) + len(part)))
        other += part
    first, last = sorted(data.draw(st.integers(0, len(text) - 1)) for _ in range(2))
    sides = (text, [first, last + 1, "A"]), (other, [places[first][0], places[last][1], "A"])
    with TemporaryDirectory() as folder:
        paths = [Path(folder, "a.jsonl"), Path(folder, "b", "a.jsonl")]
        paths[1].parent.mkdir()
        for path, (written_text, span) in zip(paths, sides):
            path.write_text(json.dumps({"text": written_text, "spans": [span]}) + "\n")
        missing = data.draw(st.sampled_from([None, "O"]))
        how = Format(match_text="normalised", missing_tokens=missing)

        def check() -> None:
            for document in read_files(*paths, formats=(how, how)):
                assert all(0 <= a <= b <= len(text) for a, b, _ in (*document.gold, *document.pred))

        check()
        paths[1].write_bytes(data.draw(damaged(paths[1].read_bytes())))
        check_outcome(check, paths[1])


# The same text with the same spans is read from every format


WANTED = [(TEXT[a:b], label) for a, b, label in SPANS]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_is_the_same_in_every_format(name, tmp_path):
    path = write_sample(name, tmp_path)
    assert name_of(path) == SAMPLES[name][0]
    found = only(path)
    assert "".join(found.text.split()) == "".join(TEXT.split())
    assert [(found.text[a:b], label) for a, b, label in sorted(found.spans)] == WANTED
    assert found.annotated and not (found.gaps or found.repaired or found.duplicates or found.rejected)
    if found.tokens:
        assert [found.text[a:b] for a, b in found.tokens] == FORMS
    assert read(path, name=SAMPLES[name][0]) == [found]
