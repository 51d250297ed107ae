"""The arguments that Python and the commands have in common, each declared once.

Each field is annotated with its `Argument`: its help text and its allowed values. The options of the commands and
their documentation are generated from these. Python signatures repeat the names and defaults for their readers; a
test compares them. Slow modules are not imported, since spaCy imports the commands at every start.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

from .messages import spell_argument

REPAIRS = ("error", "conll", "discard")
PIECES = ("hull", "parts")
CODEPOINT, UTF16, UTF8 = OFFSETS = ("codepoint", "utf16", "utf8")
AUTO_OFFSETS = "auto"

EXACT, NORMALISED, CASELESS = LEVELS = ("exact", "normalised", "caseless")
"""How closely a mention has to match the text, the strictest first."""

SAME = "same"
TEXT_MATCHES = (SAME, NORMALISED)
"""How alike the texts of a pair have to be: the same except for white space and case, or normalised too."""

LISTED, FIRST, ALL = OCCURRENCES = ("listed", "first", "all")
"""Which occurrences of a mention are spans: as many as it is listed, the first, or all."""

SEPARATOR = "/"
"""The default separator of the levels of a label."""

SCHEMES = ("auto", "IOB1", "IOB2", "BILUO", "BIOES", "BMES", "IO")
SCHEMES_ELSEWHERE = (("BIO", "IOB2"), ("BILOU", "BILUO"), ("BIOUL", "BILUO"), ("IOBES", "BIOES"), ("BIEOS", "BIOES"))
"""Names of schemes elsewhere, of which none has two meanings: "IOB" is IOB1 for some and IOB2 for others."""

ENDS = ("exclusive", "inclusive")

TYPES: Mapping[type, str] = {Integral: "a whole number", Real: "a number", str: "a text"}
"""The types that are checked, and their names in errors."""


class Argument(NamedTuple):
    """The declaration of an argument, except its name, type and default.

    help: its description in the help of commands. values: the allowed values; empty if all are allowed. short: its
    short name in commands. takes: the type of its values, a key of `TYPES`, if it is checked. least, most: its bounds,
    or those of a text's length. expected: a description of its values for errors, where type and bounds are unclear.
    usual: a usual value, for errors. where: "files" or "objects" if it applies only to them. per_side:
    whether it may have a value for each side, separated by a comma. typed: its type in commands, if it differs. group:
    the group of options in which help shows it, if not that of its class. elsewhere: names of its values in other
    packages, in capitals, and here.
    """

    help: str
    values: tuple[str, ...] = ()
    short: str = ""
    takes: type | None = None
    least: float | None = None
    most: float | None = None
    expected: str = ""
    usual: int | None = None
    where: str = ""
    per_side: bool = False
    typed: Any = None
    group: str = ""
    elsewhere: tuple[tuple[str, str], ...] = ()

    def value_here(self, value: Any) -> Any:
        """Return a value under the name that it has here, if other packages have another for it."""
        here = {**{one.upper(): one for one in self.values}, **dict(self.elsewhere)} if self.elsewhere else {}
        return here.get(value.upper(), value) if isinstance(value, str) else value


@cache
def arguments_of(settings: type) -> Mapping[str, Argument]:
    """Return the arguments that the fields of a class declare."""
    hints = get_type_hints(settings, include_extras=True)
    metadata = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {name: data[0] for name, data in metadata.items() if data and isinstance(data[0], Argument)}


Settings = TypeVar("Settings")


def validate_settings(settings: Settings) -> Settings:
    """Return the settings. Raise ValueError if one has a value that its argument does not take.

    >>> validate_settings(Reading(repair="drop"))
    Traceback (most recent call last):
    ValueError: repair='drop': expected one of error, conll, discard
    """
    declared: type = type(settings)
    defaults: Mapping[str, Any] = getattr(settings, "_field_defaults", {})  # of a named tuple, else class attributes
    for name, argument in arguments_of(declared).items():
        value, default = getattr(settings, name), defaults.get(name, getattr(declared, name))
        if value is not None or default is not None:  # None is allowed only as the default
            check_value(name, value, argument)
    return settings


def check_value(name: str, value: Any, argument: Argument) -> None:
    """Raise ValueError if an argument has a value that it does not take, by its declaration.

    >>> check_value("trials", 0, TRIALS)
    Traceback (most recent call last):
    ValueError: trials=0: expected at least 1; 10000 is usual
    >>> check_value("trials", 2.5, TRIALS)
    Traceback (most recent call last):
    ValueError: trials=2.5: expected a whole number; 10000 is usual
    """
    if expected := _expectation(value, argument):
        usual = "" if argument.usual is None else f"; {argument.usual} is usual"
        if name == "scheme" and isinstance(value, str):  # of other packages, where schemes are also ways of scoring
            from .synonyms import line_here

            usual += f"; for {value}, write {line}" if (line := line_here(value)) else ""
        raise ValueError(f"{spell_argument(name, value)}: expected {argument.expected or expected}{usual}")


def _expectation(value: Any, argument: Argument) -> str:
    """Return the expectation of an argument that does not take a value; "" if it takes it."""
    each = value.split(",") if argument.per_side and isinstance(value, str) else [value]
    if argument.values and any(part not in argument.values for part in each):
        per_side = ", or one for each side, with a comma between them" * argument.per_side
        return f"one of {', '.join(argument.values)}{per_side}"
    if argument.takes and (isinstance(value, bool) or not isinstance(value, argument.takes)):
        return TYPES[argument.takes]
    size = len(value) if isinstance(value, str) else value
    if argument.least is not None and not size >= argument.least:  # not <, which is False for NaN
        return f"at least {argument.least}"
    if argument.most is not None and not size <= argument.most:
        return f"at most {argument.most}, which take minutes and gigabytes for a large corpus"
    return ""


TABLE_FORMATS = ("terminal", "markdown", "latex", "csv", "json", "html")

FORMAT = Argument(
    "Format of the input files, such as conll or brat (by default inferred from the file extension and the content; "
    f"an unknown name is answered with all) or of the printed tables ({', '.join(TABLE_FORMATS)}). Both: --format "
    "conll,markdown. Gold and predictions in different formats: --format brat,conll",
    short="-f",
    where="files",
)


SEP = Argument(
    "Separator between the levels of a label",
    takes=str,
    least=1,
    expected="the text between two levels of a label, such as /",
)


@dataclass(frozen=True, kw_only=True)
class Labelling:
    """How to change labels: take them from attributes, map them, truncate them to a depth, then keep or drop them."""

    labels: Annotated[
        Mapping[str, str | None] | str | Path | None,
        Argument(
            "New names of labels on both sides, such as PER=PERSON,MISC= (without a name, the label is dropped), or a "
            '.json file such as {"PER": "PERSON", "MISC": null}. A list such as PER,LOC means --only',
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
    label_from: Annotated[
        Iterable[str] | str | None,
        Argument(
            "Attribute to use as the label of every span, on both sides and before --labels, such as kb_id or "
            "negated; several are joined, as in label+negated. Spans without the attribute get 'none'",
            typed=str,
        ),
    ] = None
    depth: Annotated[int | None, Argument("Number of levels to keep of labels such as LOC/CITY, after --labels")] = None
    sep: Annotated[str, SEP] = SEPARATOR


TRIMS = ("space", "space,punct")
"""Characters to remove from the edges of spans."""


@dataclass(frozen=True, kw_only=True)
class Reading(Labelling):
    """How to read annotation from files or Python objects."""

    format: Annotated[
        str | None,
        FORMAT,
    ] = None
    spans_key: Annotated[str | None, Argument("Read doc.spans[KEY] instead of doc.ents", short="-sk")] = None
    column: Annotated[
        str | int | None,
        Argument(
            "CoNLL: column of the labels, a number from 1, 'last', or a name of the header row. Gold and predictions: "
            "--column 3,4. Label Studio, Hugging Face, WebAnno, XMI, CoNLL-U, BioC: name of the key, feature or type",
            where="files",
            typed=str,
        ),
    ] = None
    word_column: Annotated[
        str | int | None,
        Argument(
            "CoNLL: column of the words, a number from 1 or a name of the header row. By default the first column that "
            "does not have the numbers of tokens or sentences",
            where="files",
            typed=str,
        ),
    ] = None
    link_column: Annotated[
        str | int | None,
        Argument(
            "CoNLL: column of links, a number from 1 or a name of the header row. The link of a span, that of its "
            "first token, becomes its attribute kb_id",
            where="files",
            typed=str,
        ),
    ] = None
    keys: Annotated[
        Any,
        Argument(
            "JSON and Parquet: the keys that have the text, the spans, and the start, end and label of a span, as in "
            "text=content,spans=items,label=kind. Dots reach into nested objects. Once for all files, or once for gold "
            "and once for predictions",
            typed=list[str],
        ),
    ] = None
    scheme: Annotated[
        str,
        Argument(
            "Tagging scheme of tags; 'auto' infers it from all tags of a side", SCHEMES, elsewhere=SCHEMES_ELSEWHERE
        ),
    ] = "auto"
    outside: Annotated[
        str | None, Argument("Tags: the tag of tokens outside of spans, if it is not O, such as no_entity", takes=str)
    ] = None
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
            "brat, FairEval, BioC, JSON, Parquet: read a span with gaps as one span from its start to its end ('hull') "
            "or as one span per piece ('parts'). By default its pieces are kept",
            PIECES,
            where="files",
        ),
    ] = None
    offsets: Annotated[
        str | None,
        Argument(
            "Unit of the offsets: characters ('codepoint', the default except for WebAnno), 'utf16' code units, bytes "
            "of 'utf8', or 'auto' for the unit in which spans match the texts that the file repeats. Gold and "
            "predictions: --offsets codepoint,utf16",
            (*OFFSETS, AUTO_OFFSETS),
            per_side=True,
        ),
    ] = None
    end: Annotated[
        str | None,
        Argument(
            "Whether the offset that ends a span is the one after it ('exclusive', the default) or that of its last "
            "character ('inclusive'). Gold and predictions: --end exclusive,inclusive",
            ENDS,
            per_side=True,
        ),
    ] = None
    trim: Annotated[
        str | None,
        Argument(
            "Remove white space from the edges of all spans ('space'), or punctuation too ('space,punct'), after "
            "labels are changed",
            TRIMS,
        ),
    ] = None
    join: Annotated[
        bool,
        Argument(
            "Join spans of one label that have nothing but white space between them. True neighbours are joined too"
        ),
    ] = False
    missing_tokens: Annotated[
        str | None,
        Argument(
            "How to read tokens of gold that predictions lack, such as those beyond the length of a model or of "
            "missing documents: 'O' for outside of spans. By default they are an error",
            ("O",),
        ),
    ] = None
    check_text: Annotated[
        bool, Argument("Check that a span covers the text that the file repeats for it", where="files")
    ] = True
    annotator: Annotated[
        str | None,
        Argument(
            "Files with several annotators, such as Prodigy's: the annotator to read, or two names for gold "
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
    match_text: Annotated[
        str,
        Argument(
            "How the texts of gold and predictions may differ: in white space and case ('same'), or also in Unicode "
            "forms, quotes, dashes, brackets as treebanks write them, and characters that are not seen ('normalised')",
            TEXT_MATCHES,
        ),
    ] = SAME
    unit: Annotated[
        str | None,
        Argument(
            "Unit of resampling, which intervals and tests draw as a whole: the documents with one id ('id', the "
            "default), with one value in their metadata (meta.FIELD), or with the same id prefix (prefix:REGEX, by its "
            "first group); every document ('document'); or N consecutive documents of a file (block:N). By default the "
            "sentences of CoNLL files without -DOCSTART- lines are resampled in blocks",
            where="files",
            group="intervals",
        ),
    ] = None


def side_reading(reading: Reading, side: int, sides: int = 2) -> Reading:
    """Return how one side is read: with its value of arguments that may have one for each side.

    Args:
        reading: How annotation is read.
        side: The number of the side, 0 for gold.
        sides: How many there are.

    Raises:
        ValueError: An argument has neither one value nor one for each side.

    >>> side_reading(Reading(offsets="codepoint,utf16"), 1).offsets
    'utf16'
    """
    values: dict[str, Any] = {}
    for name in ("offsets", "end"):
        parts = (getattr(reading, name) or "").split(",")
        if len(parts) not in (1, sides):
            raise ValueError(
                f"{spell_argument(name, getattr(reading, name))}: {len(parts)} values for {sides} sides; expected one "
                "value, or one for each side"
            )
        values[name] = parts[side % len(parts)] or None
    return replace(reading, **values)


# Arguments of resampling

LEVEL = Argument(
    "Confidence level of the intervals (0.95 by default)",
    takes=Real,
    least=0.001,
    most=1 - 1e-9,  # beyond, rounding leaves intervals of scores near 1 without width
    expected="a number between 0 and 1, such as 0.95",
)
MOST_DOCUMENTS = 20_000
"""Maximum number of documents for intervals by default: with more, they take longer than counting."""

MOST_SAMPLES = 100_000
"""Maximum number of half-samples. More hardly change an interval, and take memory and time in proportion."""

SAMPLES = Argument(
    "Number of half-samples, random halves of the documents (1000 by default). Only collapsed counts and scores over "
    "distinct strings of the corpus need them; other intervals take no random numbers",
    takes=Integral,
    least=1,
    most=MOST_SAMPLES,
    usual=1000,
)
SEED = Argument(
    "Seed of random numbers, of half-samples and of tests (0 by default)",
    takes=Integral,
    least=0,
    expected="a whole number from 0 up",
    group="intervals",
)
REPLICATES = Argument(
    "Number of half-samples (random halves of the documents) to store, for the intervals of collapsed counts. By "
    "default 1000 with --collapse, else 0: counts with documents need none",
    takes=Integral,
    least=0,
    most=MOST_SAMPLES,
    usual=1000,
    group="intervals",
)

# Arguments of comparisons
A_SCORE = "the name of a score, such as 'strict_f'"
PRIMARY = Argument(
    "Primary score, METRIC.SCORE or its score key, such as fair.f or fair_f: the conclusion is about it. By default "
    "the headline score of the first metric; fair.f in a report",
    takes=str,
    expected=A_SCORE,
)
SECONDARY = Argument(
    "Further scores to test, METRIC.SCORE separated by commas. By default the first headline of each further metric",
    typed=str,
)
MOST_POINTS = 1e9
"""Greatest number of points of a margin or a bound. Scores that are no ratios may have thousands."""

MARGIN = Argument(
    "Largest difference of the primary score that does not matter, in points. The comparison then says whether two "
    "systems are the same within it",
    takes=Real,
    least=math.ulp(0.0),
    most=MOST_POINTS,
    expected="a number of points above 0, such as 1",
)
HALF_WIDTH_POINTS = MARGIN._replace(
    help="How far the interval of the score may reach on either side, in points",
    expected="a number of points above 0, such as 2",
)
TRIALS = Argument(
    "Number of random permutations for the paired tests. Each exchanges the outputs of two systems in about half of "
    "the documents. By default 10000, or more for many tests",
    takes=Integral,
    least=1,
    most=1_000_000,
    usual=10_000,
)

# Arguments of choosing cuts
STRICT = "strict"

PER_LABEL = OWN, MICRO = ("own", "micro")
"""How to choose one cut per label: for the best score of each label, or for the best overall score."""

BIN_KINDS = EQUAL, EQUAL_MASS = ("equal", "equal_mass")

MISSING_SCORE = Argument(
    "Score of predictions without one, such as 1.0. By default they are an error",
    takes=Real,
    least=-sys.float_info.max,
    most=sys.float_info.max,
    expected="a finite number, such as 1.0",
)
BINS = Argument(
    "Number of bins for calibration", takes=Integral, least=1, most=1000, expected="a whole number from 1 to 1000"
)
BIN_KIND = Argument("Bins with equal width ('equal') or equal numbers of predictions ('equal_mass')", BIN_KINDS)


class Choosing(NamedTuple):
    """How the cut is chosen, and the definition of a hit."""

    best: Annotated[
        str,
        Argument(
            "Score that the threshold maximizes, such as strict_f, fair_f or slot_error.ser",
            takes=str,
            expected=A_SCORE,
        ),
    ] = "strict_f"
    per_label: Annotated[
        str | None,
        Argument(
            "A threshold for each label: 'own' maximizes the label's own score, 'micro' the overall score (exact for "
            "strict_f; a local optimum for others). By default all labels share one threshold",
            PER_LABEL,
            expected="'own' or 'micro', or none for a common threshold",
        ),
    ] = None
    hit: Annotated[
        str | float,
        Argument(
            "Predictions that are hits for average precision and calibration: 'strict', or the least IoU of "
            "characters with a gold span that has this label, such as 0.5",
            typed=str,
        ),
    ] = STRICT
    missing_score: Annotated[float | None, MISSING_SCORE] = None
    bins: Annotated[int, BINS] = 10
    bin_kind: Annotated[str, BIN_KIND] = EQUAL


# Arguments of writing annotation
ALIGNMENTS = EXPAND, CONTRACT = ("expand", "contract")
ALIGN = Argument(
    "Treatment of spans that do not begin and end at token boundaries, in formats with tokens: 'expand' "
    "them to all tokens that they touch, or 'contract' them to those inside. By default they are an error",
    ALIGNMENTS,
)

# Arguments of applying corrections to gold annotation
REFUSE, KEEP = "refuse", "keep"
CONFLICTS = Argument(
    "Treatment of contradicting marks: 'refuse' (reject) all of them and list the places, or 'keep' the gold "
    "annotation there",
    (REFUSE, KEEP),
)
