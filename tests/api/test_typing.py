"""The package is typed: a user's script passes mypy, and pyright knows every public type."""

import json
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

import pytest

import spacy_nereval
from spacy_nereval import create
from spacy_nereval.api.accessors import MetricName, ScoreKey

pytestmark = pytest.mark.costly

UNTYPED = ("spacy_nereval.integration.", "spacy_nereval.cli.", "spacy_nereval.features.leaderboard.kept_counts.")
"""Modules with types of spaCy and typer, and one that derives from a class of `cli`."""


SCRIPT = """
from collections.abc import Iterator
from tempfile import TemporaryDirectory

from spacy_nereval import Agreement, Comparison, Confidence, Corrections, Counts, DataSets, Document, Gate, Leaderboard
from spacy_nereval import Plan, Result, Thresholds, agreement, apply, compare, create, datasets, evaluate, gate, merge
from spacy_nereval import leaderboard, plan, score, thresholds
from spacy_nereval.authoring import Metric, OverlapGroup, Verdict, one_each, prf, prf_scores
from spacy_nereval.compat.evaluate import compute
from spacy_nereval.compat.seqeval import classification_report, f1_score
from spacy_nereval.testing import check_laws

gold = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]
pred = [["B-PER", "O", "O"], ["O", "B-LOC", "O"]]
result: Result = score(gold, pred, ["strict", "fair"], Confidence(samples=20))
text: str = result.summary(average="macro", digits=1)
rows: list[dict[str, object]] = result.errors(labels=["PER"])
f: float = f1_score(gold, pred)
report = classification_report(gold, pred, output_dict=True)
overall: float = compute(predictions=pred, references=gold)["overall_f1"]
found: Comparison = compare({"a": pred, "b": gold}, gold, {"fair": {"unit": "char"}}, samples=20, trials=20)
spans = score([[(0, 3, "PER")]], [[{"start": 0, "end": 3, "label": "PER"}]], text=["Ada"])
reread = score(gold, pred, scheme="IOB2", repair="conll", labels={"PER": None}, only=["LOC"], sep="-", end="exclusive")
both = score([Document([(0, 3, "PER")], [], "Ada")], ["strict"])
signature: str = spans.signature + found.signature
values: list[float | None] = [result["fair"].f, result["fair"].labels["PER"].f, result["strict_f"], result.fair["f"]]
values += [result.fair.p, result.fair.value, result["fair.f"], result.labels["PER"].fair.f, result.fair.labels["PER"].f]
values += [result.headline.value, result.scores["fair_f"], result.fair.scores["f"], result.labels["PER"]["strict.f"]]
values += [result.labels["PER"].scores["fair_f"]]
interval = result.fair.interval("f") or result.headline.interval
low: float = interval.low if interval else 0.0
number: int = result.confusion("fair")["PER", "PER"] + result.fair.confusion["PER"]["PER"] + result.fair.counts["tp"]
words: str = result.headline.name + result.headline.direction + result.conclusion + result.to_json() + result.fair.name
plain: dict[str, object] = result.to_dict()
mean: float = result.fair.averages["macro"]["f"]
both_ways: dict[str, float | None] = {**evaluate(gold, pred, "strict,fair", confidence=True).scores}
counts: Counts = merge([result, result.counts])
documents: int = evaluate(counts)["documents"]
between = agreement({"a": gold, "b": pred}, confidence={"level": 0.9})
spans_with_scores = [[{"start": 0, "end": 3, "label": "PER", "score": 0.9}]]
best = thresholds([[(0, 3, "PER")]], spans_with_scores, "strict")
released: Gate = gate({"gate": {"rules": {"f": {"score": "strict_f", "at_least": 1}}}}, gold * 9, pred * 9)
pilot: Plan = plan(gold * 9, pred * 9, gold * 9, difference=2, score="strict_f")
needed: dict[str, int | None] = pilot.documents_needed
every = (result, found, between, best, released, pilot)
for each in every:
    words += each.conclusion + each.signature + each.to_json() + each.summary() + str(each.show())
    values.append(each.headline.value)
    plain = each.to_dict()
rows += found.rows + between.rows + best.rows + released.rows
passed: bool = released.passed and released.verdict == "met" and released.rules[0].required
cut: float = best.cuts.of("PER") + (best.best["cut"] or 0.0) + len(best.curve("strict")["cut"]) + len(best.errors())
pairs: list[Counts] = [*between.counts.values()]
disputed: int = len(between.errors(["LOC"]))
page: str = str(result.render(0)) + str(spans.render(0, "strict"))
labels: list[str] = [*result.labels, result.labels["PER"].label, result.labels["PER"].fair.name, *result.fair.labels]
labels += [*result.fair.confusion.labels, *result.fair.keys, result.headline.direction]
bound: float = result.headline.interval.high if result.headline.interval else 1.0
corrections: Corrections = apply([{"text": "Ada", "spans": []}], [])
values.append(score(corrections.gold, corrections.gold, "strict").strict.f)
changes: int = len(corrections.changes)
with TemporaryDirectory() as folder:
    for each in every:
        each.save(f"{folder}/{type(each).__name__}.json")
    values.append(Result.load(f"{folder}/Result.json").fair.f)
    comparison: Comparison = Comparison.load(f"{folder}/Comparison.json")
    between_again: Agreement = Agreement.load(f"{folder}/Agreement.json")
    cuts_again: Thresholds = Thresholds.load(f"{folder}/Thresholds.json")
    plan_again: Plan = Plan.load(f"{folder}/Plan.json")
    gate_again: Gate = Gate.load(f"{folder}/Gate.json")
again: Comparison = compare({"a": score(gold, gold), "b": score(gold, pred)}, primary="fair_f")
over_sets: DataSets = datasets({"one": again, "two": compare({"a": pred, "b": gold}, gold)}, score="fair.f")
number += over_sets.least + len(over_sets.rows)
ranked: Leaderboard = leaderboard({"one": (gold, {"a": pred, "b": gold}), "two": {"a": result}}, primary="fair.f")
number += len(ranked.rows)
if not text:
    result.save("result.json")
    print(result.to_frame("all"), *(each.to_frame() for each in every[1:]), result.fair.confusion.to_frame())
    print(spans.report(height=400), found.show("spans"))


def judge(group: OverlapGroup) -> Iterator[Verdict]:
    yield from (Verdict("fn", span, None) for span in group.gold)
    yield from (Verdict("fp", None, span) for span in group.pred)


columns = one_each("tp", "fp", "fn")
metric = Metric(prf_scores("own", key="own"), columns, lambda n: prf(n["tp"], n["fp"], n["fn"]), judge=judge)
check_laws(metric, laws=["counts_add"])
print(create("fair").name, result.counts.documents)
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """A folder with the package: an editable installation is not where mypy and pyright look."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(Path(spacy_nereval.__file__).parent, folder / "spacy_nereval")
    return folder


@pytest.mark.slow
def test_a_users_script_runs_and_passes_mypy(package, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout == "fair 2\n"
    if not find_spec("mypy"):  # that the script runs is tested all the same
        pytest.skip("mypy, of the extra `dev`, is not installed")
    # The types of the package count; those of other packages take most of the time.
    others = ("--ignore-missing-imports", "--no-site-packages", "--follow-imports=silent")
    command = (sys.executable, "-m", "mypy", "--strict", *others, "--cache-dir", tmp_path / "cache", script)
    with script.open("a", encoding="utf8") as file:
        file.write("reveal_type(result.summary())\n")
    done = subprocess.run(command, capture_output=True, text=True, cwd=package)
    assert done.returncode == 0, done.stdout
    assert 'Revealed type is "str"' in done.stdout


def test_the_typed_names_are_those_of_the_metrics():
    points = entry_points(group="spacy_nereval_metrics")
    own = [point.name for point in points if point.value.startswith("spacy_nereval.")]
    assert {*get_args(MetricName)} == {*own} - {"mentions"}
    assert {*get_args(ScoreKey)} == {key for name in own for key in create(name).keys} - {*own}


needs_pyright = pytest.mark.skipif(not find_spec("pyright"), reason="pyright, of the extra `dev`, is not installed")


def pyright(package: Path, *arguments: str) -> Any:
    """What pyright found, in JSON."""
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=package)
    if not done.stdout.startswith("{"):
        pytest.skip(f"pyright does not start: {done.stderr.strip()[-100:]}")
    return json.loads(done.stdout)


@pytest.mark.slow
@needs_pyright
def test_a_users_script_passes_pyright(package):
    script = package / "users_script.py"
    wrong = ("result.fair.f", "result['fair'].f", "result['fair_f']", "result['fair'].labels['PER'].f")
    odd = "score(gold, pred, scheme=3)", "score(gold, pred, schema='IOB2')"
    script.write_text(SCRIPT + "\n".join([*(f"wrong: str = {line}" for line in wrong), *odd]), encoding="utf8")
    said = pyright(package, str(script))["generalDiagnostics"]
    found = [each["message"] for each in said if each["severity"] == "error"]
    known = 'Type "float | None" is not assignable to declared type "str"'
    lines = [each.partition("\n")[0] for each in found if "obscured" not in each]
    assert lines[: len(wrong)] == [known] * len(wrong)
    assert ['"scheme"' in lines[-2], '"schema"' in lines[-1], len(lines)] == [True, True, len(wrong) + len(odd)]


@pytest.mark.slow
@needs_pyright
def test_every_public_type_is_known_to_pyright(package, monkeypatch):
    """But not those of packages without types: spaCy's Doc and Example in `integration`, typer's options in `cli`."""
    monkeypatch.setenv("PYTHONPATH", str(package))
    symbols = pyright(package, "--verifytypes", "spacy_nereval", "--ignoreexternal")["typeCompleteness"]["symbols"]
    assert len(symbols) > 1000
    exported = [each for each in symbols if each["isExported"] and not each["name"].startswith(UNTYPED)]
    assert [each["name"] for each in exported if not each["isTypeKnown"] or each["isTypeAmbiguous"]] == []
