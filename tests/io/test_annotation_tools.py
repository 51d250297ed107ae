"""What the formats of annotation tools and data sets allow, and what is refused in one line."""

from __future__ import annotations

import builtins
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import samples
from commands import flat, refused, run, write
from reading import only, read
from samples import FORMS, SPANS, TAGS, TEXT, region, said, task, write_sample
from writers import write_lines

from spacy_nereval.io.formats import name_of
from spacy_nereval.io.formats.json_values import json_values

PER, BOB, YORK = SPANS


def saved(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf8")
    return path


def error(path: Path, **settings: Any) -> str:
    with pytest.raises(ValueError) as raised:
        read(path, **settings)
    assert "\n" not in str(raised.value)
    return str(raised.value)


# Which format it is


@pytest.mark.parametrize("name", [name for name, (_, file, _) in samples.SAMPLES.items() if file == "a.json"])
def test_a_format_option_decides_against_the_content(name, tmp_path):
    path = write_sample(name, tmp_path)
    path = path.rename(path.with_name("a.data"))
    assert len(read(path, name=samples.SAMPLES[name][0])) == 1
    assert "cannot infer the format" in error(path)


def test_other_content_keeps_the_format_of_its_ending(tmp_path):
    ours = write(tmp_path / "a.jsonl", {"text": "Ada", "tokens": [{"start": 0, "end": 3}], "spans": [], "labels": []})
    assert name_of(ours) == "jsonl"
    assert name_of(write_lines(tmp_path / "a.tsv", ["Ada\tB-PER"])) == "conll"
    assert "from its extension or its content" in error(write_lines(tmp_path / "a.json", ['{"text": "Ada"}']))
    assert "from its extension or its content" in error(write_lines(tmp_path / "a.txt", ["Ada <b>met</b>"]))


@pytest.mark.parametrize("name", ["WebAnno", "XMI", "OntoNotes", "BioC"])
def test_folders_have_a_document_per_file(name, tmp_path):
    for part in ("one", "two"):
        (tmp_path / "all" / part).mkdir(parents=True)
        write_sample(name, tmp_path / "all" / part)
    assert name_of(tmp_path / "all") == samples.SAMPLES[name][0]
    found = read(tmp_path / "all")
    assert [len(record.spans) for record in found] == [3, 3]
    if name in ("WebAnno", "XMI"):
        assert [record.id for record in found] == ["one/a", "two/a"]


def test_a_list_in_json_is_read_one_by_one(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('\ufeff [\n{"a": "' + "x" * 9000 + '"} ,\n\n{"b": [1]}\n] \n', encoding="utf8")
    assert [(line, [*value]) for line, value in json_values(path)] == [(2, ["a"]), (4, ["b"])]
    for text, said_ in (
        ("[1, 2", "a comma or ]"),
        ("[1 2]", "a comma or ]"),
        ("[1] 2", "nothing after"),
        ("{", "line 1"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=said_):
            [*json_values(path)]


# Label Studio


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
    assert "document 1 has 2 annotations, by ann@x.org, 7; choose an annotator with --annotator: ann@x.org, 7" in error(
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
    assert "by 7, 8; choose an annotator with --annotator: 7, 8" in error(path)
    assert [(f.id, len(f.spans), f.annotated) for f in read(path, annotator="8")] == [("1", 0, True), ("2", 3, True)]
    assert [(f.id, len(f.spans), f.annotated) for f in read(path, annotator="7")] == [("1", 3, True), ("2", 0, False)]


def test_old_offsets_are_named_and_can_be_chosen(tmp_path):
    utf16 = [region(11, 14, "PER", text="Bob"), region(18, 26, "LOC", text="New York")]
    path = saved(tmp_path / "a.json", [task(said(1, *utf16))])
    assert "all spans of" in error(path) and "--offsets utf16" in error(path)
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
    assert "there is no text 'text' in the data; name one with --column: title, body" in error(path)
    assert only(path, field="body").spans == {PER}


# Hugging Face


def test_tags_that_are_numbers_need_names(tmp_path):
    path = write(tmp_path / "a.jsonl", samples.HF, samples.HF | {"ner_tags": [-100, 0, 0, 1, 0, 2, 3, 0]})
    names = ["O", "B-PER", "B-LOC", "I-LOC"]
    assert "the tag 1 is a number without a name" in error(path)
    config = saved(tmp_path / "config.json", {"id2label": {str(k): name for k, name in enumerate(names)}})
    info = saved(tmp_path / "info.json", {"features": {"ner_tags": {"feature": {"names": names}}}})
    for given in (",".join(names), str(config), str(info)):
        one, other = read(path, tag_names=given)
        assert len(one.spans) == 3 and not one.gaps
        assert len(other.spans) == 2 and other.gaps == ((0, 3),), "-100 is no annotation"
    assert "the tag 2 has no name; there are 2 names" in error(path, tag_names="O,B-PER")
    assert "there is no such file" in error(path, tag_names="none.json")
    assert "expected a list of names" in error(path, tag_names=str(saved(tmp_path / "x.json", {})))


@pytest.mark.parametrize(
    "change, message",
    [
        ({"ner_tags": ["O"]}, "there are 8 tokens and 1 tags"),
        ({"ner_tags": ["PER"] * 8}, "'PER' is not a tag"),
        ({"ner_tags": ["O", "I-PER", "O", "B-LOC", "O", "O", "O", "O"]}, "I-PER continues no span"),
        ({"ner_tags": "O"}, 'expected lists "tokens" and "ner_tags"'),
        ({"ner_tags": ["O"] * 8, "tokens": [""] * 8}, "token 0 is ''; expected a word"),
    ],
)
def test_bad_rows_are_named_with_their_line(change, message, tmp_path):
    path = write(tmp_path / "a.jsonl", {"tokens": FORMS, "ner_tags": TAGS}, {"tokens": FORMS} | change)
    assert f"{path}, line 2: {message}" in error(path, name="hf")


def test_invalid_tags_can_be_repaired(tmp_path):
    path = write(tmp_path / "a.jsonl", samples.HF | {"ner_tags": ["B-A", "O", "I-A", *["O"] * 5]})
    assert [(len(f.spans), f.repaired) for f in read(path, repair="conll")] == [(2, 1)]


# WebAnno


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
    assert "several features can have the labels; choose one with --column: A.kind, A.value, B.value" in error(path)
    for field, label in (("kind", "k"), ("A.value", "v"), ("B", "w")):
        assert only(path, field=field).spans == {(0, 3, label)}
    assert "no feature named 'none'" in error(path, field="none")


@pytest.mark.parametrize(
    "row, message",
    [
        ("1-1\t0-3\tAda\t", "line 5: expected 4 columns"),
        ("x\t0-3\tAda\t_\t", "line 5: expected '1-1'"),
        ("1-1\t0-3\tBob\t_\t", "is 'Ada', but the file says 'Bob'"),
    ],
)
def test_malformed_lines_of_webanno_are_named(row, message, tmp_path):
    assert message in error(webanno(tmp_path, row))
    assert "expected '#FORMAT=WebAnno TSV 3.3'" in error(write_lines(tmp_path / "b.tsv", ["Ada"]), name="webanno")


def test_an_export_has_a_folder_per_document_and_a_file_per_annotator(tmp_path):
    for name in ("a.txt/ann", "a.txt/bob", "a.txt/INITIAL_CAS", "b.txt/bob"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.tsv").write_text(samples.webanno(), encoding="utf8")
    assert "document a.txt has 2 annotations, by ann, bob; choose an annotator with --annotator: ann, bob" in error(
        tmp_path
    )
    assert [(f.id, f.annotated) for f in read(tmp_path, annotator="ann")] == [("a.txt", True), ("b.txt", False)]


# XML


LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("bcdefgh", "cdefghi"))
    + "]>"
)


@pytest.mark.parametrize("name", ["BioC", "XMI", "XMI zip"])
@pytest.mark.parametrize("kind", ["laughs", "external", "parameter"])
def test_entities_are_neither_expanded_nor_fetched(name, kind, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    types = {
        "laughs": LAUGHS,
        "external": f'<!DOCTYPE x [<!ENTITY i SYSTEM "{secret.as_uri()}">]>',
        "parameter": f'<!DOCTYPE x [<!ENTITY % p SYSTEM "{secret.as_uri()}"> %p;]>',
    }[kind]

    def attacked(text: str) -> str:
        head, body = text.split("?>", 1)
        body = body.replace('<!DOCTYPE collection SYSTEM "BioC.dtd">', "")
        return f"{head}?>{types}{body.replace('Ada', 'Ada &i;' if kind != 'parameter' else 'Ada')}"

    path = write_sample(name, tmp_path)
    if name == "XMI zip":
        import zipfile

        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.xmi", samples.xmi())
            archive.writestr("TypeSystem.xml", attacked(samples.TYPES))
    else:
        path.write_text(attacked(path.read_text(encoding="utf8")), encoding="utf8")
    said_ = error(path, name=samples.SAMPLES[name][0])
    assert "line 1: the file defines the entity" in said_ and "SECRET" not in said_


def test_inline_sgml_reads_no_entities(tmp_path):
    path = tmp_path / "a.sgm"
    path.write_text(
        '<!DOCTYPE x [<!ENTITY i "boom">]><DOC>&i; <ENAMEX TYPE="ORG">A&amp;B</ENAMEX></DOC>', encoding="utf8"
    )
    assert "&i; A&B" in only(path).text and "boom" not in only(path).text.split("]>")[-1]


def test_the_type_and_the_feature_of_xmi_can_be_chosen(tmp_path):
    path = write_sample("XMI", tmp_path)
    for field in ("NamedEntity", "NamedEntity.value", f"{samples.NAMES}.NamedEntity"):
        assert only(path, field=field).spans == {*SPANS}
    assert "there is no type 'Event'; choose one with --column:" in error(path, field="Event")
    (tmp_path / "TypeSystem.xml").unlink()
    assert "there is no TypeSystem.xml beside it" in error(path)


@pytest.mark.parametrize("name, extra", [("XMI", "uima"), ("CoNLL-U", "conllu"), ("BioC", "bio")])
def test_a_missing_package_is_named_with_its_extra(name, extra, tmp_path, monkeypatch):
    path = write_sample(name, tmp_path)
    real = builtins.__import__

    def fake(module: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if level == 0 and module.split(".")[0] in ("cassis", "conllu", "bioc"):
            raise ImportError(module)
        return real(module, globals, locals, fromlist, level)

    monkeypatch.setattr(builtins, "__import__", fake)
    assert f"pip install 'spacy-nereval[{extra}]'" in error(path)


# GLiNER, CoNLL-U, BioC, PubTator, SGML, spaCy 2


def test_the_ends_of_gliner_are_tokens(tmp_path):
    path = saved(tmp_path / "a.json", [{"tokenized_text": ["Ada", "met"], "ner": [[0, 1, "A"]]}])
    assert only(path).spans == {(0, 7, "A")}
    saved(path, [{"tokenized_text": ["Ada", "met"], "ner": [[0, 2, "A"]]}])
    assert "span 0 is from token 0 to 2; expected the first and the last of its tokens, from 0 to 1" in error(path)


def test_ranges_are_no_words_and_documents_have_marks(tmp_path):
    lines = [
        *("# newdoc id = d1", "# text = Zum Bahnhof.", "1-2\tZum\t_\t_\t_\t_\t_\t_\t_\t_"),
        *(f"{k}\t{form}\t_\t_\t_\t_\t_\t_\t_\t{misc}" for k, form, misc in (
            (1, "zu", "_"), (2, "dem", "NER=B-LOC"), (3, "Bahnhof", "NER=I-LOC|SpaceAfter=No"))),
        *("3.1\tleer\t_\t_\t_\t_\t_\t_\t_\t_", "4\t.\t_\t_\t_\t_\t_\t_\t_\t_", "", "1\tJa\t_\t_\t_\t_\t_\t_\t_\t_", ""),
        *("# newdoc id = d2", "1\tAda\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No|NER=B-PER"),
        *("2\t!\t_\t_\t_\t_\t_\t_\t_\t_", ""),
    ]  # fmt: skip
    path = write_lines(tmp_path / "a.conllu", lines)
    assert "no word has the key 'name' or a column 'NER' in MISC; choose one with --column: " in error(path)
    one, two = read(path, field="NER")
    assert (one.id, one.text, one.spans) == ("d1", "Zum Bahnhof.\nJa", {(0, 11, "LOC")})
    assert one.tokens == [(0, 3), (4, 11), (11, 12), (13, 15)]
    assert (two.id, two.text, two.spans) == ("d2", "Ada!", {(0, 3, "PER")})
    write_lines(path, ["# text = Eve", "1\tAda\t_\t_\t_\t_\t_\t_\t_\tname=B-PER", ""])
    assert "the word 'Ada' does not follow in the text" in error(path)


def test_locations_of_bioc_are_pieces_and_its_offsets_those_of_the_document(tmp_path):
    found = json.loads(json.dumps(samples.BIOC))
    passage = found["documents"][0]["passages"][1]
    passage["annotations"] = [{"id": "T1", "infons": {"type": "X", "kind": "Y"}, "text": "in York", "locations": [
        {"offset": 14, "length": 2}, {"offset": 21, "length": 4}]}]  # fmt: skip
    passage["relations"] = [{"id": "R1", "infons": {}, "nodes": []}]
    path = saved(tmp_path / "a.json", found)
    assert "the span is in 2 pieces; use --discontinuous" in error(path)
    assert only(path, discontinuous="hull").spans == {(14, 25, "X")}
    assert only(path, discontinuous="parts", field="kind").spans == {(14, 16, "Y"), (21, 25, "Y")}
    assert only(path, discontinuous="hull").others == 1
    assert "has no infon 'none' with its label; choose one with --column: type, kind" in error(path, field="none")
    passage["annotations"][0]["locations"] = [{"offset": 3, "length": 3}]
    assert "but the file says 'in York'" in error(saved(path, found))


def test_pubtator_joins_title_and_abstract_by_one_character(tmp_path):
    path = write_lines(tmp_path / "a.txt", ["1|t|Aspirin", "1|a|", "1\t0\t7\tAspirin\tC\tD1", "", "2|t|x|y", "2|a|z"])
    assert [(f.id, f.text, len(f.spans)) for f in read(path)] == [("1", "Aspirin\n", 1), ("2", "x|y\nz", 0)]
    write_lines(path, ["1|t|Aspirin", "1\t0\t6\tAspirin\tC"])
    assert "line 2: annotation from 0 to 6, is 'Aspiri', but the file says 'Aspirin'" in error(path)
    assert "a line of document '2' in document '1'" in error(write_lines(path, ["1|t|A", "2\t0\t1\tA\tC"]))


def test_offsets_of_sgml_trim_and_tags_nest(tmp_path):
    path = write_lines(tmp_path / "a.name", [
        '<DOC DOCNO="d1">', '<ENAMEX TYPE="ORG" E_OFF="1">Rome-</ENAMEX>based R&amp;D <b>3 < 4</b>',
        '<ENAMEX TYPE="ORG" S_OFF="2">ofBank of <ENAMEX TYPE="GPE">Oslo</ENAMEX></ENAMEX>', "</DOC>",
        "<DOC><DOCNO> d2 </DOCNO><TIMEX TYPE='DATE'>May</TIMEX></DOC>",
    ])  # fmt: skip
    one, two = read(path)
    assert (one.id, one.text) == ("d1", "Rome-based R&D 3 < 4\nofBank of Oslo")
    assert [(one.text[a:b], label) for a, b, label in sorted(one.spans)] == [
        ("Rome", "ORG"), ("Bank of Oslo", "ORG"), ("Oslo", "GPE")]  # fmt: skip
    assert (two.id, {two.text[a:b] for a, b, _ in two.spans}) == ("d2", {"May"})
    assert "line 1: <ENAMEX> does not end" in error(write_lines(path, ['<ENAMEX TYPE="A">x']))
    assert "line 1: </TIMEX> inside <ENAMEX> of line 1" in error(write_lines(path, ['<ENAMEX TYPE="A">x</TIMEX>']))


def test_tokens_of_spacy_2_are_found_in_the_raw_text(tmp_path):
    tokens = [{"orth": "Ada", "ner": "U-PER"}, {"orth": "met", "ner": "-"}]
    paragraph = {"raw": "Ada\n met", "sentences": [{"tokens": tokens}]}
    path = saved(tmp_path / "a.json", [{"id": 3, "paragraphs": [paragraph]}])
    assert (only(path).spans, only(path).tokens, only(path).gaps, only(path).id) == (
        {(0, 3, "PER")}, [(0, 3), (5, 8)], ((5, 8),), "3")  # fmt: skip
    paragraph["raw"] = "Eve met"
    assert "paragraph 0: the token 'Ada' does not follow in the raw text" in error(
        saved(path, [{"paragraphs": [paragraph]}])
    )
    assert "ends after the text" in error(saved(path, [["Ada", {"entities": [[0, 4, "PER"]]}]]))


def test_token_end_of_prodigy_is_inclusive_and_checked(tmp_path):
    wrong = samples.PRODIGY | {"spans": [{"token_start": 5, "token_end": 8, "label": "LOC"}]}
    assert "span 0 is from token 5 to 8; the text has 8 tokens" in error(write(tmp_path / "a.jsonl", wrong))


def test_what_is_no_span_is_told_when_files_are_scored(tmp_path):
    path = write_sample("PubTator", tmp_path)
    done = run("score", path, path, "-m", "strict")
    assert "a.txt: annotations that are not spans, such as relations, were left out (1)" in flat(done.stderr)
    shutil.copy(path, tmp_path / "b.txt")
    done = run("score", path, tmp_path / "b.txt", "-m", "strict")
    assert flat(done.stderr).count("were left out (1)") == 2


def test_the_text_of_the_sample_is_what_the_others_think_it_is():
    assert (TEXT[10:13], TEXT[17:25]) == ("Bob", "New York")
    assert TEXT.encode("utf-16-le")[22:28].decode("utf-16-le") == "Bob"
