"""The functions with the names of other packages: the same numbers as those, on valid and invalid sequences."""

import math
import random
import warnings
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
import seqeval.metrics as theirs
import seqeval.scheme as schemes
from processes import python
from sklearn.exceptions import UndefinedMetricWarning

from spacy_nereval.compat import evaluate
from spacy_nereval.compat import seqeval as ours

pytestmark = [pytest.mark.costly, pytest.mark.filterwarnings("ignore")]  # seqeval imports scikit-learn

LETTERS = {"IOB1": "BI", "IOB2": "BI", "IOE1": "IE", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU"}
NAMES = ("precision_score", "recall_score", "f1_score")


def drawn(rng: random.Random, letters: str, labels: str = "ABC") -> list[list[str]]:
    """Tags at random, most of them invalid sequences."""
    tags = ["O", "O", *(f"{letter}-{label}" for letter in letters for label in labels)]
    return [[rng.choice(tags) for _ in range(length)] for length in (7, 1, 4)]


def corpora(number: int, letters: str) -> list[tuple[list[list[str]], list[list[str]]]]:
    rng = random.Random(0)
    made = [(drawn(rng, letters), drawn(rng, letters)) for _ in range(number)]
    return made + [(side, [[rng.choice([tag, "O"]) for tag in tags] for tags in side]) for side, _ in made]


def outcome(call, *sides: Any, **options: Any) -> Any:
    """What a call returns, as plain Python; or "refused"."""
    try:
        found = call(*sides, **options)
    except (ValueError, KeyError):  # seqeval's KeyError names a prefix
        return "refused"
    return found.tolist() if isinstance(found, np.ndarray) else found


def without_faults(found: Any, no_label: bool, zero_division: int) -> Any:
    """What seqeval would return if its average over no label were a number; see docs/how-to/migrate.md."""
    if isinstance(found, dict) and no_label:
        return found | {"macro avg": found["weighted avg"]}
    return float(zero_division) if isinstance(found, float) and math.isnan(found) else found


@pytest.mark.parametrize("zero_division", [0, 1])
@pytest.mark.parametrize("scheme", [*LETTERS, None])
@pytest.mark.parametrize("mode", ["strict", None])
def test_numbers_and_refusals_are_those_of_seqeval(mode, scheme, zero_division):
    """Tags at random, of the scheme's prefixes or of any, and with empty sides."""
    options: dict[str, Any] = {"mode": mode, "zero_division": zero_division}
    theirs_only = {"scheme": getattr(schemes, scheme) if scheme else None}
    kinds = [LETTERS[scheme]] if scheme else [*dict.fromkeys(LETTERS.values())]
    pairs = [pair for letters in [*kinds, "BIESLU"] for pair in corpora(2, letters)]
    nothing = [["O"] * 7, ["O"], ["O"] * 4]
    pairs += [pair for gold, pred in pairs[:3] for pair in ((gold, nothing), (nothing, pred))] + [(nothing, nothing)]
    seen = Counter[str]()
    for gold, pred in pairs:
        report = outcome(theirs.classification_report, gold, pred, output_dict=True, **options, **theirs_only)
        no_label = isinstance(report, dict) and len(report) == 3
        expected = without_faults(report, no_label, zero_division)
        found = outcome(ours.classification_report, gold, pred, output_dict=True, scheme=scheme, **options)
        assert found == expected, (gold, pred)
        if not no_label:
            text = outcome(theirs.classification_report, gold, pred, digits=4, **options, **theirs_only)
            assert outcome(ours.classification_report, gold, pred, digits=4, scheme=scheme, **options) == text
        for name, average in product(NAMES, ("micro", "macro", "weighted", None)):
            own, other = getattr(ours, name), getattr(theirs, name)
            expected = outcome(other, gold, pred, average=average, **options, **theirs_only)
            found = outcome(own, gold, pred, average=average, scheme=scheme, **options)
            assert found == without_faults(expected, no_label, zero_division), (gold, pred, name, average)
        seen["refused" if report == "refused" else "no label" if no_label else "scored"] += 1
    assert seen["scored"] > 5
    assert mode is None or seen["refused"]


def test_suffixes_and_bare_prefixes_are_read_as_seqeval_does():
    sides = [["PER-B", "PER-I", "O", "X-Y-B"]], [["PER-B", "O", "O", "X-Y-B"]]
    how = {"suffix": True, "output_dict": True, "zero_division": 0}
    assert ours.classification_report(*sides, **how) == theirs.classification_report(*sides, **how)
    bare = [["B", "I", "O"]], [["B", "O", "B"]]
    assert ours.f1_score(*bare) == theirs.f1_score(*bare)


def test_an_undefined_score_warns_unless_its_value_is_given():
    with pytest.warns(UserWarning, match="zero_division"):
        assert ours.recall_score([["O"]], [["B-A"]]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ours.recall_score([["O"]], [["B-A"]], zero_division=1) == 1


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
def test_scikit_learn_s_warning_comes_where_seqeval_gives_it(average):
    """By each function: the warnings of 0/0 are of one category, and can be made errors by it."""
    nothing = [["O"] * 7, ["O"], ["O"] * 4]
    sides = [pair for gold, pred in corpora(3, "BI") for pair in ((gold, pred), (gold, nothing), (nothing, pred))]
    one = [[["B-A", "O"]], [["B-A", "O"]]], [[["B-A", "O"]], [["O", "B-B"]]], [[["O"]], [["O"]]]
    seen = Counter[tuple[str, bool]]()
    for gold, pred in [*sides, *one]:
        for name in NAMES:
            warned = []
            for module in (ours, theirs):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    getattr(module, name)(gold, pred, average=average)
                warned.append({warning.category for warning in caught} & {UndefinedMetricWarning, UserWarning})
            no_label = not any(tag != "O" for side in (gold, pred) for tags in side for tag in tags)
            if not (no_label and average != "micro"):  # there, seqeval's averages are no numbers
                assert warned[0] == warned[1], (name, gold, pred)
            seen[name, bool(warned[1])] += 1
    # A label has a gold or a predicted span, so that its F is defined.
    assert len(seen) == (6 if average == "micro" else 5), "each function warns in some cases, and not in others"


@pytest.mark.parametrize("function", [*NAMES, "classification_report"])
@pytest.mark.parametrize("made", [tuple, np.array], ids=["tuple", "array"])
@pytest.mark.parametrize("side", [0, 1])
def test_strict_mode_takes_lists_alone_as_in_seqeval(function, made, side):
    sides = [[["B-A", "O"], ["O"]], [["B-A", "O"], ["O"]]]
    options = {"mode": "strict", "zero_division": 0}
    assert getattr(ours, function)(*sides, scheme="IOB2", **options) is not None
    sides[side][1] = made(["O"])
    with pytest.raises(TypeError):
        getattr(theirs, function)(*sides, scheme=schemes.IOB2, **options)
    place = (
        f"{('y_true', 'y_pred')[side]}, sentence 1 is a {type(sides[side][1]).__name__}; in strict mode expected a list"
    )
    with pytest.raises(TypeError, match=place):
        getattr(ours, function)(*sides, scheme="IOB2", **options)
    assert getattr(ours, function)(*sides, zero_division=0) is not None, "in words: migrate.md"
    assert evaluate.compute(predictions=sides[0], references=sides[1], scheme="IOB2", **options)["overall_f1"] == 1


NONE = [["O"]]

REFUSED = [
    ("f1_score", NONE, NONE, {"average": "samples"}, "average='samples': expected None or one of micro"),
    ("f1_score", NONE, NONE, {"mode": "lenient"}, "mode='lenient': expected None or 'strict'"),
    ("f1_score", NONE, NONE, {"zero_division": 2}, "zero_division=2: expected 'warn', 0 or 1"),
    ("f1_score", NONE, NONE, {"scheme": "IOE3"}, "scheme='IOE3': expected one of IOB1, IOE1, IOB2"),
    ("f1_score", [["B-A", "O"]], NONE, {}, "sentence 0: y_true has 2 tags and y_pred has 1"),
    ("f1_score", ["B-A", "O"], ["O", "O"], {}, "y_true, sentence 0 is 'B-A'; expected a list of tags"),
    ("f1_score", [["O", "PER"]], [["O", "O"]], {}, "y_true, sentence 0: tag 1 is 'PER', which is not a tag"),
    ("f1_score", NONE, [[1]], {}, "y_pred, sentence 0: tag 0 is 1; expected a tag such as 'B-PER'"),
    ("f1_score", [["B-A"]], [["S-A"]], {"mode": "strict", "scheme": "IOB2"},
        "y_pred, sentence 0: there is a tag with S, which IOB2 does not have; expected I, O, B"),
    ("classification_report", NONE, NONE, {"mode": "strict"},
        "the tags of y_true have the prefixes O, which do not show their scheme: name it, scheme= one of IOB1"),
    ("accuracy_score", [], [], {}, "there are no tags"),
    ("accuracy_score", [["O", "O"]], NONE, {}, "sentence 0: y_true has 2 tags and y_pred has 1"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "gold", "pred", "options", "said"), REFUSED)
def test_what_cannot_be_scored_is_said(function, gold, pred, options, said):
    with pytest.raises(ValueError, match="^" + said):
        getattr(ours, function)(gold, pred, **options)


def test_compute_has_the_keys_and_values_that_the_metric_card_of_evaluate_shows():
    """One label is found, the other has wrong boundaries; which keys there are is what the card lists."""
    predictions = [["O", "B-LOC", "I-LOC", "O"], ["B-PER"]]
    references = [["O", "O", "B-LOC", "O"], ["B-PER"]]
    assert evaluate.compute(predictions=predictions, references=references) == {
        "LOC": {"precision": 0.0, "recall": 0.0, "f1": 0.0, "number": 1},
        "PER": {"precision": 1.0, "recall": 1.0, "f1": 1.0, "number": 1},
        "overall_precision": 0.5,
        "overall_recall": 0.5,
        "overall_f1": 0.5,
        "overall_accuracy": 0.6,
    }


def test_accuracy_and_compute_agree_with_seqeval():
    for gold, pred in corpora(8, "BI"):
        accuracy = theirs.accuracy_score(gold, pred)
        assert ours.accuracy_score(gold, pred) == accuracy
        assert ours.accuracy_score(gold[0], pred[0]) == theirs.accuracy_score(gold[0], pred[0])
        found = evaluate.compute(predictions=pred, references=gold, zero_division=0)
        assert found["overall_f1"] == theirs.f1_score(gold, pred, zero_division=0)
        assert found["overall_precision"] == theirs.precision_score(gold, pred, zero_division=0)
        assert found["overall_accuracy"] == accuracy


def test_the_switch_needs_neither_seqeval_nor_scikit_learn():
    code = "from spacy_nereval.compat.seqeval import f1_score; f1_score([['B-A']], [['B-A']]); import sys; "
    code += "f1_score([['O']], [['O']]); "  # warns
    done = python("-c", code + "print({'seqeval', 'sklearn', 'spacy', 'pandas'} & {*sys.modules})")
    assert done.stdout == "set()\n", done.stderr
