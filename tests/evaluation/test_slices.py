"""Slices against the rest: a brute-force twin that leaves units out of the documents and scores the rest again."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from refusals import refused_with
from scipy import stats

from spacy_nereval import Document, compare, count, create, score
from spacy_nereval.core.document_fields import field_value, keep_fields, metadata
from spacy_nereval.evaluation.breakdown import Breakdown
from spacy_nereval.evaluation.resampling import Confidence


def corpus(seed, documents=40, slices=("web", "news", "mail"), shared=1):
    """Documents with noisy predictions, each from one source; every `shared` documents are one unit."""
    drawn, made = random.Random(seed), []
    for number in range(documents):
        spans = [(10 * k, 10 * k + drawn.choice((3, 7)), drawn.choice("AB")) for k in range(drawn.randrange(1, 6))]
        right = drawn.betavariate(4, 2)
        pred = [span for span in spans if drawn.random() < right]
        pred += [(10 * k + 8, 10 * k + 9, "A") for k in range(len(spans)) if drawn.random() < 0.2]
        document = Document(spans, pred, "word words " * 10, id=str(number // shared))
        document.meta = {"source": drawn.choice(slices)}
        made.append(document)
    return made


def f1(documents):
    """Strict F1, by hand."""
    hits = sum(len({*doc.gold} & {*doc.pred}) for doc in documents)
    both = sum(len(doc.gold) + len(doc.pred) for doc in documents)
    return 2 * hits / both if both else math.nan


def effective(documents):
    """Kish's effective number of units, by the spans of both sides."""
    sizes = {}
    for doc in documents:
        sizes[doc.id] = sizes.get(doc.id, 0) + len(doc.gold) + len(doc.pred)
    return sum(sizes.values()) ** 2 / sum(size**2 for size in sizes.values()) if any(sizes.values()) else 0


def variance_and_bearers(whole, left_out):
    """The jackknife variance of Efron and Stein, and Satterthwaite's number of units for its kurtosis."""
    n = len(left_out)
    moved = (n - 1) * (whole - np.array(left_out))
    away = moved - moved.mean()
    second, fourth = (away**2).sum(), (away**4).sum()
    share = fourth / second**2 - 1 / n if second > 0 else 0
    return second / (n * (n - 1)), 2 / share if share > 1e-12 else math.inf


def twin(documents, source):
    """The difference of a slice from the rest, its interval, p and degrees of freedom; None where there is no test."""

    def sides(kept):
        return ([d for d in kept if (d.meta["source"] == source) is inside] for inside in (True, False))

    here, rest = sides(documents)
    a, b, sizes = f1(here), f1(rest), [effective(here), effective(rest)]
    units = [*dict.fromkeys(doc.id for doc in documents)]
    left = [[f1(side) for side in sides([doc for doc in documents if doc.id != unit])] for unit in units]
    if min(sizes) < 6 or not np.isfinite([a, b, *np.ravel(left)]).all():
        return a, b, sizes, None
    joint, _ = variance_and_bearers(a - b, [x - y for x, y in left])
    parts = [variance_and_bearers(value, [row[k] for row in left]) for k, value in enumerate((a, b))]
    if min(variance for variance, _ in parts) <= 0:
        return a, b, sizes, None
    freedom = [max(min(size, bearers) - 1, 1) for size, (_, bearers) in zip(sizes, parts)]
    df = sum(v for v, _ in parts) ** 2 / sum(v**2 / f for (v, _), f in zip(parts, freedom))
    error = math.sqrt(joint)
    p = 2 * stats.t.sf(abs(a - b) / error, df)
    reach = stats.t.ppf(0.975, df) * error
    return a, b, sizes, (p, max(a - b - reach, -1), min(a - b + reach, 1), df)


def holm(p_values):
    """Holm's correction, by hand; None stays None."""
    order = sorted((p, k) for k, p in enumerate(p_values) if p is not None)
    adjusted, greatest = [None] * len(p_values), 0.0
    for rank, (p, k) in enumerate(order):
        greatest = max(greatest, min(1, (len(order) - rank) * p))
        adjusted[k] = greatest
    return adjusted


@given(st.integers(0, 10_000), st.sampled_from([8, 20, 60]), st.sampled_from([1, 2]))
@tries(12)
def test_a_slice_against_the_rest_equals_the_brute_force_twin(seed, number, shared):
    documents = corpus(seed, number, shared=shared)
    result = score(documents, "strict", Confidence(), by="meta.source")["breakdowns"]["meta.source"]
    rows = {bucket: result["metrics"]["strict"][bucket]["rest"] for bucket in result["buckets"]}
    expected = {bucket: twin(documents, bucket) for bucket in rows}
    adjusted = holm([test and test[0] for *_, test in expected.values()])
    for (bucket, (a, b, sizes, test)), p_holm in zip(expected.items(), adjusted):
        row = rows[bucket]
        assert result["metrics"]["strict"][bucket]["scores"]["f"] == pytest.approx(a, nan_ok=True)
        if math.isfinite(b):
            assert row["rest"] == pytest.approx(b)
        assert row["units"] == pytest.approx(sizes)
        if test is None:
            assert row["p"] is row["p_holm"] is row["df"] is None and row["interval"] == [None, None]
        else:
            p, low, high, df = test
            assert row["p"] == pytest.approx(p, abs=1e-9) and row["df"] == pytest.approx(df)
            assert row["interval"] == pytest.approx([low, high], abs=1e-9)
            assert row["p_holm"] == pytest.approx(p_holm, abs=1e-9)
            assert row["tests"] == sum(other[3] is not None for other in expected.values())


def test_fewer_than_six_units_on_either_side_give_no_test():
    documents = corpus(3, 30, ("web",))
    for document in documents[:5]:
        document.meta = {"source": "rare"}
    found = score(documents, "strict", True, by="meta.source")["breakdowns"]["meta.source"]["metrics"]["strict"]
    assert found["rare"]["rest"]["p"] is None and found["web"]["rest"]["p"] is None
    assert found["rare"]["rest"]["tests"] == 0


def test_attributes_of_spans_are_tested_too_though_units_have_both():
    documents = corpus(4, 60)
    found = score(documents, ["strict", "fair"], True, by="cLen:5.5")["breakdowns"]["cLen"]
    assert len(found["buckets"]) == 2
    one, other = (found["metrics"]["fair"][bucket]["rest"] for bucket in found["buckets"])
    assert one["difference"] == pytest.approx(-other["difference"]) and one["p"] == pytest.approx(other["p"])
    assert one["units"] == other["units"][::-1]


def test_without_confidence_there_are_scores_alone():
    row = score(corpus(5), "strict", by="meta.source")["breakdowns"]["meta.source"]["metrics"]["strict"]["web"]
    assert {*row} == {"scores", "counts"}


@pytest.mark.costly
def test_every_metric_has_its_headline_against_the_rest():
    found = score(corpus(6, 60), None, True, by="meta.source")["breakdowns"]["meta.source"]["metrics"]
    assert {name: found[name]["web"]["rest"]["score"] for name in found} == {
        **{"strict": "f", "semeval": "exact_f", "slot_error": "ser", "loio": "f", "fair": "f", "wrf": "r1_f"}
    }
    assert all(0 < found[name]["web"]["rest"]["p"] <= 1 for name in found)


# Comparisons


def test_a_comparison_by_slices_equals_the_comparison_of_each_slice():
    """Swaps of documents outside of a slice change nothing in it, so its own documents alone give the same test."""
    gold = corpus(7, 24, ("web", "news"))
    systems = {"a": [doc.pred for doc in gold], "b": [doc.gold[:1] + doc.pred[:1] for doc in gold]}
    records = [
        {
            "text": doc.text,
            "id": doc.id,
            "meta": dict(doc.meta),
            "spans": [{"start": s.start, "end": s.end, "label": s.label} for s in doc.gold],
        }
        for doc in gold
    ]
    listed = {
        name: [
            record | {"spans": [{"start": s.start, "end": s.end, "label": s.label} for s in {*spans}]}
            for record, spans in zip(records, predicted)
        ]
        for name, predicted in systems.items()
    }
    found = compare(listed, records, "strict", level=0.8, by="meta.source")["breakdowns"]["meta.source"]
    assert found["buckets"] == ["news", "web"] and found["metric"] == "strict"
    for row in found["rows"]:
        kept = [k for k, record in enumerate(records) if record["meta"]["source"] == row["label"]]
        alone = compare(
            {name: [listed[name][k] for k in kept] for name in listed}, [records[k] for k in kept], "strict", level=0.8
        )
        single = next(each for each in alone.rows if each["score"] == "f" and each["label"] is None)
        for name in ("baseline_value", "value", "difference", "differing"):
            assert row[name] == pytest.approx(single[name])
        assert row["interval"] == pytest.approx(single["interval"], abs=0.01)
        assert row["p"] == pytest.approx(single["p"], abs=0.03)  # of random swaps, not all of them


# Fields of documents


def test_values_of_fields():
    meta = {"a.b": "dotted", "a": {"b": "nested", "c": {"d": 3}}, "n": 5, "t": True, "e": "", "l": ["x"]}
    assert field_value(meta, "a.b") == "dotted" and field_value(meta, "a.c.d") == 3.0
    assert field_value(meta, "n") == 5.0 and field_value(meta, "t") == "true"
    assert field_value(meta, "e") is field_value(meta, "x") is field_value(None, "x") is None
    with refused_with(ValueError, "by='meta.l': a document has a list there; expected text or a number"):
        field_value(meta, "l")


def test_other_fields_are_kept_only_if_an_attribute_names_them():
    entry = {"text": "Ada", "source": "web", "topic": {"name": "art"}}
    assert metadata(entry, None) is None
    with keep_fields(["eLen,meta.source", "meta.topic.name:3"]):
        assert metadata(entry, {"source": "mail"}) == {"source": "mail", "topic": {"name": "art"}}
    assert metadata(entry, {"x": 1}) == {"x": 1}


def test_numbers_are_put_in_buckets_and_missing_values_have_one():
    documents = corpus(9, 40)
    for number, document in enumerate(documents):
        document.meta = {} if number % 10 == 0 else {"year": 1990 + number}
    found = score(documents, "strict", by="meta.year:2000,2010")["breakdowns"]["meta.year"]
    assert found["buckets"] == ["below 2000", "2000 to below 2010", "2010 and more", "(no year)"]
    assert sum(found["gold"].values()) == sum(len(document.gold) for document in documents)


def test_a_field_that_no_document_has_or_with_too_many_values_is_refused():
    documents = corpus(10)
    with refused_with(
        ValueError,
        "by='meta.sorce': no document has it: there is no field 'sorce': did you mean 'source'? "
        "There are source (in JSONL under 'meta' or next to the text, in Parquet as a column, in "
        "Label Studio under 'data', in Docs in user_data or doc._, which DocBin stores with "
        "store_user_data=True only)",
    ):
        score(documents, "strict", by="meta.sorce")
    many = corpus(11, 1200)
    for number, document in enumerate(many):
        document.meta = {"source": f"s{number}"}
    with refused_with(
        ValueError,
        "by='meta.source': the field has 1200 values; expected one with at most 1000, such as a source",
    ):
        score(many, "strict", by="meta.source")


def test_an_unknown_attribute_names_all_and_fields():
    with refused_with(
        ValueError,
        "there is no attribute 'source'; there are eLen, cLen, pieces, sLen, eDen, position, case, "
        "oDen, eFre, tFre, eCon, tCon, and fields of the document such as meta.source",
    ):
        Breakdown([create("strict")], "source")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"by": "eCon"}, "eCon needs training data to look spans up in: give train='FILE'"),
        ({"by": "eLen", "train": "x.jsonl"}, "train='x.jsonl' is given, but no attribute looks up spans in it"),
        ({"train": "x.jsonl"}, "train='x.jsonl' is given, but no attribute looks up spans in it"),
    ],
)
def test_training_data_are_needed_where_they_are_given(options, said):
    with pytest.raises(ValueError, match=said):
        score(corpus(12), "strict", **options)


def test_counts_cannot_be_broken_down():
    documents = corpus(13)
    with refused_with(ValueError, "by is given with counts, which were made without it: count again"):
        score(count(documents, [create("strict")]), by="meta.source")
