"""Reading `.spacy` files takes a vocabulary and no more."""

from __future__ import annotations

import pytest
import spacy
from docs import doc, write_docs
from spacy.language import Language

from spacy_nereval.integration.spacy_files import read_docs


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
