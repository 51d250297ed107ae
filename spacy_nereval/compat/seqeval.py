"""seqeval's functions: the same signatures and the same numbers.

    from spacy_nereval.compat.seqeval import classification_report, f1_score

What differs is said, not guessed: a text that is not a tag is an error here, where seqeval
reads a label into it. The schemes IOE1 and IOE2 are not known.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ..api.scoring import score

Tags = Iterable[Sequence[str]]
"""A sequence of tags per sentence."""

ZeroDivision = Literal["warn", 0, 1]
Floats = NDArray[np.float64]

SCHEMES = {"IOB1": "IOB1", "IOB2": "IOB2", "IOBES": "BIOES", "BILOU": "BILUO"}
"""seqeval's names of schemes, and ours."""

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

    def scores(self, average: str | None, zero_division: ZeroDivision) -> _Scores:
        """Return the scores as seqeval and scikit-learn average them: what is undefined counts as `zero_division`."""
        if average not in (None, *AVERAGES):
            raise ValueError(f"average={average!r}: expected None or one of {', '.join(AVERAGES)}")
        if zero_division not in ("warn", 0, 1):
            raise ValueError(f"zero_division={zero_division!r}: expected 'warn', 0 or 1")
        tp, pred, true = self.tp, self.pred, self.true
        if average == "micro":
            tp, pred, true = (np.array([column.sum()]) for column in (tp, pred, true))
        instead = 0.0 if zero_division in ("warn", 0) else 1.0
        if zero_division == "warn" and not (pred.all() and true.all()):
            warnings.warn("scores without any gold or predicted span are set to 0; see zero_division", stacklevel=3)
        p, r = _divided(tp, pred, instead), _divided(tp, true, instead)
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
        means = [float(np.average(each, weights=weights)) for each in (p, r, f)]
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
        mode: "strict" leaves out spans that the scheme does not allow; None reads them as conlleval does.
        sample_weight: Not used, as in seqeval.
        zero_division: The value of an undefined score; "warn" is 0 with a warning.
        scheme: The scheme of mode "strict": seqeval's class, or its name.

    Returns:
        A table as text; or with `output_dict` a dict for each label and average, with "precision", "recall" and
        "f1-score" from 0 to 1, and "support", the number of gold spans.

    Raises:
        ValueError: A tag or an argument is unknown, or the sides do not fit together.

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
    numbers = _numbers(y_true, y_pred, suffix, mode, scheme)
    rows: dict[str, _Scores] = {}
    if numbers.labels:
        each = numbers.scores(None, zero_division)
        per_label = zip(each.p.tolist(), each.r.tolist(), each.f.tolist(), each.support.tolist())
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
    return _numbers(y_true, y_pred, suffix, mode, scheme).scores(average, zero_division).p


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
    return _numbers(y_true, y_pred, suffix, mode, scheme).scores(average, zero_division).r


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
    return _numbers(y_true, y_pred, suffix, mode, scheme).scores(average, zero_division).f


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
    gold, pred = ([[tags] if isinstance(tags, str) else [*tags] for tags in side] for side in (y_true, y_pred))
    for number, (a, b) in enumerate(zip(gold, pred)):
        if len(a) != len(b):
            raise ValueError(f"sentence {number}: y_true has {len(a)} tags and y_pred has {len(b)}")
    if len(gold) != len(pred):
        raise ValueError(f"y_true has {len(gold)} sentences and y_pred has {len(pred)}; expected the same number")
    found: list[bool] = [x == y for a, b in zip(gold, pred) for x, y in zip(a, b)]
    if not found:
        raise ValueError("there are no tags; expected at least one")
    return sum(found) / len(found)


def _divided(tp: NDArray[np.int64], by: NDArray[np.int64], instead: float) -> Floats:
    found: Floats = np.where(by == 0, instead, tp / np.where(by == 0, 1, by))
    return found


def _numbers(y_true: Tags, y_pred: Tags, suffix: bool, mode: str | None, scheme: Any) -> _Numbers:
    """Return the numbers of spans of each label. Strict mode reads both sides by one scheme, that of gold."""
    if mode not in (None, "strict"):
        raise ValueError(f"mode={mode!r}: expected None or 'strict'")
    name = getattr(scheme, "__name__", scheme)
    if name is not None and name not in SCHEMES:
        raise ValueError(f"scheme={name!r}: expected one of {', '.join(SCHEMES)}")
    gold, pred = ([[_tag(tag, suffix) for tag in tags] for tags in side] for side in (y_true, y_pred))
    chosen = "auto" if mode is None else SCHEMES[name] if name else _scheme_of(gold)
    found = score(gold, pred, ["strict"], scheme=chosen, repair="conll" if mode is None else "discard")
    per_type = found["metrics"]["strict"]["per_type"]
    counts = [row["counts"] for row in per_type.values()]
    tp, fp, fn = (np.array([row[key] for row in counts], dtype=np.int64) for key in ("tp", "fp", "fn"))
    return _Numbers(list(per_type), tp, tp + fp, tp + fn)


def _scheme_of(gold: Iterable[Sequence[str]]) -> str:
    """Return the scheme of gold tags, as seqeval's strict mode infers it."""
    prefixes = {tag[0] for tags in gold for tag in tags}
    return "BILUO" if prefixes & {*"LUES"} else "IOB2"


def _tag(tag: Any, suffix: bool) -> Any:
    """Return a tag with its prefix first; a prefix alone gets the label _."""
    if not isinstance(tag, str) or tag == "O":
        return tag
    if len(tag) == 1:
        return f"{tag}-_"
    label, dash, prefix = tag.rpartition("-")
    return f"{prefix}-{label}" if suffix and dash else tag
