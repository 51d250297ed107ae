"""Label Studio, WebAnno, XMI, FairEval and brat: what they allow, and what is refused in one line."""

from pathlib import Path

import pytest
import samples
from asking import refusal
from commands import line, refused, write
from reading import error, only, read, result_of, saved
from samples import SPANS, region, said, task, write_sample
from writers import write_lines

from spacy_nereval import Span
from spacy_nereval.io.formats import annotators_of
from spacy_nereval.io.read import read_files, records

PER, BOB, YORK = SPANS

# Label Studio


def test_a_region_with_two_labels_is_two_spans_and_relations_are_counted(tmp_path):
    regions = [region(0, 3, "PER", "ORG"), {"type": "relation"}, {"type": "choices", "value": {"choices": ["a"]}}]
    found = only(saved(tmp_path / "a.json", [task(said(1, *regions))]))
    assert (found.spans, found.others, found.id) == ({PER, (0, 3, "ORG")}, 2, "1")


def test_a_cancelled_annotation_is_none(tmp_path):
    tasks = [task(said(1, *samples.REGIONS, was_cancelled=True)), task(id=2), task(said(1), id=3)]
    assert [found.annotated for found in read(saved(tmp_path / "a.json", tasks))] == [False, False, True]


def test_annotators_and_models_are_told_apart(tmp_path):
    models = [{"model_version": "m1", "result": samples.REGIONS}]
    assert annotators_of(saved(tmp_path / "a.json", [task(said(7), predictions=models)])) == ["7", "m1"]
    ann, bob = {"id": 3, "email": "ann@x.org"}, 7
    shared = [task(said(ann, *samples.REGIONS[:1])), task(said(bob, *samples.REGIONS[1:]), id=2)]
    path = saved(tmp_path / "b.json", shared)
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


@pytest.mark.parametrize("blank", ["", None])
def test_tasks_without_ids_are_different_documents_though_the_file_is_one_line(blank, tmp_path):
    tasks = [task(said(7, *samples.REGIONS[:1]), id=blank) for _ in range(3)]
    assert [(found.id, len(found.spans)) for found in read(saved(tmp_path / "a.json", tasks))] == [(None, 1)] * 3
    tasks[1]["annotations"].append(said(8))
    assert "document number 2, on line 1, has 2 annotations, by 7, 8" in error(saved(tmp_path / "b.json", tasks))


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
    assert "all spans of" in error(path) and "offsets='auto'" in error(path)
    assert only(path, offsets="utf16").spans == only(path, offsets="auto").spans == {BOB, YORK}
    saved(path, [task(said(1, region(11, 14, "PER")))])
    assert "Label Studio's offsets count either" in error(path)
    assert only(path, offsets="utf16").spans == {BOB}
    saved(path, [task(said(1, region(10, 12, "PER", text="Bob")))])
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


def test_regions_on_anything_but_a_text_are_refused_by_what_there_is(tmp_path):
    two = task(said(1, region(0, 3, "PER")))
    two["data"] = {"dialogue": [{"author": "A", "text": "Ada"}]}
    said_of_it = error(saved(tmp_path / "a.json", [two]))
    assert "there is no text in the data; there is dialogue: regions on anything but texts" in said_of_it


def test_json_min_does_not_say_on_which_of_several_texts_a_region_is(tmp_path):
    row = samples.minimal()
    assert "JSON-MIN" not in error(saved(tmp_path / "a.json", [row | {"text": "x" * 40}]))
    said_of_it = error(saved(tmp_path / "b.json", [row | {"text": "x" * 40, "title": samples.TEXT}]))
    assert "JSON-MIN does not say on which text a region is: export as JSON if there are several" in said_of_it
    assert len(only(saved(tmp_path / "c.json", [row | {"title": "x"}])).spans) == 3


# WebAnno: tokens, layers, features, and exports of INCEpTION


def webanno(tmp_path: Path, *rows: str, layers: str = "#T_SP=x.NamedEntity|value", text: str = "Ada met Bob") -> Path:
    head = ["#FORMAT=WebAnno TSV 3.2", *layers.split("\n"), "", *(f"#Text={line}" for line in text.split("\n"))]
    return write_lines(tmp_path / "a.tsv", [*head, *rows])


def test_numbers_join_tokens_and_bars_stack(tmp_path):
    rows = ["1-1\t0-3\tAda\tA[1]|B\\_C[2]|D\t", "1-2\t4-7\tmet\tA[1]\t", "1-3\t8-11\tBob\tA|*\t"]
    found = only(webanno(tmp_path, *rows))
    assert found.spans == {(0, 7, "A"), (0, 3, "B_C"), (0, 3, "D"), (8, 11, "A"), (8, 11, "NamedEntity")}


def test_parts_of_tokens_and_texts_of_several_lines(tmp_path):
    rows = ["1-1\t0-6\tAdaBob\t_\t", "1-1.1\t3-6\tBob\tPER\t", "1-2\t7-10\tmet\t_\t"]
    found = only(webanno(tmp_path, *rows, text="AdaBob\nmet"))
    assert (found.text, found.spans, found.tokens) == ("AdaBob\nmet", {(3, 6, "PER")}, [(0, 6), (7, 10)])


def test_sentences_are_at_their_offsets(tmp_path):
    rows = ["1-1\t0-2\t😀\t_\t", "", "#Text=Ada", "2-1\t5-8\tAda\tPER\t"]
    found = only(webanno(tmp_path, *rows, text="😀"))
    assert [found.text[a:b] for a, b, _ in found.spans] == ["Ada"]


def test_the_feature_can_be_chosen_and_relations_are_counted(tmp_path):
    layers = "#T_SP=x.A|kind|value\n#T_SP=x.B|value\n#T_RL=x.R|BT_x.A"
    row = "1-1\t0-3\tAda\tk\tv\tw\t1-1\t"
    path = webanno(tmp_path, row, layers=layers, text="Ada")
    assert "several features can have the labels; choose one with column=: A.kind, A.value, B.value" in error(path)
    for field, label in (("kind", "k"), ("A.value", "v"), ("B", "w")):
        assert only(path, field=field).spans == {(0, 3, label)}
    assert "no feature has the name 'none'; choose one with column=: A.kind, A.value, B.value" in error(
        path, field="none"
    )
    path = webanno(tmp_path, "1-1\t0-3\tAda\tk\t", layers="#T_SP=x.A|kind", text="Ada")
    only_one = "no feature has the name 'none'; only A.kind can have the labels, so remove column="
    assert only_one in error(path, field="none")


def test_relations_and_chains_of_webanno_are_counted_as_other_annotations(tmp_path):
    layers = "#T_SP=x.A|value\n#T_RL=x.R|BT_x.A\n#T_CH=x.C|referenceRelation|referenceType"
    rows = ["1-1\t0-3\tAda\tPER\t1-2\t*->1-1\tname\t", "1-2\t4-7\tmet\t_\t_\t*->1-2\t_\t"]
    found = only(webanno(tmp_path, *rows, layers=layers, text="Ada met"))
    assert (found.spans, found.others) == ({(0, 3, "PER")}, 3)


def test_every_feature_of_webanno_that_is_offered_can_be_chosen(tmp_path):
    """Roles and targets have columns, and are no labels; an exact name, with its package if need be, wins."""
    layers = """#T_SP=custom.SimpleSpan|
#T_SP=custom.Frame|ROLE_custom.Frame:Role_custom.RoleLink|custom.SimpleSpan|kind
#T_SP=x.A|value|SimpleSpan
#T_SP=y.A|value"""
    path = webanno(tmp_path, "1-1\t0-3\tAda\t*\targ[1]\t1-3\tk\tx\ts\ty\t", layers=layers, text="Ada")
    message = error(path, field="none")
    offered = message.rpartition("column=: ")[2].split(", ")
    assert offered == ["SimpleSpan", "Frame.kind", "x.A.value", "x.A.SimpleSpan", "y.A.value"]
    labels = ["SimpleSpan", "k", "x", "s", "y"]
    assert [only(path, field=field).spans for field in offered] == [{(0, 3, label)} for label in labels]
    for field, label in (
        ("Frame", "k"),
        ("kind", "k"),
        ("A.SimpleSpan", "s"),
        ("y.A", "y"),
        ("custom.SimpleSpan", "SimpleSpan"),
    ):
        assert only(path, field=field).spans == {(0, 3, label)}, field
    for field in ("A.value", "value", "A", "x.A"):
        assert f"several features have the name {field!r}; choose one" in error(path, field=field)
    for field in ("Frame.ROLE_custom.Frame:Role_custom.RoleLink", "Frame.custom.SimpleSpan"):
        assert f"no feature has the name {field[:10]!r}"[:-1] in error(path, field=field)


def test_two_layers_of_one_name_are_no_one_layer(tmp_path):
    path = webanno(tmp_path, "1-1\t0-3\tAda\tx\ty\t", layers="#T_SP=x.A|value\n#T_SP=y.A|value", text="Ada")
    assert "several features can have the labels; choose one with column=: x.A.value, y.A.value" in error(path)
    path = webanno(tmp_path, "1-1\t0-3\tAda\targ\t1-2\t", layers="#T_SP=x.A|ROLE_x.A:r_x.L|x.B", text="Ada")
    assert "no feature can have the labels; choose one with column=: there is none" in error(path)


def test_a_layer_without_a_package_can_be_chosen_beside_one_of_its_name_in_a_package(tmp_path):
    path = webanno(tmp_path, "1-1\t0-3\tAda\tx\ty\t", layers="#T_SP=A|value\n#T_SP=y.A|value", text="Ada")
    offered = error(path).rpartition("column=: ")[2].split(", ")
    assert {field: only(path, field=field).spans for field in offered} == {
        "A.value": {(0, 3, "x")},
        "y.A.value": {(0, 3, "y")},
    }


NO_WEBANNO = [
    ("1-1\t0-3\tAda\t", "line 5: expected 4 columns"),
    ("x\t0-3\tAda\t_\t", "line 5: expected '1-1'"),
    ("1-1\t0-3\tBob\t_\t", "is 'Ada', but the file says 'Bob'"),
]


@pytest.mark.parametrize("row, message", NO_WEBANNO)
def test_malformed_lines_of_webanno_are_named(row, message, tmp_path):
    assert message in error(webanno(tmp_path, row))
    assert "expected '#FORMAT=WebAnno TSV 3.3'" in error(write_lines(tmp_path / "b.tsv", ["Ada"]), name="webanno")


@pytest.mark.parametrize(
    ("ending", "content", "name"),
    [
        ("tsv", samples.webanno(), "webanno"),
        ("xmi", samples.xmi(), "xmi"),
        ("sgml", samples.sgml(), "sgml"),
        ("xml", samples.bioc_xml(), "bioc"),
    ],
)
def test_an_export_has_a_folder_per_document_and_a_file_per_annotator(ending, content, name, tmp_path):
    for file in ("a.txt/ann", "a.txt/bob", "a.txt/INITIAL_CAS", "b.txt/bob"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / f"{file}.{ending}").write_text(content, encoding="utf8")
        if name == "xmi":
            (tmp_path / file).with_name("TypeSystem.xml").write_text(samples.TYPES, encoding="utf8")
    said = "document a.txt has 2 annotations, by ann, bob; choose an annotator with annotator=: ann, bob"
    assert said in error(tmp_path, name=name)
    documents = list(read(tmp_path, annotator="ann", name=name))
    alone = list(read(tmp_path / f"a.txt/ann.{ending}", name=name))
    number = len(alone)
    assert [record.spans for record in documents] == [*(record.spans for record in alone), *[set()] * number]
    assert [record.text for record in documents] == [record.text for record in alone] * 2
    assert [record.annotated for record in documents] == [True] * number + [False] * number
    if ending in ("tsv", "xmi"):
        assert [record.id for record in documents] == ["a.txt", "b.txt"]


def test_tokens_without_a_character_are_left_out(tmp_path):
    path = write_sample("XMI", tmp_path)
    assert only(path).tokens is None
    kind = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type"
    token = f"<typeDescription><name>{kind}.Token</name><description/><supertypeName>uima.tcas.Annotation"
    types = samples.TYPES.replace("</types>", f"{token}</supertypeName></typeDescription></types>")
    path.with_name("TypeSystem.xml").write_text(types, encoding="utf8")
    named = f'xmlns:seg="http:///{kind.replace(".", "/")}.ecore" xmi:version'
    tokens = "".join(
        f'<seg:Token xmi:id="{k}" sofa="1" begin="{a}" end="{b}"/>' for k, a, b in ((90, 0, 3), (91, 3, 3))
    )
    content = samples.xmi().replace("xmi:version", named).replace("<cas:Sofa", f"{tokens}<cas:Sofa")
    path.write_text(content.replace('members="', 'members="90 91 '), encoding="utf8")
    assert only(path).tokens == [(0, 3)]


# The files of FairEval's program


def test_rows_of_faireval(tmp_path):
    lines = ["PER\t2\t3\t2, 3", "LOC\t10\t10\t10", "", "NONE\t999\t999\t999", "", "EMPTY\t999\t999\t999", "A\t1\t1\t1"]
    path = write_lines(tmp_path / "a.csv", lines)
    one, two, three = read(path)
    assert (one.text, sorted(one.text[a:b] for a, b, _ in one.spans)) == ("1 2 3 4 5 6 7 8 9 10", ["10", "2 3"])
    assert one.tokens[8:] == [(16, 17), (18, 20)]
    assert (two.text, two.spans, two.annotated) == ("", set(), True)
    assert (three.text, three.spans) == ("1", {(0, 1, "A")})
    for data in (path.read_bytes() + b"\n\n \n", path.read_bytes().replace(b"\n", b"\r\n"), b"\xef\xbb\xbf"):
        (tmp_path / "b.csv").write_bytes(data if len(data) > 3 else data + path.read_bytes().rstrip())
        assert read(tmp_path / "b.csv") == [one, two, three]


def test_the_longer_text_of_faireval_is_that_of_both(tmp_path):
    gold = write_lines(tmp_path / "gold.csv", ["A\t2\t2\t2", "", "A\t4\t5\t4, 5"])
    pred = write_lines(tmp_path / "pred.csv", ["A\t4\t5\t4, 5", "", "A\t2\t2\t2"])
    for one, two in ((gold, pred), (pred, gold)):
        assert [(document.text, len(document.tokens)) for document in read_files(one, two)] == [("1 2 3 4 5", 5)] * 2
    other = write_lines(tmp_path / "other.jsonl", ['{"text": "1 2 3 4 5", "spans": []}'] * 2)
    assert "the predicted text differs" in refusal(read_files, gold, other)


def test_tokens_of_faireval_with_holes(tmp_path):
    path = write_lines(tmp_path / "a.csv", ["A\t1\t4\t1, 2, 4"])
    assert only(path).spans == {Span.of_pieces([(0, 3), (6, 7)], "A")}
    assert only(path, discontinuous="hull").spans == {(0, 7, "A")}
    assert only(path, discontinuous="parts").spans == {(0, 3, "A"), (6, 7, "A")}


NO_FAIREVAL = [
    *(([row], "line 1: expected label, first, last and all tokens") for row in ("A\t1\t1", "A,1,1,1", "A\t1\tx\t1")),
    *(([row], "line 1: expected label, first, last and all tokens") for row in ("A\t1\t1\t", "A\t1\t1\t1\t1")),
    (["label\tfirst\tlast\ttokens"], "line 1: expected label, first, last and all tokens"),
    (["\t1\t1\t1"], "line 1: there is no label"),
    (["A\t0\t1\t0, 1"], "line 1: tokens from 0 to 1: expected 1 to 100000"),
    (["A\t2\t1\t2, 1"], "line 1: tokens from 2 to 1"),
    (["A\t100001\t100001\t100001"], "line 1: tokens from 100001 to 100001"),
    (["A\t1\t3\t1, 2"], "line 1: 1, 2: expected tokens from 1 to 3 in ascending order"),
    (["A\t1\t3\t2, 3"], "line 1: 2, 3: expected tokens from 1 to 3 in ascending order"),
    (["A\t1\t3\t1, 3, 2"], "line 1: 1, 3, 2: expected tokens"),
    (["A\t1\t2\t1, 1, 2"], "line 1: 1, 1, 2: expected tokens"),
    (["A\t1\t1\t1", "NONE\t1\t1\t1"], "line 2: NONE means no span; expected 999 as its only token"),
    (["EMPTY\t1\t999\t1, 999"], "line 1: EMPTY means no span"),
    (["A\t1\t1\t1", "", "", "A\t1\t1\t1"], "line 4: the sentence before it has no row; expected NONE, 999"),
    (["", "A\t1\t1\t1"], "line 2: the sentence before it has no row"),
]


@pytest.mark.parametrize("lines, message", NO_FAIREVAL)
def test_a_malformed_row_of_faireval_is_named(tmp_path, lines, message):
    path = write_lines(tmp_path / "a.csv", lines)
    assert error(path).startswith(f"{path}, {message}")


# brat's standoff files


def folder_of(path: Path, **files: str) -> Path:
    """A text and its annotation per document: name="text|line|line". No annotation if there is no |."""
    path.mkdir(parents=True, exist_ok=True)
    for name, both in files.items():
        text, *lines = both.split("|")
        (path / f"{name}.txt").write_bytes(text.encode())
        if lines:
            write_lines(path / f"{name}.ann", filter(None, lines))
    return path


def test_documents_are_paired_by_name(tmp_path):
    """With another folder, and with lines that have these names as ids."""
    gold = folder_of(tmp_path / "gold", b="Bob|T1\tPER 0 3\tBob", a="Ada|T1\tPER 0 3\tAda", c="in|")
    pred = folder_of(tmp_path / "pred", c="in|", a="Ada|T7\tPER 0 3\tAda", b="Bob|T1\tLOC 0 3\tBob")
    lines = write(tmp_path / "pred.jsonl", line("in", id="c"), line("Bob", id="b"), line("Ada", PER, id="a"))
    for other in (pred, lines):
        found = [(document.id, document.text, len(document.hits)) for document in read_files(gold, other)]
        assert found == [("a", "Ada", 1), ("b", "Bob", 0), ("c", "in", 0)]
    assert [len(document.hits) for document in read_files(lines, gold)] == [0, 0, 1]


def test_documents_come_in_the_order_of_their_names_with_those_of_their_folders(tmp_path):
    names = [f"{k * 7 % 40:02}" for k in range(40)]
    folder = folder_of(tmp_path / "x", **{name: f"{name}|" for name in names})
    folder_of(tmp_path / "x" / "10", a="a|T1\tX 0 1\ta")
    (folder / "annotation.conf").write_text("[entities]\nPER\n")
    (folder / "._a.ann").write_bytes(b"\x00\xff")
    assert [record.id for record in read(folder)] == sorted([*names, "10/a"])


def test_documents_that_one_folder_lacks_are_named(tmp_path):
    gold = folder_of(tmp_path / "gold", a="Ada|", b="Bob|")
    pred = folder_of(tmp_path / "pred", a="Ada|", c="Eve|")
    assert f"{pred} lacks 1 document: b" in refused("score", gold, pred)
    (gold / "b.ann").unlink()
    assert f"{gold} lacks 1 document: c" in refused("score", gold, pred)


def test_a_text_without_annotation_is_skipped_and_counted(tmp_path):
    """On either side; a text without predictions needs an empty file."""
    gold = folder_of(tmp_path / "gold", a="Ada|T1\tPER 0 3\tAda", b="Bob", c="Eve|", readme="about")
    pred = folder_of(tmp_path / "pred", a="Ada|T1\tPER 0 3\tAda", b="Bob|T1\tPER 0 3\tBob", c="Eve", other="about")
    found = result_of(tmp_path, gold, pred)
    assert (found["documents"], found["skipped"], found["pred"]) == (1, 3, 1)
    for name in "ab":
        (pred / f"{name}.ann").unlink()
    said = refused("score", gold, pred, "--format", "brat")
    assert f"{pred}: none of the predictions of 2 documents has entity annotation" in said
    (pred / "a.ann").write_bytes(b"")
    assert result_of(tmp_path, gold, pred)["metrics"]["strict"]["counts"] == {"tp": 0, "fp": 0, "fn": 1}
    for file in gold.glob("*.ann"):
        file.unlink()
    assert "is a folder without .ann files" in refused("score", gold, pred)
    assert "none of the 4 gold documents is annotated" in refused("score", gold, pred, "--format", "brat")


BRAT_LINES = [
    ("T1\tPER 2 14\tAda Lovelace", (2, 14, "PER")),
    ("T1\tPER 2 14\tAda Lovelace\tsurely", (2, 14, "PER")),
    ("T12\tPER 6 18\tLovelace and", (6, 18, "PER")),  # brat shows the newline as a blank
    ("T1\tPER 15 23\tand  Zoë", (15, 23, "PER")),
    ("T1\tPER 0 1\t😀", (0, 1, "PER")),
    ("T1\tPER 2 5\tAda\r", (2, 5, "PER")),
    ("T\tPER 2 5\tAda", (2, 5, "PER")),
    ("T1\tPER 2 2\t", (2, 2, "PER")),
    ("R1\tA Arg1:T1 Arg2:T2|E1\tA:T1 B:T2|A1\tNeg E1|M1\tNeg E1|N1\tRef T1 W:1\tx|#1\tNote T1\tT1|*\tEquiv T1", ()),
]


@pytest.mark.parametrize("line, span", BRAT_LINES)
def test_lines_of_brat(tmp_path, line, span):
    folder = folder_of(tmp_path / "x", a=f"😀 Ada Lovelace\nand  Zoë.|{line}")
    assert only(folder).spans == ({span} if span else set())
    (folder / "a.ann").write_bytes(b"\xef\xbb\xbf" + (folder / "a.ann").read_bytes())
    assert only(folder).spans == ({span} if span else set())


def test_line_ends_of_windows_are_characters_of_the_text_and_a_byte_order_mark_is_not(tmp_path):
    found = only(folder_of(tmp_path / "x", a="\ufeffa\r\nAda|T1\tPER 1 7\ta Ada"))
    assert (found.text, found.spans) == ("a\r\nAda", {(0, 6, "PER")})


@pytest.mark.parametrize("pieces", ["0 3;8 12", "8 12;0 3", "0 3;3 3;8 12"])
def test_spans_in_pieces(tmp_path, pieces):
    text = "Ada and York"
    places = [(int(a), int(b), "PER") for a, b in (piece.split() for piece in pieces.split(";"))]
    shown = " ".join(text[a:b] for a, b, _ in places)
    places = [place for place in places if place[:2] != (3, 3)]  # nothing is between it and the piece before
    folder = folder_of(tmp_path / "x", a=f"{text}|T1\tPER {pieces}\t{shown}")
    assert only(folder).spans == {Span.of_pieces(sorted((a, b) for a, b, _ in places), "PER")}
    assert only(folder, discontinuous="hull").spans == {(0, 12, "PER")}
    assert only(folder, discontinuous="parts").spans == {*places}


NO_BRAT = [
    ("T1\tPER 0 3\tBob", "the text at 0 3 is 'Ada', but the line says 'Bob'"),
    ("T1\tPER 0 3\t", "the text at 0 3 is 'Ada', but the line says ''"),
    ("T1\tPER 0 3;4 6\tAda", "the text at 0 3;4 6 is 'Ada in', but the line says 'Ada'"),
    ("T1\tPER 0 99\tAda", "T1 Span(0, 99, 'PER') ends after the text, which has 6 characters"),
    ("T1\tPER 3 0\tAda", "T1 Span(3, 0, 'PER') ends before it starts"),
    ("T1\tPER 0 3", "expected 'T1', a tab, 'LABEL 0 5', a tab, and the text from 0 to 5"),
    ("T1 PER 0 3 Ada", "expected 'T1', a tab,"),
    ("T1\tPER 0\tAda", "expected 'T1', a tab,"),
    ("T1\tPER -1 3\tAda", "expected 'T1', a tab,"),
    ("T1\t0 3\tAda", "expected 'T1', a tab,"),
    ("T1\tPER 0 3;\tAda", "expected 'T1', a tab,"),
]


@pytest.mark.parametrize("line, message", NO_BRAT)
def test_a_malformed_line_of_brat_is_named(tmp_path, line, message):
    """When its document is read, and not before."""
    folder = folder_of(tmp_path / "x", a="Ada|", b=f"Ada in|#1\tNote\tx|{line}")
    found = records(folder)
    assert next(found).text == "Ada"
    assert refusal(next, found).startswith(f"{folder / 'b.ann'}, line 2: {message}")


def test_long_texts_that_differ_are_cut(tmp_path):
    assert error(folder_of(tmp_path / "x", a=f"{'a' * 1000}|T1\tPER 0 1000\tb")).endswith(
        f"is '{'a' * 60}'... (1000 characters), but the line says 'b'; correct one of them, "
        "or use check_text=False to go by the offsets"
    )


def test_annotation_without_a_text_and_texts_in_another_encoding_are_errors(tmp_path):
    folder = folder_of(tmp_path / "x" / "deep", a="Ada|")
    (folder / "a.txt").write_bytes("a\nb\nZoë".encode("latin1"))
    assert "a.txt, line 3: not valid UTF-8" in error(folder)
    (folder / "a.txt").rename(folder / "b.txt")
    assert error(tmp_path / "x") == f"{folder / 'a.ann'} has no text: expected a.txt in the same folder"


def test_linked_folders_of_brat_are_followed(tmp_path):
    folder_of(tmp_path / "x", a="Ada|")
    folder_of(tmp_path / "other" / "deep", b="Bob|")
    (tmp_path / "x" / "linked").symlink_to(tmp_path / "other")
    (tmp_path / "x" / "again").symlink_to(tmp_path / "x" / "linked" / "deep")
    found = [(record.id, record.text) for record in read(tmp_path / "x")]
    assert found == [("a", "Ada"), ("again/b", "Bob"), ("linked/deep/b", "Bob")]
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "linked").symlink_to(tmp_path / "other")
    assert [record.id for record in read(tmp_path / "only")] == ["linked/deep/b"]


def test_links_that_lead_back_end(tmp_path):
    folder_of(tmp_path / "x" / "a", one="Ada|")
    folder_of(tmp_path / "y", two="Bob|")
    (tmp_path / "x" / "a" / "up").symlink_to(tmp_path / "x")
    (tmp_path / "x" / "y").symlink_to(tmp_path / "y")
    (tmp_path / "y" / "x").symlink_to(tmp_path / "x")
    found = {record.id for record in read(tmp_path / "x")}
    assert {"a/one", "y/two"} <= found
    assert len(found) < 10
