"""The project's scripts: training like the paper, going on after a kill, and what the results say."""

import json
import shutil
from collections import defaultdict
from math import ceil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import spacy
from places import ROOT, script
from spacy.tokens import DocBin
from spacy.util import load_config
from tiny import TEXTS, nominal_transformer, tiny_corpus

from spacy_nereval.integration import training_needs
from spacy_nereval.integration.spacy_files import read_docs

# scripts/train.py

train = script("train")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The folder of a project with a nested corpus of 37 texts to train on."""
    folder = tmp_path_factory.mktemp("training")
    shutil.copytree(ROOT / "configs", folder / "configs")
    tiny_corpus(folder / "corpus" / "maintie", 37)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


def trained(transformer: Path | str, output: str, config: str, *overrides: str, **how: Any) -> dict[str, Any]:
    """Train for two epochs, and read what is said of the run."""
    arguments = ["--paths.transformer", str(transformer), "--training.max_epochs", "2", *overrides]
    context = SimpleNamespace(args=arguments)
    train.main(context, Path("configs", config), "maintie", Path(output), **{"patience": 4} | how)
    return train.read(Path(output, "run.json"))


@pytest.fixture(scope="module")
def paper(project, transformer) -> dict[str, Any]:
    return trained(transformer, "paper", "paper.cfg")


@pytest.mark.slow
def test_the_papers_setting_trains_epochs_of_as_many_steps_as_the_corpus_has_batches(paper, project):
    steps = ceil(37 / 16)
    (part,) = paper["parts"]
    assert [(e["step"], e["epoch"]) for e in part] == [(0, 0), (steps, 1), (2 * steps, 2)]
    assert part[0]["rate"] == part[1]["rate"] == 0.0001
    training = load_config(project / "paper/model-best/config.cfg")["training"]
    assert (training["eval_frequency"], training["patience"]) == (steps, 4 * steps)
    assert training["batcher"] == {"@batchers": "spacy.batch_by_sequence.v1", "size": 16, "get_length": None}
    assert paper["finished"] and paper["machine"]["cores"]
    assert "ents_fair_f" in spacy.load(project / "paper/model-best").meta["performance"]


def test_the_papers_own_corpus_has_251_steps_per_epoch(tmp_path):
    DocBin(docs=[spacy.blank("en")("x")] * 4005).to_disk(tmp_path / "train.spacy")
    training = load_config(ROOT / "configs" / "paper.cfg")["training"]
    found = train.by_epochs(tmp_path / "train.spacy", training, 4)
    assert found["training.eval_frequency"] == 251 == training["eval_frequency"]
    assert found["training.patience"] == 1004 == training["patience"]
    assert found["training.max_steps"] == 12 * 251
    limited = train.by_epochs(tmp_path / "train.spacy", training | {"max_steps": 300}, 4)
    assert limited["training.max_steps"] == 300


@pytest.mark.slow
def test_a_finished_training_is_not_repeated_and_one_with_other_settings_is(paper, transformer, capsys, monkeypatch):
    before = Path("paper/model-best/meta.json").stat().st_mtime_ns
    assert trained(transformer, "paper", "paper.cfg") == paper
    assert "was trained with these settings" in capsys.readouterr().out
    assert Path("paper/model-best/meta.json").stat().st_mtime_ns == before
    shutil.copytree("paper", "other")
    Path("other/mine.txt").write_text("not of a training", encoding="utf8")
    (part,) = trained(transformer, "other", "paper.cfg", "--system.seed", "1", "--training.max_steps", "1")["parts"]
    assert "starts again" in " ".join(capsys.readouterr().out.split())
    assert len(part) == 1
    assert Path("other/mine.txt").exists()
    # Killed at once, it leaves nothing that the next one could take for its own.
    monkeypatch.setattr(train, "train", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt()))
    Path("other/resumed").mkdir()
    Path("other/best-0.9").mkdir()
    with pytest.raises(SystemExit):
        trained(transformer, "other", "paper.cfg", "--system.seed", "2")
    assert {path.name for path in Path("other").iterdir()} == {"config.cfg", "mine.txt", "run.json"}


def killed(name: str, evaluations: int = 2) -> tuple[Path, dict[str, Any]]:
    """The training as a kill after so many of its evaluations would have left it."""
    folder = Path(shutil.copytree("paper", name))
    run = train.read(folder / "run.json")
    (folder / "run.json").write_text(json.dumps({k: run[k] for k in ("settings", "transformer")} | {"parts": []}))
    history = {"evaluations": run["parts"][0][:evaluations], "plateau": {"rate": 1e-6, "lowest": 0.0, "waited": 0}}
    meta = train.read(folder / "model-last" / "meta.json")
    for pipe, loss in history["evaluations"][-1]["losses"].items():
        meta["performance"][f"{pipe}_loss"] = loss
    (folder / "model-last" / "meta.json").write_text(json.dumps(meta))
    (folder / "training.json").write_text(json.dumps(history))
    return folder, history


def block(nlp: spacy.Language) -> np.ndarray:
    """The weights of the last layer of the recogniser."""
    *_, last = (node for node in nlp.get_pipe("ner").model.walk() if node.has_param("W"))
    return last.get_param("W")


@pytest.mark.slow
def test_a_killed_training_goes_on_where_it_stood(paper, transformer, capsys):
    folder, history = killed("killed")
    nlp = spacy.load(folder / "model-last")
    block(nlp)[:] = 0.5
    nlp.to_disk(folder / "model-last")
    found = trained(transformer, "killed", "paper.cfg")
    assert "killed after step 3 and goes on from there" in " ".join(capsys.readouterr().out.split())
    first, second = found["parts"]
    assert first == history["evaluations"]
    # Of six steps three are left, at the rate that it had come to, which falls since any loss is above 0.
    assert [(e["step"], e["rate"]) for e in second] == [(0, 1e-6), (3, 1e-6)]
    assert train.read(folder / "training.json")["plateau"]["rate"] == pytest.approx(1e-7)
    # It goes on with these weights, which a rate of a millionth hardly changes, and not with new ones.
    assert block(spacy.load("killed/model-last")) == pytest.approx(0.5, abs=0.01)
    kept = {"config.cfg", "model-best", "model-last", "run.json", "training.json"}
    assert {path.name for path in folder.iterdir()} == kept
    assert spacy.load("killed/model-last")("the oil pump").has_annotation("ENT_IOB")


@pytest.mark.slow
def test_the_best_model_is_that_of_all_parts(paper, transformer):
    folder, history = killed("best")
    history["evaluations"][-1]["score"] = 2.0  # no later one is as good
    (folder / "training.json").write_text(json.dumps(history))
    weights = (folder / "model-best/ner/model").read_bytes()
    trained(transformer, "best", "paper.cfg")
    assert (folder / "model-best/ner/model").read_bytes() == weights
    assert (folder / "model-last/ner/model").read_bytes() != weights


@pytest.mark.slow
def test_a_training_killed_twice_before_it_evaluated_goes_on_all_the_same(paper, transformer):
    folder, history = killed("twice")
    run = train.read(folder / "run.json")
    (folder / "run.json").write_text(json.dumps(run | {"parts": [history["evaluations"]]}))
    (folder / "model-last").rename(folder / "resumed")
    first, second = trained(transformer, "twice", "paper.cfg")["parts"]
    assert first == history["evaluations"]
    assert [e["step"] for e in second] == [0, 3]


@pytest.mark.slow
def test_a_model_that_was_being_written_is_not_gone_on_from(paper, transformer, capsys):
    folder, history = killed("torn")
    history["evaluations"][-1]["losses"]["ner"] += 1
    (folder / "training.json").write_text(json.dumps(history))
    (part,) = trained(transformer, "torn", "paper.cfg")["parts"]
    assert "starts again" in " ".join(capsys.readouterr().out.split())
    assert [e["step"] for e in part] == [0, 3, 6]


@pytest.mark.parametrize(("gpu_id", "weights"), [(999, None), (-1, "no/such/folder")])
def test_what_is_missing_is_one_line_in_the_words_of_the_doctor(project, tmp_path, capsys, gpu_id, weights):
    weights = weights or str(nominal_transformer(tmp_path / "weights"))
    with pytest.raises(SystemExit) as ended:
        trained(weights, "unwritten", "paper.cfg", gpu_id=gpu_id)
    assert ended.value.code == 1
    asked = training_needs.examine(gpu_id=gpu_id, transformer=weights, corpus="maintie")
    first = next(finding for finding in asked if finding.remedy)
    assert capsys.readouterr().err == f"✘ {first}\n"
    assert not Path("unwritten").exists()


class OutOfMemoryError(RuntimeError):
    """Of the name that PyTorch and CuPy give it."""


def test_lack_of_memory_is_one_line_with_a_remedy_and_other_errors_stay(monkeypatch, capsys):
    wrapped = ValueError("while predicting")
    wrapped.__cause__ = RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")

    def fail(error: BaseException) -> None:
        def raises(*_: Any, **__: Any) -> None:
            raise error

        monkeypatch.setattr(train, "train", raises)
        train.run_or_explain(Path("x"), 0)

    for error in (OutOfMemoryError("no more"), MemoryError(), wrapped, RuntimeError("CUDA error: out of memory")):
        with pytest.raises(SystemExit):
            fail(error)
        (line,) = capsys.readouterr().err.splitlines()
        assert "GPU 0 is out of memory" in line and "--vars.accumulate_gradient" in line
    with pytest.raises(SystemExit):
        fail(KeyboardInterrupt())
    assert "goes on from the last evaluation" in capsys.readouterr().err
    with pytest.raises(ZeroDivisionError):
        fail(ZeroDivisionError("division by zero"))


# Nested spans


@pytest.mark.slow
def test_a_span_categoriser_is_trained_and_chosen_by_nested_spans(project, transformer):
    run = trained(transformer, "spancat", "spancat.cfg")
    performance = spacy.load("spancat/model-best").meta["performance"]
    assert performance["spans_sc_fair_f"] == pytest.approx(max(e["score"] for e in run["parts"][0]), abs=1e-9)
    result = performance["spans_sc_nereval"]
    docs = [*read_docs(Path("corpus/maintie/dev.spacy"))]
    assert result["gold"] == sum(len(doc.spans["sc"]) for doc in docs) > sum(len(doc.ents) for doc in docs)
    assert result["documents"] == len(docs) == len(TEXTS)


def test_maintie_keeps_nested_spans_beside_the_outermost_entities(tmp_path):
    readers = script("readers")
    words = ["oil", "pump", "seal", "leaking"]
    entities = [(0, 3, "PhysicalObject/Part"), (0, 2, "PhysicalObject"), (3, 4, "State/Bad"), (3, 4, "Activity")]
    spans = [dict(zip(("start", "end", "type"), entity)) for entity in entities]
    record = {"text": " ".join(words), "tokens": words, "entities": spans}
    (tmp_path / "gold_release.json").write_text(json.dumps([record]), encoding="utf8")
    notes: dict[str, list[str]] = defaultdict(list)
    splits = readers.read_maintie(tmp_path, notes)
    (doc,) = [doc for docs in splits.values() for doc in docs]
    nested, entities = ([(s.start, s.end, s.label_) for s in spans] for spans in (doc.spans["sc"], doc.ents))
    assert entities == [(0, 3, "PhysicalObject"), (3, 4, "State")]
    assert nested == [(0, 2, "PhysicalObject"), *entities]
    assert doc.user_data["id"] == "1"
    assert list(notes) == ["spans that lie inside another one, only in doc.spans"]
