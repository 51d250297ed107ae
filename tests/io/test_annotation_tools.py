"""What the formats of annotation tools and data sets allow, and what is refused in one line."""

import cProfile
import json
import shutil
import sys
import zipfile

import pytest
import samples
from commands import flat, run, write
from reading import error, only, read, saved
from samples import FORMS, SPANS, TAGS, write_sample
from writers import write_lines

from spacy_nereval import Span, load
from spacy_nereval.core import expansion
from spacy_nereval.io.formats import name_of, sgml
from spacy_nereval.io.formats.contents import json_values

# Which format it is


@pytest.mark.parametrize("name", [name for name, (_, file, _) in samples.SAMPLES.items() if file == "a.json"])
def test_a_file_of_any_name_has_the_format_that_its_content_shows(name, tmp_path):
    path = write_sample(name, tmp_path)
    path = path.rename(path.with_name("a.data"))
    assert read(path) == read(path, name=samples.SAMPLES[name][0]) and len(read(path)) == 1


OTHER_CONTENT = [
    ("a.jsonl", '{"text": "Ada", "tokens": [{"start": 0, "end": 3}], "spans": [], "labels": []}', "jsonl"),
    ("a.tsv", "Ada\tB-PER", "conll"),
    ("a.json", '{"text": "Ada"}', None),
    ("a.txt", "Ada <b>met</b>", None),
    ("a.out", "Ada met", None),
    ("a.out", "Ada\tB-PER\nmet\tO", "conll"),
    ("bare", "[Ada] met", None),
]


@pytest.mark.parametrize("name, text, format", OTHER_CONTENT)
def test_other_content_keeps_the_format_of_its_ending(name, text, format, tmp_path):
    path = write_lines(tmp_path / name, [text])
    assert name_of(path) == format if format else "from its extension or its content" in error(path)


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
    for text, said in (
        ("[1, 2", "a comma or ]"),
        ("[1 2]", "a comma or ]"),
        ("[1] 2", "nothing after"),
        ("{", "line 1"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=said):
            [*json_values(path)]


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


ODD_NAMES = [{"a": 1}, ["ner_tags"], None, 1, 1.5, True]


@pytest.mark.parametrize("name", ODD_NAMES, ids=str)
def test_features_with_names_that_are_no_text_are_not_those_of_tags(name, tmp_path):
    """As the server of the hub lists features. Those beside them are read."""
    tags = {"name": "ner_tags", "type": {"feature": {"names": ["O", "B-PER", "B-LOC", "I-LOC"]}}}
    rows = [{"row": samples.HF | {"ner_tags": [1, 0, 0, 0, 0, 0, 0, 0]}}]
    odd = tags | {"name": name}
    path = saved(tmp_path / "a.json", {"features": [odd, tags, odd], "rows": rows})
    assert [{span[2] for span in record.spans} for record in read(path)] == [{"PER"}]
    nameless = [odd, name, {key: value for key, value in tags.items() if key != "name"}]
    assert "the tag 1 is a number without a name" in error(saved(path, {"features": nameless, "rows": rows}))
    info = saved(tmp_path / "info.json", {"features": nameless})
    assert "expected a list of names" in error(path, tag_names=str(info))


BAD_ROWS = [
    ({"ner_tags": ["O"]}, "expected one tag per token; there are 8 tokens and 1 tag"),
    ({"ner_tags": ["PER"] * 8}, "'PER' is not a tag"),
    ({"ner_tags": ["O", "I-PER", "O", "B-LOC", "O", "O", "O", "O"]}, "I-PER continues no span"),
    ({"ner_tags": "O"}, 'expected lists "tokens" and "ner_tags"'),
    ({"ner_tags": ["O"] * 8, "tokens": [""] * 8}, "token 0 is ''; expected a word"),
]


@pytest.mark.parametrize("change, message", BAD_ROWS)
def test_bad_rows_are_named_with_their_line(change, message, tmp_path):
    path = write(tmp_path / "a.jsonl", {"tokens": FORMS, "ner_tags": TAGS}, {"tokens": FORMS} | change)
    assert f"{path}, line 2: {message}" in error(path, name="hf")


def test_invalid_tags_can_be_repaired(tmp_path):
    path = write(tmp_path / "a.jsonl", samples.HF | {"ner_tags": ["B-A", "O", "I-A", *["O"] * 5]})
    assert [(len(f.spans), f.repaired) for f in read(path, repair="conll")] == [(2, 1)]


# XML


@pytest.mark.parametrize("name", ["BioC", "XMI", "XMI zip"])
@pytest.mark.parametrize("entity", ['i "haha"', 'i SYSTEM "{}"', '% p SYSTEM "{}"> %p; <!ENTITY i "ha"'])
def test_entities_are_neither_expanded_nor_fetched(name, entity, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("SECRET")

    def attacked(text: str) -> str:
        head, body = text.replace('<!DOCTYPE collection SYSTEM "BioC.dtd">', "").split("?>", 1)
        return f"{head}?><!DOCTYPE x [<!ENTITY {entity.format(secret.as_uri())}>]>{body.replace('Ada', 'Ada &i;')}"

    path = write_sample(name, tmp_path)
    if name == "XMI zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.xmi", samples.xmi())
            archive.writestr("TypeSystem.xml", attacked(samples.TYPES))
    else:
        path.write_text(attacked(path.read_text(encoding="utf8")), encoding="utf8")
    said_ = error(path, name=samples.SAMPLES[name][0])
    assert "line 1: the file defines the entity" in said_ and "SECRET" not in said_


def test_inline_sgml_reads_no_entities(tmp_path):
    text = '<!DOCTYPE x [<!ENTITY i "boom">]><DOC>&i; <ENAMEX TYPE="ORG">A&amp;B</ENAMEX></DOC>'
    found = only(write_lines(tmp_path / "a.sgm", [text])).text
    assert "&i; A&B" in found and "boom" not in found.split("]>")[-1]


def test_the_type_and_the_feature_of_xmi_can_be_chosen(tmp_path):
    path = write_sample("XMI", tmp_path)
    for field in ("NamedEntity", "NamedEntity.value", f"{samples.NAMES}.NamedEntity"):
        assert {*SPANS} == only(path, field=field).spans
    assert "there is no type 'Event'; choose one with column=:" in error(path, field="Event")
    (tmp_path / "TypeSystem.xml").unlink()
    assert "there is no TypeSystem.xml in the same folder" in error(path)


TYPE = (
    "<typeDescription><name>x.{}</name><description/><supertypeName>{}</supertypeName><features>{}</features>"
    "</typeDescription>"
)
FEATURE = "<featureDescription><name>{}</name><description/><rangeTypeName>{}</rangeTypeName></featureDescription>"


def write_types(path, *types):
    """Write an XMI file with one annotation of "Ada" for each type that has attributes.

    Args:
        path: The folder.
        types: The name, supertype, features and attributes of each.
    """
    declared = "".join(
        TYPE.format(name, parent, "".join(FEATURE.format(*feature) for feature in features.items()))
        for name, parent, features, _ in types
    )
    (path / "TypeSystem.xml").write_text(samples.TYPES.replace("</types>", f"{declared}</types>"), encoding="utf8")
    annotations = [
        f'<x:{name} xmi:id="{90 + k}" sofa="1" begin="0" end="3" {attributes}/>'
        for k, (name, _, _, attributes) in enumerate(types)
        if attributes is not None
    ]
    members = " ".join(str(90 + k) for k, (*_, attributes) in enumerate(types) if attributes is not None)
    content = samples.xmi([]).replace("xmi:version", 'xmlns:x="http:///x.ecore" xmi:version')
    content = content.replace("<cas:Sofa", f"{''.join(annotations)}<cas:Sofa").replace(
        'members="', f'members="{members}'
    )
    (path / "a.xmi").write_text(content, encoding="utf8")
    return path / "a.xmi"


SPAN, TEXT = "uima.tcas.Annotation", "uima.cas.String"


def test_a_feature_of_xmi_that_does_not_exist_is_refused_with_those_that_do(tmp_path):
    path = write_sample("XMI", tmp_path)
    said = "the type NamedEntity has no feature 'valeu' with texts; choose one with column=: "
    assert f"{said}NamedEntity.value, NamedEntity.*" in error(path, field="NamedEntity.valeu")
    path = write_types(
        tmp_path, ("Event", SPAN, {"category": TEXT, "score": "uima.cas.Integer"}, 'category="C" score="3"')
    )
    for field, feature in (
        ("Event", "value"),
        ("Event.score", "score"),
        ("Event.begin", "begin"),
        ("Event.get", "get"),
    ):
        said = f"the type Event has no feature {feature!r} with texts; choose one with column=: Event.category, Event.*"
        assert said in error(path, field=field)
    assert only(path, field="Event.category").spans == {(0, 3, "C")}
    assert only(path, field="Event.*").spans == {(0, 3, "Event")}
    for column, label in (("Event.category", "C"), ("Event.*", "Event")):  # what is offered can be given
        (record,) = load(path, column=column)
        assert set(map(tuple, record.spans)) == {(0, 3, label)}


def test_labels_of_xmi_are_values_of_declared_features_and_never_attributes_of_objects(tmp_path):
    """dkpro-cassis gives its objects attributes and methods of their own: `type`, `value`, `get`, `xmiID`."""
    mention = ("Mention", SPAN, {"type": TEXT, "self": TEXT}, 'type="T" self="S"')
    relation = ("Pair", SPAN, {"Governor": SPAN, "Dependent": SPAN, "kind": TEXT}, 'kind="r"')
    plain, sub = ("Person", SPAN, {}, ""), ("Teacher", "x.Person", {}, "")
    path = write_types(tmp_path, mention, relation, plain, sub, ("Link", "uima.cas.TOP", {"role": TEXT}, None))
    for feature, label in (("type", "T"), ("self", "S"), ("*", "Mention")):
        assert only(path, field=f"Mention.{feature}").spans == {(0, 3, label)}, feature
    assert only(path, field="Person").spans == {(0, 3, "Person"), (0, 3, "Teacher")}, "no feature to choose"
    assert only(path, field="Person.*").others == 1
    offered = error(path, field="none").rpartition("column=: ")[2].split(", ")
    assert offered == [
        "Mention.self", "Mention.type", "NamedEntity.value", "Person", "Teacher"
    ]  # fmt: skip
    assert all(only(path, field=field) for field in offered)
    for field in ("Pair", "Link"):
        assert f"annotations of the type {field!r} are no spans; choose one" in error(path, field=field)


def test_the_type_of_xmi_is_found_whatever_its_package(tmp_path):
    path = write_sample("XMI", tmp_path)
    other = {samples.NAMES: "org.example", samples.NAMES.replace(".", "/"): "org/example"}
    for file in (path, tmp_path / "TypeSystem.xml"):
        text = file.read_text(encoding="utf8")
        for old, new in other.items():
            text = text.replace(old, new)
        file.write_text(text, encoding="utf8")
    assert only(path).spans == {*SPANS}
    types = (tmp_path / "TypeSystem.xml").read_text(encoding="utf8")
    twice = types.replace("org.example.NamedEntity", "com.example.NamedEntity")
    start, end = "<typeDescription>", "</typeDescription>"
    more = twice[twice.index(start) : twice.rindex(end) + len(end)]
    (tmp_path / "TypeSystem.xml").write_text(types.replace(start, more + start, 1), encoding="utf8")
    said = "there are several types 'NamedEntity'; choose one with column=: "
    assert f"{said}com.example.NamedEntity, org.example.NamedEntity" in error(path)
    assert only(path, field="org.example.NamedEntity").spans == {*SPANS}


def test_each_type_system_of_an_archive_is_parsed_once_and_its_files_are_bounded_together(tmp_path, monkeypatch):
    import cassis

    path, parsed, real = tmp_path / "a.zip", [], cassis.load_typesystem
    monkeypatch.setattr(cassis, "load_typesystem", lambda file: parsed.append(1) or real(file))
    other = samples.TYPES.replace("<types>", f"<!-- of another project {' ' * 9000} --><types>")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for k in range(6):
            archive.writestr(f"{k}/a.xmi", samples.xmi(SPANS[: k % 3]))
            archive.writestr(f"{k}/TypeSystem.xml", other if k == 4 else samples.TYPES)
        size = sum(each.file_size for each in archive.infolist())
    assert [len(record.spans) for record in read(path)] == [0, 1, 2] * 2
    assert len(parsed) == 2
    monkeypatch.setenv(expansion.VARIABLE, "1")
    monkeypatch.setattr(expansion, "READ", size)
    assert len(read(path)) == 6
    monkeypatch.setattr(expansion, "READ", size - 1)
    packed = path.stat().st_size
    assert f"{path} has {packed:,} bytes, and {size:,} or more unpacked: more than 1 times as much" in error(path)


@pytest.mark.parametrize("name, extra", [("XMI", "uima"), ("CoNLL-U", "conllu"), ("BioC", "bio")])
def test_a_missing_package_is_named_with_its_extra(name, extra, tmp_path, monkeypatch):
    path = write_sample(name, tmp_path)
    for module in ("cassis", "conllu", "bioc.biocxml.decoder"):
        monkeypatch.setitem(sys.modules, module, None)
    assert f'pip install ".[{extra}]"' in error(path)


# GLiNER, CoNLL-U, BioC, PubTator, SGML, spaCy 2


def test_a_span_that_gliner_has_twice_counts_once_and_its_ends_are_tokens(tmp_path):
    entry = {"tokenized_text": ["Ada", "met"], "ner": [[0, 0, "PER"], [0, 0, "PER"], [0, 1, "PER"]]}
    found = only(write(tmp_path / "a.jsonl", entry), name="gliner")
    assert (found.spans, found.duplicates) == ({(0, 3, "PER"), (0, 7, "PER")}, 1)
    path = saved(tmp_path / "a.json", [{"tokenized_text": ["Ada", "met"], "ner": [[0, 2, "A"]]}])
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
    assert "no word has the key 'name' in MISC, and there is no column NER; choose one with column=: " in error(path)
    one, two = read(path, field="NER")
    assert (one.id, one.text, one.spans) == ("d1", "Zum Bahnhof.\nJa", {(0, 11, "LOC")})
    assert one.tokens == [(0, 3), (4, 11), (11, 12), (13, 15)]
    assert (two.id, two.text, two.spans) == ("d2", "Ada!", {(0, 3, "PER")})
    write_lines(path, ["# text = Eve", "1\tAda\t_\t_\t_\t_\t_\t_\t_\tname=B-PER", ""])
    assert "the token 'Ada' does not follow in the text" in error(path)


def test_repaired_tags_of_all_sentences_of_a_document_are_counted(tmp_path):
    sentence = ["1\tAda\t_\t_\t_\t_\t_\t_\t_\tname=I-PER", "2\tmet\t_\t_\t_\t_\t_\t_\t_\tname=O", ""]
    lines = [
        "# newdoc id = d1",
        *sentence,
        *sentence,
        "# newdoc id = d2",
        *sentence,
        "1\tBob\t_\t_\t_\t_\t_\t_\t_\tname=B-PER",
        "",
    ]
    found = read(write_lines(tmp_path / "a.conllu", lines), repair="conll")
    assert [(len(record.spans), record.repaired) for record in found] == [(2, 2), (2, 1)]


def test_locations_of_bioc_are_pieces_and_its_offsets_those_of_the_document(tmp_path):
    found = json.loads(json.dumps(samples.BIOC))
    passage = found["documents"][0]["passages"][1]
    passage["annotations"] = [{"id": "T1", "infons": {"type": "X", "kind": "Y"}, "text": "in York", "locations": [
        {"offset": 14, "length": 2}, {"offset": 21, "length": 4}]}]  # fmt: skip
    passage["relations"] = [{"id": "R1", "infons": {}, "nodes": []}]
    path = saved(tmp_path / "a.json", found)
    assert only(path).spans == {Span.of_pieces([(14, 16), (21, 25)], "X")}
    assert only(path, discontinuous="hull").spans == {(14, 25, "X")}
    assert only(path, discontinuous="parts", field="kind").spans == {(14, 16, "Y"), (21, 25, "Y")}
    assert only(path, discontinuous="hull").others == 1
    assert "has no infon 'none' with its label; choose one with column=: type, kind" in error(path, field="none")
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


class Counted(str):
    """Text that counts the characters that are taken out of it."""

    taken = 0

    def __add__(self, other):
        return Counted(str(self) + str(other))

    def __radd__(self, other):
        return Counted(str(other) + str(self))

    def __getitem__(self, key):
        found = str(self)[key]
        Counted.taken += len(found)
        return found


def test_twice_as_many_nested_elements_of_sgml_are_twice_the_work(tmp_path, monkeypatch):
    characters, work = sgml._decode_references, []
    monkeypatch.setattr(sgml, "_decode_references", lambda source: Counted(characters(source)))
    for nested in (200, 400):
        begin, end = '<DOCID><ENAMEX TYPE="A"> ab' * nested, "cd </ENAMEX></DOCID>" * nested
        path = write_lines(tmp_path / "a.sgm", [f"<DOC>{begin}{end}</DOC>"])
        monkeypatch.setattr(Counted, "taken", 0)
        profile = cProfile.Profile()
        (record,) = profile.runcall(list, sgml.read(path))
        assert len(record.spans) == nested and (min(record.spans)[0], record.text[-2:]) == (0, "cd")
        work.append(Counted.taken + sum(each.callcount for each in profile.getstats()))
    assert work[1] < 2.5 * work[0]


SGML_IDS = [
    ("<DOC><DOCID> d1 </DOCID><ENAMEX TYPE='A'>x</ENAMEX></DOC>", "d1"),
    ("<DOC DOCNO='d2'><ENAMEX TYPE='A'>x</ENAMEX></DOC>", "d2"),
    ("<DOC DOCNO='d2'><DOCID>d1</DOCID><ENAMEX TYPE='A'>x</ENAMEX></DOC>", "d1"),
    ("<DOC><DOCID>d1</DOCID><DOC ID='a' DOCNO='d3'><ENAMEX TYPE='A'>x</ENAMEX></DOC>", "d3"),
    ("<DOC><ENAMEX TYPE='A'>x</ENAMEX></DOC>", "a"),
]


@pytest.mark.parametrize(("line", "id"), SGML_IDS)
def test_a_file_of_sgml_names_its_document_and_only_without_that_is_it_the_name_of_the_file(tmp_path, line, id):
    write_lines(tmp_path / "a.sgm", [line])
    assert [record.id for record in sgml.read(tmp_path)] == [id]


def test_tokens_of_spacy_2_are_found_in_the_raw_text(tmp_path):
    tokens = [{"orth": "Ada", "ner": "U-PER"}, {"orth": "met", "ner": "-"}]
    paragraph = {"raw": "Ada\n met", "sentences": [{"tokens": tokens}]}
    path = saved(tmp_path / "a.json", [{"id": 3, "paragraphs": [paragraph]}])
    assert (only(path).spans, only(path).tokens, only(path).gaps, only(path).id) == (
        {(0, 3, "PER")}, [(0, 3), (5, 8)], ((5, 8),), "3")  # fmt: skip
    paragraph["raw"] = "Eve met"
    saved(path, [{"paragraphs": [paragraph]}])
    assert "paragraph 0: the token 'Ada' does not follow in the text" in error(path)
    assert "ends after the text" in error(saved(path, [["Ada", {"entities": [[0, 4, "PER"]]}]]))


def test_token_end_of_prodigy_is_inclusive_and_checked(tmp_path):
    wrong = samples.PRODIGY | {"spans": [{"token_start": 5, "token_end": 8, "label": "LOC"}]}
    assert "span 0 is from token 5 to 8; the text has 8 tokens" in error(write(tmp_path / "a.jsonl", wrong))


def test_what_is_no_span_is_told_when_files_are_scored(tmp_path):
    path = write_sample("PubTator", tmp_path)
    said = flat(run("score", path, shutil.copy(path, tmp_path / "b.txt"), "-m", "strict").stderr)
    for name in "ab":
        assert f"{name}.txt: annotations other than spans, such as relations, were skipped (1)" in said
