"""Training: the schedule that falls on a plateau, the logger that feeds it, the doctor, and scripts/train.py."""

from __future__ import annotations

import io
import json
import pickle
import shutil
import warnings
from collections.abc import Sequence
from hashlib import md5
from math import nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import requests
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.util import registry
from thinc.api import Config
from tiny import nominal_transformer, tiny_corpus
from typer.testing import CliRunner

from spacy_nereval.cli import nereval
from spacy_nereval.integration import doctor, schedules
from spacy_nereval.integration.schedules import Plateau, plateau

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


def test_weights_are_a_whole_folder(tmp_path):
    whole = nominal_transformer(tmp_path / "whole")
    assert doctor.weights(str(whole)).remedy is None
    partial = shutil.copytree(whole, tmp_path / "partial")
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
    assert refused.stderr == f"✘ {len(lines)} of the requested items cannot be used\n"
