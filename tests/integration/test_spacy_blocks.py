"""A `.spacy` file is read in blocks: the same Docs as spaCy reads, in memory that does not grow with the file."""

import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import srsly
from commands import run
from docs import doc, nlp, write_docs
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from refusals import refused_with
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

from spacy_nereval import count, create_all
from spacy_nereval.integration import pipelines, spacy_files
from spacy_nereval.integration.spacy_files import read_docs


@pytest.fixture(autouse=True)
def in_blocks(monkeypatch):
    """Small files too."""
    monkeypatch.setattr(spacy_files, "WHOLE", 0)


@pytest.fixture(params=[(1, 1, 1), (3, 7, 100), (1 << 10, 1 << 17, 1 << 16)])
def sizes(request, monkeypatch):
    """Small blocks, and few bytes at a time, as well as the usual ones."""
    for name, size in zip(("DOCUMENTS", "TOKENS", "COMPRESSED"), request.param):
        monkeypatch.setattr(spacy_files, name, size)
    monkeypatch.setattr(spacy_files, "READ", max(1, request.param[2] // 2))


def varied() -> list[Doc]:
    """Docs of all lengths, with everything that a DocBin keeps."""
    docs = [doc(" ".join(f"word{k * n % 11}" for k in range(n)), (0, 1, f"L{n}")) for n in (*range(1, 12), 40, 2, 1)]
    docs[4] = doc("")
    docs[5] = doc("the_|U.|K. wins", (1, 3, "GPE"), spans={"sc": [(0, 2, "ORG")]})
    docs[6] = Doc(nlp.vocab, words=["no", "spaces", "known"])
    docs[7].cats = {"news": 0.5, "sports": True}
    for number, each in enumerate(docs):
        each.user_data["id"] = f"document {number}"
    return docs


def all_of(found: Doc) -> dict[str, Any]:
    """Everything that a file keeps of a Doc."""
    return found.to_json() | {
        "array": found.to_array(["ORTH", "ENT_IOB", "ENT_TYPE", "SPACY"]).tolist(),
        "unknown": found.has_unknown_spaces,
        "user_data": found.user_data,
        "groups": {key: [(s.start, s.end, s.label_) for s in group] for key, group in found.spans.items()},
    }


@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize("user_data", [True, False])
def test_the_docs_are_those_that_spacy_reads(tmp_path, user_data):
    path = tmp_path / "a.spacy"
    DocBin(docs=varied(), store_user_data=user_data).to_disk(path)
    expected = [all_of(each) for each in DocBin().from_disk(path).get_docs(Vocab())]
    assert [all_of(each) for each in read_docs(path)] == expected
    assert len(expected) == 14


def test_only_large_files_are_read_in_blocks(tmp_path, monkeypatch):
    path = write_docs(tmp_path / "a.spacy", varied())
    monkeypatch.setattr(spacy_files, "parts_of", lambda *_: pytest.fail("read in blocks"))
    unpacked = len(zlib.decompress(path.read_bytes()))
    monkeypatch.setattr(spacy_files, "WHOLE", unpacked)
    assert len([*read_docs(path)]) == 14
    monkeypatch.setattr(spacy_files, "WHOLE", unpacked - 1)
    with refused_with(pytest.fail.Exception, "read in blocks"):
        next(read_docs(path))


def test_a_file_without_documents_has_none(tmp_path):
    assert [*read_docs(write_docs(tmp_path / "a.spacy", []))] == []


def contents(docs: list[Doc]) -> dict[str, Any]:
    return srsly.msgpack_loads(zlib.decompress(DocBin(docs=docs, store_user_data=True).to_bytes()))


def written(path: Path, found: dict[str, Any], more: bytes = b"") -> Path:
    path.write_bytes(zlib.compress(srsly.msgpack_dumps(found) + more))
    return path


@pytest.mark.usefixtures("sizes")
def test_files_of_older_versions_lack_some_parts_and_newer_ones_may_have_others_in_another_order(tmp_path):
    found = contents(varied())
    for name in ("span_groups", "flags", "user_data"):
        del found[name]
    backwards = {"new": {"any": ["thing"]}} | dict(reversed(found.items()))
    docs = [*read_docs(written(tmp_path / "a.spacy", backwards))]
    assert [each.text for each in docs[:4]] == [each.text for each in varied()[:4]]
    assert [len(each) for each in docs] == [len(each) for each in varied()]
    assert docs[7].cats == {"news": 0.5, "sports": True}
    assert not any(each.user_data or each.spans for each in docs)


def test_user_data_may_end_before_the_documents(tmp_path):
    found = contents(varied())
    found["user_data"] = found["user_data"][:3]
    docs = [*read_docs(written(tmp_path / "a.spacy", found))]
    assert [each.user_data.get("id") for each in docs[:5]] == ["document 0", "document 1", "document 2", None, None]


DAMAGED = {
    "tokens": lambda data: data[:-8],
    "spaces": lambda data: data + b"\1",
    "lengths": lambda data: np.frombuffer(data, np.int32)[::-1].tobytes() + b"\1\0\0\0",
    "attrs": lambda data: data[:-1],
    "strings": lambda data: data[:1],
    "cats": lambda data: data[:3],
    "flags": lambda data: data[:3],
    "span_groups": lambda data: data[:3],
}


@pytest.mark.parametrize("part", DAMAGED)
def test_parts_that_do_not_fit_each_other_or_are_missing_are_a_damaged_file(tmp_path, part):
    found = contents(varied())
    found[part] = DAMAGED[part](found[part])
    with pytest.raises(ValueError, match=r"a\.spacy is a damaged \.spacy file \("):
        [*read_docs(written(tmp_path / "a.spacy", found))]
    del found[part]
    if part in ("tokens", "spaces", "lengths", "cats", "attrs"):
        with pytest.raises(ValueError, match=r"is not a \.spacy file"):
            [*read_docs(written(tmp_path / "a.spacy", found))]


@pytest.mark.parametrize("length", [-1, 1 << 30])
def test_lengths_that_cannot_be_are_found_before_memory_is_taken(tmp_path, length):
    found = contents(varied())
    lengths = np.frombuffer(found["lengths"], np.int32).copy()
    lengths[1] = length
    with pytest.raises(ValueError, match="the lengths of the documents do not fit their tokens"):
        [*read_docs(written(tmp_path / "a.spacy", found | {"lengths": lengths.tobytes()}))]


def test_a_file_that_goes_on_or_ends_too_early_is_not_a_file_of_docs(tmp_path):
    path = written(tmp_path / "a.spacy", contents(varied()), b"\0")
    with pytest.raises(ValueError, match=r"is not a \.spacy file"):
        [*read_docs(path)]
    data = write_docs(path, varied()).read_bytes()
    for end in range(0, len(data), 97):
        path.write_bytes(data[:end])
        with pytest.raises(ValueError, match=r"is not a \.spacy file"):
            [*read_docs(path)]


@tries(100)
@given(st.data())
def test_a_damaged_file_is_an_error_that_names_the_file_or_gives_all_docs(tmp_path_factory, data):
    """Where the damage is inside the compressed data, or in what they hold."""
    path = tmp_path_factory.mktemp("damaged") / "a.spacy"
    packed = bytearray(srsly.msgpack_dumps(contents(varied()[:6])))
    packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(zlib.compress(packed))
    try:
        assert len([*read_docs(path)]) <= 6
    except ValueError as error:
        assert str(path) in str(error)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path, monkeypatch):
    """All sizes are smaller than usual, and so is the file."""
    for name, size in {"DOCUMENTS": 8, "COMPRESSED": 1 << 10, "READ": 1 << 12}.items():
        monkeypatch.setattr(spacy_files, name, size)
    text = doc(" ".join(f"word{k}" for k in range(100)), (0, 1, "A"))
    peaks = []
    for number in (32, 256):
        path = tmp_path / f"{number}.spacy"
        DocBin(docs=[text] * number, store_user_data=True).to_disk(path)
        sum(len(found) for found in read_docs(path))  # whatever is made at the first use
        tracemalloc.start()
        assert sum(len(found) for found in read_docs(path)) == 100 * number
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    decompressed = len(zlib.decompress(path.read_bytes()))
    assert peaks[1] < peaks[0] + 50_000 < decompressed / 2


def test_strings_that_would_fill_the_memory_are_refused_with_advice(tmp_path, monkeypatch):
    path = write_docs(tmp_path / "a.spacy", [doc(f"new{n} word{n}") for n in range(100)])
    strings = len(DocBin().from_disk(path).strings)
    size = strings * spacy_files.PER_STRING / spacy_files.SHARE
    monkeypatch.setattr(spacy_files, "machine_memory", lambda: size)
    assert len([*read_docs(path)]) == 100
    monkeypatch.setattr(spacy_files, "machine_memory", lambda: size / 4)
    done = run("score", path, path)
    assert done.exit_code == 2
    said = f"✘ {path} has {strings} different strings, which take about 0.0 GiB of memory; one file may take 0.0 GiB"
    assert done.stderr == f"{said} on this machine: write it as several files, of about 25 documents each\n"


# Reading takes a vocabulary and no more


def test_reading_makes_no_pipeline_for_which_spacy_would_import_every_package_that_extends_it(tmp_path, monkeypatch):
    path = write_docs(tmp_path / "a.spacy", [doc("Ada met İbo", (0, 1, "PER"))])
    monkeypatch.setattr(Language, "__init__", lambda *_, **__: pytest.fail("a pipeline was made"))
    (found,) = read_docs(path)
    assert [(ent.text, ent.label_) for ent in found.ents] == [("Ada", "PER")]


def test_words_have_the_attributes_that_a_pipeline_without_components_gives_them(tmp_path):
    made = doc("Ada's 12 İbo ab.c U.K. don’t")
    (found,) = read_docs(write_docs(tmp_path / "a.spacy", [made]))
    vocab = spacy.blank("xx").vocab
    for token in found:
        alike = vocab[token.text]
        for name in ("lower_", "norm_", "shape_", "prefix_", "suffix_", "lang_", "is_stop", "is_alpha", "like_num"):
            assert getattr(found.vocab[token.text], name) == getattr(alike, name), (token.text, name)


# Documents of a file with the predictions of a pipeline


def test_a_pipeline_forgets_on_its_way_the_words_that_were_new_to_it(tmp_path, monkeypatch):
    """But not those of its first documents, with which components may have set themselves up."""
    noted: dict[str, int] = {}

    def tag(doc):
        label = noted.setdefault("label", doc.vocab.strings.add("PER"))
        doc.set_ents([Span(doc, 2, 3, label=label)])
        return doc

    monkeypatch.setattr(pipelines, "BLOCK", 2)
    Language.component("tag_of_test", func=tag)
    nlp = spacy.blank("en")
    nlp.add_pipe("tag_of_test")
    nlp.batch_size, known, documents = 1, [], []
    data = write_docs(tmp_path / "data.spacy", [doc(f"unheard{k} of Ada", (0, 1, "ORG")) for k in range(7)])
    for document in pipelines.predict(nlp, data):
        known.append(sum(string.startswith("unheard") for string in nlp.vocab.strings))
        documents.append(document)
    assert known == [1, 2, 3, 4, 3, 4, 3]
    # Nothing that was forgotten is asked for.
    assert [(d.text, d.gold, d.pred) for d in documents] == [
        (f"unheard{k} of Ada", ((0, 8, "ORG"),), ((12, 15, "PER"),)) for k in range(7)
    ]
    assert count(documents, create_all()).pred == 7
    # Of the next file nothing is kept.
    more = write_docs(tmp_path / "more.spacy", [doc(f"unknown{k} of Ada", (0, 1, "ORG")) for k in range(3)])
    assert len(list(pipelines.predict(nlp, more))) == 3
    assert not any(string.startswith("unknown") for string in nlp.vocab.strings)
    with nlp.memory_zone():  # which must not be nested
        assert len(list(pipelines.predict(nlp, more))) == 3
        assert "unknown0" in nlp.vocab.strings
