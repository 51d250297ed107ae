"""The texts of error messages, and the checks of spans, scores, keys and names that raise them.

Values are shortened and quoted. Arguments are spelt as the reader writes them: in Python, or as options of a command.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import SequenceMatcher, get_close_matches
from functools import reduce
from itertools import islice
from numbers import Real
from operator import index
from pathlib import Path
from pickle import PickleError
from typing import Any
from unicodedata import category, is_normalized, normalize
from zipfile import BadZipFile
from zlib import error as ZlibError

MOST = 60
"""Maximum number of characters of a text in a message."""

MOST_COMPARED, MOST_NAMES = 200, 10_000
"""Maximum length of an unknown name, and number of names, that are compared to find the nearest one."""

NEARLY_EQUAL = 0.75
"""Least similarity of two names, by `difflib`, of which one may be a slip for the other."""

LONGEST_REASON = 300
"""Maximum number of characters of the message of a parser or of another package, which may quote a whole file."""

LONGEST = 4000
"""Maximum number of characters of a line that a command prints in addition to its result."""

LISTED = 5
"""Maximum number of names in a message."""


SHOW = "'nereval show FILE' shows how a file is read"
"""The advice of most errors about files."""


def shorten(text: str, most: int = MOST) -> str:
    """Return a text on one line; its beginning and its length if it is longer than `most` characters.

    >>> shorten("PER"), shorten("P" * 100, 4)
    ('PER', 'PPPP... (100 characters)')
    """
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def quote(text: str, most: int = MOST) -> str:
    """Return a text in quotes; its beginning and its length if it is longer than `most` characters.

    >>> quote("a b"), quote("P" * 100, 4)
    ("'a b'", "'PPPP'... (100 characters)")
    """
    return repr(text) if len(text) <= most else f"{text[:most]!r}... ({len(text)} characters)"


def join_names(names: Sequence[str], most: int = LISTED) -> str:
    """Return the first names, shortened, with commas.

    >>> join_names(["a", "b"]), join_names(["a", "b"], 1)
    ('a, b', 'a, ...')
    """
    return ", ".join(mark_unseen(shorten(name)) for name in names[:most]) + (", ..." if len(names) > most else "")


def many(number: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural.

    >>> many(1, "span"), many(1200, "document")
    ('1 span', '1,200 documents')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def first_repeated(names: Iterable[Any]) -> Any:
    """Return the first name that occurred before; None if each occurs once.

    >>> first_repeated(["a", "b", "b", "a"])
    'b'
    """
    earlier = set[Any]()
    for name in names:
        if name in earlier:
            return name
        earlier.add(name)
    return None


def install_command(extra: str) -> str:
    """Return the command that installs the package with an extra.

    >>> install_command("report")
    'python -m pip install ".[report]" in a clone of spacy-nereval'
    """
    return f'python -m pip install ".[{extra}]" in a clone of spacy-nereval'


def describe_unknown(name: object, names: Iterable[str], what: str = "", most: int = 12) -> str:
    """Return the message that a name is unknown, with the closest name and the names that exist.

    Args:
        name: The unknown name.
        names: The names that exist.
        what: The noun for such a name, for example "metric".
        most: Maximum number of names that are listed.

    >>> describe_unknown("PRE", ["PER", "LOC"]), describe_unknown("x", ["a"], "metric")
    ("there is no 'PRE': did you mean 'PER'? There are PER, LOC", "there is no metric 'x'; there are a")
    """
    names = [*names]
    hint = did_you_mean(name, names)
    listing = f"{hint} There" if hint else "; there"
    quoted_name = quote(name) if isinstance(name, str) else shorten(repr(name))
    return f"there is no {what and f'{what} '}{quoted_name}{listing} are {join_names(names, most) or 'none'}"


def did_you_mean(name: object, names: Iterable[str]) -> str:
    """Return "did you mean ...?" for the closest name; "" if none is close.

    >>> did_you_mean("unt", ["unit", "beta"])
    ": did you mean 'unit'?"
    """
    match = nearest(str(name), names)
    if not match:
        return ""
    difference = describe_difference(str(name), match)
    hidden = "" if difference == CASE else difference  # readers see upper and lower case
    return f": did you mean {shorten(repr(match))}{hidden and f', which differs in {hidden}'}?"


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the name that is nearly equal, but for a slip of the fingers; "" if none is.

    >>> nearest("--confidnce", ["--confidence"]), nearest("PRE", ["PER"]), nearest("--json", ["--only"])
    ('--confidence', 'PER', '')
    """
    short = name[:MOST_COMPARED]
    return next(
        (match for match in get_close_matches(short, [*islice(names, MOST_NAMES)]) if _nearly_equal(short, match)), ""
    )


def _nearly_equal(one: str, other: str) -> bool:
    first, second = (text.lower().strip("-_. ") for text in (one, other))
    alike = SequenceMatcher(None, first, second).ratio() >= NEARLY_EQUAL
    return alike or sorted(first) == sorted(second) or bool(describe_difference(one, other))


CASE = "case"

UNSEEN = ("Cf", "Cc", "Cn", "Co")
"""Categories of characters that are not seen."""

FORMS: dict[str, Callable[[str], str]] = {
    "white space": lambda text: "".join(text.split()),
    "characters that are not seen": lambda text: "".join(part for part in text if category(part) not in UNSEEN),
    "Unicode form (such as NFC and NFD)": lambda text: normalize("NFKC", text),
    CASE: str.casefold,
    "how a number is written": lambda text: re.sub(r"\.0+$", "", text) if text[:1].isdigit() else text,
}
"""The differences between names that may be meant as the same, with their normalization."""


def _undo(name: str, kept: str = "") -> str:
    """Return the common form of a name and all names that differ from it in one of `FORMS`."""
    return reduce(lambda text, words: text if words == kept else FORMS[words](text), FORMS, name)


def describe_difference(one: str, other: str) -> str:
    """Return the difference of two names that may be meant as the same; "" if they differ otherwise, or not at all.

    >>> describe_difference("PER", "PER "), describe_difference("\u00c9", "e\u0301"), describe_difference("1", "1.0")
    ('white space', 'Unicode form (such as NFC and NFD) and case', 'how a number is written')
    >>> describe_difference("PER", "PEN")
    ''
    """
    same = _undo(one) == _undo(other)
    return " and ".join(words for words in FORMS if same and _undo(one, words) != _undo(other, words))


def list_alike(ones: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return which names of two lists may be meant as the same, and their difference.

    >>> list_alike(["PER", "LOC", "a"], ["PER ", "Loc", "b"])
    ["'PER' and 'PER ' differ only in white space", "'LOC' and 'Loc' differ only in case"]
    >>> list_alike(["\u00e9"], ["e\u0301"])
    ["'é' and 'e\\\\u0301' differ only in Unicode form (such as NFC and NFD)"]
    """
    by_form: dict[str, list[str]] = {}
    for name in others:
        by_form.setdefault(_undo(name), []).append(name)
    pairs: dict[tuple[str, str], str] = {}
    for one in ones:
        for other in by_form.get(_undo(one), []):
            if one != other and (other, one) not in pairs:
                pairs[one, other] = describe_difference(one, other)
    return [
        f"{_quote_form(one)} and {_quote_form(other)} differ only in {words}" for (one, other), words in pairs.items()
    ]


def _quote_form(name: str) -> str:
    """Return a name in quotes, with escapes if it is not in the usual Unicode form, so that it does not look so."""
    return quote(name) if is_normalized("NFC", name) else ascii(shorten(name))


NO_GLYPH = ("Cf", "Cc", "Zs", "Zl", "Zp")
"""Categories of characters that are not seen, or look like a space."""


def mark_unseen(name: str) -> str:
    """Return a name with an escape for each character that readers would not see, or take for a space.

    >>> mark_unseen("PER"), mark_unseen("P\\u200bER"), mark_unseen("a b"), mark_unseen("a\\u00a0b")
    ('PER', 'P\\\\u200bER', 'a b', 'a\\\\xa0b')
    """
    if name.isprintable():
        return name
    return "".join(repr(part)[1:-1] if category(part) in NO_GLYPH and part not in " \t\n\r" else part for part in name)


def show_spaces(label: str) -> str:
    """Return a label, in quotes if it has white space or characters that readers would not see.

    >>> show_spaces("PER"), show_spaces("PER "), show_spaces("a b"), show_spaces("a  b"), show_spaces("a\\u00ad")
    ('PER', "'PER '", 'a b', "'a  b'", "'a\\\\xad'")
    """
    return label if " ".join(label.split()) == label and label.isprintable() else repr(label)


def describe_error(error: BaseException) -> str:
    """Describe an unexpected error of reading or counting; empty for our own bugs.

    >>> describe_error(RecursionError()), describe_error(TypeError("unhashable"))
    ('it is nested too deeply', '')
    """
    reason = quote(" ".join(str(error).split()), 200) if str(error) else ""
    if isinstance(error, MemoryError):
        return f"there is not enough memory{reason and f' ({reason})'}: read less at once, or resample less often"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, (BadZipFile, EOFError, OverflowError, PickleError, UnicodeError, ZlibError)):
        return f"it is damaged, or its contents do not match its name ({type(error).__name__}: {reason})"
    return f"{type(error).__name__}: {reason}" if type(error) is RuntimeError else ""


class TryAgain(ValueError):
    """An error after which the same command may succeed later: another run has locked the folder, or workers died."""


NAME_ALONE: Any = object()
"""In place of a value: write the name of the argument only."""


class Pasted(str):
    """A value that users paste from a message: never shortened, and quoted on the command line."""


def spell_in_python(name: str, value: Any = NAME_ALONE) -> str:
    """Return an argument as it is written in Python.

    >>> spell_in_python("offsets", "utf16"), spell_in_python("offsets"), spell_in_python("tmr.train", "FILE")
    ("offsets='utf16'", 'offsets=', "metrics={'tmr': {'train': 'FILE'}}")
    """
    metric, dot, option = name.partition(".")
    if dot:
        return f"metrics={{{metric!r}: {{{option!r}: {'...' if value is NAME_ALONE else shorten(repr(value))}}}}}"
    text = "" if value is NAME_ALONE else repr(value)
    return f"{name}={text if isinstance(value, Pasted) else shorten(text)}"


Spelling = Callable[..., str]
"""Writes an argument, given its name and perhaps its value."""

_spelling: ContextVar[Spelling] = ContextVar("spelling", default=spell_in_python)


def spell_argument(name: str, value: Any = NAME_ALONE) -> str:
    """Return an argument as the reader writes it: in Python, unless `use_spelling` says otherwise.

    Code that raises an error need not know its caller: `trials=5` in Python is `--trials 5` in a command.
    """
    return spelling()(name, value)


def describe_needed_file(metric: str, option: str) -> str:
    """Return "needs ..." for a metric that cannot judge without a file.

    >>> describe_needed_file("tmr", "train")
    "needs metrics={'tmr': {'train': 'FILE'}}"
    """
    return f"needs {spell_argument(f'{metric}.{option}', 'FILE')}"


def spelling() -> Spelling:
    """Return the spelling of arguments in use, to pass it on to a worker."""
    return _spelling.get()


@contextmanager
def use_spelling(writer: Spelling) -> Iterator[None]:
    """Spell arguments in another way inside a `with` block, for example as options of a command.

    >>> with use_spelling(lambda name, value=None: f"--{name} {value}"):
    ...     spell_argument("trials", 5)
    '--trials 5'
    """
    token = _spelling.set(writer)
    try:
        yield
    finally:
        _spelling.reset(token)


FARTHEST = 1 << 40
"""The greatest offset in a document without a text. Times the documents of a batch, it still fits 64 bits."""

PlainSpan = tuple[int, int, str]


def validate_tokens(tokens: Iterable[tuple[int, int]], length: int | None) -> list[tuple[int, int]]:
    """Return the tokens, sorted. Raise ValueError with the reason if they overlap or exceed the text."""
    result = sorted(validate_span("token", (*token, "token"), length)[:2] for token in tokens)
    for (_, end), (start, _) in zip(result, result[1:]):
        if start < end:
            raise ValueError(f"tokens overlap: one ends at {end}, the next begins at {start}")
    return result


def validate_spans(side: str, spans: Iterable[Sequence[Any]], length: int | None) -> list[PlainSpan]:
    """Return the spans in plain Python, each once. Raise ValueError that explains the first invalid span."""
    spans, most = [*spans], FARTHEST if length is None else length
    distinct: dict[PlainSpan, None] = {}
    try:
        for span in spans:
            # Almost all spans are valid: checking that here, without a call, halves the time of reading.
            start, end, label = span
            plain = start.__class__ is end.__class__ is int and label.__class__ is str and label
            if not (plain and 0 <= start <= end <= most):
                raise ValueError
            distinct[span if span.__class__ is tuple else (start, end, label)] = None
    except (TypeError, ValueError):
        distinct = dict.fromkeys(validate_span(side, span, length) for span in spans)
    return [*distinct]


def validate_span(side: str, span: Sequence[Any], length: int | None) -> PlainSpan:
    """Return the span in plain Python. Raise ValueError that explains its problem."""
    try:
        start, end, label = span
        if isinstance(start, bool) or isinstance(end, bool):
            raise TypeError
        # An end that knows the pieces of its span is a whole number already (see `core.pieces`).
        start, end = index(start), end if end.__class__ is int or hasattr(end, "pieces") else index(end)
    except (TypeError, ValueError):
        raise ValueError(
            f"{side} span {shorten(repr(span))} is not (start, end, label) with whole-number offsets"
        ) from None
    if 0 <= start <= end <= (FARTHEST if length is None else length) and isinstance(label, str) and label:
        return start, end, label
    shown = quote(label) if isinstance(label, str) else shorten(repr(label))
    description = f"{side} Span({shorten(repr(start))}, {shorten(repr(end))}, {shown})"
    if start < 0:
        raise ValueError(f"{description} starts before the text")
    if end < start:
        raise ValueError(f"{description} ends before it starts")
    if length is None and end > FARTHEST:
        raise ValueError(f"{description} ends after character {FARTHEST}, the greatest offset without a text")
    if length is not None and end > length:
        raise ValueError(f"{description} ends after the text, which has {length} character{'' if length == 1 else 's'}")
    raise ValueError(f"{description} has no label: expected a non-empty string")


def describe_repeated_column(name: str) -> str:
    """Return the message that a table has a column twice.

    >>> describe_repeated_column("spans")
    "several columns are called 'spans': keep one of them"
    """
    return f"several columns are called {quote(name)}: keep one of them"


def unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict. Pass this function to `json.loads` as `object_pairs_hook`.

    Raises:
        ValueError: A key occurs twice, so that one of its values would be lost.

    >>> import json
    >>> json.loads('{"PER": 1, "PER": 2}', object_pairs_hook=unique_keys)
    Traceback (most recent call last):
    ValueError: the key 'PER' occurs twice
    """
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError(f"the key {shorten(repr(first_repeated(key for key, _ in pairs)))} occurs twice")
    return table


class Unusable(str):
    """The reason why a span has no usable score, in place of the score."""

    __slots__ = ()


def is_finite_number(value: object) -> bool:
    """Return whether a value is a finite number, as the score of a span has to be.

    >>> is_finite_number(0.5), is_finite_number(float("nan")), is_finite_number("0.5"), is_finite_number(True)
    (True, False, False, False)
    >>> is_finite_number(10**400)  # larger than any float
    False
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def highest_scores(scores: Iterable[tuple[PlainSpan, Any]]) -> dict[PlainSpan, Any]:
    """Return the score of each span, the highest where a span is listed several times.

    A value that is no finite number wins over numbers, so that an error can name it.

    Args:
        scores: Spans with their scores as they were given; None for no score.

    >>> highest_scores([((0, 3, "A"), 0.2), ((0, 3, "A"), 0.7), ((4, 5, "A"), None)])
    {(0, 3, 'A'): 0.7}
    """
    highest: dict[PlainSpan, Any] = {}
    for span, score in scores:
        if score is None:
            continue
        best = highest.get(span)
        if best is None or not is_finite_number(score) or (is_finite_number(best) and score > best):
            highest[span] = score
    return highest


def check_given_once(names: Sequence[str | Path], what: str) -> None:
    """Raise ValueError if a name or a file is given twice. Different paths of one file count as the same."""
    keys = set[str | Path]()
    for name in names:
        key = name.resolve() if isinstance(name, Path) else name
        if key in keys:
            raise ValueError(f"{name} is given twice: give each {what} once")
        keys.add(key)
