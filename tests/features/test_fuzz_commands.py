"""Text that steers terminals, or is no Unicode; and random trials: damaged files, options, environments, kills."""

import inspect
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import pytest
from commands import accepted, run
from compressed import PACK
from fuzzing import HOSTILE, trials
from places import ROOT
from processes import WITHOUT_SPACY
from products import NIGHT

from spacy_nereval.cli import nereval
from spacy_nereval.features.report.corrections import gold_digest
from spacy_nereval.io.writing import json_line

posix = pytest.mark.skipif(os.name != "posix", reason="terminals, streams and signals are those of POSIX")

OSC = "\x1b]52;c;aGVsbG8=\x07"
"""What writes the clipboard of many terminals."""
TURNED, C1, HALF = "\u202e", "\x9b2J", "\ud800"
GOLD, PRED = f"gold{OSC}.jsonl", f"pred{OSC}{TURNED}.jsonl"

COMMANDS = {
    "score": [
        [GOLD, PRED, "-m", "all", "--tables", "all", "--confidence"],
        *([GOLD, PRED, "--format", name] for name in ("csv", "markdown", "latex", "json", "html")),
        [GOLD, f"no{OSC}"],
        [GOLD, PRED, "--only", f"X{OSC}"],
        [GOLD, PRED, f"--meric{OSC}"],
        [GOLD, PRED, "--fair.unit", OSC],
        [GOLD, PRED, "-o", f"{OSC}/x.json"],
        [GOLD, PRED, "-m", "strict", "--code", "warning.py"],
    ],
    "compare": [[GOLD, GOLD, PRED, "--tables", "all", "--labels", "--trials", "20"]],
    "leaderboard": [[GOLD, PRED, f"{OSC}={GOLD}", "--tables", "all"], [f"no{OSC}.csv"], [GOLD]],
    "errors": [[GOLD, PRED], [GOLD, PRED, "-o", "-"], [GOLD, PRED, "-o", "errors.csv"]],
    "report": [[GOLD, PRED, "-o", "report.html"]],
    "agreement": [[GOLD, PRED, "--tables", "all", "--disputes", "disputes.json", "--html", "agreement.html"]],
    "thresholds": [[GOLD, PRED, "--tables", "all", "--cut-file", "cut.json"]],
    "count": [[GOLD, PRED, "-o", "counts.npz"]],
    "merge": [["counts.npz", "counts.npz", "-o", f"merged{OSC}.npz"]],
    "convert": [[GOLD, "-"], [GOLD, f"new{OSC}.conll"], [GOLD, "new.spacy"]],
    "training": [[GOLD, "-o", f"lexicon{OSC}.json"]],
    "gate": [[f"no{OSC}.cfg", GOLD, PRED], [str(Path("policy.cfg")), GOLD, PRED, "--baseline", GOLD]],
    "plan": [[GOLD, PRED, "--baseline", GOLD, "--policy", "policy.cfg"], [GOLD, PRED, "--policy", f"no{OSC}.cfg"]],
    "apply": [[GOLD, f"no{OSC}", "-o", "new.jsonl"], [GOLD, "marks.jsonl", "-o", f"new{OSC}.jsonl"]],
    "datasets": [[f"a{OSC}", f"b{OSC}"]],
    "metrics": [[f"x{OSC}"]],
    "help": [[f"x{OSC}"], ["reading"]],
    "init-config": [[f"c{OSC}.cfg"]],
    "detach": [[f"a{OSC}", "b"]],
    "evaluate": [[f"m{OSC}", GOLD]],
    "doctor": [["--corpus", f"c{OSC}"]],
    "show": [[GOLD], [PRED, "--limit", "0"]],
}
"""Arguments of every command, with hostile names, over documents with hostile ids, texts and labels."""


def plainly_named() -> dict[str, list[list[str]]]:
    """The commands on files with plain names."""
    named = {GOLD: "g.jsonl", PRED: "p.jsonl"}
    return {name: [[named.get(word, word) for word in each] for each in some] for name, some in COMMANDS.items()}


def rows(of: str, *, gold: bool) -> list[dict[str, Any]]:
    spans = [(0, 3, f"PER{of}", 0.5), (4, 9, f"LOC{of[:1]}", 0.7)]
    if not gold:
        spans = [(0, 5, f"PER{of}", 0.6), (12, 15, f"X{of}", 0.9)]
    found = [dict(zip(("start", "end", "label", "score"), span)) for span in spans]
    return [
        {"id": f"d{of}{k}", "text": f"Ada {of} met Bob in Rome {k}", "meta": {f"a{of}": of}, "spans": found}
        for k in range(6)
    ]


def corpus(folder: Path, of: str, gold: str, pred: str) -> None:
    for name, is_gold in ((gold, True), (pred, False)):
        lines = [json.dumps(row) for row in rows(of, gold=is_gold)]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="ascii")

    (folder / "warning.py").write_text(f"import warnings\n\nwarnings.warn({ascii(of)})\n", encoding="ascii")
    marks = [json.dumps(mark) for mark in marks_of(rows(of, gold=True), of)]
    (folder / "marks.jsonl").write_text("\n".join(marks), encoding="ascii")


def marks_of(gold: list[dict[str, Any]], of: str) -> list[dict[str, Any]]:
    """A decision on a span of each document, and a place without one."""
    marks = []
    for row in gold:
        spans = [(span["start"], span["end"], span["label"]) for span in row["spans"]]
        said = {"digest": gold_digest(row["id"], row["text"], spans), "mark": "gold wrong", "note": of, "reason": of}
        marks += [{**said, "gold": row["spans"][0], "decided": [{"start": 0, "end": 2, "label": f"NEW{of}"}]}]
        marks += [{**said, "gold": row["spans"][1]}]
    return marks


DRIVER = """
import json

from spacy_nereval.cli import nereval

nereval(["gate", "--init", "policy.cfg"], standalone_mode=False)
for name, *arguments in json.loads(open("commands.json").read()):
    print(f"== {name}", flush=True)
    try:
        nereval([name, *arguments])
    except SystemExit as error:
        print("==", error.code, flush=True)
"""
"""Runs many commands in one process."""


def printed(folder: Path, commands: dict[str, list[list[str]]], *, terminal: bool) -> bytes:
    """What commands print, both streams together, to a terminal or a pipe."""
    lines = [[name, *each] for name, some in commands.items() for each in some]
    (folder / "commands.json").write_text(json.dumps(lines))
    (folder / "driver.py").write_text(DRIVER, encoding="utf8")
    how: dict[str, Any] = {"cwd": folder, "env": os.environ | {"COLUMNS": "100", "PYTHONIOENCODING": "utf8"}}
    if not terminal:
        done = subprocess.run([sys.executable, "driver.py"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how)
        return done.stdout
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "driver.py"], stdin=theirs, stdout=theirs, stderr=theirs, **how):
        os.close(theirs)
        found = b""
        try:
            while block := os.read(ours, 1 << 16):
                found += block
        except OSError:  # the other side is closed
            pass
    os.close(ours)
    return found


def test_every_command_is_tried():
    assert COMMANDS.keys() == {command.name for command in nereval.registered_commands}


@pytest.mark.slow
@posix
@pytest.mark.parametrize("terminal", [True, pytest.param(False, marks=NIGHT)])
def test_nothing_of_the_data_steers_a_terminal(tmp_path, terminal):
    corpus(tmp_path, f"{OSC}{TURNED}{C1}", GOLD, PRED)
    tried = COMMANDS if terminal else {name: COMMANDS[name] for name in ("score", "errors", "convert", "gate", "apply")}
    found = printed(tmp_path, tried, terminal=terminal)
    assert found.count(b"== ") == 2 * sum(map(len, tried.values())), found[-2000:].decode("utf8", "replace")
    assert b"Traceback" not in found
    for steering in (b"\x1b]", b"\x07", TURNED.encode(), C1.encode()):
        assert steering not in found, found[max(0, found.index(steering) - 300) :][:400]
    assert found.count(rb"\x1b]52") + found.count(rb"\u001b]52") > 40  # it is shown, harmlessly


@pytest.mark.nightly
@pytest.mark.slow
def test_what_is_no_unicode_is_scored_or_refused_with_its_document(tmp_path):
    corpus(tmp_path, HALF, "g.jsonl", "p.jsonl")
    plain = plainly_named()
    commands = {name: [each for each in some if OSC not in "".join(each)] for name, some in plain.items()}
    commands["score"] += [["g.jsonl", "p.jsonl", "-o", "scores.json", "--per-document", "documents.csv"]]
    commands["convert"] += [["g.jsonl", "new.conll"], ["g.jsonl", "brat"]]
    found = printed(tmp_path, commands, terminal=False).decode("utf8")
    for said in ("Traceback", "codec can", "surrogates not allowed"):
        assert said not in found, found[max(0, found.index(said) - 500) :][:700]
    assert found.count("document d\\ud8000: the character '\\ud800' cannot be written in this format") == 3
    assert "counts.npz: the id of document 0 of g.jsonl is 'd\\ud8000': a lone surrogate is no character" in found
    assert json.loads((tmp_path / "scores.json").read_text(encoding="utf8"))["gold"] == 12


def test_json_is_equal_after_escaping():
    value = {f"a{OSC}": [TURNED, C1, HALF, "Zoë", 0.1]}
    assert json.loads(json_line(value)) == value
    assert json_line(value).isprintable()


# Damaged files: a right result or one sentence, nothing half-written

EXAMPLES = ROOT / "examples"
COPIES = {"g": "gold", "p": "improved", "b": "baseline", "t": "train", "d": "spancat-dev"}


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


def copy_examples() -> None:
    for copied, source in COPIES.items():
        Path(f"{copied}.jsonl").write_bytes((EXAMPLES / f"{source}.jsonl").read_bytes())


COMMANDS_OF_TEXT = ["score {} p.jsonl -m strict", "errors {} p.jsonl -o out.jsonl", "convert {} out.jsonl --drop"]
FILES_READ = {
    **dict.fromkeys(("g.jsonl", "g.conll", "g.spacy", "tasks.json"), COMMANDS_OF_TEXT),
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
"""Files of every kind, and commands that read them."""


def write_files() -> None:
    """A sound file of each kind, in the working directory."""
    copy_examples()
    for name in ("marks.jsonl", "tasks.json", "gold.conll", "gold.spacy"):
        Path(name.replace("gold", "g")).write_bytes((EXAMPLES / name).read_bytes())
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
def test_damaged_files_of_every_kind_are_read_or_refused(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    monkeypatch.chdir(tmp_path)
    write_files()
    accepted("convert", "g.jsonl", "whole.jsonl")
    done_at_all = 0
    for numbers in trials("other files"):
        kind = numbers.choice([*FILES_READ])
        file = Path(f"x{kind}")
        file.write_bytes(damaged(numbers, Path(kind).read_bytes()))
        words = numbers.choice(FILES_READ[kind]).replace("-B", "--baseline").format(file).split()
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


# Options: done the same twice, or refused in one sentence

CALLBACKS = {command.name: command.callback for command in nereval.registered_commands}
FUZZED = {
    "score": ["g.jsonl", "p.jsonl"],
    "compare": ["g.jsonl", "b.jsonl", "p.jsonl"],
    "errors": ["g.jsonl", "p.jsonl"],
    "agreement": ["g.jsonl", "p.jsonl"],
    "thresholds": ["d.jsonl", "d.jsonl"],
    "convert": ["g.jsonl", "new.jsonl"],
    "count": ["g.jsonl", "p.jsonl", "-o", "c.npz"],
    "training": ["t.jsonl", "-o", "lexicon.json"],
    "gate": ["policy.cfg", "g.jsonl", "p.jsonl", "--baseline", "b.jsonl"],
    "plan": ["g.jsonl", "p.jsonl", "--baseline", "b.jsonl", "--difference", "5"],
    "metrics": ["fair"],
    "show": ["g.jsonl"],
    "apply": ["g.jsonl", "marks.jsonl", "-o", "new.jsonl"],
}
"""Commands with arguments that they can use."""

SLOW = ("samples", "trials", "replicates", "engine", "workers", "html", "code", "parts")
"""Parameters that resample for long, start processes, run code or need libraries of pages."""

WORDS = """0 1 2 -1 0.5 1e9 nan inf all none strict strict,fair papers fair.f eLen jsonl conll markdown csv,json scores
docs macro PER=LOC FAILURE_LOC id block:3 meta.x prefix:(. prefix:(t) token char true [] {} O,B-A new.json x.csv"""
VALUES = (*WORDS.split(), '{"a": null}', *(f"{name}.jsonl" for name in COPIES), *HOSTILE)


def arguments(numbers: Random, name: str) -> list[str]:
    """A command with some of its options, with values of any kind."""
    parameters = inspect.signature(CALLBACKS[name]).parameters
    options = [each for each in parameters if each not in (*SLOW, "ctx")]
    found = [name, *FUZZED[name]]
    for option in numbers.sample(options, min(len(options), numbers.choice((0, 1, 1, 2, 3)))):
        found.append(f"--{option.replace('_', '-')}")
        if parameters[option].annotation is not bool or numbers.random() < 0.2:
            found.append(numbers.choice(VALUES))
    if numbers.random() < 0.3:
        metric, option = numbers.choice(("fair", "loio", "wrf", "x")), numbers.choice(("unit", "s", "beta", ""))
        found += [f"--{metric}.{option}", numbers.choice(VALUES)]
    return [word for word in found if "\x00" not in word and "\ud800" not in word]  # which no shell can pass


def result(words: list[str]) -> tuple[int, Any]:
    done = run(*words)
    said = f"{words}: {done.exit_code} {done.output[-800:]}"
    assert done.exception is None or isinstance(done.exception, SystemExit), said
    assert done.exit_code in ((0, 1, 2) if words[0] == "gate" else (0, 2)), said
    assert "Traceback" not in done.output or "--debug" in words, said
    told = any(line.strip().startswith(("✘ ", "Usage: ", "╭─ Error")) for line in done.stderr.splitlines())
    assert told or done.exit_code < 2, said
    return done.exit_code, done.stdout


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_any_options_are_done_or_refused(tmp_path, monkeypatch):
    done = 0
    for numbers in trials("options", least=20):
        words = arguments(numbers, numbers.choice([*FUZZED]))
        seen = []
        for k in range(2 if numbers.random() < 0.2 else 1):
            folder = tmp_path / f"{numbers.random()}{k}"
            folder.mkdir()
            monkeypatch.chdir(folder)
            copy_examples()
            run("gate", "--init", "policy.cfg")
            Path("marks.jsonl").touch()
            status = result(words)
            files = (path for path in Path().rglob("*") if path.is_file() and path.suffix != ".npz")
            seen.append((*status, sorted((path.name, path.read_bytes()) for path in files)))
        assert all(each == seen[0] for each in seen), f"{numbers.name}: {words} is not the same twice"
        done += seen[0][0] == 0
    print(f"{done} done, the others refused")
    assert done > 3


# Environments, terminals and kills: the same numbers, no steering, no lost byte

EXAMPLE = [str(EXAMPLES / f"{name}.jsonl") for name in ("gold", "improved")]
VARIABLES = {
    "COLUMNS": ("1", "20", "0", "x", "99999"),
    "LINES": ("0", "x"),
    "NO_COLOR": ("1", ""),
    "FORCE_COLOR": ("1",),
    "TERM": ("dumb", "xterm-256color", ""),
    "PYTHONIOENCODING": ("ascii", "latin-1", "utf8:strict", "cp1252"),
    "LC_ALL": ("C", "POSIX", "C.UTF-8", "tr_TR.UTF-8", "x"),
    "PYTHONUTF8": ("0", "1"),
    "TZ": ("UTC", "Pacific/Kiritimati", "x"),
    "TMPDIR": ("/nowhere", "."),
    "HOME": ("/nowhere",),
    "PYTHONHASHSEED": ("0", "1", "42"),
    "OMP_NUM_THREADS": ("1", "2"),
}


def light(folder: Path) -> list[str]:
    (folder / "light.py").write_text(f"{WITHOUT_SPACY}\nnereval()\n", encoding="utf8")
    return [sys.executable, "light.py"]


@posix
@pytest.mark.slow
def test_the_environment_changes_no_number(tmp_path):
    command = [*light(tmp_path), "score", *EXAMPLE, "--confidence", "-o"]
    subprocess.run([*command, "plain.json"], cwd=tmp_path, check=True, capture_output=True)
    expected = (tmp_path / "plain.json").read_bytes()
    for numbers in trials("environment"):
        names = numbers.sample([*VARIABLES], numbers.randrange(1, 5))
        changed = {name: numbers.choice(VARIABLES[name]) for name in names}
        how = {"umask": numbers.choice((0o000, 0o077, 0o022)), "cwd": tmp_path, "env": os.environ | changed}
        done = subprocess.run([*command, "out.json"], capture_output=True, check=False, **how)
        said = f"{numbers.name}: {changed}: {done.stderr[-500:]!r}"
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), said
        assert (tmp_path / "out.json").read_bytes() == expected, said
        (tmp_path / "out.json").unlink()


@posix
@pytest.mark.slow
def test_a_kill_leaves_what_was_there_or_all_that_is_new(tmp_path):
    command = [*light(tmp_path), "count", "-m", "strict", "--collapse", "--append", "--unit", "document", "-o"]
    first, second = EXAMPLE, [str(EXAMPLES / "news.jsonl"), str(EXAMPLES / "news-answers.jsonl")]

    def counted(folder: Path, files: list[str]) -> bytes:
        done = subprocess.run([*command, "all.npz", *files], cwd=folder, check=False, capture_output=True)
        assert done.returncode == 0, done.stderr
        return (folder / "all.npz").read_bytes()

    base = tmp_path / "base"
    base.mkdir()
    light(base)
    before = counted(base, first)
    shutil.copytree(base, tmp_path / "whole")
    after = counted(tmp_path / "whole", second)
    assert before != after
    for numbers in trials("kill"):
        here = tmp_path / f"{numbers.random()}"
        shutil.copytree(base, here)
        with subprocess.Popen([*command, "all.npz", *second], cwd=here, stdout=-3, stderr=-3) as process:
            sleep(numbers.uniform(0.2, 0.8))
            process.send_signal(signal.SIGKILL)
        found = (here / "all.npz").read_bytes()
        assert found in (before, after), numbers.name
        if found == before:
            assert counted(here, second) == after, f"{numbers.name}: going on gives other bytes"
        shutil.rmtree(here)
