"""Units: which documents are resampled together."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from asking import refusal
from commands import line, write
from docs import with_data, write_docs
from spacy.training import Example
from thinc.api import ConfigValidationError

from spacy_nereval import Counts, count, create, create_all
from spacy_nereval.counting.unit_keys import content_key
from spacy_nereval.integration.examples import count_examples
from spacy_nereval.integration.pipelines import predict
from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer
from spacy_nereval.io.formats.settings import Format
from spacy_nereval.io.read import read_files
from spacy_nereval.io.units import AUTOMATIC, parse_unit


def counted(gold: Path, unit: str | None = None, pred: Path | None = None, **how: Any) -> Counts:
    return count(read_files(gold, pred or gold, unit=unit, **how), [create("strict")])


def units(gold: Path, unit: str | None = None, **how: Any) -> list[str]:
    return counted(gold, unit, **how).units


def refused(gold: Path, unit: str, **how: Any) -> str:
    """The one line that says why a file has no such units."""
    return refusal(units, gold, unit, **how)


def named(*ids: str) -> list[dict[str, Any]]:
    return [line(f"Ada in {k}", (0, 3, "PER"), id=id) for k, id in enumerate(ids)]


# rules


NONE = "there is no such unit"
WHOLE = "expected a whole number of documents from 1 up"
NO_GROUP = "the regular expression has no group"


NO_RULES = [
    ("article", f"{NONE}; expected id, meta.FIELD, prefix:REGEX, document or block:N"),
    *((text, NONE) for text in ("", "meta", "meta.", "meta:source", "block.3")),
    *((f"block:{size}", WHOLE) for size in ("0", "-1", "²")),
    ("block:auto", f"{WHOLE}, as in block:20"),
    ("prefix:", NO_GROUP),
    (r"prefix:\w+", f"{NO_GROUP}; put the name of the unit in parentheses"),
    ("prefix:(", "not a valid regular expression"),
]


@pytest.mark.parametrize(("text", "said"), NO_RULES)
def test_what_is_no_rule_is_said_on_one_line(text, said, tmp_path):
    told = refusal(parse_unit, text)
    assert told.startswith(f"unit={text!r}: {said}")
    assert refused(write(tmp_path / "a.jsonl", *named("a")), text) == told


NEWS = line("Ada", (0, 3, "PER"), meta={"source": "news", "n": 1.5})


KEYS = [
    (named("a", "b", "a"), None, "a b a"),
    (named("a", "b", "a"), "id", "a b a"),
    ([NEWS, line("Bob", meta={"source": "news"})], "meta.source", "news news"),
    ([NEWS, line("Bob", meta={"n": 0}), line("Eve", meta={"n": 7})], "meta.n", "1.5 0 7"),
    ([NEWS, line("Bob", answer="reject")], "meta.source", "news"),  # what is not annotated needs no unit
    (named("a1-0", "a1-1", "b2-0"), r"prefix:(\w+)-\d", "a1 a1 b2"),
    (named("a1-0", "a1-1", "b2-0"), r"prefix:(?:a|b)(\d)-(\d)", "1 1 2"),
]


@pytest.mark.parametrize(("rows", "unit", "keys"), KEYS)
def test_the_keys_of_units(rows, unit, keys, tmp_path):
    found = counted(write(tmp_path / "a.jsonl", *rows), unit)
    assert (found.units, found.unit) == (keys.split(), unit or "id")


WITHOUT_UNIT = [
    (line("Ada", meta={"source": ["a"]}), "meta.source", "'source' is list; expected text or a number"),
    (line("Ada"), "prefix:(a)", "document 0: unit='prefix:(a)': the document has no id"),
    *(
        (line("Ada", id="a-1"), f"prefix:{regex}", "the first group matches nothing in the id 'a-1'")
        for regex in (r"(\d+)-", r"b|a(x)?", r"(z*)", r"x(a)")
    ),
]


@pytest.mark.parametrize(("row", "unit", "said"), WITHOUT_UNIT)
def test_a_document_to_which_a_rule_gives_no_unit_is_named(row, unit, said, tmp_path):
    told = refused(write(tmp_path / "a.jsonl", row), unit)
    assert f"document 0{' (a-1)' if 'id' in row else ''}: unit=" in told
    assert told.endswith(said)


# id


def test_without_ids_text_and_gold_spans_are_the_unit(tmp_path):
    rows = [line("Ada", (0, 3, "PER")), line("Ada", (0, 3, "LOC")), line("Bob"), line("Ada", (0, 3, "PER"))]
    keys = units(write(tmp_path / "a.jsonl", *rows))
    assert keys[0] == keys[3] == content_key("Ada", [(0, 3, "PER")])
    assert len({*keys}) == 3


def test_predictions_do_not_change_the_unit_of_a_text_with_an_open_end(tmp_path):
    """FairEval's files have no words: the longer side says how long the text is."""
    (tmp_path / "gold.csv").write_text("PER\t1\t1\t1\n")
    (tmp_path / "pred.csv").write_text("PER\t1\t1\t1\nLOC\t3\t4\t3, 4\n")
    same = [counted(tmp_path / "gold.csv", pred=tmp_path / name).units for name in ("gold.csv", "pred.csv")]
    assert same[0] == same[1]


# document


def test_every_document_is_a_unit_even_where_ids_or_texts_repeat(tmp_path):
    rows = *named("a", "b", "a", "a"), line("Ada"), line("Bob"), line("Ada")
    keys = units(write(tmp_path / "a.jsonl", *rows), "document")
    assert [key[0] for key in keys[:4]] == ["a", "b", "a", "a"]
    assert keys[4:6] == [content_key("Ada", []), content_key("Bob", [])]
    assert len({*keys}) == 7


def test_no_order_of_documents_with_one_id_changes_a_unit_and_no_file_unites_them(tmp_path):
    rows = named("a", "a", "a")
    keys = units(write(tmp_path / "a.jsonl", *rows), "document")
    assert len({*keys}) == 3
    assert units(write(tmp_path / "b.jsonl", *rows[::-1]), "document") == keys[::-1]
    assert units(write(tmp_path / "c.jsonl", rows[1]), "document") == [keys[1]]


# meta and prefix


@pytest.mark.parametrize("meta", [{}, {"sauce": "news"}, {"source": None}, {"source": ""}, None, "news", ["source"]])
def test_a_document_without_the_field_is_named(meta, tmp_path):
    gold = write(tmp_path / "a.jsonl", NEWS, line("Bob", id="b", meta=meta))
    said = refused(gold, "meta.source")
    assert "document 1 (b): unit='meta.source': the document has no 'source' in its metadata" in said
    assert "DocBin stores with store_user_data=True only" in said
    assert len(units(gold)) == 2, "what is in meta matters to this rule only"


def test_the_metadata_of_docs_are_in_user_data(tmp_path):
    tables = {"meta": {"source": "x"}}, {"source": "y"}, {"meta": {"source": "z"}, "source": 0}
    gold = write_docs(tmp_path / "a.spacy", with_data(*tables, {"meta": {"author": "ann"}, "source": "v"}))
    assert units(gold, "meta.source") == ["x", "y", "z", "v"]


# block


def test_consecutive_documents_are_a_block(tmp_path):
    """Those that are not annotated count, too."""
    rows = *named(*"abcde"), line("rejected", answer="reject"), *named(*"fg")
    keys = units(write(tmp_path / "a.jsonl", *rows), "block:3")
    assert [keys.count(key) for key in dict.fromkeys(keys)] == [3, 2, 2]
    assert keys == sorted(keys), "each stretch is one unit"
    assert [key.rsplit(":", 1)[0] for key in dict.fromkeys(keys)] == ["a.jsonl:0", "a.jsonl:1", "a.jsonl:2"]


@pytest.mark.parametrize("ids", ["ab", "a"])
def test_a_block_larger_than_the_file_is_refused(ids, tmp_path):
    gold = write(tmp_path / "a.jsonl", *named(*ids))
    many = "s" * (len(ids) != 1)
    said = f"unit='block:3': {gold} has {len(ids)} document{many}; expected blocks no larger than the file"
    assert refused(gold, "block:3") == said
    assert len({*units(gold, f"block:{len(ids)}")}) == 1, "a block as large as the file is one unit"


def test_files_of_one_name_have_blocks_of_their_own(tmp_path):
    for folder in "ab":
        (tmp_path / folder).mkdir()
        write(tmp_path / folder / "x.jsonl", *named(f"{folder}1", f"{folder}2"))
    assert not {*units(tmp_path / "a" / "x.jsonl", "block:2")} & {*units(tmp_path / "b" / "x.jsonl", "block:2")}


def test_predictions_in_another_order_change_no_block(tmp_path):
    gold = write(tmp_path / "gold.jsonl", *named(*"abcd"))
    pred = write(tmp_path / "pred.jsonl", *named(*"abcd")[::-1])
    assert units(gold, "block:2", pred=pred) == units(gold, "block:2")


# CoNLL


def conll(path: Path, sentences: int, *marks: int) -> Path:
    mark = "-DOCSTART- O\n\n"
    blocks = (f"{mark * (k in marks)}Ada B-PER\nat O\nno{k} O\n" for k in range(sentences))
    path.write_text("\n".join(blocks))
    return path


@pytest.mark.parametrize(("sentences", "size"), [(1, 1), (19, 1), (39, 1), (40, 2), (100, 5), (399, 19), (500, 20)])
def test_sentences_without_docstart_are_resampled_in_blocks(sentences, size, tmp_path):
    found = counted(conll(tmp_path / "a.conll", sentences))
    assert found.unit == AUTOMATIC
    assert [found.units.count(key) for key in dict.fromkeys(found.units)][0] == size
    assert len({*found.units}) == -(-sentences // size)
    assert found.units == units(tmp_path / "a.conll", f"block:{size}")
    of_ids = counted(tmp_path / "a.conll", "id")
    assert (of_ids.unit, len({*of_ids.units})) == ("id", sentences)


@pytest.mark.parametrize("marks", [(0, 30), (30,)])
def test_documents_between_docstart_are_units(marks, tmp_path):
    found = counted(conll(tmp_path / "a.conll", 60, *marks))
    assert (found.unit, found.documents, len({*found.units})) == ("id", 2, 2)


@pytest.mark.parametrize("marked", [(), (0,), (1,), (0, 1)])
def test_a_folder_is_resampled_in_blocks_only_if_no_file_has_docstart(marked, tmp_path):
    sizes = 40, 44
    for number, size in enumerate(sizes):
        conll(tmp_path / f"{number}.conll", size, *((0, size // 2) if number in marked else ()))
    found = counted(tmp_path, formats=(Format("conll"), Format("conll")))
    documents = sum(2 if number in marked else size for number, size in enumerate(sizes))
    assert (found.unit, found.documents) == ("id" if marked else AUTOMATIC, documents)
    assert len({*found.units}) in (range(20, 23) if not marked else range(documents - 40, documents + 1))


def test_neither_the_name_of_a_file_nor_white_space_decides_on_its_blocks(tmp_path):
    (tmp_path / "a.txt").write_text("\n" + "Ada B-PER\n \n\t\n\n" * 40)
    found = counted(tmp_path / "a.txt", formats=(Format("conll"), Format("conll")))
    assert (found.unit, found.documents) == (AUTOMATIC, 40)
    assert [*map(found.units.count, dict.fromkeys(found.units))] == [2] * 20


# Units of models, scorers and counts: whatever counts documents resamples the same units


# models


def test_gold_documents_of_a_model_have_the_same_units(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    docs = with_data(*({"id": f"{k // 2}-{k}", "meta": {"source": k % 2}} for k in range(4)))
    gold = write_docs(tmp_path / "a.spacy", docs)
    for unit, keys in (("meta.source", ["0", "1", "0", "1"]), (r"prefix:(\d)", ["0", "0", "1", "1"])):
        found = count(predict(nlp, gold, unit=unit), [create("strict")])
        assert (found.unit, found.units) == (unit, keys)
    assert f"unit='block:5': {gold} has 4 documents" in refusal(predict, nlp, gold, unit="block:5")
    found = count(predict(nlp, conll(tmp_path / "a.conll", 40)), [create("strict")])
    assert (found.unit, len({*found.units})) == (AUTOMATIC, 20)


# examples


def examples(*tables: dict[str, Any]) -> list[Example]:
    """Examples with these metadata, of which every third has another tokenisation, and is read as text."""
    found = with_data(*tables)
    predicted = [spacy.blank("en").make_doc(each.text) for each in found]
    for k, each in enumerate(predicted):
        each.set_ents([])
        if k % 3 == 2:
            with each.retokenize() as tokens:
                tokens.merge(each[:2])
    return [Example(a, b) for a, b in zip(predicted, found)]


@pytest.mark.costly
@pytest.mark.parametrize(
    ("unit", "number"),
    [(None, 7), ("id", 7), ("document", 7), ("meta.n", 3), (r"prefix:(\d)", 2), ("block:2", 4), ("block:9", 1)],
)
def test_scorers_and_the_component_resample_the_same_units(unit, number):
    given = examples(*({"id": f"{k // 4}-{k}", "meta": {"n": k // 3}} for k in range(7)))
    table = {"samples": 20, **({"unit": unit} if unit else {})}
    nlp = spacy.blank("en")
    component = nlp.add_pipe("nereval", config={"metrics": {"strict": {}}, "confidence": table})
    for example in given:
        example.reference.spans["sc"] = [*example.reference.ents]
    results = [
        make_ner_scorer({"strict": {}}, table)(given)["ents_nereval"],
        make_spans_scorer({"strict": {}}, "sc", table)(given)["spans_sc_nereval"],
        component.score(given)["ents_nereval"],
    ]
    for found in results:
        assert (found["confidence"]["unit"], found["confidence"]["units"]) == (unit or "id", number)


def test_examples_read_as_arrays_and_as_texts_have_the_same_keys():
    given = examples(*({"meta": {"n": k // 2}} for k in range(7)))
    found = count_examples(given, [create("strict")], unit=parse_unit("meta.n"))
    assert found.units == ["0", "0", "1", "1", "2", "2", "3"]
    blocks = count_examples(given, [create("strict")], unit=parse_unit("block:2")).units
    assert [blocks.index(key) for key in blocks] == [0, 0, 2, 2, 4, 4, 6]


def test_units_of_a_config_that_do_not_exist_are_shown_as_spacy_shows_mistakes():
    with pytest.raises(ConfigValidationError, match=r"unit='article': there is no such unit; expected id"):
        make_ner_scorer({"strict": {}}, {"unit": "article"})


# counts


def test_files_counted_together_by_different_rules_say_so(tmp_path):
    files = conll(tmp_path / "a.conll", 40), write(tmp_path / "b.jsonl", *named("b"))
    for order in (files, files[::-1]):
        found = count((document for file in order for document in read_files(file, file)), create_all(["strict"]))
        assert found.unit == "block:auto and id"
