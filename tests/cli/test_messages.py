"""What stops a command or is odd is told in a sentence: labels that hardly meet, full disks, faults, odd options."""

import errno
import inspect
import json
import os
import pickle
import re
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
import typer
from commands import GOLD, PRED, accepted, flat, line, refused, run, write
from typer.main import get_command

from spacy_nereval.cli import nereval, score
from spacy_nereval.core.plugins import readers
from spacy_nereval.evaluation.label_schemes import label_lines
from spacy_nereval.io.formats import records
from spacy_nereval.io.formats.settings import Format
from spacy_nereval.io.records import Record
from spacy_nereval.io.tables import write_rows
from spacy_nereval.io.writing import atomic_file, write_json


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(Path("g.jsonl"), *GOLD)
    write(Path("p.jsonl"), *PRED)
    return tmp_path


# Labels

COMMANDS = (
    "score g.jsonl p.jsonl",
    "errors g.jsonl p.jsonl",
    "compare g.jsonl p.jsonl p.jsonl --trials 20 --samples 20",
    "count g.jsonl p.jsonl -o out.npz",
    "score out.npz",
    "count g.jsonl p.jsonl -o out.npz --parts parts",
    "report g.jsonl p.jsonl -o out.html",
)


def labelled(path: str, *labels: str) -> Path:
    spans = ((2 * k, 2 * k + 1, label) for k, label in enumerate(labels))
    return write(Path(path), line("a b c d e f g h", *spans))


@pytest.mark.costly
def test_label_sets_that_do_not_meet_are_told_by_every_command():
    labelled("g.jsonl", "person", "LOC"), labelled("p.jsonl", "PERSON", "place ")
    for command in COMMANDS:
        done = run(*command.split())
        assert done.exit_code == 0, done.output
        said = flat(done.stderr)
        assert said.startswith("⚠ ") and "No predicted label is a gold label: the gold labels are " in said
        assert "the predicted labels PERSON, 'place '. Scores that compare labels are not meaningful." in said
        assert 'To map labels, add --labels \'{"PERSON": "person", "place ": "LOC"}\'' in said


@pytest.mark.costly
def test_spans_in_the_same_places_propose_a_label():
    labelled("g.jsonl", "GPE", "GPE", "X"), labelled("p.jsonl", "LOC", "LOC", "X")
    for command in COMMANDS[:4]:  # not from counts, which name no spans
        assert "add --labels LOC=GPE" in flat(run(*command.split()).stderr), command


@pytest.mark.parametrize(
    ("gold", "pred", "excluded"), [("PERSON", "PER", ""), ("PER", "PERSON", "--only excludes PERSON. ")]
)
def test_labels_that_only_excludes_are_told_of_their_side(gold, pred, excluded):
    labelled("g.jsonl", gold, "LOC"), labelled("p.jsonl", pred, "LOC")
    told = (
        f"⚠ 1 of 2 predicted spans has a label that never occurs in gold: {pred}. Gold has LOC, {gold}. {excluded}"
        f"To map labels, add --labels {pred}={gold}"
    )
    for command in COMMANDS[:2] + COMMANDS[3:4]:
        assert told in run(*command.split(), "--only", "PER,LOC").stderr.splitlines(), command


@pytest.mark.parametrize(
    ("gold", "pred", "said"),
    [
        ({"PER": 9}, {"PER": 1, "LOC": 9}, "9 of 10 predicted spans have a label that never occurs in gold: LOC."),
        ({"A": 9}, {"A": 9, "B": 1}, "1 of 10 predicted spans has a label that never occurs in gold: B."),
        ({"PHYSICAL_OBJECT": 9}, {"PhysicalObject": 9}, "add labels='PhysicalObject=PHYSICAL_OBJECT'"),
        ({"PER": 9}, {"PER ": 9}, "the gold labels are PER, the predicted labels 'PER '"),
        ({"x" * 99: 9}, {"B": 9}, "x" * 60 + "... (99 characters)"),
        ({f"l{k}": 1 for k in range(20)}, {"B": 9}, "l14, l15, ..., the predicted labels"),
        *(({"A": 9}, pred, None) for pred in ({"A": 2, "B": 0}, {}, {"A": 9})),
        ({}, {"A": 9}, None),
        ({"A": 1, "B": 0}, {"A": 1}, None),
    ],
)
def test_labels_that_hardly_meet_are_told_and_others_not(gold, pred, said):
    found = label_lines(gold, pred)
    assert len(found) == (said is not None) and all(said in each for each in found)


def test_labels_that_differ_in_white_space_only_are_told_apart_in_tables():
    printed = run("score", labelled("g.jsonl", "PER", "PER ", "LOC"), "g.jsonl", "-m", "strict").stdout
    for shown in ("'PER'", "'PER '", "LOC"):
        assert re.search(rf"^{shown} +1", printed, re.MULTILINE)
    assert "'PER'" not in run("score", labelled("g.jsonl", "PER", "LOC"), "g.jsonl", "-m", "strict").stdout


def test_what_was_changed_on_reading_is_told_by_count():
    write(Path("g.jsonl"), line("Ada met Bob", (0, 3, "PER"), (0, 3, "PER")))
    printed = accepted("count", "g.jsonl", "g.jsonl", "-o", "o.npz", "-m", "strict")
    assert "2 spans given again and counted once" in flat(printed)


# Disks and pipes


class Full:
    """A file on a disk that has no more room."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, data):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("how", [lambda path: write_json(path, {}), lambda path: write_rows(path, [{"a": "b" * 9}])])
def test_a_full_disk_names_the_file(how, here, monkeypatch):
    before = [*here.iterdir()]
    monkeypatch.setattr(Path, "open", lambda *given, opened=Path.open: Full(opened(*given)))
    with pytest.raises(OSError, match="out.jsonl"):
        how(here / "out.jsonl")
    assert [*here.iterdir()] == before


@pytest.mark.parametrize(("name", "options"), [("secho", ()), ("echo", ("-f", "json"))])
def test_a_full_disk_behind_the_standard_output_is_named(name, options, monkeypatch):
    printed = getattr(typer, name)

    def full(text, **style):
        if style.get("err"):
            return printed(text, **style)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(typer, name, full)
    done = run("score", "g.jsonl", "g.jsonl", "-m", "strict", *options)
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (2, "✘ No space left on device: the standard output")


def test_an_error_of_reading_does_not_name_the_output(here):
    with pytest.raises(OSError) as raised, atomic_file(here / "out"):
        raise OSError(errno.EIO, "Input/output error")
    assert "out" not in str(raised.value).replace("Input/output", "")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there is no /dev/fd here")
def test_a_result_may_go_to_a_pipe_that_has_no_path():
    """As /dev/stdout before a bar of the shell."""
    read, write_end = os.pipe()
    with os.fdopen(read, "rb") as pipe:
        write_json(Path(f"/dev/fd/{write_end}"), [1])
        os.close(write_end)
        assert pipe.read() == b"[\n  1\n]\n"


# Large numbers


@pytest.mark.costly
@pytest.mark.parametrize(
    "command",
    [
        "score -m mentions -C --samples 5000 --mentions.scope hits",
        "score -m mentions -C --samples 5000 --unit document --mentions.scope hits",
        "count -m strict --collapse --replicates 5000 -o out.npz",
    ],
)
def test_samples_that_do_not_fit_into_memory_are_told_before_they_are_drawn(command, monkeypatch):
    monkeypatch.setattr("spacy_nereval.counting.table.machine_memory", lambda: 2.0**20)
    write(Path("g.jsonl"), *({**row, "id": str(k)} for k, row in enumerate(GOLD * 5)))
    name, *options = command.split()
    said = refused(name, "g.jsonl", "g.jsonl", *options)
    assert re.search(r"5,000 resamples of 1 metrics and 2 labels take about [0-9.]+ GiB.* use at most \d", said)
    most = int(re.search(r"use at most ([\d,]+)", said)[1].replace(",", ""))
    assert 100 < most < 5000
    fewer = [str(most) if part == "5000" else part for part in options]
    assert run(name, "g.jsonl", "g.jsonl", *fewer).exit_code == 0


@pytest.mark.parametrize(
    ("metric", "weights"),
    [
        ("ace", {"PER": 1e6, "LOC": 1e6}),
        ("fair", {error: dict.fromkeys(("tp", "fp", "fn"), 1e6) for error in ("le", "be_s", "fp", "fn")}),
        ("slot_error", dict.fromkeys(("s_type", "s_extent", "s_both", "d", "i"), 1e6)),
    ],
)
def test_the_largest_weights_give_scores_without_a_warning(metric, weights):
    options = (f"--{metric}.weights", json.dumps(weights), "-C", "--samples", 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        accepted("score", "g.jsonl", "p.jsonl", "-m", metric, *options)


# Faults of data, machines and libraries; a mistake in the package is not hidden

DAMAGED = "it is damaged, or its contents do not match its name"
FAULTS: dict[str, tuple[Exception, str]] = {
    "memory": (MemoryError("Unable to allocate 7 GiB"), "there is not enough memory ('Unable to allocate 7 GiB')"),
    "nesting": (RecursionError("maximum recursion depth exceeded"), "it is nested too deeply"),
    "archive": (zipfile.BadZipFile("Bad magic number"), f"{DAMAGED} (BadZipFile: "),
    "cut off": (EOFError("Compressed file ended"), f"{DAMAGED} (EOFError: "),
    "packed": (zlib.error("Error -3 while decompressing"), f"{DAMAGED} (error: "),
    "pickled": (pickle.UnpicklingError("invalid load key"), f"{DAMAGED} (UnpicklingError"),
    "encoding": (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates"), DAMAGED),
    "run time": (RuntimeError("CUDA error"), "RuntimeError: 'CUDA error'"),
}


@pytest.mark.parametrize(("error", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_names_what_is_read_and_how_to_see_more(error, said, monkeypatch):
    """While a file is read also the document."""

    def read(path, format):
        yield Record("Ada", set())
        raise error

    def fail(*_, **__):
        raise error

    readers("faulty", func=read)
    assert f"g.jsonl, document 1: {said}" in refused("score", "g.jsonl", "g.jsonl", "--format", "faulty")
    with pytest.raises(ValueError, match="document 1"):
        [*records(Path("g.jsonl"), None, Format("faulty"))]
    monkeypatch.setattr(score, "chosen_metrics", fail)
    told = refused("score", "g.jsonl", "g.jsonl")
    assert told.startswith(f"✘ g.jsonl, g.jsonl: {said}") and told.endswith("; --debug shows where this happened")
    shown = run("score", "g.jsonl", "g.jsonl", "--debug")
    assert shown.exit_code == 2
    assert "Traceback (most recent call last):" in shown.stderr and "in fail" in shown.stderr
    assert f"✘ g.jsonl, g.jsonl: {said}" in shown.stderr and "--debug" not in shown.stderr


def test_debug_shows_where_a_wrong_value_was_found():
    done = run("score", "nowhere.jsonl", "nowhere.jsonl", "--debug")
    assert done.exit_code == 2 and "Traceback (most recent call last):" in done.stderr
    for command in get_command(nereval).commands.values():
        assert "--debug" in {option for parameter in command.params for option in parameter.opts}


def test_a_mistake_in_the_package_is_not_hidden(monkeypatch):
    monkeypatch.setattr(score, "chosen_metrics", lambda *_, **__: {}["missing"])
    assert isinstance(run("score", "g.jsonl", "g.jsonl").exception, KeyError)


@pytest.mark.skipif(os.name != "posix", reason="making links needs rights on Windows")
@pytest.mark.parametrize("arguments", [("loop", "g.jsonl"), ("g.jsonl", "loop"), ("g.jsonl", "g.jsonl", "-o", "loop")])
def test_a_link_that_leads_to_itself_is_told_in_a_line(arguments):
    Path("loop").symlink_to("loop")
    said = refused("score", *arguments, "-m", "strict")
    assert "loop" in said and "g.jsonl" not in said and "RuntimeError" not in said


def test_code_that_exits_is_told():
    Path("code.py").write_text("import sys\nsys.exit()\n")
    assert "code.py: SystemExit" in refused("score", "g.jsonl", "g.jsonl", "--code", "code.py")


# Every option at its limits and beyond: the right result, bad usage, or one line

HUGE = str(2**70)
DEEP = "[" * 30_000
LONG = "x" * 5000

SCORE = "score g.jsonl p.jsonl -m strict -C"
COMPARE = "compare g.jsonl p.jsonl g.jsonl -m strict --samples 20"
COUNT = "count g.jsonl p.jsonl -m strict -o out.npz"
ERRORS = "errors g.jsonl p.jsonl"
PLAN = "plan g.jsonl p.jsonl --baseline g.jsonl"
THRESHOLDS = "thresholds g.jsonl p.jsonl -m strict --missing-score 0.5"

LIMITS: dict[str, dict[str, tuple[str, ...]]] = {
    SCORE: {
        "digits": ("0", "10", "11", "-1", HUGE),
        "samples": ("1", "0", "-1", HUGE),
        "level": ("0", "1", "0.5", "1e-300", "0.9999999999", "nan", "inf", "-1"),
        "seed": ("0", "-1", str(2**63), HUGE),
        "unit": ("block:1", "block:0", f"block:{HUGE}", "prefix:(", f"prefix:({'a' * 5000})", "meta.", ""),
        "average": ("", "docs", LONG),
        "tables": ("", "all", ",", LONG),
        "format": ("", ",", "jsonl,jsonl,jsonl", LONG),
        "column": ("0", "-1", HUGE, "last,last,last", ""),
        "by": ("eLen:0", "eLen:", "eLen:-1", f"eLen:{HUGE}", "sLen:1e400", "", DEEP),
        "strict.beta": ("0", "1e200", "1e400", "-1", "nan", DEEP, "null", '"x"'),
    },
    COMPARE: {
        "trials": ("1", "0", "-1", HUGE),
        "margin": ("0", "-1", "nan", "inf", "1e308"),
        "primary": ("", ".", "strict.", DEEP),
    },
    PLAN: {
        "difference": ("0", "-1", "nan", "inf", "1e308", "1e-300"),
        "half-width": ("0", "-1", "nan", "inf", "1e308", "1e-300", "1e9"),
    },
    COUNT: {"replicates": ("0", "1", "-1", HUGE), "workers": ("0", "-1"), "wait": ("0", "-1", "nan", "inf", HUGE)},
    ERRORS: {
        "gpu-id": ("-1", HUGE),
        "context": ("0", "-1", HUGE),
        "depth": ("0", "1", "-1", HUGE),
        "labels": ("", "=", ",", "A=B,B=A", "{", DEEP, LONG, "nowhere.json", "s3://bucket/a.json"),
        "only": ("", ",", LONG),
        "sep": ("", LONG),
        "match": ("", LONG),
        "limit": ("0", "1", "-1", HUGE),
    },
    THRESHOLDS: {
        "bins": ("1", "0", "-1", "1000", HUGE),
        "missing-score": ("0", "-1e308", "1e400", "nan", "-inf"),
        "hit": ("1", "1e-300", "0", "-1", "nan", "inf", "", LONG),
        "best": ("", ".", "strict.", "strict_f", DEEP),
        "per-label": ("", "own", LONG),
        "max-expansion": ("0", "1", "999999999", "1000000000", "-1", "2.5", HUGE, LONG),
    },
}
"""Options that are numbers, or are read from text, by a command that has them, and values."""
TRIED = [(command, option, values) for command, options in LIMITS.items() for option, values in options.items()]


def take_or_refuse(command: str, option: str) -> Any:
    done = run(*command.split(), option)
    shown = f"{command} {option[:50]}: {done.exit_code}, {done.exception!r:.500}, {done.stderr[-300:]}"
    assert done.exception is None or isinstance(done.exception, SystemExit), shown
    assert done.exit_code in (0, 1, 2) and "Traceback" not in done.output, shown
    return done


@pytest.mark.costly
@pytest.mark.parametrize(("command", "option", "values"), TRIED, ids=[option for _, option, _ in TRIED])
def test_options_at_their_limits(command, option, values):
    for value in values:
        done = take_or_refuse(command.replace(f" --{option} 0.5", ""), f"--{option}={value}")
        assert not done.exit_code or done.stderr.startswith(("✘ ", "Usage: ")), done.stderr


def test_all_options_that_are_numbers_are_tried():
    numbers = {
        name.replace("_", "-")
        for command in nereval.registered_commands
        for name, parameter in inspect.signature(command.callback).parameters.items()
        if any(kind in str(parameter.annotation).partition("Argument(")[0] for kind in ("int", "float"))
    }
    assert numbers <= {option for _, option, _ in TRIED}, numbers


SMALL = {command.split()[0]: command for command in (SCORE, f"{COMPARE} --trials 20", COUNT, ERRORS, THRESHOLDS)} | {
    "report": "report g.jsonl p.jsonl -m strict -o out.html",
    "evaluate": "evaluate nowhere g.jsonl -m strict",
}
"""Commands whose files exist; others are given one that does not."""


@pytest.mark.slow
@pytest.mark.parametrize("value", ["", DEEP, "\udcff\n\x1b[2J"], ids=["empty", "deep", "not text"])
def test_every_option_of_every_command_takes_any_text_or_refuses_it_in_one_line(value):
    """With the first command that has the option."""
    options: dict[str, str] = {}
    for name, command in get_command(nereval).commands.items():
        for option in command.params:
            if option.param_type_name == "option" and not getattr(option, "is_flag", False):
                options.setdefault(max(option.opts, key=len), name)
    assert len(options) >= 40
    for option, name in options.items():
        take_or_refuse(SMALL.get(name, f"{name} nowhere"), f"{option}={value}")


@pytest.mark.parametrize("name", ["csv", "json"])
def test_formats_that_hold_tables_alone_have_the_other_lines_on_standard_error(name):
    lines = run("score", "g.jsonl", "p.jsonl", "-m", "strict", "-f", name).stderr.splitlines()
    assert lines[0].startswith(f"{len(GOLD)} documents, ") and lines[-1].startswith("spacy-nereval|strict:beta=1.0|")
    assert any(line.startswith(f"⚠ Only {len(GOLD)} documents") for line in lines)


def test_an_empty_argument_too_many_is_named():
    assert refused("show", "gold.jsonl", "") in (
        "✘ unexpected argument '': nereval show takes FILE",
        "✘ unexpected argument '': root show takes FILE",
    )
