"""Intervals: half-samples of units against documents scored anew, and against the truth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any
from unittest.mock import ANY

import numpy as np
import pytest
from asking import NEEDED
from hypothesis import given
from hypothesis import strategies as st
from made_up import corpus, every_variant, tallied
from processes import python
from profiles import tries
from strategies import corpora, nested
from twin_statistics import all_intervals, bits, key_of

from spacy_nereval import Confidence, Counts, Document, Metric, Score, count, create, create_all, evaluate, names, score
from spacy_nereval.core.formulas import ratio
from spacy_nereval.counting import table
from spacy_nereval.evaluation.intervals import intervals, replicate
from spacy_nereval.evaluation.result import plain


def rows_of(found: dict[str, Any]) -> dict[tuple[str, ...], dict[str, Any]]:
    """The intervals of a metric by the places of their scores."""
    rows = {("scores", name): row for name, row in found["scores"].items()}
    for part in ("averages", "per_type"):
        rows |= {(part, key, name): row for key, table in found[part].items() for name, row in table.items()}
    return plain(rows) if not rows else {path: plain(row) for path, row in rows.items()}


def near(value: float | None) -> Any:
    return None if value is None or not np.isfinite(value) else pytest.approx(value, abs=1e-9)


def agrees(found: dict[str, Any], expected: Any) -> None:
    """Every interval is the twin's, and so are k and the flag."""
    ours = rows_of(found)
    assert ours.keys() == expected.keys()
    for path, (bounds, k) in expected.items():
        row = ours[path]
        assert [row["low"], row["high"]] == ([near(bound) for bound in bounds] if bounds else [None, None]), path
        assert row["k"] == near(k), path
        assert row["flag"] == flag_of(bounds, k), path


def flag_of(bounds: Sequence[float] | None, k: float) -> str | None:
    if bounds is None:
        return "undefined"
    return "few" if k < 6 else None if np.isfinite(bounds).all() else "unbounded"


# Against documents scored anew


@every_variant
def test_intervals_from_all_half_samples_are_those_of_the_twin(name, options):
    """Two of the documents are one unit."""
    documents = corpus(7, seed=5)
    documents[4].id = documents[1].id
    metric = create(name, **options)
    agrees(
        intervals(count(documents, [metric]), Confidence(samples=64))[name],
        all_intervals(documents, metric, 0.95, 64, 0),
    )


@every_variant
def test_intervals_from_random_half_samples_are_those_of_the_twin(name, options):
    documents = corpus(15, seed=6, labels="AABCD")
    metric = create(name, **options)
    found = intervals(count(documents, [metric]), Confidence(0.8, 24, 3))[name]
    agrees(found, all_intervals(documents, metric, 0.8, 24, 3))


@tries(15)
@given(documents=corpora(nested(most=4), most=5), named=st.booleans(), seed=st.integers(0, 2**40))
@pytest.mark.parametrize("name", ["strict", "slot_error", "wrf", "plagdet", "ace"])
def test_intervals_of_odd_corpora_are_those_of_the_twin(name, documents, named, seed):
    """Texts may be alike, and are one unit then; spans may overlap; scores may be undefined."""
    for k, document in enumerate(documents):
        document.id = f"{k}" if named else None
    if len({key_of(document) for document in documents}) > 1:
        metric = create(name)
        agrees(
            intervals(count(documents, [metric]), Confidence(samples=9, seed=seed))[name],
            all_intervals(documents, metric, 0.95, 9, seed),
        )


def test_the_worked_example():
    rows = [(8, 2, 1), (5, 1, 3), (9, 1, 2), (4, 3, 2), (7, 0, 1), (6, 2, 2)]
    result = score([tallied(*row, id=str(k)) for k, row in enumerate(rows)], ["strict"], Confidence())
    f = result["metrics"]["strict"]["intervals"]["scores"]["f"]
    assert f["k"] == pytest.approx(5.82767, abs=5e-6)
    assert (f["low"], f["high"]) == (pytest.approx(0.65816, abs=5e-6), pytest.approx(0.88764, abs=5e-6))
    assert f["flag"] == "few"
    assert result["confidence"] == {
        "method": "half", "level": 0.95, "samples": 64, "seed": 0, "unit": "id", "units": 6, "exact": True,
        "effective_units": pytest.approx(5.82767, abs=5e-6),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("sizes", "low", "flag"),
    [([1] * 10, 0.66149, None), ([1] * 3, 0.13945, "few"), ([1] * 7 + [2] * 3, 0.62476, None)],
)
def test_a_score_of_1_has_an_interval_as_wide_as_its_units_are_few(sizes, low, flag):
    documents = [tallied(size, 0, 0, id=str(k)) for k, size in enumerate(sizes)]
    found = score(documents, ["strict"], Confidence())["metrics"]["strict"]["intervals"]
    assert found["scores"]["f"] == {"low": near(low), "high": 1, "k": near(found["scores"]["f"]["k"]), "flag": flag} | {
        "low": pytest.approx(low, abs=5e-6)
    }
    assert found["per_type"]["A"]["f"] == found["scores"]["f"]


def test_a_cost_of_0_has_an_upper_bound_and_its_complement_a_lower_one():
    documents = [tallied(1, 0, 0, id=str(k)) for k in range(10)]
    found = score(documents, ["slot_error"], Confidence())["metrics"]["slot_error"]["intervals"]["scores"]
    assert (found["ser"]["low"], found["ser"]["high"]) == (0, pytest.approx(0.51174, abs=5e-6))
    assert (found["ser_acc"]["low"], found["ser_acc"]["high"]) == (pytest.approx(1 - 0.51174, abs=5e-6), 1)


@pytest.mark.parametrize("name", names())
def test_no_interval_has_zero_width_and_every_interval_holds_its_score(name):
    """Perfect predictions, useless ones, and some between. Only an accuracy cut off at 0 has no width."""
    every = corpus(12)
    useless = [Document(d.gold, [(0, 1, "Z")], d.text, tokens=d.tokens, id=d.id) for d in every]
    perfect = [Document(d.gold, d.gold, d.text, tokens=d.tokens, id=d.id) for d in every]
    (metric,) = create_all({name: NEEDED.get(name, {})})
    for documents in (every, useless, perfect):
        result = evaluate(count(documents, [metric]), Confidence(samples=200))["metrics"][name]
        for path, row in rows_of(result["intervals"]).items():
            value = result
            for key in path if path[0] != "per_type" else (path[0], path[1], "scores", path[2]):
                value = value[key]
            if row["low"] is None:
                assert row["flag"] == "undefined" or value is not None
            else:
                high = np.inf if row["high"] is None else row["high"]
                assert row["low"] - 1e-12 <= value <= high + 1e-12, path
                assert row["low"] < high or path[-1] == "ser_acc", path


def test_numbers_of_spans_have_no_interval():
    found = score(corpus(8), ["loio", "fair"], Confidence(samples=50))["metrics"]
    assert set(found["loio"]["intervals"]["scores"]) == {"p", "r", "f"}
    assert set(found["fair"]["intervals"]["per_type"]["A"]) == {"p", "r", "f"}


def test_a_higher_level_gives_wider_intervals():
    counts = count(corpus(40), [create("strict")])
    rows = [intervals(counts, Confidence(level))["strict"]["scores"]["f"] for level in (0.5, 0.8, 0.95, 0.99)]
    assert [row["low"] for row in rows] == sorted({row["low"] for row in rows}, reverse=True)
    assert [row["high"] for row in rows] == sorted({row["high"] for row in rows})


def test_a_score_that_most_half_samples_lack_has_no_interval():
    """Label B is in one of ten documents: about half of the half-samples have it. B and C, which is
    predicted alone, have no recall in most of them."""
    documents = [tallied(1, 0, 0, id=str(k)) for k in range(9)]
    both = [tallied(1, 0, 0, id="b", label="B"), Document([], [(0, 1, "C")], id="c")]
    found = score([*documents, *both], ["strict"], Confidence())["metrics"]["strict"]["intervals"]
    assert found["per_type"]["C"]["r"] == {"low": None, "high": None, "k": 1, "flag": "undefined"}
    assert found["per_type"]["B"]["f"]["flag"] in ("few", "undefined")
    json.dumps(found, allow_nan=False)


# Units


@pytest.mark.parametrize("samples", [100, 5000], ids=["random", "all"])
def test_no_order_of_documents_files_or_merges_changes_a_bit(samples):
    documents = corpus(12, seed=2)
    for document in documents[::3]:
        document.id = None
    metrics = create_all([name for name in names() if name != "tmr"])
    expected = evaluate(count(documents, metrics), Confidence(samples=samples))
    assert expected["confidence"]["exact"] == (samples == 5000)
    for seed in range(4):
        order = Random(seed).sample(documents, 12)
        a, b, c = (count(part, metrics) for part in (order[:3], order[3:8], order[8:]))
        for counts in (count(order, metrics), a + b + c, c + (b + a)):
            assert evaluate(counts, Confidence(samples=samples)) == expected


@pytest.mark.parametrize("cells", [1, 300, 4000])
def test_documents_summed_some_at_a_time_are_those_summed_at_once(monkeypatch, cells):
    counts, confidence = count(corpus(25), create_all()), Confidence(samples=10)
    expected = intervals(counts, confidence)
    monkeypatch.setattr(table, "CELLS", cells)
    assert plain(intervals(counts, confidence)) == plain(expected)


def test_documents_that_share_an_id_are_one_unit():
    """Which are drawn together: like one document that has all their spans."""
    parts = [Document([(4 * k, 4 * k + 2, "A")], [(4 * k, 4 * k + 2, "A")][: k % 3], id=f"{k % 7}") for k in range(21)]
    wholes = [
        Document([s for d in parts[k::7] for s in d.gold], [s for d in parts[k::7] for s in d.pred], id=str(k))
        for k in range(7)
    ]
    found, expected = (score(d, ["strict"], Confidence(samples=50)) for d in (parts, wholes))
    ours, theirs = (result["metrics"]["strict"]["intervals"] for result in (found, expected))
    assert (ours["scores"], ours["per_type"]) == (theirs["scores"], theirs["per_type"])
    assert found["confidence"]["units"] == 7
    assert ours["averages"]["docs"]["f"]["k"] == 7


def test_documents_without_id_are_told_apart_by_text_and_gold():
    gold = [(0, 3, "A")]
    documents = [
        Document(gold, [], "Ada"),
        Document(gold, gold, "Ada"),  # the same unit: another prediction
        Document(gold, [], "Bob"),
        Document([(0, 3, "B")], [], "Ada"),
        Document([], [], "Ada"),
        Document(gold, [], "Ada", id="Ada"),
    ]
    counts = count(documents, [create("strict")])
    assert [counts.units.index(unit) for unit in counts.units] == [0, 0, 2, 3, 4, 5]
    assert counts.units == [key_of(document) for document in documents]


# Replicates


def replicated(documents: Sequence[Document], samples: int = 40, seed: int = 0, metrics: Any = None) -> Counts:
    counts = count(documents, create_all(metrics))
    counts.replicates = replicate(counts, samples, seed)
    return counts


def test_a_replicate_holds_the_documents_whose_bit_is_1():
    """Every document has one span, of a label of its own. Few units are drawn at random, too."""
    ids = ["a", "ü/\"'", "b"]
    documents = [Document([(0, 1, f"{k}")], [], id=id) for k, id in enumerate(ids)]
    stored = replicate(count(documents, [create("strict")]), 70, 5)
    drawn = stored.sums.counts.sum(axis=0)[:-1]
    assert drawn.tolist() == [bits(5, id, 70) for id in ids]
    assert stored.sums.documents.tolist() == drawn.sum(axis=0).tolist()


@every_variant
def test_replicates_of_parts_add_up_to_the_replicates_of_the_whole(name, options):
    """Bit for bit. Each part has a label that the others lack; one text is in two parts."""
    parts = [corpus(6, 1, "BA"), corpus(5, 2, "CA"), corpus(7, 3, "AC"), corpus(1, 9, "B")]
    for number, part in enumerate(parts):
        for document in part:
            document.id = f"{number}.{document.id}"
    parts[3][0].id = parts[0][0].id
    metrics = {name: options}
    whole = replicated([document for part in parts for document in part], metrics=metrics)
    first, second, third, fourth = (replicated(part, metrics=metrics) for part in parts)
    assert first.labels != second.labels
    for merged in (
        first + second + third + fourth,
        first + (second + (third + fourth)),
        fourth + third + first + second,
    ):
        assert merged.replicates.drawn == whole.replicates.drawn
        assert merged.replicates.sums.labels == whole.replicates.sums.labels
        for ours, expected in zip(merged.replicates.sums.arrays, whole.replicates.sums.arrays):
            assert (ours == expected).all()
        assert plain(intervals(merged, Confidence())) == plain(intervals(whole, Confidence()))


def test_replicates_give_the_intervals_that_would_be_drawn_as_long_as_these_are_random():
    documents = corpus(9)
    counts = count(documents, create_all())
    drawn = evaluate(counts, Confidence(samples=300, seed=4))  # 2^9 are more
    counts.replicates = replicate(counts, 300, 4)
    assert evaluate(counts, Confidence()) == drawn
    assert drawn["confidence"]["exact"] is False


def test_intervals_of_counts_with_replicates_come_from_these_and_say_so():
    counts = replicated(corpus(5), samples=40, seed=9)
    result = evaluate(counts, Confidence(level=0.9, samples=7, seed=1))
    assert result["confidence"] == {
        "method": "half", "level": 0.9, "samples": 40, "seed": 9, "unit": "id", "units": 5, "exact": False,
        "effective_units": ANY,
    }  # fmt: skip
    assert "half:40,seed:9" in result["signature"]
    metric = create("strict")
    agrees(
        intervals(counts, Confidence(level=0.9))["strict"],
        all_intervals(corpus(5), metric, 0.9, 40, 9, exact=False),
    )


# The truth


def test_the_interval_covers_the_truth_as_often_as_its_level_says():
    """300 corpora drawn from a population whose strict F is known: 95 % intervals hold it in 92 to 99 %."""
    kinds = [(tp, fp, fn) for tp in range(5) for fp in range(3) for fn in range(3)]
    chance = np.array([1 / (1 + abs(tp - 2) + 2 * fp + fn) for tp, fp, fn in kinds])
    chance /= chance.sum()
    tp, fp, fn = chance @ np.array(kinds)
    truth = 2 * tp / (2 * tp + fp + fn)
    samples = np.random.Generator(np.random.PCG64(42))
    metrics = [create("strict")]
    held = below = 0
    for seed in range(300):
        drawn = samples.choice(len(kinds), size=60, p=chance)
        counts = count([tallied(*kinds[k], id=str(n)) for n, k in enumerate(drawn)], metrics)
        row = intervals(counts, Confidence(samples=400, seed=seed))["strict"]["scores"]["f"]
        held += row["low"] <= truth <= row["high"]
        below += truth < row["low"]
    assert 0.92 <= held / 300 <= 0.99
    assert 0 < below < 300 - held  # it is missed on either side


# In the result


def test_a_result_with_intervals_has_them_beside_the_same_scores_and_says_how_they_were_drawn():
    documents = corpus(8)
    with_intervals, without = score(documents, None, Confidence(0.9, 20, 5)), score(documents)
    assert with_intervals["confidence"] == {
        "method": "half", "level": 0.9, "samples": 20, "seed": 5, "unit": "id", "units": 8, "exact": False,
        "effective_units": ANY,
    }  # fmt: skip
    assert "confidence" not in without
    for name, metric in without["metrics"].items():
        ours = with_intervals["metrics"][name]
        assert {key: value for key, value in ours.items() if key != "intervals"} == metric
        assert ours["intervals"].keys() == {"scores", "averages", "per_type"}
        assert all(row.keys() == {"low", "high", "k", "flag"} for row in rows_of(ours["intervals"]).values())
    json.dumps(with_intervals, allow_nan=False)


@pytest.mark.costly
def test_the_same_seed_gives_the_same_intervals_in_another_process():
    documents = corpus(9)
    program = (
        "import json, sys; from spacy_nereval import *; "
        "documents = [Document(*row[:3], tokens=row[3], id=row[4]) for row in json.load(sys.stdin)]; "
        "print(json.dumps(score(documents, confidence=Confidence(samples=60))))"
    )
    rows = [[d.gold, d.pred, d.text, d.tokens, d.id] for d in documents]
    theirs = python("-c", program, input=json.dumps(rows), env={"PYTHONHASHSEED": "5"})
    assert theirs.returncode == 0, theirs.stderr
    assert json.loads(theirs.stdout) == score(documents, confidence=Confidence(samples=60))


def test_the_same_seed_gives_the_same_intervals_again_and_others_give_others():
    counts = count(corpus(30), create_all())
    first, again = (json.dumps(evaluate(counts, Confidence(samples=60, seed=1))) for _ in range(2))
    assert first == again
    others = {
        str(intervals(counts, Confidence(samples=60, seed=seed))["strict"]["scores"]) for seed in (0, 1, 2, 2**40)
    }
    assert len(others) == 4


# The signature


def test_the_signature_names_the_intervals_and_all_that_changes_them():
    documents = corpus(6)
    counts = count(documents, create_all())

    def signed(**confidence):
        return evaluate(counts, Confidence(**{"samples": 10, **confidence}))["signature"]

    signatures = [evaluate(counts)["signature"], signed(), signed(samples=11), signed(seed=1), signed(level=0.9)]
    signatures.append(signed(samples=64))
    assert "|half:10,seed:0,level:0.95,unit:id,units:6|" in signatures[1]
    assert "|half:all 64,seed:0,level:0.95,unit:id,units:6|" in signatures[-1]
    counts.replicates = replicate(counts, 10, 0)
    assert signed() == signatures[1], "stored half-samples are those that would be drawn"
    counts.replicates = replicate(counts, 64, 0)
    signatures.append(signed())
    counts.replicates = replicate(counts, 12, 1)
    signatures += [signed(), signed(level=0.9)]
    assert len(set(signatures)) == len(signatures)


@pytest.mark.parametrize("name", names())
def test_every_option_of_every_metric_changes_the_signature(name):
    """Short or not."""
    counts = count([], [create(name)])
    for short in (False, True):
        signatures = {evaluate(counts, short=short)["signature"]}
        options = [dict([pair]) for pair in OTHER_OPTIONS[name].items()]
        for option in options:
            signatures.add(evaluate(count([], [create(name, **option)]), short=short)["signature"])
        assert len(signatures) == len(options) + 1
    assert OTHER_OPTIONS[name].keys() == create(name).settings.keys()


OTHER_OPTIONS: dict[str, dict[str, Any]] = {
    "strict": {"beta": 2},
    "semeval": {"beta": 2, "focus": "system"},
    "slot_error": {"slots": "muc", "weights": {"d": 2}, "beta": 2, "focus": "system"},
    "loio": {"s": 0.5, "match": "optimal", "beta": 2},
    "fair": {"unit": "token", "weights": {"le": {"tp": 1}}, "beta": 2, "focus": "system"},
    "wrf": {
        "weights": {"A": 0.5, "combined": 0.5}, "average": "micro", "unique": False, "case": "keep",
        "unigrams": "whitespace",
    },
    "token": {"scheme": "bio", "beta": 2},
    "char": {"typed": False, "beta": 2},
    "relaxed": {"typed": True, "strong": True, "beta": 2},
    "overlap": {"recall": "sum", "precision": "sum", "typed": True, "beta": 2},
    "plagdet": {"average": "micro", "typed": True},
    "ace": {"min_overlap": 0, "type_error": 0, "false_alarm": 0, "weights": {"A": 2}},
    "tmr": NEEDED["tmr"],
}  # fmt: skip


def test_the_number_of_documents_and_the_version_of_a_metric_are_in_the_signature():
    strict = create("strict")
    signatures = {
        evaluate(counts)["signature"]
        for counts in (
            count(corpus(2), [strict]),
            count(corpus(3), [strict]),
            count(corpus(2), [replace(strict, version=2)]),
        )
    }
    assert len(signatures) == 3


def test_the_short_signature_leaves_out_what_is_default_and_nothing_else():
    for options, shown in (
        ({"strict": {}}, "strict"),
        ({"loio": {"s": 0.75, "beta": 1}}, "loio"),
        ({"loio": {"s": 0.5}, "fair": {"unit": "token"}}, "loio:s=0.5|fair:unit=token"),
        ({"wrf": {"weights": {"B": 0.5, "A": 0.5}}}, "wrf:weights={A:0.5,B:0.5}"),
    ):
        counts = count(corpus(0), create_all(options))
        start = f"spacy-nereval|{shown}|avg:micro|docs:0|v"
        assert evaluate(counts, short=True)["signature"].startswith(start)
        whole, short = evaluate(counts), evaluate(counts, short=True)
        assert whole["metrics"] == short["metrics"]


def test_the_same_settings_and_data_have_the_same_signature():
    one, other = (score(corpus(5), {"fair": {"weights": {"le": {"tp": 1.0}}}}, Confidence(samples=9)) for _ in range(2))
    assert one["signature"] == other["signature"]
    assert one == other
    tables = ({"A": 0.25, "B": 0.75}, {"B": 0.75, "A": 0.25})
    signatures = {evaluate(count([], create_all({"wrf": {"weights": t}})))["signature"] for t in tables}
    assert len(signatures) == 1


# What makes no interval


@pytest.mark.parametrize(
    ("confidence", "reason"),
    [
        (Confidence(level=0), "level = 0: expected a number between 0 and 1"),
        (Confidence(level=1), "level = 1: expected a number between 0 and 1"),
        (Confidence(level=2), "level = 2: expected a number between 0 and 1"),
        (Confidence(level=-0.5), "level = -0.5: expected a number between 0 and 1"),
        (Confidence(level=float("nan")), "level = nan: expected a number between 0 and 1"),
        (Confidence(samples=0), "samples = 0: expected at least 1"),
        (Confidence(samples=-5), "samples = -5: expected at least 1"),
        (Confidence(seed=-1), "seed = -1: expected a whole number from 0 up"),
    ],
)
def test_settings_that_make_no_interval_are_refused_by_name(confidence, reason):
    with pytest.raises(ValueError, match=reason):
        score(corpus(3), ["strict"], confidence)


@pytest.mark.parametrize(("samples", "seed"), [(0, 0), (-1, 0), (5, -1)])
def test_settings_that_make_no_replicates_are_refused(samples, seed):
    with pytest.raises(ValueError, match=r"samples = |seed = "):
        replicate(count(corpus(3), [create("strict")]), samples, seed)


@pytest.mark.parametrize("documents", [[], [None]], ids=["none", "none annotated"])
@pytest.mark.parametrize("given", ["documents", "replicates"])
def test_without_units_there_is_no_interval_and_no_exception(documents, given):
    counted = count(documents, create_all(), units=True) if given == "documents" else replicated(documents)
    for confidence in (Confidence(), Confidence(samples=1)):
        result = evaluate(counted, confidence)
        for metric in result["metrics"].values():
            for row in rows_of(metric["intervals"]).values():
                assert (row["low"], row["high"], row["flag"]) == (None, None, "undefined")
        json.dumps(result, allow_nan=False)


TWO_TEXTS = [Document([], [(0, 1, "A")], "abc", id="a"), Document([(0, 1, "A")], [], "abc", id="a")]


@pytest.mark.parametrize("documents", [corpus(1), TWO_TEXTS], ids=["one", "two texts of one"])
@pytest.mark.parametrize("given", ["documents", "replicates"])
def test_one_unit_tells_next_to_nothing(documents, given):
    counted = count(documents, create_all(), units=True) if given == "documents" else replicated(documents, 2)
    result = evaluate(counted, Confidence())
    for metric in result["metrics"].values():
        for row in rows_of(metric["intervals"]).values():
            assert row["flag"] in ("few", "undefined")
            assert (row["low"] is None) == (row["flag"] == "undefined")
    f = result["metrics"]["strict"]["intervals"]["scores"]["f"]
    assert f["flag"] == "few" and f["high"] - f["low"] > 0.99
    json.dumps(result, allow_nan=False)


def test_counts_that_do_not_say_what_is_resampled_make_no_interval():
    counts = count(corpus(3), [create("strict")], units=False)
    with pytest.raises(ValueError, match="do not say what is resampled: count with units=True"):
        evaluate(counts, Confidence())


@pytest.mark.parametrize(
    ("limits", "size", "origin"),
    [((-1, 1), 2, -1), ((0, 100), 100, 0), ((-np.inf, np.inf), 1, 0)],
    ids=["from -1 to 1", "percent", "without limits"],
)
def test_a_score_of_other_limits_has_the_interval_of_the_same_score_as_a_ratio(limits, size, origin):
    def formula(columns):
        recall = ratio(columns["tp"], columns["tp"] + columns["fn"])
        return {"r": recall, "other": origin + size * recall}

    metric = Metric(
        scores=(Score("r", headline=True), Score("other", unit="raw", limits=limits)),
        columns={"tp": ("tp",), "fn": ("fn",)},
        formula=formula,
        name="own",
    )
    (found,) = intervals(count(corpus(12), [metric]), Confidence(samples=100)).values()
    for r, other in zip(
        *([row[name] for row in (found["scores"], *found["averages"].values())] for name in ("r", "other"))
    ):
        if np.isfinite(limits).all():
            assert [other[side] for side in ("low", "high")] == [
                near(origin + size * r[side]) for side in ("low", "high")
            ]
            assert (other["k"], other["flag"]) == (r["k"], r["flag"])
        else:
            assert other["flag"] == "undefined" and np.isnan(other["low"])


def test_counts_with_and_without_replicates_or_with_different_ones_are_not_added():
    documents = corpus(4)
    plain_counts, some = count(documents, create_all()), replicated(documents)
    for other, said in (
        (plain_counts, "40 replicates with seed 0, the other no replicates"),
        (replicated(documents, seed=1), "40 replicates with seed 0, the other 40 replicates with seed 1"),
        (replicated(documents, samples=41), "40 replicates with seed 0, the other 41 replicates with seed 0"),
    ):
        with pytest.raises(ValueError, match=said):
            some + other
