"""The component `nereval_cut` keeps the spans of a group whose scores are at least their cut."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, SpanGroup

from spacy_nereval.core.cuts import Cuts
from spacy_nereval.integration.detach import detach
from spacy_nereval.io.cut_files import save_cuts

FOUND = [(0, 1, "PER", 0.9), (1, 2, "LOC", 0.5), (2, 3, "PER", 0.25), (3, 4, "ORG", 0.75)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    save_cuts(tmp_path / "cuts.json", Cuts(0.75, {"PER": 0.25, "ORG": None}, "strict.f", 0.1, 3, "s"))
    return tmp_path / "cuts.json"


def grouped(nlp: Language, key: str = "sc", **attrs: Any) -> Doc:
    doc = nlp.make_doc("Ada met Bob here")
    spans = [doc[start:end] for start, end, _, _ in FOUND]
    for span, (*_, label, _) in zip(spans, FOUND):
        span.label_ = label
    scores = np.array([score for *_, score in FOUND], dtype="float32")
    doc.spans[key] = SpanGroup(doc, name=key, spans=spans, attrs={"scores": scores, **attrs})
    return doc


def cutting(**config: Any) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("nereval_cut", config=config)
    return nlp


def kept(doc: Doc, key: str = "sc") -> list[tuple[str, float]]:
    group = doc.spans[key]
    return [(span.label_, float(score)) for span, score in zip(group, group.attrs["scores"], strict=True)]


def test_the_cut_of_each_label(file: Path) -> None:
    nlp = cutting(cut=str(file))
    (doc,) = nlp.pipe([grouped(nlp, model="m")])
    assert kept(doc) == [("PER", pytest.approx(0.9)), ("PER", 0.25)]
    assert doc.spans["sc"].attrs["model"] == "m"
    assert doc.spans["sc"].name == "sc"


def test_cuts_in_the_config() -> None:
    nlp = cutting(default=0.6, labels={"LOC": 0.5}, spans_key="x")
    doc = nlp.get_pipe("nereval_cut")(grouped(nlp, "x"))
    assert [label for label, _ in kept(doc, "x")] == ["PER", "LOC", "ORG"]


def test_a_pipeline_on_disk_has_the_cuts(file: Path, tmp_path: Path) -> None:
    nlp = cutting(cut=str(file))
    nlp.to_disk(tmp_path / "model")
    file.unlink()
    for loaded in (
        spacy.load(tmp_path / "model"),
        spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes()),
    ):
        doc = loaded.get_pipe("nereval_cut")(grouped(loaded))
        assert [label for label, _ in kept(doc)] == ["PER", "PER"]
    assert json.loads((tmp_path / "model" / "nereval_cut" / "cuts.json").read_text())["labels"] == {
        "PER": 0.25,
        "ORG": None,
    }


def test_it_can_be_pickled(file: Path) -> None:
    component = pickle.loads(pickle.dumps(cutting(cut=str(file)).get_pipe("nereval_cut")))
    assert component.cuts.labels == {"PER": 0.25, "ORG": None}


def test_an_empty_group_needs_no_scores() -> None:
    nlp = cutting(default=0.5)
    doc = nlp.make_doc("Ada")
    doc.spans["sc"] = []
    assert len(nlp.get_pipe("nereval_cut")(doc).spans["sc"]) == 0


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    nlp = cutting(default=0.5)
    component = nlp.get_pipe("nereval_cut")
    doc = nlp.make_doc("Ada met Bob")
    with pytest.raises(ValueError, match=r"there is no span group 'sc' \(there are none\); put the component after"):
        component(doc)
    doc.spans["sc"] = [doc[0:1]]
    with pytest.raises(ValueError, match=r"doc.spans\['sc'\] has no scores; expected one per span"):
        component(doc)
    for scores, said in (([0.5, 0.5], "2 scores for 1 spans"), ([float("nan")], "the score nan")):
        doc.spans["sc"] = SpanGroup(doc, spans=[doc[0:1]], attrs={"scores": scores})
        with pytest.raises(ValueError, match=said):
            component(doc)
    gone = cutting(cut=str(tmp_path / "gone.json"))
    with pytest.raises(ValueError, match=r"there is no file .*gone.json; nereval thresholds writes cut files"):
        gone.get_pipe("nereval_cut")(grouped(gone))


@pytest.mark.parametrize("config", [{}, {"cut": "a.json", "default": 0.5}, {"cut": "a.json", "labels": {"A": 0.5}}])
def test_a_config_without_one_source_of_cuts_is_refused(config: Any) -> None:
    with pytest.raises(ValueError, match="expected either 'cut'"):
        cutting(**config)


def test_a_pipeline_that_cuts_cannot_do_without_the_package() -> None:
    with pytest.raises(ValueError, match=r"'nereval_cut' changes predictions.* remove it first, with nlp.remove_pipe"):
        detach(cutting(default=0.5))
