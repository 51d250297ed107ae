"""Label rules: map, cut to depth, keep; both sides, before duplicates are united."""

import json
import pickle
import shlex

import numpy as np
import pytest
import spacy
from asking import refusal
from commands import run
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from spacy.training import Example
from strategies import corpora

from spacy_nereval import Document, Result, compare, count, create, evaluate, merge, score, score_runs
from spacy_nereval.cli.app import as_option
from spacy_nereval.core.labels import LabelRules, ancestors, label_rules
from spacy_nereval.core.messages import use_spelling
from spacy_nereval.core.spans import relabel
from spacy_nereval.evaluation.label_schemes import extend_mapping, mapping_argument, propose_label
from spacy_nereval.io.count_files import load, save
from spacy_nereval.io.count_layout import DEFAULTS

TEXT = "Ada met Bob in New York at MIT . 1234567890"
GOLD = [(0, 3, "PERSON"), (8, 11, "PERSON"), (15, 23, "GPE"), (30, 34, "ORG"), (30, 34, "FAC")]
PRED = [(0, 3, "PER"), (8, 11, "per"), (15, 23, "LOC"), (30, 34, "ORG"), (40, 43, "MISC")]
MAPPING = {"PER": "PERSON", "per": "PERSON", "LOC": "PLACE", "GPE": "PLACE", "FAC": "ORG"}


def test_documents_stay_as_they_are():
    document = Document(GOLD, PRED, TEXT)
    found = evaluate(count(relabel([document], label_rules(MAPPING)), [create("strict")]))
    assert (found["metrics"]["strict"]["counts"], found["merged"]) == ({"tp": 4, "fp": 1, "fn": 0}, 1)
    assert document.gold[0].label == "PERSON" and document.pred[0].label == "PER"


RENAMED = [
    ({"labels": {"A": "B", "B": "C"}}, "A", "B"),  # not looked up again
    ({"labels": {"A": "B"}}, "X", "X"),
    ({"labels": {"A": "A", "B": "A"}}, "B", "A"),
    ({"labels": {"A": None}}, "A", None),
    ({"labels": {"A": ""}}, "A", None),
    ({"labels": "A=B, C="}, "C", None),
    ({"labels": {"A": "X/Y/Z"}, "depth": 2, "only": ["X/Y"]}, "A", "X/Y"),  # map, cut, keep: in this order
    ({"labels": {"X/Y": "no"}, "depth": 1, "only": ["X"]}, "X/Y/Z", "X"),
    ({"depth": 1, "sep": "."}, "a.b/c", "a"),
    ({"depth": 5}, "a/b", "a/b"),
    ({"depth": 1}, "/a/b", "/a"),
    ({"only": "a, b"}, "b", "b"),
    ({"only": "a,b"}, "c", None),
]


@pytest.mark.parametrize(("options", "label", "name"), RENAMED)
def test_what_becomes_of_a_label(options, label, name):
    assert label_rules(**options).new_name(label) == name


def test_ancestors_begin_with_the_top_and_end_with_the_label():
    assert ancestors("a.b.c", ".") == ["a", "a.b", "a.b.c"]
    for label, all in {"a": ["a"], "/": ["/"], "a/": ["a/"], "/a": ["/a"], "a//b": ["a", "a//b"]}.items():
        assert ancestors(label) == all


UNUSABLE = [
    ({"depth": 0}, "depth=0: expected a whole number of levels from 1 up"),
    ({"depth": -1}, "depth=-1: expected"),
    ({"depth": True}, "depth=True: expected"),
    ({"depth": 1, "sep": ""}, "sep=''"),
    ({"only": []}, "only=[]: no label"),
    ({"only": ["a", ""]}, "only=['a', '']: '' is not a label"),
    ({"labels": "PER"}, "labels='PER': 'PER' is not LABEL=NAME"),
    ({"labels": "=PER"}, "labels='=PER': '=PER' is not LABEL=NAME"),
    ({"labels": "A=B,A=C"}, "labels='A=B,A=C': 'A' is mapped twice"),
    ({"labels": '{"A": "B", "A": "C"}'}, 'labels=\'{"A": "B", "A": "C"}\': \'A\' is mapped twice'),
    ({"labels": '{"A": 1}'}, "labels='{\"A\": 1}': 'A' to 1 is not a label and its new name"),
    ({"labels": "{"}, "labels='{': not valid JSON"),
    ({"labels": {"A": "B", "B": "A"}}, "labels={'A': 'B', 'B': 'A'}: A -> B -> A is a cycle"),
    ({"labels": {"x": "A", "A": "B", "B": "C", "C": "A"}}, "A -> B -> C -> A is a cycle"),
]


@pytest.mark.parametrize(("options", "said"), UNUSABLE)
def test_options_that_cannot_be_used_are_refused_in_one_line(options, said):
    raised = refusal(label_rules, **options)
    assert said in raised and "\n" not in raised


def test_a_mapping_may_be_in_a_file(tmp_path):
    path = tmp_path / "names.json"
    path.write_text(json.dumps(MAPPING))
    assert label_rules(str(path)) == label_rules(path) == label_rules(MAPPING)
    path.write_text("[]")
    assert f"labels={str(path)!r}: expected a JSON object" in refusal(label_rules, path)


def test_a_label_to_keep_that_occurs_nowhere_is_warned_about_and_an_error_if_none_is_left():
    rules = label_rules(only=["A", "B"])
    for labels in (["A", "B", "C"], ["A"]):
        rules.check_labels_occur(labels)
    assert rules.usage_warnings([], ["A"]) == ["⚠ only: B to keep, but neither side has such a label"]
    assert rules.usage_warnings([], ["A", "B"]) == []
    misspelt = label_rules(only=["A", "PERS", "X", "LOCK", "Y"]).usage_warnings([], ["A", "PER", "LOC"])
    assert misspelt == [
        "⚠ only: X, Y to keep, but neither side has such a label",
        "⚠ only: LOCK to keep, but neither side has such a label: did you mean 'LOC'?",
        "⚠ only: PERS to keep, but neither side has such a label: did you mean 'PER'?",
    ]
    said = "only='A,B': there is no label 'A', 'B' in gold or prediction, so no span is left"
    assert said in refusal(rules.check_labels_occur, ["C"])


def test_a_label_to_map_that_occurs_nowhere_is_warned_about():
    rules = label_rules({"PER": "PERSON", "XX": "Y"})
    counts = count(relabel([Document(GOLD, PRED, TEXT), None], rules), [create("strict")])
    assert counts.mapped == {"PER"}
    assert rules.usage_warnings(counts.mapped, counts.labels) == [
        "⚠ labels: XX to map, but neither side has such a label"
    ]
    assert rules.usage_warnings(["PER", "XX"], []) == []


DROPPED = (
    "3 of 6 predicted spans have a label that never occurs in gold: PERSON. Gold has LOC, PER. "
    "{} excludes PERSON. To map labels, add {}"
)


def test_labels_to_keep_do_not_hide_predicted_labels_that_never_occur_in_gold(tmp_path):
    """Through every door: Documents, Examples, runs, systems, count files and the commands."""
    nlp = spacy.blank("en")

    def doc(label):
        found = nlp("Ada Bo")
        found.ents = [found.char_span(0, 3, label=label), found.char_span(4, 6, label="LOC")]
        return found

    gold, pred = ([[(0, 3, label), (4, 6, "LOC")]] * 3 for label in ("PER", "PERSON"))
    expected = DROPPED.format("only=", "labels='PERSON=PER'")
    results = [score(gold, pred, "strict", only=only) for only in ("PER,LOC", "LOC", "PER")]
    results += [score([Document(*sides) for sides in zip(gold, pred)], "strict", only="PER")]
    results += [score([Example(doc("PERSON"), doc("PER"))] * 3, "strict", only="PER")]
    results += [score(merge([result.counts for result in results[2:3]]))]
    results += [compare({"a": pred, "b": gold}, gold, "strict", only="PER")]
    results += [score_runs(gold, {"a": pred, "b": gold}, "strict", only="PER")]
    for result in results:
        assert expected in str(result)
    assert "PERSON. Gold has LOC, PER. To map" in str(score(gold, pred, "strict", only="PERSON"))
    assert "⚠ a: " + expected in str(results[-1])
    results[2].save(tmp_path / "counts.npz")
    assert expected in str(score(Result.load(tmp_path / "counts.npz").counts))
    assert load(tmp_path / "counts.npz").unkept == results[2].counts.unkept
    for name, label in (("gold", "PER"), ("pred", "PERSON")):
        spans = [{"start": 0, "end": 3, "label": label}, {"start": 4, "end": 6, "label": "LOC"}]
        rows = [json.dumps({"text": "Ada Bo", "id": str(k), "spans": spans}) for k in range(3)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows))
    paths = [tmp_path / f"{name}.jsonl" for name in ("gold", "pred")]
    said = DROPPED.format("--only", "--labels PERSON=PER")
    for arguments in (
        ("score", *paths),
        ("compare", *paths, paths[0]),
        ("count", *paths, "--output", tmp_path / "own.npz"),
    ):
        assert said in run(*arguments, "--only", "PER").stderr, arguments
    assert said in run("score", tmp_path / "own.npz").stderr


def test_repeated_spans_of_documents_are_counted():
    gold, pred = [(0, 3, "A"), (0, 3, "A"), (4, 6, "B")], [(4, 6, "B"), [4, 6, "B"], (4, 6, "B")]
    found = score([Document(gold, iter(pred)), Document(gold, [], "Ada Bo")], "strict")
    assert (found["duplicates"], found["gold"], found["pred"]) == (4, 4, 1)
    assert score([gold, gold], [pred, []], "strict")["duplicates"] == 4
    assert score([Document(gold, pred)], "strict", only="A")["duplicates"] == 3


# Law: rules are the same as annotation that had the new labels from the start


@tries(60)
@given(corpus=corpora(), names=st.dictionaries(st.sampled_from("ABCD"), st.sampled_from(["X", "Y", None]), max_size=4))
def test_rules_equal_renaming_by_hand(corpus, names):
    by_hand = []
    for doc in corpus:
        sides = ([(a, b, names.get(x, x)) for a, b, x in side if names.get(x, x)] for side in (doc.gold, doc.pred))
        by_hand.append(Document(*sides, doc.text, tokens=doc.tokens))
    metrics = [create(name) for name in ("strict", "fair", "wrf", "token")]
    ours, theirs = (evaluate(count(docs, metrics)) for docs in (relabel(corpus, label_rules(names)), by_hand))
    assert ours["metrics"] == theirs["metrics"]


# Counts


def counted(**options):
    return count(relabel([Document(GOLD, PRED, TEXT)], label_rules(**options)), [create("strict")])


def test_spans_that_become_equal_twice_add_up_and_all_partners_are_named():
    document = Document([(0, 3, "A/x"), (0, 3, "A/y"), (0, 3, "B/x")], [(0, 3, "C/x"), (0, 3, "D/x")])
    once = document.relabelled(LabelRules(depth=1))
    twice = once.relabelled(LabelRules(labels=(("B", "A"),)))
    assert (once.merged, twice.merged) == (1, 2)
    assert once.partners == {(theirs, ours): 1 for theirs in "CD" for ours in "AB"}


def test_the_signature_names_the_rules():
    parts = evaluate(counted(labels=MAPPING, only=["PLACE", "PERSON"], depth=2, sep="."))["signature"].split("|")
    (named,) = [part for part in parts if part.startswith("labels:")]
    assert len(named) == len("labels:") + 8
    assert {"only:PERSON,PLACE", "depth:2", "sep:."} < {*parts}
    again = evaluate(counted(labels=dict(reversed(MAPPING.items()))))["signature"].split("|")
    assert named in again and not any(part.startswith(("only:", "depth:", "sep:")) for part in again)
    assert LabelRules(only=("A,B",)).parts() != LabelRules(only=("A", "B")).parts()


@pytest.mark.parametrize("options", [{}, {"labels": {"PER": "X"}}, {"labels": MAPPING, "depth": 1}])
def test_counts_with_other_rules_do_not_add_up(options):
    ours = counted(labels=MAPPING)
    assert (ours + counted(labels=MAPPING)).merged == 2
    with pytest.raises(ValueError, match="one has the label rules labels:"):
        ours + counted(**options)


def test_counts_keep_their_rules_in_a_file(tmp_path):
    save(counted(labels=MAPPING, only=["PERSON", "ORG"]), tmp_path / "a.npz")
    found = load(tmp_path / "a.npz")
    assert found.label_rules == label_rules(MAPPING, ["PERSON", "ORG"])
    assert found.mapped == {*MAPPING} and found.merged == 1
    assert evaluate(found) == evaluate(counted(labels=MAPPING, only=["PERSON", "ORG"]))
    assert pickle.loads(pickle.dumps(found)).label_rules == found.label_rules


def test_files_of_counts_without_rules_are_as_they_always_were(tmp_path):
    save(counted(), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as archive:
        assert DEFAULTS.keys() & json.loads(archive["header"].tobytes()).keys() == {"gold_places", "signs"}
    assert load(tmp_path / "a.npz").label_rules is None


# The proposal


GOLDS = ["GPE", "ORG", "PERSON", "PhysicalObject", "Process"]


PROBABLE = [
    ("physical_object", {}, "PhysicalObject"),
    ("ORGANISATION", {}, "ORG"),
    ("PER", {("PER", "ORG"): 9}, "PERSON"),  # the name comes first
    *((label, {}, None) for label in ("Procees", "PERCENT", "PHYSICAL", "...")),  # look alike, and may be anything
]


@pytest.mark.parametrize(("label", "partners", "name"), PROBABLE)
def test_what_a_label_probably_means(label, partners, name):
    found = propose_label(label, GOLDS, partners)
    assert (found and found.name) == name


@tries(100)
@given(st.dictionaries(st.text(min_size=1), st.text(min_size=1) | st.none(), min_size=1))
def test_the_proposal_can_be_pasted(table):
    names = {old: new for old, new in table.items() if new is not None}
    mapping = extend_mapping(names, LabelRules(tuple((old, None) for old, new in table.items() if new is None)))
    with use_spelling(as_option):
        found = mapping_argument(mapping)
    flag, text = shlex.split(found)
    assert flag == "--labels"
    try:
        assert label_rules(text).mapping == table
    except ValueError as error:
        assert "cycle" in str(error)
