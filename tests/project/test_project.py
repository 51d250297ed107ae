"""The spaCy project, from texts to the report, with a transformer too small to learn anything."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

import pytest
import spacy
import srsly
from docs import write_docs
from pages import Parsed
from places import ROOT, script
from processes import python
from spacy.training import Example
from tiny import tiny_transformer

from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.integration.spacy_files import read_docs
from spacy_nereval.io.count_files import load

SCRIPTS = {path.stem for path in (ROOT / "scripts").glob("*.py")}


def copied(folder: Path) -> Path:
    """The project in a folder of its own."""
    for name in ("project.yml", "configs", "scripts", "assets/warranty"):
        source, target = ROOT / name, folder / name
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    return folder


def run(folder: Path, *arguments: str) -> CompletedProcess[str]:
    """What `python -m spacy` with these arguments prints in a folder, and its exit status."""
    out, err = StringIO(), StringIO()
    with chdir(folder), redirect_stdout(out), redirect_stderr(err), patch.dict(os.environ, NO_COLOR="1"):
        code = _python(("-m", "spacy", *arguments))
    return CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def _python(arguments: Sequence[str]) -> int:
    """Run a script or a module as Python's own command line does, and return its exit status."""
    if arguments[0] == "scripts/without_torch.py":
        arguments = arguments[1:] if arguments[1].endswith(".py") else ["-m", *arguments[1:]]
    module = arguments[0] == "-m"
    program, *rest = arguments[module:]
    started = runpy.run_module if module else runpy.run_path
    with (
        _scripts_of_this_folder(),
        patch.object(sys, "argv", [program, *rest]),
        patch("weasel.cli.run.run_command", _started),
        patch("subprocess.run", _started_by_a_script),
    ):
        try:
            started(program, run_name="__main__")
        except SystemExit as ended:
            if isinstance(ended.code, str):
                print(ended.code, file=sys.stderr)
            return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


@contextmanager
def _scripts_of_this_folder() -> Iterator[None]:
    """Let scripts import each other from this folder, and forget them after it: they may hold its paths."""
    before = {name: sys.modules.pop(name) for name in SCRIPTS & sys.modules.keys()}
    with patch.object(sys, "path", [str(Path("scripts").resolve()), *sys.path]):
        try:
            yield
        finally:
            for name in SCRIPTS & sys.modules.keys():
                del sys.modules[name]
            sys.modules.update(before)


def _started(command: Sequence[str], **_) -> None:
    """Run a line of the project as weasel does, which ends with the status of a line that fails."""
    assert command[0] == sys.executable
    if code := _python(command[1:]):
        sys.exit(code)


_run = subprocess.run


def _started_by_a_script(command: Sequence[str], **how):
    if list(command[:1]) == [sys.executable] and str(command[1]).startswith("scripts/"):
        return CompletedProcess(command, _python(command[1:]))
    return _run(command, **how)


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


@pytest.mark.slow
def test_the_scores_of_the_cpu_pipeline_are_printed_before_the_transformer_is_trained(project):
    order = srsly.read_yaml(ROOT / "project.yml")["workflows"]["all"]
    assert order.index("corpus") < order.index("cpu") < order.index("weights") < order.index("transformer")
    said = (project / "cpu.txt").read_text(encoding="utf8")
    strict = result(project, "cpu")["metrics"]["strict"]["scores"]["f"]
    assert "12 documents" in said and f"{100 * strict:.2f}" in said


@pytest.mark.slow
@pytest.mark.parametrize("pipeline", ["cpu", "transformer"])
def test_both_pipelines_are_chosen_by_the_fair_f_and_scored_with_all_six_metrics_on_the_few_texts(project, pipeline):
    found = result(project, pipeline)
    assert found["documents"] == 12
    assert list(found["metrics"]) == ["strict", "semeval", "slot_error", "loio", "fair", "wrf"]
    assert found["gold"] == sum(len(text["spans"]) for text in few_texts(project))
    meta = project / "training" / "warranty" / pipeline / "model-best" / "meta.json"
    assert "ents_fair_f" in json.loads(meta.read_text(encoding="utf8"))["performance"]


def few_texts(project: Path):
    """Those of which the project takes a few."""
    lines = (project / "assets/warranty/test.jsonl").read_text(encoding="utf8").splitlines()
    return [json.loads(line) for line in lines[:12]]


@pytest.mark.slow
def test_the_report_has_both_pipelines_side_by_side_and_their_comparison(project):
    report = (project / "metrics" / "warranty" / "report.md").read_text(encoding="utf8")
    assert "| score | cpu | transformer |" in report
    fair = [f"{100 * result(project, name)['metrics']['fair']['scores']['f']:.2f}" for name in ("cpu", "transformer")]
    assert f"| fair_f | {' | '.join(fair)} |" in report
    assert "| score | baseline | system | difference | p | p (Holm) | MDD |" in report
    assert "paired permutation test over 12 documents" in report
    assert re.search(r"Only 12 documents(, effectively \d+\.\d)?: with fewer than 20", report)


@pytest.mark.slow
def test_the_report_as_a_page_has_every_test_text_and_its_place_is_the_last_thing_said(project):
    page = (project / "metrics" / "warranty" / "report.html").read_text(encoding="utf8")
    assert all(text["id"] in page for text in few_texts(project))
    said = (project / "report.txt").read_text(encoding="utf8").splitlines()
    assert Path(said[-1].removeprefix("✔ Report in ")) == Path("metrics/warranty/report.html")


MISSING = [
    (("scripts/report.py", "report.md", "no.json"), "project run all", "report.md"),
    (("scripts/without_torch.py", "scripts/corpus.py", "wnut17"), "project assets", "corpus/wnut17"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "remedy", "made"), MISSING, ids=["a result", "the files of a corpus"])
def test_what_is_missing_is_named_with_the_command_that_makes_it(project, command, remedy, made):
    done = python(*command, cwd=project, env={"NO_COLOR": "1"})
    assert done.returncode == 1
    assert remedy in done.stdout + done.stderr and "Traceback" not in done.stdout + done.stderr
    assert not (project / made).exists()


@pytest.fixture(scope="module")
def trials(project) -> dict:
    """What is kept of two training runs of two pipelines, as the workflow `gpu` makes them."""
    few = ["--vars.limit", "12", "--vars.seeds", "0,1", "--vars.epochs", "1"]
    for command in ("doctor", "trials", "evaluate-trials", "results"):
        done = run(project, "project", "run", command, ".", *few)
        assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
    return json.loads((project / "assets/trials/warranty/trials.json").read_text(encoding="utf8"))


@pytest.mark.nightly
@pytest.mark.slow
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


@pytest.mark.nightly
@pytest.mark.slow
def test_the_results_are_written_from_what_is_kept_without_training(project, trials):
    page = (project / "assets" / "trials" / "results.md").read_text(encoding="utf8")
    assert "run gpu . --vars.seeds 0,1 --vars.epochs 1" in page
    (project / "assets" / "trials" / "results.md").unlink()
    shutil.move(project / "training", project / "elsewhere")
    try:
        assert run(project, "project", "run", "results", ".").returncode == 0
    finally:
        shutil.move(project / "elsewhere", project / "training")
    assert (project / "assets" / "trials" / "results.md").read_text(encoding="utf8") == page


@pytest.mark.slow
def test_without_the_gpu_that_was_asked_for_the_workflow_ends_with_what_the_doctor_says(project):
    done = run(project, "project", "run", "doctor", ".", "--vars.gpu_id", "999")
    assert done.returncode == 1
    said = [line for line in done.stdout.splitlines() if line.startswith("✘")]
    assert said and all(";" in line for line in said)
    assert "Traceback" not in done.stdout + done.stderr


# A span categoriser's spans with their scores: the script that writes them, and the project's command


scored = script("scored")
TEXTS = ("oil pump leaks", "the 😀 seal is worn")
LABELS = ("PART", "STATE")


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """A span categoriser with random weights, which proposes all stretches of one and two tokens."""
    nlp = spacy.blank("en")
    suggester = {"@misc": "spacy.ngram_range_suggester.v1", "min_size": 1, "max_size": 2}
    spancat = nlp.add_pipe("spancat", config={"threshold": 0.5, "suggester": suggester})
    for label in LABELS:
        spancat.add_label(label)
    docs = [nlp.make_doc(text) for text in TEXTS]
    for doc in docs:
        doc.spans["sc"] = [spacy.tokens.Span(doc, 0, 1, label) for label in LABELS]
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    folder = tmp_path_factory.mktemp("model") / "model-best"
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def texts(tmp_path_factory) -> Path:
    nlp = spacy.blank("en")
    docs = [nlp.make_doc(text) for text in TEXTS]
    docs[0].user_data["id"] = "first"
    return write_docs(tmp_path_factory.mktemp("texts") / "texts.spacy", docs)


def test_every_stretch_has_a_score_for_each_label_from_the_floor_on_whatever_the_threshold(model, texts, tmp_path):
    def written(floor: float):
        scored.main(model, texts, tmp_path / "new" / "out.jsonl", floor)
        return [json.loads(line) for line in (tmp_path / "new" / "out.jsonl").read_text("utf8").splitlines()]

    lines = written(0.0)
    assert [(line["id"], line["text"]) for line in lines] == [("first", TEXTS[0]), ("1", TEXTS[1])]
    assert [len(line["spans"]) for line in lines] == [2 * (3 + 2), 2 * (5 + 4)]
    nlp = spacy.load(model)
    nlp.get_pipe("spancat").cfg["threshold"] = 0.0
    for line, doc in zip(lines, read_docs(texts)):
        found = nlp(doc.text)
        group = found.spans["sc"]
        scores = map(float, group.attrs["scores"])
        wanted = {(s.start_char, s.end_char, s.label_): round(score, 4) for s, score in zip(group, scores)}
        assert {(s["start"], s["end"], s["label"]): s["score"] for s in line["spans"]} == wanted
    values = sorted(span["score"] for line in lines for span in line["spans"])
    floor = values[len(values) // 2] - 1e-3
    kept = sorted(span["score"] for line in written(floor) for span in line["spans"])
    assert kept == [value for value in values if value >= floor] and 0 < len(kept) < len(values)


def test_a_pipeline_without_a_span_categoriser_is_refused(texts, tmp_path, capsys):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(SystemExit):
        scored.main(tmp_path / "blank", texts, tmp_path / "out.jsonl", 0.0)
    assert "has no component spancat" in capsys.readouterr().err
    assert not (tmp_path / "out.jsonl").exists()


def test_a_corpus_can_have_its_entities_as_a_span_group_too(tmp_path):
    script("corpus").main("warranty", tmp_path, 20, "sc")
    docs = [*read_docs(tmp_path / "dev.spacy")]
    assert [[*doc.spans["sc"]] for doc in docs] == [[*doc.ents] for doc in docs]
    assert sum(len(doc.ents) for doc in docs) > 20


@pytest.mark.slow
def test_the_projects_command_trains_writes_scores_and_makes_the_page(tmp_path):
    few = ["--vars.limit", "4", "--vars.cpu_epochs", "1"]
    done = run(copied(tmp_path), "project", "run", "thresholds", ".", *few)
    assert done.returncode == 0, done.stdout + done.stderr
    made = tmp_path / "metrics" / "warranty"
    result = json.loads((made / "thresholds.json").read_text(encoding="utf8"))
    assert result["documents"] == result["applied"]["documents"] == 4
    page = Parsed((made / "thresholds.html").read_text(encoding="utf8"))
    assert "Chosen on dev, applied to test." in page.text and "Chosen on 4 documents" in page.text
    assert page.row("chosen") and (made / "cuts.json").is_file()
