"""`.save("x.html")`: the report where texts and documents are kept, else the tables."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from commands import line, write

from spacy_nereval import Confidence, compare, score
from spacy_nereval.reporting.html.charts import scripts

TEXTS = ["Ada met Bob", "Rome <b>", "nothing"]
GOLD = [[(0, 3, "PER"), (8, 11, "PER")], [(0, 4, "LOC")], []]
PRED = [[(0, 3, "PER")], [(0, 4, "PER")], []]


def saved(result, folder: Path) -> str:
    result.save(folder / "mine.html")
    return (folder / "mine.html").read_text(encoding="utf8")


def is_report(text: str) -> bool:
    """Whether a page has every document, which only the report has, and the script that shows it."""
    return "Ada met Bob" in text and "vegaEmbed" in text


@pytest.mark.costly
@pytest.mark.parametrize("metrics", [None, ["strict"]])
def test_a_result_writes_the_report(metrics, tmp_path):
    text = saved(score(GOLD, [*PRED[:2], None], metrics, text=TEXTS), tmp_path)
    assert is_report(text) and "<title>mine" in text
    assert "&lt;b&gt;" in text and "<b>" not in text.partition("<script")[0]
    assert (metrics is None) == ("loio" in text), "the metrics that were scored, and fair, whose verdicts mark spans"


@pytest.mark.costly
def test_a_result_with_intervals_has_them_in_the_report(tmp_path):
    result = score(GOLD * 4, PRED * 4, ["strict"], Confidence(0.9, 20, 3), text=TEXTS * 4)
    assert "90 %" in saved(result, tmp_path) or "90%" in saved(result, tmp_path)


@pytest.mark.costly
def test_a_comparison_writes_the_report_of_its_systems(tmp_path):
    new = write(tmp_path / "new.jsonl", *(line(text, *spans) for text, spans in zip(TEXTS, GOLD)))
    old = [line(text, *spans) for text, spans in zip(TEXTS, PRED)]
    found = compare({"old": old, "new": new}, new, ["fair"], samples=20, trials=20)
    text = saved(found, tmp_path)
    assert is_report(text) and "old" in text and "new" in text and "Null hypothesis" in text


def test_without_texts_or_documents_the_tables_are_written(tmp_path):
    results = [
        score([["B-A", "O"]], [["B-A", "O"]]),
        score(iter(GOLD), PRED, text=TEXTS),
        compare({"a": iter(PRED), "b": GOLD}, GOLD, text=TEXTS, samples=20, trials=20),
        compare({"a": {"1": PRED, "2": PRED}, "b": GOLD}, GOLD, text=TEXTS, samples=20, trials=20),
    ]
    for result in results:
        text = saved(result, tmp_path)
        assert not is_report(text) and "<table" in text


def test_missing_libraries_are_named_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    scripts.cache_clear()
    with pytest.raises(ValueError, match=r"pip install .\.\[report\]."):
        score(GOLD, PRED, text=TEXTS).save(tmp_path / "a.html")
    assert not [*tmp_path.iterdir()]
