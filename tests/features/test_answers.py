"""Raw answers of language models, against gold annotation with texts."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from commands import accepted, flat, refused, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import only, saved
from refusals import refused_with

from spacy_nereval import compare, load, score
from spacy_nereval.core.answers import read_answer

TEXT = "Ada met Bob in Rome, and Bob left."
ADA, BOB, ROME = (0, 3, "PER"), (8, 11, "PER"), (15, 19, "LOC")
GOLD = {"id": "1", "text": TEXT, "spans": [dict(zip(("start", "end", "label"), span)) for span in (ADA, BOB, ROME)]}
OBJECTS = [{"text": "Ada", "label": "PER"}, {"text": "Bob", "label": "PER"}, {"text": "Rome", "label": "LOC"}]
NAMES = [{"name": "Ada", "type": "PER"}, {"name": "Bob", "type": "PER"}, {"name": "Rome", "type": "LOC"}]

RIGHT: dict[str, str] = {
    "JSON": json.dumps(OBJECTS),
    "a fence": f"```json\n{json.dumps(OBJECTS, indent=2)}\n```",
    "a fence in prose": f"Here are the entities:\n\n```\n{json.dumps(NAMES)}\n```\nLet me know [if] you need more!",
    "prose": f"The entities are {json.dumps(NAMES)}. I hope this helps.",
    "single quotes": str(NAMES),
    "trailing commas": '[["Ada", "PER",], {"name": "Bob", "type": "PER",}, {"name": "Rome", "type": "LOC"},]',
    "trailing commas and null": '{"entities": [["Ada", "PER"], ["Bob", "PER"], ["Rome", "LOC"],], "note": null,}',
    "by label": '{"PER": ["Ada", "Bob"], "LOC": ["Rome"], "ORG": [], "MISC": null}',
    "by label, single quotes": "{'PER': ['Ada', 'Bob'], 'LOC': 'Rome'}",
    "objects by label": '[{"PER": "Ada"}, {"PER": "Bob"}, {"LOC": ["Rome"]}]',
    "a wrapper": json.dumps({"entities": NAMES}),
    "pairs": '[["Ada", "PER"], ["Bob", "PER"], ["Rome", "LOC"]]',
    "Python's pairs": "[('Ada', 'PER'), ('Bob', 'PER'), ('Rome', 'LOC')]",
    "an object per line": "\n".join(map(json.dumps, NAMES)),
    "entity and type": json.dumps([{"entity": one["name"], "type": one["type"]} for one in NAMES]),
    "offsets that are wrong": json.dumps([one | {"start": 7, "end": 9} for one in OBJECTS]),
    "offsets and lengths that are wrong": json.dumps([one | {"offset": 7, "length": 9} for one in NAMES]),
    "the same twice": f"{json.dumps(NAMES)}\nFinal answer: {json.dumps(NAMES)}",
    "thoughts": f"<think>Is [Rome a city? {{</think>{json.dumps(NAMES)}",
    "a tag around it": f"<answer>{json.dumps(NAMES)}</answer>",
    "marked text": "<PER>Ada</PER> met <PER>Bob</PER> in <LOC>Rome</LOC>, and Bob left.",
    "marked text with brackets": "<PER>Ada</PER> met <PER>Bob</PER> [sic] {} in <LOC>Rome</LOC>",
    "attributes": '<e type="PER">Ada</e> met <e type="PER">Bob</e> in <e type="LOC">Rome</e>, and Bob left.',
}


def answered(answer: str, **more: Any) -> dict[str, Any]:
    return {"id": "1", "answer": answer, **more}


@pytest.mark.costly
@pytest.mark.parametrize("name", RIGHT)
def test_answers_are_read_as_they_are(name, tmp_path):
    gold = write(tmp_path / "g.jsonl", GOLD)
    for row in (answered(RIGHT[name]), answered(RIGHT[name], text=TEXT)):
        pred = write(tmp_path / "p.jsonl", row)
        for sides in ((str(gold), str(pred)), ([GOLD], [row]), (load(gold), load(pred)), ([GOLD], str(pred))):
            found = score(*sides, ["strict"])
            assert found.strict.f == 1, (name, found["metrics"]["strict"]["counts"])
            assert [found["mentions"][key] for key in ("answers", "unreadable", "readable")] == [1, 0, 1]
    done = flat(accepted("score", gold, pred, "-m", "strict"))
    assert "strict F 100.00" in done and "1 of 1 answer readable (100.0 %); 3 mentions without offsets" in done
    assert only(pred).spans == {ADA, BOB, ROME}


def test_marks_say_which_occurrence_is_meant():
    row = answered("Ada met Bob in Rome, and <PER>Bob</PER> left.")
    gold = GOLD | {"spans": [{"start": 25, "end": 28, "label": "PER"}]}
    assert score([gold], [row], ["strict"]).strict.f == 1
    other = answered("Yes: and <PER>Bob</PER> left!")  # another text: the first occurrence
    assert score([gold], [other], ["strict"]).strict.f == 0


WITH_LABEL = ['["Ada", "Bob"]', "@@Ada## met @@Bob## in Rome, and Bob left.", "Sure: ['Ada', 'Bob',]"]


@pytest.mark.parametrize("answer", WITH_LABEL)
def test_names_without_labels_have_the_label_of_the_line(answer):
    gold = GOLD | {"spans": GOLD["spans"][:2]}  # type: ignore[index]
    assert score([gold], [answered(answer, label="PER")], ["strict"]).strict.f == 1
    with pytest.warns(UserWarning, match="1 of 1 answers"):
        assert score([gold], [answered(answer)], ["strict"])["mentions"]["unreadable"] == 1


NOTHING = ["[]", "{}", '{"entities": []}', "```json\n[]\n```", '{"PER": [], "LOC": null}', TEXT, f"  {TEXT.upper()}\n"]
UNREADABLE = [
    "",
    "I found no entities.",
    "There are none [in this text].",
    '[{"name": "Ada", "type": "PER"}, {"name": "Bo',
    '```json\n[{"name": "Ada", "type": "PER"}\n```',
    "<PER>Ada met Bob",
    f"<PER>{TEXT}",
    TEXT.replace("Ada", "<PER>Ada</PER>").replace("Rome", "<LOC>Rome"),
    '[["Ada", "PER"]] and then [["Bob", "PER"',
    "<PER>Ada</LOC> met Bob",
    '["Ada", "Bob"]',
    "@@Ada## met",
    '{"entities": ["Ada"]}',
    '[{"name": "Ada"}]',
    '[{"name": "Ada", "type": "PER"}, 7]',
    '[{"PER": ["Ada"]}]\n[{"PER": ["Bob"]}]',
    '{"PER": [1, 2]}',
    "[" * 2000,
    "accepted",
]


@pytest.mark.parametrize("answer", NOTHING)
def test_an_answer_without_names_is_readable(answer):
    found = score([GOLD], [answered(answer)], ["strict"])
    assert (found["mentions"]["unreadable"], found["pred"], found["documents"]) == (0, 0, 1)


@pytest.mark.costly
@pytest.mark.parametrize("answer", UNREADABLE)
def test_an_unreadable_answer_misses_its_gold_and_is_listed(answer, tmp_path):
    golds = [GOLD, GOLD | {"id": "2"}, GOLD | {"id": "3"}]
    preds = [answered(RIGHT["JSON"]), answered(answer) | {"id": "2"}, answered("[]") | {"id": "3"}]
    gold, pred = write(tmp_path / "g.jsonl", *golds), write(tmp_path / "p.jsonl", *preds)
    for sides in ((golds, preds), (str(gold), str(pred))):
        with pytest.warns(
            UserWarning, match=r"1 of 3 answers cannot be read, and count as documents without spans: 2$"
        ):
            found = score(*sides, ["strict"])
        assert found["documents"] == 3 and found.strict.r == pytest.approx(1 / 3) and found.strict.p == 1
        assert found["mentions"]["readable"] == pytest.approx(2 / 3)
    with pytest.warns(UserWarning, match="1 of 3 answers"):
        done = flat(accepted("score", gold, pred, "-m", "strict", "-o", tmp_path / "out.json"))
    assert "2 of 3 answers readable (66.7 %)" in done
    assert json.loads((tmp_path / "out.json").read_text())["mentions"]["unreadable"] == 1


def test_answers_are_paired_by_order_without_ids_and_need_the_text_of_gold(tmp_path):
    golds = [{name: value for name, value in GOLD.items() if name != "id"}] * 2
    rows = [{"answer": RIGHT["JSON"]}, {"answer": RIGHT["by label"]}]
    assert score(golds, rows, ["strict"]).strict.f == 1
    path, listed = write(tmp_path / "p.jsonl", *rows), saved(tmp_path / "p.json", rows)
    gold = write(tmp_path / "g.jsonl", *golds)
    assert "strict F 100.00" in flat(accepted("score", gold, listed, "-m", "strict"))
    said = 'has no text: add it as "text", or score the answers as predictions against gold annotation with texts'
    assert f"{path}: the answer" in refused("score", path, gold) and said in refused("score", path, gold)
    assert f"{path}: the answer" in refused("convert", path, tmp_path / "c.jsonl")
    assert said in refused("agreement", path, gold)
    with refused_with(
        ValueError,
        'document 0: pred: the answer \'[{"text": "Ada", "label": "PER"}, {"text": "Bob", "label": '
        '"\'... (100 characters) has no text: add it as "text", or score the answers as predictions '
        "against gold annotation with texts",
    ):
        score([[ADA], [ADA]], rows, ["strict"])
    assert score(golds, [row["answer"] for row in rows], ["strict"]).strict.f == 1
    with pytest.raises(ValueError, match="the answer of a language model is given as"):
        score(golds, ["Ada", "Paris"], ["strict"])
    named = [{"output": row["answer"]} for row in rows]
    assert score(golds, named, ["strict"], keys=["", "answer=output"]).strict.f == 1


def test_a_prodigy_answer_is_none_of_a_language_model(tmp_path):
    rows = [{"text": TEXT, "answer": "ignore"}, {"text": TEXT, "answer": "accept"}]
    assert [record.annotated for record in load(write(tmp_path / "a.jsonl", *rows))] == [False, True]


def test_compared_systems_and_counts_have_their_rates(tmp_path):
    gold = write(tmp_path / "g.jsonl", GOLD)
    one, two = (write(tmp_path / f"{name}.jsonl", answered(RIGHT[name])) for name in ("JSON", "by label"))
    found = compare({"one": str(one), "two": str(two)}, str(gold), ["strict"])
    assert [found["mentions"][name]["readable"] for name in ("one", "two")] == [1, 1]
    accepted("count", gold, one, "-o", tmp_path / "c.npz", "-m", "strict")
    accepted("score", tmp_path / "c.npz", "-o", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["mentions"]["readable"] == 1


NAME = st.sampled_from(["Ada", "Bob", "Rome", "O'Neil", 'a "b"', "Eve"])


@tries(80)
@given(st.lists(st.tuples(NAME, st.sampled_from(["PER", "LOC"])), min_size=1, max_size=4), st.data())
def test_every_form_of_the_same_names_reads_alike(pairs, data):
    objects = [{"name": name, "type": label} for name, label in pairs]
    before, after = (data.draw(st.sampled_from(["", "Sure!\n", "Entities: "])) for _ in range(2))
    forms = [json.dumps(objects), str(objects), str(pairs), f"```json\n{json.dumps(objects)}\n```", json.dumps(pairs)]
    for form in forms:
        assert [tuple(pair) for pair in read_answer(f"{before}{form}{after}")] == pairs


@tries(200)
@given(st.text(alphabet="[]{}\"':,<>/@#`PERAda \n", max_size=40))
def test_any_answer_is_read_or_unreadable(answer):
    with TemporaryDirectory() as folder:
        path = write(Path(folder, "p.jsonl"), answered(f"{answer}.", text=TEXT))
        found = only(path)
    assert found.mentions["answers"] == 1
    assert not (found.mentions["unreadable"] and (found.spans or found.invented))
