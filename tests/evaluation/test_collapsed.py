"""Collapsed counts say what those of all documents say, however counted and merged, of one system and of two."""

import json
import math
import re
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from compared import compare
from hypothesis import given
from hypothesis import strategies as st
from made_up import corpus, every_table, second, tallied
from profiles import tries
from refusals import refused_with
from scipy.stats import t
from strategies import corpora, nested

from spacy_nereval import Confidence, Counts, Document, count, create, create_all, evaluate
from spacy_nereval.counting import batch
from spacy_nereval.evaluation import collapsing
from spacy_nereval.evaluation.collapsing import collapse, count_collapsed, unit_numbers
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.intervals import draw_replicates
from spacy_nereval.evaluation.resampling import half_samples
from spacy_nereval.evaluation.result import disagreement, document_rows
from spacy_nereval.io.count_files import load, save
from spacy_nereval.reporting.comparison_view import ComparisonView

ALL = create_all()
SAMPLES = 40


def kept(documents: list[Document], metrics: Any = ALL, seed: int = 0) -> Counts:
    """The counts of documents, with half-samples, as they were before there were collapsed ones."""
    counts = count(documents, metrics)
    counts.replicates = draw_replicates(counts, SAMPLES, seed)
    return counts


def result(counts: Counts) -> str:
    """Scores and intervals of counts; those with documents are collapsed first."""
    return json.dumps(evaluate(counts if counts.collapsed else collapse(counts), Confidence()))


def content(counts: Counts, path: Any) -> str:
    """The hash of everything in a count file."""
    save(counts, path)
    with np.load(path) as archive:
        return json.loads(archive["header"].tobytes())["digest"]


@every_table
def test_the_result_is_that_of_all_documents_to_the_last_digit(table):
    metrics = create_all({"strict": {}} | table)
    documents = [*corpus(11), None, *corpus(9, 3, "BD", named=False)]
    full = kept(documents, metrics)
    assert json.dumps(evaluate(collapse(full, SAMPLES))) == json.dumps(evaluate(full))
    assert result(count_collapsed(iter(documents), metrics, SAMPLES)) == result(full)


@pytest.fixture
def short_blocks(monkeypatch):
    for module in (batch, collapsing):
        monkeypatch.setattr(module, "TOGETHER", 4)


def in_units(documents: list[Document], keys: str, rule: str) -> list[Document]:
    for document, key in zip(documents, keys):
        document.unit, document.unit_rule = key, rule
    return documents


KEYS = "aaaaaaaaabbcccccccccdefffg"


def test_units_that_begin_in_one_block_and_end_in_another_are_one_unit(short_blocks):
    documents = in_units(corpus(len(KEYS)), KEYS, "block:9")
    full, found = kept(documents), count_collapsed(iter(documents), ALL, SAMPLES)
    assert result(found) == result(full)
    assert found.collapsed.units == 7
    assert found.collapsed.squares[-1] == sum(KEYS.count(key) ** 2 for key in set(KEYS))


def test_units_by_further_rules_in_a_later_block_are_named(short_blocks):
    documents = [*corpus(6), *in_units([*corpus(6, 1)], "uuvvww", "meta.source")]
    full, found = kept(documents), count_collapsed(iter(documents), ALL, SAMPLES)
    assert found.unit == full.unit == "id and meta.source"


def test_blocks_with_other_labels_and_no_spans_add_up(short_blocks):
    documents = [*corpus(6, 1, "C"), *(Document([], [], id=f"none {k}") for k in range(9)), *corpus(5, 2, "AB")]
    for k, document in enumerate(documents):
        document.id = str(k)
    assert result(count_collapsed(iter(documents), ALL, SAMPLES)) == result(kept(documents))


def test_what_was_left_out_on_reading_is_kept(short_blocks):
    documents = [*corpus(9), None, None]
    documents[2].ignored, documents[7].repaired = 2, 3
    found = count_collapsed(iter(documents), ALL, SAMPLES)
    assert (found.documents, found.skipped, found.ignored, found.repaired) == (9, 2, 2, 3)
    assert (found.ids, found.units, found.cells.shape[0]) == ([], [], 1)


def tree(parts: list[Counts], random: Random) -> Counts:
    """The sum of all parts, in any order and nested in any way."""
    parts = random.sample(parts, len(parts))
    while len(parts) > 1:
        place = random.randrange(len(parts) - 1)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return parts[0]


def test_every_order_and_tree_of_merging_gives_the_same_bits(tmp_path):
    documents = corpus(60, labels="ABCDE")
    whole = kept(documents)
    edges = [0, 1, 5, 20, 21, 44, 60]
    parts = [count_collapsed(iter(documents[a:b]), ALL, SAMPLES) for a, b in pairwise(edges)]
    for k, part in enumerate(parts):
        part.sources, part.parts = [f"{k}.jsonl"], [f"{k:032x}"]
    found = {content(tree(parts, Random(seed)), tmp_path / "a.npz") for seed in range(8)}
    assert len(found) == 1
    loaded = load(tmp_path / "a.npz")
    assert result(loaded) == result(whole)
    assert loaded.parts == [f"{k:032x}" for k in range(6)]
    assert loaded.sources == [f"{k}.jsonl" for k in range(5)]  # the rest would grow with the corpus
    assert content(loaded, tmp_path / "b.npz") in found


@tries(15)
@given(parts=st.lists(corpora(nested(), most=3), min_size=1, max_size=4))
def test_any_corpora_add_up_to_the_counts_of_the_whole(parts):
    whole = kept([document for part in parts for document in part])
    found = [collapse(count(part, ALL), SAMPLES) for part in parts]
    together = tree(found, Random(len(parts)))
    assert together.totals() == {key: number for key, number in sorted(whole.totals().items())}
    mine, theirs = (json.loads(result(counts)) for counts in (together, whole))
    for numbers in (mine, theirs):  # documents of the parts share ids, so units are apart
        numbers.pop("confidence"), numbers.pop("signature")
        for own in numbers["metrics"].values():
            own.pop("intervals")
    assert mine == theirs
    assert together.replicates.settings == whole.replicates.settings
    for ours, expected in zip(together.replicates.sums.arrays, whole.replicates.sums.arrays):
        assert (ours == expected).all()


def test_parts_of_different_pipelines_are_of_none():
    parts = [collapse(count(corpus(2), ALL), SAMPLES) for _ in range(3)]
    for part, pipeline in zip(parts, "aab"):
        part.collapsed = part.collapsed._replace(pipeline=pipeline)
    assert [(parts[0] + part).collapsed.pipeline for part in parts] == ["a", "a", ""]


def test_the_size_of_a_file_does_not_depend_on_the_number_of_documents(tmp_path):
    sizes = []
    for number in (100, 1000):
        counts = count_collapsed(iter(corpus(number)), create_all(["strict", "fair"]), SAMPLES)
        save(counts, path := tmp_path / "a.npz")
        with np.load(path) as archive:
            sizes.append({name: archive[name].shape for name in archive.files if name != "header"})
    assert sizes[0] == sizes[1]


def test_effective_units_come_from_half_samples_where_documents_of_a_unit_are_apart():
    documents = in_units(corpus(600, named=False), "abcdefghijklmnopqrst" * 30, "meta.author")
    full, found = count(documents, ALL), count_collapsed(iter(documents), ALL, 2000)
    expected = evaluate(full, Confidence(samples=10))["confidence"]
    drawn = evaluate(found, Confidence())["confidence"]
    assert expected["units"] == 20 and drawn["units"] is None
    assert drawn["effective_units"] == pytest.approx(expected["effective_units"], rel=6 * (2 / 2000) ** 0.5)
    assert "units:?" in evaluate(found, Confidence())["signature"]


def test_the_number_of_units_is_not_known_where_an_id_occurs_here_and_there():
    documents = corpus(600, named=False)
    for document, id in zip(documents, "abcdefghijklmnopqrst" * 30):
        document.id = id
    drawn = evaluate(count_collapsed(iter(documents), [create("strict")], 200), Confidence())["confidence"]
    assert (drawn["unit"], drawn["units"]) == ("id", None)


def test_repeated_texts_without_ids_are_no_evidence_of_many_units():
    """All of them are one unit, which only half-samples know."""
    documents = [each for k in range(30) for each in (Document([(0, 3, "Z")], [], "Ada"), corpus(1, k, named=False)[0])]
    strict = [create("strict")]
    intervals = evaluate(count(documents, strict), Confidence())["metrics"]["strict"]["intervals"]["per_type"]
    found = evaluate(count_collapsed(iter(documents), strict), Confidence())["metrics"]["strict"]["intervals"]
    assert intervals["Z"]["r"]["k"] == 1
    assert found["per_type"]["Z"]["r"]["k"] == pytest.approx(1, rel=0.2)
    assert unit_numbers(count_collapsed(iter(documents), strict, 0)).effective["Z"] == 30  # as the squares say


def test_half_samples_of_thousands_of_labels_are_told_once_before_they_fill_the_memory(monkeypatch, recwarn):
    counts = count([Document([(0, 3, f"C{k}")], [], id=str(k)) for k in range(50)], [create("strict")])
    for limit, said in ((10**9, []), (1000, ["100 half-samples of 50 labels take 0.0 GB"])):
        monkeypatch.setattr(collapsing, "LARGE", limit)
        collapser = collapsing.Collapser(counts.metrics, 100)
        collapser.add(counts)
        collapser.add(counts)
        assert [str(each.message)[:41] for each in recwarn] == said


def test_without_half_samples_there_are_scores_and_no_intervals():
    full, found = count(corpus(20), ALL), count_collapsed(iter(corpus(20)), ALL, 0)
    assert evaluate(found) == evaluate(full)
    with refused_with(
        ValueError,
        "these collapsed counts have no half-samples, and there are no documents to resample: count "
        "the corpus again with replicates=",
    ):
        evaluate(found, Confidence())


@pytest.mark.parametrize(("name", "options"), [("tmr", {}), ("mentions", {"scope": "hits"})])
def test_metrics_that_need_the_whole_corpus_are_refused(name, options):
    with pytest.raises(ValueError, match=f"{name} depends on the corpus as a whole"):
        count_collapsed(iter([]), [create(name, **options)])


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (document_rows, "scores of documents"),
        (disagreement, "scores of documents"),
        (lambda counts: draw_replicates(counts, 10, 0), "units to resample"),
        (lambda counts: counts + count(corpus(9), ALL), "one is collapsed, the other has documents"),
        (lambda counts: counts + collapse(count(corpus(9), ALL), 41), "40 half-samples with seed 0, the other 41"),
        (lambda counts: counts + collapse(count(corpus(9), ALL), 40, 1), "40 half-samples with seed 1"),
        (lambda counts: collapse(counts, 40), "collapsed already"),
    ],
)
def test_what_needs_documents_is_refused_in_words(ask, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        ask(collapse(count(corpus(9), ALL), SAMPLES))


@pytest.mark.parametrize("name", ["counts", "means", "documents"])
def test_sums_that_would_overflow_are_refused(name):
    counts = collapse(count(corpus(9), create_all(["strict"])), SAMPLES)
    getattr(counts.collapsed.sums, name).reshape(-1)[0] = (1 << 61) + 7
    with refused_with(
        ValueError,
        "amounts or scores add up to more than 4e+09, too much to be exact: use smaller weights",
    ):
        counts + counts


METRICS = create_all(["strict", "fair", "slot_error", "wrf"])


def collapsed(documents: list[Document], samples: int = 400, seed: int = 0, metrics: Any = METRICS) -> Counts:
    return collapse(count(documents, metrics), samples, seed)


def rows(a: list[Document], b: list[Document], **how: Any) -> dict[tuple[str, str, str | None], dict[str, Any]]:
    found = compare(collapsed(a), collapsed(b), labels=True, **how)
    return {(row["metric"], row["score"], row["label"]): row for row in found}


DOCUMENTS = corpus(150)


def test_differences_are_those_of_all_documents_and_intervals_are_close_to_those_of_the_swaps():
    a, b = DOCUMENTS, second(DOCUMENTS)
    found = rows(a, b)
    full = compare(count(a, METRICS), count(b, METRICS), labels=True, trials=2000)
    assert [(row["metric"], row["score"], row["label"]) for row in full] == [*found]
    # Collapsed counts do not say that a few units say nothing about precision or recall.
    most = {row["label"]: row["k"] for row in full if (row["metric"], row["score"]) == ("strict", "f")}
    for expected in full:
        row = found[expected["metric"], expected["score"], expected["label"]]
        for key in ("baseline_value", "value", "difference", "family", "headline", "score_unit"):
            assert row[key] == expected[key], key
        assert math.isnan(row["p"]) and row["differing"] is None
        assert row["k"] == pytest.approx(expected["k"], rel=0.05) and row["k"] <= most[row["label"]] * (1 + 1e-9)
        if math.isfinite(expected["interval"][0]):
            width = expected["interval"][1] - expected["interval"][0]
            assert np.allclose(row["interval"], expected["interval"], atol=0.1 * width)
            assert row["detectable"] == pytest.approx(expected["detectable"], rel=0.2)
        else:
            assert math.isnan(row["standard_error"])


def test_the_standard_error_is_the_spread_of_the_differences_in_the_half_samples():
    """Computed by hand, from the documents of each half-sample."""
    a, b = DOCUMENTS[:40], second(DOCUMENTS[:40])
    gaps = []
    for bits in half_samples(0, [document.id for document in a], 400):
        f = []
        for side in (a, b):
            half = [d for d, bit in zip(side, bits) if bit]
            tp = sum(len(d.hits) for d in half)
            f.append(2 * tp / sum(len(d.gold) + len(d.pred) for d in half))
        gaps.append(f[1] - f[0])
    low, high = np.quantile(gaps, [0.15865525393145707, 1 - 0.15865525393145707])
    assert rows(a, b)["strict", "f", None]["standard_error"] == pytest.approx((high - low) / 2, rel=1e-9)


def test_the_systems_in_the_other_order_differ_the_other_way_round():
    there, back = rows(DOCUMENTS, second(DOCUMENTS)), rows(second(DOCUMENTS), DOCUMENTS)
    for key, row in there.items():
        other = back[key]
        assert np.allclose(row["interval"], [-other["interval"][1], -other["interval"][0]], equal_nan=True)
        assert np.isclose(row["standard_error"], other["standard_error"], equal_nan=True)


STRICT = create_all(["strict"])
FULL = [d for d in corpus(200, 5) if d.gold and d.pred]


def changed(number: int) -> list[Document]:
    """The first system, but for so many documents, in each of which it misses all."""
    return [
        Document(d.gold, d.pred if k >= number else [], d.text, tokens=d.tokens, id=d.id) for k, d in enumerate(FULL)
    ]


@pytest.mark.parametrize(("number", "known"), [(0, False), (1, False), (5, False), (6, True), (30, True)])
def test_there_is_an_interval_only_if_half_samples_prove_that_six_units_differ(number, known):
    _, _, row = compare(collapsed(changed(0), metrics=STRICT), collapsed(changed(number), metrics=STRICT))
    assert row["score"] == "f"
    assert math.isfinite(row["interval"][0]) is known
    assert math.isfinite(row["standard_error"]) is known


def test_an_interval_ends_at_the_greatest_difference_that_there_can_be():
    gold = [(0, 3, "A")]
    wrong, right = ([Document(gold, gold * (k < number), id=str(k)) for k in range(40)] for number in (1, 39))
    _, _, row = compare(collapsed(wrong, metrics=STRICT), collapsed(right, metrics=STRICT))
    reach = t.ppf(0.975, row["k"] - 1) * row["standard_error"]
    assert row["difference"] + reach > 1
    assert row["interval"] == pytest.approx([row["difference"] - reach, 1])


def test_systems_are_the_same_within_what_the_interval_at_a_lower_level_spans():
    sides = collapsed(changed(0), metrics=STRICT), collapsed(changed(7), metrics=STRICT)
    _, _, row = compare(*sides)
    reach = t.ppf(0.95, row["k"] - 1) * row["standard_error"]
    for more in (-0.01, 0.01):
        margin = 100 * (abs(row["difference"]) + reach) + more
        _, _, again = compare(*sides, primary="strict.f", margin=margin)
        assert again["same_within"] == (margin if more > 0 else None)


def test_a_label_in_which_few_units_differ_has_no_interval():
    same = [tallied(2, 0, 0, f"a{k}") for k in range(30)]
    sides = [[tallied(1 + k % 3 - less, k % 2, k % 5 + less, f"b{k}", "B") for k in range(60)] for less in (0, 1)]
    strict = [collapsed([*same, *side], metrics=STRICT) for side in sides]
    found = {(row["score"], row["label"]): row for row in compare(*strict, labels=True)}
    assert math.isnan(found["f", "A"]["standard_error"])
    assert math.isfinite(found["f", "B"]["standard_error"])


OTHER_IDS = [Document(d.gold, d.pred, d.text, tokens=d.tokens, id=f"x{d.id}") for d in DOCUMENTS[:30]]
LESS_GOLD = [Document(d.gold[1:], d.pred, d.text, tokens=d.tokens, id=d.id) for d in DOCUMENTS[:30]]


@pytest.mark.parametrize(
    ("b", "said"),
    [
        (collapsed(DOCUMENTS[:30], seed=1), "400 half-samples with seed 0, the other 400 half-samples with seed 1"),
        (count(DOCUMENTS[:30], METRICS), "one is collapsed, the other has documents"),
        (collapsed(DOCUMENTS[:29]), "not counted on the same documents; they have 30 documents"),
        (collapsed([*DOCUMENTS[:29], DOCUMENTS[31]]), "not counted on the same documents"),
        (collapsed(DOCUMENTS[:30], metrics=[create("strict")]), "one has the metrics"),
        (collapsed(OTHER_IDS), "not counted on the same documents, though as many: texts or ids differ"),
        (collapsed(LESS_GOLD), "not counted on the same documents; they have 30 documents"),
    ],
)
def test_systems_that_are_not_comparable_are_refused(b, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        compare(collapsed(DOCUMENTS[:30]), b)


def test_what_needs_documents_or_half_samples_is_refused():
    a, none = collapsed(DOCUMENTS[:9]), collapsed(DOCUMENTS[:9], 0)
    with refused_with(
        ValueError,
        "collapsed counts keep no documents, so they have no permutation tests (trials=): count the "
        "corpus again without collapse=True",
    ):
        compare(a, a, trials=100)
    with refused_with(
        ValueError,
        "collapsed counts keep no documents, so they have no means of training runs: count the "
        "corpus again without collapse=True",
    ):
        comparison([System("a", [a, a]), System("b", a)], [])
    with refused_with(
        ValueError,
        "these collapsed counts have no half-samples, and there are no documents to resample: count "
        "the corpus again with replicates=",
    ):
        compare(none, none)


def test_the_result_and_its_tables_say_how_it_was_compared():
    sides = DOCUMENTS, second(DOCUMENTS)
    found = comparison(
        [System(name, collapsed(side, metrics=STRICT)) for name, side in zip("ab", sides)], [], Confidence()
    )
    assert found["collapsed"] is True and found["swaps"] is None and found["units"] == 150
    assert found["confidence"] == {"level": 0.95, "samples": 400, "seed": 0}
    assert "half:400,seed:0" in found["signature"] and "swaps" not in found["signature"]
    row = found["comparisons"][2]
    assert "there is no test" in row["verdict"]
    assert (row["p"], row["p_holm"], row["tests"]) == (None, None, 0)
    table = next(ComparisonView(found).tables(["differences"]))
    assert table.header[-2:] == ["standard error", "detectable"]
    assert table.rows[0][-2] == pytest.approx(row["standard_error"])
    assert [*ComparisonView(found).tables(["all-differences"])]
    said = ComparisonView(found).test_lines()[0]
    assert "no permutation test and no p-value" in said and "400 half-samples" in said


@pytest.mark.slow
def test_intervals_of_differences_cover_them():
    """The second system finds each span with a known chance, so that the expected difference is known."""
    random, covered, metrics = np.random.default_rng(0), 0, create_all(["strict"])
    for seed in range(30):
        golds = random.integers(1, 6, 80)
        sides = []
        for chance in (0.8, 0.7):
            found = [int(random.binomial(n, chance)) for n in golds]
            documents = [tallied(tp, 0, int(n) - tp, f"{seed} {k}") for k, (n, tp) in enumerate(zip(golds, found))]
            counts = count(documents, metrics)
            counts.replicates = draw_replicates(counts, 1000, 0)
            sides.append(collapse(counts))
        row = compare(*sides)[1]
        assert row["score"] == "r"
        covered += row["interval"][0] <= -0.1 <= row["interval"][1]
    assert covered >= 0.85 * 30


@pytest.mark.parametrize("saved", [False, True])
def test_systems_whose_gold_spans_lie_elsewhere_are_refused(tmp_path, saved):
    """A span of one document is a character longer: as many spans of each label, in every half-sample."""

    def collapsed(long: int, order: int = 1, parts: int = 1):
        documents = [Document([(0, 3 + (k == long), "A")], [(0, 3, "A")] * (k % 3 > 0), id=f"d{k}") for k in range(20)]
        documents = documents[::order]
        halves = [count_collapsed(iter(documents[k::parts]), [create("strict")], 50) for k in range(parts)]
        counts = sum(halves[1:], start=halves[0])
        if saved:
            save(counts, tmp_path / "counts.npz")
        return load(tmp_path / "counts.npz") if saved else counts

    same = compare(collapsed(4), collapsed(4, order=-1, parts=3))
    assert {row["difference"] for row in same} == {0}
    with refused_with(
        ValueError,
        "the systems have different gold annotation, though as many spans: 20 documents with 20 gold spans",
    ):
        compare(collapsed(4), collapsed(5, parts=2))
    with refused_with(
        ValueError,
        "the systems have different gold annotation, though as many spans: 20 documents with 20 gold spans",
    ):
        compare(collapsed(4), collapsed(20))
