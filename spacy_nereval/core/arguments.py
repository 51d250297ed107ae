"""The arguments that Python and the commands have in common, each declared once.

A field's annotation has its `Argument`: what it is for, and which values it takes. The options of the commands and
their documentation are made of these; signatures in Python repeat names and defaults for those who read them, and a
test compares. Nothing is imported that takes long, since spaCy imports the commands at every start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

from .messages import named

REPAIRS = ("error", "conll", "discard")
PIECES = ("hull", "parts")
CODEPOINT, UTF16, UTF8 = OFFSETS = ("codepoint", "utf16", "utf8")
AUTO_OFFSETS = "auto"

EXACT, NORMALISED, CASELESS = LEVELS = ("exact", "normalised", "caseless")
"""How alike a mention and the text have to be, the tightest first."""

LISTED, FIRST, ALL = OCCURRENCES = ("listed", "first", "all")
"""Which occurrences of a mention are spans: as many as it is listed, the first, or all."""

SEPARATOR = "/"
"""What separates the levels of a label, unless another separator is given."""

SCHEMES = ("auto", "IOB1", "IOB2", "BILUO", "BIOES", "IO")
ENDS = ("exclusive", "inclusive")


class Argument(NamedTuple):
    """What is known of an argument, beside its name, type and default.

    help: what it is for, as the help of commands says it. values: those that it takes; none for any. short: its short
    name in commands. least, most: its bounds. usual: a good value, for errors. where: "files" or "objects" if it
    concerns only one of them.
    typed: its type in commands, where it differs.
    """

    help: str
    values: tuple[str, ...] = ()
    short: str = ""
    least: int | None = None
    most: int | None = None
    usual: int | None = None
    where: str = ""
    typed: Any = None


def declared(settings: Any) -> dict[str, Argument]:
    """Return the arguments that the fields of a class, or of an object, declare."""
    hints = get_type_hints(settings if isinstance(settings, type) else type(settings), include_extras=True)
    found = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {name: data[0] for name, data in found.items() if data and isinstance(data[0], Argument)}


Settings = TypeVar("Settings")


def checked(settings: Settings) -> Settings:
    """Return settings themselves. Raise ValueError if one has none of the values that it takes.

    >>> checked(Reading(offsets="utf"))
    Traceback (most recent call last):
    ValueError: offsets='utf': expected one of codepoint, utf16, utf8, auto
    """
    for name, argument in declared(settings).items():
        value = getattr(settings, name)
        taken = (*argument.values, getattr(type(settings), name))  # None only if it is the default
        if argument.values and value not in taken:
            raise ValueError(f"{named(name, value)}: expected one of {', '.join(argument.values)}")
    return settings


def check_bounds(name: str, value: float | None, argument: Argument) -> None:
    """Raise ValueError if a number is given and not within the bounds that its argument declares.

    >>> check_bounds("trials", 0, TRIALS)
    Traceback (most recent call last):
    ValueError: trials=0: expected at least 1; 10000 is usual
    """
    least, most = argument.least, argument.most
    usual = "" if argument.usual is None else f"; {argument.usual} is usual"
    if value is None:
        return
    if least is not None and value < least:
        raise ValueError(f"{named(name, value)}: expected at least {least}{usual}")
    if most is not None and value > most:
        raise ValueError(
            f"{named(name, value)}: expected at most {most}, which take minutes and gigabytes for a large corpus{usual}"
        )


TABLE_FORMATS = ("terminal", "markdown", "latex", "csv", "json", "html")

FORMAT = Argument(
    "Format of the input files, such as conll or brat (by default inferred from the file extension and the content; "
    f"an unknown name is answered with all) or of the printed tables ({', '.join(TABLE_FORMATS)}). Both: --format "
    "conll,markdown. Gold and predictions in different formats: --format brat,conll",
    short="-f",
    where="files",
)


@dataclass(frozen=True, kw_only=True)
class Labelling:
    """What becomes of labels: they are mapped, then cut to a depth, then kept or dropped."""

    labels: Annotated[
        Mapping[str, str | None] | str | Path | None,
        Argument(
            "New names of labels on both sides, such as PER=PERSON,MISC= (without a name, the label is dropped), or a "
            '.json file such as {"PER": "PERSON", "MISC": null}',
            typed=str,
        ),
    ] = None
    only: Annotated[
        Iterable[str] | str | None,
        Argument(
            "Labels to keep on both sides, after --labels and --depth, such as PERSON,LOC, or as a JSON array",
            typed=list[str],
        ),
    ] = None
    depth: Annotated[int | None, Argument("Number of levels to keep of labels such as LOC/CITY, after --labels")] = None
    sep: Annotated[str, Argument("Separator between the levels of a label")] = SEPARATOR


@dataclass(frozen=True, kw_only=True)
class Reading(Labelling):
    """How annotation is read, in files or as Python objects."""

    format: Annotated[
        str | None,
        FORMAT,
    ] = None
    spans_key: Annotated[str | None, Argument("Read doc.spans[KEY] instead of doc.ents", short="-sk")] = None
    column: Annotated[
        str | int | None,
        Argument(
            "CoNLL: column of the labels, a number from 1 or 'last'. Gold and predictions: --column 3,4. Label "
            "Studio, Hugging Face, WebAnno, XMI, CoNLL-U, BioC: name of the key, feature or type",
            where="files",
            typed=str,
        ),
    ] = None
    scheme: Annotated[
        str,
        Argument("Tagging scheme of tags; 'auto' infers it from all tags of a side", SCHEMES, where="objects"),
    ] = "auto"
    repair: Annotated[
        str,
        Argument(
            "Tags: how to read a span that the tagging scheme does not allow: as an error ('error'), as a new span "
            "('conll'), or not at all ('discard')",
            REPAIRS,
        ),
    ] = "error"
    discontinuous: Annotated[
        str | None,
        Argument(
            "brat, FairEval, BioC: read a discontinuous span as one span from its start to its end ('hull') or as one "
            "span per fragment ('parts'). By default it is an error",
            PIECES,
            where="files",
        ),
    ] = None
    offsets: Annotated[
        str | None,
        Argument(
            "Unit of the offsets: characters ('codepoint', the default except for WebAnno), 'utf16' code units, bytes "
            "of 'utf8', or 'auto' for the unit in which spans match the texts that the file repeats",
            (*OFFSETS, AUTO_OFFSETS),
        ),
    ] = None
    end: Annotated[
        str | None,
        Argument(
            "Whether the ends of spans are 'exclusive' (the default; if all look inclusive, that is an error), or "
            "'inclusive' as nervaluate's are",
            ENDS,
            where="objects",
        ),
    ] = None
    check_text: Annotated[
        bool, Argument("Check that a span covers the text that the file repeats for it", where="files")
    ] = True
    annotator: Annotated[
        str | None,
        Argument(
            "Files with several annotators, such as Prodigy's: the one whose spans are read, or two names for gold "
            "and predictions, as in --annotator ann,bob",
            where="files",
        ),
    ] = None
    tag_names: Annotated[
        Any,
        Argument(
            "Hugging Face: names of tags that are numbers. Either the names in their order, separated by commas, or a "
            "JSON file with 'id2label', such as the config.json of a model",
            typed=str,
        ),
    ] = None
    match: Annotated[
        str,
        Argument(
            "JSONL: how mentions without offsets may differ from the text: not at all ('exact'), in Unicode forms, "
            "quotes, dashes and white space ('normalised'), or in case too ('caseless')",
            LEVELS,
        ),
    ] = CASELESS
    occurrences: Annotated[
        str,
        Argument(
            "JSONL: which occurrences of a mention without offsets become spans: as many as the mention is listed "
            "('listed'), the 'first', or 'all'",
            OCCURRENCES,
        ),
    ] = LISTED
    unit: Annotated[
        str | None,
        Argument(
            "Unit of resampling, which intervals and tests draw as a whole: the documents with one id ('id', the "
            "default), with one value in their metadata (meta.FIELD), or whose ids begin alike (prefix:REGEX, by its "
            "first group); every document ('document'); or N consecutive documents of a file (block:N). By default the "
            "sentences of CoNLL files without -DOCSTART- lines are resampled in blocks",
            where="files",
        ),
    ] = None


# How documents are resampled

LEVEL = Argument("Confidence level of the intervals (0.95 by default)")
MOST_SAMPLES = 100_000
"""More half-samples hardly change an interval, and take memory and time in proportion."""

SAMPLES = Argument(
    "Number of half-samples, random halves of the documents (1000 by default). Only collapsed counts and scores over "
    "distinct strings of the corpus need them; other intervals take no random numbers",
    least=1,
    most=MOST_SAMPLES,
    usual=1000,
)
SEED = Argument("Seed of random numbers, of half-samples and of tests (0 by default)")
REPLICATES = Argument(
    "Number of half-samples (random halves of the documents) to store, for the intervals of collapsed counts. By "
    "default 1000 with --collapse, else 0: counts with documents need none",
    least=0,
    most=MOST_SAMPLES,
    usual=1000,
)

# What a comparison asks
PRIMARY = Argument(
    "Primary score, METRIC.SCORE or its score key, such as fair.f or fair_f: the conclusion is about it. By default "
    "the headline score of the first metric"
)
SECONDARY = Argument(
    "Further scores to test, METRIC.SCORE separated by commas. By default the headline score of each further metric",
    typed=str,
)
MARGIN = Argument(
    "Largest difference of the primary score that does not matter, in points. The comparison then says whether two "
    "systems are the same within it"
)
TRIALS = Argument(
    "Number of random swaps for the paired tests. A swap exchanges the outputs of two systems in about half of the "
    "documents. By default 10000, or more for many tests",
    least=1,
    most=1_000_000,
    usual=10_000,
)

# How corrections of gold annotation are applied
REFUSE, KEEP = "refuse", "keep"
CONFLICTS = Argument(
    "What to do where marks decide different things: 'refuse' all of them and list the places, or 'keep' the gold "
    "annotation as it is there",
    (REFUSE, KEEP),
)
