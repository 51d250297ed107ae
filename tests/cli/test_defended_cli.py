"""Intervals, counts, merges and comparisons on the command line and in the scorers."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
import spacy
from commands import flat, run
from docs import doc, example, write_docs
from made_up import corpus, second
from processes import WITHOUT_SPACY, python
from spacy.tokens import Doc
from thinc.api import ConfigValidationError

from spacy_nereval import Confidence, Document, count, create_all, evaluate
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.intervals import replicate
from spacy_nereval.evaluation.per_document import document_rows
from spacy_nereval.evaluation.transitions import gold_outcomes
from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer
from spacy_nereval.io.count_files import load

pytestmark = pytest.mark.costly  # resampling, in almost every test

GOLD = corpus(24)
OTHER = second(GOLD)
LIKE = [Document([(0, 3, "A")], [(0, 3, "A")], "Ada", tokens=[(0, 3)], id=str(k)) for k in range(20)]
"""Twenty documents of one size, which are effectively twenty."""


def accepted(*arguments: Any) -> str:
    """What a command printed."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def written(path: Path) -> Any:
    """What is in a JSON file, of which nothing is NaN."""

    def impossible(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(path.read_text(encoding="utf8"), parse_constant=impossible)


def bounds(found: dict[str, Any]) -> tuple[float, float]:
    """The ends of an interval of a result."""
    assert found.keys() == {"low", "high", "k", "flag"}
    return found["low"], found["high"]


def near(value: Any) -> Any:
    """The same but for the last digits."""
    if isinstance(value, dict):
        return {key: near(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [near(item) for item in value]
    return pytest.approx(value, abs=1e-9) if isinstance(value, float) else value


def jsonl(path: Path, documents: Sequence[Document], side: str, ids: bool = True) -> Path:
    rows = []
    for d in documents:
        row: dict[str, Any] = {"text": d.text, "spans": [span._asdict() for span in getattr(d, side)]}
        row["tokens"] = [{"start": start, "end": end} for start, end in d.tokens]
        rows.append(row | ({"id": d.id} if ids else {}))
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf8")
    return path


def as_docs(documents: Sequence[Document], side: str) -> list[Doc]:
    """Entities of whole tokens only, as spaCy has them."""
    nlp = spacy.blank("xx")
    made = []
    for document in documents:
        made.append(nlp.make_doc(document.text))
        spans = [made[-1].char_span(*span) for span in getattr(document, side)]
        made[-1].set_ents(spacy.util.filter_spans([span for span in spans if span]))
        made[-1].user_data["id"] = document.id
    return made


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Path:
    """A pipeline of one rule, that knows some of the entities."""
    path = tmp_path_factory.mktemp("models") / "rules"
    nlp = spacy.blank("xx")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "A", "pattern": "ab"}, {"label": "B", "pattern": "ba c"}])
    nlp.to_disk(path)
    return path


def filled(folder: Path) -> Path:
    """A directory with gold annotation, a baseline and another system."""
    jsonl(folder / "gold.jsonl", GOLD, "gold")
    jsonl(folder / "base.jsonl", GOLD, "pred")
    jsonl(folder / "other.jsonl", OTHER, "pred")
    return folder


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """Such a directory, which is also the current one."""
    monkeypatch.chdir(tmp_path)
    return filled(tmp_path)


# Intervals


def test_score_writes_and_prints_the_intervals_asked_for(here):
    options = ["--confidence", "--level", 0.9, "--samples", 30, "--seed", 7]
    printed = accepted("score", "gold.jsonl", "base.jsonl", "-o", "out.json", "-t", "headline,scores", *options)
    result = written(here / "out.json")
    assert result == near(evaluate(count(GOLD, create_all()), Confidence(0.9, 30, 7)))
    assert "Labels (fair; 90 % intervals)" in printed
    intervals = {name: own["intervals"]["scores"] for name, own in result["metrics"].items()}
    low, high = (100 * bound for bound in bounds(intervals["strict"]["f"]))
    f = 100 * result["metrics"]["strict"]["scores"]["f"]
    assert f"{f:.2f} [{low:.2f}, {high:.2f}]" in printed
    assert "be" not in intervals["fair"]  # a number of spans is no estimate of anything
    assert re.search(r"^fair +be ↓ +\d+ ", printed, re.M)
    assert printed.splitlines()[-1] == result["signature"]
    assert "|half:30,seed:7,level:0.9,unit:id,units:24|" in result["signature"]


@pytest.mark.parametrize("average", ["macro", "weighted", "docs"])
def test_the_intervals_printed_are_those_of_the_average(here, average):
    printed = accepted("score", "gold.jsonl", "base.jsonl", "-o", "out.json", "-C", "--samples", 30, "-a", average)
    strict = written(here / "out.json")["metrics"]["strict"]
    low, high = (100 * bound for bound in bounds(strict["intervals"]["averages"][average]["f"]))
    assert f"{100 * strict['averages'][average]['f']:.2f} [{low:.2f}, {high:.2f}]" in printed


def test_settings_of_intervals_without_intervals_are_refused(here):
    result = run("score", "gold.jsonl", "base.jsonl", "-o", "out.json", "--samples", 30)
    assert (result.exit_code, result.stderr) == (
        1,
        "✘ --samples is given without --confidence: add that, or leave it out\n",
    )
    assert not (here / "out.json").exists()


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
    monkeypatch.setattr("spacy_nereval.cli.showing.MOST_DOCUMENTS", 23)
    assert "[" not in accepted("score", "gold.jsonl", "base.jsonl", "-t", "headline,scores")


def test_evaluate_gives_a_model_its_intervals(here, model):
    write_docs(here / "gold.spacy", as_docs(GOLD, "gold"))
    accepted("evaluate", model, "gold.spacy", "-C", "--samples", 20, "-o", "model.json", "--per-document", "rows.jsonl")
    nlp = spacy.load(model)
    write_docs(here / "pred.spacy", [nlp(d.text) for d in GOLD])
    accepted("score", "gold.spacy", "pred.spacy", "-C", "--samples", 20, "-o", "files.json")
    assert written(here / "model.json") == written(here / "files.json")
    assert 0 < written(here / "model.json")["metrics"]["strict"]["scores"]["f"] < 1
    assert len((here / "rows.jsonl").read_text().splitlines()) == len(GOLD)


def test_the_usual_settings_of_intervals_are_those_promised(here):
    accepted("score", "gold.jsonl", "base.jsonl", "-m", "strict", "-C", "-o", "out.json")
    result = written(here / "out.json")
    drawn = {"method": "half", "level": 0.95, "samples": 1000, "seed": 0, "unit": "id", "units": 24, "exact": False}
    assert result["confidence"] == drawn | {"effective_units": ANY}
    assert 10 < result["confidence"]["effective_units"] < 24
    assert "|half:1000,seed:0,level:0.95,unit:id,units:24|" in result["signature"]


def test_short_leaves_defaults_out_of_the_signature_and_changes_nothing_else(here):
    results = []
    for more in ([], ["--short"]):
        printed = accepted("score", "gold.jsonl", "base.jsonl", "-o", "out.json", *more, "--loio.s", 0.5)
        results.append(written(here / "out.json"))
        assert printed.splitlines()[-1] == results[-1].pop("signature")
    assert results[0] == results[1]
    assert "|strict|semeval|slot_error|loio:s=0.5|fair|wrf|" in printed
    for command in ("score", "compare"):
        base = ["gold.jsonl", "base.jsonl"]
        base += [] if command == "score" else ["other.jsonl", "--samples", 5, "--trials", 20]
        lines = [accepted(command, *base, *more).splitlines()[-1] for more in ([], ["--short"])]
        assert len(lines[1]) < len(lines[0])


def test_the_signature_printed_names_the_average_printed(here):
    printed = {accepted("score", "gold.jsonl", "base.jsonl", "-a", a).splitlines()[-1] for a in ("micro", "macro")}
    assert any("|avg:macro|" in line for line in printed)


def test_what_is_scored_is_in_the_signature(here):
    """Entities and a span group of the same files have different scores, so their signatures differ."""
    gold = [doc("a b c", (0, 1, "A"), spans={"k": [(1, 2, "A")]}), doc("a b", spans={"k": []})]
    pred = [doc("a b c", (0, 1, "A"), spans={"k": []}), doc("a b", spans={"k": []})]
    write_docs(here / "gold.spacy", gold)
    write_docs(here / "pred.spacy", pred)
    accepted("score", "gold.spacy", "pred.spacy", "-o", "ents.json")
    accepted("score", "gold.spacy", "pred.spacy", "-sk", "k", "-o", "spans.json")
    ents, spans = written(here / "ents.json"), written(here / "spans.json")
    assert ents["metrics"]["strict"]["scores"] != spans["metrics"]["strict"]["scores"]
    assert ents["signature"] != spans["signature"]


def test_numbers_in_files_are_not_rounded(here):
    accepted(
        "score", "gold.jsonl", "base.jsonl", "-C", "--samples", 9, "-o", "out.json", "--per-document", "rows.jsonl"
    )
    counts = count(GOLD, create_all())
    assert written(here / "out.json") == evaluate(counts, Confidence(samples=9))
    rows = [json.loads(line) for line in (here / "rows.jsonl").read_text(encoding="utf8").splitlines()]
    assert rows == document_rows(counts)


# Per document


def test_per_document_writes_a_row_per_document_the_worst_first(here):
    rows = document_rows(count(GOLD, create_all()))
    printed = accepted("score", "gold.jsonl", "base.jsonl", "--per-document", "rows.jsonl")
    assert [json.loads(line) for line in (here / "rows.jsonl").read_text(encoding="utf8").splitlines()] == near(rows)
    assert "WRF compared with strict F in" in printed
    accepted("score", "gold.jsonl", "base.jsonl", "--per-document", "rows.csv")
    with (here / "rows.csv").open(newline="", encoding="utf8") as file:
        read = list(csv.DictReader(file))
    assert [{key: "" if value is None else str(value) for key, value in row.items()} for row in rows] == read
    assert any("" in row.values() for row in read)  # some score is undefined
    f = [float(row["strict_f"]) for row in read if row["strict_f"]]
    assert f == sorted(f)


def test_per_document_tells_of_disagreement_only_where_both_were_counted(here):
    printed = accepted("score", "gold.jsonl", "base.jsonl", "-m", "strict,fair", "--per-document", "rows.csv")
    assert "WRF" not in printed
    assert "WRF compared" not in accepted("score", "gold.jsonl", "base.jsonl")


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


def shards(here: Path, *sizes: int, more: Sequence[Any] = ()) -> list[Path]:
    """Counts of the corpus in parts."""
    start, parts = 0, []
    for size in sizes:
        part = slice(start, start + size)
        gold, pred = (jsonl(here / f"{side}{start}.jsonl", GOLD[part], side) for side in ("gold", "pred"))
        parts.append(here / f"{start}.npz")
        accepted("count", gold, pred, "-o", parts[-1], *more)
        start += size
    return parts


def test_scores_of_merged_parts_are_those_of_the_whole(here):
    parts = shards(here, 5, 1, 18)
    assert "24 documents" in accepted("merge", *parts, "-o", "all.npz")
    accepted("score", "all.npz", "-o", "merged.json", "--per-document", "merged.csv", "-C", "--samples", 20)
    accepted(
        "score", "gold.jsonl", "base.jsonl", "-o", "whole.json", "--per-document", "whole.csv", "-C", "--samples", 20
    )
    assert (here / "merged.json").read_bytes() == (here / "whole.json").read_bytes()
    assert (here / "merged.csv").read_bytes() == (here / "whole.csv").read_bytes()


def test_replicates_of_merged_parts_give_the_intervals_of_the_whole(here):
    parts = shards(here, 7, 17, more=["--replicates", 40, "--seed", 3, "-m", "strict,wrf"])
    accepted("merge", *parts, "-o", "all.npz")
    accepted("score", "all.npz", "-o", "merged.json", "--confidence", "--level", 0.8)
    counts = count(GOLD, create_all(["strict", "wrf"]))
    counts.replicates = replicate(counts, 40, 3)
    found, expected = written(here / "merged.json"), evaluate(counts, Confidence(0.8))
    drawn = {"method": "half", "level": 0.8, "samples": 40, "seed": 3, "unit": "id", "units": 24, "exact": False}
    assert found["confidence"] == drawn | {"effective_units": expected["confidence"]["effective_units"]}
    assert found["signature"] == expected["signature"]
    strict, right = (result["metrics"]["strict"]["intervals"] for result in (found, expected))
    assert strict["scores"] == near(right["scores"])
    of_wrf = (bounds(result["metrics"]["wrf"]["intervals"]["scores"]["wrf"]) for result in (found, expected))
    assert next(of_wrf) == pytest.approx(next(of_wrf), abs=1e-9)


def test_parts_of_the_same_name_without_ids_are_not_taken_for_the_same_documents(here):
    """Shards are often called alike and lie in folders of their own. Documents have random bits of their own if
    they have a text of their own; counts of the same text are refused."""
    paths = []
    for folder, text in (("one", "a"), ("other", "b"), ("copy", "a")):
        one_text = [Document([(0, 1, "A")], [(0, 1, "A")], text, tokens=[(0, 1)])]
        (here / folder).mkdir()
        gold, pred = (jsonl(here / folder / f"{side}.jsonl", one_text, side, ids=False) for side in ("gold", "pred"))
        paths.append(here / folder / "counts.npz")
        accepted("count", gold, pred, "-o", paths[-1], "--replicates", 50, "-m", "strict")
    one, other, _ = (load(path).replicates.sums.counts for path in paths)
    assert one.any() and (one != other).any()
    accepted("merge", *paths[:2], "-o", "all.npz")
    result = run("merge", paths[0], paths[2], "-o", "none.npz")
    assert result.exit_code == 1 and "are the same counts" in result.stderr
    assert not (here / "none.npz").exists()


def test_counts_of_a_model_are_those_of_its_predictions(here, model):
    write_docs(here / "gold.spacy", as_docs(GOLD, "gold"))
    accepted("count", model, "gold.spacy", "-o", "counts.npz")
    accepted("score", "counts.npz", "-o", "counts.json")
    accepted("evaluate", model, "gold.spacy", "-o", "model.json")
    assert written(here / "counts.json") == written(here / "model.json")
    assert load(here / "counts.npz").ids == [d.id for d in GOLD]


# Comparisons


def compared(here: Path, *arguments: Any) -> tuple[dict[str, Any], str]:
    printed = accepted("compare", *arguments, "-o", "compared.json")
    return written(here / "compared.json"), printed


def test_compare_writes_and_prints_the_comparison(here):
    options = ["--level", 0.9, "--samples", 30, "--seed", 5, "--trials", 200]
    result, printed = compared(here, "gold.jsonl", "base.jsonl", "other.jsonl", *options)
    systems = [
        System(f"{name}.jsonl", count(d, create_all()), [gold_outcomes(x) for x in d])
        for name, d in (("base", GOLD), ("other", OTHER))
    ]
    expected = comparison(systems, GOLD, Confidence(0.9, 30, 5), 200)
    assert result == near(expected)
    assert any(found["counts"] for found in result["transitions"])
    assert "other.jsonl against base.jsonl" in printed
    assert "Gold spans under" not in printed
    printed = accepted("compare", "gold.jsonl", "base.jsonl", "other.jsonl", *options, "-t", "all")
    assert "Gold spans under base.jsonl (rows) and other.jsonl (columns)" in printed
    assert f"Changed spans of other.jsonl (the first 10 of {len(result['transitions'][0]['spans'])})" in printed
    assert "two-sided paired permutation test over 24 documents, 200 random" in " ".join(printed.split())
    assert printed.splitlines()[-1] == result["signature"]
    row = next(row for row in result["comparisons"] if (row["metric"], row["score"]) == ("strict", "f"))
    numbers = [f"{100 * row[key]:.2f}" for key in ("baseline_value", "value", "difference")]
    low, high = (f"{100 * bound:.2f}" for bound in row["interval"])
    shown = [re.split("  +", line.strip()) for line in printed.splitlines()]
    detectable = f"{100 * row['detectable']:.2f}"
    assert ["strict", *numbers[:2], f"{numbers[2]} [{low}, {high}]", detectable, f"{row['p_holm']:.4f}"] in shown
    printed = accepted("compare", "gold.jsonl", "base.jsonl", "other.jsonl", *options, "-t", "all-differences")
    shown = [re.split("  +", line.strip()) for line in printed.splitlines()]
    assert ["strict", "f", *numbers, f"[{low}, {high}]", f"{row['p']:.4f}", f"{row['p_holm']:.4f}"] in shown


def test_compare_uses_the_promised_number_of_trials_and_samples(here):
    result, _ = compared(here, "gold.jsonl", "base.jsonl", "other.jsonl", "-m", "strict")
    assert result["swaps"] == 10_000
    assert result["confidence"] == {"level": 0.95, "samples": 1000, "seed": 0}


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
    for base, others in (
        ("base.spacy", ("rules.npz", model, "rules.spacy")),
        ("base.npz", ("rules.npz", "rules.spacy", model)),
    ):
        result, _ = compared(here, "gold.spacy", base, *others, *few)
        assert [row["value"] for row in result["comparisons"]] == values * 3
        assert [row["p"] for row in result["comparisons"]] == p * 3
        found_outcomes = [(found["system"], found["counts"], found["spans"]) for found in result["transitions"]]
        expected_outcomes = [(str(other), moved["counts"], moved["spans"]) for other in others[1:]]
        assert found_outcomes == (expected_outcomes if base == "base.spacy" else [])


def test_more_than_two_systems_are_compared_with_the_first(here):
    accepted("count", "gold.jsonl", "other.jsonl", "-o", "counts.npz")
    few = ["--samples", 10, "--trials", 50]
    result, printed = compared(here, "gold.jsonl", "base.jsonl", "other.jsonl", "counts.npz", "gold.jsonl", *few)
    assert list(dict.fromkeys(row["system"] for row in result["comparisons"])) == [
        "other.jsonl",
        "counts.npz",
        "gold.jsonl",
    ]
    assert [found["system"] for found in result["transitions"]] == ["other.jsonl", "gold.jsonl"]
    by_system = {}
    for row in result["comparisons"]:
        by_system.setdefault(row["system"], []).append({k: v for k, v in row.items() if k not in ("system",)})
    assert by_system["other.jsonl"] == by_system["counts.npz"]
    sizes = {(row["family"], row["tests"]) for row in result["comparisons"] if row["family"]}
    assert sizes == {("primary", 3), ("secondary", 15)}  # a test per system, one per system and further metric
    assert {row["metric"] for row in result["comparisons"] if row["family"] == "primary"} == {"strict"}
    assert "the primary score, strict f (3 tests); the secondary scores (15 tests)." in " ".join(printed.split())


def test_a_system_compared_with_itself_prints_no_difference(here):
    result, printed = compared(here, "gold.jsonl", "base.jsonl", "base.jsonl", "--samples", 10, "--trials", 50)
    for row in result["comparisons"]:  # no document differs, so that there is nothing to test
        assert (row["difference"], row["differing"], row["p"], row["p_holm"]) == (0, 0, None, None)
        assert row["interval"] == [None, None]
    assert re.search(r"^strict +(\d+\.\d\d) +\1 +0\.00 +- +-$", printed, re.M)
    start = "base.jsonl against base.jsonl, strict F: fixes 0 gold spans, breaks 0; the outputs differ in 0 "
    assert flat(printed).startswith(start)
    assert "Changed spans" not in printed


def test_metrics_and_their_options_are_those_given_or_those_of_the_counts(here):
    few = ["--samples", 10, "--trials", 50]
    result, _ = compared(here, "gold.jsonl", "base.jsonl", "other.jsonl", *few, "-m", "loio", "--loio.s", 1)
    assert {row["metric"] for row in result["comparisons"]} == {"loio"}
    accepted("count", "gold.jsonl", "base.jsonl", "-o", "base.npz", "-m", "loio", "--loio.s", 1)
    again, _ = compared(here, "gold.jsonl", "base.npz", "other.jsonl", *few)
    values = [[row["value"] for row in found["comparisons"]] for found in (result, again)]
    assert values[0] == values[1]


def test_below_20_documents_the_reader_is_warned(here):
    for side in ("gold", "pred"):
        jsonl(here / f"{side}.jsonl", GOLD[:19], side)
    arguments = ["--samples", 10, "--trials", 50]
    assert "⚠ Only 19 documents, effectively 1" in accepted(
        "compare", "gold.jsonl", "pred.jsonl", "pred.jsonl", *arguments
    )
    jsonl(here / "gold.jsonl", LIKE, "gold")
    jsonl(here / "pred.jsonl", LIKE, "pred")
    assert "⚠" not in accepted("compare", "gold.jsonl", "pred.jsonl", "pred.jsonl", *arguments)


def test_a_corpus_without_gold_spans_is_compared_too(here):
    """Recall has no value, and there is no span that could change."""
    empty = [Document([], d.pred, d.text, tokens=d.tokens, id=d.id) for d in GOLD[:3]]
    jsonl(here / "gold.jsonl", empty, "gold")
    jsonl(here / "base.jsonl", empty, "pred")
    few = ["--samples", 10, "--tables", "all-differences"]
    result, printed = compared(here, "gold.jsonl", "base.jsonl", "gold.jsonl", *few)
    assert [row["p"] for row in result["comparisons"] if row["score"] == "r"] == [None, None, None]
    assert re.search(r"^strict +r +- +- +- +- +- +-$", printed, re.M), printed


# Refused


SCORED = ("score", "gold.jsonl", "base.jsonl", "-C")
COMPARED = ("compare", "gold.jsonl", "base.jsonl", "other.jsonl")

BAD = {
    "samples 0": ([*SCORED, "--samples", 0, "-o", "new"], "samples = 0: expected at least 1"),
    "level 0": ([*SCORED, "--level", 0, "-o", "new"], "level = 0.0: expected a number"),
    "level 1": ([*SCORED, "--level", 1, "-o", "new"], "level = 1.0: expected a number"),
    "level 2": ([*SCORED, "--level", 2, "-o", "new"], "level = 2.0: expected a number"),
    "level nan": ([*SCORED, "--level", "nan", "-o", "new"], "level = nan"),
    "seed -1": ([*SCORED, "--seed", -1, "-o", "new"], "seed = -1"),
    "counts and metrics": (["score", "counts.npz", "--metrics", "strict", "-o", "new"], "counts.npz is a count file"),
    "counts and options": (["score", "counts.npz", "--loio.s", 1, "-o", "new"], "counts.npz is a count file"),
    "counts and predictions": (["score", "counts.npz", "base.jsonl", "-o", "new"], "counts.npz is a count file"),
    "counts that are none": (["score", "text.npz", "-o", "new"], "text.npz does not hold counts"),
    "counts that are not there": (["score", "none.npz", "-o", "new"], "none.npz does not exist"),
    "no predictions": (["score", "gold.jsonl", "-o", "new"], "predictions to score against gold.jsonl are missing"),
    "unknown suffix": (["score", "gold.txt", "base.jsonl", "-o", "new"], "cannot infer the format of gold.txt"),
    "unknown suffix of predictions": (
        ["count", "gold.jsonl", "base.txt", "-o", "new"], "cannot infer the format of base.txt"
    ),
    "suffix of rows": (
        ["score", "gold.jsonl", "base.jsonl", "--per-document", "new.txt", "-o", "new"],
        "--per-document new.txt: expected a .jsonl or .csv file",
    ),
    "no folder for rows": (
        ["score", "gold.jsonl", "base.jsonl", "--per-document", "none/new.csv", "-o", "new"], "no directory none"
    ),
    "no folder for counts": (["count", "gold.jsonl", "base.jsonl", "-o", "none/new.npz"], "there is no directory none"),
    "no gold to count": (["count", "none.jsonl", "base.jsonl", "-o", "new.npz"], "none.jsonl does not exist"),
    "no predictions to count": (["count", "gold.jsonl", "none.jsonl", "-o", "new.npz"], "none.jsonl does not exist"),
    "no model to count": (["count", "no_such_model", "gold.spacy", "-o", "new.npz"], "no_such_model"),
    "seed of replicates": (
        ["count", "gold.jsonl", "base.jsonl", "--replicates", 5, "--seed", -1, "-o", "new.npz"], "seed = -1"
    ),
    "other metrics to merge": (
        ["merge", "counts.npz", "one.npz", "-o", "new.npz"], "counts.npz and one.npz cannot be merged"
    ),
    "text to merge": (["merge", "counts.npz", "text.npz", "-o", "new.npz"], "text.npz does not hold counts"),
    "nothing there to merge": (["merge", "counts.npz", "none.npz", "-o", "new.npz"], "none.npz does not exist"),
    "predictions to merge": (["merge", "base.jsonl", "-o", "new.npz"], "base.jsonl does not hold counts"),
    "no folder to merge to": (["merge", "counts.npz", "-o", "none/new.npz"], "there is no directory none"),
    "one system": (["compare", "gold.jsonl", "base.jsonl", "-o", "new"], "needs a baseline and another system"),
    "one system and options": (
        ["compare", "gold.jsonl", "base.jsonl", "--loio.s", 1, "-o", "new"], "needs a baseline and another system"
    ),
    "a system that is not there": (["compare", "gold.jsonl", "base.jsonl", "none.jsonl", "-o", "new"], "none.jsonl"),
    "counts that are no system": (["compare", "gold.jsonl", "base.jsonl", "none.npz", "-o", "new"], "none.npz"),
    "a model that is not there": (["compare", "gold.spacy", "no_such", "base.jsonl", "-o", "new"], "no_such"),
    "no gold": (["compare", "none.jsonl", "base.jsonl", "other.jsonl", "-o", "new"], "none.jsonl"),
    "no gold for counts": (["compare", "none.jsonl", "counts.npz", "counts.npz", "-o", "new"], "none.jsonl"),
    "other metrics": (
        ["compare", "gold.jsonl", "counts.npz", "one.npz", "-o", "new"], "cannot be compared: one has the metrics"
    ),
    "metrics unlike those of the counts": (
        ["compare", "gold.jsonl", "counts.npz", "base.jsonl", "-m", "fair", "-o", "new"], "cannot be compared"
    ),
    "other documents": (["compare", "gold.jsonl", "base.jsonl", "fewer.npz", "-o", "new"], "in both systems: doc 23"),
    "samples of a comparison": (
        [*COMPARED, "--samples", 0, "-o", "new"], "samples = 0: expected at least 1"
    ),
    "level of a comparison": (
        [*COMPARED, "--level", 1, "-o", "new"], "level = 1.0: expected a number"
    ),
    "no folder for a comparison": (
        [*COMPARED, "-o", "none/new"], "there is no directory none"
    ),
    "unknown metric": ([*COMPARED, "-m", "x", "-o", "new"], "no metric 'x'"),
    "unknown option": (
        [*COMPARED, "--loio.x", 1, "-o", "new"], "no option 'x'"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def spoilt_once(tmp_path_factory) -> Path:
    """Also counts, and what only looks like it."""
    folder = filled(tmp_path_factory.mktemp("spoilt"))
    jsonl(folder / "one.jsonl", GOLD[:1], "gold")
    for side in ("gold", "pred"):
        jsonl(folder / f"fewer_{side}.jsonl", GOLD[:23], side)
    for files, metrics, name in (
        (("gold.jsonl", "base.jsonl"), "strict,wrf", "counts.npz"),
        (("one.jsonl", "one.jsonl"), "strict", "one.npz"),
        (("fewer_gold.jsonl", "fewer_pred.jsonl"), None, "fewer.npz"),
    ):
        more = ["-m", metrics] if metrics else []
        accepted("count", *(folder / file for file in files), "-o", folder / name, *more)
    write_docs(folder / "gold.spacy", as_docs(GOLD, "gold"))
    for name in ("text.npz", "gold.txt", "base.txt"):
        (folder / name).write_text("hello")
    return folder


@pytest.fixture
def spoilt(spoilt_once, monkeypatch) -> Path:
    monkeypatch.chdir(spoilt_once)
    return spoilt_once


@pytest.mark.parametrize(("arguments", "said"), BAD.values(), ids=BAD.keys())
def test_a_mistake_is_one_line_and_leaves_no_file(spoilt, arguments, said):
    before = {path: path.read_bytes() for path in spoilt.rglob("*") if path.is_file()}
    result = run(*arguments)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("✘ ") and said in line
    assert {path: path.read_bytes() for path in spoilt.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "arguments",
    [
        [*COMPARED, "--trials", 0, "-o", "new"],
        ["count", "gold.jsonl", "base.jsonl", "--replicates", -1, "-o", "new.npz"],
        ["count", "gold.jsonl", "base.jsonl"],
        ["merge", "-o", "new.npz"],
        [*SCORED, "--samples", "many", "-o", "new"],
        ["compare", "-o", "new"],
    ],
    ids=lambda arguments: " ".join(map(str, arguments)),
)
def test_a_number_out_of_range_or_a_missing_argument_is_refused_as_by_every_command_of_spacy(here, arguments):
    before = sorted(here.iterdir())
    result = run(*arguments)
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code == 2
    assert "Traceback" not in result.output and ("Invalid value" in result.output or "Missing" in result.output)
    assert sorted(here.iterdir()) == before


def test_a_failed_command_leaves_the_old_output_as_it_was(spoilt):
    for name, arguments in (
        ("new.npz", ["merge", "counts.npz", "text.npz", "-o", "new.npz"]),
        ("new.json", ["score", "one.jsonl", "base.jsonl", "-C", "-o", "new.json"]),
        ("new.json", ["compare", "gold.jsonl", "counts.npz", "one.npz", "-o", "new.json"]),
    ):
        (spoilt / name).write_text("old")
        assert run(*arguments).exit_code == 1
        assert (spoilt / name).read_text() == "old"
        (spoilt / name).unlink()


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
    # Three documents have no more than 8 half-samples.
    drawn = {"method": "half", "samples": 8, "unit": "id", "units": 3, "exact": True, "effective_units": ANY}
    assert with_intervals[key]["confidence"] == drawn | {"level": 0.9, "seed": 1}
    assert usual[key]["confidence"] == drawn | {"level": 0.95, "seed": 0}
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


def test_a_config_names_the_confidence_of_a_scorer_and_of_the_component():
    nlp = spacy.blank("en")
    scorer = {"@scorers": "spacy-nereval.ner_scorer.v1", "metrics": {"strict": {}}, "confidence": {"samples": 15}}
    nlp.add_pipe("ner", config={"scorer": scorer}).add_label("PER")
    nlp.add_pipe("nereval", config={"metrics": {"loio": {}}, "confidence": {"samples": 6}, "spans_keys": ["k"]})
    nlp = spacy.blank("en").from_config(nlp.config)
    nlp.initialize()
    assert nlp.get_pipe("ner").scorer.confidence == Confidence(samples=15)
    scores = nlp.get_pipe("nereval").score(examples())
    for key in ("ents_nereval", "spans_k_nereval"):
        assert scores[key]["confidence"]["samples"] == 6
        assert scores[key]["metrics"]["loio"]["intervals"]["scores"]["f"]
    with pytest.raises(ConfigValidationError):
        spacy.blank("en").add_pipe("nereval", config={"confidence": {"level": 3}})


@pytest.mark.parametrize(
    "make", [make_ner_scorer, lambda **o: make_spans_scorer(spans_key="k", **o)], ids=["ents", "spans"]
)
def test_few_documents_or_none_never_end_a_run(make):
    """With an empty or tiny development set, training goes on: there are no intervals, or they are flagged."""
    blank = example(doc("Ada", annotated=False), doc("Ada"))
    for some, documents in (([], 0), ([blank], 0), (examples()[:1], 1), (examples()[:1] + [blank], 1)):
        scores = make(confidence={})(some)
        (key,) = (key for key in scores if key.endswith("_nereval"))
        assert (scores[key]["documents"], scores[key]["confidence"]) == (documents, None)
        assert "intervals need at least 2" in scores[key]["notes"][0]
        assert {own["intervals"] for own in scores[key]["metrics"].values()} == {None}
        json.dumps(scores[key], allow_nan=False)
    result = make(confidence={})(examples()[:2])[key]
    assert (result["documents"], result["confidence"]["units"]) == (2, 2)
    for name, metric in result["metrics"].items():
        for score, found in metric["intervals"]["scores"].items():
            low, high = bounds(found)
            if metric["scores"][score] is None:
                assert (low, high, found["flag"]) == (None, None, "undefined"), (name, score)
            else:
                assert low < high and found["flag"] == "few", (name, score)


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


def test_predictions_in_another_order_are_paired_by_id(here):
    jsonl(here / "shuffled.jsonl", OTHER[::-1], "pred")
    accepted("compare", "gold.jsonl", "base.jsonl", "other.jsonl", "--trials", 50, "--samples", 20, "-o", "same.json")
    accepted("compare", "gold.jsonl", "base.jsonl", "shuffled.jsonl", "--trials", 50, "--samples", 20, "-o", "new.json")
    same, new = (written(here / name)["comparisons"] for name in ("same.json", "new.json"))
    assert [row | {"system": ""} for row in new] == [row | {"system": ""} for row in same]


def test_predictions_that_lack_a_document_are_refused_with_its_id(here):
    jsonl(here / "fewer.jsonl", OTHER[1:], "pred")
    result = run("compare", "gold.jsonl", "base.jsonl", "fewer.jsonl")
    assert (result.exit_code, result.stderr) == (1, f"✘ fewer.jsonl lacks 1 document: {OTHER[0].id}\n")


def test_counts_made_in_several_processes_score_as_those_of_one(here):
    """Intervals included, to the last byte."""
    jsonl(here / "first.jsonl", GOLD[:9], "gold")
    jsonl(here / "second.jsonl", GOLD[9:], "gold")
    jsonl(here / "first-pred.jsonl", OTHER[:9], "pred")
    jsonl(here / "second-pred.jsonl", OTHER[9:], "pred")
    for part in ("first", "second"):
        files = f"{part}.jsonl", f"{part}-pred.jsonl", "-o", f"{part}.npz"
        done = python("-c", f"{WITHOUT_SPACY}\nnereval()", "count", *files, cwd=here)
        assert done.returncode == 0, done.stderr
    accepted("merge", "first.npz", "second.npz", "-o", "all.npz")
    accepted("score", "all.npz", "-C", "--samples", 50, "-o", "several.json")
    accepted("score", "gold.jsonl", "other.jsonl", "-C", "--samples", 50, "-o", "one.json")
    assert (here / "several.json").read_bytes() == (here / "one.json").read_bytes()
