"""Groups of the same error: together they are the list of errors, and each holds what its key says."""

from collections import Counter, defaultdict
from typing import Any

import pytest
from hypothesis import given
from profiles import tries
from strategies import corpora

from spacy_nereval import Document, create
from spacy_nereval.evaluation.error_groups import ErrorGroups, Slip, error_groups
from spacy_nereval.evaluation.error_list import error_list


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
        groups = found.largest(by)
        assert {group.key: group.number for group in groups} == {key: len({*at}) for key, at in expected[by].items()}
        assert [group.number for group in groups] == sorted((g.number for g in groups), reverse=True)
        for group in groups:
            assert len(group.members) == len(expected[by][group.key])
            assert len({member.document for member in group.members}) == group.documents
            assert sum(group.spellings.values()) == (group.number if by == "surface" else 0)
    for group in found.largest("slip"):
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
    (once,) = error_groups([document], create("fair")).largest("surface")
    assert (once.number, once.documents, len(once.members)) == (1, 1, 2)
    (twice,) = error_groups([document, document], create("fair")).largest("surface", least=2)
    assert (twice.number, twice.documents, len(twice.members)) == (2, 2, 4)


@pytest.mark.parametrize(("added", "found"), [("so very very", True), ("so very very very", False)])
def test_a_slip_has_three_words_at_most(added, found):
    text = f"{added} big ship"
    document = Document([(len(added) + 1, len(text), "A")], [(0, len(text), "A")], text)
    groups = error_groups([document], create("fair")).largest("slip")
    assert [group.slip for group in groups] == [Slip("leading", True, added)] * found


def news() -> list[Document]:
    """Four texts in which one error repeats, and a leading word and a genitive are taken in."""
    texts = ["the DRDO's plan", "The DRDO waits", "the drdo", "Ada met the DRDO's head"]
    golds: list[Any] = [(4, 8), (4, 8), (4, 8), (12, 16)]
    preds: list[Any] = [(0, 10), (0, 8), (4, 8), (12, 18)]
    sides = zip(texts, golds, preds)
    return [Document([(*g, "corporation")], [(*p, "group")], t, id=f"n{k}") for k, (t, g, p) in enumerate(sides)]


def test_the_same_surface_counts_in_any_case_and_is_shown_as_mostly_spelt():
    largest = error_groups(news(), create("fair")).largest("surface")
    assert [(g.surface, *g.labels, g.number) for g in largest] == [
        ("DRDO", "lbe", "corporation", "group", 3),
        ("drdo", "le", "corporation", "group", 1),
    ]
    assert (largest[0].example["document"], largest[0].example["left"]) == ("n0", "")


def test_slips_name_their_end_their_words_and_who_has_them():
    groups = error_groups(news(), create("fair")).largest("slip")
    assert {group.slip: group.number for group in groups} == {
        Slip("leading", True, "the"): 2,
        Slip("trailing", True, "'s"): 2,
    }
    cut = Document([(0, 11, "A")], [(4, 8, "A")], "the DRDO in")
    assert [g.slip for g in error_groups([cut], create("fair")).largest("slip")] == [
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
    assert [len(found.largest(by)) for by in ("labels", "surface", "slip")] == [1, 0, 0]
    assert found.documents == 1


def test_only_the_wanted_groups_are_made_and_small_ones_are_left_out():
    found = error_groups(news(), create("fair"), members=False, by=["slip"])
    assert [len(found.largest(by)) for by in ("labels", "surface", "slip")] == [0, 0, 2]
    assert not any(group.members for group in found.largest("slip"))
    assert not found.largest("slip", least=3)


def test_verdicts_that_depend_on_the_corpus_have_no_groups():
    with pytest.raises(ValueError, match="tmr depend on the whole corpus"):
        ErrorGroups(create("tmr"))
