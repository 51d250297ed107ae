"""seqeval's functions: the same signatures and the same numbers.

    from spacy_nereval.compat.seqeval import classification_report, f1_score

Tags are read as seqeval reads them, which differs from `score`: `mode="strict"` looks at pairs of neighbouring
tags, and without a scheme it changes only the report. Three things differ from seqeval: a text that is not a tag is an
error, where seqeval takes it for a label; averages over no labels are numbers; and without strict mode a sentence may
be a tuple or an array.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, product
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ..core.messages import many, quote, shorten

Tags = Iterable[Sequence[str]]
"""A sequence of tags per sentence."""

ZeroDivision = Literal["warn", 0, 1]
Floats = NDArray[np.float64]

Tag = tuple[str, str]
"""A prefix and a label."""

LETTERS = "IOBESUL"
OUTSIDE = ("O", "_")
"""How seqeval reads the tag O, and a prefix without a label."""

SCHEMES = {
    "IOB1": ("OI? II! BI? IB= BB=", "BI= II=", "II! IO? IB? BO? BI! BB="),
    "IOE1": ("OI? II! EI? EE=", "II= IE=", "II! IO? IE! EI= EE="),
    "IOB2": ("*B?", "BI= II=", "IO? II! IB? BO? BI! BB?"),
    "IOE2": ("OI? OE? EI? EE? II! IE!", "IE= II=", "E*?"),
    "IOBES": ("*B? *S?", "BI= BE= II= IE=", "S*? E*?"),
    "BILOU": ("*B? *U?", "BI= BL= II= IL=", "U*? L*?"),
}
"""seqeval's schemes: the pairs of neighbouring prefixes at which a span starts, continues and has ended. The labels of
the pair are equal (=), different (!) or any (?). The name of a scheme lists its prefixes."""

DETECTED = {
    "IOB2": "IOB IB BO B",
    "IOE2": "IOE IE EO E",
    "IOBES": "IOBES IBES IOBE OBES IBE BES OBE BE S",
    "BILOU": "IOBLU IBLU IOBL OBLU IBL BLU OBL BL U",
}
"""The sets of prefixes in gold from which seqeval's report infers the scheme."""

AVERAGES = ("micro", "macro", "weighted")


class _Scores(NamedTuple):
    """Precision, recall, F1 and support: a number each, or one per label."""

    p: Any
    r: Any
    f: Any
    support: Any


class _Numbers(NamedTuple):
    """Per label: spans found, predicted spans, gold spans. int64[labels]."""

    labels: list[str]
    tp: NDArray[np.int64]
    pred: NDArray[np.int64]
    true: NDArray[np.int64]

    def scores(self, average: str | None, zero_division: ZeroDivision, warned: str = "pr") -> _Scores:
        """Return the scores, averaged as in seqeval and scikit-learn; an undefined score is `zero_division`.

        Args:
            average, zero_division: As for `f1_score`.
            warned: The scores that warn on 0/0: "p", "r", or "f", which has it where both others have.
        """
        if average not in (None, *AVERAGES):
            raise ValueError(f"average={average!r}: expected None or one of {', '.join(AVERAGES)}")
        if zero_division not in ("warn", 0, 1):
            raise ValueError(f"zero_division={zero_division!r}: expected 'warn', 0 or 1")
        tp, pred, true = self.tp, self.pred, self.true
        if average == "micro":
            tp, pred, true = (np.array([column.sum()]) for column in (tp, pred, true))
        instead = 0.0 if zero_division in ("warn", 0) else 1.0
        undefined = {"p": pred == 0, "r": true == 0, "f": (pred == 0) & (true == 0)}
        if zero_division == "warn" and any(undefined[score].any() for score in warned):
            warnings.warn(
                "scores without any gold or predicted span are set to 0; see zero_division", _warning(), stacklevel=3
            )
        p, r = _divide(tp, pred, instead), _divide(tp, true, instead)
        both = p + r
        both[both == 0] = 1
        f = 2 * p * r / both
        if average is None:
            return _Scores(p, r, f, true)
        support = int(true.sum())
        if average == "weighted" and not support:
            nothing = instead if not pred.sum() else 0.0
            return _Scores(nothing, instead, nothing, 0)
        if not self.labels and average == "macro":
            return _Scores(instead, instead, instead, 0)
        weights = true if average == "weighted" else None
        means = [float(np.average(values, weights=weights)) for values in (p, r, f)]
        return _Scores._make([*means, support])


def classification_report(
    y_true: Tags,
    y_pred: Tags,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: None = None,
    zero_division: ZeroDivision = "warn",
    scheme: Any = None,
) -> str | dict[str, dict[str, Any]]:
    """Return precision, recall, F1 and support of each label, and three averages.

    Args:
        y_true: The gold tags of each sentence.
        y_pred: The predicted tags.
        digits: Decimal places of the text.
        suffix: Whether the prefix comes last: PER-B.
        output_dict: Whether to return a dict instead of text.
        mode: "strict" drops spans that the scheme does not allow; None reads them as conlleval does. As in
            seqeval, this function infers a missing scheme from gold, and the other functions ignore the mode then.
        sample_weight: Not used, as in seqeval.
        zero_division: The value of an undefined score; "warn" is 0 with a warning.
        scheme: The scheme of mode "strict": seqeval's class, or its name, one of `SCHEMES`.

    Returns:
        A table as text; or with `output_dict` a dict for each label and average, with "precision", "recall" and
        "f1-score" from 0 to 1, and "support", the number of gold spans.

    Raises:
        ValueError: A tag or an argument is unknown, or the sides do not fit together.
        TypeError: In strict mode, a sentence is not a list.

    >>> print(classification_report([["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]]))
                  precision    recall  f1-score   support
    <BLANKLINE>
             PER       0.00      0.00      0.00         1
    <BLANKLINE>
       micro avg       0.00      0.00      0.00         1
       macro avg       0.00      0.00      0.00         1
    weighted avg       0.00      0.00      0.00         1
    <BLANKLINE>
    """
    numbers = _numbers(y_true, y_pred, suffix, mode, scheme, detect=True)
    rows: dict[str, _Scores] = {}
    if numbers.labels:
        scores = numbers.scores(None, zero_division)
        per_label = zip(scores.p.tolist(), scores.r.tolist(), scores.f.tolist(), scores.support.tolist())
        rows = dict(zip(numbers.labels, map(_Scores._make, per_label)))
    averages = {f"{name} avg": numbers.scores(name, zero_division) for name in AVERAGES}
    if output_dict:
        names = ("precision", "recall", "f1-score", "support")
        return {name: dict(zip(names, row)) for name, row in {**rows, **averages}.items()}
    width = max(*map(len, [*rows, *averages]), digits)
    lines = [f"{'':>{width}} " + "".join(f" {name:>9}" for name in ("precision", "recall", "f1-score", "support")), ""]
    for block in (rows, averages):
        lines += [
            f"{name:>{width}} " + "".join(f" {x:>9.{digits}f}" for x in row[:3]) + f" {row.support:>9}"
            for name, row in block.items()
        ]
        lines.append("")
    return "\n".join(lines)


def precision_score(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: None = None,
    zero_division: ZeroDivision = "warn",
    scheme: Any = None,
) -> Any:
    """Return the precision: a float, or with average=None float64[labels]. See `classification_report`.

    >>> precision_score([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    0.5
    """
    return _numbers(y_true, y_pred, suffix, mode, scheme).scores(average, zero_division, "p").p


def recall_score(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: None = None,
    zero_division: ZeroDivision = "warn",
    scheme: Any = None,
) -> Any:
    """Return the recall: a float, or with average=None float64[labels]. See `classification_report`.

    >>> recall_score([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    1.0
    """
    return _numbers(y_true, y_pred, suffix, mode, scheme).scores(average, zero_division, "r").r


def f1_score(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: None = None,
    zero_division: ZeroDivision = "warn",
    scheme: Any = None,
) -> Any:
    """Return F1: a float, or with average=None float64[labels]. See `classification_report`.

    >>> f1_score([["B-PER", "O"]], [["B-PER", "O"]])
    1.0
    """
    return _numbers(y_true, y_pred, suffix, mode, scheme).scores(average, zero_division, "f").f


@overload
def accuracy_score(y_true: Sequence[str], y_pred: Sequence[str]) -> float: ...
@overload
def accuracy_score(y_true: Sequence[Sequence[str]], y_pred: Sequence[Sequence[str]]) -> float: ...
def accuracy_score(y_true: Sequence[Any], y_pred: Sequence[Any]) -> float:
    """Return the share of tokens with the right tag, O included.

    Args:
        y_true, y_pred: A list of tags for each sentence, or the tags of one sentence.

    Returns:
        From 0 to 1.

    Raises:
        ValueError: There is no tag, or the sides have different numbers of tags.

    >>> accuracy_score([["B-PER", "I-PER", "O", "O"]], [["B-PER", "O", "O", "O"]])
    0.75
    """
    gold, pred = _check_aligned(
        *([[tags] if isinstance(tags, str) else [*tags] for tags in side] for side in (y_true, y_pred))
    )
    matches: list[bool] = [x == y for a, b in zip(gold, pred) for x, y in zip(a, b)]
    if not matches:
        raise ValueError("there are no tags; expected at least one")
    return sum(matches) / len(matches)


def _warning() -> type[Warning]:
    """Return the category of the warning: scikit-learn's if it is imported, since no filter can name it before."""
    category: type[Warning] = getattr(sys.modules.get("sklearn.exceptions"), "UndefinedMetricWarning", UserWarning)
    return category


def _divide(tp: NDArray[np.int64], by: NDArray[np.int64], instead: float) -> Floats:
    quotients: Floats = np.where(by == 0, instead, tp / np.where(by == 0, 1, by))
    return quotients


def _numbers(y_true: Tags, y_pred: Tags, suffix: bool, mode: str | None, scheme: Any, detect: bool = False) -> _Numbers:
    """Return the numbers of spans of each label.

    Args:
        y_true, y_pred, suffix, mode, scheme: As for `classification_report`.
        detect: Whether strict mode infers the scheme if there is none. Otherwise the mode is ignored then.
    """
    if mode not in (None, "strict"):
        raise ValueError(f"mode={mode!r}: expected None or 'strict'")
    name = getattr(scheme, "__name__", scheme)
    if name is not None and name not in SCHEMES:
        raise ValueError(f"scheme={name!r}: expected one of {', '.join(SCHEMES)}")
    strict = mode == "strict" and (name is not None or detect)
    sides: dict[str, Iterable[Sequence[str]]] = {"y_true": y_true, "y_pred": y_pred}
    if mode == "strict":
        sides = {side: _check_lists(side, tags) for side, tags in sides.items()}
    read = {side: _parse_tags(side, tags, suffix, strict) for side, tags in sides.items()}
    _check_aligned(read["y_true"], read["y_pred"])
    if strict:
        name = name or _detect_scheme(read["y_true"])
        gold, pred = ({*_strict_spans(side, tags, name)} for side, tags in read.items())
    else:
        gold, pred = ({*_spans(tags)} for tags in read.values())
    labels = sorted({label for label, _, _ in gold | pred})
    numbers = (Counter(label for label, _, _ in spans) for spans in (gold & pred, pred, gold))
    return _Numbers(labels, *(np.array([counter[label] for label in labels], dtype=np.int64) for counter in numbers))


def _check_lists(side: str, sentences: Tags) -> list[list[str]]:
    """Return the sentences. Raise TypeError, as seqeval's strict mode does, if one of them is not a list."""
    checked: list[list[str]] = []
    for number, tags in enumerate(sentences):
        if type(tags) is not list:
            raise TypeError(
                f"{side}, sentence {number} is a {type(tags).__name__}; in strict mode expected a list of tags, as "
                "seqeval does: write [list(tags) for tags in sentences]"
            )
        checked.append(tags)
    return checked


def _check_aligned(gold: list[Any], pred: list[Any]) -> tuple[list[Any], list[Any]]:
    """Check that both sides have the same number of sentences, and of tags in each, and return the sides."""
    for number, (a, b) in enumerate(zip(gold, pred)):
        if len(a) != len(b):
            raise ValueError(f"sentence {number}: y_true has {many(len(a), 'tag')} and y_pred has {len(b)}")
    if len(gold) != len(pred):
        raise ValueError(
            f"y_true has {many(len(gold), 'sentence')} and y_pred has {len(pred)}; expected the same number"
        )
    return gold, pred


def _parse_tags(side: str, sentences: Tags, suffix: bool, strict: bool) -> list[list[Tag]]:
    """Return the prefix and the label of each tag."""
    parsed: dict[Any, Tag] = {}
    result: list[list[Tag]] = []
    for number, tags in enumerate(sentences):
        if isinstance(tags, str):
            raise ValueError(f"{side}, sentence {number} is {quote(tags)}; expected a list of tags for each sentence")
        result.append([])
        for place, tag in enumerate(tags):
            where = f"{side}, sentence {number}: tag {place}"
            if not isinstance(tag, str):
                raise ValueError(f"{where} is {shorten(repr(tag))}; expected a tag such as 'B-PER' or 'O'")
            if tag not in parsed:
                parsed[tag] = _tag(tag, suffix, strict, where)
            result[-1].append(parsed[tag])
    return result


def _tag(tag: str, suffix: bool, strict: bool, where: str) -> Tag:
    """Return the prefix and the label of a tag, as seqeval's two modes split it."""
    letter, rest = (tag[-1:], tag[:-1]) if suffix else (tag[:1], tag[1:])
    dashed = rest.endswith("-") if suffix else rest.startswith("-")
    if not letter or letter not in LETTERS or (rest and (letter == "O" or not dashed)):
        form = "a label with -B, -I, -E, -S, -L or -U" if suffix else "B-, I-, E-, S-, L- or U- with a label"
        raise ValueError(f"{where} is {quote(tag)}, which is not a tag; expected O, or {form}")
    label = rest.strip("-") if strict else rest[:-1] if suffix else rest[1:]
    return letter, label or "_"


def _spans(sentences: Iterable[list[Tag]]) -> Iterator[tuple[str, int, int]]:
    """Yield (label, first tag, tag after the last) as seqeval does without a mode, by the rules of conlleval.

    conlleval does not know L and U: they neither start nor end a span, unless the label changes.
    """
    last, last_label, begin = "O", "", 0
    for k, (letter, label) in enumerate(chain(*([*tags, OUTSIDE] for tags in sentences))):
        changes = label != last_label
        if last in "ES" or (last in "BI" and letter in "BSO") or (last != "O" and changes):
            yield last_label, begin, k
        if letter in "BS" or (last in "ESO" and letter in "EI") or (letter != "O" and changes):
            begin = k
        last, last_label = letter, label


def _strict_spans(side: str, sentences: Iterable[list[Tag]], scheme: str) -> Iterator[tuple[str, int, int]]:
    """Yield (label, first tag, tag after the last) as seqeval's strict mode does. Sentences share one numbering."""
    starts, goes_on, ends = map(_pairs, SCHEMES[scheme])
    first = 0
    for number, sentence in enumerate(sentences):
        if foreign := [letter for letter, _ in sentence if letter not in scheme]:
            raise ValueError(
                f"{side}, sentence {number}: there is a tag with {foreign[0]}, which {scheme} does not have; "
                f"expected {', '.join(scheme.rstrip('12'))}"
            )
        tags, k, before = [*sentence, OUTSIDE], 0, OUTSIDE
        while k < len(tags):
            end = k + 1
            if _matches(starts, before, tags[k]):
                while _matches(goes_on, tags[end - 1], tags[end]):
                    end += 1
                if _matches(ends, tags[end - 1], tags[end]):
                    yield tags[k][1], first + k, first + end
            k, before = end, tags[end - 1]
        first += len(tags)


def _matches(pairs: frozenset[tuple[str, str, bool]], before: Tag, tag: Tag) -> bool:
    return (before[0], tag[0], before[1] == tag[1]) in pairs


@lru_cache
def _pairs(patterns: str) -> frozenset[tuple[str, str, bool]]:
    """Return (prefix, next prefix, whether labels are equal) of neighbouring tags that match one of the patterns."""
    return frozenset(
        (before, letter, equal)
        for pattern in patterns.split()
        for before, letter in product(*(LETTERS if mark == "*" else mark for mark in pattern[:2]))
        for equal in {"=": (True,), "!": (False,), "?": (True, False)}[pattern[2]]
    )


def _detect_scheme(gold: Iterable[list[Tag]]) -> str:
    """Return the scheme of gold tags. Raise ValueError if seqeval finds none."""
    letters = {letter for tags in gold for letter, _ in tags}
    for scheme, sets in DETECTED.items():
        if letters in map(set, sets.split()):
            return scheme
    raise ValueError(
        f"the tags of y_true have the prefixes {', '.join(sorted(letters)) or 'none'}, which do not show their scheme: "
        f"name it, scheme= one of {', '.join(SCHEMES)}"
    )
