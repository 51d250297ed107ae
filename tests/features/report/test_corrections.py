"""Corrections of gold annotation: what marks decide and nothing else, or a refusal with document and span."""

import json
from random import Random
from typing import Any

import pytest
from asking import refusal
from commands import write
from samples import SAMPLES, write_sample

from spacy_nereval.features.report.corrections import correct_gold, gold_digest, read_marks
from spacy_nereval.io.formats import read_any
from spacy_nereval.io.read import read_files
from spacy_nereval.io.records import Record

TEXT = "Ada Lovelace met Bob in New York"
ADA, BOB, YORK = (0, 12, "PER"), (17, 20, "LOC"), (24, 32, "LOC")
GOLD = Record(TEXT, {ADA, BOB, YORK}, id="d1")
OTHER = Record("Rome", {(0, 4, "LOC")})
NESTED = Record("The Bank of Rome", {(4, 16, "ORG"), (12, 16, "LOC")})
GAPPED = Record("Ada  Bob", set(), gaps=((5, 8),))
PER = (17, 20, "PER")


def span(of: tuple[int, int, str] | None) -> dict[str, Any] | None:
    return None if of is None else dict(zip(("start", "end", "label"), of))


def mark(record: Record, gold, decided=None, *, pred=None, said="gold wrong", **more: Any) -> dict[str, Any]:
    return {
        "digest": gold_digest(record.id, record.text, record.spans),
        "gold": span(gold),
        "pred": span(pred),
        "mark": said,
        "decided": None if decided is None else [*map(span, decided)],
        **more,
    }


CHANGED: dict[str, tuple[list[dict[str, Any]], set[tuple[int, int, str]], list[str]]] = {
    "nothing": ([], {ADA, BOB, YORK}, []),
    "label": ([mark(GOLD, BOB, [PER])], {ADA, PER, YORK}, ["label"]),
    "boundaries": ([mark(GOLD, YORK, [(24, 27, "LOC")])], {ADA, BOB, (24, 27, "LOC")}, ["boundaries"]),
    "both": ([mark(GOLD, YORK, [(28, 32, "ORG")])], {ADA, BOB, (28, 32, "ORG")}, ["boundaries and label"]),
    "removed": ([mark(GOLD, BOB, [])], {ADA, YORK}, ["removed"]),
    "divided": ([mark(GOLD, ADA, [(0, 3, "PER"), (4, 12, "PER")])],
        {(0, 3, "PER"), (4, 12, "PER"), BOB, YORK}, ["divided"]),
    "added": ([mark(GOLD, None, [(13, 16, "EV")], pred=(13, 16, "EV"))], {ADA, BOB, YORK, (13, 16, "EV")}, ["added"]),
    "added by two systems once": (
        [mark(GOLD, None, [(13, 16, "EV")], pred=(13, end, "EV"), system=own) for end, own in ((16, "a"), (14, "b"))],
        {ADA, BOB, YORK, (13, 16, "EV")}, ["added"]),
    "two spans become one": ([mark(GOLD, BOB, [(17, 32, "ORG")]), mark(GOLD, YORK, [])], {ADA, (17, 32, "ORG")},
        ["boundaries and label", "removed"]),
    "not decided": ([mark(GOLD, BOB)], {ADA, BOB, YORK}, []),
    "the system is wrong": ([mark(GOLD, BOB, said="system wrong")], {ADA, BOB, YORK}, []),
    "as it is": ([mark(GOLD, BOB, [BOB])], {ADA, BOB, YORK}, []),
    "two reviewers agree": ([mark(GOLD, BOB, [PER])] * 2, {ADA, PER, YORK}, ["label"]),
    "one of two is not sure": ([mark(GOLD, BOB, [PER]), mark(GOLD, BOB, said="unclear")], {ADA, PER, YORK}, ["label"]),
}  # fmt: skip


def other(said="gold wrong", decided=None, settled=None) -> dict[str, Any]:
    return {"by": "b.jsonl", "mark": said, "decided": decided and [*map(span, decided)], "note": "", "settled": settled}


@pytest.mark.parametrize("said", ["gold wrong", "system wrong", "unclear"])
def test_open_disputes_are_refused_and_listed_whatever_they_are_about(said):
    own = mark(GOLD, BOB, [PER], others=[other(said)])
    refused = refusal(correct_gold, [GOLD], read_marks([own]))
    assert "marks disagree on 1 place: document d1: mark 0: 'PER' from 17 to 20; b.jsonl: " + said in refused
    found = correct_gold([GOLD], read_marks([own]), "keep")
    assert found.records == [GOLD] and found.result["conflicts"][0]["said"] == ["'PER' from 17 to 20", said]
    for settled in ("mine", "theirs"):
        own = mark(GOLD, BOB, [PER], others=[other(said, settled=settled)])
        assert correct_gold([GOLD], read_marks([own])).result["conflicts"] == []


@pytest.mark.parametrize(
    ("others", "said"),
    [("x", "others is 'x'"), ([1], "others is [1]"), ([other("new")], "the mark is 'new'"),
     ([other(settled="ours")], "settled is 'ours'; expected one of mine, theirs, or null")],
)  # fmt: skip
def test_what_is_no_mark_of_another_reviewer_is_refused(others, said):
    assert said in refusal(read_marks, [mark(GOLD, BOB, [PER], others=others)])


@pytest.mark.parametrize("name", CHANGED)
def test_what_is_decided_changes_and_nothing_else(name):
    marks, spans, kinds = CHANGED[name]
    found = correct_gold([OTHER, GOLD, NESTED], read_marks(marks))
    assert [record.spans for record in found.records] == [OTHER.spans, spans, NESTED.spans]
    assert [row["change"] for row in found.result["changes"]] == kinds
    assert found.result["spans"] == {"before": 6, "after": 3 + len(spans)}
    before, after = found.result["signature"].split("|")[1:3]
    assert (before[5:] == after[4:]) is (not kinds)


def test_each_change_is_told_with_its_document_its_texts_and_its_reasons():
    rows = [
        mark(GOLD, BOB, [PER], note="a", reason="two labels"),
        mark(GOLD, BOB, [PER], note="b", reason="two labels"),
    ]
    more = [mark(GOLD, BOB), mark(GOLD, YORK), mark(GOLD, ADA, said="unclear")]
    scored = GOLD._replace(span_scores={BOB: 0.5, ADA: 0.9})
    (record,), result = correct_gold([scored], read_marks([*rows, *more]))
    assert record.span_scores == {ADA: 0.9}
    before, after = ({**span(own), "text": "Bob"} for own in (BOB, PER))
    told = {"document": "d1", "before": before, "change": "label", "after": [after], "reason": "two labels"}
    assert result["changes"] == [{**told, "note": "a; b"}]
    assert [row["before"]["text"] for row in result["undecided"]] == ["New York"]
    assert result["marks"] == {"places": 3, "gold wrong": 2, "system wrong": 0, "unclear": 1}


CONTESTED = {
    "two labels": [mark(GOLD, BOB, [PER]), mark(GOLD, BOB, [(17, 20, "ORG")])],
    "a span or none": [mark(GOLD, BOB, [PER]), mark(GOLD, BOB, [])],
    "gold or the system": [
        mark(GOLD, BOB, [PER], pred=PER),
        mark(GOLD, BOB, pred=(17, 20, "ORG"), said="system wrong"),
    ],
    "two new labels": [
        mark(GOLD, None, [(13, 16, label)], pred=(13, 16, label), system=label) for label in ("EV", "VERB")
    ],
}


@pytest.mark.parametrize("name", CONTESTED)
def test_marks_that_disagree_are_refused_or_left_undecided(name):
    marks = read_marks([*CONTESTED[name], mark(GOLD, YORK, [])])
    with pytest.raises(ValueError, match=r"^marks disagree on 1 place: document d1: mark 0: .*; mark 1: .*='keep'$"):
        correct_gold([GOLD], marks)
    for order in (marks, marks[::-1]):
        found = correct_gold([GOLD], order, "keep")
        assert found.records[0].spans == {ADA, BOB}
        (row,) = found.result["conflicts"]
        assert (row["document"], len(row["said"]), len(row["where"])) == ("d1", 2, 2)


REFUSED = {
    "another gold": (
        mark(OTHER._replace(spans={(0, 3, "LOC")}), None, []),
        "it removes a gold span where there is none",
    ),
    "another gold, decided": (
        mark(OTHER._replace(spans={(0, 3, "LOC")}), (0, 3, "LOC"), []),
        "mark 0: made on other gold annotation .all of the marks.: none of the . documents of gold has the digest",
    ),
    "another text": (mark(OTHER._replace(text="Oslo"), None, said="unclear"), "made on other gold annotation"),
    "a second copy": (mark(GOLD, BOB, [PER], copy=1), "made on other gold annotation"),
    "no such span": (mark(GOLD, (0, 3, "PER"), []), "document d1 has no gold span 'PER' from 0 to 3"),
    "no place": (mark(GOLD, None), "neither a gold span nor a prediction"),
    "overlap": (mark(GOLD, BOB, [(13, 26, "LOC")]), "'LOC' from 13 to 26 and 'LOC' from 24 to 32 overlap"),
    "the same place": (mark(GOLD, None, [(17, 20, "X")]), "'LOC' from 17 to 20 and 'X' from 17 to 20 overlap"),
    "there already": (
        mark(GOLD, BOB, [ADA]),
        "document d1: the gold annotation already contains the span 'PER' from 0 to 12",
    ),
    "after the text": (mark(GOLD, BOB, [(28, 33, "LOC")]), "'LOC' from 28 to 33 ends after the text, which has 32"),
    "white space": (mark(GOLD, BOB, [(16, 17, "LOC")]), "document d1: the correction 'LOC' from 16 to 17 has no words"),
    "empty": (mark(GOLD, BOB, [(4, 4, "LOC")]), "has no words"),
    "backwards": (mark(GOLD, BOB, [(9, 4, "LOC")]), "mark 0: decided span 0 Span.9, 4, 'LOC'. ends before it starts"),
    "no label": (mark(GOLD, BOB, [(0, 4, "")]), "has no label"),
    "not annotated": (
        mark(GAPPED, None, [(5, 8, "PER")]),
        "document 1: .* is in a passage without annotation",
    ),
    "decided, and the system is wrong": (mark(GOLD, BOB, [PER], said="system wrong"), "its mark is 'system wrong'"),
    "decided without a mark": (mark(GOLD, BOB, [], said=""), "its mark is ''; expected 'gold wrong'"),
    "no mark that is known": (mark(GOLD, BOB, said="gold"), "mark 0: the mark is 'gold'; expected one of gold wrong, "),
    "no digest": ({"text": "Ada", "spans": []}, "mark 0: it has no digest of a document; expected a mark"),
    "no list": ({**mark(GOLD, BOB), "decided": "PER"}, "mark 0: decided is 'PER'; expected a list of spans, or null"),
    "no span": ({**mark(GOLD, BOB), "gold": {"start": 1}}, "mark 0: gold is .* expected null or a span"),
    "no text": ({**mark(GOLD, BOB), "note": 3}, "mark 0: note is 3; expected a text"),
    "no number": ({**mark(GOLD, BOB), "copy": -1}, "mark 0: copy is -1; expected a whole number"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_a_correction_is_refused_with_its_place(name):
    row, said = REFUSED[name]
    with pytest.raises(ValueError, match=said):
        correct_gold([GOLD, GAPPED, OTHER], read_marks([row]))


def test_spans_may_touch_and_overlap_where_gold_spans_do():
    beside = correct_gold([GOLD], read_marks([mark(GOLD, BOB, [(13, 24, "LOC")])]))
    assert beside.records[0].spans == {ADA, (13, 24, "LOC"), YORK}
    found = correct_gold([GOLD, NESTED], read_marks([mark(GOLD, None, [(0, 3, "FIRST")], pred=(0, 3, "FIRST"))]))
    assert found.records[0].spans == {ADA, BOB, YORK, (0, 3, "FIRST")}


def test_marks_are_read_from_files_and_an_error_names_the_line(tmp_path):
    paths = [write(tmp_path / f"{name}.jsonl", mark(GOLD, BOB, [PER], note=name), b"") for name in "ab"]
    assert [each.where for each in read_marks(paths)] == [f"{path}, line 1" for path in paths]
    assert read_marks(paths[0])[0].decided == (PER,)
    write(paths[0], mark(GOLD, BOB), '{"digest": ')
    assert "a.jsonl, line 2: not valid JSON" in refusal(read_marks, paths[0])
    assert "marks is None; expected a file of marks" in refusal(read_marks, None)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_document_of_a_report_is_found_in_every_format(name, tmp_path):
    """A report pairs gold with predictions; `apply` reads gold alone."""
    path = write_sample(name, tmp_path)
    documents = [document for document in read_files(path, path) if document]
    marks = [
        {"digest": gold_digest(d.id, d.own_text, d.gold), "pred": span((4, 6, "X")), "mark": "unclear"}
        for d in documents
    ]
    found = correct_gold(read_any(path), read_marks(marks))
    assert documents and found.result["marks"]["unclear"] == len({mark["digest"] for mark in marks})


def test_random_decisions_are_an_edit_by_hand():
    """A twin that edits lists of spans, for many documents with many decisions, in any order."""
    numbers = Random(7)
    for _ in range(30):
        golds, marks, wanted = [], [], []
        for k in range(numbers.randint(1, 6)):
            words = [(4 * at, 4 * at + 3, numbers.choice("AB")) for at in range(12)]
            spans = numbers.sample(words, 5)
            record = Record("abc " * 12, {*spans}, id=numbers.choice((None, str(k))))
            copy = sum((each.id, each.spans) == (record.id, record.spans) for each in golds)
            golds.append(record)
            own = [*spans]
            for place in words:
                choice = numbers.choice(("keep", "none", "label", "add"))
                gold = place if place in spans else None
                new = (*place[:2], "C")
                if gold and choice in ("none", "label"):
                    own.remove(gold)
                    own += [new] * (choice == "label")
                    marks.append(mark(record, gold, [new] * (choice == "label"), copy=copy))
                elif not gold and choice == "add":
                    own.append(new)
                    marks.append(mark(record, None, [new], copy=copy))
            wanted.append({*own})
        numbers.shuffle(marks)
        found = correct_gold(golds, read_marks([json.loads(json.dumps(row)) for row in marks]))
        assert [record.spans for record in found.records] == wanted
        assert len(found.result["changes"]) == len(marks)
