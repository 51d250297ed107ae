"""Shards of a few made-up documents, counted and merged in this process, as engines would have it done."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

import pytest
from made_up import corpus

from spacy_nereval import create_all
from spacy_nereval.counting.counts import Counts
from spacy_nereval.distributed.engines import Engine
from spacy_nereval.distributed.shards import Shard
from spacy_nereval.evaluation.collapsing import count_collapsed

NAMES = "abcdefghijk"
METRICS = ["strict", "semeval", "fair", "wrf"]


class Made:
    """Counts a few made-up documents for each shard; the shards of `same` have the same content."""

    def __init__(self, same: str = "") -> None:
        self.same = same

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        return {"gold": shard.gold}

    def count(self, shard: Shard) -> Counts:
        number = NAMES.index(shard.name)
        counts = count_collapsed(corpus(2 + number % 3, seed=number, labels="AB" + shard.name), create_all(METRICS), 7)
        counts.sources = [shard.gold]
        counts.parts = ["f" * 32 if shard.name in self.same else f"{number:032}"]
        return counts


def one_by_one(function, items, ready, alone):
    return [function(item) for item in items]


TASKS = Engine(one_by_one)
"""An engine without a reduction of its own."""


def no_tasks(*given):
    pytest.fail("a task was started")


def reduction(function, items, together):
    """A reduction as Spark's: groups first, which come in any order, then two at a time. What is sent is pickled."""
    function, items = pickle.loads(pickle.dumps((function, [*items])))
    found = [function(items[first : first + together]) for first in range(0, len(items), together)]
    while len(found) > 1:
        found.append(function([found.pop(), found.pop(0)]))
    return found[0]
