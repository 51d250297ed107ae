"""Options that several commands share, declared once.

A command takes a group of options as one parameter, such as `reading: Reading`;
`groups` turns every field into an option of its own. `values` reads the values
that are lists, such as those of `--format`.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from typer import Option

from ..core.plugins import own_names, readers

INPUT_FORMATS = tuple(name for name in own_names(readers) if name != "auto")
"""The formats of this package, for help texts."""
TABLE_FORMATS = ("terminal", "markdown", "latex", "csv", "json", "html")

EPILOG = (
    "Options of a metric follow the files: --fair.unit token --loio.s 1. "
    "'nereval metrics' lists the options of every metric."
)

FORMAT = Option(
    None,
    "--format",
    "-f",
    help=f"Format of the input files ({', '.join(INPUT_FORMATS)}, or that of an installed package; by default "
    f"inferred from the file extension and the content) or of the printed tables ({', '.join(TABLE_FORMATS)}). Both: "
    "--format conll,markdown. "
    "Gold and predictions in different formats: --format brat,conll",
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
SEED = Option(None, "--seed", help="Seed of random numbers, of half-samples and of tests (0 by default)")
SHARED_IDS = Option(
    False, "--shared-ids", help="Treat texts with the same id in different files as one document, not as an error"
)
COLLAPSE = Option(
    False,
    "--collapse",
    help="Add up the documents while they are counted, so that memory and the count file do not grow with the corpus. "
    "Scores stay the same, and intervals come from half-samples; outputs that need single documents are given up",
)
CHECK_REPEATS = Option(
    False,
    "--check-repeats",
    help="With --collapse: look for documents with the same id in different files. Takes time and 16 bytes per "
    "document on disk, but no memory",
)
REPLICATES = Option(
    None,
    "--replicates",
    help="Number of half-samples (random halves of the documents) to store, for the intervals of collapsed counts. By "
    "default 1000 with --collapse, else 0: counts with documents need none",
    min=0,
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
    help="Add a confidence interval to every score, by leaving out each document, or each unit of --unit. Without it, "
    "only the main score has an interval, and only for up to 20000 documents",
)


LABELS = Option(
    None,
    "--labels",
    help="New names of labels on both sides, such as PER=PERSON,MISC= (without a name, the label is dropped), or a "
    '.json file such as {"PER": "PERSON", "MISC": null}',
)
ONLY = Option(
    None,
    "--only",
    help="Labels to keep on both sides, after --labels and --depth, such as PERSON,LOC, or as a JSON array",
)
DEPTH = Option(None, "--depth", help="Number of levels to keep of labels such as LOC/CITY, after --labels")
SEP = Option("/", "--sep", help="Separator between the levels of a label")


class Labelling(NamedTuple):
    """What becomes of labels."""

    labels: str | None = LABELS
    only: list[str] | None = ONLY
    depth: int | None = DEPTH
    sep: str = SEP


class Reading(NamedTuple):
    """How annotated files are read."""

    format: str | None = FORMAT
    spans_key: str | None = Option(None, "--spans-key", "-sk", help="Read doc.spans[KEY] instead of doc.ents")
    column: str | None = Option(
        None,
        "--column",
        help="CoNLL: column of the labels, a number from 1 or 'last'. Gold and predictions: --column 3,4. Label "
        "Studio, Hugging Face, WebAnno, XMI, CoNLL-U, BioC: name of the key, feature or type",
    )
    repair: str | None = Option(
        None,
        "--repair",
        help="CoNLL: repair invalid tag sequences by starting a new span ('conll') or by dropping the span "
        "('discard'). By default they are errors",
    )
    discontinuous: str | None = Option(
        None,
        "--discontinuous",
        help="brat, FairEval, BioC: read a discontinuous span as one span from its start to its end ('hull') or as one "
        "span per fragment ('parts'). By default it is an error",
    )
    offsets: str | None = Option(
        None,
        "--offsets",
        help="Unit of the offsets: characters ('codepoint', the default except for WebAnno), 'utf16' code units, bytes "
        "of 'utf8', or 'auto' for the unit in which spans match the texts that the file repeats",
    )
    check_text: bool = Option(
        True,
        "--check-text/--no-check-text",
        help="Check that a span covers the text that the file repeats for it",
    )
    annotator: str | None = Option(
        None,
        "--annotator",
        help="Files with several annotators, such as Prodigy's: the one whose spans are read, or two names for gold "
        "and predictions, as in --annotator ann,bob",
    )
    tag_names: str | None = Option(
        None,
        "--tag-names",
        help="Hugging Face: names of tags that are numbers. Either the names in their order, separated by commas, or a "
        "JSON file with 'id2label', such as the config.json of a model",
    )
    match: str | None = Option(
        None,
        "--match",
        help="JSONL: how mentions without offsets may differ from the text: not at all ('exact'), in Unicode forms, "
        "quotes, dashes and white space ('normalised'), or in case too ('caseless', the default)",
    )
    occurrences: str | None = Option(
        None,
        "--occurrences",
        help="JSONL: which occurrences of a mention without offsets become spans: as many as the mention is listed "
        "('listed', the default), the 'first', or 'all'",
    )
    labels: str | None = LABELS
    only: list[str] | None = ONLY
    depth: int | None = DEPTH
    sep: str = SEP
    unit: str | None = Option(
        None,
        "--unit",
        help="Unit of resampling, which intervals and tests draw as a whole: the documents with one id ('id', the "
        "default), with one value in their metadata (meta.FIELD), or whose ids begin alike (prefix:REGEX, by its "
        "first group); every document ('document'); or N consecutive documents of a file (block:N). By default the "
        "sentences of CoNLL files without -DOCSTART- lines are resampled in blocks",
    )


CODE = Option(None, "--code", "-c", help="Python file with registered functions to import, such as metrics of your own")


class Model(NamedTuple):
    """How a pipeline is loaded."""

    code: Path | None = CODE
    gpu_id: int = Option(-1, "--gpu-id", "-g", help="GPU ID or -1 for CPU")


class Resampling(NamedTuple):
    """The level of intervals, and how documents are resampled where that needs random numbers."""

    level: float | None = Option(None, "--level", help="Confidence level of the intervals (0.95 by default)")
    samples: int | None = Option(
        None,
        "--samples",
        help="Number of half-samples, random halves of the documents (1000 by default). Only collapsed counts and "
        "scores over distinct strings of the corpus need them; other intervals take no random numbers",
    )
    seed: int | None = SEED


class Asking(NamedTuple):
    """What a comparison tests."""

    primary: str | None = Option(
        None,
        "--primary",
        help="Primary score, METRIC.SCORE, such as fair.f: the conclusion is about it. By default the headline score "
        "of the first metric",
    )
    secondary: str | None = Option(
        None,
        "--secondary",
        help="Further scores to test, METRIC.SCORE separated by commas. By default the headline score of each further "
        "metric",
    )
    margin: float | None = Option(
        None,
        "--margin",
        help="Largest difference of the primary score that does not matter, in points. The comparison then says "
        "whether two systems are the same within it",
    )
    trials: int | None = Option(
        None,
        "--trials",
        help="Number of random swaps for the paired tests. A swap exchanges the outputs of two systems in about half "
        "of the documents. By default 10000, or more for many tests",
        min=1,
    )


class Showing(NamedTuple):
    """How results are printed."""

    format: str | None = FORMAT
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
