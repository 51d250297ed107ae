"""The metric keeps the laws of spacy-nereval, and gives the numbers that were computed by hand."""

import pytest
from nereval_ends import ends

from spacy_nereval import create, score
from spacy_nereval.testing import LAWS, check_laws


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("law", LAWS)
def test_it_keeps_the_laws(law, typed):
    check_laws(create("ends", typed=typed), laws=[law])


def test_the_last_word_counts():
    gold = [["B-PER", "I-PER", "O", "B-LOC"]]
    pred = [["O", "B-PER", "O", "B-ORG"]]
    found = score(gold, pred, {"ends": {}})["metrics"]["ends"]
    assert (found["counts"], found["scores"]["f"]) == ({"tp": 1, "fp": 1, "fn": 1}, 0.5)
    assert score(gold, pred, {"ends": {"typed": False}}).ends.f == 1


def test_it_declares_its_scores():
    assert [each.key for each in ends().scores] == ["ends_p", "ends_r", "ends_f"]
