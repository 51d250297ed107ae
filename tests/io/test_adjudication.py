"""Disputed documents as tasks for Prodigy and Label Studio: ranked, and readable by this package's own readers."""

from __future__ import annotations

import json

import pytest
from annotators import annotated, example

from spacy_nereval.core.mention_places import annexed
from spacy_nereval.evaluation.agreement.votes import Rule, consensus, ranked_documents
from spacy_nereval.io.formats import Format, label_studio
from spacy_nereval.io.formats import jsonl as jsonl_reader
from spacy_nereval.io.shared_documents import label_studio_tasks, prodigy_tasks, write_disputes

RANKED = [row["document"] for _, row in ranked_documents(example()) if row["disputes"]]


def test_the_tasks_are_the_disputed_documents_the_most_disputed_first():
    tasks = [*prodigy_tasks(example())]
    assert [task["id"] for task in tasks] == RANKED
    disputes = [task["meta"]["disputes"] for task in tasks]
    assert disputes == sorted(disputes, reverse=True) and disputes[-1] > 0
    assert [task["data"]["document"] for task in label_studio_tasks(example())] == RANKED
    assert [task["data"]["disputes"] for task in label_studio_tasks(example())] == disputes


def test_documents_that_share_an_id_are_all_there():
    one, other = ("Ada left", {"ann": [(0, 3, "PER")], "ben": []}), ("Bob left", {"ann": [(0, 3, "PER")], "ben": []})
    given = annotated(one, other)
    for each in given.documents:
        each.base.id = "same"
    assert [task["text"] for task in prodigy_tasks(given)] == ["Ada left", "Bob left"]
    assert [task["data"]["text"] for task in label_studio_tasks(given)] == ["Ada left", "Bob left"]
    assert [number for number, _ in ranked_documents(given)] == [0, 1]


@pytest.mark.parametrize("rule", [Rule(), Rule("all"), Rule(1)])
def test_prodigys_lines_are_read_back_as_the_consensus(tmp_path, rule):
    given = example()
    assert write_disputes(tmp_path / "tasks.jsonl", given, rule) == len(RANKED)
    kept = {each.base.id: {vote.span for vote in votes} for each, votes in consensus(given, rule)}
    records = [*jsonl_reader.read(tmp_path / "tasks.jsonl")]
    assert [record.id for record in records] == RANKED
    assert all(record.spans == kept[record.id] and record.annotated for record in records)


@pytest.mark.parametrize("name", ["ann", "ben", "cleo"])
def test_label_studios_tasks_are_read_back_as_each_annotators_spans(tmp_path, name):
    given = example()
    assert write_disputes(tmp_path / "tasks.json", given) == len(RANKED)
    records = [*label_studio.read(tmp_path / "tasks.json", Format(annotator=name))]
    own = {each.base.text: {*each.spans[name]} for each in given.documents if name in each.spans}
    assert [record.text for record in records] == [
        next(each.base.text for each in given.documents if each.base.id == id) for id in RANKED
    ]
    for record in records:
        assert record.annotated == (record.text in own)
        assert record.spans == own.get(record.text, set())


def test_options_say_who_marked_what():
    spans = {"ann": [(4, 13, "PART")], "ben": [(9, 13, "PART")], "cleo": [(4, 13, "PART"), (14, 19, "FAULT")]}
    (task,) = prodigy_tasks(annotated(("the left door leaks", spans)))
    assert task["spans"] == [{"start": 4, "end": 13, "label": "PART"}]
    assert [option["text"] for option in task["options"]] == [
        "ann, cleo: left door (PART)",
        "ben: door (PART)",
        "cleo: leaks (FAULT)",
    ]
    assert [option["id"] for option in task["options"]] == [0, 1, 2]
    assert task["meta"] == {"disputes": 6, "annotators": "ann, ben, cleo"}


def test_what_the_text_does_not_have_is_in_no_task():
    text, lines = annexed("Ada met Bob", ["Eve"])
    given = annotated((text, {"ann": [(0, 3, "PER"), (*lines["Eve"], "PER")], "ben": []}))
    given.documents[0].base.annex = len("Ada met Bob")
    (task,) = prodigy_tasks(given)
    assert task["text"] == "Ada met Bob"
    assert [option["text"] for option in task["options"]] == ["ann: Ada (PER)"]
    (task,) = label_studio_tasks(given)
    assert [len(each["result"]) for each in task["predictions"]] == [1, 0]


def test_documents_without_texts_make_no_tasks_and_leave_no_file(tmp_path):
    given = annotated((None, {"ann": [(0, 3, "PER")], "ben": []}))
    for path in (tmp_path / "a.jsonl", tmp_path / "a.json"):
        with pytest.raises(ValueError, match="document d0 has no text"):
            write_disputes(path, given)
    assert [*tmp_path.iterdir()] == []


def test_strange_characters_survive(tmp_path):
    given = annotated(("\ud800 😀\u2028 door", {"ann": [(5, 9, "P")], "ben": [(2, 3, "P")]}))
    for path, read in ((tmp_path / "a.jsonl", jsonl_reader.read), (tmp_path / "a.json", label_studio.read)):
        write_disputes(path, given)
        (record,) = read(path, Format(annotator="ann" if path.suffix == ".json" else None))
        assert record.text == given.documents[0].base.text
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf8"))[0]["data"]["text"] == record.text
