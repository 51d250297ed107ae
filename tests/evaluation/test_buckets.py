"""Scores by an attribute of the span."""

from collections import Counter

import pytest
from asking import NEEDED, near, scored
from hypothesis import given
from hypothesis import strategies as st
from made_up import VARIANTS, corpus
from places import SEEN
from profiles import tries
from strategies import LABELS, corpora

from spacy_nereval import Document, Span, create, create_all
from spacy_nereval.core.lexicon import lexicon_of, read_lexicon
from spacy_nereval.evaluation.breakdown import (
    ATTRIBUTES,
    AttributeContext,
    Breakdown,
    breakdown,
    bucket_values,
    parse_attribute,
)
from spacy_nereval.reporting.score_tables import breakdown_table

# What is looked up

TEXT = "Ada Lovelace met NATO in new York , 12 days"
LOVELACE, NATO, NEW_YORK, TWELVE = (0, 12, "PER"), (17, 21, "ORG"), (25, 33, "LOC"), (36, 38, "NUM")
TRAINING = lexicon_of(
    [
        Document([(0, 4, "ORG"), (5, 9, "LOC")], [], "NATO NATO says"),
        Document([(0, 8, "LOC"), (9, 17, "LOC")], [], "new York new York in York"),
        Document([(0, 4, "ORG")], [], "NATO"),
    ]
)
CONTEXT = AttributeContext(Document([LOVELACE, (0, 3, "PER"), (0, 3, "X"), NATO, NEW_YORK], [TWELVE], TEXT), TRAINING)


def test_words_that_the_text_does_not_have_are_no_gold_words_of_it():
    document = Document([(0, 3, "PER"), (8, 12, "LOC")], [], "Ada met\nRome")
    document.annex = 7
    assert AttributeContext(document).gold_density == 1 / 2
    document.annex = None
    assert AttributeContext(document).gold_density == 2 / 3


@pytest.mark.parametrize(
    ("name", "span", "value"),
    [
        ("eLen", LOVELACE, 2),
        ("eLen", (3, 3, "PER"), 0),
        ("eLen", (4, 9, "PER"), 1),  # part of a word is a word
        ("cLen", NEW_YORK, 8),
        ("sLen", NATO, 10),
        ("eDen", TWELVE, 5 / 10),  # whatever the span: gold words of the document
        ("position", NATO, 17 / 43),
        ("case", LOVELACE, "Title"),
        ("case", NATO, "UPPER"),
        ("case", NEW_YORK, "Mixed"),
        ("case", (13, 16, "X"), "lower"),
        ("case", TWELVE, "no letters"),
        ("oDen", NATO, 6 / 10),  # Ada Lovelace met , 12 days
        ("eFre", NATO, 3 / 3),
        ("eFre", NEW_YORK, 2 / 3),
        ("eFre", LOVELACE, 0),
        ("tFre", NEW_YORK, (2 + 3) / 2 / 3),
        ("tFre", NATO, 1),
        ("eCon", NATO, 2 / 3),  # two of three, one is a LOC
        ("eCon", NATO[:2] + ("LOC",), 1 / 3),
        ("eCon", NATO[:2] + ("PER",), 0),
        ("eCon", NEW_YORK, 1),
        ("eCon", LOVELACE, 0),
        ("tCon", NEW_YORK, (1 + 2 / 3) / 2),  # York stands alone once
    ],
)
def test_an_attribute_by_hand(name, span, value):
    found = ATTRIBUTES[name].value(CONTEXT, Span(*span))
    assert found == (value if isinstance(value, str) else near(value))


def test_occurrences_without_annotation_are_against_a_label():
    training = lexicon_of([Document([(0, 3, "LOC")], [], "Ulm and Ulm and Ulm and Ulm")])
    context = AttributeContext(Document([(0, 3, "LOC")], [], "Ulm"), training)
    assert ATTRIBUTES["eCon"].value(context, Span(0, 3, "LOC")) == 1 / 4


def test_a_word_in_nested_spans_of_training_occurs_once():
    nested = [(0, 4, "LOC"), (0, 4, "CAPITAL"), (0, 12, "EVENT"), (0, 12, "LOC")]
    training = lexicon_of([Document(nested, [], "Rome Olympics , Olympics , Olympics")])
    context = AttributeContext(Document([(0, 4, "LOC")], [], "Rome"), training)
    assert [ATTRIBUTES["tCon"].value(context, Span(0, 4, label)) for label in ("LOC", "CAPITAL", "X")] == [1, 1, 0]
    assert ATTRIBUTES["tFre"].value(context, Span(0, 4, "LOC")) == near(1 / 3)


@given(corpora(), st.sampled_from("abcdAB"), st.sampled_from(LABELS))
@tries(100)
def test_the_consistency_of_a_word_counts_the_tokens_of_training(documents, word, label):
    """Counted token by token."""
    found = with_label = 0
    for document in documents:
        for start, end in document.tokens:
            if document.text[start:end] == word:
                found += 1
                with_label += any(s.label == label and s.overlaps(Span(start, end, "")) for s in document.gold)
    context = AttributeContext(Document([(0, 1, label)], [], word), lexicon_of(documents))
    assert ATTRIBUTES["tCon"].value(context, Span(0, 1, label)) == (near(with_label / found) if found else 0)


# Buckets


@pytest.mark.parametrize(
    ("name", "values", "buckets"),
    [
        ("eLen", [0, 1, 2, 3, 4, 40], ["0", "1", "2", "3", "4 and more", "4 and more"]),
        ("eCon", [0, 0.01, 0.5, 0.51, 0.99, 1], ["0", "(0, 0.5]", "(0, 0.5]", "(0.5, 1)", "(0.5, 1)", "1"]),
        ("position", [0, 0.25, 0.5, 0.99, 1], [f"{x} quarter" for x in ("first", "second", "third", "last", "last")]),
        ("eFre", [0, 0.1, 0.2, 0.3], ["0", "0.1", "0.2", "0.3"]),
        ("case", ["lower", "UPPER"], ["lower", "UPPER"]),
    ],
)
def test_the_buckets_of_an_attribute(name, values, buckets):
    attribute = ATTRIBUTES[name]
    found = bucket_values(dict.fromkeys(values, 5), attribute.buckets, attribute.zero)
    assert [found[value] for value in values] == buckets


@given(
    numbers=st.dictionaries(st.integers(0, 30) | st.floats(0, 1), st.integers(0, 20), max_size=12),
    buckets=st.integers(2, 6),
    zero=st.booleans(),
)
def test_buckets_are_runs_of_values_of_near_equal_size(numbers, buckets, zero):
    found = bucket_values(numbers, buckets, zero)
    assert found.keys() == numbers.keys()
    order = sorted(found)
    assert list(found) == order
    runs = [name for k, name in enumerate(map(found.get, order)) if not k or name != found[order[k - 1]]]
    assert len(runs) == len(set(runs)) <= buckets + zero, "no bucket is left and entered again"
    shared = {value: n for value, n in numbers.items() if not (zero and value == 0)}
    sizes: Counter[str] = Counter()
    for value, n in shared.items():
        sizes[found[value]] += n
    for name, size in sizes.items():  # one part each, but for what a value that is not split brings along
        assert size <= sum(shared.values()) / buckets + max(n for v, n in shared.items() if found[v] == name)


@pytest.mark.parametrize(
    ("numbers", "buckets", "names"),
    [
        # The middle of a value's spans decides: 10 spans, five to a bucket.
        ({1: 1, 2: 3, 3: 4, 4: 2}, 2, ["1-2", "1-2", "3-4", "3-4"]),
        ({1: 7, 2: 1, 3: 2}, 2, ["1", "2-3", "2-3"]),
        ({1100: 3, 1234: 5, 99999: 3}, 3, ["1100", "1234", "99999"]),
        ({1234567: 1}, (1000000, 2000000), ["1000000 to below 2000000"]),
        ({0.2: 1, 0.7: 1}, parse_attribute("position:0.5").buckets, ["below 0.5", "0.5 and more"]),
        ({1: 1, 5: 1}, parse_attribute("length:2,5").buckets, ["below 2", "5 and more"]),
        (dict.fromkeys([0, 1, 4, 5], 1), (1, 5), ["below 1", "1 to below 5", "1 to below 5", "5 and more"]),
    ],
)
def test_buckets_by_hand(numbers, buckets, names):
    assert bucket_values(numbers, buckets) == dict(zip(numbers, names))


def test_names_that_would_be_alike_are_written_out():
    found = bucket_values({0.1111: 4, 0.1112: 4}, 2)
    assert len(set(found.values())) == 2


UNSEEN = "{} needs training data to look spans up in: give train='FILE'"
NONE = "expected a number of buckets from 2 up, such as eLen:4, or ascending edges"


@pytest.mark.parametrize(
    ("name", "said"),
    [(text, NONE) for text in ("eLen:", "eLen:1", "eLen:x", "eLen:3,1", "eLen:2,2", "eLen:1,inf")]
    + [("elen", "there is no attribute 'elen': did you mean 'eLen'. There are eLen, cLen")]
    + [(name, UNSEEN.format(name)) for name, attribute in ATTRIBUTES.items() if attribute.needs_lexicon],
)
def test_what_makes_no_breakdown_is_refused(name, said):
    with pytest.raises(ValueError, match=said):
        Breakdown(create_all(), name)


# Scores in buckets


@pytest.mark.parametrize(("metric", "options"), [*VARIANTS, *NEEDED.items()], ids=str)
@tries(10)
@given(corpus=corpora(), name=st.sampled_from(list(ATTRIBUTES)))
def test_buckets_sum_to_the_whole(metric, options, corpus, name):
    metric = create(metric, **options)
    found = breakdown(corpus, [metric], name, read_lexicon(SEEN))
    whole = scored(corpus, metric.name, **options)
    if metric.name == "wrf":  # whose whole is the combined class, while buckets, like labels, share out words by class
        rows = [row["counts"] for row in whole["per_type"].values()]
        whole = {"counts": {column: sum(row[column] for row in rows) for column in ("match", "gold", "pred")}}
    rows = [row["counts"] for row in found["metrics"][metric.name].values()]
    outside = {"correct", "tokens"} if metric.name == "token" else set()  # tokens of no span are in no bucket
    outside |= metric.per_row.keys()  # which count once for each row, and buckets are other rows
    for column in whole["counts"].keys() - outside:
        total = whole["counts"][column]
        assert near(sum(row[column] for row in rows)) == total, column
    for row in found["metrics"][metric.name].values():
        for score, value in row["scores"].items():
            assert score.rpartition("_")[2] not in ("p", "r", "f") or value is None or 0 <= value <= 1, score
    for side in ("gold", "pred"):
        assert sum(found[side].values()) == sum(len(getattr(document, side)) for document in corpus)
        assert list(found[side]) == found["buckets"]


@given(corpus=corpora(), by=st.sampled_from(["eLen:2,3", "cLen:2,4", "position"]))
def test_strict_counts_each_span_in_its_own_bucket(corpus, by):
    """The twin: spans sorted into buckets first, then compared."""
    attribute = parse_attribute(by)
    value = {
        "eLen:2,3": lambda doc, s: len(AttributeContext(doc).surface(s).split()),
        "cLen:2,4": lambda doc, s: s.end - s.start,
    }
    find = value.get(by, lambda doc, s: s.start / len(doc.text))
    expected: dict[str, Counter[str]] = {}
    for document in corpus:
        for span in {*document.gold, *document.pred}:
            kind = "tp" if span in document.hits else "fn" if span in document.gold else "fp"
            (bucket,) = bucket_values({find(document, span): 1}, attribute.buckets).values()
            expected.setdefault(bucket, Counter())[kind] += 1
    found = breakdown(corpus, [create("strict")], by)["metrics"]["strict"]
    assert {bucket: Counter({k: n for k, n in row["counts"].items() if n}) for bucket, row in found.items()} == expected


def test_a_pair_counts_where_its_gold_span_does_or_with_the_other_focus_its_prediction():
    document = Document([(0, 3, "A")], [(0, 7, "A")], "Ada Ada")
    for focus, home, other in (("target", "1", "2"), ("system", "2", "1")):
        (metric,) = create_all({"fair": {"focus": focus}})
        rows = breakdown([document], [metric], "eLen")["metrics"]["fair"]
        assert rows[home]["counts"]["be_l"] == 1
        assert not any(rows[other]["counts"].values())


def test_a_slip_into_another_bucket_is_no_precision_above_1():
    """The prediction counts where its pair does: one of one, not one of none."""
    document = Document([(0, 6, "A")], [(0, 7, "A")], "Ada Li x")
    rows = breakdown([document], create_all({"loio": {"s": 1}}), "cLen:7")["metrics"]["loio"]
    assert [row["counts"]["pred"] for row in rows.values()] == [1, 0]
    assert [row["scores"]["p"] for row in rows.values()] == [near(6 / 7), None]


def test_nothing_to_break_down():
    found = breakdown([None], create_all(), "cLen")
    assert (found["buckets"], found["gold"], found["metrics"]["fair"]) == ([], {}, {})


def test_the_table_says_what_the_precision_of_a_row_divides_by():
    """A pair of two words in gold and three predicted counts in the row of two."""
    document = Document([(0, 7, "A")], [(0, 11, "A")], "Ada New old")
    metrics = create_all(["loio", "strict"])
    found = breakdown([document], metrics, "eLen")
    table = breakdown_table(found, metrics)
    assert [row[:3] for row in table.rows] == [["2", 1, 0], ["3", 0, 1]]
    assert found["metrics"]["loio"]["2"]["scores"]["p"] == near(0.75 * 7 / 11)
    assert found["metrics"]["loio"]["3"]["scores"]["p"] is None
    said = "loio: P divides by the predictions of the row, a pair counting where its gold span is"
    assert table.note == f"words in the span; {said}"
    assert breakdown_table(found, metrics[1:]).note == "words in the span"


@pytest.mark.parametrize("name", ["eLen", "case", "position", "eDen"])
def test_documents_need_not_be_kept_apart_nor_values_and_verdicts_be_looked_up_again(name):
    metrics = create_all(["fair", "strict", "slot_error"])
    documents = [Document(d.gold, d.pred, d.text, id=str(k)) for k, d in enumerate(corpus(30, seed=5))]
    every, together = Breakdown(metrics, name), Breakdown(metrics, name, apart=False)
    for document in documents:
        every.add(document)
        value = together.values(document, (*document.gold, *document.pred))
        together.add(document, value, [[*metric.verdicts(document)] for metric in metrics])
    assert together.result() == every.result()
    assert len(every.result()["buckets"]) > 1
