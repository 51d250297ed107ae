"""Label rules: which labels count, and under which names.

Rules rename or drop labels, truncate them to a depth, and keep only some. They apply to both sides of a
document. Spans that become equal are then merged.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from . import compression
from .arguments import SEP, SEPARATOR, Labelling, check_value
from .attribute_values import (
    JOINT,
    LABEL,
    NONE,
    NOTHING,
    PLUS,
    Attributes,
    SpanAttributes,
    attributes_by_span,
    move_attributes,
    split_names,
)
from .edges import EditedSpans
from .expansion import TooLarge
from .messages import (
    LISTED,
    Pasted,
    PlainSpan,
    did_you_mean,
    first_repeated,
    highest_scores,
    join_names,
    quote,
    shorten,
    spell_argument,
)

NO_LABEL = "(no label)"
"""The label of spans that spaCy gives none, such as those of `span_finder`."""


@dataclass(frozen=True)
class LabelRules:
    """Rules that change labels: map them, then truncate them to a depth, then keep or drop them.

    Args:
        labels: Labels with their new names, None to drop them. A new name is not looked up again.
        only: The labels to keep; None keeps all.
        depth: The number of levels to keep; None keeps all.
        sep: The separator of the levels of a label.
        trim: The characters to remove then from the edges of spans, one of `arguments.TRIMS`; "" for nothing.
        join: Whether spans of one label with white space alone between them are joined then.
        label_from: The source of the label, before all this: the names of attributes, or "label".

    >>> rules = LabelRules(labels=(("PER", "PERSON"), ("MISC", None)), depth=1)
    >>> [rules.new_name(label) for label in ("PER", "MISC", "LOC/CITY")]
    ['PERSON', None, 'LOC']
    """

    labels: tuple[tuple[str, str | None], ...] = ()
    only: tuple[str, ...] | None = None
    depth: int | None = None
    sep: str = SEPARATOR
    trim: str = ""
    join: bool = False
    label_from: tuple[str, ...] = ()

    @cached_property
    def mapping(self) -> dict[str, str | None]:
        """The labels with their new names."""
        return dict(self.labels)

    @cached_property
    def _names(self) -> dict[str, str | None]:
        return {}

    def new_name(self, label: str) -> str | None:
        """Return the new name of a label, None if its spans are dropped."""
        try:
            return self._names[label]
        except KeyError:
            name = self._names[label] = self._find_name(label)
            return name

    def _find_name(self, label: str) -> str | None:
        name = self._name_before_only(label)
        return name if self.only is None or name in self.only else None

    def _name_before_only(self, label: str) -> str | None:
        name = self.mapping.get(label, label)
        if name is not None and self.depth is not None:
            levels = ancestors(name, self.sep)
            name = levels[min(self.depth, len(levels)) - 1]
        return name

    def count_unkept(self, gold: Iterable[str], pred: Iterable[str]) -> Counter[tuple[str, str]]:
        """Count the spans that are dropped because `only` does not name their label, by (side, new name).

        Args:
            gold, pred: The label of each span.

        >>> LabelRules(only=("PER",)).count_unkept(["PER"], ["PER", "PERSON", "PERSON"])
        Counter({('pred', 'PERSON'): 2})
        """
        result: Counter[tuple[str, str]] = Counter()
        for side, labels in (("gold", gold), ("pred", pred)) if self.only is not None else ():
            for label, number in Counter(labels).items():
                if self.new_name(label) is None and (name := self._name_before_only(label)) is not None:
                    result[side, name] += number
        return result

    def apply(
        self,
        spans: Iterable[PlainSpan],
        text: str | None,
        scores: Mapping[PlainSpan, Any] | None = None,
        attributes: SpanAttributes | None = None,
    ) -> RelabelledSpans:
        """Return the spans of a side after all rules. No other code applies them to spans.

        Args:
            spans: The spans of the side, each once.
            text: The text; needed if edges are changed.
            scores, attributes: Of the spans that have some.
        """
        return RelabelledSpans(self, spans, text, scores or {}, attributes or {})

    def named_from(self, label: str, attributes: Attributes) -> str:
        """Return the label of a span, given its own label and its attributes, before other rules.

        >>> LabelRules(label_from=("label", "negated")).named_from("PROBLEM", (("negated", "true"),))
        'PROBLEM|true'
        """
        values = {LABEL: label, **dict(attributes)}
        return JOINT.join(values.get(name, NONE) for name in self.label_from)

    def parts(self) -> list[str]:
        """Return the parts of a signature that name the rules.

        >>> LabelRules(labels=(("PER", "PERSON"),), only=("PERSON", "LOC"), depth=2).parts()
        ['labels:cc7fbd16', 'only:LOC,PERSON', 'depth:2']
        """
        result = []
        if self.label_from:
            result.append(f"from:{_quote_if_ambiguous(PLUS.join(self.label_from))}")
        if self.labels:
            text = json.dumps(self.mapping, sort_keys=True)
            result.append(f"labels:{sha256(text.encode()).hexdigest()[:8]}")
        if self.only is not None:
            result.append(f"only:{','.join(map(_quote_if_ambiguous, sorted(self.only)))}")
        if self.depth is not None:
            result.append(f"depth:{self.depth}")
            result += [f"sep:{_quote_if_ambiguous(self.sep)}"] if self.sep != SEPARATOR else []
        result += [f"trim:{self.trim}"] if self.trim else []
        return result + ["join"] * self.join

    def check_labels_occur(self, labels: Collection[str]) -> None:
        """Check that at least one label of `only` occurs.

        Args:
            labels: The labels that occur, with their new names.

        Raises:
            ValueError: None occurs, so no span is left.
        """
        if self.only and not any(label in labels for label in self.only):
            missing = join_names([quote(label) for label in self.only])
            raise ValueError(
                f"{spell_argument('only', ','.join(self.only))}: there is no label {missing} in gold or prediction, "
                "so no span is left; expected a label that occurs, under its new name"
                f"{did_you_mean(self.only[0], labels)}"
            )

    def usage_warnings(self, mapped: Collection[str], labels: Collection[str]) -> list[str]:
        """Return warnings about labels of the mapping, and of `only`, that do not occur.

        Args:
            mapped: The labels of the mapping that occur.
            labels: The labels that occur, with their new names.
        """
        warnings = []
        if missing := [label for label in self.mapping if label not in mapped]:
            warnings.append(f"⚠ labels: {join_names(missing)} to map, but neither side has such a label")
        hints = {label: did_you_mean(label, labels) for label in self.only or () if label not in labels}
        unknown = [label for label, hint in hints.items() if not hint]
        lines = [(join_names(unknown), "")] if unknown else []
        lines += [(label, hint) for label, hint in hints.items() if hint]
        return warnings + [f"⚠ only: {name} to keep, but neither side has such a label{hint}" for name, hint in lines]


class RelabelledSpans:
    """The spans of one side after label rules: renamed, dropped, trimmed and joined, each once.

    Args:
        rules: The rules.
        spans, text, scores, attributes: As for `LabelRules.apply`.

    Attributes:
        labels: The label of each span before it was mapped, and after attributes became labels.
        spans: The spans with their new labels and edges.
        scores, attributes: Those of the new spans.
        unnamed: The number of spans that lack an attribute of `label_from`.
        merged: The number of spans that new labels made equal to another.
        repeats: Minus the number of spans that were repeats before attributes became labels, and are none after.

    Raises:
        ValueError: The text is needed, and not known.

    >>> negated = {(0, 3, "SIGN"): frozenset({(("negated", "true"),)})}
    >>> side = LabelRules(label_from=("negated",)).apply([(0, 3, "SIGN"), (4, 7, "SIGN")], None, {}, negated)
    >>> side.spans, side.unnamed
    ([(0, 3, 'true'), (4, 7, 'none')], 1)
    """

    def __init__(
        self,
        rules: LabelRules,
        spans: Iterable[PlainSpan],
        text: str | None,
        scores: Mapping[PlainSpan, Any],
        attributes: SpanAttributes,
    ) -> None:
        self.unnamed: int = 0
        self.repeats: int = 0
        self.merged: int = 0
        listed = [*spans]
        if rules.label_from:
            listed, scores, attributes = self._name_from(rules, listed, scores, attributes)
        self.labels: list[str] = [label for _, _, label in listed]
        places = [(span, (span[0], span[1], name)) for span in listed if (name := rules.new_name(span[2])) is not None]
        distinct = {new for _, new in places}
        self.merged += len(places) - len(distinct)
        edited = EditedSpans([*dict.fromkeys(new for _, new in places)], text, rules.trim, rules.join)
        self.spans: list[PlainSpan] = edited.spans
        self.trimmed: int = edited.trimmed
        self.joined: int = edited.joined
        self.equal: int = edited.equal
        self.scores: Mapping[PlainSpan, Any] = scores
        if scores:
            renamed = highest_scores((new, scores[span]) for span, new in places if span in scores)
            self.scores = edited.map_scores(renamed)
        self.attributes: SpanAttributes = attributes
        if attributes:
            self.attributes = move_attributes(attributes, ((span, edited.whole(new)) for span, new in places))

    def _name_from(
        self, rules: LabelRules, spans: Sequence[PlainSpan], scores: Mapping[PlainSpan, Any], attributes: SpanAttributes
    ) -> tuple[list[PlainSpan], Mapping[PlainSpan, Any], SpanAttributes]:
        """Return spans, scores and attributes with the labels that attributes give. A span with several values of
        one attribute becomes several spans."""
        needed = {*rules.label_from} - {LABEL}
        named: list[tuple[PlainSpan, PlainSpan, Attributes]] = []
        for span in spans:
            for values in sorted(attributes.get(span, NOTHING)):
                new = (span[0], span[1], rules.named_from(span[2], values))
                self.unnamed += not needed <= {name for name, _ in values}
                named.append((span, new, values))
        result = [*dict.fromkeys(new for _, new, _ in named)]
        different = len({(span, new) for span, new, _ in named})
        self.repeats = len(spans) - different
        self.merged = different - len(result)
        return (
            result,
            highest_scores((new, scores[span]) for span, new, _ in named if span in scores),
            attributes_by_span((new, values) for _, new, values in named),
        )


def _quote_if_ambiguous(label: str) -> str:
    return json.dumps(label) if {*label} & {",", "|", '"'} else label


def ancestors(label: str, sep: str = SEPARATOR) -> list[str]:
    """Return the ancestors of a label, the top first, and the label itself.

    Args:
        label: A path of levels.
        sep: The separator of the levels.

    Returns:
        Labels, from one level to all; levels without a name are skipped.

    >>> ancestors("LOC/CITY/CAPITAL")
    ['LOC', 'LOC/CITY', 'LOC/CITY/CAPITAL']
    """
    levels = label.split(sep)
    paths = [sep.join(levels[:k]) for k, level in enumerate(levels, 1) if level]
    return [*paths[:-1], label]


def label_rules(
    labels: Mapping[str, str | None] | str | Path | None = None,
    only: Iterable[str] | str | None = None,
    depth: int | None = None,
    sep: str = SEPARATOR,
    trim: str | None = None,
    join: bool = False,
    label_from: Iterable[str] | str | None = None,
) -> LabelRules | None:
    """Return the label rules that these options describe; None if no option is set.

    Args:
        labels: Labels with their new names, None or an empty text to drop them: a table, a JSON
            file with one, or text such as `PER=PERSON,MISC=`. A list of labels means `only`.
        only: The labels to keep: a list, or text as `split_labels` reads it.
        depth: The number of levels of a label to keep, from 1 up.
        sep: The separator of the levels.
        trim: The characters to remove from the edges of spans, one of `arguments.TRIMS`; None for nothing.
        join: Join spans of one label that have white space alone between them.
        label_from: The source of the label, before all this: the names of attributes, or "label", as a list or as text
            with + between them.

    Raises:
        ValueError: An option cannot be used; the message says why.
        OSError: The JSON file cannot be read.

    >>> label_rules("PER=PERSON,MISC=").mapping
    {'MISC': None, 'PER': 'PERSON'}
    >>> label_rules("A=B,A=C")
    Traceback (most recent call last):
    ValueError: labels='A=B,A=C': 'A' is mapped twice
    """
    if labels is None and only is None and depth is None and trim is None and not join and label_from is None:
        return None
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 1):
        raise ValueError(f"{spell_argument('depth', depth)}: expected a whole number of levels from 1 up")
    check_value("sep", sep, SEP)
    if (listed := _listed_labels(labels)) is not None:
        if only is not None:
            raise ValueError(
                f"{spell_argument('labels', labels)} names labels to keep, and {spell_argument('only', only)} too: "
                "give one of them"
            )
        labels, only = None, listed
    mapping = {} if labels is None else read_mapping(labels)
    kept = None if only is None else _labels_to_keep(only)
    return LabelRules(tuple(sorted(mapping.items())), kept, depth, sep, trim or "", join, split_names(label_from))


def rules_of(labelling: Labelling) -> LabelRules | None:
    """Return the label rules that the arguments describe; None if none is set. See `label_rules` for errors."""
    further = {name: getattr(labelling, name) for name in ("trim", "join") if hasattr(labelling, name)}
    further["label_from"] = labelling.label_from
    return label_rules(labelling.labels, labelling.only, labelling.depth, labelling.sep, **further)


def _listed_labels(labels: object) -> list[Any] | None:
    """Return the labels to keep, if a list replaces the new names; None for a mapping or a file of one.

    >>> _listed_labels(["PER", "LOC"]), _listed_labels("PER,LOC"), _listed_labels("PER=PERSON")
    (['PER', 'LOC'], ['PER', 'LOC'], None)
    """
    if isinstance(labels, str):
        is_list = "=" not in labels and ("," in labels or labels.lstrip().startswith("["))
        return split_labels(labels) if is_list and not labels.lstrip().startswith("{") else None
    is_list = isinstance(labels, (list, tuple, set, frozenset))
    return [*labels] if is_list else None  # type: ignore[misc]  # a list, by the line before


def _labels_to_keep(only: Iterable[str] | str) -> tuple[str, ...]:
    if not isinstance(only, Iterable):
        raise ValueError(f"{spell_argument('only', only)}: this is no list of labels; expected labels such as PER,LOC")
    labels = split_labels(only) if isinstance(only, str) else [*only]
    argument = spell_argument("only", only if isinstance(only, str) else labels)
    if wrong := [label for label in labels if not isinstance(label, str) or not label]:
        raise ValueError(f"{argument}: {shorten(repr(wrong[0]))} is not a label; expected labels such as PER,LOC")
    if not labels:
        raise ValueError(f"{argument}: no label is given; expected labels such as PER,LOC")
    return tuple(sorted({*labels}))


def split_labels(text: str) -> list[str]:
    """Return the labels that a text lists: separated by commas, or as a JSON array if a label has a comma.

    Raises:
        ValueError: It begins like a JSON array, but is not a JSON array of labels.

    >>> split_labels("PER, LOC"), split_labels('["PER", "LOC, other"]')
    (['PER', 'LOC'], ['PER', 'LOC, other'])
    """
    if not text.lstrip().startswith("["):
        return [label.strip() for label in text.split(",")]
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{spell_argument('only', text)}: not valid JSON ({error})") from None
    if wrong := [label for label in values if not isinstance(label, str)]:
        raise ValueError(
            f"{spell_argument('only', text)}: {shorten(repr(wrong[0]))} is not a label; "
            'expected a list such as ["PER", "LOC"]'
        )
    return [*values]


def read_mapping(labels: Mapping[str, str | None] | str | Path) -> dict[str, str | None]:
    """Return the mapping of labels from the value of an option; see `label_rules`.

    Raises:
        ValueError: It is not a mapping of labels, or has a cycle.
        OSError: The JSON file cannot be read.
    """
    argument = spell_argument("labels", labels)
    pairs: Sequence[tuple[Any, Any]]
    if isinstance(labels, Mapping):
        pairs = [*labels.items()]
    elif not isinstance(labels, (str, Path)):
        raise ValueError(f"{argument}: this is no mapping; expected one such as {{'PER': 'PERSON', 'MISC': None}}")
    elif isinstance(labels, Path) or is_file_name(labels):
        argument = spell_argument("labels", Pasted(labels))
        pairs = _json_pairs(partial(compression.read_json, Path(labels)), argument)
    elif labels.lstrip().startswith("{"):
        pairs = _json_pairs(partial(json.loads, labels), argument)
    else:
        pairs = [_pair(part, argument) for part in labels.split(",")]
    for old, new in pairs:
        if not isinstance(old, str) or not old or not isinstance(new, str | None):
            raise ValueError(
                f"{argument}: {shorten(f'{old!r} to {new!r}')} is not a label and its new name; "
                "expected text for both, or null to drop the label"
            )
    names = [old for old, _ in pairs]
    if (repeated := first_repeated(names)) is not None:
        raise ValueError(f"{argument}: {quote(repeated)} is mapped twice")
    mapping = {old: new or None for old, new in pairs}
    _check_no_cycle(mapping, argument)
    return mapping


def is_file_name(text: str) -> bool:
    """Return whether the value of an option names a file of a mapping.

    >>> is_file_name("names.json"), is_file_name("PER=PERSON")
    (True, False)
    """
    return compression.format_extension(Path(text)) == ".json" and "=" not in text and not text.lstrip().startswith("{")


def _pair(part: str, argument: str) -> tuple[str, str]:
    old, equals, new = part.partition("=")
    if not equals or not old.strip():
        raise ValueError(
            f"{argument}: {quote(part)} is not LABEL=NAME; expected pairs such as PER=PERSON,MISC= "
            f"(without a name the label is dropped), or a .json file; {spell_argument('only', Pasted(part))} keeps it"
        )
    return old.strip(), new.strip()


def _json_pairs(read: Callable[..., Any], argument: str) -> Sequence[tuple[Any, Any]]:
    """Return the pairs of a JSON object, in its order, also those with the same key."""
    pairs: list[list[tuple[Any, Any]]] = []

    def collect_pairs(items: list[tuple[Any, Any]]) -> dict[Any, Any]:
        pairs.append(items)  # the outermost object comes last
        return dict(items)

    try:
        table = read(object_pairs_hook=collect_pairs)
    except TooLarge:
        raise
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{argument}: {error.filename} does not exist") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{argument}: not valid JSON ({error})") from None
    if not isinstance(table, dict):
        raise ValueError(f'{argument}: expected a JSON object such as {{"PER": "PERSON", "MISC": null}}')
    return pairs[-1]


def _check_no_cycle(mapping: Mapping[str, str | None], argument: str) -> None:
    """Raise ValueError if the mapping has a cycle of several labels. A label may keep its name."""
    checked: set[str] = set()
    for start in mapping:
        path: dict[str | None, None] = {}
        name: str | None = start
        while name is not None and name in mapping and name not in checked and mapping[name] != name:
            if name in path:
                cycle = [*path][[*path].index(name) :]
                names = [*map(str, cycle[:LISTED]), *(["..."] if len(cycle) > LISTED else []), name]
                raise ValueError(
                    f"{argument}: {' -> '.join(map(shorten, names))} is a cycle; a mapping is applied once, "
                    "so give every label its final name"
                )
            path[name] = None
            name = mapping[name]
        checked.update(filter(None, path))
