"""Units: which documents are resampled together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import line, write
from docs import with_data

from spacy_nereval import Counts, count, create
from spacy_nereval.counting.batch import content_key
from spacy_nereval.io.formats.settings import Format
from spacy_nereval.io.read import read_files
from spacy_nereval.io.units import AUTOMATIC, parse, units_of


def counted(gold: Path, unit: str | None = None, pred: Path | None = None, **how: Any) -> Counts:
    return count(read_files(gold, pred or gold, unit=unit, **how), [create("strict")])


def units(gold: Path, unit: str | None = None, **how: Any) -> list[str]:
    return counted(gold, unit, **how).units


def refused(gold: Path, unit: str, **how: Any) -> str:
    """The one line that says why a file has no such units."""
    with pytest.raises(ValueError, match=r"^.+$") as caught:
        units(gold, unit, **how)
    return str(caught.value)


def named(*ids: str) -> list[dict[str, Any]]:
    return [line(f"Ada in {k}", (0, 3, "PER"), id=id) for k, id in enumerate(ids)]


# rules


@pytest.mark.parametrize("text", ["id", "document", "meta.source", "meta.a.b", r"prefix:(\w+)-", "block:1", "block:20"])
def test_a_rule_is_stored_as_it_was_given(text):
    assert parse(text).text == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("article", "there is no such unit; expected id, meta.FIELD, prefix:REGEX, document or block:N"),
        ("", "there is no such unit"),
        ("meta", "there is no such unit"),
        ("meta.", "there is no such unit"),
        ("meta:source", "there is no such unit"),
        ("block.3", "there is no such unit"),
        ("block:auto", "expected a whole number of documents from 1 up, as in block:20"),
        ("block:0", "expected a whole number of documents from 1 up"),
        ("block:-1", "expected a whole number of documents from 1 up"),
        ("block:²", "expected a whole number of documents from 1 up"),
        ("prefix:", "the regular expression has no group"),
        (r"prefix:\w+", "the regular expression has no group; put the name of the unit in parentheses"),
        ("prefix:(", "not a valid regular expression"),
    ],
)
def test_what_is_no_rule_is_said_on_one_line(text, said, tmp_path):
    for what in (lambda: parse(text), lambda: units(write(tmp_path / "a.jsonl", *named("a")), text)):
        with pytest.raises(ValueError, match=r"^unit=.*$") as caught:
            what()
        assert str(caught.value).startswith(f"unit={text!r}: ")
        assert said in str(caught.value)


# id


def test_by_default_documents_with_one_id_are_one_unit(tmp_path):
    gold = write(tmp_path / "a.jsonl", *named("a", "b", "a"))
    assert units(gold) == units(gold, "id") == ["a", "b", "a"]
    assert counted(gold).unit == "id"


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


def test_every_document_is_a_unit_even_where_ids_repeat(tmp_path):
    keys = units(write(tmp_path / "a.jsonl", *named("a", "b", "a", "a")), "document")
    assert [key[0] for key in keys] == ["a", "b", "a", "a"]
    assert len({*keys}) == 4


def test_no_order_of_documents_with_one_id_changes_a_unit_and_no_file_unites_them(tmp_path):
    rows = named("a", "a", "a")
    keys = units(write(tmp_path / "a.jsonl", *rows), "document")
    assert len({*keys}) == 3
    assert units(write(tmp_path / "b.jsonl", *rows[::-1]), "document") == keys[::-1]
    assert units(write(tmp_path / "c.jsonl", rows[1]), "document") == [keys[1]]


def test_every_document_is_a_unit_even_where_texts_repeat(tmp_path):
    keys = units(write(tmp_path / "a.jsonl", line("Ada"), line("Bob"), line("Ada")), "document")
    assert keys[:2] == [content_key("Ada", []), content_key("Bob", [])]
    assert len({*keys}) == 3


# meta


@pytest.mark.parametrize(("value", "key"), [("news", "news"), (7, "7"), (1.5, "1.5"), (0, "0")])
def test_a_field_of_the_metadata_is_the_unit(value, key, tmp_path):
    rows = [line("Ada", meta={"source": value, "n": k}) for k in range(2)]
    assert units(write(tmp_path / "a.jsonl", *rows), "meta.source") == [key, key]
    assert units(tmp_path / "a.jsonl", "meta.n") == ["0", "1"]


@pytest.mark.parametrize("meta", [{}, {"sauce": "news"}, {"source": None}, {"source": ""}, None, "news", ["source"]])
def test_a_document_without_the_field_is_named(meta, tmp_path):
    rows = [line("Ada", id="a", meta={"source": "news"}), line("Bob", id="b", meta=meta)]
    said = refused(write(tmp_path / "a.jsonl", *rows), "meta.source")
    assert "document 1 (b): unit='meta.source': the document has no 'source' in its metadata" in said
    assert units(tmp_path / "a.jsonl") == ["a", "b"], "what is in meta matters to this rule only"


def test_a_field_that_is_neither_text_nor_number_is_refused(tmp_path):
    said = refused(write(tmp_path / "a.jsonl", line("Ada", meta={"source": ["a", "b"]})), "meta.source")
    assert "unit='meta.source': 'source' is list; expected text or a number" in said


def test_a_text_that_is_not_annotated_needs_no_unit(tmp_path):
    rows = [line("Ada", meta={"source": "a"}), line("Bob", answer="reject")]
    assert units(write(tmp_path / "a.jsonl", *rows), "meta.source") == ["a"]


def stored(path: Path, *tables: dict[str, Any]) -> Path:
    spacy.tokens.DocBin(docs=with_data(*tables), store_user_data=True).to_disk(path)
    return path


def test_the_metadata_of_docs_are_in_user_data(tmp_path):
    gold = stored(
        tmp_path / "a.spacy", {"meta": {"source": "x"}}, {"source": "y"}, {"meta": {"source": "z"}, "source": 0}
    )
    assert units(gold, "meta.source") == ["x", "y", "z"]


def test_docs_stored_without_user_data_are_told_why(tmp_path):
    spacy.tokens.DocBin(docs=with_data({"source": "x"})).to_disk(tmp_path / "a.spacy")
    assert "DocBin stores with store_user_data=True only" in refused(tmp_path / "a.spacy", "meta.source")


# prefix


def test_the_first_group_of_the_id_is_the_unit(tmp_path):
    gold = write(tmp_path / "a.jsonl", *named("a1-0", "a1-1", "b2-0"))
    assert units(gold, r"prefix:(\w+)-\d") == ["a1", "a1", "b2"]
    assert units(gold, r"prefix:(?:a|b)(\d)-(\d)") == ["1", "1", "2"]


@pytest.mark.parametrize("expression", [r"(\d+)-", r"b|a(x)?", r"(z*)", r"x(a)"])
def test_an_id_that_does_not_match_is_named(expression, tmp_path):
    said = refused(write(tmp_path / "a.jsonl", *named("a-1")), f"prefix:{expression}")
    assert "document 0 (a-1): unit='prefix:" in said
    assert said.endswith("the first group matches nothing in the id 'a-1'")


def test_documents_without_ids_have_no_prefix(tmp_path):
    said = refused(write(tmp_path / "a.jsonl", line("Ada")), "prefix:(a)")
    assert said.endswith("document 0: unit='prefix:(a)': the document has no id")


# block


def test_consecutive_documents_are_a_block(tmp_path):
    keys = units(write(tmp_path / "a.jsonl", *named(*"abcdefgh")), "block:3")
    assert [[*keys].count(key) for key in dict.fromkeys(keys)] == [3, 3, 2]
    assert keys == sorted(keys), "each stretch is one unit"
    assert [key.rsplit(":", 1)[0] for key in keys[::3]] == ["a.jsonl:0", "a.jsonl:1", "a.jsonl:2"]


def test_texts_that_are_not_annotated_count_in_blocks(tmp_path):
    rows = [line("Ada"), line("Bob", answer="reject"), line("Eve"), line("Zoe")]
    a, b, c = units(write(tmp_path / "a.jsonl", *rows), "block:2")
    assert a != b == c


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


@pytest.mark.parametrize("marks", [(0, 30), (30,)])
def test_documents_between_docstart_are_units(marks, tmp_path):
    found = counted(conll(tmp_path / "a.conll", 60, *marks))
    assert (found.unit, found.documents, len({*found.units})) == ("id", 2, 2)


def test_a_rule_that_is_given_holds_for_sentences_too(tmp_path):
    found = counted(conll(tmp_path / "a.conll", 60), "id")
    assert (found.unit, len({*found.units})) == ("id", 60)


def test_the_name_of_a_file_does_not_say_whether_it_is_conll(tmp_path):
    gold = conll(tmp_path / "a.txt", 40)
    assert counted(gold, formats=(Format("conll"), Format("conll"))).unit == AUTOMATIC
    assert units_of(gold, Format("conll")).rule.size == 2


def test_white_space_between_sentences_does_not_count(tmp_path):
    (tmp_path / "a.conll").write_text("\n" + "Ada B-PER\n \n\t\n\n" * 40)
    found = counted(tmp_path / "a.conll")
    assert (found.documents, [*map(found.units.count, dict.fromkeys(found.units))]) == (40, [2] * 20)
