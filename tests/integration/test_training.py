"""Training: the schedule that falls on a plateau, the logger that feeds it, the doctor, and scripts/train.py."""

from __future__ import annotations

import io
import json
import pickle
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from hashlib import md5
from importlib.util import module_from_spec, spec_from_file_location
from math import ceil, nan
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import requests
import spacy
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT
from spacy.tokens import DocBin
from spacy.util import load_config, registry
from thinc.api import Config
from tiny import TEXTS, tiny_corpus, tiny_transformer
from typer.testing import CliRunner

from spacy_nereval.cli import nereval
from spacy_nereval.integration import doctor, schedules
from spacy_nereval.integration.schedules import Plateau, plateau


def script(name: str) -> ModuleType:
    """A script of the project as a module."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        spec = spec_from_file_location(f"script_{name}", ROOT / "scripts" / f"{name}.py")
        assert spec and spec.loader
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop(0)


# The schedule


def rates(schedule: Plateau, losses: Sequence[float]) -> list[float]:
    """The rate after each loss."""
    found = []
    for loss in losses:
        schedule.observe(loss)
        found.append(next(schedule))
    return found


@pytest.mark.parametrize(
    ("losses", "options", "wanted"),
    [
        # As long as the loss falls, the rate stays.
        ([5.0, 4.0, 3.0, 2.0], {}, [1.0, 1.0, 1.0, 1.0]),
        # The same loss again is no fall, and neither is a higher one.
        ([5.0, 5.0, 6.0], {}, [1.0, 0.1, 0.01]),
        # A new lowest loss after a decay counts from the lowest of all.
        ([5.0, 6.0, 5.5, 4.0], {}, [1.0, 0.1, 0.01, 0.01]),
        # Patience starts again with every lowest loss, and with every decay.
        ([5.0, 6.0, 4.0, 6.0, 6.0, 6.0, 6.0], {"patience": 2}, [1.0, 1.0, 1.0, 1.0, 0.1, 0.1, 0.01]),
        # 4.6 is not a tenth below 5, 4.4 is.
        ([5.0, 4.6, 4.4], {"min_delta": 0.1}, [1.0, 0.1, 0.1]),
        ([5.0, 4.4], {"min_delta": 0.1}, [1.0, 1.0]),
        ([5.0, 5.0, 5.0], {"factor": 0.5, "minimum": 0.3}, [1.0, 0.5, 0.3]),
        # What is no number has not fallen; a loss after it may.
        ([nan, 5.0, nan, 4.0], {}, [0.1, 0.1, 0.01, 0.01]),
        ([0.0, 0.0], {}, [1.0, 0.1]),
    ],
)
def test_the_rate_falls_exactly_when_the_loss_has_stopped_falling(losses, options, wanted):
    assert rates(plateau(1.0, **options), losses) == pytest.approx(wanted, rel=1e-12)


def twin(losses: Sequence[float], factor: float, patience: int, min_delta: float, minimum: float) -> float:
    """The last rate, from the whole history at once: how many runs of `patience`
    losses without a new lowest one there are between the lowest ones."""
    record = [
        all(loss < before * (1 - min_delta) for before in accepted(losses[:k], min_delta))
        for k, loss in enumerate(losses)
    ]
    runs = "".join("x" if new else "." for new in record).split("x")
    decays = sum(len(run) // patience for run in runs)
    return max(minimum, factor**decays)


def accepted(losses: Sequence[float], min_delta: float) -> list[float]:
    """The losses that were new lowest ones."""
    found: list[float] = []
    for loss in losses:
        if not found or loss < found[-1] * (1 - min_delta):
            found.append(loss)
    return found


settings = {
    "factor": st.sampled_from([0.1, 0.5]),
    "patience": st.integers(1, 3),
    "min_delta": st.sampled_from([0.0, 0.25]),
    "minimum": st.sampled_from([0.0, 0.2]),
}
some_losses = st.lists(st.integers(1, 9).map(float), max_size=12)


@given(losses=some_losses, options=st.fixed_dictionaries(settings))
def test_the_rate_is_that_of_the_whole_history(losses, options):
    schedule = plateau(1.0, **options)
    for loss in losses:
        schedule.observe(loss)
    assert next(schedule) == pytest.approx(twin(losses, **options), rel=1e-9)


@given(losses=some_losses, later=some_losses, options=st.fixed_dictionaries(settings))
def test_a_schedule_goes_on_from_a_saved_state_as_if_nothing_had_been(losses, later, options):
    first = plateau(1.0, **options)
    rates(first, losses)
    state = json.loads(json.dumps(first.state()))
    minimum = {"minimum": min(options["minimum"], state["rate"])}
    second = plateau(**options | minimum | state)
    copied = pickle.loads(pickle.dumps(first))
    assert rates(second, later) == rates(copied, later) == rates(first, later)


CONFIG = """
[optimizer]
@optimizers = "Adam.v1"

[optimizer.learn_rate]
@schedules = "spacy-nereval.plateau.v1"
rate = 0.5
factor = 0.1
patience = 2
lowest = 3.5
waited = 1
"""


def test_a_config_makes_it_and_the_optimizer_follows_it():
    config = Config().from_str(Config().from_str(CONFIG).to_str())
    optimizer = registry.resolve(config)["optimizer"]
    schedule = schedules.take()
    assert schedule is optimizer.schedules["learn_rate"]
    assert schedules.take() is None
    optimizer.step_schedules()
    assert optimizer.learn_rate == 0.5
    schedule.observe(3.5)  # the second that is not below 3.5
    assert optimizer.learn_rate == 0.5
    optimizer.step_schedules()
    assert optimizer.learn_rate == pytest.approx(0.05)


def test_without_the_logger_it_says_that_it_never_falls():
    optimizer = registry.resolve(Config().from_str(CONFIG))["optimizer"]
    with pytest.warns(UserWarning, match=r"will not fall.*spacy-nereval\.logger\.v1"):
        optimizer.step_schedules()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.step_schedules()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"factor": 1.0}, "factor = 1.0"),
        ({"factor": 0}, "factor = 0"),
        ({"patience": 0}, "patience = 0"),
        ({"min_delta": 1}, "min_delta = 1"),
        ({"min_delta": -0.1}, "min_delta = -0.1"),
        ({"minimum": 2.0}, "minimum = 2.0"),
    ],
)
def test_options_outside_their_range_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        plateau(1.0, **options)


# The logger


@pytest.fixture
def nlp() -> spacy.Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec")
    nlp.add_pipe("ner")
    nlp.config["training"]["score_weights"] = {"ents_f": 1.0}
    return nlp


def step(number: int, ner: float | None = None, tok2vec: float = 0.0, output: Path | None = None) -> dict | None:
    if ner is None:
        return None
    info = {"step": number, "epoch": number // 4, "score": 0.5, "seconds": number, "words": 10 * number}
    info |= {"losses": {"ner": ner, "tok2vec": tok2vec}, "other_scores": {"ents_f": 0.5}}
    return info | ({"output_path": str(output / "model-last")} if output else {})


def test_the_loss_is_the_mean_per_step_without_the_first_and_without_what_is_passed_down(nlp, tmp_path):
    schedule = plateau(1.0)
    out = io.StringIO()
    log, finish = registry.loggers.get("spacy-nereval.logger.v1")()(nlp, out, out)
    log(step(0, 0.125, output=tmp_path))  # would be the lowest of all
    assert schedule.lowest is None
    log(step(1))
    log(step(4, 20.0, 1000.0, output=tmp_path))
    assert (schedule.lowest, schedule.rate) == (5.0, 1.0)
    log(step(8, 16.0, 9000.0, output=tmp_path))
    assert (schedule.lowest, schedule.rate) == (4.0, 1.0)
    log(step(10, 8.0, output=tmp_path))  # 4 per step again
    assert (schedule.lowest, schedule.rate) == (4.0, 0.1)
    finish()
    history = json.loads((tmp_path / "training.json").read_text(encoding="utf8"))
    assert history["plateau"] == schedule.state()
    assert [e["loss"] for e in history["evaluations"]] == [0.125, 5.0, 4.0, 4.0]
    assert [e["rate"] for e in history["evaluations"]] == [1.0, 1.0, 1.0, 1.0]
    assert history["evaluations"][1]["losses"] == {"ner": 20.0, "tok2vec": 1000.0}


def test_it_prints_what_spacys_own_logger_prints(nlp):
    printed = []
    for name in ("spacy.ConsoleLogger.v3", "spacy-nereval.logger.v1"):
        out = io.StringIO()
        log, finish = registry.loggers.get(name)()(nlp, out, out)
        for info in (step(0, 5.0), step(1), step(2, 6.0)):
            log(info)
        finish()
        printed.append(out.getvalue())
    assert printed[0] == printed[1]
    assert "LOSS NER" in printed[1]


def test_a_loss_that_is_no_number_does_not_end_the_training(nlp, tmp_path):
    log, _ = registry.loggers.get("spacy-nereval.logger.v1")()(nlp, io.StringIO(), io.StringIO())
    log(step(0, nan, output=tmp_path))
    history = json.loads((tmp_path / "training.json").read_text(encoding="utf8"))
    assert history["evaluations"][0]["loss"] is None
    assert history["plateau"] is None


# The doctor


def fake_torch(*, cuda: str | None = "13.0", gpus: int = 1) -> Any:
    return SimpleNamespace(
        __version__="2.13.0",
        version=SimpleNamespace(cuda=cuda),
        backends=SimpleNamespace(mps=SimpleNamespace(is_available=lambda: False)),
        cuda=SimpleNamespace(
            device_count=lambda: gpus,
            get_device_name=lambda k: f"Model {k}",
            mem_get_info=lambda k: (12 * 2**30, 16 * 2**30),
        ),
    )


def fake_cupy(*, broken: bool = False) -> Any:
    def zeros(size: int) -> np.ndarray:
        if broken:
            raise RuntimeError("CUDA driver version\nis insufficient")
        return np.zeros(size)

    device = lambda k: SimpleNamespace(use=lambda: None)  # noqa: E731
    return SimpleNamespace(__version__="14.2.0", cuda=SimpleNamespace(Device=device), zeros=zeros)


def examined(monkeypatch, torch: Any, cupy: Any, **asked: Any) -> dict[str, doctor.Finding]:
    modules = {"torch": torch, "cupy": cupy}
    monkeypatch.setattr(doctor, "_imported", modules.get)
    return {finding.what: finding for finding in doctor.examine(**asked)}


def problems(found: dict[str, doctor.Finding]) -> list[str]:
    return [what for what, finding in found.items() if finding.remedy]


def test_a_machine_with_everything_has_no_problem(monkeypatch):
    found = examined(monkeypatch, fake_torch(gpus=2), fake_cupy(), gpu_id=1)
    assert problems(found) == []
    assert found["GPU"].found == "0: Model 0, 1: Model 1"
    assert found["GPU memory"].found == "12.0 of 16.0 GiB free"
    assert "CUDA 13.0" in found["torch"].found


@pytest.mark.parametrize(
    ("torch", "cupy", "gpu_id", "missing", "remedy"),
    [
        (fake_torch(cuda=None, gpus=0), fake_cupy(), 0, ["torch", "GPU"], "CUDA build"),
        (fake_torch(), None, 0, ["CuPy"], "requirements-gpu.txt"),
        (fake_torch(gpus=0), fake_cupy(), 0, ["GPU"], "--vars.gpu_id -1"),
        (fake_torch(), fake_cupy(), 1, ["GPU"], "only GPUs 0 to 0"),
        (fake_torch(), fake_cupy(broken=True), 0, ["CuPy on the GPU"], "requirements-gpu.txt"),
        (None, None, 0, ["torch", "CuPy", "GPU"], "requirements"),
    ],
)
def test_what_a_gpu_needs_and_is_missing_comes_with_its_remedy(monkeypatch, torch, cupy, gpu_id, missing, remedy):
    found = examined(monkeypatch, torch, cupy, gpu_id=gpu_id)
    assert problems(found) == missing
    assert remedy in str(found[missing[0]])
    assert problems(examined(monkeypatch, torch, cupy)) == []  # on the CPU none of it is


@pytest.fixture(scope="module")
def transformer(tmp_path_factory) -> Path:
    pytest.importorskip("spacy_transformers", reason="the project's environment, requirements.txt, is not installed")
    folder = tmp_path_factory.mktemp("weights") / "tiny"
    tiny_transformer(folder)
    return folder


def test_weights_are_a_whole_folder(transformer, tmp_path):
    assert doctor.weights(str(transformer)).remedy is None
    partial = shutil.copytree(transformer, tmp_path / "partial")
    (partial / "model.safetensors").unlink()
    (partial / "config.json").unlink()
    found = doctor.weights(str(partial))
    assert found.found == "a folder without config.json, weights"
    assert "scripts/weights.py" in str(found.remedy)


def test_weights_are_looked_for_in_the_cache_and_then_on_the_hub(monkeypatch):
    asked = []

    def head(url: str, **_: Any) -> Any:
        asked.append(url)
        if "down" in url:
            raise requests.ConnectionError
        return SimpleNamespace(ok="there" in url, status_code=404)

    cached = SimpleNamespace(try_to_load_from_cache=lambda name, file: "/cache" if name == "org/cached" else None)
    monkeypatch.setattr(doctor, "_imported", {"huggingface_hub": cached}.get)
    monkeypatch.setattr(requests, "head", head)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    assert "cache" in doctor.weights("org/cached").found
    assert asked == []
    assert doctor.weights("org/there").remedy is None
    assert asked == ["https://huggingface.co/org/there/resolve/main/config.json"]
    assert "404" in doctor.weights("org/nowhere").found
    assert "cannot be reached" in doctor.weights("org/down").found
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE" in doctor.weights("org/there").found
    assert all(doctor.weights(name).remedy for name in ("org/nowhere", "org/down", "/no/folder", "./no", "a b"))


def test_a_corpus_is_checked_against_the_project_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wanted = {"whole": b"right", "damaged": b"right", "missing": b""}
    listed = [{"dest": f"assets/web/{name}", "checksum": md5(text).hexdigest()} for name, text in wanted.items()]
    other = {"dest": "assets/other/file", "checksum": "0"}
    Path("project.yml").write_text(json.dumps({"assets": [*listed, other]}), encoding="utf8")
    Path("assets/web").mkdir(parents=True)
    Path("assets/web/whole").write_bytes(b"right")
    Path("assets/web/damaged").write_bytes(b"wrong")
    found = {finding.what: finding for finding in doctor.assets("web")}
    assert found["assets/web/whole"].remedy is None
    assert md5(b"wrong").hexdigest() in found["assets/web/damaged"].found
    assert "delete it" in str(found["assets/web/damaged"].remedy)
    assert "project assets" in str(found["assets/web/missing"].remedy)
    assert len(found) == 3
    tiny_corpus(Path("corpus/web"), 1)
    Path("corpus/web/dev.spacy").unlink()
    missing = [finding for finding in doctor.examine(corpus="web") if finding.remedy]
    assert [Path(finding.what).name for finding in missing] == ["damaged", "missing", "dev.spacy"]
    assert "project run corpus . --vars.corpus web" in str(missing[-1].remedy)


def test_the_command_ends_with_1_only_if_what_was_asked_for_is_missing():
    fine = CliRunner().invoke(nereval, ["doctor"])
    assert fine.exit_code == 0
    assert f"✔ spacy: {spacy.__version__}" in fine.stdout
    assert "✘" not in fine.output
    # No machine has a GPU of this number.
    refused = CliRunner().invoke(nereval, ["doctor", "--gpu-id", "999", "--corpus", "no-such-corpus"])
    assert refused.exit_code == 1
    lines = [line for line in refused.stdout.splitlines() if line.startswith("✘")]
    assert any(line.startswith("✘ GPU: ") and ";" in line for line in lines)
    assert sum("no-such-corpus" in line for line in lines) == 3
    assert refused.stderr == f"✘ {len(lines)} of what was asked for cannot be used\n"


# scripts/train.py

train = script("train")


@pytest.fixture(scope="module")
def project(tmp_path_factory, transformer) -> Iterator[Path]:
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
    train.main(
        SimpleNamespace(args=arguments), Path("configs", config), "maintie", Path(output), **{"patience": 4} | how
    )
    return train.read(Path(output, "run.json"))


@pytest.fixture(scope="module")
def paper(project, transformer) -> dict[str, Any]:
    return trained(transformer, "paper", "paper.cfg")


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


def test_a_killed_training_goes_on_where_it_stood(paper, transformer, capsys):
    folder, history = killed("killed")
    found = trained(transformer, "killed", "paper.cfg")
    assert "killed after step 3 and goes on from there" in " ".join(capsys.readouterr().out.split())
    first, second = found["parts"]
    assert first == history["evaluations"]
    # Of six steps three are left, at the rate that it had come to, which falls since any loss is above 0.
    assert [(e["step"], e["rate"]) for e in second] == [(0, 1e-6), (3, 1e-6)]
    assert train.read(folder / "training.json")["plateau"]["rate"] == pytest.approx(1e-7)
    # It goes on with the weights, not with new ones: the loss is that of a trained model.
    assert second[0]["loss"] < first[0]["loss"]
    kept = {"config.cfg", "model-best", "model-last", "run.json", "training.json"}
    assert {path.name for path in folder.iterdir()} == kept
    assert spacy.load("killed/model-last")("the oil pump").has_annotation("ENT_IOB")


def test_the_best_model_is_that_of_all_parts(paper, transformer):
    folder, history = killed("best")
    history["evaluations"][-1]["score"] = 2.0  # no later one is as good
    (folder / "training.json").write_text(json.dumps(history))
    weights = (folder / "model-best/ner/model").read_bytes()
    trained(transformer, "best", "paper.cfg")
    assert (folder / "model-best/ner/model").read_bytes() == weights
    assert (folder / "model-last/ner/model").read_bytes() != weights


def test_a_training_killed_twice_before_it_evaluated_goes_on_all_the_same(paper, transformer):
    folder, history = killed("twice")
    run = train.read(folder / "run.json")
    (folder / "run.json").write_text(json.dumps(run | {"parts": [history["evaluations"]]}))
    (folder / "model-last").rename(folder / "resumed")
    first, second = trained(transformer, "twice", "paper.cfg")["parts"]
    assert first == history["evaluations"]
    assert [e["step"] for e in second] == [0, 3]


def test_a_model_that_was_being_written_is_not_gone_on_from(paper, transformer, capsys):
    folder, history = killed("torn")
    history["evaluations"][-1]["losses"]["ner"] += 1
    (folder / "training.json").write_text(json.dumps(history))
    (part,) = trained(transformer, "torn", "paper.cfg")["parts"]
    assert "starts again" in " ".join(capsys.readouterr().out.split())
    assert [e["step"] for e in part] == [0, 3, 6]


@pytest.mark.parametrize(("gpu_id", "weights"), [(999, None), (-1, "no/such/folder")])
def test_what_is_missing_is_one_line_in_the_words_of_the_doctor_and_nothing_is_written(
    project, transformer, capsys, gpu_id, weights
):
    with pytest.raises(SystemExit) as ended:
        trained(weights or transformer, "unwritten", "paper.cfg", gpu_id=gpu_id)
    assert ended.value.code == 1
    asked = doctor.examine(gpu_id=gpu_id, transformer=weights or str(transformer), corpus="maintie")
    first = next(finding for finding in asked if finding.remedy)
    assert capsys.readouterr().err == f"✘ {first}\n"
    assert not Path("unwritten").exists()


class OutOfMemoryError(RuntimeError):
    """Of the name that PyTorch and CuPy give it."""


def test_lack_of_memory_is_one_line_with_a_remedy_and_other_errors_stay(monkeypatch, capsys):
    def chained() -> Exception:
        try:
            try:
                raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")
            except RuntimeError as error:
                raise ValueError("while predicting") from error
        except ValueError as error:
            return error

    def fail(error: BaseException) -> None:
        def raises(*_: Any, **__: Any) -> None:
            raise error

        monkeypatch.setattr(train, "train", raises)
        train.run_or_explain(Path("x"), 0)

    for error in (OutOfMemoryError("no more"), MemoryError(), chained(), RuntimeError("CUDA error: out of memory")):
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


def test_a_span_categoriser_is_trained_and_chosen_by_nested_spans(project, transformer):
    run = trained(transformer, "spancat", "spancat.cfg")
    performance = spacy.load("spancat/model-best").meta["performance"]
    assert performance["spans_sc_fair_f"] == pytest.approx(max(e["score"] for e in run["parts"][0]), abs=1e-9)
    result = performance["spans_sc_nereval"]
    nested = sum(
        len(doc.spans["sc"]) for doc in DocBin().from_disk("corpus/maintie/dev.spacy").get_docs(spacy.blank("en").vocab)
    )
    flat = sum(
        len(doc.ents) for doc in DocBin().from_disk("corpus/maintie/dev.spacy").get_docs(spacy.blank("en").vocab)
    )
    assert result["gold"] == nested > flat
    assert result["documents"] == len(TEXTS)


def test_maintie_keeps_nested_spans_beside_the_outermost_entities(tmp_path):
    readers = script("readers")
    words = ["oil", "pump", "seal", "leaking"]
    entities = [(0, 3, "PhysicalObject/Part"), (0, 2, "PhysicalObject"), (3, 4, "State/Bad"), (3, 4, "Activity")]
    record = {
        "text": " ".join(words),
        "tokens": words,
        "entities": [dict(zip(("start", "end", "type"), entity)) for entity in entities],
    }
    (tmp_path / "gold_release.json").write_text(json.dumps([record]), encoding="utf8")
    notes: dict[str, list[str]] = __import__("collections").defaultdict(list)
    splits = readers.read_maintie(tmp_path, notes)
    (doc,) = [doc for docs in splits.values() for doc in docs]
    assert [(s.start, s.end, s.label_) for s in doc.spans["sc"]] == [
        (0, 2, "PhysicalObject"), (0, 3, "PhysicalObject"), (3, 4, "State")
    ]  # fmt: skip
    assert [(s.start, s.end, s.label_) for s in doc.ents] == [(0, 3, "PhysicalObject"), (3, 4, "State")]
    assert doc.user_data["id"] == "1"
    assert list(notes) == ["spans that lie inside another one, only in doc.spans"]


# Results


def found(wrf: float, strict: float, above: int, below: int, **errors: int) -> dict[str, Any]:
    fair = dict.fromkeys(("tp", "fp", "fn", "le", "be_s", "be_l", "be_o", "lbe"), 0) | errors
    shares = {"above": above / 100, "below": below / 100}
    return {
        "fair": fair,
        "scores": {"wrf": {"mean": wrf}, "strict_f": {"mean": strict}},
        "disagreement": {"strict": {name: {"share": share} for name, share in shares.items()}},
    }


@pytest.mark.parametrize(
    ("summary", "first", "second"),
    [
        (found(0.4, 0.3, 50, 20, fn=3, fp=1), "In 75 % of the errors a span is missed", "10.0 points higher"),
        (
            found(0.3, 0.4, 20, 50, be_s=1, be_l=1, be_o=1, fn=2),
            "In 60 % of the errors a span of the right",
            "10.0 points lower",
        ),
        (
            found(0.3, 0.301, 0, 0, le=1),
            "In 100 % of the errors a span with the right boundaries",
            "within half a point",
        ),
        (found(1.0, 1.0, 0, 0, tp=5), "There is no error.", "within half a point"),
    ],
)
def test_the_sentences_say_what_the_numbers_say(summary, first, second):
    said = script("results").said(summary)
    assert said.startswith(first)
    assert second in said
    above, below = (100 * summary["disagreement"]["strict"][name]["share"] for name in ("above", "below"))
    assert f"above strict F in {above:.1f} % of the documents and below it in {below:.1f} %" in said
