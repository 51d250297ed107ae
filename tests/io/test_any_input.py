"""Whatever is in a file is documents, or an error that says where."""

from __future__ import annotations

import copy
import json
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import srsly
from docs import doc
from hypothesis import example, given
from hypothesis import strategies as st
from profiles import tries
from spacy.tokens import DocBin

from spacy_nereval import Document, score
from spacy_nereval.integration.spacy_files import read_docs
from spacy_nereval.io.read import read_files, records


def parts_of_a_file_of_docs() -> dict[str, Any]:
    return srsly.msgpack_loads(zlib.decompress(DocBin(docs=[doc("unheard-of words", (0, 1, "NEW"))]).to_bytes()))


@pytest.mark.parametrize("damage", [{"strings": []}, {"flags": []}, {"cats": []}])
def test_a_damaged_file_of_docs_is_an_error_that_names_the_file(tmp_path, damage):
    path = tmp_path / "a.spacy"
    path.write_bytes(zlib.compress(srsly.msgpack_dumps(parts_of_a_file_of_docs() | damage)))
    with pytest.raises(ValueError) as raised:
        list(records(path))
    assert str(path) in str(raised.value)


@tries(60)
@given(st.binary(max_size=40))
def test_any_bytes_are_docs_or_an_error_that_names_the_file(data):
    with TemporaryDirectory() as directory:
        path = Path(directory) / "a.spacy"
        path.write_bytes(data)
        with pytest.raises(ValueError) as raised:
            list(read_docs(path))
        assert str(path) in str(raised.value)


SOUND = {
    "text": "abc de",
    "spans": [{"start": 0, "end": 3, "label": "A"}, {"start": 4, "end": 6, "label": "B"}],
    "tokens": [{"start": 0, "end": 3}, {"start": 4, "end": 6}],
    "id": "x",
}


scalars = st.none() | st.booleans() | st.integers(-2, 9) | st.floats() | st.sampled_from(["", "0", "a", "abc de"])


anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)


@st.composite
def unsound(draw: st.DrawFn) -> Any:
    """A sound entry with something in it replaced or left out."""
    entry = copy.deepcopy(SOUND)
    inside, key = entry, draw(st.sampled_from(["text", "spans", "spans", "spans", "tokens", "tokens", "tokens", "id"]))
    while isinstance(inside[key], (list, dict)) and draw(st.integers(0, 3)):
        inside = inside[key]
        key = draw(st.sampled_from(range(len(inside)) if isinstance(inside, list) else sorted(inside)))
    if draw(st.booleans()):
        inside[key] = draw(anything)
    else:
        del inside[key]
    return entry


@tries(150)
@given(unsound() | anything)
@example(SOUND)
@example(SOUND | {"tokens": [{"start": None, "end": 3}]})
@example(SOUND | {"tokens": [{"start": [0], "end": 3}]})
def test_any_line_is_a_document_or_an_error_that_says_where(entry):
    with TemporaryDirectory() as directory:
        path = Path(directory) / "a.jsonl"
        path.write_text(json.dumps(entry), encoding="utf8")
        try:
            (found,) = read_files(path, path)
        except ValueError as error:
            assert f"{path}, line 1: " in str(error)
        else:
            assert isinstance(found, Document)
            score([found], {"fair": {"unit": "token"}, "wrf": {}} if found.tokens else None)


@tries(60)
@given(st.binary(max_size=20))
def test_any_bytes_are_lines_or_an_error_that_says_where(data):
    with TemporaryDirectory() as directory:
        path = Path(directory) / "a.jsonl"
        path.write_bytes(data)
        try:
            found = list(records(path))
        except ValueError as error:
            kinds = ("is in UTF-16", "is compressed by gzip", "is a zip archive")
            assert any(f"{path}{said}" in str(error) for said in (", line ", *(f" {kind}" for kind in kinds)))
        else:
            assert found == []
