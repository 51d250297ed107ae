"""A file that fails is tried once more, and a worker that dies costs no other file anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from sharded import parts

from spacy_nereval import Document, count, create_all
from spacy_nereval.distributed.engines import Engine
from spacy_nereval.distributed.shards import PartsFolder, Shard, ShardStatus, count_shards, merged


class Fakes:
    """Work of which each shard fails as often as it is told to."""

    def __init__(self, **failures: int) -> None:
        self.failures = failures
        self.attempts: list[str] = []

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        return {"gold": shard.gold}

    def count(self, shard: Shard) -> Any:
        self.attempts.append(shard.name)
        if self.failures.get(shard.name, 0):
            self.failures[shard.name] -= 1
            raise ValueError(f"no {shard.name}")
        return count([Document([(0, 1, "A")], [], id=shard.name)], create_all(["strict"]))


def one_by_one(function, items, ready, alone):
    return [function(item) for item in items]


A, B, C, D = (Shard(name, f"{name}.spacy") for name in "abcd")


def test_a_file_that_fails_is_tried_once_more_and_no_more(tmp_path):
    work = Fakes(b=1, c=2)
    found = count_shards([A, B, C], work, PartsFolder(str(tmp_path)), one_by_one)
    assert [part.error for part in found] == ["", "", "no c"]
    assert work.attempts == ["a", "b", "c", "b", "c"]
    assert list(parts(str(tmp_path))) == ["counts-a.npz", "counts-b.npz"]


def test_a_file_that_kills_every_worker_is_tried_alone_and_costs_the_others_nothing(tmp_path):
    folder, work, groups = PartsFolder(str(tmp_path)), Fakes(), []

    def pool(function, items, ready, alone):
        groups.append([alone, *(item.name for item in items)])
        if alone and A in items:
            function(A)
        if B in items:
            for item in [B] if alone else [A, B]:
                folder.begun(item).write_text("{}")
            raise RuntimeError("a worker was terminated\nat some place")
        return one_by_one(function, items, ready, alone)

    found = count_shards([A, B, C, D], work, folder, pool)
    assert groups == [[False, "a", "b", "c", "d"], [False, "c", "d"], [True, "a", "b"], [True, "a"]]
    assert [part.error[:18] for part in found] == ["", "its worker died tw", "", ""]
    assert found[1].error.endswith("(RuntimeError: a worker was terminated)")
    assert list(parts(str(tmp_path))) == ["counts-a.npz", "counts-c.npz", "counts-d.npz"]


def test_parts_of_different_models_are_not_merged(tmp_path):
    """Though of one name, on different machines."""
    found = [
        ShardStatus(shard, {"gold": shard.gold, "model": model}) for shard, model in ((A, "1"), (B, "1"), (C, "2"))
    ]
    with pytest.raises(ValueError, match="a.spacy and c.spacy were predicted by different models"):
        merged(found, PartsFolder(str(tmp_path)), Engine(one_by_one))


def test_an_engine_that_does_not_start_is_no_fault_of_any_file(tmp_path):
    def fails(function, items, ready, alone):
        raise TimeoutError("no scheduler at 10.0.0.1")

    with pytest.raises(ValueError, match="the engine failed: TimeoutError: no scheduler at 10.0.0.1"):
        count_shards([A], Fakes(), PartsFolder(str(tmp_path)), fails)
