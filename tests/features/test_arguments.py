"""The values that arguments take follow from their declarations: for types, bounds, named values and None."""

import math
from typing import Any

import numpy as np
import pytest

from spacy_nereval import Confidence, compare, plan, score, thresholds
from spacy_nereval.core import arguments
from spacy_nereval.core.arguments import Argument, Reading, check_value, validate_settings
from spacy_nereval.evaluation.tested import Hypotheses
from spacy_nereval.features.thresholds.curves import Settings

TAGS = [["B-PER", "O"]] * 8
SCORED = [[{"start": 0, "end": 3, "label": "A", "score": 0.5}]]


def compared(**given: Any) -> Any:
    return compare({"a": TAGS, "b": TAGS}, TAGS, ["strict"], **given)


def planned(**given: Any) -> Any:
    return plan(TAGS, TAGS, TAGS, **given)


def scored(**given: Any) -> Any:
    return score(TAGS, TAGS, ["strict"], **given)


def charted(**given: Any) -> Any:
    return thresholds([[(0, 3, "A")]], SCORED, ["strict"], **given)


A_SCORE = "the name of a score, such as 'strict_f'"
POINTS = "a number of points above 0, such as 1"
FINITE = "a finite number, such as 1.0"
BETWEEN = "the text between two levels of a label, such as /"
LEVEL = "a number between 0 and 1, such as 0.95"
REFUSED = [
    *((compared, {"trials": value}, "a whole number; 10000 is usual") for value in (2.5, "5", 10.0, True)),
    (compared, {"trials": 0}, "at least 1; 10000 is usual"),
    *((compared, {"samples": value}, "a whole number; 1000 is usual") for value in (2.5, "5", None)),
    *((compared, {"seed": value}, "a whole number from 0 up") for value in (0.5, "0", None, -1)),
    *((compared, {"level": value}, LEVEL) for value in ("0.9", None, 0, 1, math.nan, 95, True)),
    *((compared, {"primary": value}, A_SCORE) for value in (3, ["strict_f"])),
    *((compared, {"secondary": value}, "names of scores, such as ['strict_p', 'strict_r']") for value in (3, [3])),
    *((compared, {"margin": value}, POINTS) for value in ("1", 0, -1, 0.0, math.inf, math.nan, True)),
    *((planned, {"difference": value}, POINTS) for value in ("1", 0, math.inf)),
    *((scored, {"sep": value}, BETWEEN) for value in (3, "", None)),
    *((charted, {"missing_score": value}, FINITE) for value in ("x", math.inf, -math.inf, math.nan, False)),
    *((charted, {"best": value}, A_SCORE) for value in (3, None)),
    *((charted, {"bins": value}, "a whole number from 1 to 1000") for value in (2.5, "5", 0, 1001, True, None)),
    *((charted, {"bin_kind": value}, "one of equal, equal_mass") for value in ("wide", 3, None)),
    *((charted, {"per_label": value}, "'own' or 'micro', or none for a common threshold") for value in ("all", 3)),
]


@pytest.mark.parametrize(("function", "given", "expected"), REFUSED)
def test_a_value_that_is_not_taken_is_named_with_what_is_expected(function, given, expected):
    ((name, value),) = given.items()
    with pytest.raises(ValueError) as error:
        function(**given)
    assert str(error.value) == f"{name}={value!r}: expected {expected}"


TAKEN = [
    (Confidence, {"level": 0.001, "samples": np.int64(1), "seed": 0}),
    (Confidence, {"level": 1 - 1e-9, "samples": arguments.MOST_SAMPLES, "seed": np.uint8(7)}),
    (Hypotheses, {"primary": None, "secondary": None, "margin": None}),
    (Hypotheses, {"secondary": ("strict_p",), "margin": np.float64(0.001)}),
    (Hypotheses, {"secondary": [], "margin": 1000}),
    (Settings, {"missing_score": None, "per_label": None, "bins": 1}),
    (Settings, {"missing_score": -1e300, "per_label": "own", "bins": 1000, "bin_kind": "equal_mass"}),
    (Reading, {"offsets": None, "discontinuous": None, "end": None, "depth": None, "sep": "::"}),
]


@pytest.mark.parametrize(("settings", "given"), TAKEN)
def test_values_at_the_bounds_and_none_where_it_is_the_default_are_taken(settings, given):
    validate_settings(settings(**given))


@pytest.mark.parametrize("name", ["scheme", "repair", "match", "occurrences"])
def test_none_is_refused_where_it_is_not_the_default(name):
    with pytest.raises(ValueError, match=f"^{name}=None: expected one of "):
        validate_settings(Reading(**{name: None}))


@pytest.mark.parametrize("argument", [arguments.TRIALS, arguments.SAMPLES, arguments.REPLICATES, arguments.BINS])
def test_bounds_are_the_last_values_that_are_taken(argument: Argument):
    for bound, step in ((argument.least, -1), (argument.most, 1)):
        check_value("n", bound, argument)
        with pytest.raises(ValueError, match=f"^n={bound + step}: expected "):
            check_value("n", bound + step, argument)
    if not argument.expected:
        with pytest.raises(ValueError, match=f"expected at most {argument.most}, which take minutes and gigabytes"):
            check_value("n", argument.most + 1, argument)
