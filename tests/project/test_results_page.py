"""assets/trials/results.md: written from the kept counts of runs, and no sentence says more than they carry."""

import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import spacy
from annotators import shared
from places import ROOT, script
from refusals import refused_with
from scipy import stats
from twin_statistics import wilson

from spacy_nereval import Document, count, create_all
from spacy_nereval.counting.counts import Counts
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.resampling import Confidence
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.features.agreement.agreement_counts import AgreementCounts
from spacy_nereval.io.count_files import load, save
from spacy_nereval.reporting.comparison_view import ComparisonView

results = script("results")
kept, summaries = (sys.modules[name] for name in ("kept", "summaries"))

GOLD = (0, 3, "PART")
SPURIOUS = (8, 11, "PART")
DOCUMENTS = 40


def counts(*predicted: Sequence[tuple[int, int, str]], gold: Sequence[Sequence[tuple]] | None = None) -> Counts:
    """The counts of documents with one gold span each, or those given, and these predictions."""
    sides = zip(gold or [[GOLD]] * len(predicted), predicted)
    documents = [Document(g, p, "oil pump leaks", id=f"d{k}") for k, (g, p) in enumerate(sides)]
    return count(documents, create_all())


def hits(number: int) -> Counts:
    """The counts of a run that finds the span in the first documents only."""
    return counts(*([GOLD] if k < number else [] for k in range(DOCUMENTS)))


def written(folder: Path, trials: dict[str, list[Counts]]) -> Path:
    """A folder of kept runs, as scripts/trials.py writes it."""
    made = []
    for name, runs in trials.items():
        for seed in range(len(runs)):
            overrides = {"system.seed": seed}
            if name == "paper":
                overrides |= {"training.max_steps": 60, "training.eval_frequency": 10}
                overrides["training.accumulate_gradient"] = 1
            settings = {"config": f"{name}.cfg", "config_sha256": "c", "texts_sha256": "t", "overrides": overrides}
            settings |= {"gpu_id": -1, "versions": {"spacy": "3", "torch": "2", "spacy-nereval": "0"}}
            more = {"machine": {"processor": "P", "cores": 2}, "finished": "2030-01-01T00:00:00", "rates": []}
            more |= {"transformer": "assets/weights" if name == "paper" else None}
            numbers = {"seconds": 7.5, "words": 100, "steps": 60, "epochs": 6}
            made.append(kept.TrainingRun(pipeline=name, seed=seed, settings=settings, **more, **numbers))
    index = kept.Index(format=kept.FORMAT, corpus=folder.name, texts={"test": DOCUMENTS}, test_sha256="s", trials=made)
    kept.write(folder, index, [own for runs in trials.values() for own in runs])
    return folder


UNLIKE = {"cpu": [hits(20), hits(20), hits(20)], "paper": [hits(20), hits(40), hits(30)]}


def page_of(folder: Path) -> str:
    """The page of made-up runs, from a tenth of the usual half-samples."""
    with patch.object(summaries, "CONFIDENCE", Confidence(samples=100)):
        made: str = results.page(folder)
    return made


@pytest.fixture(scope="module")
def unlike(tmp_path_factory) -> str:
    """The page of these runs on one corpus."""
    return page_of(written(tmp_path_factory.mktemp("kept") / "maintie", UNLIKE).parent)


# The page


def test_the_page_begins_with_one_table_of_every_pipeline(unlike):
    first = unlike.split("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in first.splitlines() if line.startswith("| ")]
    assert rows[0] == ["corpus", "pipeline", "runs", "strict F", "fair F", "WRF"]
    assert [row[:3] for row in rows[2:]] == [["maintie", name, "3"] for name in UNLIKE]
    for row, runs in zip(rows[2:], UNLIKE.values()):
        mean = np.mean([evaluate(own)["metrics"]["fair"]["scores"]["f"] for own in runs])
        assert row[4].split(" [")[0] == f"{100 * mean:.2f}"
    assert all(f"- *{name}*: " in first for name in UNLIKE)


@pytest.mark.slow
def test_the_page_of_the_repository_is_what_its_counts_say():
    page = (ROOT / "assets" / "trials" / "results.md").read_text(encoding="utf8")
    assert page == results.page(ROOT / "assets" / "trials"), "run python scripts/results.py"
    corpora = {path.parent.name for path in (ROOT / "assets" / "trials").glob("*/trials.json")}
    assert {*re.findall(r"^## (\w+)$", page, flags=re.M)} - {"Details"} == corpora
    assert corpora
    # "About equally frequent" is the only use of that word.
    for word in ("significant", "trend", "no difference", "proves", "equal "):
        assert word not in page.lower().replace("about equally", "")
    verdicts = [line for line in page.splitlines() if re.search(r"scores (higher|lower) than|not settled", line)]
    said = r"- \*\*\w+ against \w+, means of .*: strict F .*\.\*\*$"
    assert verdicts and all(re.match(said, line) for line in verdicts)


def test_tables_and_the_verdict_of_the_package_come_first_and_every_run_is_printed(unlike):
    short, long = unlike.split("\n## Details\n")
    found = ComparisonView(comparison([System(name, runs) for name, runs in UNLIKE.items()], [])).opening()
    assert len(found) == 1 and f"- **{found[0]}**" in short
    assert short.count("\n| --- |") == 2, "that of all pipelines, and that of the corpus"
    assert "Few runs" in short and "another processor" in " ".join(short.split())
    row = next(line for line in short.splitlines() if line.startswith("| strict |"))
    # F of 20, 30 and 40 hits of 40 spans: 2 * hits/(hits + 40).
    values = [100 * 2 * n / (n + DOCUMENTS) for n in (20, 40, 30)]
    assert f"| {np.mean(values):.2f} [" in row and row.endswith(f"| {np.std(values, ddof=1):.2f} |")
    scores = [line for line in long.splitlines() if line.startswith("| strict_f |")]
    assert len(scores) == 2 and scores[1].endswith("| " + " | ".join(f"{value:.2f}" for value in values) + " |")
    assert "run gpu . --vars.corpus maintie --vars.epochs 6" in long
    assert "training ends after at most 6 of 12 epochs" in long
    assert "cpu=assets/trials/maintie/cpu-*.npz" in long


def test_runs_that_differ_a_lot_leave_a_difference_unsettled_that_pooled_documents_would_not(unlike):
    assert "paper against cpu, means of 3 and 3 training runs" in unlike and "; not settled: between" in unlike
    assert "scores higher" not in unlike
    pooled = [System(name, runs[0] + runs[1] + runs[2]) for name, runs in UNLIKE.items()]
    (said,) = ComparisonView(comparison(pooled, [])).opening()
    assert "paper scores higher than cpu" in said


@pytest.mark.slow
def test_single_runs_pipelines_on_nested_spans_and_corpora_without_runs_are_told_apart(unlike, tmp_path):
    nested = [hits(30), hits(31)]
    for own in nested:
        own.spans_key = "sc"
    written(tmp_path / "wnut17", {"cpu": [hits(10)], "paper": [hits(35)]})
    written(tmp_path / "maintie", {**UNLIKE, "spancat": nested})
    page = page_of(tmp_path)
    maintie, wnut = page.split("\n## maintie\n")[1].split("\n## wnut17\n")
    assert "spancat is scored on nested spans" in maintie
    assert "spancat against" not in maintie and "paper against cpu" in maintie
    wnut = wnut.split("\n## ")[0]
    assert "paper scores higher than cpu on similar texts" in wnut
    assert "retraining variance is not included" in wnut and "Few runs" not in wnut
    assert "No training runs are kept of warranty, so this page" in page
    assert "No training runs are kept of warranty and wnut17, so this page says nothing about them." in unlike
    assert results.without_runs(["maintie", "warranty", "wnut17"]) == []


# The numbers


def test_one_run_has_the_intervals_that_the_package_gives():
    one = hits(33)
    found = summaries.over_runs([one])
    package = evaluate(one, Confidence())["metrics"]
    assert len(found) > 20
    for key, own in found.items():
        name = own.score.name
        bounds = package[own.metric.name]["intervals"]["scores"][name]
        assert own.interval == (pytest.approx(bounds["low"], abs=1e-15), pytest.approx(bounds["high"], abs=1e-15)), key
        assert (own.mean, own.sd) == (package[own.metric.name]["scores"][name], None)


# What to work on


def of_documents(missed: int, spurious: int, right: int) -> Counts:
    """The counts of so many documents that each miss a span, have a spurious one, or are right."""
    gold = [[GOLD]] * missed + [[]] * spurious + [[GOLD]] * right
    predicted = [[]] * missed + [[SPURIOUS]] * spurious + [[GOLD]] * right
    return counts(*predicted, gold=gold)


MANY = [(k, k + 1, "PART") for k in range(6)]
FEW, LIKE = "There are too few errors", "About equally frequent, as far as these runs tell: missed spans and spurious "
MISSED = "The most frequent errors are missed spans, so work on recall"
ADDED = "The most frequent errors are spurious spans, so work on precision"

FREQUENT = [
    ([of_documents(40, 12, 10)], MISSED),
    ([of_documents(12, 40, 10)], ADDED),
    ([of_documents(14, 12, 30)], LIKE),
    ([of_documents(0, 0, 30)], "There is no error."),
    # A kind without errors is never called as frequent.
    ([of_documents(3, 0, 30)], f"{FEW} to say which kind is the most frequent."),
    # Errors of one document are not many independent ones: 30 missed spans, and 60.
    ([counts(*[[]] * 5, *[[SPURIOUS]] * 12, gold=[MANY] * 5 + [[]] * 12)], FEW),
    ([of_documents(30, 12, 0)], MISSED),
    ([counts(*[[]] * 10, *[[SPURIOUS]] * 28, gold=[MANY] * 10 + [[]] * 28)], LIKE),
    ([of_documents(60, 28, 0)], MISSED),
    # Runs that disagree leave it open.
    ([of_documents(36, 16, 0), of_documents(36, 16, 0)], MISSED),
    ([counts(*[[]] * m, *[[GOLD, SPURIOUS]] * (40 - m), gold=[[GOLD]] * 40) for m in (38, 19)], LIKE),
]


@pytest.mark.parametrize(("runs", "sentence"), FREQUENT)
def test_the_most_frequent_kind_of_error_is_named_if_it_stands_out(runs, sentence):
    assert results.work_on(summaries.errors(runs)).startswith(sentence)


def test_the_margin_is_that_of_the_binomial_where_documents_have_one_error_each():
    found = summaries.errors([of_documents(40, 20, 10)])
    low, high = found.against["spurious spans"]
    # Influences have a standard error of about that of 60 independent errors.
    expected = wilson(2 / 3, 60, stats.t.ppf(0.975, 59))
    assert (low, high) == (pytest.approx(expected[0], abs=0.02), pytest.approx(expected[1], abs=0.02))
    assert found.next == "spurious spans" and found.as_frequent == []


# The page of results names every key of a comparison and of annotators' agreement


def named(heading: str) -> set[str]:
    """The keys that a section of the page names."""
    page = (ROOT / "docs" / "reference" / "result.md").read_text(encoding="utf8")
    return {*re.findall(r"`([a-z_0-9]+)`", page.split(f"## Result of {heading}")[1].split("## Result of ")[0])}


def test_the_page_names_every_key_of_a_comparison_and_every_flag() -> None:
    result = comparison([System(name, counts([GOLD])) for name in "ab"], [])
    assert {*result, *result["comparisons"][0], "few", "unbounded"} <= named("a comparison")


def test_the_page_names_every_key_of_an_agreement() -> None:
    own = {"a": [(0, 3, "PER"), (8, 11, "X")], "b": [(0, 3, "ORG")], "c": [(0, 7, "PER")]}
    sides = {f"d{k}": own for k in range(3)}
    given = shared(sides, dict.fromkeys(sides, "Ada met Bob"))
    result = AgreementCounts(given, create_all(["strict"])).result(Confidence())
    assert {row["kind"] for row in result["differences"]} == {"boundary", "label", "missing"}
    tables = [result, *(result[key] for key in ("units", "u_alpha", "consensus")), result["metrics"]["strict"]["f"]]
    tables += [result["pairs"][0], *result["same_words"], *(rows[0] for rows in result["disputes"].values())]
    for row in result["differences"]:
        tables += [row, row["example"], *row["pairs"], *row["places"]]
    for table in tables:
        assert {*table} <= named("annotators"), {*table} - named("annotators")


# The page of the warranty corpus says what its files hold


FOLDER = ROOT / "assets" / "warranty"
nlp = spacy.blank("en")


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_the_numbers_of_the_page_are_those_of_the_files_and_every_span_begins_and_ends_with_a_token(split):
    entries = [json.loads(line) for line in (FOLDER / f"{split}.jsonl").read_text(encoding="utf8").splitlines()]
    labels = Counter(span["label"] for entry in entries for span in entry["spans"])
    without = sum(not entry["spans"] for entry in entries)
    row = f"| {split} | {len(entries)} | {without} | {labels['FAILURE_LOC']:,} | {labels['FAILURE_TYPE']:,} |"
    assert row in (FOLDER / "README.md").read_text(encoding="utf8")
    for entry in entries:
        doc = nlp.make_doc(entry["text"])
        for span in entry["spans"]:
            assert doc.char_span(span["start"], span["end"]) is not None, (entry["id"], span)


def test_the_scores_that_the_page_compares_with_are_those_of_the_results():
    page = " ".join((FOLDER / "README.md").read_text(encoding="utf8").split())
    results = (ROOT / "assets" / "trials" / "results.md").read_text(encoding="utf8").split("\n## warranty\n")[1]
    (row,) = [line for line in results.split("\n## ")[0].splitlines() if line.startswith("| strict |")]
    cpu, paper = (float(cell.split("[")[0]) for cell in row.split("|")[2:6:2])
    assert f"reaches {cpu:.1f} and a fine-tuned transformer {paper:.1f}" in page


# The kept counts of training runs: what does not belong together is refused, and nothing is replaced in part


def edited(change) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        path = folder / "trials.json"
        index = json.loads(path.read_text(encoding="utf8"))
        change(index)
        path.write_text(json.dumps(index), encoding="utf8")

    return apply


def swap(folder: Path) -> None:
    (folder / "cpu-0.npz").rename(folder / "x")
    (folder / "cpu-1.npz").rename(folder / "cpu-0.npz")
    (folder / "x").rename(folder / "cpu-1.npz")


DAMAGED = [
    (lambda folder: (folder / "trials.json").unlink(), "trials.json is not there"),
    (lambda folder: (folder / "trials.json").write_text("{"), "trials.json is not of the format"),
    (edited(lambda index: index.pop("format")), "is not of the format 'spacy-nereval trials 1' (format: "),
    (edited(lambda index: index.update(format="spacy-nereval trials 0")), "is not of the format"),
    (edited(lambda index: index.update(corpus="wnut17")), "is about the corpus wnut17, not maintie"),
    (edited(lambda index: index["trials"].pop()), "disagree about paper-2.npz"),
    (edited(lambda index: index["trials"][0].update(seconds=1)), "was counted from something else"),
    (edited(lambda index: index.update(test_sha256="other")), "was counted from something else"),
    (lambda folder: (folder / "cpu-0.npz").unlink(), "disagree about cpu-0.npz"),
    (lambda folder: (folder / "cpu-0.npz").rename(folder / "cpu-3.npz"), "disagree about cpu-0.npz, cpu-3.npz"),
    (lambda folder: (folder / "cpu-0.npz").write_bytes(b"PK"), "cpu-0.npz is not a count file, or is damaged"),
    (swap, "cpu-0.npz was counted from something else"),
    # As `nereval count` writes it: without what made it.
    (lambda folder: save(load(file := folder / "cpu-0.npz"), file), "cpu-0.npz was counted from something else"),
]


@pytest.mark.parametrize(("change", "reason"), DAMAGED)
def test_files_that_do_not_belong_together_are_one_line_with_the_remedy(tmp_path, capsys, change, reason):
    folder = written(tmp_path / "kept" / "maintie", UNLIKE)
    change(folder)
    assert reason in refused(tmp_path, capsys)


def refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that scripts/results.py says before it gives up; what was written before stays."""
    page = folder / "results.md"
    page.write_text("as before", encoding="utf8")
    with pytest.raises(SystemExit) as ended:
        results.main(folder / "kept", page)
    assert ended.value.code == 1 and page.read_text(encoding="utf8") == "as before"
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("✘ ") and "python" in line
    return line


def test_a_folder_without_trials_or_of_another_corpus_is_refused(tmp_path, capsys):
    assert "has no training runs of a corpus: run `python -m spacy project run gpu .`" in refused(tmp_path, capsys)
    written(tmp_path / "kept" / "maintie", UNLIKE)
    shutil.copytree(tmp_path / "kept" / "maintie", tmp_path / "kept" / "other")
    with pytest.raises(ValueError, match="a folder other, and there is no such corpus"):
        results.page(tmp_path / "kept")


def test_trials_that_were_trained_in_different_ways_are_refused(tmp_path):
    folder = written(tmp_path / "maintie", UNLIKE)
    index = kept.Index.model_validate_json((folder / "trials.json").read_bytes())
    index.trials[-1].settings.overrides["training.max_steps"] = 50
    kept.write(folder, index, [own for runs in UNLIKE.values() for own in runs])
    with pytest.raises(ValueError, match="the training runs of paper had different settings"):
        kept.read(folder)


def test_what_is_written_takes_the_place_of_all_earlier_trials_or_of_none(tmp_path):
    folder = written(tmp_path / "maintie", UNLIKE)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    index = kept.Index.model_validate_json((folder / "trials.json").read_bytes())

    def fails():
        yield hits(1)
        raise ValueError("a model cannot be loaded")

    with refused_with(ValueError, "a model cannot be loaded"):
        kept.write(folder, index, fails())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["maintie"]
    written(folder, {"cpu": [hits(5)]})
    assert sorted(path.name for path in folder.iterdir()) == ["cpu-0.npz", "trials.json"]
    assert [own.number_of(("hit",)) for own in kept.read(folder).counts["cpu"]] == [5]
