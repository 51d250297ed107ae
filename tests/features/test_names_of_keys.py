"""JSON of any tool: the names of keys, maps of keys, wrappers; and lines that no reader may drop in silence."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from commands import accepted, flat, refused, run, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import error, only, read, saved
from refusals import refused_with

from spacy_nereval import agreement, load, score, thresholds
from spacy_nereval.core.keys import ENDS, LABELS, STARTS, key_maps, read_keys

TEXT, ADA = "Ada met Bob", (0, 3, "PER")
GOLD = {"text": TEXT, "spans": [{"start": 0, "end": 3, "label": "PER"}]}
SPAN = {"start": 0, "end": 3, "label": "PER"}

USUAL: dict[str, dict[str, Any]] = {
    "spaCy's Doc.to_json": {"text": TEXT, "ents": [SPAN], "tokens": [{"id": 0, "start": 0, "end": 3, "tag": "NNP"}]},
    "type": {"text": TEXT, "entities": [{"start": 0, "end": 3, "type": "PER"}]},
    "stanza": {"text": TEXT, "ents": [{"text": "Ada", "type": "PER", "start_char": 0, "end_char": 3}]},
    "transformers": {
        "text": TEXT,
        "entities": [{"entity_group": "PER", "score": 0.9, "word": "ada", "start": 0, "end": 3}],
    },
    "Rasa": {"text": TEXT, "entities": [{"start": 0, "end": 3, "value": "Ada", "entity": "PER"}]},
    "presidio": {
        "full_text": TEXT,
        "spans": [{"entity_type": "PER", "entity_value": "Ada", "start_position": 0, "end_position": 3}],
    },
    "doccano": {"text": TEXT, "entities": [{"start_offset": 0, "end_offset": 3, "label": "PER", "id": 7}]},
    "strings": {"text": TEXT, "entities": [{"text": "Ada", "label": "PER"}]},
    "names": {"text": TEXT, "entities": [{"name": "Ada", "type": "PER"}]},
    "entity and type": {"text": TEXT, "ents": [{"entity": "Ada", "type": "PER", "confidence": 1}]},
    "pairs": {"text": TEXT, "spans": [["Ada", "PER"]]},
    "strings by label": {"text": TEXT, "mentions": {"PER": ["Ada"]}},
    "entities by label": {"text": TEXT, "entities": {"PER": ["Ada"], "LOC": []}},
    "places by label": {"text": TEXT, "label": {"PER": {"Ada": [[0, 3]]}, "LOC": {}}},
}


@pytest.mark.parametrize("name", USUAL)
def test_names_mean_the_same_in_lines_lists_tables_and_python(name, tmp_path):
    row = USUAL[name]
    lines, listed = write(tmp_path / "a.jsonl", row), saved(tmp_path / "a.json", [row])
    wrapped = saved(tmp_path / "b.json", {"version": 1, "documents": [row]})
    for path in (lines, listed, wrapped):
        assert only(path).spans == {ADA}, path
        assert score([GOLD], str(path), ["strict"]).strict.f == 1
    assert score([GOLD], [row], ["strict"]).strict.f == 1
    accepted("score", write(tmp_path / "gold.jsonl", GOLD), listed, "-m", "strict")


def test_places_by_label_may_end_at_the_last_character(tmp_path):
    """As in CLUENER, whose strings show it."""
    row = {"text": TEXT, "label": {"PER": {"Ada": [[0, 2]]}, "LOC": {"Bob": [[8, 10]]}}}
    for path in (write(tmp_path / "a.jsonl", row), saved(tmp_path / "a.json", [row])):
        assert only(path, end="inclusive").spans == {ADA, (8, 11, "LOC")}
        assert "--end inclusive" in refused("score", path, path)
        accepted("score", path, path, "--end", "inclusive")
    assert score([GOLD], [row], ["strict"], end="exclusive,inclusive").strict.counts == {"tp": 1, "fp": 1, "fn": 0}


@pytest.mark.parametrize("name", [name for name in USUAL if "by label" not in name and name != "pairs"])
def test_names_mean_the_same_in_columns_of_tables(name, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.Table.from_pylist([USUAL[name]]), tmp_path / "a.parquet")
    assert only(tmp_path / "a.parquet").spans == {ADA}


ITEMS = st.fixed_dictionaries({}).flatmap(
    lambda _: st.tuples(st.sampled_from(STARTS), st.sampled_from(ENDS), st.sampled_from([*LABELS[1:]]))
)


@tries(60)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(6, 11), st.sampled_from(["PER", "LOC"])), max_size=4), ITEMS)
def test_a_file_and_the_list_in_it_give_the_same(spans, names):
    row = {"text": TEXT, "ents": [dict(zip(names, span)) for span in spans]}
    with TemporaryDirectory() as folder:
        path = write(Path(folder, "a.jsonl"), row)
        of_file = score([GOLD], str(path), ["strict", "fair"])
    of_records, of_spans = score([GOLD], [row], ["strict", "fair"]), score([GOLD], [row["ents"]], ["strict", "fair"])
    assert of_file["metrics"] == of_records["metrics"] == of_spans["metrics"]


KEYS = "text=content,spans=ann.items,start=at.from,end=at.to,label=kind"
STRANGE = {"content": TEXT, "ann": {"items": [{"at": {"from": 0, "to": 3}, "kind": "PER"}]}, "entities": [7]}

MAPPED: dict[str, tuple[str, dict[str, Any]]] = {
    "nested": (KEYS, STRANGE),
    "PubAnnotation": (
        "spans=denotations,start=span.begin,end=span.end,label=obj",
        {"text": TEXT, "denotations": [{"id": "T1", "span": {"begin": 0, "end": 3}, "obj": "PER"}]},
    ),
    "lengths": (
        "text=content,start=offset,length=n,label=category",
        {"content": TEXT, "entities": [{"text": "Ada", "category": "PER", "offset": 0, "n": 3}]},
    ),
    "a key with a dot": (
        "text=a.b,spans=s",
        {"a.b": TEXT, "a": {"b": "wrong"}, "s": [SPAN]},
    ),
    "strings": ("spans=found,surface=what,label=kind", {"text": TEXT, "found": [{"what": "Ada", "kind": "PER"}]}),
    "as JSON": ('{"text": "a,b", "spans": "s"}', {"a,b": TEXT, "s": [SPAN]}),
    "lists in spans": (
        "text=content,spans=annotation,start=points.0.start,end=points.0.end,label=label.0",
        {"content": TEXT, "annotation": [{"label": ["PER"], "points": [{"start": 0, "end": 3, "text": "Ada"}]}]},
    ),
    "pairs of offsets": (
        "start=span.0,end=span.1",
        {"text": TEXT, "entities": [{"span": [0, 3], "label": "PER"}]},
    ),
    "lists in another order": ("spans=ann,label=0,start=1,end=2", {"text": TEXT, "ann": [["PER", 0, 3]]}),
    "lists of four": ("start=1,end=2,label=3", {"text": TEXT, "entities": [["Ada", 0, 3, "PER"]]}),
    "lists in documents": (
        "text=passages.0.text.0,start=offsets.0.0,end=offsets.0.1,surface=text.0",
        {
            "passages": [{"text": [TEXT], "offsets": [[0, 11]]}],
            "entities": [{"type": "PER", "text": ["Ada"], "offsets": [[0, 3]]}],
        },
    ),
    "a span group": ("spans=spans.sc", {"text": TEXT, "spans": {"sc": [SPAN], "x": []}}),
    "usual names with another meaning": (
        "spans=good,label=category",
        {"text": TEXT, "good": [{**SPAN, "label": 7, "category": "PER"}], "spans": [], "label": "x"},
    ),
}


@pytest.mark.parametrize("name", MAPPED)
def test_a_map_of_keys_reads_files_and_lists_alike(name, tmp_path):
    keys, row = MAPPED[name]
    lines, listed = write(tmp_path / "a.jsonl", row), saved(tmp_path / "a.json", [row])
    for path in (lines, listed, saved(tmp_path / "b.json", {"data": {"documents": [row]}})):
        keys_of_file = keys if path.name != "b.json" else read_keys(keys).keys + (("documents", "data.documents"),)
        assert load(path, keys=keys_of_file if isinstance(keys_of_file, str) else dict(keys_of_file))[0].spans == [ADA]
    gold = write(tmp_path / "gold.jsonl", GOLD)
    assert score([GOLD], [row], ["strict"], keys=[None, keys]).strict.f == 1
    assert score(str(gold), str(lines), ["strict"], keys=["", keys]).strict.f == 1
    assert score([row], [row], ["strict"], keys=keys).strict.f == 1
    done = accepted("score", gold, lines, "--keys", "", "--keys", keys, "-m", "strict")
    assert "1 gold span, 1 predicted span: strict F 100.00" in flat(done)
    found = agreement({"a": str(lines), "b": str(listed)}, keys=keys)
    assert found["metrics"]["strict"]["f"]["mean"] == 1 == score([row], [row], ["strict"], keys=keys).strict.f
    accepted("agreement", lines, listed, "--keys", keys)
    accepted("convert", lines, tmp_path / "c.jsonl", "--keys", keys)
    assert only(tmp_path / "c.jsonl").spans == {ADA}


IN_PART = {
    "points": ("start=points.0.start,end=points.0.end", {"points": [{"start": 0, "end": 3}, {"start": 8, "end": 11}]}),
    "offsets": ("start=offsets.0.0,end=offsets.0.1", {"offsets": [[0, 3], [8, 11]]}),
    "kinds": ("label=kinds.0", {"start": 0, "end": 3, "kinds": ["PER", "LOC"]}),
}


@pytest.mark.parametrize("name", [*IN_PART, "passages"])
def test_a_list_of_which_a_map_names_some_elements_is_said_to_be_read_in_part(name, tmp_path):
    keys, span = IN_PART.get(name, ("text=passages.0.text", SPAN))
    row: dict[str, Any] = {"text": TEXT, "spans": [{"label": "PER", **span}]}
    if name == "passages":
        row = {"passages": [{"text": TEXT}, {"text": "More."}], "spans": [SPAN]}
    said = f'of "{name}", only the elements that --keys names by number are read'
    path, other = write(tmp_path / "a.jsonl", row), write(tmp_path / "b.jsonl", row)
    assert only(path, keys=read_keys(keys)).spans == {ADA}
    for command in (("score", path, other), ("agreement", path, other), ("show", path)):
        assert said in flat(run(*command, "--keys", keys).output), command
    assert said.replace("--keys", "keys=") in str(score([row], [row], ["strict"], keys=keys))
    assert only(write(path, row | {"_unread": 7}), keys=read_keys(keys)).spans == {ADA}
    assert only(write(path, {"text": TEXT, "spans": [SPAN], "_unread": 7})).notes == ()
    whole = json.loads(json.dumps(row).replace(', {"start": 8, "end": 11}', "").replace(", [8, 11]", ""))
    whole = json.loads(json.dumps(whole).replace(', "LOC"]', "]").replace(', {"text": "More."}', ""))
    assert "only the elements" not in run("score", write(path, whole), path, "--keys", keys).output


def test_a_map_reads_lists_of_spans_and_scores_of_predictions():
    keys = "start=from,end=to,label=kind,score=p"
    row = [{"from": 0, "to": 3, "kind": "PER", "p": 0.9}]
    assert score([[ADA]], [row], ["strict"], keys=[None, keys]).strict.f == 1
    assert thresholds([[ADA]], [row], ["strict"], keys=["", keys])["best"]["cut"] == 0.9


@pytest.mark.parametrize("name", ["nested", "a key with a dot", "PubAnnotation"])
def test_a_map_reaches_into_columns_of_tables(name, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    keys, row = MAPPED[name]
    parquet.write_table(pa.Table.from_pylist([row]), tmp_path / "a.parquet")
    assert load(tmp_path / "a.parquet", keys=keys)[0].spans == [ADA]


def test_dots_reach_into_objects_for_columns_too(tmp_path):
    row = {"text": TEXT, "ann": {"gold": [SPAN], "pred": [{**SPAN, "label": "LOC"}]}, "ann.gold": [SPAN, SPAN]}
    path = write(tmp_path / "a.jsonl", row)
    assert (only(path, field="ann.gold").duplicates, only(path, field="ann.pred").spans) == (1, {(0, 3, "LOC")})
    assert "1 gold span, 1 predicted span" in flat(run("score", path, "--column", "ann.gold,ann.pred").stdout)
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    row = {"text": TEXT, "ann": {"gold": [SPAN], "n": 1}}
    parquet.write_table(pa.Table.from_pylist([row]), tmp_path / "a.parquet")
    assert only(tmp_path / "a.parquet", field="ann.gold").spans == {ADA}
    tagged = write(tmp_path / "t.jsonl", {"tokens": ["Ada"], "x": {"tags": ["B-PER"]}})
    assert only(tagged, name="hf", field="x.tags").spans == {ADA}


REFUSED = {
    "text=missing": "the document has no 'missing' (--keys text=missing); there are content, ann, entities",
    "text=content,spans=ann.items,start=x": "span 0 has no 'x' (--keys start=x); there are at, kind",
    "text=content,spans=ann.items": "there are at, kind: name the keys with --keys start=KEY,...",
    "text=content,spans=nowhere": 'there is no list of "spans"; there is ann: name the key of the spans with --keys '
    "spans=KEY",
    "txt=content": "--keys txt=content: there is no part 'txt': did you mean 'text'?",
    "text": "--keys text: expected PART=KEY,..., as in text=content,spans=items",
    "text=": "expected PART=KEY,...",
    "text=a,text=b": "the key 'text' occurs twice",
    "end=a,length=b": "expected the key of the end or of the length, not both",
    "{": "--keys {: ",
    "documents=ann": "a.json, line 1: --keys documents=ann: there is no list 'ann'",
}


@pytest.mark.parametrize("keys", REFUSED)
def test_a_map_that_cannot_be_used_is_refused_with_the_keys_that_are_there(keys, tmp_path):
    path = saved(tmp_path / "a.json", [STRANGE])
    assert REFUSED[keys] in refused("score", path, path, "--keys", keys)
    with refused_with(
        ValueError,
        "keys='txt=a': there is no part 'txt': did you mean 'text'? There are text, spans, id, "
        "tokens, meta, answer, start, end, length, label, score, surface",
    ):
        score([STRANGE], [STRANGE], ["strict"], keys="txt=a")


def test_a_map_is_given_for_files_with_keys_and_without_a_column(tmp_path):
    path, columns = write(tmp_path / "a.jsonl", STRANGE), tmp_path / "a.conll"
    columns.write_text("Ada B-PER\nmet O\nBob O\n")
    accepted("score", columns, path, "--keys", KEYS, "-m", "strict")
    assert "a.conll is read as conll, where there are no keys to name" in refused(
        "score", columns, columns, "--keys", KEYS
    )
    said = "--keys is given in addition to --column x: name the key of the spans with --keys spans=x too"
    assert said in refused("score", path, path, "--keys", KEYS, "--column", "x")
    maps = ("--keys", KEYS) * 3
    assert "3 maps; expected one, or 2" in refused("score", path, path, *maps)
    assert "2 maps; expected one" in refused("agreement", path, columns, *maps[:4])
    assert key_maps(None) == [None, None]


LACKING = [
    ({"content": TEXT, "items": []}, "there are content, items: name the keys with --keys text=content,..."),
    ({"text": TEXT, "marks": [SPAN]}, "there is marks: name the key of the spans with --keys spans=KEY"),
    ({"text": TEXT, "spans": [{"from": 0, "to": 3}]}, "there are from, to: name the keys with --keys start=KEY,..."),
    ({"text": TEXT, "spans": [{"text": "Ada", "label": "PER", "begin": 0}]}, "span 0 has no 'start', 'end'"),
    ({"text": TEXT, "spans": [{**SPAN, "label": None}]}, "has no label: expected a non-empty string"),
    ({"text": TEXT, "spans": [{"start": 0, "end": 3, "entity": "B-PER"}]}, "aggregation_strategy"),
    ({"text": TEXT, "spans": [{"start": 0, "end": 3, "entity": "PER", "index": 1}]}, "aggregation_strategy"),
    ({"text": TEXT, "label": {"name": {"Ada": [[0, 2]]}}}, "the end seems to be that of the last character, expected"),
    ({"text": TEXT, "label": {"name": {"Ada": [0, 2]}}}, "\"label\" is {'name': {'Ada': [0, 2]}}; expected a list"),
    ({"text": TEXT, "label": {"name": {"Ada": 7}}}, "\"label\" is {'name': {'Ada': 7}}; expected a list"),
    ({"text": TEXT, "entities": "[]"}, "\"entities\" is '[]'; expected a list of [start, end, label]"),
    ({"text": TEXT, "entities": None}, 'there is no list of "spans"; write an empty list'),
    (
        {"words": ["Ada"], "labels": ["B-PER"]},
        'the words under "tokens" and their tags under "ner_tags"; there are words',
    ),
    (
        {"text": "Ada met", "labels": ["B-PER", "O"]},
        "span 0 is the tag of a token, 'B-PER'; expected spans, or the words",
    ),
    ({"text": "Ada met", "entities": [{"Ada": "B-PER"}, {"met": "O"}]}, "span 0 is the tag of a token, 'B-PER'"),
    ({"text": TEXT, "spans": {"sc": [SPAN]}}, "or of mentions; name one list with --keys spans=spans.sc; 'nereval"),
    ({"text": TEXT, "spans": ["Ada"]}, "span 0 has no 'start', 'end', 'label'"),
    ({"text": TEXT, "spans": [SPAN, {"text": "Ada", "label": "PER"}]}, "span 1 has no 'start', 'end'"),
]


@pytest.mark.parametrize(("row", "said"), LACKING)
def test_what_a_document_lacks_is_named_with_the_keys_that_are_there(row, said, tmp_path):
    path = write(tmp_path / "a.jsonl", row)
    assert said in refused("score", path, path)
    with pytest.raises(ValueError):
        score([row], [row], ["strict"])


def test_span_groups_beside_entities_are_said_to_be_left_out(tmp_path):
    row = {"text": TEXT, "ents": [], "spans": {"sc": [SPAN]}}
    path = write(tmp_path / "a.jsonl", row)
    said = 'the span groups of "spans" are not read'
    assert f"{said}; --keys spans=spans.sc reads one" in run("score", path, path).stderr
    assert f"{said}; keys='spans=spans.sc' reads one" in str(score([row], [row], ["strict"]))
    assert said not in run("score", path, path, "--keys", "spans=spans.sc").stderr
    write(path, row | {"spans": {"sc": []}})
    assert said not in run("score", path, path).stderr


def test_a_start_of_another_name_is_no_slow_tokenizer():
    for span, said in (
        ({"begin": 0, "end": 3, "label": "PER"}, "has no start; .*there are begin, end, label: name the keys"),
        ({"start": None, "end": None, "label": "PER"}, "has no number as start and end; .*use_fast=True"),
    ):
        with pytest.raises(ValueError, match=said):
            score([[span]], [[span]], ["strict"])


WRAPPED: dict[str, tuple[Any, int]] = {
    "a list": ([GOLD, GOLD], 2),
    "one document": (GOLD, 1),
    "documents": ({"documents": [GOLD, GOLD]}, 2),
    "no documents": ({"documents": []}, 0),
    "Rasa's training data": ({"rasa_nlu_data": {"common_examples": [GOLD], "regex_features": []}}, 1),
    "pairs of a text and its entities": (
        {"classes": ["PER"], "annotations": [[TEXT, {"entities": [[0, 3, "PER"]]}]]},
        1,
    ),
    "any name": ({"version": "1.0", "examples": [GOLD, GOLD, GOLD], "labels": ["PER"]}, 3),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_documents_are_found_in_lists_and_objects(name, tmp_path):
    value, number = WRAPPED[name]
    path = saved(tmp_path / "a.json", value)
    assert [record.spans for record in read(path)] == [{ADA}] * number
    (tmp_path / "b.json").write_text(json.dumps(value, indent=1))
    assert len(read(tmp_path / "b.json")) == number
    if name == "a list":
        (tmp_path / "c.jsonl").write_text(json.dumps(value, indent=1))
        assert len(read(tmp_path / "c.jsonl")) == number


def test_a_key_that_occurs_twice_in_a_list_of_json_is_refused(tmp_path):
    (tmp_path / "a.json").write_text('[{"text": "Ada", "text": "Bob", "spans": []}]')
    assert "the key 'text' occurs twice" in error(tmp_path / "a.json")


REPEATED = [
    '"label": "PER", "kb_id": "a", "kb_id": "b"',
    '"label": "PER", "kb_id" : "a", "kb_id" : "b"',
    '"label": "PER", "x": {"y": 1, "y": 2}',
    '"type": "PER", "type": "LOC"',
    '"label": "PER", "score": 0.1, "score": 0.2',
    *(f'"label": "PER", "label"{space}: "LOC"' for space in (" ", "\t", "\r")),
]


@pytest.mark.parametrize("keys", REPEATED)
@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_a_key_that_occurs_twice_in_a_span_is_refused(name, keys, tmp_path):
    (tmp_path / name).write_text(f'{{"text": "Ada met", "spans": [{{"start": 0, "end": 3, {keys}}}]}}')
    assert "occurs twice" in error(tmp_path / name)


PASSAGE = {"offset": 0, "infons": {}, "text": TEXT, "sentences": [], "relations": []}
MARK = {"id": "1", "infons": {"type": "PER"}, "text": "Ada", "locations": [{"offset": 0, "length": 3}]}
BIOC = {"id": "1", "infons": {}, "passages": [PASSAGE | {"annotations": [MARK]}], "annotations": [], "relations": []}


@pytest.mark.parametrize("value", [{"PubTator3": [BIOC]}, {"documents": [BIOC]}, BIOC, [BIOC], {"any": [BIOC]}])
def test_bioc_is_read_in_any_wrapper(value, tmp_path):
    pytest.importorskip("bioc")
    for name in (None, "bioc"):
        assert only(saved(tmp_path / "a.json", value), name=name).spans == {ADA}


def test_documents_that_are_no_bioc_are_refused_by_their_keys(tmp_path):
    pytest.importorskip("bioc")
    lacking = saved(tmp_path / "b.json", {"documents": [{"id": "1", "passages": [{"offset": 0, "text": TEXT}]}]})
    assert "there is no 'infons'; name the keys of other JSON with --keys" in refused("score", lacking, lacking)
    path = saved(tmp_path / "a.json", {"documents": [{"id": "1", "content": TEXT, "entities": [SPAN]}]})
    assert "there are id, content, entities: name the keys with --keys text=content" in refused("score", path, path)
    said = refused("score", path, path, "--format", "bioc")
    assert "expected documents with passages" in said and "--keys text=KEY" in said
    assert load(path, keys="text=content")[0].spans == [ADA]
    other = saved(tmp_path / "b.json", {"sourcedb": "PubMed", "text": TEXT, "denotations": []})
    assert "there are sourcedb, text, denotations" in refused("score", other, other)


def sentence(offset: int, text: str, *places: tuple[int, int, str]) -> str:
    marks = "".join(
        f'<annotation id="{offset}-{k}"><infon key="type">PER</infon><location offset="{a}" length="{b - a}"/>'
        f"<text>{said}</text></annotation>"
        for k, (a, b, said) in enumerate(places)
    )
    return f"<sentence><offset>{offset}</offset><text>{text}</text>{marks}</sentence>"


BIOC_OFFSETS = [
    ((sentence(10, "Ada met.", (0, 3, "Ada")), sentence(30, "Then Bob.", (5, 8, "Bob"))), {(10, 13), (35, 38)}),
    ((sentence(10, "Ada met.", (10, 13, "Ada")), sentence(30, "Then Bob.", (35, 38, "Bob"))), {(10, 13), (35, 38)}),
    ((sentence(0, "Ada met.", (0, 3, "Ada")), sentence(30, "Then Bob.", (5, 8, "Bob"))), {(0, 3), (35, 38)}),
    ((sentence(0, "Ada met.", (0, 3, "Ada")), sentence(30, "Then Bob.", (5, 8, "Eve"))), None),
]


@pytest.mark.parametrize(("sentences", "places"), BIOC_OFFSETS)
def test_offsets_of_bioc_are_those_of_the_document_or_of_the_sentence(sentences, places, tmp_path):
    pytest.importorskip("bioc")
    passage = f"<passage><offset>0</offset>{''.join(sentences)}</passage>"
    path = tmp_path / "a.xml"
    path.write_text(f"<collection><document><id>1</id>{passage}</document></collection>")
    if places is None:
        assert "but the file says 'Eve'" in refused("score", path, path)
    else:
        assert {span[:2] for span in only(path).spans} == places


def test_a_text_that_a_span_repeats_is_checked_under_any_of_its_names(tmp_path):
    for name in ("text", "entity_value"):
        path = write(tmp_path / "a.jsonl", {"text": TEXT, "spans": [{**SPAN, name: "Bob"}]})
        assert "is 'Ada', but the file says 'Bob'" in refused("score", path, path)


# Label Studio: on which text a region is


def label_studio(folder: Path, *targets: str, texts: dict[str, str] | None = None) -> Path:
    """A task with two texts and a region on each of the targets: the first is PER 0 3, the second LOC 15 21."""
    values = [{"start": 0, "end": 3, "labels": ["PER"]}, {"start": 15, "end": 21, "labels": ["LOC"]}]
    regions = [
        {"id": str(k), "from_name": "l", "to_name": target, "type": "labels", "value": value}
        for k, (target, value) in enumerate(zip(targets, values))
    ]
    data = texts or {"title": "Zoe left early today.", "text": "Ada met Bob in London"}
    return saved(folder / "a.json", [{"id": 1, "data": data, "annotations": [{"completed_by": 1, "result": regions}]}])


TARGETS: list[tuple[tuple[str, str], dict[str, Any], set[tuple[int, int, str]], int]] = [
    (("title", "text"), {}, {(15, 21, "LOC")}, 1),
    (("title", "text"), {"field": "title"}, {(0, 3, "PER")}, 1),
    (("title", "title"), {}, {(0, 3, "PER"), (15, 21, "LOC")}, 0),
    (("title", "title"), {"field": "text"}, set(), 2),
    (("t1", "t2"), {"field": "title:t1"}, {(0, 3, "PER")}, 1),
    (("t1", "t2"), {"field": "text:t2"}, {(15, 21, "LOC")}, 1),
    (("t1", "t1"), {}, {(0, 3, "PER"), (15, 21, "LOC")}, 0),
    (("title", "t2"), {}, {(15, 21, "LOC")}, 1),
]


@pytest.mark.parametrize(("targets", "settings", "spans", "others"), TARGETS)
def test_a_region_is_on_the_text_that_it_names(targets, settings, spans, others, tmp_path):
    found = only(label_studio(tmp_path, *targets), **settings)
    assert (found.spans, found.others) == (spans, others)


def test_a_region_keeps_its_text_whether_or_not_it_repeats_its_string(tmp_path):
    path = label_studio(tmp_path, "title", "text")
    tasks = json.loads(path.read_text())
    for string in (False, True):
        for region, name in zip(tasks[0]["annotations"][0]["result"], ("Zoe", "London")):
            region["value"] |= {"text": name} if string else {}
        saved(path, tasks)
        for column, spans in ((), [(15, 21, "LOC")]), (("--column", "title"), [(0, 3, "PER")]):
            done = run("convert", path, tmp_path / "out.jsonl", *column)
            assert "annotations that are not spans (1)" in done.stderr
            assert [tuple(span) for span in load(tmp_path / "out.jsonl")[0].spans] == spans
            assert "strict F 100.00" in flat(run("score", path, path, *column, "-m", "strict").stdout)


def test_a_name_that_is_no_key_is_told_where_there_are_several_texts(tmp_path):
    said = ("regions with the to_name 't1' are read on the text 'text'",)
    assert only(label_studio(tmp_path, "t1", "t1")).notes == said
    assert only(label_studio(tmp_path, "title", "title")).notes == ()
    assert only(label_studio(tmp_path, "t1", "t1", texts={"text": "Ada met Bob in London"})).notes == ()


def test_regions_on_unknown_texts_are_refused_with_how_they_are_read(tmp_path):
    path = label_studio(tmp_path, "t1", "t2")
    said = "say which of them is the text 'text' of the data with --column text:t1"
    assert said in refused("score", path, path)
    assert "1 gold span" in flat(run("score", path, path, "--column", "text:t2").stdout)
    nested = label_studio(tmp_path, "text", texts={"title": "a", "meta": {"body": "Ada met"}})  # type: ignore[dict-item]
    assert only(nested, field="meta.body").spans == {ADA}


# Lines of PubTator and brat, and elements of SGML: read, known to be something else, or refused

PUBTATOR = "1|t|Aspirin helps\n1|a|It works.\n1\t0\t7\tAspirin\tChemical\n"
PUBTATOR_LINES = {
    "1\tCID\tD1\tD2": 1,
    "1\tAssociation\t1234\t5678\tNovel": 1,
    "1\tDrug-Gene\tD1\t77": 1,
    "1\tT1\tChemical\t0\t7\tAspirin": None,
    "1\tT1\tChemical 0 7\tAspirin": None,
    "1\tChemical\t0\t7\tAspirin": None,
    "1\tAspirin\t0\t7\tChemical": None,
    "1\tChemical": None,
    "1 0 7 Aspirin Chemical": None,
    "1|f|More text": None,
    "1\t0\tseven\tAspirin\tChemical": None,
}


@pytest.mark.parametrize("line", PUBTATOR_LINES)
def test_a_line_of_pubtator_is_an_annotation_a_relation_or_refused(line, tmp_path):
    (tmp_path / "a.pubtator").write_text(f"{PUBTATOR}{line}\n\n")
    if (others := PUBTATOR_LINES[line]) is not None:
        found = only(tmp_path / "a.pubtator")
        assert (found.spans, found.others) == ({(0, 7, "Chemical")}, others)
    else:
        said = refused("score", tmp_path / "a.pubtator", tmp_path / "a.pubtator")
        assert "a.pubtator, line 4: expected id, start, end, text and label" in said


def test_columns_of_pubtator_after_the_identifier_are_counted_and_said(tmp_path):
    path, said = (
        tmp_path / "a.pubtator",
        "columns after the identifier, such as the names in a composite mention, are not",
    )
    for line, others in (("D1", 0), ("D1\t", 0), ("D1\tone|two", 1), ("\tone\ttwo", 1)):
        path.write_text(f"{PUBTATOR[:-1]}\t{line}\n")
        found = only(path)
        assert (found.spans, found.others) == ({(0, 7, "Chemical")}, others)
        assert len(found.attributes) == (line[:1] == "D")
        for command in (("score", path, path), ("show", path), ("convert", path, tmp_path / "a.jsonl")):
            assert (said in flat(run(*command).output)) == bool(others), (line, command)


BRAT_LINES = {
    **dict.fromkeys(["R1\tRel Arg1:T1 Arg2:T1", "E1\tPER:T1", "A1\tNeg E1", "M1\tNegation E1", "*\tEquiv T1 T2"], 1),
    **dict.fromkeys(["N1\tReference E1 Wiki:1\tAda", "#1\tAnnotatorNotes T1\tunsure", "# seen twice"], 1),
    **dict.fromkeys(["", "  ", "A1\tNeg T1", "N1\tReference T1 Wiki:1\tAda"], 0),
    **dict.fromkeys(["t1\tPER 0 3\tAda", "PER 0 3\tAda", "X1\tPER 0 3\tAda", "T2 PER 0 3\tAda", "Rome is far"]),
}


@pytest.mark.parametrize("line", BRAT_LINES)
def test_a_line_of_brat_is_an_annotation_something_known_or_refused(line, tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "a.ann").write_text(f"T1\tPER 0 3\tAda\n{line}\n")
    if (others := BRAT_LINES[line]) is not None:
        assert (only(tmp_path).spans, only(tmp_path).others) == ({ADA}, others)
        if others:
            done = run("score", tmp_path, tmp_path, "-m", "strict")
            assert "annotations other than spans, such as relations, were skipped (1)" in done.stderr
    else:
        assert "a.ann, line 2: expected 'T1', a tab" in refused("score", tmp_path, tmp_path)


RASA = {"start": 0, "end": 3, "value": "Ada"}


@pytest.mark.parametrize("label", ["PER", "E-MAIL", "U-BOAT", "S-BAHN"])
def test_entities_of_rasa_are_labels_even_if_they_look_like_tags(label, tmp_path):
    entities = [RASA | {"entity": label}]
    record = {"text": "Ada met", "entities": entities}
    for side in ([entities], [record], write(tmp_path / "a.jsonl", record)):
        found = score(side, [{"text": "Ada met", "spans": [[0, 3, label]]}], ["strict"])
        assert found.strict.counts == {"tp": 1, "fp": 0, "fn": 0}
    assert "strict F 100.00" in flat(accepted("score", side, side, "-m", "strict"))


@pytest.mark.parametrize(
    "entity", [RASA | {"entity": "B-PER"}, {"start": 0, "end": 3, "word": "Ada", "entity": "E-MAIL"}]
)
def test_tags_of_tokens_are_refused_with_both_remedies(entity, tmp_path):
    record = {"text": "Ada met", "entities": [entity]}
    for side in ([[entity]], [record], write(tmp_path / "a.jsonl", record)):
        with pytest.raises(ValueError, match="aggregation_strategy=.*keys='label=entity' reads it"):
            score(side, side, ["strict"])
        more = {} if side != [[entity]] else {"text": ["Ada met"]}
        assert score(side, side, ["strict"], keys="label=entity", **more).strict.counts["tp"] == 1
    assert "--keys label=entity reads it" in refused("score", side, side)
    accepted("score", side, side, "--keys", "label=entity")


NO_OFFSETS = {
    "Rasa": ({"value": "Ada", "entity": "PER"}, "surface=value,label=entity"),
    "other names": ({"begin": 0, "finish": 3, "kind": "PER"}, "start=begin,end=finish,label=kind"),
    "a mention of other names": ({"span": "Ada", "kind": "PER"}, "surface=span,label=kind"),
}


@pytest.mark.parametrize("entity, keys", NO_OFFSETS.values(), ids=NO_OFFSETS)
def test_what_has_no_offsets_is_refused_with_a_map_of_keys_that_reads_it(entity, keys, tmp_path):
    record = {"text": "Ada met", "entities": [entity]}
    path = write(tmp_path / "a.jsonl", record)
    for side, more in (([[entity]], {"text": ["Ada met"]}), ([record], {}), (path, {})):
        said = f"there are {', '.join(entity)}: name the keys with keys='start=KEY,...', or those of a mention without"
        with pytest.raises(ValueError, match=said):
            score(side, side, ["strict"], **more)
        assert score(side, side, ["strict"], keys=keys, **more).strict.counts["tp"] == 1
    assert "with --keys surface=KEY,label=KEY" in refused("score", path, path)
    accepted("score", path, path, "--keys", keys)
    mentions = [{"text": "Ada met", "mentions": [entity]}]
    with pytest.raises(ValueError, match="name the keys with keys='surface=KEY,label=KEY'"):
        score(mentions, mentions, ["strict"])


def test_elements_concern_the_file_that_has_them(tmp_path):
    lines = write(tmp_path / "a.jsonl", {"text": "Ada met", "spans": [[0, 3, "PERSON"]]})
    columns, inline = tmp_path / "a.conll", tmp_path / "a.sgml"
    columns.write_text("Ada B-PERSON\nmet O\n")
    inline.write_text("<PERSON>Ada</PERSON> met")
    for other in (lines, columns):
        for sides in ((other, inline), (inline, other)):
            done = accepted("score", *sides, "--column", "elements", "-m", "strict")
            assert "strict F 100.00" in flat(done)
            assert "strict F 100.00" in flat(accepted("agreement", *sides, "--column", "elements"))
            assert "read the names of elements as labels with --column elements" in refused("score", *sides)
    said = refused("score", lines, lines, "--column", "elements")
    assert 'there is no list of "elements"' in said and "--column spans,elements if that is the predictions'" in said


def test_elements_of_sgml_that_are_not_read_are_counted_or_refused(tmp_path):
    path = tmp_path / "a.sgml"
    path.write_text("<DOC><P><PERSON>Ada</PERSON> met <loc>Rome</loc></P></DOC>")
    said = refused("score", path, path)
    assert f"{path}, line 1: <PERSON> is not read, and there is no ENAMEX" in said
    assert "--column elements: PERSON (1), LOC (1)" in said
    assert only(path, field="elements").spans == {(0, 3, "PERSON"), (8, 12, "loc")}
    assert "2 gold spans" in flat(accepted("score", path, path, "--column", "elements", "-m", "strict"))
    assert "expected 'elements'" in refused("score", path, path, "--column", "names")
    path.write_text('<ENAMEX TYPE="PER">Ada</ENAMEX> met <loc>Rome</loc> <b>today</b>')
    assert (only(path).spans, only(path).others) == ({ADA}, 1)
    note = "elements that are no ENAMEX, TIMEX or NUMEX, such as LOC, are left out; {} reads their names as labels"
    assert only(path).notes == [note.format("column='elements'")]
    other = write(tmp_path / "b.jsonl", {"text": "Ada met Rome today", "spans": []})
    for command in (
        ("score", path, path),
        ("show", path),
        ("agreement", path, other),
        ("convert", path, f"{path}.jsonl"),
    ):
        done = run(*command)
        assert note.format("--column elements") in " ".join((done.output + done.stderr).split()), command
    path.write_text('<b>no</b> <ENAMEX TYPE="PER">Ada</ENAMEX>')
    assert not only(path).notes and not only(path).others
    path.write_text("<DOC><DATE>1.1.</DATE><P>Ada met</P></DOC>")
    assert (only(path).spans, only(path).others) == (set(), 0)
    assert only(path, field="elements").spans == {(0, 4, "DATE")}
