"""Intervals: resampling by weights against resampling documents, against scipy, and against the truth."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from math import factorial
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.stats
from asking import NEEDED
from hypothesis import given
from hypothesis import strategies as st
from made_up import close, corpus, every_variant, repeated, tallied
from profiles import tries
from recorded import germeval, needs_data
from spacy_nereval.counting.views import View
from strategies import corpora, nested

from spacy_nereval import Confidence, Counts, Document, count, create, create_all, evaluate, names, score
from spacy_nereval.evaluation import intervals as module
from spacy_nereval.evaluation.intervals import intervals, replicate, resamples
from spacy_nereval.evaluation.result import plain
from spacy_nereval.evaluation.scores import averages, document_scores, summarise


def all_scores(result: dict[str, Any], labels: Sequence[str] = (), totals: Sequence[str] = ()) -> dict[str, Any]:
    """What of a metric's result has an interval, flat. Labels that do not occur have no scores, and totals of 0."""
    found = {f"scores.{name}": value for name, value in result["scores"].items()}
    for average, row in result["averages"].items():
        found |= {f"{average}.{name}": value for name, value in row.items() if name != "undefined"}
    for label, row in result["per_type"].items():
        found |= {f"{label}.{name}": value for name, value in row["scores"].items()}
    some_row = next(iter(result["per_type"].values()), {"scores": {}})["scores"]
    for label in set(labels) - result["per_type"].keys():
        found |= {f"{label}.{name}": 0 if name in totals else None for name in some_row}
    return found


def all_intervals(found: dict[str, Any]) -> dict[str, Any]:
    """The intervals of a metric, flat, under the same names."""
    flat = {f"scores.{name}": value for name, value in found["scores"].items()}
    for part in ("averages", "per_type"):
        flat |= {f"{key}.{name}": bounds for key, row in found[part].items() for name, bounds in row.items()}
    return plain(flat)


# Weights times counts


@every_variant
@tries(15)
@given(
    documents=corpora(nested(most=4), most=5).filter(lambda documents: len(documents) > 1),
    seed=st.integers(0, 2**40),
)
def test_the_interval_of_a_single_resample_is_what_the_resampled_documents_score(name, options, documents, seed):
    """Both its bounds, for every score, average and label; the documents are counted anew."""
    metric = create(name, **options)
    counts, once = count(documents, [metric]), Confidence(samples=1, seed=seed)
    (weights,) = (block[0] for block in resamples(counts, once))
    explicit = evaluate(count(repeated(documents, weights), [metric]))["metrics"][name]
    found = intervals(counts, once)[name]
    expected = all_scores(explicit, counts.labels, metric.totals)
    ours = all_intervals(found)
    if explicit["per_type"]:  # else there is no row to say which scores a label has
        assert ours.keys() == expected.keys()
    for place, value in expected.items():
        assert ours[place] == [close({"": value})[""]] * 2, place
    assert sum(found["undefined"].values()) == sum(bounds == [None, None] for bounds in ours.values())


@every_variant
@tries(10)
@given(documents=corpora(nested(most=4), most=4).filter(len), data=st.data())
def test_weights_times_counts_are_the_counts_of_the_weighted_documents(name, options, documents, data):
    """Several samples at once, among them all ones and nothing at all."""
    metric = create(name, **options)
    counts = count(documents, [metric])
    row = st.lists(st.integers(0, 3), min_size=len(documents), max_size=len(documents))
    weights = [data.draw(row), [0] * len(documents), [1] * len(documents), data.draw(row)]
    view = View(counts, metric, weights=np.array(weights, dtype=float))
    summary = summarise(view)
    means = averages(view, summary)
    for k, weight in enumerate(weights):
        explicit = count(repeated(documents, weight), [metric])
        result = evaluate(explicit)["metrics"][name]
        assert plain({key: values[k] for key, values in summary.counts.items()}) == close(result["counts"])
        assert plain({key: values[k] for key, values in summary.scores.items()}) == close(result["scores"])
        for average, found in means.items():
            shown = {key: values[k] for key, values in found.items() if key != "undefined"}
            assert plain(shown) == close({key: result["averages"][average][key] for key in shown}), average
        for j, label in enumerate(counts.labels):
            rows = {key: values[k, j] for key, values in summary.label_counts.items()}
            expected = result["per_type"].get(label, {"counts": dict.fromkeys(rows, 0)})["counts"]
            assert plain(rows) == close(expected)


@every_variant
def test_when_every_document_weighs_one_the_scores_are_those_of_the_corpus(name, options):
    """Whole numbers bit for bit."""
    metric = create(name, **options)
    counts = count(corpus(60), [metric])
    view, plain_view = View(counts, metric, weights=np.ones((1, 60))), View(counts, metric)
    ours, expected = summarise(view), summarise(plain_view)
    for column, value in expected.counts.items():
        if column not in metric.floats:
            assert ours.counts[column][0] == value, column
            assert (
                (ours.label_counts[column][0] == expected.label_counts[column]).all()
                if (column in expected.label_counts)
                else True
            )
    assert {key: value[0] for key, value in ours.scores.items()} == close(expected.scores)
    for key, value in expected.label_scores.items():
        np.testing.assert_allclose(ours.label_scores[key][0], value, atol=1e-12)
    means = averages(plain_view, expected)
    for average, row in averages(view, ours).items():
        assert {k: v[0] for k, v in row.items() if k != "undefined"} == close(
            {k: v for k, v in means[average].items() if k != "undefined"}
        )


def test_the_bounds_are_the_quantiles_of_explicitly_resampled_scores_at_the_level():
    documents = corpus(12)
    counts = count(documents, create_all(["strict", "wrf"]))
    confidence = Confidence(level=0.8, samples=23, seed=3)
    (weights,) = resamples(counts, confidence)
    drawn = [score(repeated(documents, row), ["strict", "wrf"])["metrics"] for row in weights]
    found = intervals(counts, confidence)
    for metric, name in (("strict", "f"), ("strict", "p"), ("wrf", "wrf")):
        values = [one[metric]["scores"][name] for one in drawn]
        assert found[metric]["scores"][name] == pytest.approx(np.quantile(values, [0.1, 0.9]))
    values = [one["strict"]["averages"]["docs"]["f"] for one in drawn]
    assert found["strict"]["averages"]["docs"]["f"] == pytest.approx(np.quantile(values, [0.1, 0.9]))


def test_a_higher_level_gives_wider_intervals():
    counts = count(corpus(40), [create("strict")])
    bounds = [intervals(counts, Confidence(level))["strict"]["scores"]["f"] for level in (0.5, 0.8, 0.95, 0.99)]
    assert [low for low, _ in bounds] == sorted({low for low, _ in bounds}, reverse=True)
    assert [high for _, high in bounds] == sorted({high for _, high in bounds})


def test_resamples_without_a_score_are_left_out_of_its_interval_and_counted():
    """Label B is in one of three documents: whatever misses it has no score for B."""
    documents = [
        Document([(0, 1, "A"), (2, 3, "B")], [(0, 1, "A"), (2, 3, "B")]),
        Document([(0, 1, "A")], []),
        Document([(0, 1, "A")], [(0, 1, "A")]),
    ]
    counts, confidence = count(documents, [create("strict")]), Confidence(samples=200)
    (weights,) = resamples(counts, confidence)
    without = int((weights[:, 0] == 0).sum())
    found = intervals(counts, confidence)["strict"]
    assert 0 < without < 200
    assert found["per_type"]["B"]["f"] == [1.0, 1.0]
    assert found["undefined"]["per_type.B.f"] == without
    nothing_found = int((weights[:, [0, 2]].sum(axis=1) == 0).sum())
    assert found["undefined"]["scores.p"] == nothing_found > 0
    assert "scores.f" not in found["undefined"]


def test_a_score_that_no_resample_has_gets_no_interval():
    result = score([Document([], [(0, 1, "A")])] * 3, ["strict"], Confidence(samples=10))
    found = result["metrics"]["strict"]["intervals"]
    assert found["scores"]["r"] == [None, None]
    assert found["undefined"]["scores.r"] == 10
    json.dumps(result, allow_nan=False)


def test_a_result_with_intervals_has_them_beside_the_same_scores_and_says_how_they_were_drawn():
    documents = corpus(8)
    with_intervals, without = score(documents, None, Confidence(0.9, 20, 5)), score(documents)
    assert with_intervals["confidence"] == {"method": "bootstrap", "level": 0.9, "samples": 20, "seed": 5}
    assert "confidence" not in without
    for name, metric in without["metrics"].items():
        ours = with_intervals["metrics"][name]
        assert {key: value for key, value in ours.items() if key != "intervals"} == metric
        assert ours["intervals"].keys() == {"scores", "averages", "per_type", "undefined"}
        assert all_intervals(ours["intervals"]).keys() == all_scores(metric).keys()
    json.dumps(with_intervals, allow_nan=False)


# Random numbers


def test_the_same_seed_draws_the_same_bytes_everywhere_and_in_every_version():
    """The digests were taken once; a change of them changes what a seed means."""
    counts = count([Document([], [], id=str(k)) for k in range(37)], [create("strict")])
    weights = np.concatenate(list(resamples(counts, Confidence(samples=120, seed=7))))
    digest = sha256(weights.astype("<i8").tobytes()).hexdigest()
    assert digest == "954205f203f61d453a2156b87bfadd27e200a0d69f815d3a2defb9bab5586916"
    poisson = poisson_weights([f"doc {k}" for k in range(37)], 120, 7)
    assert (
        sha256(poisson.astype("<i8").tobytes()).hexdigest()
        == "0d04bbe4edf16eca247342b84f8f57e2f11df79da14062a5db7e2b6afacc043c"
    )


@pytest.mark.costly
def test_the_same_seed_gives_the_same_intervals_in_another_process():
    documents = corpus(9)
    program = (
        "import json, sys; from spacy_nereval import *; "
        "documents = [Document(*row[:3], tokens=row[3], id=row[4]) for row in json.load(sys.stdin)]; "
        "print(json.dumps(score(documents, confidence=Confidence(samples=60))))"
    )
    rows = [[d.gold, d.pred, d.text, d.tokens, d.id] for d in documents]
    there = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONHASHSEED": "5"}
    theirs = subprocess.run(
        [sys.executable, "-c", program], input=json.dumps(rows), env=there, capture_output=True, text=True, check=True
    )
    assert json.loads(theirs.stdout) == score(documents, confidence=Confidence(samples=60))


def test_the_same_seed_gives_the_same_intervals_again_and_others_give_others():
    counts = count(corpus(30), create_all())
    first, again = (json.dumps(evaluate(counts, Confidence(samples=60, seed=1))) for _ in range(2))
    assert first == again
    others = {
        str(intervals(counts, Confidence(samples=60, seed=seed))["strict"]["scores"]) for seed in (0, 1, 2, 2**40)
    }
    assert len(others) == 4


def test_fewer_samples_are_the_first_of_more():
    counts = count(corpus(11), [create("strict")])
    more, fewer = (
        np.concatenate(list(resamples(counts, Confidence(samples=samples, seed=2)))) for samples in (170, 70)
    )
    assert (len(more), len(fewer)) == (170, 70)
    assert (more[:70] == fewer).all()
    assert len(np.unique(more, axis=0)) > 160  # no stream of random numbers comes twice


def test_every_resample_draws_as_many_documents_as_there_are_and_each_equally_often():
    counts = count(corpus(40), [create("strict")])
    weights = np.concatenate(list(resamples(counts, Confidence(samples=2000))))
    assert weights.shape == (2000, 40)
    assert (weights.sum(axis=1) == 40).all()
    assert weights.mean(axis=0) == pytest.approx(np.ones(40), abs=0.12)
    assert weights.var(axis=0) == pytest.approx(np.full(40, 1 - 1 / 40), abs=0.2)


@pytest.mark.parametrize("cells", [1, 40 * 50, 40 * 75])
def test_samples_drawn_some_at_a_time_are_those_drawn_at_once(monkeypatch, cells):
    counts, confidence = count(corpus(40), create_all()), Confidence(samples=130)
    (at_once,) = resamples(counts, confidence)
    expected = {name: all_intervals(found) for name, found in intervals(counts, confidence).items()}
    monkeypatch.setattr(module, "CELLS", cells)
    parts = list(resamples(counts, confidence))
    assert len(parts) > 1
    assert (np.concatenate(parts) == at_once).all()
    for name, found in intervals(counts, confidence).items():
        assert all_intervals(found) == close(expected[name])
        assert found["undefined"] == intervals(counts, confidence)[name]["undefined"]


@pytest.mark.parametrize("cells", [1, 30, 1000])
def test_documents_weighed_some_at_a_time_are_those_weighed_at_once(monkeypatch, cells):
    counts, confidence = count(corpus(25), create_all()), Confidence(samples=10)
    expected = intervals(counts, confidence)
    monkeypatch.setattr("spacy_nereval.counting.shared.BLOCK", cells)
    for name, found in intervals(counts, confidence).items():
        assert all_intervals(found) == close(all_intervals(expected[name]))


# Documents of several texts


def in_sentences() -> list[Document]:
    """Texts of which some share an id, some have none, and one id is a number like a position."""
    ids = ["a", "b", "a", None, "1", "b", None, "a", "c"]
    return [Document(d.gold, d.pred, d.text, tokens=d.tokens, id=id) for d, id in zip(corpus(9), ids)]


def test_texts_that_share_an_id_have_one_weight_and_texts_without_id_their_own():
    counts = count(in_sentences(), [create("strict")])
    (weights,) = resamples(counts, Confidence(samples=400))
    for group in ([0, 2, 7], [1, 5]):
        assert (weights[:, group] == weights[:, group[:1]]).all()
    alone = weights[:, [0, 1, 3, 4, 6, 8]]
    assert (alone.sum(axis=1) == 6).all()
    assert len(np.unique(alone, axis=1).T) == 6


def test_intervals_of_documents_in_sentences_are_those_of_the_documents_drawn_as_wholes():
    documents = in_sentences()
    counts, once = count(documents, create_all()), Confidence(samples=1, seed=11)
    (weights,) = (block[0] for block in resamples(counts, once))
    explicit = score(repeated(documents, weights))["metrics"]
    for name, found in intervals(counts, once).items():
        ours = all_intervals(found)
        for place, value in all_scores(explicit[name]).items():
            assert ours[place] == [close({"": value})[""]] * 2


# Poisson


def poisson_weights(ids: Sequence[str | None], samples: int, seed: int, source: str = "") -> np.ndarray:
    """The weights behind replicates, [samples, documents]: every document has one span, of a label of its own."""
    labels = [f"{k:05}" for k in range(len(ids))]
    counts = count([Document([(0, 1, label)], [], id=id) for label, id in zip(labels, ids)], [create("strict")])
    counts.sources = [source]
    return replicate(counts, samples, seed).tapes["strict"]["spans1"][:, :, 0]


def replicated(documents: Sequence[Document], samples: int = 40, seed: int = 0, metrics: Any = None) -> Counts:
    counts = count(documents, create_all(metrics))
    counts.replicates = replicate(counts, samples, seed)
    return counts


def test_poisson_weights_have_mean_one_variance_one_and_the_law_of_poisson():
    weights = poisson_weights([str(k) for k in range(300)], 400, 0)
    assert weights.mean() == pytest.approx(1, abs=0.01)
    assert weights.var() == pytest.approx(1, abs=0.02)
    for k in range(5):
        assert (weights == k).mean() == pytest.approx(np.exp(-1) / factorial(k), abs=0.005)
    assert weights.mean(axis=0) == pytest.approx(np.ones(300), abs=0.25)
    assert weights.mean(axis=1) == pytest.approx(np.ones(400), abs=0.3)


def test_poisson_weights_of_documents_and_of_samples_are_independent():
    weights = poisson_weights([str(k) for k in range(300)], 400, 0)
    for a, b in ((weights[:, 1:], weights[:, :-1]), (weights[1:], weights[:-1])):
        assert np.corrcoef(a.ravel(), b.ravel())[0, 1] == pytest.approx(0, abs=0.012)


def test_poisson_weights_depend_on_the_id_and_the_seed_and_on_nothing_else():
    ids = ["a", "b", "ü/\"'", "c"]
    weights = poisson_weights(ids, 50, 3)
    assert (poisson_weights(ids[::-1], 50, 3)[:, ::-1] == weights).all()
    assert (poisson_weights([*ids[2:], "more"], 50, 3, source="elsewhere")[:, :2] == weights[:, 2:]).all()
    assert (poisson_weights(ids, 80, 3)[:50] == weights).all()
    assert not (poisson_weights(ids, 50, 4) == weights).all(axis=0).any()
    assert len(np.unique(weights, axis=1).T) == 4


def test_texts_that_share_an_id_have_one_poisson_weight():
    weights = poisson_weights(["a", "b", "a"], 50, 0)
    assert (weights[:, 0] == weights[:, 2]).all()
    assert (weights[:, 0] != weights[:, 1]).any()


def test_texts_without_id_have_poisson_weights_of_their_own_in_every_file():
    one, other = (poisson_weights([None] * 3, 50, 0, source=source) for source in ("one", "other"))
    assert len(np.unique(np.concatenate([one, other], axis=1), axis=1).T) == 6


@every_variant
def test_a_poisson_replicate_is_what_the_weighted_documents_score(name, options):
    documents = corpus(8)
    metric = create(name, **options)
    (weights,) = poisson_weights([document.id for document in documents], 1, 5)
    explicit = evaluate(count(repeated(documents, weights), [metric]))["metrics"][name]
    found = intervals(replicated(documents, 1, 5, {name: options}), Confidence())[name]
    assert all_intervals(found) == {
        place: [close({"": value})[""]] * 2 for place, value in all_scores(explicit, "ABC", metric.totals).items()
    }


@every_variant
def test_replicates_of_parts_add_up_to_the_replicates_of_the_whole(name, options):
    """Bit for bit where whole numbers are added. Each part has a label that the others lack."""
    parts = [corpus(6, 1, "BA"), corpus(5, 2, "CA"), corpus(7, 3, "AC"), corpus(1, 9, "B")]
    for number, part in enumerate(parts):
        for document in part:
            document.id = f"{number}.{document.id}"
    metrics = {name: options}
    whole = replicated([document for part in parts for document in part], metrics=metrics)
    first, second, third, fourth = (replicated(part, metrics=metrics) for part in parts)
    assert first.labels != second.labels
    for merged in (first + second + third + fourth, first + (second + (third + fourth))):
        assert merged.replicates.labels == whole.replicates.labels
        ours, expected = merged.replicates.tapes[name], whole.replicates.tapes[name]
        assert ours.keys() == expected.keys()
        whole_numbers = 0
        for key, values in expected.items():
            assert ours[key].shape == values.shape
            if (values == np.round(values)).all():
                whole_numbers += 1
                assert (ours[key] == values).all(), key
            else:
                np.testing.assert_allclose(ours[key], values, rtol=1e-12, err_msg=key)
        assert whole_numbers >= 3
        assert any(key.startswith("docs.") for key in expected)
        found, right = (intervals(counts, Confidence())[name] for counts in (merged, whole))
        assert all_intervals(found) == close(all_intervals(right))
        assert found["undefined"] == right["undefined"]


def test_parts_in_any_order_merge_to_the_same_poisson_intervals():
    documents = corpus(20)
    expected = intervals(replicated(documents), Confidence())
    order = Random(1).sample(range(20), 20)
    a, b = (replicated([documents[k] for k in half]) for half in (order[:7], order[7:]))
    for name, found in intervals(a + b, Confidence()).items():
        assert all_intervals(found) == close(all_intervals(expected[name]))


def test_intervals_of_counts_with_replicates_come_from_these_and_say_so():
    counts = replicated(corpus(10), samples=30, seed=9)
    result = evaluate(counts, Confidence(level=0.9, samples=7, seed=1))
    assert result["confidence"] == {"method": "poisson", "level": 0.9, "samples": 30, "seed": 9}
    assert "poisson:30,seed:9" in result["signature"]
    counts.replicates = None
    assert "poisson" not in evaluate(counts, Confidence())["signature"]


def test_poisson_intervals_agree_with_those_of_the_bootstrap_within_sampling_error():
    """A bound of 2000 samples is off by 0.06 standard deviations; 0.3 are allowed between the two."""
    documents = corpus(150)
    counts = count(documents, create_all())
    bootstrap = intervals(counts, Confidence(samples=2000))
    counts.replicates = replicate(counts, 2000, 0)
    poisson = intervals(counts, Confidence())
    assert poisson != bootstrap
    for name, found in poisson.items():
        totals = create(name).totals  # numbers of spans vary with the number of documents
        ours, theirs = all_intervals(found), all_intervals(bootstrap[name])
        for place, bounds in theirs.items():
            if place.split(".")[-1] not in totals:
                tolerance = 0.3 * (bounds[1] - bounds[0]) / 3.92 + 1e-9
                assert ours[place] == pytest.approx(bounds, abs=tolerance), (name, place)


# Other programs


GERMEVAL = create_all(["strict", "slot_error", "loio", "fair"])


@needs_data
@pytest.mark.parametrize("number", [5100, 300])
def test_scipys_bootstrap_agrees_on_real_counts_within_sampling_error(number):
    """Percentiles, paired over the documents. Bounds of 1000 and 2000 samples are apart
    by 0.1 standard deviations of the score; 0.4 is allowed."""
    counts = count(germeval()[:number], GERMEVAL)
    found = intervals(counts, Confidence())
    strict, loio, fair = (
        {name: values.astype(float) for name, values in View(counts, counts.metrics[k]).sums(by_document=True).items()}
        for k in (0, 2, 3)
    )
    doc_f = document_scores(View(counts, counts.metrics[0]))["f"]

    def f(tp, fp, fn, axis):
        tp, fp, fn = (values.sum(axis) for values in (tp, fp, fn))
        return 2 * tp / (2 * tp + fp + fn)

    halves = sum(fair[name] for name in ("le", "be_s", "be_l", "be_o", "lbe")) / 2
    credit = loio["exact"] + 0.75 * loio["overlap"]
    expected = {
        ("strict", "f"): ((strict["tp"], strict["fp"], strict["fn"]), f),
        ("fair", "f"): ((fair["tp"], fair["fp"] + halves, fair["fn"] + halves), f),
        ("loio", "f"): ((credit, loio["pred"] - credit, loio["gold"] - credit), f),
        ("strict", "r"): ((strict["tp"], strict["fn"]), lambda tp, fn, axis: tp.sum(axis) / (tp + fn).sum(axis)),
        ("strict", "docs"): ((doc_f[np.isfinite(doc_f)],), np.mean),
    }
    for (metric, name), (data, statistic) in expected.items():
        interval = scipy.stats.bootstrap(
            data, statistic, n_resamples=2000, batch=100, paired=True, vectorized=True, method="percentile", rng=1
        ).confidence_interval
        ours = found[metric]["averages"]["docs"]["f"] if name == "docs" else found[metric]["scores"][name]
        tolerance = 0.4 * (interval.high - interval.low) / 3.92
        assert ours == pytest.approx([interval.low, interval.high], abs=tolerance), (metric, name)


def test_the_interval_covers_the_truth_as_often_as_its_level_says():
    """300 corpora drawn from a population whose strict F is known: 95 % intervals hold it in 92 to 98 %."""
    kinds = [(tp, fp, fn) for tp in range(5) for fp in range(3) for fn in range(3)]
    chance = np.array([1 / (1 + abs(tp - 2) + 2 * fp + fn) for tp, fp, fn in kinds])
    chance /= chance.sum()
    tp, fp, fn = chance @ np.array(kinds)
    truth = 2 * tp / (2 * tp + fp + fn)
    samples = np.random.Generator(np.random.PCG64(42))
    metrics = [create("strict")]
    held = below = 0
    for seed in range(300):
        drawn = samples.choice(len(kinds), size=100, p=chance)
        counts = count([tallied(*kinds[k]) for k in drawn], metrics)
        low, high = intervals(counts, Confidence(samples=400, seed=seed))["strict"]["scores"]["f"]
        held += low <= truth <= high
        below += truth < low
    assert 0.92 <= held / 300 <= 0.98
    assert 0 < below < 300 - held  # it is missed on either side


# The signature


def test_the_signature_names_the_intervals_and_all_that_changes_them():
    documents = corpus(6)
    counts = count(documents, create_all())

    def signed(**confidence):
        return evaluate(counts, Confidence(**{"samples": 10, **confidence}))["signature"]

    signatures = [evaluate(counts)["signature"], signed(), signed(samples=11), signed(seed=1), signed(level=0.9)]
    counts.replicates = replicate(counts, 10, 0)
    signatures.append(signed())
    counts.replicates = replicate(counts, 11, 0)
    signatures.append(signed())
    counts.replicates = replicate(counts, 11, 1)
    signatures += [signed(), signed(level=0.9)]
    assert len(set(signatures)) == len(signatures)
    assert "|bs:10,seed:0" in signatures[1]
    assert "|poisson:10,seed:0" in signatures[5]


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
    for table, shown in (
        ({"strict": {}}, "strict"),
        ({"loio": {"s": 0.75, "beta": 1}}, "loio"),
        ({"loio": {"s": 0.5}, "fair": {"unit": "token"}}, "loio:s=0.5|fair:unit=token"),
        ({"wrf": {"weights": {"B": 0.5, "A": 0.5}}}, "wrf:weights={A:0.5,B:0.5}"),
    ):
        counts = count(corpus(0), create_all(table))
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
        (Confidence(level=0), "level = 0: a number between 0 and 1"),
        (Confidence(level=1), "level = 1: a number between 0 and 1"),
        (Confidence(level=2), "level = 2: a number between 0 and 1"),
        (Confidence(level=-0.5), "level = -0.5: a number between 0 and 1"),
        (Confidence(level=float("nan")), "level = nan: a number between 0 and 1"),
        (Confidence(samples=0), "samples = 0: at least 1"),
        (Confidence(samples=-5), "samples = -5: at least 1"),
        (Confidence(seed=-1), "seed = -1: a whole number from 0 up"),
    ],
)
def test_settings_that_make_no_interval_are_refused_by_name(confidence, reason):
    with pytest.raises(ValueError, match=reason):
        score(corpus(3), ["strict"], confidence)


@pytest.mark.parametrize(("samples", "seed"), [(0, 0), (-1, 0), (5, -1)])
def test_settings_that_make_no_replicates_are_refused(samples, seed):
    with pytest.raises(ValueError, match=r"samples = |seed = "):
        replicate(count(corpus(3), [create("strict")]), samples, seed)


@pytest.mark.parametrize(
    "documents",
    [[], corpus(1), [Document([], [], id="a"), Document([], [], id="a")], [None, corpus(1)[0]]],
    ids=["none", "one", "two texts of one", "one annotated"],
)
def test_fewer_than_two_documents_make_no_interval(documents):
    with pytest.raises(ValueError, match="at least two documents"):
        score(documents, ["strict"], Confidence())
    score(documents, ["strict"])


def test_fewer_than_two_documents_make_no_interval_from_replicates_either():
    with pytest.raises(ValueError, match="at least two documents"):
        evaluate(replicated(corpus(1)), Confidence())


def test_counts_with_and_without_replicates_or_with_different_ones_are_not_added():
    documents = corpus(4)
    plain_counts, some = count(documents, create_all()), replicated(documents)
    for other, said in (
        (plain_counts, "40 replicates of seed 0, the other no replicates"),
        (replicated(documents, seed=1), "40 replicates of seed 0, the other 40 replicates of seed 1"),
        (replicated(documents, samples=41), "40 replicates of seed 0, the other 41 replicates of seed 0"),
    ):
        with pytest.raises(ValueError, match=said):
            some + other
