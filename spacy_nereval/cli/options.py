"""Options that several commands share, declared once.

A command names a group of options as a parameter, `reading: Reading`, and gets
one value of that class; on the command line every field is an option of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

from spacy.cli._util import Opt

INPUT_FORMATS = ("spacy", "jsonl", "conll", "brat", "faireval")
TABLE_FORMATS = ("terminal", "markdown", "latex", "csv", "json", "html")
FORMAT = Opt(
    None,
    "--format",
    "-f",
    help=f"How files are to be read ({', '.join(INPUT_FORMATS)}; by default their names tell) and how tables are "
    f"printed ({', '.join(TABLE_FORMATS)}). Both: --format conll,markdown; other predictions: --format brat,conll",
)
DIGITS = Opt(2, "--digits", "-d", help="Digits after the point in the tables", min=0, max=10)
TABLES = Opt(
    None,
    "--tables",
    "-t",
    help="Tables to print, in this order, or 'all'. score and evaluate have scores, labels, errors, pairs, confusion, "
    "documents (these are usual), label-scores, counts; compare has differences, transitions, spans (all are usual)",
)
METRICS = Opt(
    None, "--metrics", "-m", help="Names of metrics or sets, separated by commas. By default those of the papers"
)
OUTPUT = Opt(None, "--output", "-o", help="JSON file for the whole result", dir_okay=False)
COUNTS = Opt(..., "--output", "-o", help="File for the counts, .npz", dir_okay=False)
PER_DOCUMENT = Opt(None, "--per-document", help="File for every document's scores, .jsonl or .csv", dir_okay=False)
SEED = Opt(None, "--seed", help="Seed of the random numbers")
SHARED_IDS = Opt(False, "--shared-ids", help="Texts of several files that have one id are one document")
TRAIN = Opt(None, "--train", help="Training corpus, or what 'nereval training' made of it, where spans are looked up")
CONFIDENCE = Opt(False, "--confidence", "-C", help="Give every score its interval, by resampling documents")


def chosen_formats(names: str | None) -> tuple[list[str], str]:
    """The input formats that `--format` names, those of plugins included, and the table format.

    >>> chosen_formats("conll,markdown"), chosen_formats(None)
    ((['conll'], 'markdown'), ([], 'terminal'))
    """
    from ..io.formats import format_names, is_format

    given = listed(names)
    tables = [name for name in given if name in TABLE_FORMATS]
    inputs = [name for name in given if name not in TABLE_FORMATS]
    for name in inputs:
        if not is_format(name):
            raise ValueError(
                f"--format {names}: there is no format {name!r}; files are {', '.join(format_names())}, "
                f"tables {', '.join(TABLE_FORMATS)}"
            )
    if len(tables) > 1 or len(inputs) > 2:
        raise ValueError(f"--format {names}: one format of tables, and one or two of files (gold, predictions)")
    return inputs, (tables or ["terminal"])[0]


def check_prints_none(names: str | None) -> None:
    """Raises ValueError if `--format` names a format of tables, for a command that prints none."""
    inputs, _ = chosen_formats(names)
    if tables := [name for name in listed(names) if name not in inputs]:
        raise ValueError(
            f"--format {names}: no table is printed, so that {tables[0]} is the format of nothing; "
            f"files are {', '.join(INPUT_FORMATS)}"
        )


def listed(names: str | None) -> list[str]:
    """What stands between commas.

    >>> listed("fn, lbe"), listed(None)
    (['fn', 'lbe'], [])
    """
    return [name.strip() for name in names.split(",")] if names else []


def chosen_tables(names: str | None, known: Iterable[str], usual: Iterable[str]) -> list[str]:
    """The tables that `--tables` names, among those known.

    >>> chosen_tables("b, a", "abc", "c"), chosen_tables("all", "abc", "c"), chosen_tables(None, "abc", "c")
    (['b', 'a'], ['a', 'b', 'c'], ['c'])
    """
    if names is None or names == "all":
        return list(usual if names is None else known)
    wanted = list(dict.fromkeys(name.strip() for name in names.split(",")))
    for name in wanted:
        if name not in known:
            raise ValueError(f"--tables {names}: there is no table {name!r}; there are {', '.join(known)}, or 'all'")
    return wanted


class Reading(NamedTuple):
    """How files of annotation are read."""

    format: str | None = FORMAT
    spans_key: str | None = Opt(None, "--spans-key", "-sk", help="Score doc.spans[KEY] instead of doc.ents")
    column: str | None = Opt(
        None, "--column", help="CoNLL: the column of the labels, a number or 'last'; gold and predictions: --column 3,4"
    )
    repair: str | None = Opt(
        None, "--repair", help="CoNLL: mend invalid sequences of tags, by 'conll' (begin a span) or 'discard' (drop it)"
    )
    discontinuous: str | None = Opt(
        None, "--discontinuous", help="brat, FairEval: read a span in pieces as its 'hull', or as its 'parts'"
    )


class Model(NamedTuple):
    """How a pipeline is loaded."""

    code: Path | None = Opt(None, "--code", "-c", help="Python file with registered functions to import")
    gpu_id: int = Opt(-1, "--gpu-id", "-g", help="GPU ID or -1 for CPU")


class Resampling(NamedTuple):
    """How documents are resampled for intervals."""

    level: float | None = Opt(None, "--level", help="Share of resamples that an interval covers")
    samples: int | None = Opt(None, "--samples", help="Number of resamples")
    seed: int | None = SEED


class Showing(NamedTuple):
    """How results are printed."""

    format: str | None = FORMAT
    tables: str | None = TABLES
    digits: int = DIGITS
    average: str = Opt("micro", "--average", "-a", help="Average over labels or documents that the tables show")
    short: bool = Opt(False, "--short", help="Leave options that have their default out of the signature")


class Lookups(NamedTuple):
    """What spans are looked up in, and the attributes by which scores are broken down."""

    by: list[str] | None = Opt(
        None,
        "--by",
        help="Also score by an attribute of the span: eLen (its words), eCon, ... ('nereval metrics' lists them); "
        "--by sLen:5 makes five buckets, --by eLen:2,5 has these edges. May be given more than once",
    )
    train: str | None = TRAIN


class Sharding(NamedTuple):
    """How a corpus in several files is counted by several workers."""

    engine: str | None = Opt(None, "--engine", help="What the workers run on: loky (this machine), ray, dask or spark")
    workers: int | None = Opt(
        None, "--workers", help="Number of workers; by default all that the engine has, or one without --engine", min=1
    )
    parts: str | None = Opt(
        None, "--parts", help="Folder for the counts of each file, where a run that was stopped goes on [nereval-parts]"
    )
    shared_ids: bool = SHARED_IDS

    @property
    def asked(self) -> bool:
        return bool(self.engine or self.workers or self.parts)


GROUPS = (Reading, Model, Resampling, Showing, Lookups, Sharding)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of its groups as parameters. Fields of one
    name are one option, which every group gets."""
    hints = get_type_hints(command, include_extras=True)
    hints.pop("return", None)
    signature = inspect.signature(command)
    groups = {name: kind for name, kind in hints.items() if kind in GROUPS}
    parameters: dict[str, inspect.Parameter] = {}
    shared = {field for kind in groups.values() for field in kind._fields}
    for name, parameter in signature.parameters.items():
        if name in groups:
            fields = get_type_hints(groups[name])
            for field, kind in fields.items():
                default = groups[name]._field_defaults[field]
                parameters.setdefault(
                    field, inspect.Parameter(field, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
                )
        else:
            parameters[name] = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])

    @wraps(command)
    def wrapped(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field: given[field] for field in kind._fields})
        command(**{name: given[name] for name in signature.parameters})

    del wrapped.__wrapped__  # typer is to see these parameters, not those of the command
    arguments_first = sorted(parameters.values(), key=lambda p: p.name in shared)
    wrapped.__signature__ = inspect.Signature(arguments_first)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return wrapped


OPTIONS_FOLLOW = {"allow_extra_args": True, "ignore_unknown_options": True}
"""The context settings of commands that take options of metrics."""

EPILOG = "Options of a metric go behind: --fair.unit token --loio.s 1. 'python -m spacy nereval metrics' lists them."
