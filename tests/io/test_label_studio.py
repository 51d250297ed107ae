"""Label Studio: regions, annotators, predictions and offsets."""

from __future__ import annotations

import samples
from commands import refused, run
from reading import error, only, read, saved
from samples import SPANS, region, said, task

PER, BOB, YORK = SPANS


def test_a_region_with_two_labels_is_two_spans_and_relations_are_counted(tmp_path):
    regions = [region(0, 3, "PER", "ORG"), {"type": "relation"}, {"type": "choices", "value": {"choices": ["a"]}}]
    found = only(saved(tmp_path / "a.json", [task(said(1, *regions))]))
    assert (found.spans, found.others, found.id) == ({PER, (0, 3, "ORG")}, 2, "1")


def test_a_cancelled_annotation_is_none(tmp_path):
    tasks = [task(said(1, *samples.REGIONS, was_cancelled=True)), task(id=2), task(said(1), id=3)]
    assert [found.annotated for found in read(saved(tmp_path / "a.json", tasks))] == [False, False, True]


def test_annotators_are_told_apart(tmp_path):
    ann, bob = {"id": 3, "email": "ann@x.org"}, 7
    shared = [task(said(ann, *samples.REGIONS[:1])), task(said(bob, *samples.REGIONS[1:]), id=2)]
    path = saved(tmp_path / "a.json", shared)
    assert [len(found.spans) for found in read(path)] == [1, 2], "each text has one annotator"
    mine = read(path, annotator="7")
    assert [(found.annotated, len(found.spans)) for found in mine] == [(False, 0), (True, 2)]
    shared[0]["annotations"].append(said(bob))
    saved(path, shared)
    assert "document 1 has 2 annotations, by ann@x.org, 7; choose an annotator with annotator=: ann@x.org, 7" in error(
        path
    )
    assert [len(found.spans) for found in read(path, annotator="7")] == [0, 2]
    assert "there is no annotator 'eve'; there are ann@x.org, 7" in error(path, annotator="eve")
    shared[0]["annotations"].append(said(bob))
    assert "has 2 annotations, by 7, 7; keep one of them" in error(saved(path, shared), annotator="7")


def test_one_file_can_be_scored_against_itself_by_annotator(tmp_path):
    both = [task(said("ann", *samples.REGIONS), said("bob", *samples.REGIONS[:2]))]
    path = saved(tmp_path / "a.json", both)
    done = run("score", path, path, "-m", "strict", "--annotator", "ann,bob", "--format", "json")
    assert done.exit_code == 0, done.output
    assert "1 document, 3 gold spans, 2 predicted spans" in done.stderr
    assert "expected one name, or two" in refused("score", path, path, "--annotator", "a,b,c")


def test_predictions_are_read_where_nothing_is_annotated_or_their_model_is_named(tmp_path):
    models = [{"model_version": "m1", "result": samples.REGIONS}]
    alone = saved(tmp_path / "a.json", [task(predictions=models)])
    assert len(only(alone).spans) == 3
    beside = saved(tmp_path / "b.json", [task(said(1), predictions=models)])
    assert (len(only(beside).spans), len(only(beside, annotator="m1").spans)) == (0, 3)


def test_rows_of_json_min_are_the_annotations_of_a_task(tmp_path):
    rows = [samples.minimal(annotator=7), samples.minimal(annotator=8, regions=[]), samples.minimal(id=2, annotator=8)]
    path = saved(tmp_path / "a.json", rows)
    assert "by 7, 8; choose an annotator with annotator=: 7, 8" in error(path)
    assert [(f.id, len(f.spans), f.annotated) for f in read(path, annotator="8")] == [("1", 0, True), ("2", 3, True)]
    assert [(f.id, len(f.spans), f.annotated) for f in read(path, annotator="7")] == [("1", 3, True), ("2", 0, False)]


def test_old_offsets_are_named_and_can_be_chosen(tmp_path):
    utf16 = [region(11, 14, "PER", text="Bob"), region(18, 26, "LOC", text="New York")]
    path = saved(tmp_path / "a.json", [task(said(1, *utf16))])
    assert "all spans of" in error(path) and "offsets='utf16'" in error(path)
    for offsets in ("utf16", "auto"):
        assert only(path, offsets=offsets).spans == {BOB, YORK}
    saved(path, [task(said(1, region(11, 14, "PER")))])
    assert "Label Studio's offsets count either" in error(path)
    assert only(path, offsets="utf16").spans == {BOB}


def test_an_inclusive_end_is_recognised_by_its_text(tmp_path):
    path = saved(tmp_path / "a.json", [task(said(1, region(10, 12, "PER", text="Bob")))])
    assert "expected the offset after it" in error(path)


def test_offsets_of_hypertext_are_those_of_its_text(tmp_path):
    mark = region(0, 3, "PER", kind="hypertextlabels", text="Bob")
    mark["value"].update(start="/p[1]/text()[1]", end="/p[1]/text()[1]", globalOffsets={"start": 10, "end": 13})
    path = saved(tmp_path / "a.json", [task(said(1, mark), text="<p>Ada &amp; <b>met</b> Bob</p>")])
    assert (only(path).text, only(path).spans) == ("Ada & met Bob", {(10, 13, "PER")})
    del mark["value"]["globalOffsets"]
    assert "has no globalOffsets" in error(saved(path, [task(said(1, mark))]))


def test_the_text_can_be_named(tmp_path):
    two = task(said(1, region(0, 3, "PER")))
    two["data"] = {"title": "x", "body": "Ada"}
    path = saved(tmp_path / "a.json", [two])
    assert "there is no text 'text' in the data; name one with column=: title, body" in error(path)
    assert only(path, field="body").spans == {PER}
