"""The curves of the page of thresholds: every point is a score of what a cut keeps."""

from __future__ import annotations

import json

import pytest
from cut_pages import GOLDS, LABELS, PREDS, documents, page, scored, system

from spacy_nereval import Document, create_all
from spacy_nereval.core.cuts import Cuts
from spacy_nereval.evaluation.thresholds.inputs import Settings
from spacy_nereval.reporting.html.thresholds import lines as cut_lines
from spacy_nereval.reporting.html.thresholds.lines import measured
from spacy_nereval.reporting.result_table import shown


@pytest.mark.parametrize("side", [0, 1])
def test_the_lines_are_the_scores_of_what_each_cut_keeps(side):
    data = page().data
    own = data["systems"][0]["sides"][side]
    titles = [each["title"] for each in data["scores"]]
    assert data["labels"] == ["", *LABELS]
    for place in range(0, len(own["cuts"]), 60):
        result = scored(side, Cuts(own["cuts"][place] - 1e-7))["metrics"]
        for title, metric, name in (
            ("strict F", "strict", "f"),
            ("strict P", "strict", "p"),
            ("ser", "slot_error", "ser"),
        ):
            lines = own["curves"][titles.index(title)]
            wanted = [result[metric]["scores"], *(result[metric]["per_type"][label]["scores"] for label in LABELS)]
            assert [line[place] for line in lines] == pytest.approx([each[name] for each in wanted], abs=1e-5)


def test_the_best_cut_of_every_line_is_exact_even_where_lines_are_thinned(monkeypatch):
    monkeypatch.setattr(cut_lines, "POINTS", 3)
    monkeypatch.setattr(cut_lines, "BUDGET", 0)
    side = measured("dev", documents(0), create_all(["strict", "slot_error"]), Settings())
    found = cut_lines.lines(side, LABELS, None)
    assert len(found["cuts"]) < 60
    every = sorted({value for document in documents(0) for value in document.span_scores.values()}, reverse=True)
    results = {each: scored(0, Cuts(each))["metrics"] for each in every[::20]}
    scores = [(metric.name, name) for metric, name in cut_lines.charted_scores(side.curves.metrics)]
    for (metric, name), peaks in zip(scores, found["peaks"]):
        for label, (at, value) in zip([None, *LABELS], peaks):
            values = [
                own[metric]["scores" if label is None else "per_type"]
                if label is None
                else own[metric]["per_type"][label]["scores"]
                for own in results.values()
            ]
            known = [each[name] for each in values if each[name] is not None]
            best = min if name in ("ser", "err", "e") else max
            assert best([value, *known]) == pytest.approx(value, abs=1e-5), (metric, name, label)
            if at is not None:
                assert label is not None or at in found["cuts"]  # the line goes through its best point
                own = scored(0, Cuts(at - 1e-7))["metrics"][metric]
                assert (own if label is None else own["per_type"][label])["scores"][name] == pytest.approx(
                    value, abs=1e-5
                )


def test_precision_over_recall_and_risk_over_coverage_are_counts_of_what_is_kept():
    own = page("own").data["systems"][0]["sides"][1]
    predictions = [
        (value, span in document.hits, span[2])
        for document in documents(1)
        for span, value in document.span_scores.items()
    ]
    for k, label in enumerate([None, *LABELS]):
        kept = [(value, hit) for value, hit, name in predictions if label in (None, name)]
        gold = sum(label in (None, span.label) for document in documents(1) for span in document.gold)
        distinct = sorted({value for value, _ in kept}, reverse=True)
        last = sum(hit for _, hit in kept)
        assert own["recall"][k][-1] == pytest.approx(last / gold, abs=1e-5)
        assert own["precision"][k][-1] == pytest.approx(last / len(kept), abs=1e-5)
        assert own["coverage"][k][-1] == 1 and own["risk"][k][-1] == pytest.approx(1 - last / len(kept), abs=1e-5)
        first = [hit for value, hit in kept if value == distinct[0]]
        assert own["recall"][k][0] == pytest.approx(sum(first) / gold, abs=1e-5)
    cuts = system("own")[0].found.cuts
    assert cuts
    strict = scored(1, cuts)["metrics"]["strict"]
    for k, scores in enumerate([strict["scores"], *(strict["per_type"][label]["scores"] for label in LABELS)]):
        assert own["at_recall"][k] == pytest.approx([scores["r"], scores["p"]], abs=1e-5)
        assert own["at_coverage"][k][1] == pytest.approx(1 - scores["p"], abs=1e-5)


def test_bins_and_average_precision_are_in_tables():
    found = page()
    first = [value for document in documents(1) for value in document.span_scores.values() if value < 0.1]
    row = found.row("0 to 0.1")
    assert row[1:3] == [f"{len(first):,}", shown(100 * sum(first) / len(first))]
    assert sum(int(row[1].replace(",", "")) for row in found.rows if " to " in (row or [""])[0]) == 1655
    precisions = [own["ap"] for own in system()[0].found.values["per_type"].values()]
    assert found.row("mAP")[1] == shown(100 * sum(precisions) / 2)
    assert "Scores are too high: 15.95 points off the share that is correct on average" in found.text


def test_many_labels_have_fewer_points(monkeypatch):
    monkeypatch.setattr(cut_lines, "BUDGET", 3000)
    spans = [(k, k + 1, f"L{k % 30}") for k in range(300)]
    document = Document(spans, spans, "x" * 301)
    document.span_scores = {span: k / 300 for k, span in enumerate(spans)}
    side = measured("many", [document], create_all(["strict"]), Settings())
    found = cut_lines.lines(side, [f"L{k}" for k in range(30)], None)
    assert 20 <= len(found["cuts"]) <= 40


def test_the_files_of_the_small_span_categoriser_are_what_they_say():
    for split, path in enumerate(PREDS):
        golds = [json.loads(line) for line in GOLDS[split].read_text(encoding="utf8").splitlines()]
        lines = [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]
        assert [(each["id"], each["text"]) for each in lines] == [(each["id"], each["text"]) for each in golds]
        values = [span["score"] for each in lines for span in each["spans"]]
        assert 0.05 <= min(values) < 0.06 and 0.99 < max(values) <= 1
        assert {span["label"] for each in lines for span in each["spans"]} == {*LABELS}
