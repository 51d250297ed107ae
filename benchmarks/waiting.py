"""What people wait for: whole commands and calls on 10,000 documents and more, with the limit of each.

    python benchmarks/waiting.py --output benchmarks/waiting.json

Times are those of the processor, and ratios are of two sides that take turns. Takes half an hour; `--scale 0.01` is a
trial. Peers are timed by the fastest call that they have. Needs the extra `bench`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import seqeval.metrics
import spacy
import srsly
import typer
from agreeing import annotated
from python_api import corpus
from rounds import seconds
from spacy.scorer import get_ner_prf
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_nereval import score
from spacy_nereval.compat import seqeval as compat
from spacy_nereval.integration.scorer import make_ner_scorer

WORDS = (
    "the",
    "of",
    "and",
    "to",
    "in",
    "is",
    "was",
    "Ada",
    "Ulm",
    "Rome",
    "bank",
    "river",
    "law",
    "Acme",
    "Corp",
    "meets",
)
LABELS = ("PER", "ORG", "LOC", "MISC")

Place = tuple[int, int, str]


class Line(NamedTuple):
    """A line of the table: what was measured, the value, its limit and its unit; a ratio has none."""

    what: str
    value: float
    at_most: float
    unit: str = ""


def main(
    scale: float = typer.Option(1.0, min=0, help="Size of the workloads; less than 1 for a trial"),
    rounds: int = typer.Option(3, min=1, help="How often each side is run"),
    output: Path | None = typer.Option(None, help="JSON file for the figures"),
) -> None:
    """Print each line with its limit."""
    lines = [*of_calls(scale, rounds)]
    with TemporaryDirectory() as folder:
        lines += of_commands(Path(folder), scale, rounds)
    result = {"scale": scale, "rounds": rounds, "lines": [line._asdict() for line in lines]}
    if output:
        output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf8")
    print(markdown(result))


def ratio(sides: Mapping[str, Callable[[], object]], rounds: int) -> float:
    """Return the median ratio of the processor times of two sides, ours first."""
    ours, theirs = seconds(sides, rounds).values()
    return median(a / b for a, b in zip(ours, theirs))


def of_calls(scale: float, rounds: int) -> Iterator[Line]:
    """Yield the lines of calls in Python."""
    for name, documents, length in (("sentences", 6000, 20), ("200 tokens", 800, 200)):
        yield from of_docs([*docs(max(1, int(scale * documents)), length)], name, rounds)
    small, large = (covered(max(11, int(scale * spans))) for spans in (10_000, 100_000))
    sides = {"large": lambda: score(*large), "small": lambda: score(*small)}
    yield Line("100,000 / 10,000 spans under covers in one document", ratio(sides, rounds), 11)
    tags = corpus(max(1, int(scale * 2000)))
    sides = {"ours": lambda: compat.f1_score(*tags), "theirs": lambda: seqeval.metrics.f1_score(*tags)}
    yield Line("f1_score of compat.seqeval / that of seqeval", ratio(sides, rounds), 1)


def of_docs(pairs: Sequence[tuple[Doc, Doc]], name: str, rounds: int) -> Iterator[Line]:
    """Yield the lines of Docs and Examples."""
    scorer = make_ner_scorer()
    golds, preds = ([pair[side] for pair in pairs] for side in (0, 1))
    examples = [Example(pred, gold) for gold, pred in pairs]
    calls = {"Docs": lambda: score(golds, preds), "Examples": lambda: score(examples)}
    for given, call in calls.items():
        sides = {given: call, "scorer": lambda: scorer([Example(pred, gold) for gold, pred in pairs])}
        yield Line(f"score of {given} / registered scorer, {name}", ratio(sides, rounds), 1.3)
    sides = {"six metrics": lambda: scorer(examples), "get_ner_prf": lambda: get_ner_prf(examples)}
    yield Line(f"six metrics / get_ner_prf, again on the same Examples, {name}", ratio(sides, rounds), 1)


def of_commands(folder: Path, scale: float, rounds: int) -> Iterator[Line]:
    """Yield the lines of commands, which run in an empty folder."""
    many = max(2, int(scale * 10_000))
    write(folder, "long", max(2, int(scale * 600)), 1500)
    write(folder, "short", 20 * many, 12)
    write(folder, "usual", many, 40)
    write_others(folder, many, max(2, int(scale * 3000)))

    def figures(command: str) -> tuple[float, float]:
        runs = [run(command, folder) for _ in range(rounds)]
        return median(used for used, _ in runs), median(memory for _, memory in runs)

    for name, length in (("short", "12"), ("long", "1,500")):
        commands = (f"score {name}-gold.jsonl {name}-a.jsonl{more}" for more in ("", " --tables scores"))
        pairs = zip(*([run(command, folder)[0] for _ in range(rounds)] for command in commands))
        yield Line(f"score, usual tables / scores alone, {length} words", median(a / b for a, b in pairs), 1.25)
    least = median(seconds({"": lambda: strict_f(folder / "short-gold.jsonl", folder / "short-a.jsonl")}, rounds)[""])
    strict, _ = figures("score short-gold.jsonl short-a.jsonl -m strict --tables scores")
    yield Line("score -m strict, 200,000 documents of 12 words / reading JSON and comparing sets", strict / least, 5)
    files, decided = "usual-gold.jsonl usual-a.jsonl", "usual-gold.jsonl usual-b.jsonl --baseline usual-a.jsonl"
    five = " ".join(f"annotator-{k}.jsonl" for k in range(1, 6))
    for what, command, most_seconds, most_memory in (
        ("plan", f"plan {decided} --policy policy.cfg", 5, None),
        ("gate", f"gate policy.cfg {decided}", 4, None),
        ("gate, 800 rules", f"gate rules.cfg {decided}", 5, None),
        ("report", f"report {files} -o page.html", 10, 400),
        ("compare", f"compare {files} usual-b.jsonl", 5, 300),
        ("thresholds", f"thresholds {files}", 5, 400),
        ("agreement, 5 annotators", f"agreement {five}", 9, None),
        ("semeval, 3,000 nested spans a side", "score nested-gold.jsonl nested-a.jsonl -m semeval", 5, 300),
        ("loio, 3,000 nested spans a side", "score nested-gold.jsonl nested-a.jsonl -m loio", 5, 300),
    ):
        used, memory = figures(command)
        yield Line(what, used, most_seconds, "s")
        if most_memory:
            yield Line(f"{what}, memory", memory, most_memory, "MB")
    yield Line("report, page", (folder / "page.html").stat().st_size / 1e6, 8, "MB")


def write_others(folder: Path, documents: int, nested: int) -> None:
    """Write policies of 2 and 800 rules, a document with nested spans, and what five annotators have marked."""
    floor, not_worse = {"score": "strict_f", "at_least": 20}, {"score": "fair_f", "worse_by_at_most": 3}
    write_policy(folder / "policy.cfg", [floor, not_worse])
    bounds = [(metric, label, 5 + k / 100) for metric in ("strict", "fair") for label in LABELS for k in range(100)]
    names = ("score", "label", "worse_by_at_most")
    write_policy(folder / "rules.cfg", [dict(zip(names, (f"{bound[0]}_f", *bound[1:]))) for bound in bounds])
    for name, shift in (("gold", 0), ("a", 1)):
        spans = [{"start": k + shift, "end": 2 * nested - k + shift, "label": "X"} for k in range(nested)]
        srsly.write_jsonl(folder / f"nested-{name}.jsonl", [{"text": "x" * (2 * nested + 1), "spans": spans}])
    for name, rows in annotated(documents, 5).items():
        srsly.write_jsonl(folder / f"{name.replace(' ', '-')}.jsonl", rows)


def write_policy(path: Path, rules: Sequence[Mapping[str, Any]]) -> None:
    """Write a policy."""
    lines = ["[gate]", "[gate.rules]"]
    for number, rule in enumerate(rules):
        lines += [f"[gate.rules.rule{number}]", *(f"{name} = {json.dumps(value)}" for name, value in rule.items())]
    path.write_text("\n".join(lines), encoding="utf8")


PEAK = """
import atexit, sys
from single import peak
atexit.register(lambda: print(peak(), file=sys.stderr))
from spacy_nereval.cli import nereval
nereval(sys.argv[1:])
"""
"""Runs a command, and prints the most bytes that it held, which the system counts with those of the parent."""


def run(command: str, folder: Path) -> tuple[float, float]:
    """Run a command in a folder, and return its processor seconds and the most megabytes that it held at once.

    >>> used, memory = run("--version", Path("."))
    >>> 0 < used and 1 < memory < 500
    True
    """
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    arguments = [sys.executable, "-c", PEAK, *command.split()]
    process = subprocess.Popen(
        arguments, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr
    *message, peak = process.stderr.read().splitlines()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), f"{command}: {message}"  # 1 is a gate that was not passed
    return usage.ru_utime + usage.ru_stime, int(peak) / 1e6


def strict_f(gold: Path, pred: Path) -> float:
    """Return the strict F of two JSONL files, with what a JSON parser and sets need for it and nothing else."""
    sides = [
        [{(span["start"], span["end"], span["label"]) for span in row["spans"]} for row in srsly.read_jsonl(path)]
        for path in (gold, pred)
    ]
    hits = sum(len(a & b) for a, b in zip(*sides))
    return 2 * hits / sum(len(spans) for side in sides for spans in side)


def made_up(length: int, random: Random) -> tuple[list[str], list[Place], list[list[Place]]]:
    """Return words, gold spans as token offsets, and those of two systems, which have three in four of them.

    >>> words, gold, systems = made_up(20, Random(0))
    >>> len(words), len(gold) > 0, len(systems)
    (20, True, 2)
    """
    words = [random.choice(WORDS) for _ in range(length)]
    starts = [start for start in range(0, length - 2, 6) if random.random() < 0.6]
    gold = [(start, start + 2, random.choice(LABELS)) for start in starts]
    return words, gold, [[*slipped(gold, part, random)] for part in (0.75, 0.8)]


def slipped(gold: Sequence[Place], part: float, random: Random) -> Iterator[Place]:
    """Yield a part of the spans as they are, and a twentieth each with another label and another end."""
    for start, end, label in gold:
        chance = random.random()
        if chance < part:
            yield start, end, label
        elif chance < part + 0.05:
            yield start, end, random.choice(LABELS)
        elif chance < part + 0.1:
            yield start, end - 1, label


def docs(documents: int, length: int) -> Iterator[tuple[Doc, Doc]]:
    """Yield gold and predicted Docs."""
    vocab, random = spacy.blank("en").vocab, Random(2)
    for _ in range(documents):
        words, gold, (pred, _) = made_up(length, random)
        sides = [Doc(vocab, words), Doc(vocab, words)]
        for doc, spans in zip(sides, (gold, pred)):
            doc.ents = [Span(doc, *span) for span in spans]
        yield sides[0], sides[1]


def write(folder: Path, name: str, documents: int, length: int) -> None:
    """Write NAME-gold.jsonl, and NAME-a.jsonl and NAME-b.jsonl with predictions that have scores."""
    random, rows = Random(3), dict[str, list[dict[str, Any]]](gold=[], a=[], b=[])
    for number in range(documents):
        words, gold, systems = made_up(length, random)
        starts = [0, *accumulate(len(word) + 1 for word in words)]
        for side, spans in zip(rows, (gold, *systems)):
            placed = [{"start": starts[a], "end": starts[b] - 1, "label": label} for a, b, label in spans]
            scored = placed if side == "gold" else [{**span, "score": round(random.random(), 5)} for span in placed]
            rows[side].append({"id": str(number), "text": " ".join(words), "spans": scored})
    for side, listed in rows.items():
        srsly.write_jsonl(folder / f"{name}-{side}.jsonl", listed)


def covered(spans: int) -> tuple[list[list[Place]], list[list[Place]]]:
    """Return gold and predicted spans of one document, ten short ones under each long one.

    >>> gold, pred = covered(11)
    >>> gold[0][:2], pred[0][-1]
    ([(0, 100, 'C'), (0, 8, 'P')], (90, 97, 'P'))
    """
    gold: list[Place] = []
    for start in range(0, 101 * (spans // 11), 101):
        gold += [(start, start + 100, "C"), *((start + k, start + k + 8, "P") for k in range(0, 100, 10))]
    return [gold], [[*gold[:-3], *((start, end - 1, label) for start, end, label in gold[-3:])]]


def markdown(result: Mapping[str, Any]) -> str:
    """Return the lines as a table.

    >>> print(markdown({"lines": [{"what": "gate", "value": 5.25, "at_most": 4, "unit": "s"}]}))
    | what | reached | at most |
    | --- | ---: | ---: |
    | gate | **above** 5.25 s | 4 s |
    """
    rows = []
    for line in (Line(**row) for row in result["lines"]):
        above = "**above** " if line.value > line.at_most else ""
        rows.append(f"| {line.what} | {above}{line.value:.3g} {line.unit} | {line.at_most:g} {line.unit} |")
    head = ["| what | reached | at most |", "| --- | ---: | ---: |"]
    return "\n".join([*head, *(row.replace("  |", " |") for row in rows)])


if __name__ == "__main__":
    typer.run(main)
