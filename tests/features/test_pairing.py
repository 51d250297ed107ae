"""How documents are paired: by id, by text where no id is in both, or by order; and who annotated them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, flat, line, refused, run, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import error, only, read, saved
from samples import region, said, task

from spacy_nereval import agreement, compare, load, score
from spacy_nereval.io.read import Pairing
from spacy_nereval.io.records import Record

GOLD = [line("Ada met Bob", (0, 3, "PER"), id="a"), line("In Rome", (3, 7, "LOC"), id="b"), line("Nobody", id="c")]
TEXTS = [row["text"] for row in GOLD]


def renamed(rows: list[dict[str, Any]], *ids: Any) -> list[dict[str, Any]]:
    return [row | {"id": id} for row, id in zip(rows, ids)]


BY_TEXT = "have no id in common: they are paired by text"


def test_documents_without_a_common_id_are_paired_by_text_and_it_is_said(tmp_path):
    others = renamed(GOLD[::-1], 1, 2, 3)
    others[1]["text"] = "IN  Rome "
    others[1]["spans"] = [{"start": 4, "end": 8, "label": "LOC"}]
    gold, pred = write(tmp_path / "g.jsonl", *GOLD), write(tmp_path / "p.jsonl", *others)
    with pytest.warns(UserWarning, match=f"^{gold} and {pred} {BY_TEXT}$"):
        assert "strict F 100.00" in flat(accepted("score", gold, pred, "-m", "strict"))
    for sides in ((GOLD, others), (str(gold), str(pred)), (load(gold), load(pred))):
        with pytest.warns(UserWarning, match=BY_TEXT):
            assert score(*sides, ["strict"]).strict.f == 1
    with pytest.warns(UserWarning, match=BY_TEXT):
        exact = renamed(GOLD[::-1], 1, 2, 3)
        assert agreement({"a": GOLD, "b": exact})["metrics"]["strict"]["f"]["mean"] == 1


def test_texts_pair_only_if_each_is_there_once_on_both_sides(tmp_path):
    gold = write(tmp_path / "g.jsonl", *GOLD, GOLD[0] | {"id": "d"})
    pred = write(tmp_path / "p.jsonl", *renamed([*GOLD, GOLD[0]], *"1234"))
    assert "no id is in both: give each text the same id" in refused("score", gold, pred)
    fewer = write(tmp_path / "f.jsonl", *renamed(GOLD[:2], 1, 2))
    assert "no id is in both" in refused("score", write(tmp_path / "g.jsonl", *GOLD), fewer)
    others = [row | {"id": id, "text": f"{row['text']}!"} for row, id in zip(GOLD, "123")]
    assert "no id is in both" in refused("score", gold, write(tmp_path / "o.jsonl", *others))
    assert "no id is in both" in refused("score", write(tmp_path / "g.jsonl", *GOLD), tmp_path / "o.jsonl")
    mixed = write(tmp_path / "m.jsonl", *renamed(GOLD, "a", 2, 3))
    assert "lacks 2 documents: b, c" in refused("score", write(tmp_path / "g.jsonl", *GOLD), mixed)


def test_texts_without_ids_in_another_order_are_refused_with_the_remedy(tmp_path):
    gold = [line("Ada", (0, 3, "PER")), line("Bob")]
    said_of_order = "the same texts follow in another order: give every document an id"
    for pred in (gold[::-1], [row | {"id": row["text"]} for row in gold[::-1]]):
        paths = write(tmp_path / "g.jsonl", *gold), write(tmp_path / "p.jsonl", *pred)
        assert said_of_order in refused("score", *paths)
        with pytest.raises(ValueError, match=said_of_order):
            score(gold, pred, ["strict"])
    assert said_of_order not in refused("score", paths[0], write(tmp_path / "p.jsonl", gold[1], line("Eve")))


def test_a_document_without_annotation_needs_no_partner_in_whatever_order(tmp_path):
    none = line("Eve", id="x", answer="ignore")
    for rows in ([none, *GOLD], [GOLD[0], none, *GOLD[1:]], [*GOLD, none]):
        gold = write(tmp_path / "g.jsonl", *rows)
        pred = write(tmp_path / "p.jsonl", *GOLD[::-1])
        assert flat(accepted("score", gold, pred, "-m", "strict")).startswith("3 documents, 2 gold spans, 2 predicted")
        found = score(rows, GOLD[::-1], ["strict"])
        assert (found["documents"], found["skipped"]) == (3, 1)


@tries(60)
@given(st.permutations(range(5)), st.permutations(range(5)), st.sets(st.integers(0, 4)), st.booleans())
def test_pairs_are_the_same_in_every_order(one, other, unannotated, common):
    golds = [Record(f"text {k}", set(), id=str(k), annotated=k not in unannotated) for k in one]
    preds = [Record(f"TEXT  {k}", set(), id=str(k) if common else f"p{k}") for k in other]
    context = pytest.warns(UserWarning) if not common else pytest.MonkeyPatch.context()
    with context:
        pairs = [*Pairing("g", "p").pairs(iter(golds), iter(preds))]
    assert [gold.id for gold, _ in pairs] == [str(k) for k in one]
    assert all(gold.text == pred.text.lower().replace("  ", " ") for gold, pred in pairs)


ALIKE = [
    (["1.0", "2.0"], ["1", "2"], "'1.0' and '1' differ only in how a number is written, '2.0' and '2' differ only"),
    ([" a", "b"], ["a", "b"], "' a' and 'a' differ only in white space"),
    (["a\u200b", "b"], ["a", "b"], "'a\\u200b' and 'a' differ only in characters that are not seen"),
    (["Doc A", "b"], ["doc a", "b"], "'Doc A' and 'doc a' differ only in case"),
    (["\u00c9", "b"], ["E\u0301", "b"], "differ only in Unicode form (such as NFC and NFD)"),
]


@pytest.mark.parametrize(("one", "other", "named"), ALIKE)
def test_ids_that_differ_in_form_alone_are_named_with_the_difference(one, other, named, tmp_path):
    texts = [{"text": text, "spans": []} for text in ("Ada", "Bob")]
    gold = write(tmp_path / "g.jsonl", *renamed(texts, *one))
    pred = write(tmp_path / "p.jsonl", *renamed(texts, *other), {"text": "Eve", "spans": [], "id": "e"})
    assert f"ids: {named}" in (message := refused("score", gold, pred)) or named in message


def test_numbers_and_their_texts_are_the_same_ids(tmp_path):
    gold, pred = renamed(GOLD, 1, 2, 3), renamed(GOLD[::-1], "3", "2", "1")
    assert score(gold, pred, ["strict"]).strict.f == 1
    accepted("score", write(tmp_path / "g.jsonl", *gold), write(tmp_path / "p.jsonl", *pred))


def shared_tasks(folder: Path) -> Path:
    """Two texts of two annotators: 1 is right on the first, 2 on the second."""
    one, two = region(0, 3, "PER"), region(0, 3, "LOC")
    tasks = [
        task(said(1, one, ground_truth=True), said(2, two, ground_truth=False), id=1, text="Ada met Bob"),
        task(said(1, two), said(2, one, ground_truth=True), id=2, text="Bob met Ada"),
    ]
    return saved(folder / "a.json", tasks)


def test_the_ground_truth_of_label_studio_is_read_as_an_annotator(tmp_path):
    path = shared_tasks(tmp_path)
    assert [record.spans for record in read(path, annotator="ground_truth")] == [{(0, 3, "PER")}] * 2
    assert "choose an annotator with --annotator: 1, 2, ground_truth" in refused("score", path, path)
    for first, f in (("ground_truth", 1.0), ("1", 0.5), ("2", 0.5)):
        done = run("score", path, path, "--annotator", f"ground_truth,{first}", "-m", "strict")
        assert f"strict F {100 * f:.2f}" in flat(done.stdout)
        assert score(load(path, annotator="ground_truth"), load(path, annotator=first), ["strict"]).strict.f == f
    tasks = json.loads(path.read_text())
    for first, f in (("1", "50.00"), ("2", "50.00")):
        assert f"strict F {f}" in run("agreement", path, "--annotator", f"ground_truth,{first}").output
    assert "there are 1, 2, ground_truth" in refused("agreement", path, "--annotator", "ground_truth,3")
    assert "there are 1, 2" in refused("agreement", path, "--annotator", "1,4")
    tasks[0]["annotations"][1]["ground_truth"] = True
    assert "2 annotations, by ground_truth, ground_truth; keep one" in error(
        saved(path, tasks), annotator="ground_truth"
    )
    for annotation in (annotation for each in tasks for annotation in each["annotations"]):
        annotation["ground_truth"] = False
    said_of_none = error(saved(path, tasks), annotator="ground_truth")
    assert "there is no annotator 'ground_truth'; there are 1, 2" in said_of_none
    assert only(saved(path, tasks[:1]), annotator="1").spans == {(0, 3, "PER")}


def test_annotators_of_a_file_are_chosen_in_python_as_in_the_command(tmp_path):
    path = shared_tasks(tmp_path)
    for names in ("ground_truth,1", "1,2", "2,ground_truth"):
        accepted("agreement", path, "--annotator", names, "-o", tmp_path / "out.json")
        printed = json.loads((tmp_path / "out.json").read_text())
        for chosen in (names, names.split(",")):
            found = agreement(str(path), annotator=chosen)
            assert found["annotators"] == printed["annotators"] == names.split(",")
            assert found["metrics"]["strict"]["f"]["mean"] == printed["metrics"]["strict"]["f"]["mean"]
    two = agreement({"a": str(path), "b": str(path)}, annotator="ground_truth,1")
    assert two["annotators"] == ["a", "b"] and two["metrics"]["strict"]["f"]["mean"] == 0.5
    for chosen, annotators, problem in (
        ("1,4", str(path), "there is no annotator '4'; there are 1, 2"),
        ("1", {"a": [["O"]], "b": [["O"]]}, "annotator='1': lists name no annotators; leave it out"),
        ("1", {"a": str(path), "b": str(path)}, "annotator=: 1 given for 2 files; give one for each"),
    ):
        with pytest.raises(ValueError, match=re.escape(problem)):
            agreement(annotators, annotator=chosen)


@pytest.mark.parametrize("name", ["annotator", "column", "check_text", "word_column"])
def test_arguments_of_files_are_given_to_load(name, tmp_path):
    path = str(shared_tasks(tmp_path))
    for function, sides in ((score, (path, path)), (compare, ({"a": path, "b": path}, path))):
        with pytest.raises(
            TypeError, match=rf"no argument {name}: read the file with load\(path, {name}=\.\.\.\), and"
        ):
            function(*sides, **{name: "1"})  # type: ignore[operator]  # they have different signatures
    assert len(load(path, annotator="1")) == 2


def test_annotators_with_numbers_for_names_are_renamed(tmp_path):
    path = shared_tasks(tmp_path)
    printed = accepted("agreement", path, "--name", "1=Ann", "--name", "2=Ben", "-o", tmp_path / "out.json")
    assert re.match("Ann and Ben: ", printed)
    assert json.loads((tmp_path / "out.json").read_text())["annotators"] == ["Ann", "Ben"]
    assert re.match("Ann and 2: ", accepted("agreement", path, "--name", "1=Ann"))
    assert "two annotators are named '2'" in refused("agreement", path, "--name", "1=2")
    assert "--name 7: there is no annotator '7'; there are 1, 2" in refused("agreement", path, "--name", "7=Ann")
    assert "expected --name OLD=NEW" in refused("agreement", path, "--name", "Ann", "--name", "Ben")
