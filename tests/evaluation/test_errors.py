"""The list of errors agrees with the counts, and its rows with the texts; groups of the same error are this list."""

import re
from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any

import pytest
from asking import near
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from profiles import tries
from refusals import refused_with
from strategies import corpora, flat, nested

from spacy_nereval import Document, Span, Verdict, count, create
from spacy_nereval.core.declaration import Kind, Metric
from spacy_nereval.counting.sums import slots
from spacy_nereval.counting.table import columns_of, sum_counts
from spacy_nereval.evaluation.error_groups import ErrorGroups, Slip, error_groups
from spacy_nereval.evaluation.error_list import FIELDS, ErrorExamples, ListedVerdict, error_list
from spacy_nereval.evaluation.result import verdict_counts
from spacy_nereval.reporting.marked_text import clip, mark_excerpt


def kind(verdict: Verdict) -> tuple[str, str, str]:
    return verdict.name, verdict.gold.label if verdict.gold else "", verdict.pred.label if verdict.pred else ""


def listed(documents: list[Document], metric: Metric, **filters: Any) -> list[ListedVerdict]:
    return list(error_list(documents, metric, **filters))


# The list and the table


@law
@given(corpus=corpora())
def test_the_list_adds_up_to_the_table(case, corpus):
    """Every column of the counts, and every kind of verdict."""
    metric = case.metric
    counts = count(corpus, [metric])
    every = listed(corpus, metric, errors=["all"])
    sums = columns_of(metric, sum_counts(counts).counts.sum(axis=(1, 2)), slots([metric]))
    for column, sources in metric.columns.items():
        if not any(isinstance(source, Kind) for source in sources):
            amounts = [each.verdict.amount for each in every if each.verdict.name in sources]
            assert sums[column] == near(sum(amounts)), column
    numbers: Counter[tuple[str, str, str]] = Counter()
    for each in every:
        numbers[kind(each.verdict)] += 1 if each.verdict.name in metric.partial_credit else each.verdict.amount
    assert +numbers == verdict_counts(counts)[metric.name]


@law
@given(corpus=corpora())
def test_the_errors_are_all_but_the_exact_hits(case, corpus):
    """Also of metrics that judge words or tokens, whose hits are known by name."""
    metric = case.metric
    everything, errors = (listed(corpus, metric, errors=chosen) for chosen in (["all"], None))
    left_out = [each for each in everything if each not in errors]
    assert [each for each in everything if each in errors] == errors
    for each in left_out:
        assert each.verdict.gold == each.verdict.pred or each.verdict.name in metric.correct_verdicts
    assert all(each.verdict.gold != each.verdict.pred for each in errors)


@law
@given(corpus=corpora(flat()))
def test_a_prediction_like_the_gold_has_no_errors(case, corpus):
    assert listed([Document(d.gold, d.gold, d.text, tokens=d.tokens) for d in corpus], case.metric) == []


def test_what_is_covered_in_part_is_an_error():
    document = Document([(0, 4, "A"), (6, 9, "A")], [(0, 2, "A"), (6, 9, "A")], "abcd efgh")
    assert [(each.verdict.name, each.verdict.amount) for each in listed([document], create("overlap"))] == [
        ("covered_gold", 0.5)
    ]


def test_hits_are_the_verdicts_on_a_prediction_like_the_gold():
    hits = {"strict": "tp", "semeval": "match", "slot_error": "c", "loio": "exact", "fair": "tp"}
    assert {name: " ".join(create(name).correct_verdicts) for name in hits} == hits
    assert [*create("wrf").correct_verdicts] == ["match", "combined_match"]


@given(corpus=corpora(), data=st.data())
def test_filters_leave_the_rows_that_they_name(corpus, data):
    metric = create("fair")
    every = listed(corpus, metric, errors=["all"])
    labels = sorted({span.label for d in corpus for span in (*d.gold, *d.pred)})
    wanted = data.draw(st.lists(st.sampled_from(metric.verdict_names), min_size=1))
    chosen = data.draw(st.lists(st.sampled_from(labels))) if labels else []
    expected = [
        each
        for each in every
        if each.verdict.name in wanted and (not chosen or {*chosen} & {*kind(each.verdict)[1:]} - {""})
    ]
    assert listed(corpus, metric, errors=wanted, labels=chosen) == expected


def test_an_unknown_verdict_or_label_is_refused_with_those_there_are():
    document = Document([(0, 1, "B")], [(1, 2, "A")], "ab")
    with pytest.raises(ValueError, match="fair: there is no verdict 'fm'; there are tp, fp, fn, le, .*, lbe, all"):
        listed([document], create("fair"), errors=["fn", "fm"])
    with refused_with(ValueError, "there is no label 'C'; there are A, B"):
        listed([document], create("fair"), labels=["A", "C"])
    with refused_with(ValueError, "there is no label 'A'; there are none"):
        listed([Document([], [], "")], create("fair"), labels=["A"])
    assert len(listed([document], create("fair"), labels=["A"], errors=["fn"])) == 0  # known, though not listed


# The rows


@tries(50)
@given(doc=nested(), context=st.integers(0, 20))
def test_a_row_says_where_its_spans_are_and_what_stands_there(doc, context):
    for each in listed([doc], create("fair"), errors=["all"]):
        row = each.row(context)
        assert tuple(row) == FIELDS
        assert (row["document"], row["metric"], row["verdict"], row["amount"]) == (0, "fair", each.verdict.name, 1)
        ends = []
        for side, span in (("gold", each.verdict.gold), ("pred", each.verdict.pred)):
            found = [row[f"{side}_{part}"] for part in ("start", "end", "label", "text")]
            assert found == ([*span, doc.text[span.start : span.end]] if span else [None] * 4)
            ends += [span.start, span.end] if span else []
        assert doc.text[: min(ends)].endswith(row["left"]) and doc.text[max(ends) :].startswith(row["right"])
        assert len(row["left"]) == min(context, min(ends))
        assert len(row["right"]) == min(context, len(doc.text) - max(ends))


def test_without_a_text_there_are_offsets_and_labels_alone():
    (each,) = listed([Document([(0, 3, "A")], [], id="x")], create("strict"))
    row = {"document": "x", "metric": "strict", "verdict": "fn", "amount": 1, "gold_start": 0, "gold_end": 3}
    assert each.row() == dict.fromkeys(FIELDS) | row | {"gold_label": "A"}
    assert mark_excerpt(None, Span(0, 3, "A"), None) == ""


def test_an_empty_text_of_a_span_of_length_zero_is_not_a_missing_one():
    (each,) = listed([Document([(1, 1, "A")], [], "ab")], create("strict"))
    assert (each.row()["gold_text"], each.row()["left"], each.row()["right"]) == ("", "a", "b")


def test_rows_come_in_the_order_of_documents_and_texts_and_unnamed_documents_have_numbers():
    first = Document([(0, 1, "A"), (4, 5, "A"), (2, 3, "B")], [(2, 3, "A")], "a b a")
    found = listed([None, first, None, Document([(0, 1, "A")], [], "a", id="x"), first], create("fair"))
    assert [(each.name, each.verdict.gold.start) for each in found] == [
        *((0, 0), (0, 2), (0, 4), ("x", 0)),
        *((2, 0), (2, 2), (2, 4)),
    ]


@law
@given(corpus=corpora())
def test_the_order_is_that_of_the_text_whatever_order_verdicts_are_found_in(case, corpus):
    metric = case.metric
    backwards = replace(metric, judge=lambda document: reversed([*metric.judge(document)]))
    found = listed(corpus, metric, errors=["all"])
    assert listed(corpus, backwards, errors=["all"]) == found
    places = [(each.name, min((span for span in each.verdict[1:3] if span), default=())) for each in found]
    assert places == sorted(places)


# Examples


@pytest.mark.parametrize(
    ("gold", "pred", "expected"),
    [
        ((4, 16), None, "The [Ada Lovelace] met Bob."),
        (None, (21, 24), "… met {Bob}."),
        ((4, 16), (4, 16), "The [{Ada Lovelace}] met Bob."),
        ((4, 16), (4, 7), "The [{Ada} Lovelace] met Bob."),
        ((8, 16), (4, 16), "The {Ada [Lovelace]} met Bob."),
        ((4, 7), (4, 16), "The {[Ada] Lovelace} met Bob."),
        ((4, 16), (8, 24), "The [Ada {Lovelace] met Bob}."),
        ((4, 7), (7, 16), "The [Ada]{ Lovelace} met Bob."),
        ((7, 7), (7, 16), "The Ada{[] Lovelace} met Bob."),
        ((7, 7), (4, 7), "The {Ada}[] Lovelace met Bob."),
        ((4, 7), (21, 24), "The [Ada] Lovelace met {Bob}."),
        (None, None, ""),
    ],
)
def test_an_example_marks_both_spans(gold, pred, expected):
    spans = (span and Span(*span, "PER") for span in (gold, pred))
    assert mark_excerpt("The Ada Lovelace met Bob.", *spans) == expected


def words(text: str) -> str:
    return " ".join(text.split())


@tries(60)
@given(doc=nested())
def test_an_example_without_its_marks_is_a_stretch_of_the_text(doc):
    for each in listed([doc], create("fair"), errors=["all"]):
        shown = mark_excerpt(doc.text, each.verdict.gold, each.verdict.pred)
        for span, marks in ((each.verdict.gold, "[]"), (each.verdict.pred, "{}")):
            assert [shown.count(mark) for mark in marks] == [bool(span)] * 2
            if span:
                inside = shown[shown.index(marks[0]) + 1 : shown.index(marks[1])]
                assert words(re.sub(r"[][{}]", "", inside)) == words(doc.text[span.start : span.end])
        assert words(re.sub(r"[][{}]", "", shown).strip("…")) in words(doc.text)


def test_an_example_of_a_long_text_is_short():
    text = "\n".join(["word"] * 40_000)
    assert len(mark_excerpt(text, Span(10, 150_000, "A"), Span(30, 100_000, "A"))) < 200
    assert clip("abc", 3) == "abc" and clip("abcd", 3) == "ab…"


@tries(50)
@given(documents=corpora(nested(), most=4))
def test_of_each_kind_the_first_verdict_is_the_example(documents):
    metric = create("fair")
    examples = ErrorExamples(metric)
    for k, document in enumerate(documents):
        document.id = f"doc {k}" if k % 2 else None
        examples.add(document)
        examples.add(None)
    first: dict[tuple[str, str, str], ListedVerdict] = {}
    for each in listed(documents, metric, errors=["all"]):
        first.setdefault(kind(each.verdict), each)
    assert examples.first == first


# Groups


def brute(documents: list[Document], metric: str) -> dict[str, dict[Any, list[Any]]]:
    """Every key with the place of each of its errors, from the rows of the error list."""
    found: dict[str, dict[Any, list[Any]]] = defaultdict(lambda: defaultdict(list))
    has_letters = [any(c.isalpha() for c in document.text or "") for document in documents]
    for row in (listed.row() for listed in error_list(documents, create(metric))):
        labels = row["verdict"], row["gold_label"] or "", row["pred_label"] or ""
        side = "pred" if row["gold_text"] is None else "gold"
        text, place = row[f"{side}_text"], (row["document"], row[f"{side}_start"], row[f"{side}_end"])
        found["labels"][labels].append(place)
        if text and text.strip() and has_letters[row["document"]]:
            found["surface"][(*labels, " ".join(text.split()).casefold())].append(place)
    return found


@given(corpora())
@tries(60)
@pytest.mark.parametrize("metric", ["fair", "semeval"])
def test_groups_hold_every_error_of_the_list_once_and_count_places(metric, documents):
    found, expected = error_groups(documents, create(metric)), brute(documents, metric)
    for by in ("labels", "surface"):
        groups = found.largest_groups(by)
        assert {group.key: group.number for group in groups} == {key: len({*at}) for key, at in expected[by].items()}
        assert [group.number for group in groups] == sorted((g.number for g in groups), reverse=True)
        for group in groups:
            assert len(group.members) == len(expected[by][group.key])
            assert len({member.document for member in group.members}) == group.documents
            assert sum(group.spellings.values()) == (group.number if by == "surface" else 0)
    for group in found.largest_groups("slip"):
        end, added, words = group.key
        assert group.number == len({(member.document, member.gold) for member in group.members})
        for number, gold, pred in group.members:
            sides = (gold, pred) if added == (end == "trailing") else (pred, gold)
            a, b = (side.end if end == "trailing" else side.start for side in sides)
            assert " ".join((documents[number].text or "")[a:b].split()).casefold() == words
    judge = create(metric)
    on_gold = {(k, v.name, v.gold) for k, d in enumerate(documents) for v in judge.verdicts(d) if v.gold}
    assert found.gold == Counter(name for _, name, _ in on_gold)


def test_a_gold_span_in_two_pieces_is_one_place():
    text = "the New York Times of old"
    document = Document([(4, 18, "ORG")], [(4, 12, "ORG"), (13, 18, "ORG")], text)
    (once,) = error_groups([document], create("fair")).largest_groups("surface")
    assert (once.number, once.documents, len(once.members)) == (1, 1, 2)
    (twice,) = error_groups([document, document], create("fair")).largest_groups("surface", least=2)
    assert (twice.number, twice.documents, len(twice.members)) == (2, 2, 4)


@pytest.mark.parametrize(("added", "found"), [("so very very", True), ("so very very very", False)])
def test_a_slip_has_three_words_at_most(added, found):
    text = f"{added} big ship"
    document = Document([(len(added) + 1, len(text), "A")], [(0, len(text), "A")], text)
    groups = error_groups([document], create("fair")).largest_groups("slip")
    assert [group.slip for group in groups] == [Slip("leading", True, added)] * found


def news() -> list[Document]:
    """Four texts in which one error repeats, and a leading word and a genitive are taken in."""
    texts = ["the DRDO's plan", "The DRDO waits", "the drdo", "Ada met the DRDO's head"]
    golds: list[Any] = [(4, 8), (4, 8), (4, 8), (12, 16)]
    preds: list[Any] = [(0, 10), (0, 8), (4, 8), (12, 18)]
    sides = zip(texts, golds, preds)
    return [Document([(*g, "corporation")], [(*p, "group")], t, id=f"n{k}") for k, (t, g, p) in enumerate(sides)]


def test_the_same_surface_counts_in_any_case_and_is_shown_as_mostly_spelt():
    largest = error_groups(news(), create("fair")).largest_groups("surface")
    assert [(g.surface, *g.labels, g.number) for g in largest] == [
        ("DRDO", "lbe", "corporation", "group", 3),
        ("drdo", "le", "corporation", "group", 1),
    ]
    assert (largest[0].example["document"], largest[0].example["left"]) == ("n0", "")


def test_slips_name_their_end_their_words_and_who_has_them():
    groups = error_groups(news(), create("fair")).largest_groups("slip")
    assert {group.slip: group.number for group in groups} == {
        Slip("leading", True, "the"): 2,
        Slip("trailing", True, "'s"): 2,
    }
    cut = Document([(0, 11, "A")], [(4, 8, "A")], "the DRDO in")
    assert [g.slip for g in error_groups([cut], create("fair")).largest_groups("slip")] == [
        Slip("leading", False, "the"),
        Slip("trailing", False, "in"),
    ]


@pytest.mark.parametrize(
    "document",
    [Document([(0, 3, "A")], [(1, 3, "A")]), Document([(0, 1, "A")], [(0, 3, "A")], "1 2 3")],
    ids=["no text", "numbers that stand for tokens"],
)
def test_without_words_there_are_groups_of_labels_alone(document):
    found = error_groups([None, document], create("fair"))
    assert [len(found.largest_groups(by)) for by in ("labels", "surface", "slip")] == [1, 0, 0]
    assert found.documents == 1


def test_only_the_wanted_groups_are_made_and_small_ones_are_left_out():
    found = error_groups(news(), create("fair"), members=False, by=["slip"])
    assert [len(found.largest_groups(by)) for by in ("labels", "surface", "slip")] == [0, 0, 2]
    assert not any(group.members for group in found.largest_groups("slip"))
    assert not found.largest_groups("slip", least=3)


def test_verdicts_that_depend_on_the_corpus_have_no_groups():
    with refused_with(
        ValueError,
        "the verdicts of tmr depend on the whole corpus, so its errors have no groups",
    ):
        ErrorGroups(create("tmr"))


def test_the_text_around_an_error_ends_where_the_text_does():
    """Behind it stand the mentions that it does not have, a line each."""
    document = Document(
        [(0, 3, "PER")], [(4, 7, "PER"), (8, 12, "LOC")], "Ada met\nRome", tokens=[(0, 3), (4, 7), (8, 12)]
    )
    document.annex = 7
    rows = [listed.row(context=20) for listed in error_list([document], create("strict"))]
    around = {(row["gold_text"] or row["pred_text"]): (row["left"], row["right"]) for row in rows}
    assert around["Ada"] == ("", " met") and around["met"] == ("Ada ", "")
    assert around["Rome"] == (None, None)
