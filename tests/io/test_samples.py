"""The same text with the same spans is read from every format."""

from __future__ import annotations

import pytest
from reading import only, read
from samples import FORMS, SAMPLES, SPANS, TEXT, write_sample

from spacy_nereval.io.formats import format_names, name_of

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


def test_there_is_a_sample_of_every_format():
    older = {"spacy", "conll", "faireval"}  # which the corpus of test_formats has
    assert {*format_names()} - older == {format for format, _, _ in SAMPLES.values()}
