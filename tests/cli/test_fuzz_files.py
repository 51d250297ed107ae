"""Damaged and odd files of every kind that a command reads: a right result or one sentence, nothing half-written."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from commands import accepted, run
from compressed import PACK
from fuzzing import HOSTILE, trials
from places import ROOT

from spacy_nereval import load

EXAMPLES = ROOT / "examples"
SOURCES = [
    *(EXAMPLES / f"{name}{ending}" for name in ("gold", "improved") for ending in (".jsonl", ".conll", ".spacy")),
    EXAMPLES / "tasks.json",
]


def damaged(numbers: Random, content: bytes) -> bytes:
    """A file with some bytes or lines changed, left out, repeated or swapped."""
    for _ in range(numbers.choice((0, 0, 0, 1, 1, 2, 5))):
        at = numbers.randrange(len(content) + 1)
        kind = numbers.randrange(7)
        if kind == 0:
            content = content[:at]
        elif kind == 1:
            content = content[:at] + numbers.randbytes(numbers.choice((1, 2, 40))) + content[at + 1 :]
        elif kind == 2:
            content = content[:at] + numbers.choice(HOSTILE).encode("utf8", "surrogatepass") + content[at:]
        elif kind == 3:
            content = content + content[at : at + 200]
        elif kind == 4:
            lines = content.split(b"\n")
            numbers.shuffle(lines)
            content = b"\n".join(lines)
        elif kind == 5:
            content = content.replace(b'"start"', numbers.choice((b'"end"', b'"start": -1, "x"', b'"begin"')), 1)
        else:
            content = content.replace(*numbers.choice(((b"0", b"9"), (b"\n", b"\r\n"), (b"[", b"{"), (b"B-", b"I-"))))
    return content


def matched(gold: Path, pred: Path) -> tuple[int, int, int] | None:
    """The numbers of hits, of predictions and of gold spans, by sets of spans; None where offsets are of two texts."""
    loaded = [list(load(path)) for path in (gold, pred)]
    texts, others = ({doc.id: doc.text for doc in docs} for docs in loaded)
    if texts != others:
        return None  # offsets are moved where texts differ by blanks
    sides = [{doc.id: set(doc.spans) for doc in docs} for docs in loaded]
    return (
        sum(len(spans & sides[1][name]) for name, spans in sides[0].items()),
        sum(map(len, sides[1].values())),
        sum(map(len, sides[0].values())),
    )


@pytest.mark.slow
def test_damaged_files_are_scored_right_or_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    compared = 0
    for numbers in trials("files"):
        source = numbers.choice(SOURCES)
        other = source.with_name(source.name.replace("gold", "improved"))
        gold, pred = Path(f"gold{source.suffix}"), Path(f"pred{source.suffix}")
        gold.write_bytes(damaged(numbers, source.read_bytes()))
        pred.write_bytes(damaged(numbers, other.read_bytes()))
        output = Path("out.json")
        command = numbers.choice((["score", gold, pred, "-m", "strict"], ["errors", gold, pred], ["convert", gold]))
        if command[0] != "score":
            output = Path("out.jsonl")
        how = ["-o", output] if command[0] != "convert" else [output, "--drop"]
        done = run(*command, *how, "--debug" if numbers.random() < 0.02 else "--no-check-text")
        said = f"{numbers.name}: {' '.join(map(str, command))}: {done.exit_code} {done.output[-600:]}"
        assert done.exception is None or isinstance(done.exception, SystemExit), said
        assert done.exit_code in (0, 2), said
        assert output.exists() == (done.exit_code == 0), said
        assert done.exit_code == 0 or done.stderr.splitlines()[-1].startswith("✘ "), said
        assert not [*tmp_path.glob(".out*")], said
        if done.exit_code == 0 and command[0] == "score":
            counts = json.loads(output.read_text("utf8"))["metrics"]["strict"]["counts"]
            expected = matched(gold, pred) if source.suffix == ".jsonl" else None
            if expected is not None:
                tp, predicted, support = expected
                assert (counts["tp"], counts["fp"], counts["fn"]) == (tp, predicted - tp, support - tp), said
                compared += 1
        output.unlink(missing_ok=True)
    assert compared > 0


READ = {
    "g.parquet": ["score {} p.jsonl -m strict", "convert {} out.jsonl", "errors {} p.jsonl -o out.jsonl"],
    "g.arrow": ["score {} p.jsonl -m strict", "convert {} out.jsonl"],
    **{f"g.jsonl{extension}": ["convert {} out.jsonl", "gate policy.cfg {} p.jsonl"] for extension in PACK},
    "policy.cfg": ["gate {} g.jsonl p.jsonl --baseline p.jsonl", "plan g.jsonl p.jsonl --baseline p.jsonl --policy {}"],
    "marks.jsonl": ["apply g.jsonl {} -o out.jsonl"],
    "all.npz": ["score {} -C", "merge {} -o out.npz", "compare {} all.npz", "gate policy.cfg g.jsonl p.jsonl -B {}"],
    "collapsed.npz": ["score {} -C", "merge {} collapsed.npz -o out.npz"],
    "cut.json": ["score d.jsonl d.jsonl -m strict --cut {}"],
    "lexicon.json": ["score g.jsonl p.jsonl -m tmr --train {}"],
    "list.txt": ["count --files-from {} -m strict -o out.npz"],
}
"""Files of every other kind, and commands that read them."""


def write_files() -> None:
    """A sound file of each kind, in the working directory."""
    for name, source in {"g": "gold", "p": "improved", "d": "spancat-dev", "marks": "marks", "t": "train"}.items():
        Path(f"{name}.jsonl").write_bytes((EXAMPLES / f"{source}.jsonl").read_bytes())
    for extension, pack in PACK.items():
        Path(f"g.jsonl{extension}").write_bytes(pack(Path("g.jsonl").read_bytes()))
    Path("list.txt").write_text("g.jsonl\np.jsonl\n")
    for command in (
        *(f"convert g.jsonl g.{extension}" for extension in ("parquet", "arrow")),
        "gate --init policy.cfg",
        "count g.jsonl p.jsonl -o all.npz",
        "count g.jsonl p.jsonl -o collapsed.npz --collapse --replicates 10",
        "thresholds d.jsonl d.jsonl -m strict --cut-file cut.json",
        "training t.jsonl -o lexicon.json",
    ):
        assert run(*command.split()).exit_code == 0, command


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_damaged_files_of_other_kinds_are_read_or_refused(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    monkeypatch.chdir(tmp_path)
    write_files()
    accepted("convert", "g.jsonl", "whole.jsonl")
    done_at_all = 0
    for numbers in trials("other files"):
        kind = numbers.choice([*READ])
        file = Path(f"x{kind}")
        file.write_bytes(damaged(numbers, Path(kind).read_bytes()))
        words = numbers.choice(READ[kind]).replace("-B", "--baseline").format(file).split()
        done = run(*words)
        said = f"{numbers.name}: {words}: {done.exit_code} {done.output[-600:]}"
        assert done.exception is None or isinstance(done.exception, SystemExit), said
        assert done.exit_code in ((0, 1, 2) if words[0] == "gate" else (0, 2)), said
        assert done.exit_code < 2 or done.stderr.splitlines()[-1].startswith("✘ "), said
        assert not [*tmp_path.glob(".*")], said
        written = [*tmp_path.glob("out.*")]
        assert len(written) == (done.exit_code == 0 and any("out." in word for word in words)), said
        if written and kind.startswith("g.jsonl."):
            assert written[0].read_bytes() == Path("whole.jsonl").read_bytes(), said  # or else the file is refused
        for path in written:
            path.unlink()
        done_at_all += done.exit_code == 0
    assert done_at_all > 0
