"""Eight hundred random documents, counted in one go as users count them, against the plain twins.

The property tests of `test_twins.py` look at few documents closely. Here many documents go
through one counter, with its batches and its memory of overlap groups, and every document's
verdicts are those of the twin.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import pytest
import twins
import twins_cited
import twins_fair_wrf
from asking import near, scored, tables
from strategies import TEXTS

from spacy_nereval import Document, Span, count, create
from spacy_nereval.counting.sums import HIGH, HIGH_UNIT, LOW_UNIT, NUMBER
from spacy_nereval.metrics.registry import SETS

DOCUMENTS = 800
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


CORPUS = [*made(DOCUMENTS, seed=2_000)]

ALIGNED = ("match", "type_error", "extent_error", "both_error", "mis", "spu")
SLOTS = ("c", "s_type", "s_extent", "s_both", "d", "i")


@pytest.mark.parametrize(
    ("name", "options", "twin"),
    [
        ("strict", {}, lambda doc: twins.strict(doc.gold, doc.pred)),
        ("semeval", {}, lambda doc: twins.aligned(doc.gold, doc.pred, ALIGNED)),
        ("slot_error", {}, lambda doc: twins.aligned(doc.gold, doc.pred, SLOTS)),
        ("loio", {}, lambda doc: twins.loio(doc.gold, doc.pred)),
        ("fair", {}, lambda doc: twins_fair_wrf.fair(doc.gold, doc.pred)),
        ("fair", {"unit": "token"}, lambda doc: twins_fair_wrf.fair(doc.gold, doc.pred, doc.tokens)),
    ],
    ids=["strict", "semeval", "slot_error", "loio", "fair-char", "fair-token"],
)
def test_every_document_has_the_verdicts_of_the_twin(
    name: str, options: dict[str, str], twin: Callable[[Document], Iterator[twins.Verdict]]
) -> None:
    judged = [[*twin(doc)] for doc in CORPUS]
    expected = [
        Counter((verdict, gold[2] if gold else "", pred[2] if pred else "") for verdict, gold, pred, _ in verdicts)
        for verdicts in judged
    ]
    for number, (found, wanted) in enumerate(zip(verdicts_of(name, options), expected, strict=True)):
        assert found == wanted, (number, CORPUS[number])
    if name == "loio":
        amount = sum(amount for verdicts in judged for verdict, _, _, amount in verdicts if verdict == "overlap")
        assert tables(CORPUS, name, **options).total["overlap"] == near(amount)


CITED: dict[str, Callable[[Document], Iterable[twins.Verdict]]] = {
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


@pytest.mark.costly
@pytest.mark.parametrize("name", CITED)
def test_every_document_has_the_verdicts_and_amounts_of_the_cited_twin(name: str) -> None:
    partial = create(name).partial_credit
    expected, amounts = [], Counter()
    for document in CORPUS:
        found: Verdicts = Counter()
        for verdict, gold, pred, amount in CITED[name](document):
            place = verdict, gold[2] if gold else "", pred[2] if pred else ""
            found[place] += 1 if verdict in partial else amount
            if verdict in partial:
                amounts[place] += amount
        expected.append(+found)
    for number, (found, wanted) in enumerate(zip(verdicts_of(name, {}), expected, strict=True)):
        assert found == wanted, (number, CORPUS[number])
    summed: Counter[tuple[str, str, str]] = Counter()
    for key, number in count(CORPUS, [create(name)], units=False).totals().items():
        if key.metric and key.quantity != NUMBER:
            summed[key[1:4]] += number / (HIGH_UNIT if key.quantity == HIGH else LOW_UNIT)
    assert {place: near(amount) for place, amount in amounts.items()} == {place: summed[place] for place in amounts}


def test_wrf_of_all_documents_is_that_of_the_twin():
    assert scored(CORPUS, "wrf")["scores"]["wrf"] == near(twins_fair_wrf.wrf(CORPUS).wrf)


def verdicts_of(name: str, options: dict[str, str]) -> Iterator[Verdicts]:
    """Yield each document's verdicts, from its row of the table of counts."""
    metric = create(name, **options)
    counts = count(CORPUS, [metric], units=False)
    assert counts.documents == DOCUMENTS
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
    found = sum(verdicts_of("fair", {}), Counter())
    assert {verdict for verdict, _, _ in found} == {"tp", "fp", "fn", "le", "be_s", "be_l", "be_o", "lbe"}
    assert all(sum(n for key, n in found.items() if key[0] == verdict) > 50 for verdict in ("be_s", "be_l", "be_o"))
