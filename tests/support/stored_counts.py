"""Count files, for the tests that read, merge and damage them."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spacy_nereval import Counts, Document, count, create_all, evaluate
from spacy_nereval.evaluation.collapsing import count_collapsed
from spacy_nereval.evaluation.intervals import draw_replicates
from spacy_nereval.evaluation.result import disagreement, document_rows
from spacy_nereval.io.count_files import load, save

ALL = create_all()
FAIR = create_all(["strict", "fair", "loio"])


def same(a: Counts, b: Counts) -> None:
    """Both say the same, bit for bit, whatever is asked."""
    assert evaluate(a) == evaluate(b)
    assert document_rows(a) == document_rows(b)
    assert disagreement(a) == disagreement(b)
    left_out = ("skipped", "ignored", "repaired", "duplicates", "rejected")
    for name in ("ids", "units", "unit", "labels", "sources", "spans_key", *left_out):
        assert getattr(a, name) == getattr(b, name), name
    assert a.totals() == b.totals()
    assert a.differences(b) == ""
    assert (a.replicates is None) is (b.replicates is None)
    if a.replicates and b.replicates:
        assert a.replicates.settings == b.replicates.settings
        assert all((x == y).all() for x, y in zip(a.replicates.sums.arrays, b.replicates.sums.arrays, strict=True))


def stored(documents: list[Document], path: Path, metrics: Any = ALL, replicates: int = 0, source: str = "") -> Path:
    counts = count(documents, metrics)
    counts.sources = [source] if source else []
    if replicates:
        counts.replicates = draw_replicates(counts, replicates, 0)
    save(counts, path)
    return path


def stored_collapsed(documents: list[Document], path: Path, samples: int = 9, shard: str = "") -> Path:
    counts = count_collapsed(iter(documents), FAIR, samples)
    counts.parts = [shard] if shard else []
    save(counts, path)
    return path


def changed(path: Path, change: Callable[[dict[str, np.ndarray], dict[str, Any]], Any], *, hashed: bool = True) -> Path:
    """The file after a change of its arrays and its header, with the hash of the new content."""
    with np.load(path) as archive:
        arrays = dict(archive)
    header = json.loads(arrays.pop("header").tobytes())
    change(arrays, header)
    if hashed:
        header["digest"] = ""
        rest = sha256(json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode())
        for name, array in sorted(arrays.items()):
            rest.update(f"{name} {array.dtype.str} {array.shape}".encode())
            rest.update(array.tobytes())
        header["digest"] = rest.hexdigest()
    arrays["header"] = np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), dtype=np.uint8)
    other = path.with_name("changed.npz")
    np.savez_compressed(other, **arrays)
    return other


def refused(path: Path) -> str:
    """What is said of a file that cannot be read."""
    with pytest.raises(ValueError) as error:
        load(path)
    assert str(path) in str(error.value)
    return str(error.value)
