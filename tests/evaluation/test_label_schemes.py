"""Which gold label a predicted one probably means, and the mapping that is proposed."""

from __future__ import annotations

import pytest

from spacy_nereval.core.labels import LabelRules
from spacy_nereval.evaluation.label_schemes import extended, label_lines, proposed


@pytest.mark.parametrize(("first", "second", "found"), [(3, 2, "RED"), (2, 3, "BLUE"), (3, 3, None), (1, 0, None)])
def test_a_label_means_what_more_than_half_of_its_partners_are(first, second, found):
    assert proposed("Q", ["RED", "BLUE"], {("Q", "RED"): first, ("Q", "BLUE"): second}) == found


def test_what_is_proposed_leaves_the_rules_in_use_as_they_are():
    rules = LabelRules(labels=(("PER", "PERS"), ("PERS", "LOC")))
    assert extended({"PERS": "PERSON"}, rules) == {"PER": "PERSON", "PERS": "LOC"}


@pytest.mark.parametrize(
    ("rules", "mapped"), [(None, True), (LabelRules(only=("A",)), True), (LabelRules(depth=1), False)]
)
def test_labels_cut_to_a_depth_get_no_mapping_since_it_comes_before_the_cut(rules, mapped):
    (line,) = label_lines({"PERSON": 3}, {"PER": 1}, rules=rules)
    assert ("PER=PERSON" in line) is mapped
