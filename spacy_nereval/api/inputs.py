"""Make documents of whatever a user has: items of gold annotation and of predictions, paired."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from itertools import islice, zip_longest
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, TypeVar

from ..core.arguments import SAME, Reading, arguments_of, side_reading, validate_settings
from ..core.attribute_values import keep_attributes, split_names
from ..core.compression import strip_compression
from ..core.declaration import Metric
from ..core.document_fields import document_id, keep_fields
from ..core.labels import rules_of
from ..core.messages import did_you_mean, many, shorten, spell_argument
from ..core.pieces import meets_any
from ..core.spans import Document, relabel
from ..core.synonyms import USAGE, argument_here, changes_nothing, python_call, rules_meant
from ..io.formats.gliner import record_of as gliner_record
from ..io.formats.jsonl import record_of
from ..io.formats.settings import Format, Misfit, suggest_unit
from ..io.formats.tags import TagSequence, TokenDocument, read_tag_lists
from ..io.read import UNANNOTATED, Pairing
from ..io.records import Predictions, Record, check_has_text, pair, side_notes
from ..io.units import ID, FileUnits
from ..io.units import parse_unit as parse_unit
from ..metrics.registry import NO_TOKENS, NO_WORDS, SEARCHED_DOCUMENTS, MetricChoice, Unavailable, choose_metrics
from .items import LACKING, Place, check_unit_is_given, is_spacy, place_of, plain_record
from .sides import Side, TagNames, check_arguments, error_at_document, names_of_tags, read_file, read_if_path, tags_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Items(NamedTuple):
    """The settings of reading and scoring items: see `scoring.score`."""

    metrics: Any
    reading: Reading
    text: Iterable[str | None] | None = None
    tokens: Iterable[Any] | None = None


def documents_of(
    gold: Iterable[Any] | str | Path, pred: Any, items: Items, name: str = "pred"
) -> tuple[list[Document | None], MetricChoice]:
    """Return the documents of two sides, their metrics, and the excluded metrics with the reason.

    Args:
        gold, pred: The items of each side, as `scoring.score` takes them.
        items: The settings of reading and scoring.
        name: The name of the predictions, for errors.

    Raises:
        ValueError: As `scoring.score` says.
    """
    side = Side(gold, "gold", side_reading(items.reading, 0))
    other = Side(pred, name, side_reading(items.reading, 1), side.tag_names)
    text, tokens = (None if value is None else [*value] for value in (items.text, items.tokens))
    chosen = choose_metrics(items.metrics, lambda: unknown((side, other), text, tokens))
    return [*relabel(documents(side, other, text, tokens, items.reading), rules_of(items.reading))], chosen


class _Kept(list[Any]):
    """The items of an iterator, with the features of its data set, which name tags."""

    def __init__(self, items: Iterable[Any]) -> None:
        super().__init__(items)
        self.features = getattr(items, "features", None)


def kept_items(items: Items, gold: Any) -> tuple[Items, Any]:
    """Return the arguments and the gold annotation in a form that can be read again for each of several systems."""
    text, tokens = (None if value is None else [*value] for value in (items.text, items.tokens))
    read = read_if_path(gold, "gold", items.reading)
    return items._replace(text=text, tokens=tokens), read if read is None or hasattr(read, "__len__") else _Kept(read)


def gold_labels(documents: Iterable[Document | None]) -> Iterator[str]:
    """Yield the gold labels of the first documents, in which labels with levels are looked for."""
    for document in islice(documents, SEARCHED_DOCUMENTS):
        rules = document and document.label_rules
        if document and not (rules and rules.label_from):  # links have levels that mean nothing
            yield from (label for _, _, label in sorted(document.sides[0]))


def documents(
    gold: Side, pred: Side, text: Any, tokens: Any, reading: Reading, ids: Iterable[str | None] | None = None
) -> Iterator[Document | None]:
    """Yield the documents of two sides; None for one without annotation.

    Args:
        gold, pred: The sides, with one item per document.
        text: The text of each document; None if they are not known, or the items have them.
        tokens: The tokens of each document, as words or as (start, end); None if not known.
        reading: How the items are read.
        ids: The id of each document, None for one that has none; only with text or tokens.

    Raises:
        ValueError: As `scoring.score` says.
    """
    for side in (gold, pred):
        side.check_single("gold and pred as separate items")
    check_arguments((gold, pred), reading)
    for side in (gold, pred):
        if side.about.holds_text and text is not None:
            raise ValueError(f"text= is given, but the {side.about.words} have their own: leave it out")
    if gold.about.holds_text and pred.about.holds_text:
        if tokens is not None:
            raise ValueError(f"tokens= is given, but nothing counts tokens: {gold.about.words} have offsets")
        yield from _pair_by_text(gold, pred, reading)
    else:
        tagged = text is tokens is None and "tags" in (kinds := {gold.kind, pred.kind}) and kinds <= {"tags", "empty"}
        pairs = (
            _pairs_of_tags(gold, pred, reading) if tagged else _pair_as_given(gold, pred, text, tokens, reading, ids)
        )
        yield from pairs if reading.unit in (None, ID) else _set_units(pairs, reading.unit)
    pred.check_key(reading.spans_key)


class ItemReading(TypedDict, total=False):
    """How items are read: the arguments of `score` that all functions of items take, as `Reading` declares them."""

    scheme: str
    repair: str
    end: str | None
    spans_key: str | None
    keys: Any
    labels: Mapping[str, str | None] | str | Path | None
    only: Iterable[str] | str | None
    label_from: Iterable[str] | str | None
    depth: int | None
    sep: str
    match: str
    occurrences: str
    tag_names: TagNames
    offsets: str | None
    match_text: str
    outside: str | None
    trim: str | None
    join: bool
    missing_tokens: str | None


Function = TypeVar("Function", bound=Callable[..., Any])


def with_item_reading(function: Function) -> Function:
    """Return a function that rejects unknown arguments and shows those of `ItemReading`, with their defaults.

    `help` and whatever completes names see them.
    """
    short = signature(function)
    shown = [parameter for parameter in short.parameters.values() if parameter.kind is not Parameter.VAR_KEYWORD]
    for name, kind in ItemReading.__annotations__.items():
        written = getattr(kind, "__forward_arg__", kind)
        shown.append(Parameter(name, Parameter.KEYWORD_ONLY, default=getattr(Reading, name), annotation=written))
    accepted, full = [parameter.name for parameter in shown], short.replace(parameters=shown)

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        called = function.__qualname__.removesuffix(".__init__")
        args, kwargs = _take_columns(_read_tables(args), kwargs)
        if "policy" in accepted:
            args, kwargs = _take_rules(called, args, kwargs, accepted)
        while args and args[-1] is None and kwargs:  # which is no value, and may be given by its name
            args = args[:-1]
        format_name = None if "format" in accepted else kwargs.get("format")
        if format_name is not None:
            kwargs = {name: value for name, value in kwargs.items() if name != "format"}
        if any(name not in accepted for name in kwargs):
            kwargs = arguments_here(kwargs, called, accepted, accepted[: len(args)])
        if format_name is not None and not changes_nothing("format", called, format_name):
            args, read = _read_in_format(args, format_name, **kwargs)
            kwargs = {**read}
        check_call(full, called, args, kwargs)
        with keep_fields(kwargs.get("by")):
            return function(*args, **kwargs)

    checked.__signature__ = full  # type: ignore[attr-defined]  # `inspect` reads it; mypy knows no such attribute
    return checked  # type: ignore[return-value]  # mypy sees Any in place of the arguments


def check_call(accepted: Signature, function: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raise TypeError with the line to write if a function cannot be called with these arguments."""
    try:
        accepted.bind(*args, **kwargs)
    except TypeError as error:
        listed = ", ".join(name for name in accepted.parameters if name != "self")
        line = f"write {USAGE[function]}" if function in USAGE else f"its arguments are {listed}"
        raise TypeError(f"{function}: {error}; {line}") from None


def with_usual_arguments(*needless: str) -> Callable[[Function], Function]:
    """Return a decorator for a function that takes the arguments of other packages too.

    Args:
        needless: Arguments that others need, and this function does not: they have no effect.
    """

    def decorate(function: Function) -> Function:
        accepted, name = signature(function), function.__name__

        @wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            given = {one: value for one, value in kwargs.items() if one not in needless}
            if any(one not in accepted.parameters for one in given):
                names = [*accepted.parameters]
                given = arguments_here(given, name, names, names[: len(args)])
            check_call(accepted, name, args, given)
            return function(*args, **given)

        return called  # type: ignore[return-value]  # mypy sees Any in place of the arguments

    return decorate


Arguments = tuple[tuple[Any, ...], Mapping[str, Any]]
"""The arguments of a call: those that are given by their places, and those that are given by their names."""


def convert_places(convert: Callable[..., Arguments]) -> Callable[[Function], Function]:
    """Return a decorator for a function that others give its sides one after the other, or by other names.

    Args:
        convert: Returns the arguments that the function has for those that are given.
    """

    def decorate(function: Function) -> Function:
        @wraps(function)
        def called(*args: Any, **options: Any) -> Any:
            args, named = convert(*args, **options)
            return function(*args, **named)

        return called  # type: ignore[return-value]  # mypy sees Any in place of the arguments

    return decorate


def are_sides(values: Sequence[Any]) -> bool:
    """Return whether values can only be sides: files that exist, lists of items, or pipelines, and no metrics."""
    return all(is_file_here(value) or is_spacy(value, "Language") or _are_items(value) for value in values)


def is_file_here(value: Any) -> bool:
    """Return whether a value is the path of a file or folder that exists."""
    return isinstance(value, (str, Path)) and Path(value).exists()


def _are_items(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and not isinstance(value[0], (str, Metric))


def name_sides(sides: Sequence[Any]) -> dict[str, Any]:
    """Return sides by name: files by theirs without the extension if all are different, others as "A", "B", ...

    >>> name_sides([[], []])
    {'A': [], 'B': []}
    """
    stems = [strip_compression(Path(side)).stem for side in sides if isinstance(side, (str, Path))]
    return dict(zip(stems if len({*stems}) == len(sides) else ascii_uppercase, sides))


def _read_in_format(args: tuple[Any, ...], format: Any, **options: Any) -> Arguments:
    """Return arguments with the annotation of files, which `load` reads in a format, in place of their paths."""

    def read(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: read(side) for name, side in value.items()}
        return load(value, format=format) if is_file_here(value) else value

    sides = {name: read(value) for name, value in options.items() if name in ("gold", "pred", "systems")}
    return tuple(map(read, args)), options | sides


def name_runs(system: Any) -> Any:
    """Return the files of training runs by name, if a system is a list of two or more of them."""
    is_list = isinstance(system, (list, tuple)) and len(system) > 1 and all(map(is_file_here, system))
    return {f"run {number}": run for number, run in enumerate(system, 1)} if is_list else system


def _read_tables(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments with the spans of each document in place of two tables with a row for each span."""
    tables = [arg for arg in args[:2] if hasattr(arg, "columns") and {"start", "end", "label"} <= {*arg.columns}]
    names = [next((name for name in DOCUMENT_COLUMNS if name in table.columns), "") for table in tables]
    if len(tables) != 2 or not all(names):
        return args
    by_document: list[dict[Any, list[tuple[Any, ...]]]] = [{}, {}]
    for spans, table, name in zip(by_document, tables, names):
        for document, *span in zip(*(table[column].tolist() for column in (name, "start", "end", "label"))):
            spans.setdefault(document, []).append(tuple(span))
    documents = dict.fromkeys([*by_document[0], *by_document[1]])
    return (*([spans.get(document, []) for document in documents] for spans in by_document), *args[2:])


DOCUMENT_COLUMNS = ("doc_id", "document_id", "doc", "document", "id")
"""Names of the column that says to which document the span of a row belongs."""


def _take_columns(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return arguments with the columns of a table that is the first, where others name them: `gold_col="gold"`."""
    frame: Any = args[0] if args and all(arg is None for arg in args[1:]) else None
    if not (hasattr(frame, "columns") and hasattr(frame, "__getitem__")):
        return args, kwargs
    columns = {
        name: argument
        for argument in ("gold", "pred", "text", "tokens")
        for name in (argument, f"{argument}_col", f"{argument}_column")
        if isinstance(kwargs.get(name), str) and kwargs[name] in frame.columns
    }
    if not {"gold", "pred"} <= {*columns.values()}:
        return args, kwargs
    return (), {columns.get(name, name): frame[value] if name in columns else value for name, value in kwargs.items()}


def _take_rules(
    function: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], accepted: Sequence[str]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return arguments with the rules that arguments such as `min_f1=0.85` mean as a policy, unless one is given.

    The argument `policy` of `gate` comes first: without it, the first is the gold annotation.
    """
    rest, rules = {}, []
    for name, value in kwargs.items():
        text = ",".join(f"{label}={least}" for label, least in value.items()) if isinstance(value, Mapping) else value
        if meant := [] if name in accepted else rules_meant(name, function, text):
            rules += meant
        else:
            rest[name] = value
    places = accepted[1:] if accepted[0] == "policy" else accepted
    has_policy = "policy" in rest or (places != accepted and bool(args) and _is_policy(args[0]))
    if not rules or has_policy:
        return args, dict(kwargs)
    if places == accepted:
        return args, {**rest, "policy": rules}
    return (rules, *args), rest


def _is_policy(value: Any) -> bool:
    """Return whether a value is the path or the content of a policy, or a list of rules, rather than annotation."""
    if isinstance(value, (list, tuple)):
        return bool(value) and isinstance(value[0], str)
    return isinstance(value, Mapping) or (isinstance(value, (str, Path)) and Path(value).suffix == ".cfg")


def arguments_here(
    kwargs: Mapping[str, Any], function: str, accepted: Sequence[str], placed: Sequence[str]
) -> dict[str, Any]:
    """Return arguments with the names and values that they have here, where other packages have others.

    Args:
        kwargs: The arguments with names.
        function: The name of the function that is called.
        accepted: The arguments that it has.
        placed: Those that were given by their places.

    Raises:
        TypeError: The function has no such argument, or it is given under two names.
    """
    given = {name: value for name, value in kwargs.items() if name in accepted}
    for name in [name for name in kwargs if name not in accepted]:
        if changes_nothing(name, function, kwargs[name]):
            continue
        here, value = argument_here(name, function, kwargs[name])
        if here == "pred" not in accepted:
            here = "candidate"
        if (
            here in ("level", "samples", "seed") and here not in accepted and "confidence" in accepted
        ):  # a setting of the intervals
            settings = given.get("confidence")
            if isinstance(settings, float):
                settings = {"level": settings}
            if settings is None or settings is True or (isinstance(settings, dict) and here not in settings):
                settings = settings if isinstance(settings, dict) else {}
                given["confidence"] = True if value is True else {**settings, here: value}
                continue
            here = "confidence"
        if here in (*given, *placed):
            line = python_call(name, at=function)
            said = f"{function} has no argument {name}: it means {here}, which is given already"
            raise TypeError(f"{said}{line and f'; write {line}'}")
        if here not in accepted:
            raise TypeError(describe_argument(name, function, accepted))
        given[here] = value
    return given


OF_FILES = ("annotator", "check_text", "column", "discontinuous", "link_column", "word_column")
"""The arguments that `load` alone has."""


def describe_argument(name: str, function: str, accepted: Sequence[str]) -> str:
    """Return the message that a function has no such argument, with the line to write, or with all arguments.

    >>> describe_argument("n_bootstrap", "score", ["gold", "pred"])
    'score has no argument n_bootstrap: write score(gold, pred, confidence=True), and r.strict.interval() for one score'
    """
    said = f"{function} has no argument {shorten(name)}"
    if name in OF_FILES:
        return f"{said}: read the file with load(path, {name}=...), and give what it returns"
    if line := python_call(name, at=function, others=accepted):
        return f"{said}: write {line}"
    asked = did_you_mean(name, accepted)
    return f"{said}{asked or '; its'}{asked and ' Its'} arguments are {', '.join(accepted)}"


def reading_of_items(**arguments: Unpack[ItemReading]) -> Reading:
    """Return how items are read, from the arguments of a function that takes items.

    Raises:
        ValueError: An argument has none of the values that it takes.
    """
    given: dict[str, Any] = {name: arguments.get(name) for name in ("offsets", "end")}
    sides: dict[str, Any] = {name: ",".join(value) for name, value in given.items() if _are_texts(value)}
    sides["scheme"] = arguments_of(Reading)["scheme"].value_here(arguments.get("scheme", Reading.scheme))
    reading = replace(Reading(**arguments), tag_names=names_of_tags(arguments.get("tag_names")), **sides)
    return validate_settings(reading)


def _are_texts(value: Any) -> bool:
    """Return whether a value is a list with a text for each side."""
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(part, str) for part in value)


def not_known(what: str, name: str, of_each: str) -> str:
    """Return the sentence that something is not known, and which argument gives it."""
    return f"the {what} are not known: give {spell_argument(name)}, the {of_each} of each document"


def unknown(sides: Sequence[Side], text: Any = None, tokens: Any = None) -> Unavailable:
    """Return the missing parts of documents, by their first items.

    Args:
        sides: The items of gold and predictions, or of each annotator.
        text, tokens: The texts and tokens that are given in addition to the items.
    """
    if any(side.kind == "example" for side in sides):  # which have all
        return Unavailable()
    with_text = [side.first for side in sides if side.about.holds_text]
    tagged = any(side.kind == "tags" for side in sides)
    has_text = not text is tokens is None or any(getattr(item, "text", "") is not None for item in with_text)
    wordless = any(getattr(item, "wordless", False) for item in with_text)
    has_tokens = tokens is not None or (has_tokens_of(with_text[0]) if with_text else tagged)
    if all(side.about.holds_text for side in sides):  # these take no texts or tokens
        no_texts, no_words, no_tokens = "the texts are not known", "the words are not known", NO_TOKENS
    else:
        no_texts = not_known("texts", "text", "text")
        no_words = not_known("words", *(("tokens", "words") if tagged else ("text", "text")))
        no_tokens = not_known("tokens", "tokens", "tokens")
    return Unavailable(
        texts="" if has_text else no_texts,
        words=NO_WORDS if wordless else "" if has_text else no_words,
        tokens="" if has_tokens else no_tokens,
    )


def has_tokens_of(item: Any) -> bool:
    """Return whether an item with a text has tokens too."""
    if isinstance(item, Mapping):
        return "tokenized_text" in item or item.get("tokens") is not None
    return getattr(item, "tokens", True) is not None  # a Doc consists of tokens


def _pairs_of_tags(gold: Side, pred: Side, reading: Reading) -> Iterator[Document | None]:
    """Yield the documents of two sides of tags, with tokens as units."""
    predictions = Predictions(pred.name, UNANNOTATED[0])
    for number, (a, b) in enumerate(zip(*_tag_sequences((gold, pred), reading, remedy=""))):
        if a is None or predictions.is_skipped(_NO_TEXT, _NO_TEXT._replace(annotated=b is not None)) or b is None:
            yield None
            continue
        if a.length != b.length:
            raise ValueError(
                f"document {number}: {gold.name} has {many(a.length, 'tag')} and {pred.name} has {b.length}; "
                f"expected one tag per token on both sides{LACKING}"
            )
        document = TokenDocument(a.spans, b.spans, a.length)
        document.repaired = a.repaired + b.repaired
        document.notes = side_notes(a.notes, b.notes)
        yield _drop_predictions_in_gaps(document, a.gaps) if a.gaps else document
    predictions.check_end()


_NO_TEXT = Record("?", set())
"""Stands for a side without a text. Its own text is not blank, since blank texts need no annotation."""


def _drop_predictions_in_gaps(document: TokenDocument, gaps: Sequence[int]) -> Document:
    """Return the document without predictions on tokens without gold annotation."""
    gold, pred = document.sides
    kept = [span for span in pred if not any(span[0] <= gap < span[1] for gap in gaps)]
    result = TokenDocument(gold, kept, len(document.known_tokens))
    result.ignored = len(pred) - len(kept)
    result.repaired, result.notes = document.repaired, document.notes
    return result


def _set_units(documents: Iterable[Document | None], unit: str) -> Iterator[Document | None]:
    """Yield documents of items without metadata, each with its unit by a rule."""
    units = FileUnits(parse_unit(unit))
    for number, document in enumerate(documents):
        gold = Record("", (), annotated=False)
        if document:
            gold = Record(document.text or "", document.sides[0], id=document.id)
        try:
            yield units.assign_unit(document, gold)
        except ValueError as error:
            raise error_at_document(error, number, gold.id) from None
    units.check_end()


def _pair_by_text(gold: Side, pred: Side, reading: Reading) -> Iterator[Document | None]:
    """Yield the documents of two sides that have texts: paired by id if all have one, else by their order."""
    predictions = Predictions(pred.name, UNANNOTATED[pred.kind == "doc"])
    units = FileUnits(parse_unit(reading.unit)) if reading.unit else None
    sides = records_of(gold), records_of(pred)
    pairing = Pairing(gold.name, pred.name, reading.match_text, reading.missing_tokens)
    for number, (a, b) in enumerate(pairing.pairs(*sides)):
        try:
            skipped = not reading.spans_key and predictions.is_skipped(a, b)
            document = pairing.document(a, b)
            document = None if skipped else document
            yield units.assign_unit(document, a) if units else document
        except ValueError as error:
            raise error_at_document(error, number, a.id) from None
    if units:
        units.check_end()
    predictions.check_end()


def records_of(side: Side) -> Iterator[Record]:
    """Yield the records of a side that has texts. Raise ValueError, with the document, if one cannot be read."""
    for number, item in enumerate(side.items()):
        if item is None or not has_text(item):
            raise ValueError(
                f"{side.name}, document {number}: it is {item!r}, and the others are {side.about.words}; a document "
                'without annotation needs its text too: give a Doc, or a record with "answer": "ignore"'
            )
        yield record_of_item(item, f"{side.name}, document {number}", side.reading)


def has_text(item: Any) -> bool:
    """Return whether an item has its own text: a record, of a file or as a dict, or a Doc."""
    return isinstance(item, (Record, Mapping)) or is_spacy(item, "Doc")


def record_of_item(item: Any, where: str, reading: Reading) -> Record:
    """Return a Doc, a record of a JSONL file or a `Record` as a `Record`.

    Raises:
        ValueError: The item cannot be read; the message begins with `where`, its place.
    """
    if isinstance(item, Record):
        return item
    check_unit_is_given(reading)
    format = Format(match=reading.match, occurrences=reading.occurrences, offsets=reading.offsets, end=reading.end)
    format = format._replace(asked=split_names(reading.label_from))
    try:
        if isinstance(item, Mapping):
            return gliner_record(dict(item)) if "tokenized_text" in item else record_of(dict(item), format)
        from ..integration.examples import doc_record

        return doc_record(item, reading.spans_key, asked=split_names(reading.label_from))
    except Misfit as error:
        said = suggest_unit(partial(record_of, dict(item)), format)
        raise ValueError(f"{where}: {error}{said}") from None
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _pair_as_given(
    gold: Side, pred: Side, text: Any, tokens: Any, reading: Reading, ids: Iterable[str | None] | None
) -> Iterator[Document | None]:
    """Yield the documents of two sides, of which one or both have no texts, paired by their order."""
    given = {"text": text, "tokens": tokens, "ids": ids}
    names = [name for name, value in given.items() if value is not None]
    extra = [listed_items(given[name], name) for name in names]
    tagged = all_tagged((gold, pred), reading)
    sides = [side.items() if tags is None else iter(tags) for side, tags in zip((gold, pred), tagged)]
    predictions = Predictions(pred.name, UNANNOTATED[0])
    for number, items in enumerate(zip_longest(*sides, *extra, fillvalue=_MISSING)):
        if any(item is _MISSING for item in items):
            lengths = [
                number + sum(1 for _ in rest) + (item is not _MISSING) for item, rest in zip(items, (*sides, *extra))
            ]
            _check_lengths(dict(zip((gold.name, pred.name, *names), lengths)))
        beside = dict(zip(names, items[2:]))
        try:
            (a, b), place = _records_of_document((gold, pred), items[:2], beside)
            skipped = predictions.is_skipped(a._replace(text=place.text or "?"), b._replace(text=place.text or "?"))
            document = _pair_without_text(a, b) if place.text is None else pair(a, b, reading.missing_tokens)
        except ValueError as error:
            raise error_at_document(error, number, beside.get("ids")) from None
        if document and document.id is None:
            document.id = document_id(beside.get("ids"))
        yield None if skipped else document
    predictions.check_end()


_MISSING = object()


def _pair_without_text(gold: Record, pred: Record) -> Document | None:
    """Return the document of two sides without a text, or None without gold annotation."""
    if not gold.annotated:
        return None
    kept = [span for span in pred.spans if not meets_any(span, gold.gaps)]
    document = Document(gold.spans, kept, tokens=gold.tokens)
    document.ignored = len(pred.spans) - len(kept)
    document.repaired = gold.repaired + pred.repaired
    document.duplicates = gold.duplicates + pred.duplicates
    document.span_scores = {span: score for span, score in pred.span_scores.items() if span in {*kept}}
    if gold.attributes or pred.attributes:
        document.attributes = gold.attributes, keep_attributes(pred.attributes, kept)
    document.notes = side_notes(gold.notes, pred.notes)
    return document


def _records_of_document(
    sides: Sequence[Side], row: Sequence[Any], beside: Mapping[str, Any]
) -> tuple[list[Record], Place]:
    """Return the record of each side, and the text and tokens. An item without a text has that of the others.

    Args:
        sides: The sides.
        row: The item of each.
        beside: The text and the tokens that are given in addition to the items.

    Raises:
        ValueError: An item cannot be read, or tokens are given for items that have their own.
    """
    with_texts = [record_of_item(item, s.name, s.reading) if has_text(item) else None for s, item in zip(sides, row)]
    records = [record and check_has_text(record, s.name) for s, record in zip(sides, with_texts)]
    first, tokens = next((record for record in records if record), None), beside.get("tokens")
    if first is None or first.tokens is None:
        place = place_of(first.text if first else beside.get("text"), tokens)
    elif tokens is not None:
        raise ValueError("tokens= is given, but the document has its own: leave it out")
    else:
        place = Place(first.text, first.tokens)
    return [
        record or plain_record(item, s.name, place, s.reading) for s, item, record in zip(sides, row, records)
    ], place


def all_tagged(sides: Sequence[Side], reading: Reading) -> list[list[TagSequence | None] | None]:
    """Return the tag sequences of each side, read together; None for one that has no tags."""
    tagged = [side for side in sides if side.kind == "tags"]
    sequences = dict(zip(tagged, _tag_sequences(tagged, reading)))
    return [sequences.get(side) for side in sides]


def _tag_sequences(
    sides: Sequence[Side], reading: Reading, *, remedy: str | None = None
) -> list[list[TagSequence | None]]:
    """Return the tag sequences of sides of tags, None for a document without annotation.

    Args:
        sides: The sides, which are read together.
        reading: How tags are read.
        remedy: The remedy if the sides have different numbers of documents; None if they may differ.
    """
    items = [[*side.items()] for side in sides]
    if remedy is not None:
        _check_lengths({side.name: len(listed) for side, listed in zip(sides, items)}, remedy)
    sequences: list[list[TagSequence | None]] = []
    for side, tags in zip(sides, tags_of([(side.name, listed, side.tag_names) for side, listed in zip(sides, items)])):
        read = read_tag_lists(tags, side.name, reading)
        sequences.append([None if item is None else sequence for item, sequence in zip(tags, read)])
    return sequences


def listed_items(value: Any, name: str) -> Iterator[Any]:
    """Return the items of the argument called `name`. Raise ValueError if it is a text or cannot be iterated."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{name}= is {shorten(repr(value))}; expected a list with one item per document")
    return iter(value)


def _check_lengths(lengths: Mapping[str, int], remedy: str = "") -> None:
    """Raise ValueError, with a remedy, if the names of some lists do not have the same number of documents."""
    if len({*lengths.values()}) > 1:
        numbers = " and ".join(f"{name} has {many(n, 'document')}" for name, n in lengths.items())
        raise ValueError(f"{numbers}; expected the same number{remedy}")


# Sides of several annotators, or gold annotation alone


class SideRecord(NamedTuple):
    """One side of a document: its gold annotation, its predictions, or the spans of an annotator.

    Attributes:
        record: The record.
        unit: The key of the document's unit of resampling; None for its id or text.
        rule: The rule that made the key.
        base: The document without spans, if the text is not known; None if the record has the text.
    """

    record: Record
    unit: str | None = None
    rule: str = "id"
    base: Document | None = None


SideRecords = dict[str, list[SideRecord]]
"""The records of each side, by its name, in the order of the documents."""

UNEVEN = ", with None for documents that an annotator has not annotated"
"""The remedy for sides that do not have the same number of documents."""


def records_of_sides(sides: Mapping[str, Side], text: Any, tokens: Any, reading: Reading) -> SideRecords:
    """Return the records of each side, such as those of each annotator; all sides have the same documents.

    Args:
        sides: The items of each side, by its name.
        text: The text of each document; None if they are not known, or the items have them.
        tokens: The tokens of each document; None if not known.
        reading: How the items are read.

    Raises:
        ValueError: Items cannot be read, or do not fit together; names the side and the document.
    """
    for side in sides.values():
        side.check_single("the items of one annotator")
    check_arguments(sides.values(), reading)
    if all(side.about.holds_text for side in sides.values()):
        if text is not None:
            raise ValueError(f"{spell_argument('text')} is given, but the items have their own: leave it out")
        plain = {name: [check_has_text(one, name) for one in records_of(side)] for name, side in sides.items()}
        if tokens is not None:
            plain = _add_tokens(plain, [*listed_items(tokens, "tokens")])
        records = {name: [SideRecord(record, *record.unit) for record in side] for name, side in plain.items()}
    elif text is tokens is None and {side.kind for side in sides.values()} <= {"tags", "empty"}:
        records = _tag_records(sides, reading)
    else:
        records = _ordered_records(sides, text, tokens, reading)
    for side in sides.values():
        side.check_key(reading.spans_key)
    return records


def _add_tokens(records: Mapping[str, Sequence[Record]], tokens: Sequence[Any]) -> dict[str, list[Record]]:
    """Return records with the tokens of their texts. Raise ValueError if they have their own, or do not fit."""
    _check_lengths({**{name: len(side) for name, side in records.items()}, "tokens": len(tokens)}, UNEVEN)
    result: dict[str, list[Record]] = {name: [] for name in records}
    for name, side in records.items():
        for number, (record, words) in enumerate(zip(side, tokens)):
            if record.tokens is not None:
                raise ValueError(
                    f"{spell_argument('tokens')} is given, but the documents of {name} have their own: leave it out"
                )
            try:
                offsets = place_of(record.text, words).offsets
            except ValueError as error:
                raise ValueError(f"document {number} of {name}: {error}") from None
            result[name].append(record._replace(tokens=None if offsets is None else [*offsets]))
    return result


def _tag_records(sides: Mapping[str, Side], reading: Reading) -> SideRecords:
    """Return the records of tag sequences, with tokens as units."""
    records: SideRecords = {name: [] for name in sides}
    for number, sequences in enumerate(zip(*_tag_sequences([*sides.values()], reading, remedy=UNEVEN))):
        annotated = {name: tags for name, tags in zip(sides, sequences) if tags is not None}
        if len({tags.length for tags in annotated.values()}) > 1:
            has = " and ".join(f"{name} has {many(tags.length, 'tag')}" for name, tags in annotated.items())
            raise ValueError(f"document {number}: {has}; expected one tag per token from everyone")
        length = next((tags.length for tags in annotated.values()), 0)
        for name in sides:
            record = _tag_record(annotated.get(name))
            records[name].append(SideRecord(record, str(number), base=TokenDocument([], [], length)))
    return records


def _tag_record(tagged: TagSequence | None) -> Record:
    if tagged is None:
        return Record("", set(), annotated=False)
    gaps = tuple((token, token + 1) for token in tagged.gaps)
    return Record("", {*tagged.spans}, gaps=gaps, repaired=tagged.repaired, notes=tagged.notes)


def _ordered_records(sides: Mapping[str, Side], text: Any, tokens: Any, reading: Reading) -> SideRecords:
    """Return the records of items of which some have no texts: they belong together by their order."""
    tagged = all_tagged([*sides.values()], reading)
    items = {name: tags or [*side.items()] for (name, side), tags in zip(sides.items(), tagged)}
    extra = {
        name: [*listed_items(value, name)] for name, value in (("text", text), ("tokens", tokens)) if value is not None
    }
    _check_lengths({name: len(values) for name, values in (*items.items(), *extra.items())}, UNEVEN)
    records: SideRecords = {name: [] for name in sides}
    for number, row in enumerate(zip(*items.values())):
        beside = {name: values[number] for name, values in extra.items()}
        try:
            of_document, place = _records_of_document([*sides.values()], row, beside)
        except ValueError as error:
            raise ValueError(f"document {number}: {error}") from None
        base = Document([], [], tokens=place.offsets) if place.text is None else None
        for name, record in zip(sides, of_document):
            records[name].append(SideRecord(record, None if base is None else str(number), base=base))
    return records


@with_usual_arguments("nlp", "vocab", "lang", "language")
def load(
    path: str | Path,
    *,
    format: str | None = None,
    spans_key: str | None = None,
    column: str | int | None = None,
    keys: Any = None,
    repair: str | None = None,
    discontinuous: str | None = None,
    offsets: str | None = None,
    check_text: bool = True,
    annotator: str | None = None,
    tag_names: str | None = None,
    match: str | None = None,
    occurrences: str | None = None,
    match_text: str = SAME,
    unit: str | None = None,
    word_column: str | int | None = None,
    link_column: str | int | None = None,
    scheme: str | None = None,
    outside: str | None = None,
    end: str | None = None,
) -> list[Record]:
    """Return the documents of an annotation file, as `score` and `compare` take them.

    They take its path too. Use `load` to say how the file is read.

    Args:
        path: A file or folder of any input format.
        format: The name of the format; by default inferred from the extension.
        spans_key: Read `doc.spans[spans_key]` of a `.spacy` file instead of `doc.ents`.
        column, keys, repair, discontinuous, offsets, check_text, annotator, tag_names, match, occurrences, match_text,
        unit, word_column, link_column:
            As the options of these names in the commands. `unit` counts for gold annotation.
        scheme, outside, end: As the options of these names, too.

    Returns:
        A record per document, in the order of the file; its `spans` are a sorted list, in characters.

    Raises:
        ValueError: The file cannot be read, or an option is unknown; names the line or document.
        OSError: There is no such file.

    >>> from spacy_nereval import load, score
    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"text": "Ada sleeps", "spans": [{"start": 0, "end": 3, "label": "PER"}]}')
    >>> score(load(path), load(path), ["strict"]).strict.f
    1.0
    """
    settings = {name: value for name, value in locals().items() if name != "path"}
    if str(path).isidentifier() and not Path(path).exists() and (line := python_call(str(path))):
        raise ValueError(f"load reads a file of annotation, and there is none named {path}: write {line}")
    return read_file(Path(path), reading_of_load(**settings))


def reading_of_load(**settings: Any) -> Reading:
    """Return how a file is read, from the arguments of `load`. Raise TypeError if there is no such argument."""
    given = {name: value for name, value in settings.items() if value is not None or getattr(Reading, name, "") is None}
    return Reading(**given)
