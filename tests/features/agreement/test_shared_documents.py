"""The documents of several annotators: which are the same, what is left out, and disputed ones as tasks."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from annotators import annotated, example
from asking import refusal
from commands import line, refused, run, write
from reading import read
from refusals import refused_with

from spacy_nereval import agreement, load
from spacy_nereval.api.inputs import SideRecord
from spacy_nereval.core.labels import label_rules
from spacy_nereval.core.mention_places import append_annex
from spacy_nereval.features.agreement.adjudication import label_studio_tasks, prodigy_tasks, write_disputes
from spacy_nereval.features.agreement.disagreements import Rule, consensus, document_disputes
from spacy_nereval.features.agreement.shared_documents import match_documents
from spacy_nereval.io.formats import Format, annotators_of, label_studio
from spacy_nereval.io.formats import jsonl as jsonl_reader
from spacy_nereval.io.records import Record

ADA = (0, 3, "PER")


def owns(*records: Record) -> list[SideRecord]:
    return [SideRecord(record) for record in records]


def test_repeated_texts_are_paired_in_their_order():
    first, second = Record("Ada", {ADA}), Record("Ada", set())
    found = match_documents({"x": owns(first, second), "y": owns(first, second)})
    assert [each.spans for each in found.documents] == [{"x": [ADA], "y": [ADA]}, {"x": [], "y": []}]
    assert [found.name_of(place) for place in (0, 1)] == [0, 1]


def test_one_document_without_id_pairs_all_by_their_texts():
    x, y = Record("Ada", {ADA}, id="1"), Record("Bob", set(), id="2")
    found = match_documents({"x": owns(x, y), "y": owns(y._replace(id=None), x._replace(id="3"))})
    assert [each.base.text for each in found.documents] == ["Ada", "Bob"]


def test_texts_may_differ_in_white_space_and_case():
    x, y = Record("Ada  met Bob", {(9, 12, "PER")}, id="1"), Record("ada met\tbob", {(8, 11, "PER")}, id="1")
    (found,) = match_documents({"x": owns(x), "y": owns(y)}).documents
    assert (found.base.text, found.spans) == ("Ada  met Bob", {"x": [(9, 12, "PER")], "y": [(9, 12, "PER")]})


def test_tokens_are_kept_if_all_have_the_same_and_else_made_at_white_space():
    tokens = [(0, 1), (1, 3)]
    with_tokens, others = Record("Ada", set(), tokens), Record("Ada", set(), [(0, 3)])
    for record, expected in ((with_tokens, tokens), (others, [(0, 3)]), (Record("Ada", set()), [(0, 3)])):
        (found,) = match_documents({"x": owns(with_tokens), "y": owns(record)}).documents
        assert found.base.tokens == expected


def test_stretches_that_somebody_has_not_annotated_are_left_out_for_all():
    x, y = Record("Ada met Bob", {ADA}, gaps=((8, 11),)), Record("Ada met Bob", {ADA, (8, 11, "PER")})
    found = match_documents({"x": owns(x), "y": owns(y), "z": owns(y)})
    assert found.documents[0].spans == {"x": [ADA], "y": [ADA], "z": [ADA]}
    assert found.on_reading["ignored"] == 2


def test_what_readers_left_out_adds_up_over_annotators_and_label_rules_unite():
    x = Record("Ada", {ADA, (0, 3, "ORG")}, repaired=1, duplicates=2, rejected=3)
    found = match_documents({"x": owns(x), "y": owns(x)}, label_rules({"ORG": "PER", "GPE": "LOC"}))
    assert found.on_reading == {"ignored": 0, "repaired": 2, "duplicates": 4, "rejected": 6, "merged": 2}
    assert found.documents[0].spans == {"x": [ADA], "y": [ADA]}
    assert found.mapped == {"ORG"}


def test_mentions_that_the_text_does_not_have_are_one_line_each():
    x, y = Record("Ada", {ADA}), Record("Ada", set(), invented=[("Zoe", "PER"), ("Eve", "PER")])
    (found,) = match_documents({"x": owns(x._replace(invented=[("Zoe", "PER")])), "y": owns(y)}).documents
    assert (found.base.text, found.base.annex) == ("Ada\nZoe\nEve", 3)
    assert found.spans == {"x": [ADA, (4, 7, "PER")], "y": [(4, 7, "PER"), (8, 11, "PER")]}


def test_the_unit_is_that_of_the_first_annotator():
    record = Record("Ada", set())
    found = match_documents({"x": [SideRecord(record, "one", "meta.a")], "y": [SideRecord(record, "other", "meta.b")]})
    assert (found.documents[0].base.unit, found.documents[0].base.unit_rule) == ("one", "meta.a")


@pytest.mark.parametrize("more", [{"annotated": False}, {"open_end": True}], ids=str)
def test_two_texts_under_one_id_are_an_error_even_if_one_is_not_annotated(more):
    x, y = Record("Ada", set(), id="1"), Record("Bob", set(), id="1", **more)
    sides = {"x": owns(x), "y": owns(y, Record("Eve", set(), id="2"))}
    assert "document 1 has one text for x and another for y" in refusal(match_documents, sides)


# Files with the annotation of several people: Prodigy's lines, and where nobody is named


PER, ORG = (0, 3, "PER"), (0, 3, "ORG")


def by(name: str | None, text: str, *spans: tuple[int, int, str], **more: Any) -> dict[str, Any]:
    return line(text, *spans, **({"_annotator_id": name} if name else {}), **more)


def found(path: Path, **settings: Any) -> list[tuple[str, bool, set]]:
    return [(record.text, record.annotated, record.spans) for record in read(path, **settings)]


def two(folder: Path) -> Path:
    """Ann saw "Ada one" and "Ada two"; Bob saw them in another order, and "Ada three"."""
    rows = by("ann", "Ada one", PER), by("bob", "Ada two", ORG), by("ann", "Ada two", PER)
    return write(folder / "two.jsonl", *rows, by("bob", "Ada three", ORG), by("bob", "Ada one"))


def test_the_lines_of_one_annotator_are_read_in_the_order_of_the_documents(tmp_path):
    path = two(tmp_path)
    assert annotators_of(path) == ["ann", "bob"]
    ann = [("Ada one", True, {PER}), ("Ada two", True, {PER}), ("Ada three", False, set())]
    bob = [("Ada one", True, set()), ("Ada two", True, {ORG}), ("Ada three", True, {ORG})]
    assert found(path, annotator="ann") == ann
    assert found(path, annotator="bob") == bob
    assert [(each.text, each.annotated, {*each.spans}) for each in load(path, annotator="bob")] == bob


def test_two_annotators_of_one_file_are_compared(tmp_path):
    path = two(tmp_path)
    done = run("score", path, path, "-m", "strict", "--annotator", "ann,bob", "--format", "json")
    assert done.exit_code == 0, done.output
    assert "2 documents, 2 gold spans, 1 predicted span" in done.stderr
    assert "expected one name, or two" in refused("score", path, path, "--annotator", "a,b,c")


def test_a_document_of_several_annotators_needs_a_choice(tmp_path):
    path = two(tmp_path)
    said = "document on line 1 has 2 annotations, by ann, bob; choose an annotator with --annotator: ann, bob"
    assert said in refused("score", path, path)
    assert "there is no annotator 'eve'; there are ann, bob" in refused("score", path, path, "--annotator", "eve")
    assert "there is no annotator 'eve'" in refusal(load, path, annotator="eve")


def test_an_id_tells_which_document_a_line_is_of(tmp_path):
    lines = [by("ann", "Ada", PER, id=1), by("bob", "Ada", ORG, id=2), by("bob", "Ada", id=1)]
    assert [len(record.spans) for record in read(write(tmp_path / "a.jsonl", *lines), annotator="bob")] == [0, 1]


def test_a_text_that_one_annotator_has_twice_is_two_documents(tmp_path):
    lines = [by("ann", "Ada", PER), by("ann", "Ada"), by("bob", "Ada", ORG)]
    path = write(tmp_path / "a.jsonl", *lines)
    assert found(path, annotator="bob") == [("Ada", True, {ORG}), ("Ada", False, set())]
    assert found(path, annotator="ann") == [("Ada", True, {PER}), ("Ada", True, set())]


@pytest.mark.parametrize("name", ["ann", None])
def test_a_file_of_one_annotator_or_divided_among_several_is_read_as_it_is(name, tmp_path):
    path = write(tmp_path / "a.jsonl", by("ann", "Ada one", PER), by("ann", "Ada one"), by(name, "Ada two", PER))
    assert [len(record.spans) for record in read(path)] == [1, 0, 1]


def test_what_an_annotator_rejected_is_no_annotation(tmp_path):
    path = write(tmp_path / "a.jsonl", by("ann", "Ada", PER, answer="reject"), by("bob", "Ada", ORG, answer="accept"))
    assert found(path) == [("Ada", True, {ORG})]
    assert found(path, annotator="ann") == [("Ada", False, set())]


def test_a_text_that_only_mentions_the_key_names_nobody(tmp_path):
    path = write(tmp_path / "a.jsonl", by(None, "the key _annotator_id"), by(None, "the key _annotator_id"))
    assert (annotators_of(path), len(read(path))) == ([], 2)


def test_mistakes_in_a_file_of_several_annotators_name_their_line(tmp_path):
    path = write(tmp_path / "a.jsonl", by("ann", "Ada", PER), by("bob", "Ada", (0, 9, "PER")))
    for settings, expected in (({"annotator": "bob"}, "line 2: span 0"), ({}, "on line 1 has 2 annotations")):
        assert expected in refusal(read, path, **settings)
    path.write_text(path.read_text() + '{"_annotator_id": 3}\n')
    assert "line 3: expected an object" in refusal(read, path, annotator="ann")


# Files that name nobody


def test_an_annotator_is_refused_where_no_file_names_one(tmp_path):
    plain = write(tmp_path / "plain.jsonl", by(None, "Ada", PER))
    tsv = tmp_path / "a.conll"
    tsv.write_text("Ada\tB-PER\n")
    for path in (plain, tsv):
        expected = f"--annotator ann: {path} names no annotator; leave it out"
        assert expected in refused("score", path, path, "--annotator", "ann")
        assert expected in refused("convert", path, tmp_path / "out.jsonl", "--annotator", "ann")
    assert not (tmp_path / "out.jsonl").exists()
    with pytest.raises(ValueError, match=r"^annotator='ann': .*plain.jsonl names no annotator; leave it out"):
        load(plain, annotator="ann")


def test_one_name_counts_for_the_side_that_names_annotators(tmp_path):
    both = two(tmp_path)
    pred = write(tmp_path / "pred.jsonl", *(by(None, f"Ada {which}", PER) for which in ("one", "two", "three")))
    done = run("score", both, pred, "-m", "strict", "--annotator", "ann", "--format", "json")
    assert "2 documents, 2 gold spans, 2 predicted spans" in done.stderr, done.output
    assert f"--annotator bob: {pred} names no annotator" in refused("score", both, pred, "--annotator", "ann,bob")


# Disputed documents as tasks for Prodigy and Label Studio: ranked, and readable by this package's own readers


RANKED = [row["document"] for _, row in document_disputes(example()) if row["disputes"]]


def test_the_tasks_are_the_disputed_documents_the_most_disputed_first():
    tasks = [(task["id"], task["meta"]["disputes"]) for task in prodigy_tasks(example())]
    assert [id for id, _ in tasks] == RANKED
    disputes = [number for _, number in tasks]
    assert disputes == sorted(disputes, reverse=True) and disputes[-1] > 0
    assert [(task["data"]["document"], task["data"]["disputes"]) for task in label_studio_tasks(example())] == tasks


def test_documents_that_share_an_id_are_all_there():
    sides = {"ann": [(0, 3, "PER")], "ben": []}
    given = annotated(("Ada left", sides), ("Bob left", sides))
    for each in given.documents:
        each.base.id = "same"
    assert [task["text"] for task in prodigy_tasks(given)] == ["Ada left", "Bob left"]
    assert [task["data"]["text"] for task in label_studio_tasks(given)] == ["Ada left", "Bob left"]
    assert [number for number, _ in document_disputes(given)] == [0, 1]


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
    by_id = {each.base.id: each for each in given.documents}
    assert [record.text for record in records] == [by_id[id].base.text for id in RANKED]
    for record, id in zip(records, RANKED):
        assert record.annotated == (name in by_id[id].spans)
        assert record.spans == {*by_id[id].spans.get(name, ())}


def test_options_say_who_marked_what():
    spans = {"ann": [(4, 13, "PART")], "ben": [(9, 13, "PART")], "cleo": [(4, 13, "PART"), (14, 19, "FAULT")]}
    (task,) = prodigy_tasks(annotated(("the left door leaks", spans)))
    assert task["spans"] == [{"start": 4, "end": 13, "label": "PART"}]
    said = ["ann, cleo: left door (PART)", "ben: door (PART)", "cleo: leaks (FAULT)"]
    assert [(option["id"], option["text"]) for option in task["options"]] == [*enumerate(said)]
    assert task["meta"] == {"disputes": 6, "annotators": "ann, ben, cleo"}


def test_what_the_text_does_not_have_is_in_no_task():
    text, lines = append_annex("Ada met Bob", ["Eve"])
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
        assert "document d0 has no text" in refusal(write_disputes, path, given)
    assert [*tmp_path.iterdir()] == []


def test_strange_characters_survive(tmp_path):
    given = annotated(("\ud800 😀\u2028 door", {"ann": [(5, 9, "P")], "ben": [(2, 3, "P")]}))
    for path, reader in ((tmp_path / "a.jsonl", jsonl_reader.read), (tmp_path / "a.json", label_studio.read)):
        write_disputes(path, given)
        (record,) = reader(path, Format(annotator="ann" if path.suffix == ".json" else None))
        assert record.text == given.documents[0].base.text
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf8"))[0]["data"]["text"] == record.text


def write_faireval(path, sentences):
    rows = [[f"{label}\t{a}\t{b}\t{', '.join(map(str, range(a, b + 1)))}" for a, b, label in own] for own in sentences]
    blocks = ["\n".join(own) for own in rows]
    path.write_text("\n\n".join(block or "NONE\t999\t999\t999" for block in blocks) + "\n")
    return path


def test_sentences_without_words_are_paired_by_order(tmp_path):
    """Token numbers are no text: the second sentence has more of them in one file, the third as many as the first."""
    sentences = [[(1, 1, "PER")], [(2, 2, "PER")], [(1, 2, "LOC")], []]
    a = write_faireval(tmp_path / "a.csv", sentences)
    b = write_faireval(tmp_path / "b.csv", [sentences[0], [*sentences[1], (5, 5, "PER")], *sentences[2:]])
    found = agreement({"a": a, "b": b}, ["strict"])
    assert (found["documents"], found["single"]) == (4, 0)
    assert round(100 * found["pairs"][0]["metrics"]["strict"]["scores"]["f"], 2) == 85.71
    shorter = write_faireval(tmp_path / "c.csv", sentences[:3])
    with refused_with(
        ValueError,
        "a has 4 documents and c has 3: without ids and words they are paired by order; expected the same number",
    ):
        agreement({"a": a, "c": shorter}, ["strict"])


def test_a_label_that_only_excludes_and_an_annotator_never_uses_is_told(tmp_path):
    """It may be another name of one that is kept."""
    person = (0, 3, "PERSON")
    files = [
        write(tmp_path / "a.jsonl", line("Ada", PER), line("Bob", PER), line("Oslo", (0, 4, "LOC"))),
        write(tmp_path / "b.jsonl", line("Ada", person), line("Bob", person), line("Oslo", (0, 4, "LOC"))),
    ]
    with pytest.warns(UserWarning) as warned:
        agreement(dict(zip("ab", files)), only=["PER"])
    assert [str(each.message) for each in warned] == [
        "only= excludes PERSON, but other annotators have PER there: add labels='PERSON=PER'"
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agreement(dict(zip("ab", files)), only=["PER"], labels={"PERSON": "PER"})
