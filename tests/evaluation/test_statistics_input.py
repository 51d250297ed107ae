"""Bad input is refused in one line that says what was given and what was expected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spacy_nereval import Confidence
from spacy_nereval.evaluation.statistics.bits import half_samples, patterns
from spacy_nereval.evaluation.statistics.bounds import effective_units, score_intervals
from spacy_nereval.evaluation.statistics.derived import macro_interval
from spacy_nereval.evaluation.statistics.differences import swap_test
from spacy_nereval.evaluation.statistics.many_tests import count_data_sets, holm, holm_by_family
from spacy_nereval.evaluation.statistics.runs import run_errors


def test_bad_input_is_refused() -> None:
    def refused(match: str, call: Any, *arguments: Any, **options: Any) -> None:
        with pytest.raises(ValueError, match=match):
            call(*arguments, **options)

    refused("1 or more, not 0", half_samples, 0, ["a"], 0)
    refused("'a' occurs twice", patterns, 0, ["a", "b", "a"], 10)
    refused("at least 1 row", lambda: list(patterns(0, ["a"], 10).blocks(0)))
    refused("not negative", effective_units, [1, -1])
    refused("between 0 and 1, such as 0.95, not 95", score_intervals, 0.5, 0.01, 9, level=95)
    for level in (0, 1, 1e-20, 1 - 1e-16, np.nan):
        refused("between 0 and 1, such as 0.95", score_intervals, 0.5, 0.01, 9, level=level)
        refused("between 0 and 1, such as 0.95", Confidence(level=level).checked)
    refused("outside its limits", score_intervals, 1.5, 0.01, 9)
    refused("outside its limits", score_intervals, -0.5, 0.01, 9, limits=(0, np.inf))
    refused("give 2 for all or each", score_intervals, [0.5], 0.01, 9, limits=[(0, 1), (0, np.inf)])
    refused("give 2 for all or each", score_intervals, 0.5, 0.01, 9, limits=(0, 0.5, 1))
    refused("for scores of shape", score_intervals, [0.5, 0.6], [0.01], 9)
    refused("2 or more", score_intervals, 0.5, 0.01, 9, runs=[0.5])
    refused("per label", macro_interval, [], [], [], (0, 1))
    refused("defined scores", macro_interval, [np.nan], [0], [1], (0, 1))
    refused("need the shape", swap_test, [0.1], [0.1], [0], exact=True, differing=9)
    refused("2 balances", swap_test, 0.1, [0.1], [0, 0], exact=True, differing=9)
    refused("balances need", swap_test, [0.1], [[0.1]], [[0, 0]], exact=True, differing=9)
    refused("list of p-values", holm, 0.1)
    refused("between 0 and 1", holm, [1.1])
    refused("one per p-value", holm_by_family, [0.1], ["primary", "labels"])
    assert holm_by_family([np.nan, 0.1], ["labels", "labels"]).sizes.tolist() == [1, 1]
    refused("one run", run_errors, [0.1], [0.2], 0.1, 9)
    refused("no run", run_errors, [], [0.2, 0.1], 0.1, 9)
    refused("agree", run_errors, [0.1, 0.2], [0.2, 0.1], [0.1], 9)
    refused("above 0", count_data_sets, [0.0])
    refused("one for each", count_data_sets, [])


@pytest.mark.parametrize("level", [0.001, 1 - 1e-9])
@pytest.mark.parametrize("k", [1, 5.8, 1e6])
def test_intervals_at_the_ends_of_the_levels_have_width(level: float, k: float) -> None:
    found = score_intervals([0, 0.3, 1], 0.0, k, level=level)
    assert (found.low < found.high).all()
