"""The view of one system: both doors show the same tables and lines, and every finding names its documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from commands import Row, accepted, flat, line, run, write
from made_up import corpus
from summarised import DOCUMENTS

from spacy_nereval import Confidence, Document, Result, count, create_all, evaluate, score
from spacy_nereval.evaluation.error_list import is_error
from spacy_nereval.reporting.declared import groups
from spacy_nereval.reporting.score_view import UNTOLD, ScoreView

TEXT = "Ada Lovelace met Bob in Rome"
ADA, BOTH, BOB, ROME = (0, 3, "PER"), (0, 12, "PER"), (17, 20, "PER"), (24, 28, "LOC")
RIGHT = [Document([BOTH, BOB], [BOTH, BOB], TEXT, id=f"r{k}") for k in range(3)]
NESTED = [
    Document([ADA, BOTH, ROME, (17, 20, "ORG")], [BOTH, (0, 12, "ORG"), ROME], TEXT, id=f"n{k}") for k in range(4)
]
METRICS = ["strict", "fair", "slot_error"]

CASES: dict[str, tuple[list[Document], list[str], Confidence | None]] = {
    "many": (corpus(30), METRICS, None),
    "many, with intervals": (corpus(30), METRICS, Confidence(samples=50)),
    "few": (DOCUMENTS, METRICS, None),
    "no errors": (RIGHT, METRICS, None),
    "nested": (NESTED, METRICS, Confidence(samples=20)),
    "no verdicts of errors": (corpus(20), ["wrf", "loio"], None),
    "semeval": (corpus(20), ["semeval"], None),
}


class Doors(NamedTuple):
    """One corpus at both doors."""

    command: tuple[Any, ...]
    result: Result


@pytest.fixture(params=CASES)
def doors(request, tmp_path) -> Doors:
    documents, metrics, confidence = CASES[request.param]
    sides: list[list[Row]] = [[], []]
    for d in documents:
        more = ({"id": d.id} if d.id else {}) | (
            {"tokens": [{"start": a, "end": b} for a, b in d.tokens]} if d.tokens else {}
        )
        for side, spans in zip(sides, (d.gold, d.pred)):
            side.append(line(d.text or "", *spans, **more))
    files = [write(tmp_path / f"{name}.jsonl", *side) for name, side in zip(("gold", "pred"), sides)]
    more = ("-C", "--samples", confidence.samples) if confidence else ()
    return Doors(("score", *files, "-m", ",".join(metrics), *more), score(*sides, metrics, confidence))


@pytest.mark.parametrize(("ending", "format"), [("md", "markdown"), ("tex", "latex"), ("csv", "csv")])
def test_files_of_python_are_what_the_command_prints(doors, tmp_path, ending, format):
    doors.result.save(tmp_path / f"r.{ending}")
    done = run(*doors.command, "-t", "all", "-f", format)
    assert done.exit_code == 0
    assert (tmp_path / f"r.{ending}").read_text("utf8") == done.stdout


def test_python_prints_what_the_command_prints(doors):
    tables = ",".join(Result.summarised)
    assert flat(doors.result.summary()) == flat(accepted(*doors.command, "-t", tables))


def test_a_notebook_shows_what_the_command_prints(doors):
    printed = accepted(*doors.command, "-t", ",".join(Result.summarised), "-f", "html")
    body = printed[printed.index("<body>") + 7 : printed.index("</body>")].split("\n")
    assert set(body) - {""} <= set(doors.result._repr_html_().split("\n"))


def test_frames_have_the_numbers_of_the_json(doors):
    pytest.importorskip("pandas", reason="frames are made with pandas, of the extra `frame`")
    metrics = {metric.name: metric for metric in doors.result.counts.metrics}
    for table in ("scores", "other-scores", "label-scores", "other-label-scores"):
        for row in doors.result.to_frame(table).to_dict("records"):
            metric = metrics[row["metric"].partition(" ")[0]]
            own = doors.result["metrics"][metric.name]
            bounds = own.get("intervals", {})
            if "label" in row:
                own, bounds = own["per_type"][row["label"]], bounds.get("per_type", {}).get(row["label"], {})
            else:
                bounds = bounds.get("scores", {})
            names = {"value": row.get("score")}
            if "P" in row:
                names = dict(
                    zip("PRF", next(g.scores for g in groups(metric, [*own["scores"]]) if g.name == row["metric"]))
                )
            wanted = {column: own["scores"][name] for column, name in names.items()}
            for column, name in names.items():
                if f"{column} low" in row and bounds.get(name):
                    wanted |= {f"{column} {end}": bounds[name][end] for end in ("low", "high")}
            assert {column: None if row[column] != row[column] else row[column] for column in wanted} == wanted


# Findings


def view_of(documents: list[Document], *metrics: str, **how: Any) -> ScoreView:
    counts = count(documents, create_all(list(metrics)))
    return ScoreView(counts, evaluate(counts, **how))


def finding(view: ScoreView, section: str) -> tuple[str, list[str | int]]:
    (found,) = (each for each in view.findings() if each.section == section)
    return found.sentence, [*found.documents]


@pytest.mark.parametrize("metrics", [("fair",), ("strict",), ("semeval",), ("slot_error",)], ids=str)
def test_the_most_frequent_errors_name_the_documents_that_have_them(metrics):
    documents = corpus(30)
    view = view_of(documents, *metrics)
    (metric,) = view.given.counts.metrics
    kinds: dict[str, list[str | None]] = {}
    for document in documents:
        for verdict in (verdict for verdict in metric.verdicts(document) if is_error(metric, verdict)):
            words = metric.words.get(verdict.name)
            kinds.setdefault(words.kind if words else verdict.name, []).append(document.id)
    most = max(kinds, key=lambda kind: len(kinds[kind]))
    sentence, named = finding(view, "errors")
    assert f"({len(kinds[most])} of {sum(map(len, kinds.values()))})" in sentence
    assert named == [d.id for d in documents if d.id in kinds[most]]
    assert sentence in view.opening()[0]


def test_the_lowest_label_is_one_that_is_no_rarity_if_there_is_such():
    spans = [(3 * k, 3 * k + 2, "COMMON") for k in range(12)]
    documents = [Document([*spans, (40, 42, "RARE")], spans[:6], "x" * 50), Document([], [], "x")]
    assert finding(view_of(documents, "fair"), "labels") == ("COMMON scores lowest: F 66.67 on 12 gold spans", [0])
    assert finding(view_of(documents, "slot_error"), "labels")[0].startswith("COMMON scores highest: ser 50.00")
    alone = [Document([(0, 2, "RARE")], [(0, 2, "RARE")], "xx")]
    assert finding(view_of(alone, "fair"), "labels")[0] == "RARE is the only label: F 100.00 on 1 gold span"
    assert finding(view_of([Document([], [], "")], "fair"), "labels") == ("no label has gold spans", [])
    few = view_of(documents, "fair", confidence=Confidence(samples=20))
    assert finding(few, "labels") == ("every label rests on too few units to be ranked", [])


def test_a_label_is_predicted_too_often_or_too_rarely_if_it_has_spans_enough():
    often = [(3 * k, 3 * k + 2, "OFTEN") for k in range(12)]
    rare = [(40, 42, "RARE"), (44, 46, "RARE")]
    extra = [(50 + 3 * k, 52 + 3 * k, "OFTEN") for k in range(9)]

    def said(*pred: Any) -> tuple[str, list[str | int]]:
        document = Document([*often, *rare], pred, "x y " * 30, id="a")
        return finding(view_of([Document([], [], "x", id="b"), document], "fair"), "rates")

    assert said(*often, *extra) == ("OFTEN is predicted 21 times for 12 gold spans", ["a"])
    assert said(*often[:6], *rare) == ("OFTEN is predicted only 6 times for 12 gold spans", ["a"])
    assert said(*often, *rare * 3) == (UNTOLD, [])
    assert said()[0] == "OFTEN is predicted 0 times for 12 gold spans"


def test_confused_labels_name_their_documents():
    documents = [Document([ROME], [(24, 28, "ORG")], TEXT, id=f"c{k}") for k in range(2)] + RIGHT
    assert finding(view_of(documents, "fair"), "confusion") == ("ORG is predicted for LOC 2 times", ["c0", "c1"])
    assert finding(view_of(RIGHT, "fair"), "confusion") == ("no label is predicted for another", [])


def test_names_in_sentences_are_readable_and_have_their_own_direction():
    label = "\u05d0\u05d1\x1b"
    documents = [Document([(0, 1, "A" * 60)], [(0, 1, label)], "xx")]
    sentence, _ = finding(view_of(documents, "fair"), "confusion")
    assert sentence == f"\u2068\u05d0\u05d1\\x1b\u2069 is predicted for {'A' * 47}… once"


def test_collapsed_counts_have_findings_without_documents(tmp_path: Path):
    for name, spans in (("gold", [BOTH, ROME]), ("pred", [BOTH])):
        write(tmp_path / name, *(line(TEXT, *spans, id=str(k)) for k in range(8)))
    files = (tmp_path / "gold", tmp_path / "pred", "-o", tmp_path / "c.npz")
    accepted("count", *files, "--format", "jsonl", "--collapse", "-m", "fair")
    result = score(tmp_path / "c.npz")
    found = ScoreView(result.counts, result).findings()
    assert found[1].sentence == "most frequent errors: missed spans (8 of 8)"
    assert not any(each.documents for each in found)
