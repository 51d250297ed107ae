"""`--label-from` at every door: the numbers of files in which somebody wrote the attributes as labels by hand."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import printed, run, write
from products import NIGHT
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_nereval import agreement, compare, gate, leaderboard, load, score, show, thresholds

pytestmark = pytest.mark.costly

TEXT = "ada met bob in rome or oslo with eve and max"
WORDS = [(0, 3), (8, 11), (15, 19), (23, 27), (33, 36), (41, 44)]
POLICY = '[gate]\n\n[gate.rules]\n\n[gate.rules.f]\nscore = "strict_f"\nat_least = 20\n\n'
POLICY += '[gate.rules.one]\nscore = "strict_f"\nlabel = "X|true"\nat_least = 5\n'
CHOSEN = {"label+negated": ("--labels", "Y|true=X|true"), "kb_id": (), "negated": ("--only", "true,none")}


def spans(seed: int) -> list[list[dict[str, Any]]]:
    rng = random.Random(seed)
    result = []
    for _ in range(24):
        of_text = []
        for start, end in WORDS:
            if rng.random() < 0.8:
                attributes = {name: value for name, value in (("negated", True), ("grade", 2)) if rng.random() < 0.5}
                own = {"start": start, "end": end, "label": rng.choice("XY"), "score": rng.randint(1, 9) / 10}
                links = {"kb_id": f"Q/{rng.randint(1, 2)}"} if rng.random() < 0.7 else {}
                of_text.append(own | links | ({"attributes": attributes} if attributes else {}))
        result.append(of_text)
    return result


SIDES = {"gold": spans(1), "a": spans(2), "b": spans(3)}


def by_hand(span: dict[str, Any], label_from: str) -> dict[str, Any]:
    words = {True: "true"}
    values = {"label": span["label"], "kb_id": span.get("kb_id", "none")}
    values["negated"] = words.get(span.get("attributes", {}).get("negated"), "none")
    label = "|".join(values[name] for name in label_from.split("+"))
    return {**{name: span[name] for name in ("start", "end", "score")}, "label": label}


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("policy.cfg").write_text(POLICY)
    Path("by_hand").mkdir()
    for name, side in SIDES.items():
        write(Path(f"{name}.jsonl"), *({"id": str(k), "text": TEXT, "spans": own} for k, own in enumerate(side)))
    return tmp_path


def write_by_hand(label_from: str) -> None:
    for name, side in SIDES.items():
        rows = (
            {"id": str(k), "text": TEXT, "spans": [by_hand(s, label_from) for s in own]} for k, own in enumerate(side)
        )
        write(Path("by_hand", f"{name}.jsonl"), *rows)


def numbers(value: Any) -> Any:
    """A result without what says how the labels came about."""
    left_out = ("signature", "signatures", "unnamed", "merged", "on_reading", "lines", "version")
    if isinstance(value, dict):
        return {key: numbers(part) for key, part in value.items() if key not in left_out}
    return [numbers(part) for part in value] if isinstance(value, list) else value


def told(*arguments: Any) -> Any:
    done = run(*arguments, "-o", "out.json")
    assert done.exit_code in (0, 1), done.output
    result = json.loads(Path("out.json").read_text())
    Path("out.json").unlink()
    return numbers(result)


COMMANDS: dict[str, tuple[str, ...]] = {
    "score": ("score", "{}gold.jsonl", "{}a.jsonl", "-m", "papers,cited", "--by", "eLen"),
    "intervals": ("score", "{}gold.jsonl", "{}a.jsonl", "-m", "strict,fair", "-C"),
    "compare": ("compare", "{}gold.jsonl", "{}a.jsonl", "{}b.jsonl", "-m", "strict,fair", "--name", "a", "--name", "b"),
    "agreement": ("agreement", "{}gold.jsonl", "{}a.jsonl", "{}b.jsonl", "--name", "x", "--name", "y", "--name", "z"),
    "thresholds": ("thresholds", "{}gold.jsonl", "{}a.jsonl", "-m", "strict", "--best", "strict_f"),
    "gate": ("gate", "policy.cfg", "{}gold.jsonl", "{}a.jsonl"),
    "leaderboard": (
        "leaderboard",
        "{}gold.jsonl",
        "{}a.jsonl",
        "{}b.jsonl",
        "-m",
        "strict",
        "--name",
        "a",
        "--name",
        "b",
    ),
}


@pytest.mark.parametrize(
    ("command", "label_from"),
    [
        pytest.param(command, label_from, marks=() if (j + k) % 3 == 0 else NIGHT)
        for k, command in enumerate(COMMANDS)
        for j, label_from in enumerate(CHOSEN)
    ],
)
def test_every_command_has_the_numbers_of_labels_written_by_hand(here, command, label_from):
    write_by_hand(label_from)
    rules = CHOSEN[label_from]
    ours = [part.format("") for part in COMMANDS[command]]
    expected = [part.format("by_hand/") for part in COMMANDS[command]]
    found = told(*ours, "--label-from", label_from, *rules)
    shown = json.dumps(told(*expected, *rules)).replace("by_hand/", "")
    assert found == json.loads(shown)


def plain(result: Any) -> Any:
    return numbers(json.loads(json.dumps(result)))


def test_python_has_the_numbers_of_the_commands(here):
    gold, a, b = (load(f"{name}.jsonl") for name in ("gold", "a", "b"))
    how: dict[str, Any] = {"label_from": "label+negated"}
    names = ("--name", "a", "--name", "b")
    option = ("--label-from", "label+negated")
    files = ("gold.jsonl", "a.jsonl", "b.jsonl")
    assert plain(score(gold, a, ["strict"], **how)) == told("score", *files[:2], "-m", "strict", *option)
    assert plain(score("gold.jsonl", "a.jsonl", ["strict"], **how)) == told(
        "score", *files[:2], "-m", "strict", *option
    )
    as_dicts = ([{"text": TEXT, "spans": own} for own in side] for side in (SIDES["gold"], SIDES["a"]))
    assert score(*as_dicts, ["strict"], **how).strict.scores == score(gold, a, ["strict"], **how).strict.scores
    assert (
        score(SIDES["gold"], SIDES["a"], ["strict"], **how).strict.scores
        == score(gold, a, ["strict"], **how).strict.scores
    )
    compared = compare({"a": a, "b": b}, gold, ["strict"], **how)
    assert plain(compared) == told("compare", *files, "-m", "strict", *names, *option)
    assert plain(agreement({"x": gold, "y": a}, **how)) == told(
        "agreement", *files[:2], "--name", "x", "--name", "y", *option
    )
    assert plain(thresholds(gold, a, ["strict"], best="strict_f", **how)) == told(
        "thresholds", *files[:2], "-m", "strict", "--best", "strict_f", *option
    )
    assert plain(gate("policy.cfg", gold, a, **how)) == told("gate", "policy.cfg", *files[:2], *option)
    assert plain(leaderboard({"gold": (gold, {"a": a, "b": b})}, metrics=["strict"], **how)) == told(
        "leaderboard", *files, "-m", "strict", *names, *option
    )
    assert show("gold.jsonl", label_from="negated")["labels"].keys() == {"true", "none"}


def docs(side: str, nlp: Language) -> list[Doc]:
    """The spans of a side as entities of Docs, with links and a custom attribute."""
    result = []
    for own in SIDES[side]:
        doc = nlp(TEXT)
        ents = [doc.char_span(s["start"], s["end"], s["label"], kb_id=s.get("kb_id", "")) for s in own]
        doc.set_ents([ent for ent in ents if ent])
        for ent, span in zip(ents, own):
            if ent is not None and "negated" in span.get("attributes", {}):
                doc.user_data["._.", "negated", ent.start_char, ent.end_char] = True
        result.append(doc)
    return result


@pytest.mark.parametrize("metrics", [["attributes"], ["strict", "attributes"], ["attributes", "strict"]])
def test_attributes_are_compared_whether_their_metric_is_first_or_second(metrics):
    nlp = spacy.blank("en")
    examples = [Example(p, g) for p, g in zip(docs("a", nlp), docs("gold", nlp))]
    expected = score(docs("gold", nlp), docs("a", nlp), ["attributes"])["metrics"]["attributes"]["counts"]
    make = spacy.registry.scorers.get("spacy-nereval.ner_scorer.v1")
    assert make(metrics)(examples)["ents_nereval"]["metrics"]["attributes"]["counts"] == expected
    assert score(examples, metrics)["metrics"]["attributes"]["counts"] == expected
    assert any(expected.values())


@pytest.mark.parametrize("label_from", ["kb_id", "label+kb_id", "_.negated", "label+_.negated"])
def test_scorers_components_examples_and_docs_have_the_same_numbers(here, label_from):
    nlp = spacy.blank("en")
    gold, pred = docs("gold", nlp), docs("a", nlp)
    expected = score(load("gold.jsonl"), load("a.jsonl"), ["strict"], label_from=label_from.replace("_.", ""))
    examples = [Example(p, g) for p, g in zip(pred, gold)]
    assert score(gold, pred, ["strict"], label_from=label_from).strict.counts == expected.strict.counts
    assert score(examples, ["strict"], label_from=label_from).strict.counts == expected.strict.counts
    make = spacy.registry.scorers.get("spacy-nereval.ner_scorer.v1")
    scores = make(metrics=["strict"], label_from=label_from)(examples)
    assert scores["ents_strict_f"] == pytest.approx(expected.strict.f)
    nlp.add_pipe("nereval", config={"metrics": {"strict": {}}, "label_from": label_from})
    component = nlp.get_pipe("nereval")
    assert component.score(examples)["ents_strict_f"] == pytest.approx(expected.strict.f)
    for key, document in ((key, d) for side in (gold, pred) for d in side for key in ["sc"]):
        document.spans[key] = [*document.ents]
    in_groups = spacy.registry.scorers.get("spacy-nereval.spans_scorer.v1")(
        ["strict"], spans_key="sc", label_from=label_from
    )
    assert in_groups(examples)["spans_sc_strict_f"] == pytest.approx(expected.strict.f)


def test_computed_attributes_and_ids_are_read_if_asked_for(here):
    Span.set_extension("long", getter=lambda span: len(span.text) > 3, force=True)
    try:
        doc = spacy.blank("en")("Rome met Ada")
        doc.ents = [Span(doc, 0, 1, "X", span_id="r"), Span(doc, 2, 3, "X", span_id="a")]
        assert score([doc], [doc], ["strict"], label_from="_.long").labels.keys() == {"true", "false"}
        assert score([doc], [doc], ["strict"], label_from="id").labels.keys() == {"r", "a"}
        assert score([doc], [doc], ["strict"]).labels.keys() == {"X"}
    finally:
        Span.remove_extension("long")
    write(Path("ids.jsonl"), {"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "X", "id": "T1"}]})
    assert score("ids.jsonl", "ids.jsonl", ["strict"], label_from="id").labels.keys() == {"T1"}


def test_spans_without_the_attribute_are_none_and_their_number_is_said(here):
    lacking = sum("kb_id" not in span for name in ("gold", "a") for own in SIDES[name] for span in own)
    said = printed("score", "gold.jsonl", "a.jsonl", "-m", "strict", "--label-from", "kb_id")
    assert f"{lacking} spans without the attribute, labelled none" in said
    assert "from:kb_id" in said and "hierarchical" not in printed(
        "score", "gold.jsonl", "a.jsonl", "--label-from", "kb_id"
    )


def test_links_of_one_mention_are_several_spans_and_equal_links_are_one(tmp_path):
    text, a, b = (
        "Ada",
        {"start": 0, "end": 3, "label": "X", "kb_id": "Q1"},
        {"start": 0, "end": 3, "label": "X", "kb_id": "Q2"},
    )
    gold, pred = [{"text": text, "spans": [a, b, a]}], [{"text": text, "spans": [b | {"label": "Y"}, b]}]
    found = score(gold, pred, ["strict"], label_from="kb_id")
    assert (found.strict.counts, found["duplicates"], found["merged"]) == ({"tp": 1, "fp": 0, "fn": 1}, 1, 1)


def test_a_count_file_keeps_and_compares_where_labels_come_from(here):
    for name, option in (("c", ()), ("d", ("--label-from", "negated"))):
        printed("count", "gold.jsonl", "a.jsonl", "-m", "strict", "-o", f"{name}.npz", *option)
    expected = score("gold.jsonl", "a.jsonl", ["strict"], label_from="negated")
    assert plain(score("d.npz"))["metrics"]["strict"]["per_type"] == plain(expected)["metrics"]["strict"]["per_type"]
    assert score("d.npz")["unnamed"] == expected["unnamed"]
    assert run("merge", "c.npz", "d.npz", "-o", "e.npz").exit_code == 2


GOLD_LINES = ("T1\tPROBLEM 3 8\tfever", "A1\tnegated T1", "T2\tPROBLEM 15 20\tcough", "N1\tReference T2 S:1\tcough")
PRED_LINES = ("T1\tPROBLEM 3 8\tfever", "T2\tPROBLEM 15 20\tcough", "N1\tReference T2 S:1\tcough", "A1\tnegated T2")


def test_a_folder_of_brat_goes_through_every_command(tmp_path, monkeypatch):
    """In every document one link is right, a negation is missed, and another is spurious."""
    monkeypatch.chdir(tmp_path)
    for name, lines in (("gold", GOLD_LINES), ("pred", PRED_LINES), ("same", GOLD_LINES)):
        Path(name).mkdir()
        for k in range(20):
            Path(name, f"{k}.txt").write_text("No fever, mild cough")
            Path(name, f"{k}.ann").write_text("\n".join(lines))
    result = told("score", "gold", "pred", "-m", "strict,attributes", "-C")
    assert result["metrics"]["strict"]["scores"]["f"] == 1
    scores = result["metrics"]["attributes"]["scores"]
    assert scores == pytest.approx({**dict.fromkeys(scores, 1 / 2), "all": 0})
    rows = result["metrics"]["attributes"]["per_type"]
    assert {row: part["scores"]["accuracy"] for row, part in rows.items() if "=" not in row} == {
        "kb_id": 1,
        "negated": 0,
    }
    assert (rows["kb_id=S:1"]["scores"]["given_f"], rows["negated=true"]["scores"]["given_f"]) == (1, 0)
    assert "attributes is added, since spans of both sides have attributes" in run("score", "gold", "pred").stderr
    said = run("compare", "gold", "pred", "same").stderr
    assert "gold spans have attributes, which these metrics do not compare; the metric attributes does" in said
    compared = told("compare", "gold", "pred", "same", "-m", "attributes")
    assert '"attributes' in json.dumps(compared)
    printed("report", "gold", "pred", "same", "-m", "strict,attributes", "-o", "page.html")
    assert "Attributes of the spans" in Path("page.html").read_text()
    Path("policy.cfg").write_text(
        '[gate]\n\n[gate.rules]\n\n[gate.rules.f]\nscore = "attributes.given_f"\nat_least = 60\n\n'
        '[gate.rules.links]\nscore = "strict_f"\nat_least = 60\n'
    )
    decided = told("gate", "policy.cfg", "gold", "pred")
    assert [rule["verdict"] for rule in decided["rules"]] != ["met", "met"]
    agreed = told("agreement", "gold", "pred", "-m", "strict,attributes")
    assert '"given_f": 0.5' in json.dumps(agreed["pairs"])
