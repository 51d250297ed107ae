"""Intervals, comparisons, training runs, scores per document, counts and merges: on the command line and in configs."""

import json
import re
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
import spacy
from commands import accepted, flat, line, printed, run, tables_in, write
from docs import doc, example, write_docs
from made_up import trained_again
from thinc.api import ConfigValidationError
from two_systems import GOLD, LIKE, as_docs, bounds, compared, filled, jsonl, near, shards, written

from spacy_nereval import count, create_all, evaluate
from spacy_nereval.evaluation.result import document_rows
from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer
from spacy_nereval.io.count_files import load

pytestmark = pytest.mark.costly  # resampling, in almost every test


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Path:
    """A pipeline of one rule, that knows some of the entities."""
    path = tmp_path_factory.mktemp("models") / "rules"
    nlp = spacy.blank("xx")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "A", "pattern": "ab"}, {"label": "B", "pattern": "ba c"}])
    nlp.to_disk(path)
    return path


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """Such a directory, which is also the current one."""
    monkeypatch.chdir(tmp_path)
    return filled(tmp_path)


# Comparisons of systems of every kind, and their training runs

FILES = ("gold.jsonl", "base.jsonl", "other.jsonl")
FEW = ("--trials", 200, "-m", "strict,slot_error,fair")


def rows(*arguments: Any) -> list[dict[str, Any]]:
    return compared(Path(), *arguments)[0]["comparisons"]


def families(*options: Any) -> dict[str, list[str]]:
    """The scores that are tested together."""
    named: dict[str, list[str]] = {}
    for row in rows(*FILES, *FEW, *options):
        if row["family"]:
            named.setdefault(row["family"], []).append(row["label"] or f"{row['metric']}.{row['score']}")
    return named


def test_compare_uses_the_promised_number_of_trials_and_draws_no_half_samples(here):
    result, _ = compared(here, *FILES, "-m", "strict")
    assert result["swaps"] == 10_000
    assert result["confidence"] == {"level": 0.95, "samples": None, "seed": 0} and "half:" not in result["signature"]


def test_only_rows_of_the_primary_score_have_a_sentence(here):
    found = rows(*FILES, "gold.jsonl", *FEW, "--labels")
    assert [(row["system"], row["family"], row["label"]) for row in found if row["verdict"]] == [
        ("other", "primary", None),
        ("gold", "primary", None),
    ]


def test_the_primary_and_the_secondary_scores_are_those_asked_for(here):
    assert families() == {"primary": ["strict.f"], "secondary": ["slot_error.ser", "fair.f"]}
    assert families("--primary", "fair.p") == {"primary": ["fair.p"], "secondary": ["strict.f", "slot_error.ser"]}
    asked = families("--primary", "fair.p", "--secondary", "fair.r, slot_error.ser")
    assert asked == {"primary": ["fair.p"], "secondary": ["slot_error.ser", "fair.r"]}
    assert families("--primary", "fair_p", "--secondary", "fair_r,ser") == asked
    assert families("--secondary", "") == {"primary": ["strict.f"]}


def test_the_least_p_is_told_as_one(here):
    """A system that finds everything, after one that finds nothing: no swap has a difference as large."""
    write(here / "none.jsonl", *(line(d.text, id=d.id) for d in GOLD))
    arguments = ("compare", "gold.jsonl", "none.jsonl", "gold.jsonl", "-m", "strict,fair", "--trials", 200)
    printed = accepted(*arguments)
    assert "< before a p-value: 200 random permutations cannot show a smaller one." in flat(printed)
    assert [row[-3:-1] for row in tables_in(printed)["gold against none"]] == [["< .0050", "< .0050"]] * 2
    assert r"| \< .0050 |" in accepted(*arguments, "--format", "markdown")
    assert r"& \textless{} .0050 &" in accepted(*arguments, "--format", "latex")
    assert '<td class="number">&lt; .0050</td>' in accepted(*arguments, "--format", "html")
    in_json = json.loads(run(*arguments, "--format", "json").stdout)
    assert in_json["gold against none"][0]["p (Holm)"] == pytest.approx(1 / 201, abs=5e-5)
    assert "gold scores higher than none on similar texts, by 100.00 points (" in printed
    usual = accepted("compare", *FILES, *FEW)
    assert "< ." not in usual and "ℹ" not in usual


def test_a_system_compared_with_itself_prints_no_difference(here):
    result, printed = compared(here, "gold.jsonl", "base.jsonl", "base.jsonl", "--samples", 10, "--trials", 50)
    for row in result["comparisons"]:  # no document differs, so that there is nothing to test
        assert (row["difference"], row["differing"], row["p"], row["p_holm"]) == (0, 0, None, None)
        low, high = row["interval"]
        assert row["score"] == "ser_acc" or -low == high > 0  # what documents like these can change
    assert re.search(r"^strict +(\d+\.\d\d) +\1 +0\.00 +\[.*\] +- +- +-$", printed, re.M)
    start = "base.jsonl against base.jsonl, strict F: fixes 0 gold spans, breaks 0; in this score the "
    assert flat(printed).startswith(start)
    assert "Changed spans" not in printed


def test_files_counts_and_models_are_compared_with_each_other(here, model):
    """Whatever the systems come as, the numbers are the same; counts name no spans."""
    write_docs(here / "gold.spacy", as_docs(GOLD, "gold"))
    write_docs(here / "base.spacy", as_docs(GOLD, "pred"))
    nlp = spacy.load(model)
    write_docs(here / "rules.spacy", [nlp(d.text) for d in GOLD])
    for name in ("base", "rules"):
        accepted("count", "gold.spacy", f"{name}.spacy", "-o", f"{name}.npz")
    few = ["--samples", 20, "--trials", 100]
    expected, _ = compared(here, "gold.spacy", "base.spacy", "rules.spacy", *few)
    values, p = ([row[key] for row in expected["comparisons"]] for key in ("value", "p"))
    moved = expected["transitions"][0]
    for base in ("base.spacy", "base.npz"):
        result, _ = compared(here, "gold.spacy", base, "rules.npz", model, "rules.spacy", *few)
        assert [row["value"] for row in result["comparisons"]] == values * 3
        assert [row["p"] for row in result["comparisons"]] == p * 3
        found = [(each["system"], each["counts"], each["spans"]) for each in result["transitions"]]
        expected = [(str(other), moved["counts"], moved["spans"]) for other in (model, "rules.spacy")]
        assert found == (expected if base == "base.spacy" else [])


def test_metrics_and_their_options_are_those_given_or_those_of_the_counts(here):
    few = ["--samples", 10, "--trials", 50]
    result = rows(*FILES, *few, "-m", "loio", "--loio.s", 1)
    assert {row["metric"] for row in result} == {"loio"}
    accepted("count", "gold.jsonl", "base.jsonl", "-o", "base.npz", "-m", "loio", "--loio.s", 1)
    again = rows("gold.jsonl", "base.npz", "other.jsonl", *few)
    assert [row["value"] for row in again] == [row["value"] for row in result]


# `score --system`: one system that was trained several times

RUNS = {"a1": 0.6, "a2": 0.7, "a3": 0.8, "b1": 0.9, "b2": 0.95}
A = "A=runs/a1.jsonl,runs/a2.jsonl,runs/a3.jsonl"
METRICS = ("-m", "strict,fair")


@pytest.fixture
def runs(here) -> Path:
    """Three training runs of a system, and two of another."""
    (here / "runs").mkdir()
    for name, keep in RUNS.items():
        jsonl(here / "runs" / f"{name}.jsonl", trained_again(name, keep, GOLD), "pred")
    return here


def scored(system: str, *options: Any) -> dict[str, Any]:
    accepted("score", "gold.jsonl", "--system", system, *options, "-o", "out.json")
    return written(Path("out.json"))


def of_runs(a: str, b: str, *options: str) -> tuple[Any, dict[str, Any]]:
    """The tables of a comparison, and the scores of the first system."""
    tables = printed("compare", "gold.jsonl", "--system", f"A={a}", "--system", f"B={b}", *options, "-f", "json")
    return json.loads(tables), scored(f"A={a}", *options)


def test_patterns_and_count_files_name_training_runs_too(runs):
    listed = "runs/a1.jsonl,runs/a2.jsonl, runs/a3.jsonl", "runs/b1.jsonl,runs/b2.jsonl"
    expected = of_runs(*listed, *METRICS)
    assert of_runs("runs/a*.jsonl", "**/b?.jsonl", *METRICS) == expected
    for name in RUNS:
        accepted("count", "gold.jsonl", f"runs/{name}.jsonl", *METRICS, "-o", f"runs/{name}.npz")
    assert of_runs(listed[0].replace("a1.jsonl", "a1.npz"), listed[1].replace("b2.jsonl", "b2.npz")) == expected
    assert of_runs("runs/a*.npz", "runs/b*.npz") == expected


def test_models_are_runs_too(runs, model):
    own = scored(f"A={model},runs/a1.jsonl", "-m", "strict")["metrics"]["strict"]["runs"]["scores"]["r"]["values"]
    accepted("evaluate", model, "gold.jsonl", "-m", "strict", "-o", "alone.json")
    assert own[0] == written(Path("alone.json"))["metrics"]["strict"]["scores"]["r"]


def test_the_options_of_intervals_and_tables_apply(runs):
    wide, narrow = (
        scored(A, *METRICS, "--level", level)["metrics"]["strict"]["intervals"]["scores"]["f"] for level in (0.99, 0.5)
    )
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    assert scored(A, *METRICS, "--samples", 50, "--seed", 2) == scored(A, *METRICS)
    score = ("score", "gold.jsonl", "--system", A, *METRICS)
    printed = accepted(*score, "-t", "runs", "-a", "macro", "--digits", 0)
    assert [*tables_in(printed)] == ["Training runs (macro; few runs: fewer than 5)"]
    assert "avg:macro" in printed
    found = scored(A, *METRICS, "--unit", "block:4")
    assert (found["confidence"]["unit"], found["confidence"]["units"]) == ("block:4", 6)
    assert "⚠ Only 6 blocks" in accepted(*score, "--unit", "block:4")


def test_what_was_left_out_or_changed_on_reading_is_told_of_each_system_and_run(here):
    spans = [[(0, 3, "PER")], [(4, 7, "PER")], [(0, 3, "PER")]]
    gold = [line("Ada met Bob", *own, id=f"d{k}") for k, own in enumerate(spans)]
    write(here / "gold.jsonl", *gold, line("Eve", id="open", answer="ignore"))
    rest = line("Eve", (0, 3, "PER"), id="open")
    write(here / "x.jsonl", *gold, rest)
    write(here / "y.jsonl", gold[0] | {"spans": gold[0]["spans"] * 2}, *gold[1:], rest)
    found, said = compared(here, "gold.jsonl", "y.jsonl", "x.jsonl", "-m", "strict")
    skipped = "1 document without annotation skipped"
    assert f"ℹ y: {skipped}, 1 span given again and counted once." in flat(said) and f"ℹ x: {skipped}." in flat(said)
    assert "1 prediction ignored where the reference" not in flat(said)
    told = [(own["system"], own["skipped"], own["duplicates"]) for own in found["on_reading"]]
    assert told == [("y", [1], [1]), ("x", [1], [0])]
    strict, both = ("-m", "strict"), ("--system", "A=x.jsonl,y.jsonl")
    alone = flat(accepted("score", "gold.jsonl", "y.jsonl", *strict))
    assert "1 document without annotation skipped, 1 span given again and counted once" in alone
    printed = flat(accepted("score", "gold.jsonl", *both, *strict))
    assert "1 document without annotation skipped, spans given again and counted once: 0 and 1 in the runs" in printed
    found = scored("A=x.jsonl,y.jsonl", *strict)
    assert [found[key] for key in ("skipped", "duplicates", "repaired")] == [[1, 1], [0, 1], [0, 0]]
    assert "skipped" not in flat(accepted("score", "x.jsonl", *both, *strict))


# Intervals


@pytest.mark.parametrize("average", ["macro", "weighted", "docs"])
def test_the_intervals_printed_are_those_of_the_average(here, average):
    printed = accepted("score", "gold.jsonl", "base.jsonl", "-o", "out.json", "-C", "--samples", 30, "-a", average)
    strict = written(here / "out.json")["metrics"]["strict"]
    low, high = (100 * bound for bound in bounds(strict["intervals"]["averages"][average]["f"]))
    assert f"{100 * strict['averages'][average]['f']:.2f} [{low:.2f}, {high:.2f}]" in printed


def test_without_the_option_the_main_score_alone_has_intervals(here, monkeypatch):
    printed = accepted("score", "gold.jsonl", "base.jsonl", "-o", "out.json", "-t", "headline,scores,label-scores")
    assert written(here / "out.json") == near(evaluate(count(GOLD, create_all())))
    asked = accepted("score", "gold.jsonl", "base.jsonl", "-o", "out.json", "-C")
    interval = written(here / "out.json")["metrics"]["fair"]["intervals"]
    low, high = (100 * bound for bound in bounds(interval["scores"]["f"]))
    assert f"fair F 75.00 [{low:.2f}, {high:.2f}]; " in printed
    first, _, labels, *others = printed.split("\n\n")
    assert labels == asked.split("\n\n")[2] and "[" in labels
    assert "[" not in first.split("Also")[1] + "".join(others)
    monkeypatch.setattr("spacy_nereval.reporting.score_view.MOST_DOCUMENTS", 23)
    assert "[" not in accepted("score", "gold.jsonl", "base.jsonl", "-t", "headline,scores")


def test_a_model_has_the_scores_intervals_and_counts_of_its_predictions(here, model):
    write_docs(here / "gold.spacy", as_docs(GOLD, "gold"))
    accepted("evaluate", model, "gold.spacy", "-C", "--samples", 20, "-o", "model.json", "--per-document", "rows.jsonl")
    nlp = spacy.load(model)
    write_docs(here / "pred.spacy", [nlp(d.text) for d in GOLD])
    accepted("score", "gold.spacy", "pred.spacy", "-C", "--samples", 20, "-o", "files.json")
    assert written(here / "model.json") == written(here / "files.json")
    assert 0 < written(here / "model.json")["metrics"]["strict"]["scores"]["f"] < 1
    assert len((here / "rows.jsonl").read_text().splitlines()) == len(GOLD)
    accepted("count", model, "gold.spacy", "-o", "counts.npz")
    accepted("score", "counts.npz", "-C", "-o", "counts.json")
    assert written(here / "counts.json") == written(here / "model.json")
    assert load(here / "counts.npz").ids == [d.id for d in GOLD]


@pytest.mark.parametrize("command", ["score gold.jsonl base.jsonl", "compare gold.jsonl base.jsonl other.jsonl"])
def test_short_leaves_defaults_out_of_the_printed_signature_and_changes_nothing_else(here, command):
    long, short = (
        (accepted(*command.split(), "--loio.s", 0.5, "-o", "out.json", *more).splitlines(), written(here / "out.json"))
        for more in ([], ["--short"])
    )
    assert long[0][-1] == long[1].pop("signature") and short[0][-1] == short[1].pop("signature")
    assert (long[0][:-1], long[1]) == (short[0][:-1], short[1])
    assert "|strict|semeval|slot_error|loio:s=0.5|fair|wrf|" in short[0][-1] and "|loio:match" not in short[0][-1]


# Per document


def test_per_document_writes_a_row_per_document_the_worst_first(here):
    printed = accepted("score", "gold.jsonl", "base.jsonl", "--per-document", "rows.jsonl")
    rows = [json.loads(line) for line in (here / "rows.jsonl").read_text(encoding="utf8").splitlines()]
    assert rows == near(document_rows(count(GOLD, create_all())))
    assert "WRF compared with strict F in" in printed
    assert any(None in row.values() for row in rows)  # some score is undefined
    f = [row["strict_f"] for row in rows if row["strict_f"] is not None]
    assert f == sorted(f)


# Counts


@pytest.mark.parametrize(
    "options", [[], ["-m", "wrf,loio", "--loio.s", 1, "--wrf.average", "micro"]], ids=["all", "some"]
)
def test_scores_of_counts_are_those_of_the_files(here, options):
    tables = ["--tables", "scores,labels,errors,label-scores,counts,documents"]  # pairs have texts
    printed = accepted("score", "gold.jsonl", "base.jsonl", "-o", "files.json", *tables, *options)
    assert "24 documents" in accepted("count", "gold.jsonl", "base.jsonl", "-o", "counts.npz", *options)
    assert accepted("score", "counts.npz", "-o", "counts.json", *tables) == printed
    assert (here / "counts.json").read_bytes() == (here / "files.json").read_bytes()


def test_scores_of_merged_parts_are_those_of_the_whole(here):
    parts = shards(here, 5, 1, 18)
    assert "24 documents" in accepted("merge", *parts, "-o", "all.npz")
    for name, files in {"merged": ["all.npz"], "whole": ["gold.jsonl", "base.jsonl"]}.items():
        accepted("score", *files, "-o", f"{name}.json", "--per-document", f"{name}.csv", "-C", "--samples", 20)
    assert (here / "merged.json").read_bytes() == (here / "whole.json").read_bytes()
    assert (here / "merged.csv").read_bytes() == (here / "whole.csv").read_bytes()


# The scorers of a config


def examples() -> list[Any]:
    texts = ["Ada met Bob", "in Rome", "Ada Bob Rome"]
    gold = [[(0, 1, "PER"), (2, 3, "PER")], [(1, 2, "LOC")], [(0, 1, "PER"), (2, 3, "LOC")]]
    pred = [[(0, 1, "PER")], [(1, 2, "PER")], [(0, 2, "PER"), (2, 3, "LOC")]]
    return [
        example(doc(text, *g, spans={"k": g}), doc(text, *p, spans={"k": p})) for text, g, p in zip(texts, gold, pred)
    ]


@pytest.mark.parametrize(
    "make", [make_ner_scorer, lambda **o: make_spans_scorer(spans_key="k", **o)], ids=["ents", "spans"]
)
def test_with_confidence_a_scorer_has_intervals_in_its_nested_result_and_the_same_keys(make):
    without, with_intervals, usual = (
        make(**options)(examples())
        for options in ({}, {"confidence": {"level": 0.9, "samples": 20, "seed": 1}}, {"confidence": {}})
    )
    (key,) = (key for key in without if key.endswith("_nereval"))
    assert {k: v for k, v in with_intervals.items() if k != key} == {k: v for k, v in without.items() if k != key}
    assert with_intervals.keys() == without.keys()
    assert "confidence" not in without[key]
    drawn = {"method": "infl", "samples": None, "seed": None, "unit": "id", "units": 3, "exact": True}
    drawn |= {"effective_units": ANY, "concentrated": []}
    assert with_intervals[key]["confidence"] == drawn | {"level": 0.9}
    assert usual[key]["confidence"] == drawn | {"level": 0.95}
    for name, metric in with_intervals[key]["metrics"].items():
        found = metric.pop("intervals")
        counts = {score.name for score in create_all([name])[0].scores if score.unit == "count"}
        assert found["scores"].keys() == metric["scores"].keys() - counts
        assert metric == without[key]["metrics"][name]


BAD_CONFIDENCE = [
    {"level": 0}, {"level": 1}, {"level": 2}, {"level": "high"}, {"samples": 0}, {"samples": -1}, {"samples": "many"},
    {"samples": 10.5}, {"seed": -1}, {"seed": 0.5}, {"seed": None}, {"colour": "red"}, {"level": None},
]  # fmt: skip


@pytest.mark.parametrize("confidence", BAD_CONFIDENCE, ids=str)
def test_a_bad_confidence_is_a_mistake_in_the_config_before_anything_is_scored(confidence):
    for make in (make_ner_scorer, make_spans_scorer):
        with pytest.raises(ConfigValidationError, match="(?i)unusable confidence"):
            make(confidence=confidence)


def test_intervals_and_tests_of_a_single_document_say_how_little_they_rest_on(here):
    jsonl(here / "one.jsonl", GOLD[:1], "gold")
    accepted("count", "one.jsonl", "one.jsonl", "-o", "one.npz", "-m", "strict")
    for files in (["one.jsonl", "one.jsonl", "-m", "strict"], ["one.npz"]):
        printed = accepted("score", *files, "-C", "-o", "one.json")
        assert "⚠ Only 1 document: with fewer than 20" in printed
        found = written(here / "one.json")["metrics"]["strict"]["intervals"]["scores"]["f"]
        assert found["flag"] == "few" and bounds(found)[1] - bounds(found)[0] > 0.9
    result, printed = compared(here, "one.jsonl", "one.jsonl", "one.jsonl")
    assert {row["p"] for row in result["comparisons"]} == {None}
    assert "⚠ Only 1 document: with fewer than 20" in printed


def test_intervals_of_few_documents_come_with_a_warning(here):
    jsonl(here / "few.jsonl", GOLD[:19], "gold")
    said = "⚠ Only 19 documents, effectively 1"
    assert said in accepted("score", "few.jsonl", "few.jsonl", "-C", "--samples", 20)
    assert said in accepted("score", "few.jsonl", "few.jsonl"), "the main score has an interval always"
    jsonl(here / "like.jsonl", LIKE, "gold")
    assert "⚠" not in accepted("score", "like.jsonl", "like.jsonl", "-C", "--samples", 20)
    jsonl(here / "like.jsonl", LIKE[:19], "gold")
    assert "⚠ Only 19 documents: with" in accepted("score", "like.jsonl", "like.jsonl", "-C", "--samples", 20)
