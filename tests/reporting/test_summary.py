"""What a person with one minute is shown: sentences, the main score of each label, repeated errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import accepted, refused, run, tables_in
from made_up import corpus
from summarised import DOCUMENTS, NAVY, ROME, TEXT, THE_NAVY, evaluated

from spacy_nereval import Document, create_all
from spacy_nereval.cli.printing import folded, wrapped
from spacy_nereval.evaluation.error_list import error_list
from spacy_nereval.reporting.comparison_view import ComparisonView
from spacy_nereval.reporting.marked_text import marked, marked_row
from spacy_nereval.reporting.terminal import columns
from spacy_nereval.reporting.verdict_tables import MOST_GROUPS

EXAMPLES = Path(__file__).parents[2] / "examples"


SCORE = ("score", EXAMPLES / "gold.jsonl", EXAMPLES / "baseline.jsonl")


COMPARE = ("compare", EXAMPLES / "gold.jsonl", EXAMPLES / "baseline.jsonl", EXAMPLES / "improved.jsonl")


@pytest.mark.parametrize(
    ("metrics", "start"),
    [
        (("strict", "fair"), "fair F "),
        (("semeval",), "semeval exact F "),
        (("strict",), "strict F "),
        (("slot_error",), "slot error rate 100.00; most frequent errors: wrong boundaries (3 of 5)"),
        (("loio",), "loio F "),
        (("wrf",), "wrf "),
        (("char",), "char F "),
    ],
)
def test_every_metric_can_stand_for_the_result(metrics, start):
    first, *others = evaluated(DOCUMENTS, *metrics).opening()
    assert first.partition(": ")[2].startswith(start)
    assert len(others) == (1 if metrics in (("strict", "fair"), ("semeval",)) else 0)


def test_the_average_that_is_asked_for_is_named():
    given = evaluated(DOCUMENTS, "fair", "strict", average="macro")
    macro = [given.given.result["metrics"][name]["averages"]["macro"]["f"] for name in ("fair", "strict")]
    first, others = given.opening(digits=1)
    assert first.partition(": ")[2].startswith(f"fair F (macro) {100 * macro[0]:.1f}; ")
    assert others == f"Also (macro): strict {100 * macro[1]:.1f}"


def test_labels_of_a_metric_without_precision_have_its_own_score():
    (table,) = evaluated(DOCUMENTS, "slot_error").tables(["headline"])
    assert [*table.header] == ["label", "support", "predicted", "ser"]
    assert table.heading == "Labels (slot error rate; ↓ lower is better)"
    assert [*evaluated([Document([], [], TEXT)], "fair").tables(["headline"])] == []


def test_errors_that_repeat_are_listed_with_their_first_example():
    (table,) = evaluated(DOCUMENTS, "fair").tables(["groups"])
    example = "{the [Navy]} met the Navy in Rome"
    assert table.rows == [
        [3, 2, "Navy", "longer than gold: ORG", example],
        [3, 2, "the", "added at the start", example],
    ]
    assert table.most == MOST_GROUPS
    shorter = [Document([(*THE_NAVY, "ORG")], [(*NAVY, "ORG")], TEXT)] * 2
    assert [*evaluated(shorter, "fair").tables(["groups"])][0].rows[1][2:4] == ["the", "missing at the start"]
    labels = [Document([(*ROME, "LOC")], [(*ROME, "ORG")], TEXT)] * 2
    (table,) = evaluated(labels, "semeval").tables(["groups"])
    assert table.rows[0][:4] == [2, 2, "Rome", "label error: LOC as ORG"]


def test_an_example_is_marked_in_a_row_as_in_its_document():
    (metric,) = create_all(["fair"])
    for listed in error_list([*DOCUMENTS, *corpus(24)], metric, errors=["all"]):
        for context in (14, 40):
            text = marked(listed.document.text, listed.verdict.gold, listed.verdict.pred)
            assert marked_row(listed.row(context + 20)) == text
    without = Document([(*ROME, "LOC")], [])
    (listed,) = error_list([without], metric)
    assert marked_row(listed.row()) == ""


def test_counts_and_numbered_tokens_have_no_repeated_errors(tmp_path):
    accepted("count", *SCORE[1:], "-o", tmp_path / "c.npz", "-m", "fair")
    printed = accepted("score", tmp_path / "c.npz")
    assert [title.split(" (")[0] for title in tables_in(printed)] == ["Labels", "Verdicts"]
    assert "keeps no texts" in refused("score", tmp_path / "c.npz", "-t", "groups")
    assert "Repeated" not in accepted("score", tmp_path / "c.npz", "-t", "all")
    rows = "LOC\t1\t1\t1\n\nLOC\t1\t1\t1\n\n"
    (tmp_path / "gold.csv").write_text(rows)
    (tmp_path / "pred.csv").write_text(rows.replace("LOC", "ORG"))
    printed = run("score", tmp_path / "gold.csv", tmp_path / "pred.csv", "-f", "faireval").stdout
    assert [title.split(" (")[0] for title in tables_in(printed)] == ["Labels", "Verdicts"]


@pytest.mark.parametrize("width", [60, 80])
def test_the_examples_fit_one_screen(width):
    printed = accepted(*SCORE, env={"COLUMNS": str(width)}).splitlines()
    assert width < 80 or len(printed) <= 40
    assert max(map(columns, printed)) <= width
    assert "\x1b" not in "".join(printed)


def test_what_is_piped_is_not_broken_into_lines():
    first, second, *rest = accepted(*SCORE).splitlines()
    assert first.startswith("75 documents, 336 gold spans, 214 predicted spans: fair F 45.28 [")
    assert first.endswith("]; most frequent errors: missed spans (138 of 261)")
    assert second.startswith("Also: strict 39.27, semeval exact 40.36, partial 53.09, type 63.27, ser 77.68 (")
    assert second.endswith(", lower is better), loio 48.85, wrf 57.19; more: --tables all")
    assert "more:" not in accepted(*SCORE, "-t", "headline")
    assert rest[-1].startswith("spacy-nereval|strict:") and "|v" in rest[-1]


def test_a_signature_is_folded_at_its_separators():
    signature = accepted(*SCORE).splitlines()[-1]
    for width in (40, 60, 80):
        lines = folded(signature, width).splitlines()
        assert "".join(lines) == signature and max(map(len, lines)) <= width
    assert folded("a" * 9 + "|b", 4) == "a" * 9 + "|\nb"
    assert wrapped("x [1.00, 2.00] y", 12) == "x\n[1.00, 2.00]\ny"


RATE = "slot error rate -10.00 [-20.00, -5.00], p (Holm) = 0.0200; V."


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, [f"B against A: {RATE}"]),
        ({"interval": [None, None], "p_holm": None}, ["B against A, slot error rate: V."]),
        ({"verdict": None}, []),
        ({"runs": [2, 3]}, [f"B against A, means of 3 and 2 training runs (few runs: fewer than 5): {RATE}"]),
    ],
)
def test_the_sentence_counts_what_a_score_is_worth_not_only_its_sign(more, said):
    row: dict[str, Any] = {
        "metric": "slot_error",
        "score": "ser",
        "label": None,
        "system": "B",
        "verdict": "V",
        "runs": [1, 1],
    }
    row |= {"score_unit": "ratio", "higher_is_better": False}
    row |= {"difference": -0.1, "interval": [-0.2, -0.05], "p": 0.01, "p_holm": 0.02}
    row |= dict.fromkeys(("baseline_value", "value", "detectable"))
    row |= more
    result = {"baseline": "A", "swaps": 1000, "exact": False, "comparisons": [row], "transitions": []}
    assert ComparisonView(result | {"confidence": {"level": 0.95}}).opening() == said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--name", "a"), "--name: 1 given for 2 systems ("),
        (("--name", "a", "--name", "a"), "--name 'a': expected a name that no other system has"),
        (("--name", "a", "--name", " "), "--name ' ': expected a name that no other system has"),
    ],
)
def test_names_that_do_not_fit_the_systems_are_refused(arguments, said):
    assert said in refused(*COMPARE, *arguments)
    runs = "--system", f"A={EXAMPLES / 'baseline.jsonl'}", "--system", f"B={EXAMPLES / 'improved.jsonl'}"
    assert "--name a is given in addition to --system" in refused(*COMPARE[:2], *runs, *arguments)


def test_the_verdicts_of_an_error_list_are_explained():
    printed = accepted("errors", *SCORE[1:], "-m", "slot_error", "-n", 1)
    assert "\nd = missed; s_extent = boundary error; i = spurious; s_both = label and boundary error; s_t" in printed
    assert "= " not in accepted("errors", *SCORE[1:], "-m", "char", "-n", 1)
