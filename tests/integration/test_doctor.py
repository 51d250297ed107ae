"""The doctor: what training needs, and what is missing of it."""

import json
import shutil
from hashlib import md5, sha256
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import requests
import spacy
from tiny import nominal_transformer, tiny_corpus
from typer.testing import CliRunner

from spacy_nereval.cli import nereval
from spacy_nereval.integration import training_needs


def fake_torch(*, cuda: str | None = "13.0", gpus: int = 1) -> Any:
    memory = (12 * 2**30, 16 * 2**30)
    devices = {"device_count": lambda: gpus, "get_device_name": "Model {}".format, "mem_get_info": lambda k: memory}
    mps = SimpleNamespace(is_available=lambda: False)
    parts = {"version": SimpleNamespace(cuda=cuda), "backends": SimpleNamespace(mps=mps)}
    return SimpleNamespace(__version__="2.13.0", cuda=SimpleNamespace(**devices), **parts)


def fake_cupy(*, broken: bool = False) -> Any:
    def zeros(size: int) -> np.ndarray:
        if broken:
            raise RuntimeError("CUDA driver version\nis insufficient")
        return np.zeros(size)

    device = SimpleNamespace(use=lambda: None)
    return SimpleNamespace(__version__="14.2.0", cuda=SimpleNamespace(Device=lambda number: device), zeros=zeros)


def examined(monkeypatch, torch: Any, cupy: Any, **asked: Any) -> dict[str, training_needs.Check]:
    modules = {"torch": torch, "cupy": cupy}
    monkeypatch.setattr(training_needs, "_try_import", modules.get)
    return {finding.subject: finding for finding in training_needs.examine(**asked)}


def problems(found: dict[str, training_needs.Check]) -> list[str]:
    return [what for what, finding in found.items() if finding.remedy]


def test_a_machine_with_everything_has_no_problem(monkeypatch):
    found = examined(monkeypatch, fake_torch(gpus=2), fake_cupy(), gpu_id=1)
    assert problems(found) == []
    assert found["GPU"].state == "0: Model 0, 1: Model 1"
    assert found["GPU memory"].state == "12.0 of 16.0 GiB free"
    assert "CUDA 13.0" in found["torch"].state


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


BOUND = "transformers<4.53.3,>=3.4.0"


def transformers_check(
    monkeypatch, transformers: str | None, *, requires: list[str] | None, owner: str | None = "1.4.0"
):
    """The check of transformers with planted metadata; None is a package that is not installed."""

    def version(name: str) -> str:
        planted = {"spacy-transformers": owner, "transformers": transformers}.get(name, "1.0")
        if planted is None:
            raise PackageNotFoundError(name)
        return planted

    monkeypatch.setattr(training_needs, "version", version)
    monkeypatch.setattr(training_needs, "requires", {"spacy-transformers": requires}.get)
    return examined(monkeypatch, None, None, transformer="/no/folder").get("transformers")


@pytest.mark.parametrize(
    ("version", "fits"),
    [("4.53.2", True), ("3.4.0", True), ("4.53.3", False), ("3.3.9", False), ("5.0.0", False), ("5.24.0.dev0", False)],
)
def test_transformers_has_to_be_a_version_that_the_installed_spacy_transformers_takes(monkeypatch, version, fits):
    check = transformers_check(monkeypatch, version, requires=["spacy<4", BOUND, 'transformers>=9; extra == "other"'])
    assert version in check.state and "spacy-transformers 1.4.0" in check.state and "<4.53.3,>=3.4.0" in check.state
    assert check.remedy == (None if fits else f'python -m pip install "{BOUND}"')
    # Only of the newest does one know what happens.
    assert ("BatchEncoding from transformers.tokenization_utils" in check.state) is (version[0] == "5")


def test_the_bound_is_the_one_that_the_metadata_has(monkeypatch):
    newer = ["transformers<7,>=5"]
    assert transformers_check(monkeypatch, "5.24.0", requires=newer, owner="2.0").remedy is None
    assert "transformers<7,>=5" in transformers_check(monkeypatch, "4.53.2", requires=newer, owner="2.0").remedy


def test_without_one_of_both_packages_there_is_no_bound_or_no_version(monkeypatch):
    missing = transformers_check(monkeypatch, None, requires=[BOUND])
    assert missing.state.startswith("not installed") and BOUND in missing.remedy and not missing.exists
    assert transformers_check(monkeypatch, "5.0.0", requires=[BOUND], owner=None) is None
    assert transformers_check(monkeypatch, "5.0.0", requires=None) is None
    # Who asks for no transformer needs none.
    assert problems(examined(monkeypatch, None, None)) == []


def test_the_installed_packages_fit(monkeypatch):
    """What requirements.txt names, where it is installed."""
    for name in ("spacy-transformers", "transformers"):
        try:
            training_needs.version(name)
        except PackageNotFoundError:
            return
    check = examined(monkeypatch, None, None, transformer="/no/folder")["transformers"]
    assert check.remedy is None and training_needs.version("transformers") in check.state


def test_weights_are_a_whole_folder(tmp_path):
    whole = nominal_transformer(tmp_path / "whole")
    assert training_needs.weights(str(whole)).remedy is None
    partial = shutil.copytree(whole, tmp_path / "partial")
    (partial / "model.safetensors").unlink()
    (partial / "config.json").unlink()
    found = training_needs.weights(str(partial))
    assert found.state == "a folder without config.json, weights"
    assert "scripts/weights.py" in str(found.remedy)


def test_weights_are_looked_for_in_the_cache_and_then_on_the_hub(monkeypatch):
    asked = []

    def head(url: str, **_: Any) -> Any:
        asked.append(url)
        if "down" in url:
            raise requests.ConnectionError
        return SimpleNamespace(ok="there" in url, status_code=404)

    cached = SimpleNamespace(try_to_load_from_cache=lambda name, file: "/cache" if name == "org/cached" else None)
    monkeypatch.setattr(training_needs, "_try_import", {"huggingface_hub": cached}.get)
    monkeypatch.setattr(requests, "head", head)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    assert "cache" in training_needs.weights("org/cached").state and asked == []
    assert training_needs.weights("org/there").remedy is None
    assert asked == ["https://huggingface.co/org/there/resolve/main/config.json"]
    assert "404" in training_needs.weights("org/nowhere").state
    assert "cannot be reached" in training_needs.weights("org/down").state
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE" in training_needs.weights("org/there").state
    assert all(training_needs.weights(name).remedy for name in ("org/nowhere", "org/down", "/no/folder", "./no", "a b"))


def assets() -> dict[str, training_needs.Check]:
    return {finding.subject: finding for finding in training_needs.assets("web")}


def test_a_corpus_is_checked_against_the_project_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wanted = {"whole": b"right", "damaged": b"right", "missing": b""}
    listed = [{"dest": f"assets/web/{name}", "checksum": md5(text).hexdigest()} for name, text in wanted.items()]
    other = {"dest": "assets/other/file", "checksum": "0"}
    Path("project.yml").write_text(json.dumps({"assets": [*listed, other]}), encoding="utf8")
    Path("assets/web").mkdir(parents=True)
    Path("assets/web/whole").write_bytes(b"right")
    Path("assets/web/damaged").write_bytes(b"wrong")
    found = assets()
    assert found["assets/web/whole"].remedy is None
    assert md5(b"wrong").hexdigest() in found["assets/web/damaged"].state
    assert "delete it" in str(found["assets/web/damaged"].remedy)
    assert "project assets" in str(found["assets/web/missing"].remedy)
    assert len(found) == 3
    sums = f"{sha256(b'right').hexdigest()}  assets/web/damaged\n{'0' * 64}  assets/web/whole\n"
    Path("assets/SHA256SUMS").write_text(sums, encoding="utf8")
    found = assets()
    assert sha256(b"right").hexdigest() in found["assets/web/whole"].state
    assert "delete it" in str(found["assets/web/whole"].remedy)
    Path("assets/SHA256SUMS").unlink()
    tiny_corpus(Path("corpus/web"), 1)
    Path("corpus/web/dev.spacy").unlink()
    missing = [finding for finding in training_needs.examine(corpus="web") if finding.remedy]
    assert [Path(finding.subject).name for finding in missing] == ["damaged", "missing", "dev.spacy"]
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
