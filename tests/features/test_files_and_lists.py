"""A file and the list in it give the same result: in every format, and every form that Python takes."""

import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from commands import printed, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from samples import NAMES, TYPES

from spacy_nereval import load, score

PARTS = (
    "Ada",
    "met",
    "e\u0301",
    "😀",
    "👩\u200d💻",
    "#",
    "%",
    "O",
    "B-X",
    "-",
    "a\u00adb",
    "1",
    "مى\u200cرم",
    "<b>",
    "&amp;",
    '"',
    "=1",
)
BLANKS = (" ", "  ", " \u00a0", "\n", "\t")
LABELS = ("PER", "a-b", "E-MAIL", "é", "O_x", "1", "B-PER", "x=y")


@st.composite
def documents(draw, *, flat):
    """Texts of words with white space between them; spans of words, of which some are nested unless they are flat."""
    words = draw(st.lists(st.sampled_from(PARTS), max_size=6))
    text, places = draw(st.sampled_from(["", ""] if flat else ["", " "])), []
    for word in words:
        text += draw(st.sampled_from(BLANKS[:1] if flat else BLANKS)) * bool(places)
        places.append((len(text), len(text) + len(word)))
        text += word
    spans, first = set(), 0
    for _ in range(draw(st.integers(0, 3)) if places else 0):
        low = draw(st.integers(first, len(places))) if flat else draw(st.integers(0, len(places) - 1))
        if low == len(places):
            break
        high = draw(st.integers(low, len(places) - 1))
        spans.add((places[low][0], places[high][1], draw(st.sampled_from(LABELS))))
        first = high + 1
    return {"text": text, "spans": [{"start": a, "end": b, "label": c} for a, b, c in sorted(spans)]}


def corpora(*, flat):
    return st.lists(documents(flat=flat), min_size=1, max_size=3)


FORMATS = {"jsonl": False, "jsonl.gz": False, "parquet": False, "brat": False, "spacy": True, "conll": True}
"""Each format that is written, and whether its spans cannot overlap and its words have one space between them."""


def shown(sides):
    """The spans of each document that has a text, as parts of it; columns put a space between tokens."""
    return [
        sorted(("".join(side.text[a:b].split()), label) for a, b, label in side.spans)
        for side in sides
        if side.text.strip()
    ]


def counts(*sides, **options):
    return score(*sides, ["strict"], **options).strict.counts


@pytest.mark.filterwarnings("ignore")  # of labels that are alike, which is not what is asked here
@pytest.mark.parametrize("ending", FORMATS)
@tries(15)
@given(st.data())
def test_a_file_and_the_list_in_it_give_the_same_result(ending, data):
    gold, pred = (data.draw(corpora(flat=FORMATS[ending])) for _ in range(2))
    if not any(row["text"].strip() for row in gold):
        return
    pred = [row | {"spans": pred[k % len(pred)]["spans"] if k < len(pred) else []} for k, row in enumerate(gold)]
    for row in pred:
        row["spans"] = [span for span in row["spans"] if span["end"] <= len(row["text"])]
    if FORMATS[ending]:  # those of another text may begin within words
        pred = [gold[k] | {"spans": gold[k]["spans"][: data.draw(st.integers(0, 3))]} for k in range(len(gold))]
    with TemporaryDirectory() as folder:
        paths = []
        for name, rows in (("g", gold), ("p", pred)):
            source = write(Path(folder, f"{name}0.jsonl"), *rows)
            path = Path(folder, name) if ending == "brat" else Path(folder, f"{name}.{ending}")
            printed("convert", source, path)
            paths.append(path)
            assert shown(load(path)) == shown(load(source))
        expected = counts(gold, pred)
        assert counts(*map(str, paths)) == expected
        assert counts(*map(load, paths)) == expected
        assert counts(gold, str(paths[1])) == expected == counts(str(paths[0]), pred)
        texts = [row["text"] for row in gold]
        lists = [[row["spans"] for row in rows] for rows in (gold, pred)]
        assert counts(*lists, text=texts) == expected == counts(*lists)
        triples = [[[tuple(span.values()) for span in spans] for spans in side] for side in lists]
        assert counts(*triples, text=texts) == expected == counts(gold, triples[1])


# Formats that are read only: the smallest writer of each, which knows nothing of the package


def units(text, at):
    """An offset in UTF-16 code units."""
    return len(text[:at].encode("utf-16-le")) // 2


def triples(row):
    return [tuple(span.values()) for span in row["spans"]]


def words_of(row):
    """The words of a flat row with their tags."""
    words, at = [], 0
    for word in row["text"].split(" ") if row["text"] else []:
        inside = [(start, label) for start, end, label in triples(row) if start <= at < end]
        words.append((word, "".join(f"{'B' if start == at else 'I'}-{label}" for start, label in inside) or "O"))
        at += len(word) + 1
    return words


def one_file(content: Callable):
    return lambda path, rows: path.write_bytes(content(rows).encode())


def as_json(value: Callable):
    return one_file(lambda rows: json.dumps(value(rows), ensure_ascii=False))


def pubtator(rows):
    blocks = []
    for k, row in enumerate(rows):
        marks = [f"{k}\t{a}\t{b}\t{row['text'][a:b]}\t{label}\n" for a, b, label in triples(row)]
        blocks.append(f"{k}|t|{row['text']}\n{''.join(marks)}")
    return "\n".join(blocks)


def bioc(rows):
    return {
        "documents": [
            {"id": str(k), "infons": {}, "annotations": [], "relations": [], "passages": [
                {"offset": 0, "infons": {}, "text": row["text"], "sentences": [], "relations": [], "annotations": [
                    {"id": str(n), "infons": {"type": label}, "text": row["text"][a:b],
                     "locations": [{"offset": a, "length": b - a}]} for n, (a, b, label) in enumerate(triples(row))]}]}
            for k, row in enumerate(rows)
        ]
    }  # fmt: skip


def label_studio(rows):
    def region(row, a, b, label):
        value = {"start": a, "end": b, "text": row["text"][a:b], "labels": [label]}
        return {"from_name": "l", "to_name": "text", "type": "labels", "value": value}

    return [
        {"id": k, "data": {"text": row["text"]}, "annotations": [{"result": [region(row, *s) for s in triples(row)]}]}
        for k, row in enumerate(rows)
    ]


def rasa(rows):
    return {
        "rasa_nlu_data": {
            "common_examples": [
                {"text": row["text"], "intent": "x", "entities": [
                    {"start": a, "end": b, "value": row["text"][a:b], "entity": label} for a, b, label in triples(row)]}
                for row in rows
            ]
        }
    }  # fmt: skip


def gliner(rows):
    listed = []
    for row in rows:
        starts = [len(" ".join(row["text"].split(" ")[:k])) + (k > 0) for k in range(len(words_of(row)))]
        spans = [[starts.index(a), sum(s < b for s in starts) - 1, label] for a, b, label in triples(row)]
        listed.append({"tokenized_text": [word for word, _ in words_of(row)], "ner": spans})
    return listed


def hipe(rows):
    lines = ["TOKEN\tNE-COARSE-LIT\tMISC"]
    for k, row in enumerate(rows):
        lines += [f"# document_id = {k}", *(f"{word}\t{tag}\t_" for word, tag in words_of(row)), ""]
    return "\n".join(lines)


def inline(rows):
    texts = []
    for k, row in enumerate(rows):
        text, at = "", 0
        for a, b, label in triples(row):
            text += f'{escape(row["text"][at:a])}<ENAMEX TYPE="{escape(label)}">{escape(row["text"][a:b])}</ENAMEX>'
            at = b
        texts.append(f'<DOC DOCNO="{k}">{text}{escape(row["text"][at:])}</DOC>')
    return "\n".join(texts)


def conllu(rows):
    lines = []
    for row in rows:
        misc = [(word, f"name={tag}") for word, tag in words_of(row)]
        lines += [*(f"{k}\t{word}{chr(9)}{chr(9).join('_' * 7)}\t{m}" for k, (word, m) in enumerate(misc, 1)), ""]
    return "\n".join([*lines, ""])


def webanno(path, rows):
    path.mkdir()
    for k, row in enumerate(rows):
        lines, at, number = [], 0, 0
        for word, tag in words_of(row):
            number += tag.startswith("B-")
            cell = "_" if tag == "O" else f"{tag[2:].replace('_', chr(92) + '_')}[{number}]"
            place = f"{units(row['text'], at)}-{units(row['text'], at + len(word))}"
            lines.append(f"1-{len(lines) + 1}\t{place}\t{word}\t{cell}\t")
            at += len(word) + 1
        head = ["#FORMAT=WebAnno TSV 3.3", f"#T_SP={NAMES}.NamedEntity|value", "", "", f"#Text={row['text']}"]
        (path / f"{k}.tsv").write_bytes("\n".join([*head, *lines, ""]).encode())


def xmi(path, rows):
    path.mkdir()
    (path / "TypeSystem.xml").write_text(TYPES)
    schemes = 'xmlns:cas="http:///uima/cas.ecore" xmlns:xmi="http://www.omg.org/XMI" xmi:version="2.0"'
    for k, row in enumerate(rows):
        text = row["text"]
        marks = "".join(
            f'<type:NamedEntity xmi:id="{n}" sofa="1" begin="{units(text, a)}" end="{units(text, b)}" value="{label}"/>'
            for n, (a, b, label) in enumerate(triples(row), 10)
        )
        members = " ".join(str(n) for n, _ in enumerate(row["spans"], 10))
        whole = escape(text).replace("\n", "&#10;").replace("\t", "&#9;")
        (path / f"{k}.xmi").write_text(
            f'<xmi:XMI {schemes} xmlns:type="http:///{NAMES.replace(".", "/")}.ecore"><cas:NULL xmi:id="0"/>{marks}'
            f'<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="{whole}"/>'
            f'<cas:View sofa="1" members="{members}"/></xmi:XMI>',
            encoding="utf8",
        )


def span_lists(rows):
    return {"version": 1, "examples": [{"full_text": row["text"], "entities": triples(row)} for row in rows]}


READ_ONLY: dict[str, tuple[str, bool, Callable]] = {
    "PubTator": ("a.pubtator", False, one_file(pubtator)),
    "BioC": ("a.json", False, as_json(bioc)),
    "Label Studio": ("a.json", False, as_json(label_studio)),
    "Rasa": ("a.json", False, as_json(rasa)),
    "spaCy 2": ("a.json", False, as_json(lambda rows: [[r["text"], {"entities": triples(r)}] for r in rows])),
    "a wrapper": ("a.json", False, as_json(span_lists)),
    "XMI": ("a", False, xmi),
    "GLiNER": ("a.json", True, as_json(gliner)),
    "Hugging Face": ("a.json", True, as_json(lambda rows: [
        {"tokens": [word for word, _ in words_of(r)], "ner_tags": [tag for _, tag in words_of(r)]} for r in rows])),
    "HIPE": ("a.tsv", True, one_file(hipe)),
    "inline SGML": ("a.sgml", True, one_file(inline)),
    "CoNLL-U": ("a.conllu", True, one_file(conllu)),
    "WebAnno": ("a", True, webanno),
}  # fmt: skip
"""The name of a file, or of a folder, in a format, whether its spans cannot overlap, and what writes it."""

EXTRAS = {"BioC": "bioc", "XMI": "cassis", "CoNLL-U": "conllu"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READ_ONLY)
@tries(25)
@given(st.data())
def test_a_file_of_another_tool_and_the_list_in_it_give_the_same_result(name, data):
    if name in EXTRAS:
        pytest.importorskip(EXTRAS[name])
    ending, flat, save = READ_ONLY[name]
    gold = data.draw(corpora(flat=flat))
    if name == "PubTator":  # a text is a line
        gold = [row | {"text": "".join(" " if c in "\n\t" else c for c in row["text"])} for row in gold]
    if name == "Rasa":  # which has no tags, so that a label like one is refused
        gold = [row | {"spans": [s | {"label": s["label"].replace("B-", "")} for s in row["spans"]]} for row in gold]
    if flat:  # a format of tokens may have no place for a text without any
        gold = [row for row in gold if row["text"]]
    if not any(row["text"].strip() for row in gold):
        return
    pred = [row | {"spans": row["spans"][: data.draw(st.integers(0, 3))]} for row in gold]
    with TemporaryDirectory() as folder:
        paths = [Path(folder, side, ending) for side in "gp"]
        for path, rows in zip(paths, (gold, pred)):
            path.parent.mkdir()
            save(path, rows)
        source = write(Path(folder, "g.jsonl"), *gold)
        assert shown(load(paths[0])) == shown(load(source))
        expected = counts(gold, pred)
        assert counts(*map(str, paths)) == expected == counts(*map(load, paths))
        assert counts(gold, str(paths[1])) == expected == counts(str(paths[0]), pred)
