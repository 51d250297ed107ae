"""`--by meta.source` and `by="meta.source"`: the field of a document in every format, through every door."""

import json
from pathlib import Path

import pandas as pd
import pytest
import spacy
from commands import accepted, printed, refused, run
from spacy.tokens import Doc, DocBin, Span

from spacy_nereval import compare, gate, score

SOURCES = ("web", "news")
TEXTS = [f"Ada met Bob{' again' * (k % 3)}" for k in range(16)]
SPANS = [(0, 3, "PER"), (8, 11, "PER")]


def spans(number):
    return [dict(zip(("start", "end", "label"), span)) for span in (SPANS[:1] if number % 3 else SPANS)]


def records(**fields):
    """Gold records with fields of the document, each a function of its number."""
    return [
        {"id": str(k), "text": text, "spans": [dict(zip(("start", "end", "label"), span)) for span in SPANS]}
        | {name: value(k) for name, value in fields.items()}
        for k, text in enumerate(TEXTS)
    ]


PRED = [{"id": str(k), "text": text, "spans": spans(k)} for k, text in enumerate(TEXTS)]


def source(number):
    return SOURCES[number % 2]


WEB, NEWS = (sum(len(spans(k)) for k in range(first, len(TEXTS), 2)) for first in (0, 1))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The same gold annotation in every format, with the source of each document where the format has it."""
    folder = tmp_path_factory.mktemp("fields")
    in_meta, beside = records(meta=lambda k: {"source": source(k)}), records(source=source)

    def write(name, rows):
        (folder / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    write("meta.jsonl", in_meta)
    write("beside.jsonl", beside)
    write("both.jsonl", records(source=lambda k: "another", meta=lambda k: {"source": source(k)}))
    write("pred.jsonl", PRED)
    write("other.jsonl", [record | {"spans": record["spans"][:1]} for record in in_meta])
    pd.DataFrame(beside).to_parquet(folder / "beside.parquet")
    pd.DataFrame(in_meta).to_parquet(folder / "meta.parquet")
    tasks = []
    for record in beside:
        regions = [
            {
                "type": "labels",
                "from_name": "l",
                "to_name": "text",
                "value": {"start": span["start"], "end": span["end"], "labels": [span["label"]]},
            }
            for span in record["spans"]
        ]
        data = {"text": record["text"], "source": record["source"]}
        tasks.append({"id": int(record["id"]), "data": data, "annotations": [{"id": 1, "result": regions}]})
    (folder / "tasks.json").write_text(json.dumps(tasks))
    nlp = spacy.blank("en")
    packed = {name: DocBin(store_user_data=True) for name in ("user_data", "nested", "attribute")}
    if not Doc.has_extension("source"):
        Doc.set_extension("source", default=None)
    for k, text in enumerate(TEXTS):
        for name, docs in packed.items():
            doc = nlp.make_doc(text)
            doc.user_data["id"] = str(k)
            doc.ents = [doc.char_span(*span) for span in SPANS]
            if name == "attribute":
                doc._.source = source(k)
            else:
                doc.user_data |= {"source": source(k)} if name == "user_data" else {"meta": {"source": source(k)}}
            docs.add(doc)
    for name, docs in packed.items():
        docs.to_disk(folder / f"{name}.spacy")
    rows = [
        {
            "id": str(k),
            "tokens": text.split(),
            "ner_tags": ["B-PER", "O", "B-PER", *["O"] * text.count("again")],
            "source": source(k),
        }
        for k, text in enumerate(TEXTS)
    ]
    write("rows.jsonl", rows)
    return folder


def counts_by(result):
    found = result["breakdowns"]["meta.source"]["metrics"]["strict"]
    return {bucket: row["counts"] for bucket, row in found.items()}


FORMATS = [
    "meta.jsonl",
    "beside.jsonl",
    "both.jsonl",
    "meta.parquet",
    "beside.parquet",
    "tasks.json",
    "user_data.spacy",
]
FORMATS += ["nested.spacy", "attribute.spacy", "rows.jsonl"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_the_field_in_both_doors(name, files, monkeypatch):
    monkeypatch.chdir(files)
    options = ["--format", "hf,jsonl"] if name == "rows.jsonl" else []
    printed = json.loads(_json(name, *options))
    assert counts_by(printed) == {
        source_of: {"tp": hits, "fp": 0, "fn": 16 - hits} for source_of, hits in (("news", NEWS), ("web", WEB))
    }
    if not options:
        assert counts_by(score(name, "pred.jsonl", "strict", by="meta.source")) == counts_by(printed)


def _json(name, *options):
    run("score", name, "pred.jsonl", "-m", "strict", "--by", "meta.source", "-o", "out.json", *options)
    return Path("out.json").read_text()


def test_docs_and_attributes_of_docs_have_the_field_in_python(files):
    nlp = spacy.blank("en")
    docs = []
    for text in TEXTS:
        doc = nlp.make_doc(text)
        doc.ents = [Span(doc, 0, 1, "PER"), Span(doc, 2, 3, "PER")]
        docs.append(doc)
    if Doc.has_extension("parity"):
        Doc.remove_extension("parity")
    Doc.set_extension("parity", getter=lambda doc: len(doc) % 2)
    try:
        found = score(docs, docs, "strict", by=["meta.parity", "eLen"])["breakdowns"]
    finally:
        Doc.remove_extension("parity")
    assert found["meta.parity"]["buckets"] == ["0", "1"] and found["eLen"]["buckets"] == ["1"]


def test_rows_in_python_have_the_field():
    rows = [
        {"tokens": text.split(), "ner_tags": ["B-PER", *["O"] * (len(text.split()) - 1)], "source": source(k)}
        for k, text in enumerate(TEXTS)
    ]
    found = score(rows, rows, "strict", by="meta.source")["breakdowns"]["meta.source"]
    assert found["gold"] == {"web": 8, "news": 8}


def test_the_doors_give_the_same_result_with_intervals_and_tests(files, monkeypatch):
    monkeypatch.chdir(files)
    run(
        "score", "meta.jsonl", "pred.jsonl", "-C", "--by", "meta.source,eLen", "-m", "strict,fair,wrf", "-o", "all.json"
    )
    found = score("meta.jsonl", "pred.jsonl", "strict,fair,wrf", True, by="meta.source,eLen")
    assert json.loads(Path("all.json").read_text())["breakdowns"] == json.loads(found.to_json())["breakdowns"]


def test_the_table_has_a_test_of_each_row_against_the_others(files, monkeypatch):
    monkeypatch.chdir(files)
    shown = printed("score", "meta.jsonl", "pred.jsonl", "-m", "strict", "-C", "--by", "meta.source", "-t", "scores")
    assert (
        "By meta.source (field of the document; the last columns: strict of the row minus that of the other rows"
        in (" ".join(shown.split()))
    )
    assert "against the rest   p (Holm)" in shown
    plain = printed("score", "meta.jsonl", "pred.jsonl", "-m", "strict", "--by", "meta.source", "-t", "scores")
    assert "against the rest" not in plain
    assert "against the rest" in score("meta.jsonl", "pred.jsonl", "strict", True, by="meta.source").summary()


def test_compare_has_the_slices_in_both_doors(files, monkeypatch):
    monkeypatch.chdir(files)
    arguments = ("compare", "meta.jsonl", "pred.jsonl", "other.jsonl", "-m", "strict", "--by", "meta.source")
    shown = accepted(*arguments)
    assert "other against pred by meta.source, strict" in shown
    run(*arguments, "-o", "compared.json")
    found = compare({"pred": "pred.jsonl", "other": "other.jsonl"}, "meta.jsonl", "strict", by="meta.source")
    assert json.loads(Path("compared.json").read_text())["breakdowns"] == json.loads(found.to_json())["breakdowns"]
    assert "by meta.source" in found.summary()
    assert [row["tests"] for row in found["breakdowns"]["meta.source"]["rows"]] == [0, 0]


def test_counts_cannot_be_compared_by_slices(files, monkeypatch):
    monkeypatch.chdir(files)
    run("count", "meta.jsonl", "pred.jsonl", "-m", "strict", "-o", "a.npz")
    said = refused("compare", "meta.jsonl", "a.npz", "pred.jsonl", "--by", "meta.source")
    assert (
        "slices need the documents of one training run of each system, and a has counts, which contain no texts" in said
    )


@pytest.mark.parametrize("gold", ["meta.jsonl", "beside.jsonl", "user_data.spacy"])
def test_a_gate_has_rules_for_slices_by_fields(gold, files, monkeypatch):
    monkeypatch.chdir(files)
    rule = {"score": "strict_r", "at_least": 1, "by": "meta.source", "bucket": "web"}
    found = gate({"gate": {"rules": {"web": rule}}}, gold, "pred.jsonl")
    expected = score(gold, "pred.jsonl", "strict", by="meta.source")["breakdowns"]["meta.source"]["metrics"]["strict"]
    assert found["rules"][0]["score_value"] == pytest.approx(expected["web"]["scores"]["r"])
    policy = ["[gate]", "[gate.rules]", "[gate.rules.web]", *(f"{key} = {json.dumps(rule[key])}" for key in rule)]
    (files / "policy.cfg").write_text("\n".join(policy) + "\n")
    run("gate", "policy.cfg", gold, "pred.jsonl", "-o", "gate.json")
    assert json.loads(Path("gate.json").read_text())["rules"][0]["score_value"] == found["rules"][0]["score_value"]


def test_a_report_takes_fields(files, monkeypatch):
    monkeypatch.chdir(files)
    assert run("report", "beside.jsonl", "pred.jsonl", "--by", "meta.source", "-o", "report.html").exit_code == 0
    assert "meta.source" in (files / "report.html").read_text()


def test_converting_keeps_no_other_fields_than_before(files, monkeypatch):
    monkeypatch.chdir(files)
    run("convert", "beside.jsonl", "converted.jsonl")
    assert "meta" not in json.loads((files / "converted.jsonl").read_text().splitlines()[0])
