"""Counts that cannot be added say why, and what is said of each side, whichever of both comes first."""

from copy import copy
from typing import Any

import pytest

from spacy_nereval import Counts, Document, count, create_all
from spacy_nereval.core.labels import label_rules

COUNTS = count([Document([(0, 3, "A")], [(0, 3, "A")], "Ada", id="a")], create_all("strict"))
COUNTS.located = frozenset(["exact"])


def changed(**settings: Any) -> Counts:
    other = copy(COUNTS)
    for name, value in settings.items():
        setattr(other, name, value)
    return other


UNLIKE = [
    ({"unit": "document"}, "resamples by", "id", "document"),
    ({"spans_key": "sc"}, "counted", "entities", "spans under 'sc'"),
    ({"label_rules": label_rules(None, ["P"])}, "has the label rules", "none", "only:P"),
    ({"located": frozenset(["exact", "caseless"])}, "looked for mentions by", "exact", "caseless and exact"),
]


@pytest.mark.parametrize(("settings", "verb", "ours", "theirs"), UNLIKE, ids=[verb for _, verb, *_ in UNLIKE])
def test_a_difference_names_both_sides_in_their_order(settings, verb, ours, theirs):
    other = changed(**settings)
    assert COUNTS.differences(other) == f"one {verb} {ours}, the other {'by ' * verb.endswith(' by')}{theirs}"
    assert other.differences(COUNTS) == f"one {verb} {theirs}, the other {'by ' * verb.endswith(' by')}{ours}"
    assert COUNTS.differences(changed()) == ""
