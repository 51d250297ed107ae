"""Counts on different gold annotation are refused by every function that takes several."""

from __future__ import annotations

import pytest
from commands import run
from refusals import refused_with

from spacy_nereval import Document, compare, count, count_collapsed, create_all, leaderboard, score_runs
from spacy_nereval.counting.counts import Counts
from spacy_nereval.io.count_files import save


def counts(longer: int, collapsed: bool) -> Counts:
    """Twenty documents, as many gold spans and hits whichever of them is a character longer."""
    documents = [Document([(0, 3 + (k == longer), "A")], [(0, 3, "A")] * (k % 3 > 0), id=f"d{k}") for k in range(20)]
    return count_collapsed(documents, create_all(["strict"])) if collapsed else count(documents, create_all(["strict"]))


DOORS = {
    "compare": lambda a, b: compare({"a": a, "b": b}),
    "leaderboard": lambda a, b: leaderboard({"news": {"a": a, "b": b}}),
    "score_runs": lambda a, b: score_runs(None, {"a": a, "b": b}),
}


@pytest.mark.parametrize("collapsed", [False, True])
@pytest.mark.parametrize("door", DOORS)
def test_functions_refuse_counts_on_different_gold(door, collapsed):
    if collapsed and door == "score_runs":
        with refused_with(
            ValueError,
            "collapsed counts keep no documents, so they have no means of training runs: count the "
            "corpus again without collapse=True",
        ):
            DOORS[door](counts(0, collapsed), counts(0, collapsed))
        return
    DOORS[door](counts(0, collapsed), counts(0, collapsed))
    with pytest.raises(ValueError, match="different gold annotation"):
        DOORS[door](counts(0, collapsed), counts(3, collapsed))


@pytest.mark.parametrize("collapsed", [False, True])
@pytest.mark.parametrize("command", ["compare", "leaderboard"])
def test_commands_refuse_count_files_on_different_gold(command, collapsed, tmp_path):
    for name, longer in (("a", 0), ("b", 3), ("c", 0)):
        save(counts(longer, collapsed), tmp_path / f"{name}.npz")
    assert run(command, tmp_path / "a.npz", tmp_path / "c.npz").exit_code == 0
    refused = run(command, tmp_path / "a.npz", tmp_path / "b.npz")
    assert refused.exit_code != 0
    assert "different gold annotation" in " ".join(refused.stderr.split())
