"""Options that several commands share, declared once.

A command takes a group of options as one parameter, such as `reading: Reading`;
`groups` turns every field into an option of its own. What Python has too is declared in `core.arguments`.
`values` reads the values that are lists, such as those of `--format`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

from typer import Option

from ..core import arguments
from ..core.arguments import Labelling, Reading

EPILOG = (
    "Options of a metric follow the files: --fair.unit token --loio.s 1. "
    "'nereval metrics' lists the options of every metric."
)

DIGITS = Option(2, "--digits", "-d", help="Decimal places in the tables", min=0, max=10)
TABLES = Option(
    None,
    "--tables",
    "-t",
    help="Tables to print, in this order, or 'all'. score and evaluate: headline, errors, groups (the default in the "
    "terminal), scores, labels, pairs, confusion, documents (with errors, the default in other formats), label-scores, "
    "counts. score --system: headline, runs (the default in the terminal), scores, labels (with runs, the default in "
    "other formats), label-scores. compare: differences, labels (the default in the terminal), runs, transitions, "
    "spans (all five are the default in other formats), all-differences. agreement: pairs, differences, labels, "
    "documents, spans (the default in the terminal), scores, alpha (all seven are the default in other formats), "
    "all-scores. thresholds: labels, applied, scores (the default), calibration, curves",
)
METRICS = Option(
    None, "--metrics", "-m", help="Metrics or sets of metrics, separated by commas. By default the set 'papers'"
)
OUTPUT = Option(None, "--output", "-o", help="JSON file for the full result", dir_okay=False)
NAMES = Option(
    None,
    "--name",
    help="Name of a system, for tables and sentences: once for each system, in their order. By default the parts "
    "of the file names that differ",
)
COUNTS = Option(..., "--output", "-o", help="File for the counts, .npz", dir_okay=False)
PER_DOCUMENT = Option(
    None, "--per-document", help="File for the scores of each document, .jsonl or .csv", dir_okay=False
)
SHARED_IDS = Option(
    False, "--shared-ids", help="Treat texts with the same id in different files as one document, not as an error"
)
COLLAPSE = Option(
    False,
    "--collapse",
    help="Add up the documents while they are counted, so that memory and the count file do not grow with the corpus. "
    "Scores and intervals stay the same; outputs that need single documents are given up",
)
CHECK_REPEATS = Option(
    False,
    "--check-repeats",
    help="With --collapse: look for documents with the same id in different files. Takes time and 16 bytes per "
    "document on disk, but no memory",
)
TRAIN = Option(
    None,
    "--train",
    help="Training corpus, or the lexicon that 'nereval training' made from it. Some metrics and attributes look up "
    "spans in it",
)
CONFIDENCE = Option(
    False,
    "--confidence",
    "-C",
    help="Add a confidence interval to every score, by resampling the documents, or the units of --unit. Without it, "
    "only the main score has an interval, and only for up to 20000 documents",
)

CODE = Option(None, "--code", "-c", help="Python file with registered functions to import, such as metrics of your own")


class Model(NamedTuple):
    """How a pipeline is loaded."""

    code: Path | None = CODE
    gpu_id: int = Option(-1, "--gpu-id", "-g", help="GPU ID or -1 for CPU")


class Resampling(NamedTuple):
    """How documents are resampled for intervals; None has the default of `Confidence`."""

    level: Annotated[float | None, arguments.LEVEL] = None
    samples: Annotated[int | None, arguments.SAMPLES] = None
    seed: Annotated[int | None, arguments.SEED] = None


class Asking(NamedTuple):
    """What a comparison tests."""

    primary: Annotated[str | None, arguments.PRIMARY] = None
    secondary: Annotated[str | None, arguments.SECONDARY] = None
    margin: Annotated[float | None, arguments.MARGIN] = None
    trials: Annotated[int | None, arguments.TRIALS] = None


class Showing(NamedTuple):
    """How results are printed."""

    format: Annotated[str | None, arguments.FORMAT] = None
    tables: str | None = TABLES
    digits: int = DIGITS
    average: str = Option(
        "micro",
        "--average",
        "-a",
        help="Average that the tables show: micro, macro or weighted (over labels), or docs (over documents)",
    )
    short: bool = Option(False, "--short", help="Omit options with default values from the signature")


class Lookups(NamedTuple):
    """The attributes by which scores are broken down, and the lexicon in which spans are looked up."""

    by: list[str] | None = Option(
        None,
        "--by",
        help="Also score by an attribute of the span, such as eLen (its number of words) or eCon; 'nereval metrics' "
        "lists them. --by sLen:5 makes five buckets, --by eLen:2,5 sets the edges of the buckets. May be repeated",
    )
    train: str | None = TRAIN


class Sharding(NamedTuple):
    """How workers count a corpus of several files."""

    engine: str | None = Option(None, "--engine", help="Where the workers run: loky (this machine), ray, dask or spark")
    workers: int | None = Option(
        None, "--workers", help="Number of workers. By default 1, or with --engine all that the engine has", min=1
    )
    parts: str | None = Option(
        None,
        "--parts",
        help="Folder for the counts of each file, from which an interrupted run continues [nereval-parts]",
    )
    shared_ids: bool = SHARED_IDS
    collapse: bool = COLLAPSE
    check_repeats: bool = CHECK_REPEATS

    @property
    def wanted(self) -> bool:
        """Whether workers are requested, even for a single file."""
        return bool(self.engine or self.workers or self.parts)


GROUPS = (Labelling, Reading, Model, Resampling, Asking, Showing, Lookups, Sharding)
