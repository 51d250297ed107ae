"""Every option at its limits and beyond: the right result, bad usage, or one line."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from commands import GOLD, PRED, run, write
from typer.main import get_command

from spacy_nereval.cli import nereval

HUGE = str(2**70)
DEEP = "[" * 30_000

SCORE = ("score", "g.jsonl", "p.jsonl", "-m", "strict", "-C")
COMPARE = ("compare", "g.jsonl", "p.jsonl", "g.jsonl", "-m", "strict", "--samples", "20")
COUNT = ("count", "g.jsonl", "p.jsonl", "-m", "strict", "-o", "out.npz")
ERRORS = ("errors", "g.jsonl", "p.jsonl")
PLAN = ("plan", "g.jsonl", "p.jsonl", "--baseline", "g.jsonl")

THRESHOLDS = ("thresholds", "g.jsonl", "p.jsonl", "-m", "strict", "--missing-score", "0.5")

LIMITS = {
    "digits": (SCORE, ("0", "10", "11", "-1", HUGE)),
    "samples": (SCORE, ("1", "0", "-1", HUGE)),
    "level": (SCORE, ("0", "1", "0.5", "1e-300", "0.9999999999", "nan", "inf", "-1")),
    "seed": (SCORE, ("0", "-1", str(2**63), HUGE)),
    "unit": (SCORE, ("block:1", "block:0", f"block:{HUGE}", "prefix:(", f"prefix:({'a' * 5000})", "meta.", "")),
    "average": (SCORE, ("", "docs", "x" * 5000)),
    "tables": (SCORE, ("", "all", ",", "x" * 5000)),
    "format": (SCORE, ("", ",", "jsonl,jsonl,jsonl", "x" * 5000)),
    "column": (SCORE, ("0", "-1", HUGE, "last,last,last", "")),
    "by": (SCORE, ("eLen:0", "eLen:", "eLen:-1", f"eLen:{HUGE}", "sLen:1e400", "", DEEP)),
    "strict.beta": (SCORE, ("0", "1e200", "1e400", "-1", "nan", DEEP, "null", '"x"')),
    "trials": (COMPARE, ("1", "0", "-1", HUGE)),
    "margin": (COMPARE, ("0", "-1", "nan", "inf", "1e308")),
    "primary": (COMPARE, ("", ".", "strict.", DEEP)),
    "difference": (PLAN, ("0", "-1", "nan", "inf", "1e308", "1e-300")),
    "replicates": (COUNT, ("0", "1", "-1", HUGE)),
    "workers": (COUNT, ("0", "-1", HUGE)),
    "wait": (COUNT, ("0", "-1", "nan", "inf", HUGE)),
    "gpu-id": (ERRORS, ("-1", HUGE)),
    "context": (ERRORS, ("0", "-1", HUGE)),
    "depth": (ERRORS, ("0", "1", "-1", HUGE)),
    "labels": (ERRORS, ("", "=", ",", "A=B,B=A", "{", DEEP, "x" * 5000, "nowhere.json", "s3://bucket/a.json")),
    "only": (ERRORS, ("", ",", "x" * 5000)),
    "sep": (ERRORS, ("", "x" * 5000)),
    "match": (ERRORS, ("", "x" * 5000)),
    "bins": (THRESHOLDS, ("1", "0", "-1", "1000", HUGE)),
    "missing-score": (THRESHOLDS, ("0", "-1e308", "1e400", "nan", "-inf")),
    "hit": (THRESHOLDS, ("1", "1e-300", "0", "-1", "nan", "inf", "", "x" * 5000)),
    "best": (THRESHOLDS, ("", ".", "strict.", "strict_f", DEEP)),
    "per-label": (THRESHOLDS, ("", "own", "x" * 5000)),
    "limit": (ERRORS, ("0", "1", "-1", HUGE)),
}
"""Options that are numbers, or are read from text, with a command that has them, and values."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("limits")
    write(folder / "g.jsonl", *GOLD)
    write(folder / "p.jsonl", *PRED)
    return folder


@pytest.mark.costly
@pytest.mark.parametrize("option", LIMITS)
def test_options_at_their_limits(option, corpus, monkeypatch):
    monkeypatch.chdir(corpus)
    command, values = LIMITS[option]
    for value in values:
        if (option, value) == ("workers", HUGE):
            continue  # as many as asked for, which is no mistake
        done = run(*command, f"--{option}={value}")
        shown = f"--{option}={value[:50]}: {done.exit_code}, {done.exception!r:.500}"
        assert done.exception is None or isinstance(done.exception, SystemExit), shown
        assert done.exit_code in (0, 1, 2), shown
        assert not done.exit_code or done.stderr.startswith(("✘ ", "Usage: ")), shown
        assert "Traceback" not in done.output


def test_all_options_that_are_numbers_are_tried():
    numbers = {
        name.replace("_", "-")
        for command in nereval.registered_commands
        for name, parameter in inspect.signature(command.callback).parameters.items()
        if any(kind in str(parameter.annotation).partition("Argument(")[0] for kind in ("int", "float"))
    }
    assert numbers <= LIMITS.keys(), numbers - LIMITS.keys()


SMALL = {
    "score": SCORE,
    "compare": (*COMPARE, "--trials", "20"),
    "count": COUNT,
    "errors": ERRORS,
    "report": ("report", "g.jsonl", "p.jsonl", "-m", "strict", "-o", "out.html"),
    "evaluate": ("evaluate", "nowhere", "g.jsonl", "-m", "strict"),
    "thresholds": THRESHOLDS,
}
"""Commands whose files exist; others are given one that does not."""


def every_option() -> dict[str, str]:
    """Every option that takes a value, of every command, with the first command that has it."""
    found: dict[str, str] = {}
    for name, command in get_command(nereval).commands.items():
        for option in command.params:
            if option.param_type_name == "option" and not getattr(option, "is_flag", False):
                found.setdefault(max(option.opts, key=len), name)
    return found


@pytest.mark.costly
@pytest.mark.parametrize("value", ["", DEEP, "\udcff\n\x1b[2J"], ids=["empty", "deep", "not text"])
def test_every_option_of_every_command_takes_any_text_or_refuses_it_in_one_line(value, corpus, monkeypatch):
    monkeypatch.chdir(corpus)
    options = every_option()
    assert len(options) >= 40
    for option, name in options.items():
        done = run(*SMALL.get(name, (name, "nowhere")), f"{option}={value}")
        shown = f"{name} {option}: {done.exit_code}, {done.exception!r:.300}, {done.stderr[-300:]}"
        assert done.exception is None or isinstance(done.exception, SystemExit), shown
        assert done.exit_code in (0, 1, 2), shown
        assert "Traceback" not in done.output, shown
