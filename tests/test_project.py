"""The spaCy project, from texts to the report, with a transformer too small to learn anything."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("spacy_transformers", reason="the project's environment, requirements.txt, is not installed")

ROOT = Path(__file__).parent.parent


def tiny_transformer(folder: Path) -> None:
    """A BERT of one layer with random weights, and a vocabulary of single characters."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder.mkdir(parents=True)
    characters = [chr(k) for k in range(33, 127) if not chr(k).isupper()]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *(f"##{c}" for c in characters)]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    BertModel(BertConfig(vocab_size=len(vocabulary), **size)).save_pretrained(folder)


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A copy of the project in which every command but `weights` has run on a few texts."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("project.yml", "configs", "scripts", "assets/warranty"):
        source, target = ROOT / name, folder / name
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    tiny_transformer(folder / "assets" / "weights")
    few = ["--vars.limit", "12", "--vars.cpu_epochs", "1", "--vars.transformer_epochs", "1"]
    for command in ("corpus", "train", "evaluate", "report"):
        done = run(folder, "project", "run", command, ".", *few)
        assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
        (folder / f"{command}.txt").write_text(done.stdout, encoding="utf8")
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    # One thread: on a busy machine torch's threads spend their time waiting for each other.
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf8", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "spacy", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf8", timeout=300
    )


def result(project: Path, name: str) -> dict:
    return json.loads((project / "metrics" / "warranty" / f"{name}.json").read_text(encoding="utf8"))


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
    assert "| metric | score | baseline | system | difference | interval | p | p (Holm) |" in report
    assert "paired permutation test over 12 documents" in report
    assert "Fewer than 20 documents" in report


def test_a_missing_result_is_named_with_the_command_that_makes_it(project):
    done = subprocess.run(
        [sys.executable, "scripts/report.py", "report.md", "no.json"],
        cwd=project,
        capture_output=True,
        text=True,
        encoding="utf8",
    )
    assert done.returncode == 1
    assert "project run evaluate" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert not (project / "report.md").exists()


def test_a_corpus_whose_files_are_not_there_is_named_with_the_command_that_fetches_them(project):
    done = subprocess.run(
        [sys.executable, "scripts/corpus.py", "wnut17"], cwd=project, capture_output=True, text=True, encoding="utf8"
    )
    assert done.returncode == 1
    assert "project assets" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert not (project / "corpus" / "wnut17").exists()
