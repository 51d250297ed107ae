"""Mentions without offsets on the command line."""

from __future__ import annotations

import json

import pytest
from commands import accepted, flat, line, refused, run, write
from strict_counts import TEXT, accepted_or_warned, strict

pytestmark = pytest.mark.costly


# Mentions


BOB = {"text": "Bob", "label": "PERSON", "score": 0.5}  # scores of mentions are not read
MENTIONS = {"text": TEXT, "mentions": [["ada", "PERSON"], BOB, ["Zoe", "PERSON"]]}


def test_mentions_are_read_and_their_numbers_are_told(tmp_path):
    gold = write(tmp_path / "g.jsonl", line(TEXT, (0, 3, "PERSON"), (8, 11, "PERSON")))
    pred = write(tmp_path / "p.jsonl", MENTIONS)
    assert strict("score", gold, pred, "-m", "strict", folder=tmp_path)[:3] == (2, 1, 0)
    printed = flat(accepted("score", gold, pred, "-m", "strict"))
    assert "3 mentions without offsets: 1 exact, 1 caseless, 1 not in the text (33.3 %)" in printed
    assert "|mentions:listed,caseless|" in printed
    assert strict("score", gold, pred, "-m", "strict", "--match", "exact", folder=tmp_path)[:3] == (1, 2, 1)


def test_invented_mentions_are_shown_as_not_in_the_text(tmp_path):
    gold = write(tmp_path / "g.jsonl", line(TEXT, (0, 3, "PERSON")))
    pred = write(tmp_path / "p.jsonl", MENTIONS)
    other = write(tmp_path / "q.jsonl", {"text": TEXT, "mentions": [["Eve", "PERSON"]]})
    printed = flat(accepted("errors", gold, pred))
    assert "{Zoe} (not in the text)" in printed and "3 mentions without offsets" in printed
    accepted("errors", gold, pred, "-o", tmp_path / "e.jsonl")
    rows = [json.loads(row) for row in (tmp_path / "e.jsonl").read_text().splitlines()]
    assert [(row["pred_text"], row["in_text"], row["left"]) for row in rows] == [
        ("Bob", True, "Ada met "),
        ("Zoe", False, None),
    ]
    accepted("report", gold, pred, other, "-o", tmp_path / "r.html")
    assert "Zoe" in (tmp_path / "r.html").read_text() and "Eve" in (tmp_path / "r.html").read_text()
    compared = accepted("compare", gold, pred, other, "-m", "strict", "--trials", 9, "-o", tmp_path / "c.json")
    assert "|mentions:listed,caseless|" in accepted_or_warned(
        "compare", gold, gold, pred, "-m", "strict", "--trials", 9
    )
    assert "q: 1 mention without offsets: 1 not in the text (100.0 %)" in flat(compared)
    assert json.loads((tmp_path / "c.json").read_text())["mentions"]["p"]["invented"] == 1


def test_a_list_of_spans_counts_before_one_of_mentions(tmp_path):
    both = write(tmp_path / "b.jsonl", line("Ada", (0, 3, "PER"), mentions=[["Bob", "PER"]]))
    assert strict("score", both, both, "-m", "strict", folder=tmp_path)[:3] == (1, 0, 0)


def test_strings_of_the_whole_corpus_are_not_resampled_in_parts(tmp_path):
    files = [write(tmp_path / f"{side}.jsonl", line(TEXT, (0, 3, "PERSON"))) for side in ("gold", "pred")]
    hits = ("-m", "mentions", "--mentions.scope", "hits")
    parts = ("count", *files, "-o", tmp_path / "c.npz", "--parts", tmp_path / "parts", "--replicates", 9, *hits)
    assert "mentions depends on the corpus as a whole" in refused(*parts)
    assert "mentions counts each string once" in run("compare", *files, files[1], *hits, "--trials", 9).stderr
