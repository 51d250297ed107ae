"""The package against its brute-force twins: overall, per label, and by pairs of labels."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

import pytest
import twins
import twins_cited
from asking import near, scored
from hypothesis import example, given
from hypothesis import strategies as st
from profiles import tries
from strategies import TEXTS, corpora, nested

from spacy_nereval import Counts, Document, Span, count, create, evaluate, score
from spacy_nereval.core import alignment as matching
from spacy_nereval.core import spans
from spacy_nereval.core.alignment import align, align_crowd
from spacy_nereval.core.overlapping import number_of_overlaps, overlaps
from spacy_nereval.counting.sums import HIGH, HIGH_UNIT, LOW_UNIT, NUMBER
from spacy_nereval.metrics.registry import SETS

examples = tries(150)

SEMEVAL = ("match", "type_error", "extent_error", "both_error", "mis", "spu")
SLOT_ERROR = ("c", "s_type", "s_extent", "s_both", "d", "i")
# What overlaps what


@examples
@example(Document([(2, 2, "A")], [(2, 2, "B")]))  # empty, and at the same place
@example(Document([(2, 2, "A"), (4, 5, "A")], [(2, 2, "B")]))
@given(nested())
def test_overlaps_are_those_of_sets_of_characters(doc):
    pairs = {(i, j): (g, p) for i, g in enumerate(doc.gold) for j, p in enumerate(doc.pred)}
    shared = {ij: len(twins.characters(g) & twins.characters(p)) for ij, (g, p) in pairs.items()}
    met = sorted((*ij, shared[ij]) for ij, (g, p) in pairs.items() if shared[ij] or g[:2] == p[:2])
    assert overlaps(doc.gold, doc.pred) == met
    assert all(g.overlaps(p) is bool(shared[ij]) for ij, (g, p) in pairs.items())


@examples
@given(nested())
def test_overlaps_are_counted_without_being_listed(doc):
    listed = [shared for _, _, shared in overlaps(doc.gold, doc.pred) if shared]
    assert number_of_overlaps(doc.gold, doc.pred) == len(listed)


@examples
@given(nested(9))
def test_a_crowd_is_aligned_by_the_same_criteria(doc):
    for group in doc.overlap_groups:
        totals = [
            [
                sum(a is not None and b is not None and a[:2] == b[:2] for a, b in pairs),
                sum(a is not None and b is not None for a, b in pairs),
                sum(a is not None and b is not None and a[2] == b[2] for a, b in pairs),
                sum(max(min(a[1], b[1]) - max(a[0], b[0]), 0) for a, b in pairs if a and b),
            ]
            for pairs in (
                align(group.gold, group.pred, group.overlaps),
                align_crowd(group.gold, group.pred, leftmost=False),
            )
        ]
        assert totals[0] == totals[1]


@examples
@given(nested(9), st.booleans())
def test_a_crowd_is_aligned_pair_by_pair_as_others_are(doc, swapped):
    for group in doc.overlap_groups:
        gold, pred = (group.pred, group.gold) if swapped else (group.gold, group.pred)
        assert align_crowd(gold, pred, leftmost=True) == align(gold, pred, overlaps(gold, pred))


def shapes(n: int) -> dict[str, tuple[list, list]]:
    """Spans that all or mostly overlap, and of which many pairings are equally good."""
    down, generator = [(k, 3 * n - k) for k in range(n)], random.Random(n)
    mixed = [(generator.randrange(2 * n), generator.randrange(n, 4 * n)) for _ in range(2 * n)]
    return {
        "shifted by one": (down, [(a + 1, b + 1) for a, b in down]),
        "shifted by two": (down, [(a + 2, b + 2) for a, b in down]),
        "nested on one side": (down, [(a, a + n) for a, _ in down]),
        "of one length": ([(2 * k, 2 * k + 9 * n) for k in range(n)], [(2 * k + 1, 2 * k + 9 * n) for k in range(n)]),
        "at random": ([(a, a + b) for a, b in mixed[:n]], [(a, a + b) for a, b in mixed[n:]]),
    }


@pytest.mark.parametrize("shape", shapes(1))
@pytest.mark.parametrize(("n", "left_out"), [(40, 0), (41, 1), (42, 5), (45, 20)])
def test_a_crowd_of_any_shape_is_aligned_as_small_groups_are(shape, n, left_out):
    for labels in ("A", "AB"):
        generator = random.Random(left_out)
        gold, pred = (sorted({(a, b, generator.choice(labels)) for a, b in side}) for side in shapes(n)[shape])
        pred = sorted(generator.sample(pred, len(pred) - left_out))
        for a, b in ((gold, pred), (pred, gold)):
            assert align_crowd(a, b, leftmost=True) == align(a, b, overlaps(a, b))


def test_a_crowd_whose_weights_no_float_holds_is_aligned_one_by_one():
    far = 1 << 50
    gold, pred = [(0, far, "A"), (1, far, "A")], [(0, far + 1, "A"), (1, far + 2, "B")]
    assert align_crowd(gold, pred, leftmost=True) == align(gold, pred, overlaps(gold, pred))


@pytest.mark.parametrize("crowded", [100, 1_000_000])
def test_alignments_of_many_pairs_are_those_of_a_crowd(monkeypatch, crowded):
    n = 60
    doc = Document(
        [(k, 3 * n - k, "AB"[k % 2]) for k in range(n)], [(k, 3 * n - k - 1, "AB"[k % 5 % 2]) for k in range(n)]
    )
    one_by_one = score([doc], ["semeval", "slot_error"])
    monkeypatch.setattr(spans, "MATRIX", 100)
    monkeypatch.setattr(spans, "CROWDED", crowded)
    crowds = []
    monkeypatch.setattr(
        spans, "align_crowd", lambda *sides, leftmost: crowds.append(leftmost) or align_crowd(*sides, leftmost)
    )
    crowd = score([Document(*doc.sides)], ["semeval", "slot_error"])
    assert crowds == [crowded > 100]
    assert crowd.semeval.counts == one_by_one.semeval.counts
    assert crowd.slot_error.counts == one_by_one.slot_error.counts
    if crowds[0]:
        assert crowd["metrics"]["semeval"]["per_type"] == one_by_one["metrics"]["semeval"]["per_type"]


@examples
@example(Document([(0, 9, "A"), (1, 2, "A")], [(5, 6, "B")]))  # the longest span is not the last that began
@given(nested())
def test_overlap_groups_hold_every_span_but_the_hits_and_share_no_character(doc):
    assert sorted(span for group in doc.overlap_groups for span in group.gold) == sorted(set(doc.gold) - set(doc.pred))
    assert sorted(span for group in doc.overlap_groups for span in group.pred) == sorted(set(doc.pred) - set(doc.gold))
    spans = [(k, span) for k, group in enumerate(doc.overlap_groups) for span in (*group.gold, *group.pred)]
    assert all(k == m or not (a.overlaps(b) or a[:2] == b[:2]) for k, a in spans for m, b in spans)


def test_spans_that_touch_are_judged_apart():
    doc = Document([(0, 5, "A"), (5, 5, "A")], [(5, 9, "A"), (9, 12, "B")])
    assert [len(group.gold) + len(group.pred) for group in doc.overlap_groups] == [1, 1, 1, 1]


@examples
@given(nested())
def test_covered_tokens_are_those_that_share_a_character(doc):
    for span in doc.gold:
        covered = [k for k, token in enumerate(doc.tokens) if twins.characters(token) & twins.characters(span)]
        assert list(range(*doc.covered_tokens(span))) == covered


@pytest.mark.parametrize(("case", "by"), [("lower", "token"), ("keep", "token"), ("lower", "whitespace")])
@examples
@given(doc=nested())
def test_the_words_of_a_span_are_those_cut_out_by_hand(case, by, doc):
    for span in doc.gold:
        assert [*doc.unigrams([span], case=case, by=by)] == [twins.words(span, doc.text, doc.tokens, case, by)]


# Pairings


def heaviest(edges: Mapping[int, Mapping[int, int]]) -> list[tuple[int, int]]:
    """By trying all: the pairs of greatest weight, and of several the leftmost."""
    steps = [(i, j) for i in edges for j in edges[i]]
    pairs = min(twins.pairings(steps), key=lambda pairs: (-sum(edges[i][j] for i, j in pairs), sorted(pairs)))
    return sorted(pairs)


@examples
@given(st.dictionaries(st.integers(0, 3), st.dictionaries(st.integers(0, 3), st.integers(1, 4), min_size=1)))
def test_best_pairs_are_the_heaviest_and_then_the_leftmost(edges):
    assert list(matching.best_pairs(edges).items()) == heaviest(edges)


@examples
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 3)), max_size=8))
def test_best_pairs_of_a_chain_are_the_heaviest_and_then_the_leftmost(walk):
    """In a chain every edge shares its left or its right end with the edge before it."""
    edges, i, j = {0: {0: 1}}, 0, 0
    for down, weight in walk:
        i, j = (i + 1, j) if down else (i, j + 1)
        edges.setdefault(i, {})[j] = weight
    assert list(matching.best_pairs(edges).items()) == heaviest(edges)


@examples
@given(nested())
def test_the_alignment_is_the_greatest_of_all_pairings(doc):
    pairs = [(span, span) for span in doc.hits]
    pairs += [(gold, pred) for group in doc.overlap_groups for gold, pred in group.alignment if gold and pred]
    assert sorted(pairs) == sorted(twins.alignment(doc.gold, doc.pred))


# Metric by metric


@tries(100)
@given(nested())
def test_the_four_schemes_are_those_of_the_table(doc):
    result = scored(doc, "semeval")
    assert result["schemes"] == twins.schemes(result["counts"])


Twin = Callable[[Document], Iterable[twins.Verdict]]

TWINS: dict[str, tuple[str, dict[str, str], Twin]] = {
    "strict": ("strict", {}, lambda doc: twins.strict(doc.gold, doc.pred)),
    "semeval": ("semeval", {}, lambda doc: twins.aligned(doc.gold, doc.pred, SEMEVAL)),
    "slot_error": ("slot_error", {}, lambda doc: twins.aligned(doc.gold, doc.pred, SLOT_ERROR)),
    "loio-walk": ("loio", {}, lambda doc: twins.loio(doc.gold, doc.pred)),
    "loio-optimal": ("loio", {"match": "optimal"}, lambda doc: twins.loio(doc.gold, doc.pred, optimal=True)),
    "fair-char": ("fair", {}, lambda doc: twins.fair(doc.gold, doc.pred)),
    "fair-token": ("fair", {"unit": "token"}, lambda doc: twins.fair(doc.gold, doc.pred, doc.tokens)),
}


@pytest.mark.parametrize("twin", TWINS)
@tries(200)
@given(data=st.data())
def test_every_verdict_is_the_twin_s(twin, data):
    """The same name for the same two spans, not only as many of them. Laws say that counts are what verdicts add up
    to: overall, per label, and in the confusion matrix."""
    name, options, judge = TWINS[twin]
    doc = data.draw(nested(10 if name == "fair" and data.draw(st.booleans()) else 5))
    found = {(v.name, v.gold, v.pred): v.amount for v in create(name, **options).verdicts(doc)}
    assert found == {(name, gold, pred): near(amount) for name, gold, pred, amount in judge(doc)}


OWN = {"A": 0.1, "B": 0.2, "C": 0.15, "D": 0.25, "combined": 0.3}
WRF_OPTIONS = [
    {"weights": weights, "average": average} for weights in ("strict", "lenient", OWN) for average in ("docs", "micro")
] + [{"unique": False}, {"case": "keep"}, {"unigrams": "whitespace"}]


@pytest.mark.parametrize("options", WRF_OPTIONS, ids=lambda options: "-".join(str(v)[:9] for v in options.values()))
@tries(120)
@given(corpus=corpora())
def test_wrf_is_its_definition(options, corpus):
    result = scored(corpus, "wrf", **options)
    twin = twins.wrf(corpus, **options)
    assert result["scores"]["wrf"] == near(twin.wrf)
    assert result["counts"] == result["combined"]["counts"]
    rows = result["per_type"] | {"combined": result["combined"]}
    assert twin.counts.keys() <= rows.keys()
    for label, row in rows.items():
        match, pred, gold, documents = twin.counts.get(label, (0, 0, 0, 0))
        assert row["counts"] == {"match": match, "gold": gold, "pred": pred, "documents": documents}
        scores = twin.scores.get(label, dict.fromkeys(("r1_p", "r1_r", "r1_f")))
        assert row["scores"] == {x: near(value) for x, value in scores.items()}


# Averages


@tries(80)
@given(corpora(most=4))
def test_averages_are_means_of_what_is_defined(corpus):
    labels = sorted({span.label for doc in corpus for span in (*doc.gold, *doc.pred)})
    support = [sum(span.label == label for doc in corpus for span in doc.gold) for label in labels]
    result = score(corpus)["metrics"]
    single = [score([doc])["metrics"] for doc in corpus]
    for name in result:
        rows = [result[name]["per_type"][label]["scores"] for label in labels]
        documents = [alone[name]["scores"] for alone in single]
        for average, scores, weights in (("macro", rows, None), ("weighted", rows, support), ("docs", documents, None)):
            counts = {score.name for score in create(name).scores if score.unit == "count"}
            for key in set(scores[0] if scores else ()) - counts:
                mean, undefined = twins.mean([row[key] for row in scores], weights)
                assert result[name]["averages"][average][key] == near(mean), (name, average, key)
                assert result[name]["averages"][average]["undefined"][key] == undefined, (name, average, key)


# The twins themselves


def test_the_twins_give_an_answer_worked_by_hand():
    """The first prediction takes its characters from the gold span; the second meets what is left."""
    gold, small, other = Span(0, 10, "A"), Span(0, 3, "A"), Span(2, 8, "B")
    assert list(twins.fair([gold], [small, other])) == [("be_s", gold, small, 1), ("lbe", gold, other, 1)]
    assert list(twins.fair([gold], [small, Span(0, 2, "B")])) == [
        ("be_s", gold, small, 1),
        ("fp", None, (0, 2, "B"), 1),
    ]
    assert twins.alignment([gold], [small, other]) == [(gold, small)]
    assert twins.rouge_counts(Document([gold], [small], "ab a ab ba", tokens=[(0, 2), (3, 4), (5, 7), (8, 10)])) == {
        "A": (1, 1, 3),
        "combined": (1, 1, 3),
    }


# Eight hundred random documents, counted in one go as users count them, against the plain twins


LABELS = "ABC"

Verdicts = Counter[tuple[str, str, str]]
"""How many verdicts a document has of each (verdict, gold label, predicted label)."""


def made(number: int, seed: int) -> Iterator[Document]:
    """Short documents full of spans; most predictions are gold spans with an end or the label changed."""
    draw = random.Random(seed)

    def span(most: int) -> Span:
        start = draw.randrange(most)
        return Span(start, min(most, start + draw.choice([0, 1, 2, 2, 3, 5])), draw.choice(LABELS))

    def slipped(gold: Span, most: int) -> Span:
        start, end = gold.start + draw.choice([-1, 0, 0, 1]), gold.end + draw.choice([-1, 0, 0, 1])
        label = draw.choice(LABELS) if draw.random() < 0.3 else gold.label
        return Span(start, end, label) if 0 <= start <= end <= most else gold

    for _ in range(number):
        text, tokens = draw.choice(TEXTS)
        gold = [span(len(text)) for _ in range(draw.randrange(5))]
        pred = [slipped(one, len(text)) for one in gold if draw.random() < 0.8]
        pred += [span(len(text)) for _ in range(draw.randrange(3))]
        yield Document(gold, pred, text, tokens=tokens)


TIES = [
    ([(1, 3), (1, 4), (1, 6)], [(0, 4), (1, 5)]),  # the fewest differing units that are left
    ([(0, 4), (2, 6), (5, 6)], [(1, 6), (3, 6)]),  # then the shorter
    ([(1, 4), (3, 4)], [(2, 4), (3, 5)]),  # then the leftmost
]
"""Spans that share as many units with several others: what fair takes first."""
TIED = (([(*span, "A") for span in side] for side in sides) for sides in TIES)
CORPUS = [*(Document(*sides, TEXTS[0][0], tokens=TEXTS[0][1]) for sides in TIED), *made(800, seed=2_000)]


CITED: dict[str, Twin] = {
    "token": lambda doc: twins_cited.token(doc.gold, doc.pred, doc.tokens),
    "char": lambda doc: twins_cited.char(doc.gold, doc.pred),
    "relaxed": lambda doc: twins_cited.relaxed(doc.gold, doc.pred),
    "overlap": lambda doc: twins_cited.overlap(doc.gold, doc.pred),
    "plagdet": lambda doc: twins_cited.plagdet(doc.gold, doc.pred),
    "ace": lambda doc: twins_cited.ace(doc.gold, doc.pred)[1],
}
"""The cited metrics but tmr, mentions and hierarchical, which have corpora of their own to be compared on."""


def test_every_cited_metric_has_a_twin_here():
    assert CITED.keys() == SETS["cited"].keys() - {"tmr", "mentions", "hierarchical"}


ALL = TWINS | {name: (name, {}, judge) for name, judge in CITED.items()}


@pytest.mark.parametrize("twin", [*TWINS, *(pytest.param(name, marks=pytest.mark.costly) for name in CITED)])
def test_every_document_has_the_verdicts_of_the_twin(twin: str) -> None:
    """And their amounts, and the matrix; laws say that totals and rows are what verdicts add up to."""
    name, options, judge = ALL[twin]
    metric = create(name, **options)
    expected, amounts = [], Counter()
    for document in CORPUS:
        found: Verdicts = Counter()
        for verdict, gold, pred, amount in judge(document):
            place = verdict, gold[2] if gold else "", pred[2] if pred else ""
            partial = verdict in metric.partial_credit
            found[place] += 1 if partial else amount
            amounts[place] += amount if partial else 0
        expected.append(+found)
    counts = count(CORPUS, [metric], units=False)
    if twin in TWINS:
        shown: Counter[tuple[str, str]] = Counter()
        for (verdict, *labels), number in sum(expected, Counter()).items():
            shown[tuple(labels)] += number * ((name, verdict) != ("fair", "tp"))  # which its matrix leaves out
        matrix = evaluate(counts)["metrics"][name]["confusion"]
        assert {(a, b): number for a, row in matrix.items() for b, number in row.items()} == +shown
    for number, (found, wanted) in enumerate(zip(verdicts_of(counts), expected, strict=True)):
        assert found == wanted, (number, CORPUS[number])
    summed: Counter[tuple[str, str, str]] = Counter()
    for key, number in counts.totals().items():
        if key.metric and key.quantity != NUMBER:
            summed[key[1:4]] += number / (HIGH_UNIT if key.quantity == HIGH else LOW_UNIT)
    assert {place: near(amount) for place, amount in (+amounts).items()} == +summed


def test_wrf_of_all_documents_is_that_of_the_twin():
    assert scored(CORPUS, "wrf")["scores"]["wrf"] == near(twins.wrf(CORPUS).wrf)


def verdicts_of(counts: Counts) -> Iterator[Verdicts]:
    """Yield each document's verdicts, from its row of the table of counts."""
    (metric,) = counts.metrics
    assert counts.documents == len(CORPUS)
    of_kind = {kind.value: verdict for kind, verdict in metric.of_kind.items()}
    for row in counts.cells.toarray().tolist():
        found: Verdicts = Counter()
        for key, number in zip(counts.keys, row):
            verdict = key.verdict if key.metric else of_kind.get(key.verdict)
            if number and verdict and key.quantity == NUMBER:
                found[verdict, key.gold, key.pred] += number
        yield found


def test_the_documents_have_spans_of_every_relation():
    """Or the comparison above would say little."""
    found = sum(verdicts_of(count(CORPUS, [create("fair")], units=False)), Counter())
    assert {verdict for verdict, _, _ in found} == {"tp", "fp", "fn", "le", "be_s", "be_l", "be_o", "lbe"}
    assert all(sum(n for key, n in found.items() if key[0] == verdict) > 50 for verdict in ("be_s", "be_l", "be_o"))
