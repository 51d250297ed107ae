"""The same corpus in every file: one number, bit for bit, through `score`, Python, `compare` and `count`."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from commands import run, write
from compressed import packed

from spacy_nereval import compare, load, score

pytestmark = pytest.mark.slow

SHAPES = (".jsonl", ".jsonl.gz", ".jsonl.bz2", ".jsonl.xz", ".jsonl.zst", ".parquet", ".arrow", ".feather", ".stream")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    """A folder with gold and two systems, of words with labels by chance, in every shape."""
    folder, drawn = tmp_path_factory.mktemp("corpus"), random.Random(5)
    words = ["Ada", "Lovelace", "met", "Bob", "in", "New", "York", ".", "😀", "Ünïcode"]
    texts = [" ".join(drawn.choices(words, k=drawn.randint(0, 12))) for _ in range(60)]
    for name in ("gold", "a", "b"):
        rows = []
        for number, text in enumerate(texts):
            places = [k for k in range(len(text) + 1) if k in (0, len(text)) or text[k - 1] == " "]
            edges = [sorted(drawn.sample(places, 2)) for _ in range(len(places) // 3)]
            distinct = {(a, b, drawn.choice(["PER", "LOC"])) for a, b in edges}
            spans = [{"start": a, "end": b, "label": label} for a, b, label in sorted(distinct)]
            rows.append({"id": f"d{number}", "text": text, "spans": spans, "meta": {"source": number % 7}})
        path = write(folder / f"{name}.jsonl", *rows)
        for shape in SHAPES[1:]:
            copy = folder / f"{name}{shape}"
            if shape.startswith(".jsonl."):
                packed(write(folder / f"{name}.jsonl", *rows), shape.removeprefix(".jsonl"))
                write(path, *rows)
            elif shape == ".stream":
                _stream(folder / f"{name}.arrow", copy)
            else:
                pytest.importorskip("pyarrow", reason="pyarrow is not installed")
                done("convert", path, copy)
    return folder


def _stream(source: Path, target: Path) -> None:
    """Write an Arrow file as a stream, as `datasets` keeps its own."""
    import pyarrow as pa

    table = pa.ipc.open_file(source.read_bytes()).read_all()
    with target.open("wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, 7)


def done(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def results(folder: Path, shape: str, out: Path) -> dict[str, str]:
    """Everything that is said of the corpus in a shape, as text: through each door."""
    gold, a, b = (folder / f"{name}{shape}" for name in ("gold", "a", "b"))
    how = ("--format", "parquet") if shape == ".stream" else ()
    unit = ("--unit", "meta.source")
    done("score", gold, a, "-m", "strict,fair,semeval", *unit, "--confidence", *how, "-o", out / "score.json")
    compared = ("--name", "a", "--name", "b", "-m", "strict", "--trials", "50")
    done("compare", gold, a, b, *compared, *how, "-o", out / "compare.json")
    done("count", gold, a, "-m", "strict,fair,semeval", *unit, *how, "-o", out / "counts.npz")
    done("score", out / "counts.npz", "--confidence", "-o", out / "counted.json")
    sides = {name: load(path, format="parquet" if how else None) for name, path in (("gold", gold), ("a", a), ("b", b))}
    found = {path.name: path.read_text() for path in sorted(out.glob("*.json"))}
    found["python"] = json.dumps(score(sides["gold"], sides["a"], ["strict", "fair", "semeval"]))
    found["compared"] = json.dumps(compare({"a": sides["a"], "b": sides["b"]}, sides["gold"], ["strict"], trials=50))
    found["errors"] = done("errors", gold, a, *how)
    return found


def test_every_file_gives_the_same_numbers(corpus, tmp_path):
    wanted = results(corpus, SHAPES[0], tmp_path)
    assert json.loads(wanted["score.json"])["metrics"] == json.loads(wanted["counted.json"])["metrics"]
    own = json.loads(wanted["python"])["metrics"]["strict"]["scores"]
    assert own == json.loads(wanted["score.json"])["metrics"]["strict"]["scores"]
    assert 0 < own["f"] < 1
    for shape in SHAPES[1:]:
        found = results(corpus, shape, tmp_path)
        assert {door for door in wanted if found[door] != wanted[door]} == set(), shape
