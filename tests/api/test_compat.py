"""The functions with the names of other packages: the same numbers as those, on valid and invalid sequences."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import warnings
from itertools import product

import pytest
import seqeval.metrics as theirs
import seqeval.scheme as schemes

from spacy_nereval.compat import evaluate
from spacy_nereval.compat import seqeval as ours

pytestmark = [pytest.mark.costly, pytest.mark.filterwarnings("ignore")]  # seqeval imports scikit-learn

LETTERS = {"IOB2": "BI", "IOBES": "BIES", "BILOU": "BILU"}
NAMES = ("precision_score", "recall_score", "f1_score")


def drawn(rng: random.Random, letters: str, labels: str = "ABC") -> list[list[str]]:
    """Tags at random, most of them invalid sequences."""
    tags = ["O", "O", *(f"{letter}-{label}" for letter in letters for label in labels)]
    return [[rng.choice(tags) for _ in range(length)] for length in (7, 1, 4)]


def valid(rng: random.Random) -> list[list[str]]:
    """Sequences that IOB2 allows."""
    spans = (["O"], ["B-A", "I-A"], ["B-B"], ["B-C", "I-C", "I-C"])
    return [[tag for _ in range(5) for tag in rng.choice(spans)][:5] for _ in range(3)]


def corpora(number: int, letters: str) -> list[tuple[list[list[str]], list[list[str]]]]:
    rng = random.Random(0)
    made = [(drawn(rng, letters), drawn(rng, letters)) for _ in range(number)]
    return made + [(side, [[rng.choice([tag, "O"]) for tag in tags] for tags in side]) for side, _ in made]


@pytest.mark.parametrize("letters", ["BI", "BIES"])
@pytest.mark.parametrize("zero_division", [0, 1])
def test_reports_are_those_of_seqeval(letters, zero_division):
    for gold, pred in corpora(6, letters):
        options = {"output_dict": True, "zero_division": zero_division}
        expected = theirs.classification_report(gold, pred, **options)
        assert ours.classification_report(gold, pred, **options) == expected
        text = theirs.classification_report(gold, pred, zero_division=zero_division, digits=4)
        assert ours.classification_report(gold, pred, zero_division=zero_division, digits=4) == text


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
def test_scores_are_those_of_seqeval_in_every_average(average):
    rng, nothing = random.Random(1), [["O", "O"]]
    one_sided = [(nothing, [["B-A", "O"]]), ([["B-A", "O"]], nothing)]
    for gold, pred in [*corpora(2, "BI"), *((valid(rng), valid(rng)) for _ in range(3)), *one_sided]:
        for name, zero_division in product(NAMES, (0, 1)):
            options = {"average": average, "zero_division": zero_division}
            found = getattr(ours, name)(gold, pred, **options)
            assert list([found] if average else found) == list(
                [getattr(theirs, name)(gold, pred, **options)]
                if average
                else getattr(theirs, name)(gold, pred, **options)
            )


@pytest.mark.parametrize("scheme", LETTERS)
def test_strict_mode_is_that_of_seqeval(scheme):
    named = getattr(schemes, scheme)
    for gold, pred in corpora(6, LETTERS[scheme]):
        options = {"mode": "strict", "scheme": named, "output_dict": True, "zero_division": 0}
        expected = theirs.classification_report(gold, pred, **options)
        if len(expected) == 3:  # no span is left, and the average over no label is not a number there
            expected["macro avg"] = expected["weighted avg"]
        assert ours.classification_report(gold, pred, **options) == expected
        assert ours.classification_report(gold, pred, **{**options, "scheme": scheme}) == expected


def test_suffixes_and_bare_prefixes_are_read_as_seqeval_does():
    gold, pred = [["PER-B", "PER-I", "O", "X-Y-B"]], [["PER-B", "O", "O", "X-Y-B"]]
    options = {"output_dict": True, "zero_division": 0}
    assert ours.classification_report(gold, pred, suffix=True, **options) == theirs.classification_report(
        gold, pred, suffix=True, **options
    )
    gold, pred = [["B", "I", "O"]], [["B", "O", "B"]]
    assert ours.f1_score(gold, pred) == theirs.f1_score(gold, pred)


def test_accuracy_is_that_of_seqeval():
    for gold, pred in corpora(8, "BI"):
        assert ours.accuracy_score(gold, pred) == theirs.accuracy_score(gold, pred)
        assert ours.accuracy_score(gold[0], pred[0]) == theirs.accuracy_score(gold[0], pred[0])


def test_an_undefined_score_warns_unless_its_value_is_given():
    with pytest.warns(UserWarning, match="zero_division"):
        assert ours.f1_score([["O"]], [["B-A"]]) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ours.recall_score([["O"]], [["B-A"]], zero_division=1) == 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: ours.f1_score([["O"]], [["O"]], average="samples"),
            "average='samples': expected None or one of micro",
        ),
        (lambda: ours.f1_score([["O"]], [["O"]], mode="lenient"), "mode='lenient': expected None or 'strict'"),
        (lambda: ours.f1_score([["O"]], [["O"]], zero_division=2), "zero_division=2: expected 'warn', 0 or 1"),
        (lambda: ours.f1_score([["O"]], [["O"]], scheme="IOE2"), "scheme='IOE2': expected one of IOB1, IOB2"),
        (lambda: ours.f1_score([["B-A", "O"]], [["O"]]), "document 0: gold has 2 tags and pred has 1"),
        (lambda: ours.accuracy_score([], []), "there are no tags"),
        (lambda: ours.accuracy_score([["O", "O"]], [["O"]]), "sentence 0: y_true has 2 tags and y_pred has 1"),
    ],
)
def test_what_cannot_be_scored_is_said(call, said):
    with pytest.raises(ValueError, match="^" + said.replace("(", r"\(")):
        call()


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


def test_compute_agrees_with_seqeval():
    for gold, pred in corpora(8, "BI"):
        found = evaluate.compute(predictions=pred, references=gold, zero_division=0)
        assert found["overall_f1"] == theirs.f1_score(gold, pred, zero_division=0)
        assert found["overall_precision"] == theirs.precision_score(gold, pred, zero_division=0)
        assert found["overall_accuracy"] == theirs.accuracy_score(gold, pred)


def test_the_switch_needs_neither_seqeval_nor_scikit_learn():
    code = (
        "import sys, json; from spacy_nereval.compat.seqeval import f1_score; f1_score([['B-A']], [['B-A']]); "
        "print(json.dumps([name for name in ('seqeval', 'sklearn', 'spacy', 'pandas') if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []
