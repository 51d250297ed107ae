"""Spans with gaps: every metric against its twin over sets of characters, the worked figures, and the laws."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
import twins
import twins_cited
from asking import near
from refusals import refused_with
from strategies import TEXTS

from spacy_nereval import Document, Span, count, create, create_all, names, score
from spacy_nereval.core import spans as kernel
from spacy_nereval.core.alignment import align, align_crowd
from spacy_nereval.core.declaration import GOLD_SPANS, PRED_SPANS
from spacy_nereval.core.lexicon import lexicon_of
from spacy_nereval.io.writing import write_json

NUMBER = 400

SEMEVAL = ("match", "type_error", "extent_error", "both_error", "mis", "spu")
SLOT_ERROR = ("c", "s_type", "s_extent", "s_both", "d", "i")


# The worked figures


TEXT = "left and right knee pain"
LEFT, RIGHT, ALL = Span.of_pieces([(0, 4), (15, 24)], "S"), Span(9, 24, "S"), Span(0, 24, "S")


def test_the_worked_figures():
    result = score([Document([LEFT, RIGHT], [ALL, RIGHT], TEXT)], ["strict", "loio", "fair", "semeval", "relaxed"])
    assert result.strict.counts == {"tp": 1, "fp": 1, "fn": 1}
    assert result.loio.counts == {"exact": 1, "overlap": near(13 / 24), "gold": 2, "pred": 2}
    assert (result.loio.tp, result.loio.f) == (near(1.40625), near(0.703125))
    assert (result.fair.counts["tp"], result.fair.counts["be_l"], result.fair.f) == (1, 1, near(2 / 3))
    assert result["metrics"]["fair"]["boundaries"]["counts"]["be_both"] == 1
    assert (result.semeval.partial_f, result.semeval.exact_f, result.relaxed.f) == (0.75, 0.5, 1)
    hull = Document([ALL, RIGHT], [ALL, RIGHT], TEXT)
    assert score([hull], ["strict"]).strict.f == 1


def test_a_span_in_the_gap_of_another_one_overlaps_nothing():
    """Their hulls overlap, so the two are judged together."""
    result = score([Document([LEFT], [Span(5, 8, "S")], TEXT)], ["fair", "semeval", "loio", "relaxed", "char"])
    assert (result.fair.counts["fn"], result.fair.counts["fp"]) == (1, 1)
    assert (result.semeval.counts["mis"], result.semeval.counts["spu"]) == (1, 1)
    assert (result.loio.tp, result.relaxed.f, result.char.f) == (0, 0, 0)


# Twins


def plain(span: Any) -> Any:
    """A span for the twins: in place of an end that knows pieces, the end and the pieces, which can be sorted."""
    if span is None:
        return None
    start, end, label = span
    return start, (int(end), span.pieces if len(span.pieces) > 1 else ()), label


def made(number: int, seed: int) -> Iterator[Document]:
    """Short documents full of spans, half of them with gaps; predictions are often gold spans with slips."""
    draw = random.Random(seed)

    def pieces(most: int) -> list[tuple[int, int]]:
        edges = sorted(draw.sample(range(most + 1), min(2 * draw.choice([1, 1, 2, 2, 3]), 2 * ((most + 1) // 2))))
        return [*zip(edges[::2], edges[1::2])]

    def span(most: int) -> Span:
        if draw.random() < 0.05:
            return Span(*[draw.randrange(most)] * 2, draw.choice("ABC"))
        return Span.of_pieces(pieces(most), draw.choice("ABC"))

    def slipped(gold: Span, most: int) -> Span:
        places = (
            {place for a, b in gold.pieces for place in range(a, b)}
            ^ {draw.randrange(most)}
            ^ {draw.randrange(most) for _ in range(draw.randrange(2))}
        )
        label = draw.choice("ABC") if draw.random() < 0.3 else gold.label
        return Span.of_pieces([(k, k + 1) for k in places], label) if places else gold

    for number_of_document in range(number):
        text, tokens = draw.choice(TEXTS)
        room = draw.choice([len(text), 8])
        gold = [span(room) for _ in range(draw.randrange(4))]
        pred = [draw.choice([one, slipped(one, room)]) for one in gold if draw.random() < 0.8]
        pred += [span(room) for _ in range(draw.randrange(3))]
        yield Document(gold, pred, text, tokens=tokens, id=str(number_of_document))


CORPUS = [*made(NUMBER, 7)]


def test_the_corpus_has_gaps_of_every_kind():
    gold, pred = ([span for doc in CORPUS for span in side(doc)] for side in (lambda d: d.gold, lambda d: d.pred))
    with_gaps = [span for span in gold + pred if len(span.pieces) > 1]
    assert len(with_gaps) > NUMBER
    assert any(len(span.pieces) > 2 for span in with_gaps)
    assert sum(span in doc.hits for doc in CORPUS for span in doc.gold if len(span.pieces) > 1) > 100
    same_hull = [
        (a, b)
        for doc in CORPUS
        for a in doc.gold
        for b in doc.pred
        if (a.start, int(a.end)) == (b.start, int(b.end)) and a[:2] != b[:2]
    ]
    assert len(same_hull) > 50


Sides = tuple[list[Any], list[Any]]
Twin = Callable[..., Iterable[twins.Verdict]]


def hierarchical(gold: list[Any], pred: list[Any]) -> Iterator[twins.Verdict]:
    yield from twins.strict(gold, pred)  # labels of one level


def strings(side: list[Any], text: str) -> set[tuple[str, str]]:
    pieces = {span: span[1][1] or ((span[0], span[1][0]),) for span in side}
    return {(" ".join(text[a:b] for a, b in pieces[span]), span[2]) for span in side}


TWINS: dict[str, tuple[str, dict[str, Any], Twin]] = {
    "strict": ("strict", {}, lambda gold, pred, doc: twins.strict(gold, pred)),
    "semeval": ("semeval", {}, lambda gold, pred, doc: twins.aligned(gold, pred, SEMEVAL)),
    "slot_error": ("slot_error", {}, lambda gold, pred, doc: twins.aligned(gold, pred, SLOT_ERROR)),
    "loio": ("loio", {}, lambda gold, pred, doc: twins.loio(gold, pred)),
    "loio-optimal": ("loio", {"match": "optimal"}, lambda gold, pred, doc: twins.loio(gold, pred, optimal=True)),
    "fair": ("fair", {}, lambda gold, pred, doc: twins.fair(gold, pred)),
    "fair-token": ("fair", {"unit": "token"}, lambda gold, pred, doc: twins.fair(gold, pred, doc.tokens)),
    "token": ("token", {}, lambda gold, pred, doc: twins_cited.token(gold, pred, doc.tokens)),
    "token-bio": ("token", {"scheme": "bio"}, lambda gold, pred, doc: twins_cited.token(gold, pred, doc.tokens, "bio")),
    "char": ("char", {}, lambda gold, pred, doc: twins_cited.char(gold, pred)),
    "char-untyped": ("char", {"typed": False}, lambda gold, pred, doc: twins_cited.char(gold, pred, typed=False)),
    "relaxed": ("relaxed", {}, lambda gold, pred, doc: twins_cited.relaxed(gold, pred)),
    "relaxed-strong": (
        "relaxed",
        {"strong": True, "typed": True},
        lambda gold, pred, doc: twins_cited.relaxed(gold, pred, typed=True, strong=True),
    ),
    "overlap": ("overlap", {}, lambda gold, pred, doc: twins_cited.overlap(gold, pred)),
    "plagdet": ("plagdet", {}, lambda gold, pred, doc: twins_cited.plagdet(gold, pred)),
    "plagdet-micro": (
        "plagdet",
        {"average": "micro"},
        lambda gold, pred, doc: twins_cited.plagdet(gold, pred, "micro"),
    ),
    "ace": ("ace", {}, lambda gold, pred, doc: twins_cited.ace(gold, pred)[1]),
    "hierarchical": ("hierarchical", {"depths": 1}, lambda gold, pred, doc: hierarchical(gold, pred)),
}


def test_every_metric_has_a_twin_here():
    """The twins of `wrf`, `mentions` and `tmr` judge words, and that of `attributes` values: see the tests below."""
    assert {name for name, _, _ in TWINS.values()} == {*names()} - {"wrf", "mentions", "attributes", "tmr"}


@pytest.mark.parametrize("twin", TWINS)
def test_every_document_has_the_verdicts_of_the_twin(twin):
    """The same names for the same spans, and counts of the batch that are their sums."""
    name, options, judge = TWINS[twin]
    metric, totals = create(name, **options), Counter[str]()
    for document in CORPUS:
        found, expected = Counter[Any](), Counter[Any]()
        for verdict in metric.verdicts(document):
            if not verdict.name.startswith("depth"):
                found[verdict.name, plain(verdict.gold), plain(verdict.pred)] += verdict.amount
        for verdict, gold, pred, amount in judge([*map(plain, document.gold)], [*map(plain, document.pred)], document):
            expected[verdict, gold, pred] += amount
            totals[verdict] += amount
        wanted = {key: near(amount) for key, amount in expected.items() if amount or key in found}
        assert found == wanted, document
    gold, pred = sum(len(document.gold) for document in CORPUS), sum(len(document.pred) for document in CORPUS)
    counts = score(CORPUS, {name: options})["metrics"][name]["counts"]
    for column, sources in metric.columns.items():
        if column in counts and not column.startswith("depth"):
            number = {GOLD_SPANS: gold, PRED_SPANS: pred}.get(tuple(sources))
            expected = sum(totals[source] for source in sources) if number is None else number
            assert counts[column] == near(expected), column


@pytest.mark.parametrize("options", [{}, {"unique": False}, {"unigrams": "whitespace"}, {"average": "micro"}])
def test_words_are_those_of_the_pieces(options):
    """The twin cuts words out of the text by sets of characters; it knows no pieces, so each piece is cut by itself."""

    class Cut:
        def __init__(self, document: Document) -> None:
            self.text, self.tokens = document.text, document.tokens
            self.gold, self.pred = ({*side} for side in (document.gold, document.pred))

    def words(span: Span, text: str, tokens: Any, case: str = "lower", unigrams: str = "token") -> list[str]:
        pieces = [Span(a, b, span.label) for a, b in span.pieces]
        return [word for piece in pieces for word in cut(piece, text, tokens, case, unigrams)]

    cut = twins.words
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(twins, "words", words)
        twin = twins.wrf(map(Cut, CORPUS), **options)
    result = score(CORPUS, {"wrf": options})
    assert result.wrf.wrf == near(twin.wrf)
    assert [result.wrf.counts[name] for name in ("match", "pred", "gold")] == [*twin.counts["combined"][:3]]


def test_strings_are_those_of_the_pieces():
    expected = Counter[str]()
    for document in CORPUS:
        gold, pred = (strings([*map(plain, side)], document.text or "") for side in (document.gold, document.pred))
        expected += Counter(tp=len(gold & pred), fp=len(pred - gold), fn=len(gold - pred))
    assert score(CORPUS, {"mentions": {"normalise": "exact"}}).mentions.counts == expected


def test_tough_mentions_are_looked_up_by_the_words_of_the_pieces(tmp_path):
    """The first 30 documents are the training corpus. A surface is cut out of the text by sets of characters."""

    def surface(span: Span, document: Document) -> str:
        words = [
            "".join(document.text[k] for k in range(*token) if a <= k < b)
            for a, b in span.pieces
            for token in document.tokens
        ]
        return " ".join(word for word in words if word.strip())

    training: dict[str, Counter[str]] = {}
    for document in CORPUS[:30]:
        for span in document.gold:
            training.setdefault(surface(span, document), Counter())[span.label] += 1
    lexicon = lexicon_of(CORPUS[:30])
    assert lexicon.surfaces == training
    write_json(tmp_path / "train.json", lexicon.as_json())
    spans = [(surface(span, doc), span.label, span in {*doc.pred}) for doc in CORPUS for span in doc.gold]
    labels = {name: {label for other, label, _ in spans if other == name} for name, _, _ in spans}
    expected = Counter[str]()
    for name, label, hit in spans:
        kind = "unseen_tokens" if name not in training else "seen" if label in training[name] else "unseen_type"
        kinds = ["all", kind, *["unseen_any"] * kind.startswith("unseen")]
        if len(labels[name]) > 1:
            kinds += ["confusable", "confusable_seen" if name in training else "confusable_unseen"]
        expected.update({f"{kind}_size": 1 for kind in kinds})
        expected.update({f"{kind}_hit": int(hit) for kind in kinds})
    counts = score(CORPUS, {"tmr": {"train": str(tmp_path / "train.json")}}).tmr.counts
    assert counts == {name: expected[name] for name in counts}
    assert all(counts[f"{kind}_size"] > 50 for kind in ("seen", "unseen_tokens", "unseen_type", "confusable_unseen"))


def test_attributes_belong_to_spans_with_the_same_pieces():
    negated = frozenset({(("negated", "true"),)})
    document = Document([LEFT, RIGHT], [ALL, RIGHT], TEXT)
    document.attributes = {LEFT: negated}, {ALL: negated}
    found = score([document], ["attributes"]).attributes
    assert (found.counts["tp"], found.counts["end_fp"], found.counts["end_fn"]) == (0, 1, 1)
    assert score([document], {"attributes": {"pairs": "overlap"}}).attributes.counts["tp"] == 1


def test_values_of_attributes_are_those_of_a_twin_that_compares_sets_of_characters():
    draw, expected, documents = random.Random(5), Counter[str](), []
    for document in CORPUS:
        drawn = [
            {span: {name: draw.choice("xy") for name in ("negated", "link") if draw.random() < 0.6} for span in side}
            for side in (document.gold, document.pred)
        ]
        copy = Document(document.gold, document.pred, document.text, tokens=document.tokens, id=document.id)
        copy.attributes = tuple(
            {span: frozenset({tuple(sorted(values.items()))}) for span, values in side.items() if values}
            for side in drawn
        )
        documents.append(copy)
        gold, pred = (
            {(span[2], span[0], *sorted(k for a, b in span.pieces for k in range(a, b))): side[span] for span in side}
            for side in drawn
        )
        for place in gold.keys() | pred.keys():
            if place not in gold or place not in pred:
                expected["end_fn" if place in gold else "end_fp"] += len(gold.get(place) or pred.get(place) or ())
                continue
            of_gold, of_pred = ({*side[place].items()} for side in (gold, pred))
            expected["found"] += 1
            expected["whole"] += of_gold == of_pred
            for name, number in (("tp", of_gold & of_pred), ("fn", of_gold - of_pred), ("fp", of_pred - of_gold)):
                expected[name] += len(number)
    counts = score(documents, ["attributes"]).attributes.counts
    assert {name: counts[name] for name in expected} == expected
    assert min(expected.values()) > NUMBER // 25


# Laws


ALL_METRICS = {name: {} for name in names() if name not in ("tmr", "attributes")}


def totals(documents: Iterable[Document]) -> Any:
    return score([*documents], ALL_METRICS)["metrics"]


def test_order_and_repetition_change_nothing():
    draw = random.Random(3)
    documents = []
    for document in CORPUS:
        sides = [[*side] for side in document.sides]
        for side in sides:
            side += draw.choices(side, k=2) if side else []
            draw.shuffle(side)
        documents.append(Document(*sides, document.text, tokens=document.tokens, id=document.id))
    draw.shuffle(documents)
    assert score(documents, ALL_METRICS)["metrics"] == totals(CORPUS)


def test_counts_add():
    metrics = create_all(ALL_METRICS)
    whole, parts = count(CORPUS, metrics), [count(CORPUS[k::3], metrics) for k in range(3)]
    assert (parts[0] + parts[1] + parts[2]).totals() == whole.totals()


def test_gold_against_itself_is_perfect():
    perfect = [Document(doc.gold, doc.gold, doc.text, tokens=doc.tokens) for doc in CORPUS]
    for name, result in totals(perfect).items():
        for key, declared in create(name).score_by_name.items():
            lowered = name == "plagdet" and key in ("granularity", "plagdet")  # by gold spans that overlap each other
            if not lowered and declared.unit != "count" and result["scores"].get(key) is not None:
                assert result["scores"][key] == near(float(declared.higher_is_better)), (name, key)


def test_spans_of_one_piece_are_ordinary_spans():
    """Pieces that touch are one, so such spans are the same as if no pieces had been given."""

    def rebuilt(span: Span) -> Span:
        start, end, label = span
        middle = (start + end) // 2
        return Span.of_pieces([(middle, end), (start, middle)], label) if end - start > 1 else span

    sides_of = [(doc.gold, doc.pred) for doc in CORPUS]
    flat = [[[span for span in side if len(span.pieces) == 1] for side in sides] for sides in sides_of]
    ordinary = [Document(*sides, doc.text, tokens=doc.tokens) for sides, doc in zip(flat, CORPUS)]
    given = [
        Document(*[[*map(rebuilt, side)] for side in sides], doc.text, tokens=doc.tokens)
        for sides, doc in zip(flat, CORPUS)
    ]
    assert [doc.sides for doc in given] == [doc.sides for doc in ordinary]
    assert totals(given) == totals(ordinary)


def test_one_document_with_gaps_changes_no_number_of_the_others():
    """Its batch has a column of gaps, theirs has none."""
    plain_documents = [doc for doc in CORPUS if all(len(span.pieces) == 1 for span in (*doc.gold, *doc.pred))]
    assert len(plain_documents) > 50
    metrics = create_all(ALL_METRICS)
    with_gaps = Document([LEFT], [ALL], TEXT, tokens=[(0, 4), (5, 8), (9, 14), (15, 19), (20, 24)])
    together = count([*plain_documents, with_gaps], metrics)
    apart = count(plain_documents, metrics) + count([with_gaps], metrics)
    assert together.totals() == apart.totals()


def test_a_crowd_is_aligned_by_the_same_criteria():
    for document in CORPUS[:300]:
        for group in document.overlap_groups:
            sums = [
                [
                    sum(bool(a and b) and a[:2] == b[:2] for a, b in pairs),
                    sum(bool(a and b) for a, b in pairs),
                    sum(bool(a and b) and a[2] == b[2] for a, b in pairs),
                    sum(len(twins.characters(plain(a)) & twins.characters(plain(b))) for a, b in pairs if a and b),
                ]
                for pairs in (
                    align(group.gold, group.pred, group.overlaps),
                    align_crowd(group.gold, group.pred, leftmost=False),
                )
            ]
            assert sums[0] == sums[1]
            crowd = align_crowd(group.gold, group.pred, leftmost=True)
            assert crowd == align(group.gold, group.pred, group.overlaps)


def test_the_kernel_says_where_gaps_are_not_possible():
    with refused_with(
        ValueError,
        "the span [0, 4) [15, 24) has gaps, which are not possible here: read it with "
        "discontinuous='hull' from its first to its last character, or with discontinuous='parts' as "
        "one span per piece",
    ):
        _ = LEFT.end - LEFT.start
    assert kernel.Span(0, 24, "S") != LEFT


def test_a_metric_that_does_not_know_gaps_refuses_them(monkeypatch):
    from dataclasses import replace

    metric = replace(create("fair"), gaps=False, name="mine")
    with refused_with(
        ValueError,
        "the metric mine does not say how it judges spans with gaps: declare gaps=True if its judge "
        "uses the pieces of spans, or read the spans with discontinuous='hull' or "
        "discontinuous='parts'",
    ):
        count([Document([LEFT], [RIGHT], TEXT)], [metric])
    with refused_with(
        ValueError,
        "the metric mine does not say how it judges spans with gaps: declare gaps=True if its judge "
        "uses the pieces of spans, or read the spans with discontinuous='hull' or "
        "discontinuous='parts'",
    ):
        [*metric.verdicts(Document([LEFT], [RIGHT], TEXT))]
    assert count([Document([ALL], [RIGHT], TEXT)], [metric]).totals()
