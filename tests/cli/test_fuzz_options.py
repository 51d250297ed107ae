"""Random options of random commands: done the same twice, or refused in one sentence."""

from __future__ import annotations

import inspect
from pathlib import Path
from random import Random
from typing import Any

import pytest
from commands import run
from fuzzing import HOSTILE, trials
from places import ROOT

from spacy_nereval.cli import nereval

FILES = {"g.jsonl": "gold.jsonl", "p.jsonl": "improved.jsonl", "b.jsonl": "baseline.jsonl", "t.jsonl": "train.jsonl"}
SCORED = {"d.jsonl": "spancat-dev.jsonl"}
COMMANDS = {command.name: command.callback for command in nereval.registered_commands}
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
    "apply": ["g.jsonl", "marks.jsonl", "-o", "new.jsonl"],
}
"""Commands with arguments that they can use."""

SLOW = ("samples", "trials", "replicates", "engine", "workers", "html", "code", "parts")
"""Parameters that resample for long, start processes, run code or need libraries of pages."""

WORDS = """0 1 2 -1 0.5 1e9 nan inf all none strict strict,fair papers fair.f eLen jsonl conll markdown csv,json scores
docs macro PER=LOC FAILURE_LOC id block:3 meta.x prefix:(. prefix:(t) token char true [] {} O,B-A new.json x.csv"""
VALUES = (*WORDS.split(), '{"a": null}', *FILES, *HOSTILE)


def arguments(numbers: Random, name: str) -> list[str]:
    """A command with some of its options, with values of any kind."""
    parameters = inspect.signature(COMMANDS[name]).parameters
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
    for numbers in trials("options"):
        words = arguments(numbers, numbers.choice([*FUZZED]))
        seen = []
        for k in range(2 if numbers.random() < 0.2 else 1):
            folder = tmp_path / f"{numbers.random()}{k}"
            folder.mkdir()
            monkeypatch.chdir(folder)
            for copied, source in (FILES | SCORED).items():
                Path(copied).write_bytes((ROOT / "examples" / source).read_bytes())
            run("gate", "--init", "policy.cfg")
            Path("marks.jsonl").touch()
            status = result(words)
            files = (path for path in Path().rglob("*") if path.is_file() and path.suffix != ".npz")
            seen.append((*status, sorted((path.name, path.read_bytes()) for path in files)))
        assert all(each == seen[0] for each in seen), f"{numbers.name}: {words} is not the same twice"
        done += seen[0][0] == 0
    print(f"{done} done, the others refused")
    assert done > 3
