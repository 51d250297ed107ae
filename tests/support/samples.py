"""One short text in every format, with a character that UTF-16 counts as two."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TEXT = "Ada 😀 met Bob in New York."
SPANS = [(0, 3, "PER"), (10, 13, "PER"), (17, 25, "LOC")]
WORDS = [(0, 3), (4, 5), (6, 9), (10, 13), (14, 16), (17, 20), (21, 25), (25, 26)]
FORMS = [TEXT[a:b] for a, b in WORDS]
TAGS = ["B-PER", "O", "O", "B-PER", "O", "B-LOC", "I-LOC", "O"]
UNITS = [(a + (a > 4), b + (b > 4)) for a, b in WORDS]
"""The places of the words in UTF-16 code units."""


def region(start: int, end: int, *labels: str, text: str | None = None, kind: str = "labels") -> dict[str, Any]:
    shown = {} if text is None else {"text": text}
    value = {"start": start, "end": end, **shown, kind: list(labels)}
    return {"type": kind, "from_name": "label", "to_name": "text", "value": value}


REGIONS = [region(a, b, label, text=TEXT[a:b]) for a, b, label in SPANS]


def task(*annotations: dict[str, Any], id: int = 1, text: str = TEXT, **more: Any) -> dict[str, Any]:
    return {"id": id, "data": {"text": text}, "annotations": list(annotations), **more}


def said(name: Any, *regions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"completed_by": name, "was_cancelled": False, "result": list(regions), **more}


def minimal(id: int = 1, annotator: int = 7, regions: Any = None) -> dict[str, Any]:
    """A row of Label Studio's JSON-MIN."""
    label = [each["value"] for each in (REGIONS if regions is None else regions)]
    return {"text": TEXT, "id": id, "label": label, "annotator": annotator, "annotation_id": id * 10 + annotator}


def webanno() -> str:
    cells = ["PER", "_", "_", "PER", "_", "LOC[1]", "LOC[1]", "_"]
    rows = [
        f"1-{k}\t{a}-{b}\t{form}\t{'*' + cell[3:] if cell != '_' else '_'}\t{cell}\t"
        for k, ((a, b), form, cell) in enumerate(zip(UNITS, FORMS, cells), 1)
    ]
    layer = "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value"
    return "\n".join(["#FORMAT=WebAnno TSV 3.3", layer, "", "", f"#Text={TEXT}", *rows, ""])


NAMES = "de.tudarmstadt.ukp.dkpro.core.api.ner.type"

TYPES = f"""<?xml version="1.0" encoding="UTF-8"?>
<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types><typeDescription>
<name>{NAMES}.NamedEntity</name><description/><supertypeName>uima.tcas.Annotation</supertypeName>
<features><featureDescription><name>value</name><description/>
<rangeTypeName>uima.cas.String</rangeTypeName></featureDescription></features>
</typeDescription></types></typeSystemDescription>"""


def xmi(spans: list[tuple[int, int, str]] = SPANS) -> str:
    found = [(k, a + (a > 4), b + (b > 4), label) for k, (a, b, label) in enumerate(spans, 10)]
    kind = '<type:NamedEntity xmi:id="{}" sofa="1" begin="{}" end="{}" value="{}"/>'
    named = "".join(kind.format(*each) for each in found)
    members = " ".join(str(k) for k, *_ in found)
    return (
        '<?xml version="1.0" encoding="UTF-8"?><xmi:XMI xmlns:cas="http:///uima/cas.ecore" '
        f'xmlns:xmi="http://www.omg.org/XMI" xmlns:type="http:///{NAMES.replace(".", "/")}.ecore" xmi:version="2.0">'
        f'<cas:NULL xmi:id="0"/>{named}<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" '
        f'sofaString="{TEXT}"/><cas:View sofa="1" members="{members}"/></xmi:XMI>'
    )


def write_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.xmi", xmi())
        archive.writestr("TypeSystem.xml", TYPES)


def conllu() -> str:
    rows = []
    for k, (form, tag) in enumerate(zip(FORMS, TAGS), 1):
        misc = "|".join(([f"name={tag}"] if tag != "O" else []) + (["SpaceAfter=No"] if form == "York" else [])) or "_"
        rows.append(f"{k}\t{form}\t_\t_\t_\t_\t_\t_\t_\t{misc}")
    return "\n".join(["# sent_id = a", f"# text = {TEXT}", *rows, "", ""])


def conllup() -> str:
    rows = [f"{k}\t{form}\t{tag}" for k, (form, tag) in enumerate(zip(FORMS, TAGS), 1)]
    return "\n".join(["# global.columns = ID FORM NER", f"# text = {TEXT}", *rows, "", ""])


BIOC = {
    "documents": [
        {
            "id": "1",
            "infons": {},
            "passages": [
                {"offset": 0, "infons": {}, "text": TEXT[:13], "sentences": [], "annotations": [], "relations": []},
                {"offset": 14, "infons": {}, "text": TEXT[14:], "sentences": [], "relations": [], "annotations": [
                    {"id": f"T{k}", "infons": {"type": label}, "text": TEXT[a:b],
                     "locations": [{"offset": a, "length": b - a}]} for k, (a, b, label) in enumerate(SPANS)]},
            ],
            "annotations": [],
            "relations": [],
        }
    ],
}  # fmt: skip


def bioc_xml() -> str:
    marks = "".join(
        f'<annotation id="T{k}"><infon key="type">{label}</infon><location offset="{a}" length="{b - a}"/>'
        f"<text>{TEXT[a:b]}</text></annotation>"
        for k, (a, b, label) in enumerate(SPANS)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE collection SYSTEM "BioC.dtd"><collection><source/><date/>'
        f"<key/><document><id>1</id><passage><offset>0</offset><text>{TEXT[:13]}</text></passage><passage>"
        f"<offset>14</offset><text>{TEXT[14:]}</text>{marks}</passage></document></collection>"
    )


def pubtator() -> str:
    marks = "".join(f"1\t{a}\t{b}\t{TEXT[a:b]}\t{label}\tD1\n" for a, b, label in SPANS)
    return f"1|t|{TEXT[:13]}\n1|a|{TEXT[14:]}\n{marks}1\tCID\tD1\tD2\n\n"


def sgml() -> str:
    parts, at = [], 0
    for start, end, label in SPANS:
        parts += [TEXT[at:start], f'<ENAMEX TYPE="{label}">', TEXT[start:end], "</ENAMEX>"]
        at = end
    return f'<DOC DOCNO="a1">\n{"".join(parts)}{TEXT[at:]}\n</DOC>\n'


BILUO = ["U-PER", "O", "O", "U-PER", "O", "B-LOC", "L-LOC", "O"]
TOKENS = [{"orth": form, "ner": tag} for form, tag in zip(FORMS, BILUO)]
SPACY2 = [{"id": 0, "paragraphs": [{"raw": TEXT, "sentences": [{"tokens": TOKENS}]}]}]
HF = {"tokens": FORMS, "ner_tags": [1, 0, 0, 1, 0, 2, 3, 0]}
CLASSES = {"names": ["O", "B-PER", "B-LOC", "I-LOC"], "_type": "ClassLabel"}
FEATURES = [{"name": "ner_tags", "type": {"feature": CLASSES}}]
TOKEN_SPANS = [(0, 0, "PER"), (3, 3, "PER"), (5, 6, "LOC")]
"""First and last token, both inclusive."""
PRODIGY = {
    "text": TEXT,
    "tokens": [{"start": a, "end": b, "id": k} for k, (a, b) in enumerate(WORDS)],
    "spans": [{"token_start": a, "token_end": b, "label": label} for a, b, label in TOKEN_SPANS],
    "answer": "accept",
}  # fmt: skip


def _text(content: Callable[[], str]) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(content().encode())


def _json(value: Any) -> Callable[[Path], None]:
    return _text(lambda: json.dumps(value, ensure_ascii=False))


def _xmi(path: Path) -> None:
    path.write_text(xmi(), encoding="utf8")
    path.with_name("TypeSystem.xml").write_text(TYPES, encoding="utf8")


def _brat(path: Path) -> None:
    path.mkdir()
    (path / "a.txt").write_text(TEXT, encoding="utf8")
    rows = [f"T{k}\t{label} {a} {b}\t{TEXT[a:b]}" for k, (a, b, label) in enumerate(SPANS)]
    rows += ["N1\tReference T2 Wikidata:Q60\tNew York City", "A1\tsure T1", "#1\tNote T1\tx", "*\tEquiv T0 T1"]
    (path / "a.ann").write_text("\n".join(rows), encoding="utf8")


ROW = {"text": TEXT, "spans": [{"start": a, "end": b, "label": label} for a, b, label in SPANS]}


def write_table(path: Path, *rows: dict[str, Any], stream: bool = False, **how: Any) -> Path:
    """Write rows as other programs do; those of `HF` with the names of their tags."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    table = pa.Table.from_pylist([*rows])
    if "ner_tags" in table.column_names:
        features = {each["name"]: each["type"] for each in FEATURES}
        table = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    if path.suffix == ".parquet":
        parquet.write_table(table, path, **{"write_page_checksum": True, **how})
        return path
    with path.open("wb") as file, (pa.ipc.new_stream if stream else pa.ipc.new_file)(file, table.schema) as writer:
        writer.write_table(table)
    return path


SAMPLES: dict[str, tuple[str, str, Callable[[Path], None]]] = {
    "Label Studio": ("label_studio", "a.json", _json([task(said(7, *REGIONS))])),
    "JSON-MIN": ("label_studio", "a.json", _json([minimal()])),
    "HF": ("hf", "a.json", _json([HF | {"ner_tags": TAGS}])),
    "HF lines": ("hf", "a.jsonl", _json(HF | {"ner_tags": TAGS})),
    "HF rows": ("hf", "a.json", _json({"features": FEATURES, "rows": [{"row_idx": 0, "row": HF}]})),
    "WebAnno": ("webanno", "a.tsv", _text(webanno)),
    "XMI": ("xmi", "a.xmi", _xmi),
    "XMI zip": ("xmi", "a.zip", write_zip),
    "GLiNER": ("gliner", "a.json", _json([{"tokenized_text": FORMS, "ner": TOKEN_SPANS}])),
    "CoNLL-U": ("conllu", "a.conllu", _text(conllu)),
    "CoNLL-U Plus": ("conllu", "a.conllup", _text(conllup)),
    "BioC": ("bioc", "a.xml", _text(bioc_xml)),
    "BioC JSON": ("bioc", "a.json", _json(BIOC)),
    "PubTator": ("pubtator", "a.txt", _text(pubtator)),
    "SGML": ("sgml", "a.txt", _text(sgml)),
    "OntoNotes": ("sgml", "a.name", _text(sgml)),
    "spaCy 2": ("spacy2", "a.json", _json(SPACY2)),
    "spaCy 2 pairs": ("spacy2", "a.json", _json([[TEXT, {"entities": SPANS}]])),
    "Prodigy": ("jsonl", "a.jsonl", _json(PRODIGY)),
    "brat": ("brat", "a", _brat),
    "Parquet": ("parquet", "a.parquet", lambda path: write_table(path, ROW)),
    "Parquet tags": ("parquet", "a.parquet", lambda path: write_table(path, HF)),
    "Arrow": ("parquet", "a.arrow", lambda path: write_table(path, ROW)),
    "Arrow stream": ("parquet", "a.arrow", lambda path: write_table(path, HF, stream=True)),
}  # fmt: skip
"""The name of a shape to the format that reads it, the name of its file, and what writes it."""


def write_sample(name: str, folder: Path) -> Path:
    path = folder / SAMPLES[name][1]
    SAMPLES[name][2](path)
    return path
