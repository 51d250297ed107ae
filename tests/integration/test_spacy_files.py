"""Reading `.spacy` files takes a vocabulary and no more."""

from __future__ import annotations

import pytest
import spacy
from docs import doc, write_docs
from spacy.language import Language
from spacy.tokens import Span

from spacy_nereval import count, create_all
from spacy_nereval.integration import pipelines
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


# Documents of a file with the predictions of a pipeline


def test_a_pipeline_forgets_on_its_way_the_words_that_were_new_to_it(tmp_path, monkeypatch):
    """But not those of its first documents, with which components may have set themselves up."""
    noted: dict[str, int] = {}

    def tag(doc):
        label = noted.setdefault("label", doc.vocab.strings.add("PER"))
        doc.set_ents([Span(doc, 2, 3, label=label)])
        return doc

    monkeypatch.setattr(pipelines, "FORGOTTEN", 2)
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
