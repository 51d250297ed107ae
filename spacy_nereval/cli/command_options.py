"""Options that several commands share, declared once.

A command takes a group of options as one parameter, such as `reading: Reading`;
`app.command_with_options` turns every field into an option of its own. What Python has too is declared in
`core.arguments`. Values for commands only, such as `--format conll,markdown`, are read and checked below.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextvars import ContextVar
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from typer import Argument, Option

from ..core import arguments
from ..core.arguments import MOST_DOCUMENTS, TABLE_FORMATS, Choosing, Labelling, Reading
from ..core.expansion import HELD, MULTIPLE, READ, VARIABLE
from ..core.messages import describe_unknown, did_you_mean

if TYPE_CHECKING:
    from ..evaluation.resampling import Confidence
    from ..evaluation.tested import Hypotheses

own_options: ContextVar[Collection[str]] = ContextVar("own_options", default=())
"""The options of the command that runs, without those of metrics."""

own_command: ContextVar[str] = ContextVar("own_command", default="")
"""The name of the command that runs."""

read_as: ContextVar[str] = ContextVar("read_as", default="")
"""The command that runs as it is written here, if it was given with names of other packages; else ""."""

prints_nothing: ContextVar[bool] = ContextVar("prints_nothing", default=False)
"""Whether the command that runs was told to print nothing, by an option of other packages."""

EPILOG = (
    "Options of a metric follow the files: --fair.unit token --loio.s 1. "
    "'nereval metrics' lists the options of every metric."
)

DIGITS = Option(2, "--digits", "-d", help="Decimal places in the tables", min=0, max=10)
TABLES = Option(None, "--tables", "-t", help="Tables to print, in this order, or 'all'")
GOLD = Argument(
    None, help="Gold annotation: a file, or a folder of brat files. Not needed if all systems are count files"
)
METRICS = Option(
    None, "--metrics", "-m", help="Metrics or sets of metrics, separated by commas. By default the set 'papers'"
)
OUTPUT = Option(None, "--output", "-o", help="JSON file for the full result", dir_okay=False)
ROWS_OUTPUT = Option(
    None,
    "--output",
    "-o",
    help="File for the rows, .jsonl, .csv, .parquet or .arrow; no table is printed then",
    dir_okay=False,
)
AS_JSON = Option(
    False,
    "--json",
    help="Print the full result as JSON, what --output - writes, and no tables",
    rich_help_panel="tables",
)


def figure_option(*names: str) -> Any:
    """Return the option of a file for a figure, of which a command has several by name."""
    which = f"; NAME is {' or '.join(filter(None, [', '.join(names[:-1]), names[-1]]))}, by default {names[0]}"
    return Option(
        None,
        "--figure",
        metavar="[NAME=]FILE" if len(names) > 1 else "FILE",
        help=f"File for a figure as wide as a column of a paper, .svg, .png or .pdf{which if len(names) > 1 else ''}",
        rich_help_panel="tables",
    )


SCORE_FIGURE = figure_option("scores", "labels", "verdicts", "confusion")
NAMES = Option(
    None,
    "--name",
    help="Name of a system, for tables and sentences: once for each system, in their order. By default the parts "
    "of the file names that differ",
)
COUNTS = Option(..., "--output", "-o", help="File for the counts, .npz", dir_okay=False)
PER_DOCUMENT = Option(
    None,
    "--per-document",
    help="File for the scores of each document, .jsonl, .csv, .parquet or .arrow",
    dir_okay=False,
)
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
    None,
    "--check-repeats/--no-check-repeats",
    help="With --collapse: look for documents with the same id in different files. Takes time and 16 bytes per "
    "document on disk, but no memory. The default with --append; --no-check-repeats lets documents count twice that "
    "are in two files, or in a file that has changed since it was added",
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
    help="Add a confidence interval to every score (jackknife over documents, or over units with --unit). Without it, "
    f"only the main score, in all and per label, has an interval, and only for up to {MOST_DOCUMENTS} documents",
)

CODE = Option(None, "--code", "-c", help="Python file with registered functions to import, such as metrics of your own")


class LogFormat(str, Enum):
    """How a command reports warnings and errors."""

    TEXT = "text"
    JSON = "json"


LOG_FORMAT = Option(
    "text",
    "--log-format",
    help="Format of warnings and errors on stderr: text, or JSON Lines",
)
EXPANSION = Option(
    None,
    "--max-expansion",
    envvar=VARIABLE,
    min=0,
    max=999_999_999,
    help="Read files that are at most this many times as large unpacked or in memory; 0 for any. By default "
    f"{MULTIPLE}, and any for up to {READ >> 20} MiB unpacked and {HELD >> 30} GiB in memory",
)
DEBUG = Option(False, "--debug", help="Print where an error happened, with the traceback of Python")


class Model(NamedTuple):
    """How a pipeline is loaded."""

    code: Path | None = CODE
    gpu_id: int = Option(-1, "--gpu-id", "-g", min=-1, help="GPU ID or -1 for CPU")


class Resampling(NamedTuple):
    """How documents are resampled for intervals; None has the default of `Confidence`."""

    level: Annotated[float | None, arguments.LEVEL] = None
    samples: Annotated[int | None, arguments.SAMPLES] = None
    seed: Annotated[int | None, arguments.SEED] = None


class HypothesisOptions(NamedTuple):
    """The tests of a comparison."""

    primary: Annotated[str | None, arguments.PRIMARY] = None
    secondary: Annotated[str | None, arguments.SECONDARY] = None
    margin: Annotated[float | None, arguments.MARGIN] = None
    trials: Annotated[int | None, arguments.TRIALS] = None

    def hypotheses(self, per_label: bool = False) -> Hypotheses:
        """Return the hypotheses that the comparison tests, checked as far as possible before any file is read."""
        from ..evaluation.tested import Hypotheses

        return Hypotheses(self.primary, self.secondary, per_label, self.margin).checked()


class RankOptions(NamedTuple):
    """The score to rank systems by, and its tests."""

    primary: Annotated[str | None, arguments.PRIMARY] = None
    trials: Annotated[int | None, arguments.TRIALS] = None


class Showing(NamedTuple):
    """How results are printed."""

    format: Annotated[str | None, arguments.FORMAT] = None
    tables: str | None = TABLES
    digits: int = DIGITS


AVERAGE = Option(
    "micro",
    "--average",
    "-a",
    help="Average that the tables show: micro, macro or weighted (over labels), or docs (over documents)",
    rich_help_panel="tables",
)

SHORT = Option(False, "--short", help="Omit options with default values from the signature", rich_help_panel="tables")

COMPARED_BY = Option(
    None,
    "--by",
    help="Also compare the primary score by an attribute of the span, such as eLen, or by a field of the document, "
    "such as meta.source: where is a system better? May be repeated",
    rich_help_panel="scoring",
)


class Lookups(NamedTuple):
    """The attributes by which scores are broken down, and the lexicon in which spans are looked up."""

    by: list[str] | None = Option(
        None,
        "--by",
        help="Also score by an attribute of the span, such as eLen (its number of words) or eCon, which 'nereval "
        "metrics' lists, or by a field of the document, such as meta.source. --by sLen:5 makes five buckets, --by "
        "eLen:2,5 sets the edges of the buckets. With --confidence, each bucket is tested against the others. May be "
        "repeated",
    )
    train: str | None = TRAIN


class Collapsing(NamedTuple):
    """Whether documents are added up while they are counted."""

    collapse: bool = COLLAPSE
    check_repeats: bool | None = CHECK_REPEATS


class Cutting(NamedTuple):
    """Which predictions are kept."""

    cut: Annotated[
        Path | None,
        arguments.Argument(
            "Threshold file of 'nereval thresholds': keep the predictions with a score of at least their label's "
            "threshold"
        ),
    ] = None
    missing_score: Annotated[float | None, arguments.MISSING_SCORE] = None


GROUPS: dict[type, str] = {
    Labelling: "labels",
    Reading: "reading",
    Model: "running",
    Resampling: "intervals",
    HypothesisOptions: "tests",
    RankOptions: "tests",
    Showing: "tables",
    Lookups: "scoring",
    Collapsing: "workers",
    Choosing: "cuts",
    Cutting: "cuts",
}
"""The classes of options, and the group of `OPTION_GROUPS` in which the help shows their options. An option of several
classes has the group of the first one, unless its declaration names a group."""

for _group, _options in {
    "scoring": (METRICS, TRAIN),
    "intervals": (CONFIDENCE,),
    "tables": (TABLES, DIGITS),
    "workers": (SHARED_IDS, COLLAPSE, CHECK_REPEATS),
    "running": (CODE, EXPANSION, LOG_FORMAT, DEBUG),
}.items():
    for _option in _options:
        _option.rich_help_panel = _group

FIELD_GROUPS = {name: group for cls, group in reversed(GROUPS.items()) for name in cls.__annotations__}
"""The options of these classes, and their groups."""

OPTION_GROUPS = {
    "scoring": "Metrics, and attributes by which scores are broken down",
    "intervals": "Confidence intervals, and units of resampling",
    "tests": "Tests of a comparison",
    "labels": "Labels to map, keep or shorten",
    "reading": "How files are read: formats, columns, offsets, annotators",
    "cuts": "Scores of predictions, and thresholds",
    "tables": "Tables to print, and their numbers",
    "workers": "Large corpora: several files, workers, counts that are added up",
    "running": "Code of your own, GPU, logs and help",
}
"""The groups of options, with their subjects, in the order in which the help shows them."""

OFTEN: tuple[str, ...] = ("metrics", "output", "confidence", "", "labels", "only", "by", "primary", "margin", "best")
OFTEN += ("per_label", "cut", "format", "json", "spans_key", "tables", "workers", "collapse", "help")
"""The options that are asked for often, the most asked first; "" has the place of those of one command alone."""


def split_list(text: str | None) -> list[str]:
    """Return the items of a comma-separated list.

    >>> split_list("fn, lbe"), split_list(None)
    (['fn', 'lbe'], [])
    """
    return [item.strip() for item in text.split(",")] if text else []


def input_formats(value: str | None) -> list[str]:
    """Return the input formats that `--format` names: none, one, or those of gold and predictions.

    >>> input_formats("conll,markdown"), input_formats(None)
    (['conll'], [])
    """
    return _formats(value)[0]


def table_format(value: str | None) -> str:
    """Return the table format that `--format` names.

    >>> table_format("conll,markdown"), table_format(None)
    ('markdown', 'terminal')
    """
    return (_formats(value)[1] or ["terminal"])[0]


def _formats(value: str | None) -> tuple[list[str], list[str]]:
    """Return the input formats and the table formats that `--format` names."""
    from ..io.formats import format_here, format_names, is_format

    names = split_list(value)
    tables = [name for name in names if name in TABLE_FORMATS]
    inputs = [format_here(name) for name in names if name not in TABLE_FORMATS]
    for name in inputs:
        if not is_format(name):
            raise ValueError(
                f"--format {value}: there is no format {name!r}; input formats are {', '.join(format_names())}, table "
                f"formats are {', '.join(TABLE_FORMATS)}{did_you_mean(name, [*format_names(), *TABLE_FORMATS])}"
            )
    if len(tables) > 1 or len(inputs) > 2:
        raise ValueError(
            f"--format {value}: expected at most one table format and two input formats (gold, predictions)"
        )
    return inputs, tables


def check_no_table_format(value: str | None, output: Path | None = None) -> None:
    """Raise ValueError if `--format` names a table format other than that of the output. If no table is printed."""
    from ..core.compression import format_extension
    from ..io.formats import format_names

    _, tables = _formats(value)
    if tables and not (output and format_extension(output) in (f".{tables[0]}", f".{tables[0]}l")):
        raise ValueError(
            f"--format {value}: no table is printed, so {tables[0]} has no effect here; "
            f"input formats are {', '.join(format_names())}"
        )


def table_names(value: str | None, tables: Collection[str], default: Iterable[str]) -> list[str]:
    """Return the tables that `--tables` names.

    >>> table_names("b, a", "abc", "c"), table_names("all", "abc", "c"), table_names(None, "abc", "c")
    (['b', 'a'], ['a', 'b', 'c'], ['c'])

    Args:
        value: The value of `--tables`.
        tables: All tables of the command.
        default: The tables to print without `--tables`.

    Raises:
        ValueError: If a table is unknown.
    """
    if value is None or value == "all":
        return list(default if value is None else tables)
    names = list(dict.fromkeys(name.strip() for name in value.split(",")))
    for name in names:
        if name not in tables:
            raise ValueError(f"--tables {value}: {describe_unknown(name, tables, 'table', 50)}, or 'all'")
    return names


def figure_place(text: str) -> tuple[str | None, Path]:
    """Return the name of a figure, None if it has none, and its file.

    >>> figure_place("confusion=a.pdf"), figure_place("runs/lr=1.svg")
    (('confusion', PosixPath('a.pdf')), (None, PosixPath('runs/lr=1.svg')))
    """
    name, equals, file = text.partition("=")
    return (name, Path(file)) if equals and name.isidentifier() else (None, Path(text))


JSON = ("", ".json")
"""The extensions of a file for a result."""

ROWS = (".jsonl", ".csv", ".parquet", ".arrow")
"""The extensions of a file for rows."""


def check_suffix(option: str, path: Path | None, *suffixes: str) -> None:
    """Raise ValueError if a file name does not end with one of the suffixes. A device such as /dev/stdout may.

    >>> check_suffix("--output", Path("rows.txt"), *ROWS)
    Traceback (most recent call last):
    ValueError: --output rows.txt: expected a .jsonl, .csv, .parquet or .arrow file
    """
    from ..core.compression import format_extension
    from ..io.paths import is_stream

    if path and format_extension(path) not in suffixes and not path.is_dir() and not is_stream(path):
        *others, last = filter(None, suffixes)
        page = _page_line(path) if path.suffix == ".html" and suffixes == JSON else ""
        if suffixes == JSON and (printed := {".csv": "csv", ".md": "markdown", ".tex": "latex"}.get(path.suffix)):
            page = f"; --format {printed} > {path} prints the tables"
        raise ValueError(
            f"{option} {path}: expected a {' or '.join(filter(None, (', '.join(others), last)))} file{page}"
        )


def _page_line(path: Path) -> str:
    """Return the option that writes the page of the running command, as the end of a message."""
    if "--html" in own_options.get():
        return f"; --html {path} writes a page"
    every_error = f"nereval report GOLD PRED --output {path} shows every error"
    return f"; --format html > {path} prints the tables as a page, {every_error}"


def chosen_confidence(wanted: bool, resampling: Resampling, option: str = "--confidence") -> Confidence | None:
    """Return the settings of intervals, or None if no intervals are wanted.

    Args:
        wanted: Whether intervals are wanted.
        resampling: How documents are resampled.
        option: The option that asks for resampling.

    Raises:
        ValueError: If a setting is out of range, or is given although no intervals are wanted.
    """
    from ..evaluation.resampling import Confidence

    settings = {name: value for name, value in resampling._asdict().items() if value is not None}
    if not wanted and settings:
        raise ValueError(f"--{next(iter(settings))} is given without {option}: add that, or leave it out")
    return Confidence(**settings).checked() if wanted else None
