"""`score` and `compare` of counts, in memory or in files, collapsed or not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from made_up import corpus, second

from spacy_nereval import Confidence, collapse, compare, count, count_collapsed, create_all, evaluate, score
from spacy_nereval.io.count_files import save

METRICS = create_all(["strict", "fair"])
CORPUS = corpus(60)
OTHER = second(CORPUS)


@pytest.fixture
def files(tmp_path) -> list[Path]:
    paths = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for path, documents in zip(paths, (CORPUS, OTHER)):
        save(count_collapsed(documents, METRICS, 200), path)
    return paths


def test_counts_and_their_files_are_scored(files):
    counts = count_collapsed(CORPUS, METRICS, 200)
    expected = evaluate(counts, Confidence())
    for given in (counts, files[0], str(files[0])):
        found = score(given, confidence=Confidence())
        assert found == expected
    assert found.counts.documents == 60 and "fair" in found.summary()
    assert score(count(CORPUS, METRICS))["metrics"] == score(collapse(counts=count(CORPUS, METRICS)))["metrics"]
    assert len(found.to_frame("labels")) == 3
    with pytest.raises(ValueError, match="collapsed counts keep no documents, so they have no errors to list"):
        found.errors()
    found.save(files[0].with_name("again.npz"))
    assert score(files[0].with_name("again.npz"), confidence=Confidence()) == expected
    found.save(files[0].with_name("all.html"))


def test_systems_that_are_counts_are_compared(files):
    found = compare({"a": files[0], "b": files[1]}, per_label=True)
    row = next(row for row in found["comparisons"] if row["verdict"])
    assert found["collapsed"] and row["standard_error"] > 0 and row["p"] is None
    assert "no permutation test" in str(found)
    assert len(found.to_frame()) == len(found["comparisons"])
    full = {"a": count(CORPUS, METRICS), "b": count(OTHER, METRICS)}
    systems = {"a": [d.pred for d in CORPUS], "b": [d.pred for d in OTHER]}
    text = [d.text for d in CORPUS]
    expected = compare(systems, [d.gold for d in CORPUS], ["strict", "fair"], text=text, trials=50)
    values = [[row["value"] for row in each["comparisons"]] for each in (compare(full, trials=50), expected)]
    assert values[0] == values[1]


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda a, b: score(a, ["fair"]), "pred is given with counts"),
        (lambda a, b: score(a, labels="A=B"), "labels is given with counts"),
        (lambda a, b: score("none.npz"), "none.npz does not exist"),
        (lambda a, b: compare({"a": a, "b": [[]]}), "b is given as predictions, and other systems as counts"),
        (lambda a, b: compare({"a": a, "b": b}, [[]]), "gold is given with counts"),
        (lambda a, b: compare({"a": [[]], "b": [[]]}), "gold is missing"),
        (lambda a, b: compare({"a": a, "b": count(CORPUS, METRICS)}), "one is collapsed, the other has documents"),
    ],
)
def test_what_does_not_fit_counts_is_refused(files, ask, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        ask(*files)
