"""The spaCy project, from texts to the report, with a transformer too small to learn anything."""

import json
import re
import shutil
from pathlib import Path

import pytest
import srsly
from places import ROOT
from processes import python
from project_runs import copied, inside, run
from tiny import tiny_transformer

from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.io.count_files import load

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A copy of the project in which every command but `weights` has run on a few texts."""
    pytest.importorskip("spacy_transformers", reason="the project's environment, requirements.txt, is not installed")
    folder = copied(tmp_path_factory.mktemp("project"))
    tiny_transformer(folder / "assets" / "weights")
    few = ["--vars.limit", "12", "--vars.cpu_epochs", "1", "--vars.transformer_epochs", "1"]
    for command in ("corpus", "cpu", "transformer", "compare", "report"):
        done = run(folder, "project", "run", command, ".", *few)
        assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
        (folder / f"{command}.txt").write_text(done.stdout, encoding="utf8")
    return folder


def result(project: Path, name: str) -> dict:
    return json.loads((project / "metrics" / "warranty" / f"{name}.json").read_text(encoding="utf8"))


def test_the_scores_of_the_cpu_pipeline_are_printed_before_the_transformer_is_trained(project):
    order = srsly.read_yaml(ROOT / "project.yml")["workflows"]["all"]
    assert order.index("corpus") < order.index("cpu") < order.index("weights") < order.index("transformer")
    said = (project / "cpu.txt").read_text(encoding="utf8")
    strict = result(project, "cpu")["metrics"]["strict"]["scores"]["f"]
    assert "12 documents" in said and f"{100 * strict:.2f}" in said


@pytest.mark.parametrize("pipeline", ["cpu", "transformer"])
def test_both_pipelines_are_scored_with_all_six_metrics_on_the_test_texts(project, pipeline):
    found = result(project, pipeline)
    assert found["documents"] == 12
    assert list(found["metrics"]) == ["strict", "semeval", "slot_error", "loio", "fair", "wrf"]
    lines = (project / "assets/warranty/test.jsonl").read_text(encoding="utf8").splitlines()
    texts = [json.loads(line) for line in lines[:12]]
    assert found["gold"] == sum(len(text["spans"]) for text in texts)


@pytest.mark.parametrize("pipeline", ["cpu", "transformer"])
def test_the_best_model_was_chosen_by_the_fair_f(project, pipeline):
    meta = project / "training" / "warranty" / pipeline / "model-best" / "meta.json"
    assert "ents_fair_f" in json.loads(meta.read_text(encoding="utf8"))["performance"]


def test_the_report_has_both_pipelines_side_by_side_and_their_comparison(project):
    report = (project / "metrics" / "warranty" / "report.md").read_text(encoding="utf8")
    assert "| score | cpu | transformer |" in report
    fair = [f"{100 * result(project, name)['metrics']['fair']['scores']['f']:.2f}" for name in ("cpu", "transformer")]
    assert f"| fair_f | {' | '.join(fair)} |" in report
    assert "| score | baseline | system | difference | detectable | p (Holm) |" in report
    assert "paired permutation test over 12 documents" in report
    assert re.search(r"Only 12 documents(, effectively \d+\.\d)?: with fewer than 20", report)


def test_the_report_as_a_page_has_every_test_text_and_its_place_is_the_last_thing_said(project):
    page = (project / "metrics" / "warranty" / "report.html").read_text(encoding="utf8")
    lines = (project / "assets/warranty/test.jsonl").read_text(encoding="utf8").splitlines()
    assert all(json.loads(line)["id"] in page for line in lines[:12])
    said = (project / "report.txt").read_text(encoding="utf8").splitlines()
    assert Path(said[-1].removeprefix("✔ Report in ")) == Path("metrics/warranty/report.html")


def test_a_missing_result_is_named_with_the_command_that_makes_it(project):
    done = inside(project, "scripts/report.py", "report.md", "no.json")
    assert done.returncode == 1
    assert "project run all" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert not (project / "report.md").exists()


def test_a_corpus_whose_files_are_not_there_is_named_with_the_command_that_fetches_them(project):
    done = python("scripts/without_torch.py", "scripts/corpus.py", "wnut17", cwd=project, env={"NO_COLOR": "1"})
    assert done.returncode == 1
    assert "project assets" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert not (project / "corpus" / "wnut17").exists()


@pytest.fixture(scope="module")
def trials(project) -> dict:
    """What is kept of two training runs of two pipelines, as the workflow `gpu` makes them."""
    few = ["--vars.limit", "12", "--vars.seeds", "0,1", "--vars.epochs", "1"]
    for command in ("doctor", "trials", "evaluate-trials", "results"):
        done = run(project, "project", "run", command, ".", *few)
        assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
    return json.loads((project / "assets/trials/warranty/trials.json").read_text(encoding="utf8"))


def test_the_counts_of_each_run_are_kept_with_what_made_them(project, trials):
    made = [(trial["pipeline"], trial["seed"]) for trial in trials["trials"]]
    assert made == [(name, seed) for name in ("cpu", "paper") for seed in (0, 1)]
    assert trials["texts"] == {"train": 12, "dev": 12, "test": 12}
    for trial in trials["trials"]:
        name = f"{trial['pipeline']}-{trial['seed']}"
        written = json.loads((project / "training/warranty/trials" / name / "run.json").read_text(encoding="utf8"))
        assert trial["settings"] == written["settings"] and trial["machine"] == written["machine"]
        assert trial["seconds"] == written["parts"][-1][-1]["seconds"]
        file = project / "assets/trials/warranty" / f"{name}.npz"
        assert file.stat().st_size < 50_000
        counted, scored = load(file), project / "metrics" / f"{name}.json"
        model = str(project / "training/warranty/trials" / name / "model-best")
        done = run(project, "nereval", "evaluate", model, "corpus/warranty/test.spacy", "--output", str(scored))
        assert done.returncode == 0, done.stderr
        scores = json.loads(scored.read_text(encoding="utf8"))["metrics"]
        assert {metric: own["counts"] for metric, own in evaluate(counted)["metrics"].items()} == {
            metric: own["counts"] for metric, own in scores.items()
        }


def test_the_results_are_written_from_what_is_kept_without_training(project, trials):
    page = (project / "docs" / "explanation" / "results.md").read_text(encoding="utf8")
    assert "run gpu . --vars.seeds 0,1 --vars.epochs 1" in page
    shutil.rmtree(project / "docs")
    shutil.move(project / "training", project / "elsewhere")
    try:
        assert run(project, "project", "run", "results", ".").returncode == 0
    finally:
        shutil.move(project / "elsewhere", project / "training")
    assert (project / "docs" / "explanation" / "results.md").read_text(encoding="utf8") == page


def test_without_the_gpu_that_was_asked_for_the_workflow_ends_with_what_the_doctor_says(project):
    done = run(project, "project", "run", "doctor", ".", "--vars.gpu_id", "999")
    assert done.returncode == 1
    said = [line for line in done.stdout.splitlines() if line.startswith("✘")]
    assert said and all(";" in line for line in said)
    assert "Traceback" not in done.stdout + done.stderr
