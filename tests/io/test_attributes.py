"""Attributes of spans: every source of them, and what they survive."""

import json
from pathlib import Path

import pytest
from commands import printed, refused, run, write

from spacy_nereval import load, show
from spacy_nereval.core.attribute_values import attributes_of
from spacy_nereval.io.records import Record

TEXT = "No fever, mild cough"
FEVER, COUGH = (3, 8, "SIGN"), (15, 20, "SIGN")


def listed(record: Record) -> dict[tuple[int, int, str], dict[str, str]]:
    return {span: attributes_of(record.attributes, span) for span in sorted(record.spans)}


def only(path: Path, **how: object) -> Record:
    (record,) = load(path, **how)
    return record


def span(start: int, end: int, **more: object) -> dict[str, object]:
    return {"start": start, "end": end, "label": "SIGN", **more}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"negated": True, "certain": False}, {"negated": "true", "certain": "false"}),
        ({"grade": 2, "share": 0.5}, {"grade": "2", "share": "0.5"}),
        ({"severity": "mild", "empty": "", "nothing": None, "said": "none"}, {"severity": "mild"}),
        (["negated", "past"], {"negated": "true", "past": "true"}),
        ([{"name": "severity", "value": "mild"}], {"severity": "mild"}),
        ({"links": ["Q1", "Q2"]}, {"links": "Q1,Q2"}),
        (None, {}),
    ],
)
def test_a_line_of_json_has_attributes_in_the_shapes_of_many_tools(tmp_path, given, expected):
    write(tmp_path / "a.jsonl", {"text": TEXT, "spans": [span(3, 8, attributes=given), span(15, 20)]})
    assert listed(only(tmp_path / "a.jsonl")) == {FEVER: expected, COUGH: {}}


def test_attributes_of_another_shape_are_refused_in_a_sentence(tmp_path):
    write(tmp_path / "a.jsonl", {"text": TEXT, "spans": [span(3, 8, attributes=7)]})
    said = refused("score", tmp_path / "a.jsonl", tmp_path / "a.jsonl")
    assert "line 1: span 0 has the attributes 7; expected names with values" in said


def test_a_link_is_read_beside_start_and_end_and_an_id_is_not(tmp_path):
    write(tmp_path / "a.jsonl", {"text": TEXT, "spans": [span(3, 8, kb_id="Q1", id="T1"), span(15, 20, id="T2")]})
    assert listed(only(tmp_path / "a.jsonl")) == {FEVER: {"kb_id": "Q1"}, COUGH: {}}


def test_brat_has_flags_values_and_links(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    lines = ["T1\tSIGN 3 8\tfever", "A1\tnegated T1", "T2\tSIGN 15 20\tcough", "A2\tseverity T2 mild"]
    lines += ["N1\tReference T2 SNOMED:49727002\tCough", "A3\tnegated E1", "M1\tpast T1"]
    (tmp_path / "a.ann").write_text("\n".join(lines))
    record = only(tmp_path)
    assert listed(record) == {
        FEVER: {"negated": "true", "past": "true"},
        COUGH: {"severity": "mild", "kb_id": "SNOMED:49727002"},
    }
    assert record.others == 1  # that of an event


def test_label_studio_has_choices_ratings_numbers_and_texts_of_a_region(tmp_path):
    region = {"id": "r", "type": "labels", "value": {"start": 3, "end": 8, "labels": ["SIGN"]}}
    facts = [
        ("choices", "negation", ["yes"]),
        ("rating", "sure", 3),
        ("number", "grade", 2),
        ("textarea", "why", ["no"]),
    ]
    keys = {"textarea": "text"}
    results = [{"id": "r", "type": t, "from_name": n, "value": {keys.get(t, t): v}} for t, n, v in facts]
    task = {"data": {"text": TEXT}, "annotations": [{"result": [region, *results]}]}
    (tmp_path / "a.json").write_text(json.dumps([task]))
    record = only(tmp_path / "a.json")
    assert listed(record) == {FEVER: {"negation": "yes", "sure": "3", "grade": "2", "why": "no"}}
    assert record.others == 0


def test_webanno_has_the_other_features_of_the_layer(tmp_path):
    head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=NamedEntity|value|identifier|negated\n\n#Text=No fever\n"
    (tmp_path / "a.tsv").write_text(f"{head}1-1\t0-2\tNo\t_\t_\t_\t\n1-2\t3-8\tfever\tSIGN\tQ1\ttrue\t\n")
    assert listed(only(tmp_path / "a.tsv")) == {FEVER: {"identifier": "Q1", "negated": "true"}}
    stacked = (
        f"{head}1-1\t0-2\tNo\tSIGN[1]|X[2]\tQ1[1]|Q2[2]\t*[1]|true[2]\t\n1-2\t3-8\tfever\tSIGN[1]\tQ1[1]\t*[1]\t\n"
    )
    (tmp_path / "a.tsv").write_text(stacked)
    expected = {(0, 2, "X"): {"identifier": "Q2", "negated": "true"}, (0, 8, "SIGN"): {"identifier": "Q1"}}
    assert listed(only(tmp_path / "a.tsv")) == expected


def test_pubtator_has_identifiers_and_bioc_infons(tmp_path):
    (tmp_path / "a.pubtator").write_text("1|t|No fever\n1|a|\n1\t3\t8\tfever\tSIGN\tD005334\n")
    assert listed(only(tmp_path / "a.pubtator", format="pubtator")) == {FEVER: {"kb_id": "D005334"}}
    annotation = {"id": "1", "infons": {"type": "SIGN", "identifier": "D005334"}, "text": "fever"}
    annotation |= {"locations": [{"offset": 3, "length": 5}]}
    passage = {
        "offset": 0,
        "infons": {},
        "text": "No fever",
        "annotations": [annotation],
        "sentences": [],
        "relations": [],
    }
    document = {"id": "1", "infons": {}, "passages": [passage], "annotations": [], "relations": []}
    collection = {"source": "", "date": "", "key": "", "infons": {}, "documents": [document]}
    (tmp_path / "a.json").write_text(json.dumps(collection))
    assert listed(only(tmp_path / "a.json", format="bioc")) == {FEVER: {"identifier": "D005334"}}


@pytest.mark.parametrize("column", [3, "last"])
def test_a_column_of_links_of_conll(tmp_path, column):
    (tmp_path / "a.conll").write_text("No O _\nfever B-SIGN Q1\nhigh I-SIGN Q1\n, O _\ncough B-SIGN _\n")
    record = only(tmp_path / "a.conll", column=2, link_column=column)
    assert listed(record) == {(3, 13, "SIGN"): {"kb_id": "Q1"}, (16, 21, "SIGN"): {}}
    said = refused("score", tmp_path / "a.conll", tmp_path / "a.conll", "--link-column", "7", "--column", "2")
    assert "--link-column 7: there is no such column; the file has 3" in said


@pytest.mark.parametrize("name", ["b.jsonl", "b.parquet", "b", "b.spacy"])
def test_attributes_survive_conversion(tmp_path, name):
    rows = {"id": "a", "text": TEXT, "spans": [span(3, 8, attributes={"negated": True, "kb_id": "X:1"}), span(15, 20)]}
    write(tmp_path / "a.jsonl", rows)
    assert run("convert", tmp_path / "a.jsonl", tmp_path / name, "--lang", "en").exit_code == 0
    custom = "_.negated" if name == "b.spacy" else "negated"
    assert listed(only(tmp_path / name)) == {FEVER: {custom: "true", "kb_id": "X:1"}, COUGH: {}}


def test_a_mention_with_two_links_stays_one_span_with_both(tmp_path):
    rows = [span(3, 8, kb_id="Q1"), span(3, 8, kb_id="Q2"), span(3, 8, kb_id="Q2")]
    write(tmp_path / "a.jsonl", {"text": TEXT, "spans": rows})
    record = only(tmp_path / "a.jsonl")
    assert (record.spans, record.duplicates, listed(record)[FEVER]) == ([FEVER], 2, {"kb_id": "Q1,Q2"})
    printed("convert", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert only(tmp_path / "b.jsonl").attributes == record.attributes


def test_show_and_the_error_list_have_attributes(tmp_path):
    gold = tmp_path / "gold.jsonl"
    write(gold, {"text": TEXT, "spans": [span(3, 8, attributes={"negated": True, "grade": 2}), span(15, 20)]})
    write(tmp_path / "pred.jsonl", {"text": TEXT, "spans": [span(15, 20, kb_id="Q1"), span(0, 2, kb_id="Q2")]})
    overview = show(gold)
    assert overview["attributes"] == {"grade=2": 1, "negated=true": 1}
    assert overview["first"][0]["marked"] == "No [fever](SIGN: grade=2, negated), mild [cough](SIGN)"
    assert "attributes: grade=2 (1), negated=true (1)" in printed("show", gold)
    table = printed("errors", gold, tmp_path / "pred.jsonl", "-m", "strict")
    assert "SIGN (grade=2, negated)" in table and "SIGN (kb_id=Q2)" in table
    printed("errors", gold, tmp_path / "pred.jsonl", "-m", "strict", "-o", tmp_path / "rows.jsonl")
    rows = [json.loads(row) for row in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [(row["gold_attributes"], row["pred_attributes"]) for row in rows] == [
        (None, "kb_id=Q2"),
        ("grade=2, negated", None),
    ]
