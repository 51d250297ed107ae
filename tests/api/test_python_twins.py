"""What the commands do, Python does too: levels, training runs, labels, words for mistakes."""

from __future__ import annotations

import re

import pytest

from spacy_nereval import Confidence, Document, compare, create, load, names, score
from spacy_nereval.core.labels import label_rules

GOLD = [[(0, 3, "LOC/CITY")], [(0, 3, "PER")]] * 4
PRED = [[(0, 3, "LOC/TOWN")], [(0, 3, "PER")]] * 4
TEXT = ["Ulm", "Ada"] * 4


def documents():
    tokens = [(0, 3)]
    return [Document(gold, pred, text, tokens=tokens) for gold, pred, text in zip(GOLD, PRED, TEXT)]


def metrics(result):
    return [*result["metrics"]]


def test_hierarchical_is_added_where_a_gold_label_has_levels():
    result = score(GOLD, PRED, text=TEXT)
    assert metrics(result)[-2:] == ["wrf", "hierarchical"]
    assert result["metrics"]["hierarchical"]["scores"]["f"] == pytest.approx(2 / 3)
    assert "hierarchical is added, since the label LOC/CITY has levels" in str(result).splitlines()
    assert metrics(score(documents())) == metrics(score(iter(documents()))) == metrics(result)
    assert score(iter(documents()))["documents"] == 8, "none is lost to the look at the labels"
    dotted = [[(0, 3, "LOC.CITY")]]
    assert metrics(score(dotted, dotted, text=["Ulm"], sep="."))[-1] == "hierarchical"


@pytest.mark.parametrize("options", [{"metrics": ["strict"]}, {"depth": 1}, {"sep": "."}], ids=str)
def test_hierarchical_is_not_added_otherwise(options):
    result = score(GOLD, PRED, text=TEXT, **options)
    assert "hierarchical" not in result["metrics"] and "hierarchical" not in str(result)
    plain = [[(0, 3, "LOC")]]
    assert "hierarchical" not in score(plain, [[(0, 3, "LOC/CITY")]], text=["Ulm"])["metrics"]


def test_a_comparison_has_it_too():
    found = compare({"a": PRED, "b": GOLD}, GOLD, text=TEXT, samples=20, trials=20)
    assert "hierarchical" in {row["metric"] for row in found["comparisons"]}
    assert "hierarchical is added" in str(found)


def test_systems_may_have_several_training_runs():
    gold = [["B-A", "O", "B-B"]] * 8
    worse = [["B-A", "O", "O"]] * 8
    found = compare({"old": {"1": worse, "2": worse}, "new": {"1": gold, "2": worse}}, gold, ["strict"])
    row = next(row for row in found["comparisons"] if row["score"] == "f")
    assert found["runs"] == [2, 2] and row["runs"] == [2, 2]
    assert (row["baseline_value"], row["value"]) == (pytest.approx(2 / 3), pytest.approx(5 / 6))
    assert "runs:2+2" in found.signature
    mixed = compare({"old": worse, "new": {"1": gold, "2": gold}}, gold, ["strict"])
    assert mixed["runs"] == [1, 2] and mixed["transitions"] == []


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ({}, "a has no training run; expected a table of runs, {'run 1': pred, 'run 2': pred}"),
        ({"1": GOLD, "2": GOLD[:1]}, "gold has 8 documents and a, 2 has 1 document"),
    ],
)
def test_runs_that_cannot_be_compared(runs, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        compare({"a": runs, "b": GOLD}, GOLD, ["strict"])


def test_the_primary_score_of_labels_can_be_compared():
    found = compare({"a": PRED, "b": GOLD}, GOLD, ["strict"], per_label=True, samples=20, trials=20)
    assert {row["label"] for row in found["comparisons"]} == {None, "LOC/CITY", "LOC/TOWN", "PER"}
    assert "labels:yes" in found.signature and len(found.to_frame("labels")) > 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"primary": "strict.g"}, "primary='strict.g': there is no such score; expected METRIC.SCORE, one of strict.p"),
        ({"secondary": ["f"]}, "secondary='f': there is no such score"),
        ({"margin": -1}, "margin=-1: expected a number of points above 0"),
        ({"only": ["ORG"]}, "only='ORG': there is no label 'ORG' in gold or prediction"),
        ({"samples": 0}, "samples=0: expected at least 1"),
    ],
    ids=str,
)
def test_mistakes_are_said_in_the_words_of_python(options, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}"):
        compare({"a": PRED, "b": GOLD}, GOLD, ["strict"], **options)


def test_a_comparison_warns_of_labels_and_tells_of_mentions():
    gold, text = [[(0, 3, "PERSON")]] * 6, ["Ada slept"] * 6
    found = compare(
        {"a": [[(0, 3, "PER")]] * 6, "b": [[("Ada", "PERSON"), ("Eve", "PERSON")]] * 6}, gold, ["strict"], text=text
    )
    first, *_ = str(found).splitlines()
    assert first.startswith("a: ⚠ No predicted label is a gold label") and first.endswith("labels='PER=PERSON'")
    assert found["mentions"]["b"]["invented"] == 6 and [*found["mentions"]] == ["b"]
    assert "b: 12 mentions without offsets: 6 exact, 6 not in the text (50.0 %)" in str(found)


def test_spans_with_the_same_boundaries_propose_a_label():
    gold, pred = [[(0, 3, "GPE"), (4, 7, "GPE"), (8, 9, "X")]], [[(0, 3, "LOC"), (4, 7, "LOC"), (8, 9, "X")]]
    assert "add labels='LOC=GPE'" in str(score(gold, pred, ["strict"]))


@pytest.mark.parametrize("confidence", [1000, 0.95, "yes"], ids=str)
def test_what_is_no_setting_of_intervals_is_refused(confidence):
    with pytest.raises(ValueError, match="confidence=.*: expected True, a table such as"):
        score(GOLD, PRED, ["strict"], confidence)


def test_an_empty_mention_is_dropped_and_said_in_one_line():
    result = score([[(0, 3, "PER")]], [[("", "PER"), (" ", "PER"), ("Ada", "PER")]], ["strict"], text=["Ada"])
    assert result["pred"] == 1
    assert "3 mentions without offsets: 1 exact, 2 empty and dropped" in str(result).splitlines()
    with pytest.raises(ValueError, match="document 0: mention 0, 'Ada', has no label: expected a non-empty string"):
        score([[]], [[("Ada", "")]], ["strict"], text=["Ada"])


def test_metrics_of_a_set_are_left_out_if_what_they_need_is_not_known():
    spans = score(GOLD, PRED, ["all"], text=TEXT)
    assert spans["left_out"] == {
        "tmr": "it needs metrics={'tmr': {'train': 'FILE'}}",
        "token": "the tokens are not known: give tokens=, the tokens of each document",
    }
    assert "mentions" in spans["metrics"] and "token is left out" in str(spans)
    assert {*score(GOLD, PRED, ["all"])["left_out"]} == {"tmr", "token", "wrf", "mentions"}
    with pytest.raises(ValueError, match="mentions need the text"):
        score([["B-PER"]], [["B-PER"]], ["mentions"])
    with pytest.raises(ValueError, match="this document has no tokens"):
        score(GOLD, PRED, ["token"])


def test_mentions_may_be_objects_as_models_print_them():
    mentions = [[{"text": "ada", "label": "PER"}, {"text": "Eve", "label": "PER", "score": 0.5}]]
    result = score([[(0, 3, "PER")]], mentions, ["strict"], text=["Ada"])
    assert result["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 1, "fn": 0}
    with pytest.raises(ValueError, match="has no start, end"):
        score([[(0, 3, "PER")]], [[{"text": "ada", "label": "PER", "begin": 0}]], ["strict"], text=["Ada"])


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        ([[{"start": 3, "end": 6, "label": "PER", "text": "Ada"}]], ["😀 Ada"]),
        ([[{"start": 3, "end": 6, "label": "PER", "text": "Ada"}]], ["😀 Ada slept"]),
        ([{"text": "😀 Ada", "spans": [{"start": 3, "end": 6, "label": "PER", "text": "Ada"}]}], None),
    ],
)
def test_offsets_in_utf_16_are_recognised_by_the_text_of_spans(gold, text):
    pred = [{"text": "😀 Ada", "spans": [(2, 5, "PER")]}] if text is None else [[(2, 5, "PER")]]
    said = "document 0.*; offsets would fit as UTF-16 code units: convert them to characters of the str"
    with pytest.raises(ValueError, match=said):
        score(gold, pred, ["strict"], text=text)


def test_a_key_that_no_prediction_has_is_an_error():
    spacy = pytest.importorskip("spacy")
    doc = spacy.blank("en")("Ada")
    doc.spans["a"] = []
    with pytest.raises(ValueError, match="spans_key='b': no Doc of pred has spans under this key; there are 'a'"):
        score([doc], [doc], ["strict"], spans_key="b")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"labels": ["A"]}, "labels: ['A'] is no mapping; expected {'PER': 'PERSON', 'MISC': None}"),
        ({"only": 3}, "only: 3 is no list of labels"),
    ],
    ids=str,
)
def test_label_options_of_another_type(options, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        score(GOLD, PRED, ["strict"], **options)


def test_the_headline_is_a_table_too():
    result = score(GOLD, PRED, ["slot_error", "strict"], Confidence(samples=20))
    frame = result.to_frame("headline").set_index("label")
    assert [*frame.index] == ["LOC/CITY", "PER", "LOC/TOWN"] and [*frame["predicted"]] == [0, 4, 4]
    assert "SER" in str(frame.columns) or "value" in frame.columns
    strict = score(GOLD, PRED, ["strict"]).to_frame("headline")
    assert [*strict.columns] == ["label", "support", "predicted", "P", "R", "F"]
    assert strict.set_index("label").loc["PER", "F"] == 1.0
    for metric in names():
        if create(metric).needs is None:
            assert len(score(documents(), [metric]).to_frame("headline")) == 3, metric


def test_labels_with_commas_can_be_kept():
    result = score([[(0, 1, "a,b"), (1, 2, "c")]], [[(0, 1, "a,b")]], ["strict"], only='["a,b"]')
    assert result["gold"] == 1 and label_rules(only='["a,b"]') == label_rules(only=["a,b"])
    for text, said in (("[1]", "only: 1 is not a label"), ("[a", "only: '[a' is not valid JSON")):
        with pytest.raises(ValueError, match=re.escape(said)):
            label_rules(only=text)


def test_the_key_of_span_groups_is_in_the_signature_of_examples_and_files_too(tmp_path):
    spacy = pytest.importorskip("spacy")
    from spacy.training import Example

    nlp = spacy.blank("en")
    docs = [nlp.make_doc("Ada slept") for _ in range(2)]
    for doc in docs:
        doc.spans["x"] = [doc.char_span(0, 3, "PER")]
    result = score([Example(*docs)], ["strict"], spans_key="x")
    assert result["metrics"]["strict"]["scores"]["f"] == 1 and result.counts.spans_key == "x"
    assert score([docs[0]], [docs[1]], ["strict"], spans_key="x").signature == result.signature
    spacy.tokens.DocBin(docs=docs[:1]).to_disk(path := tmp_path / "a.spacy")
    assert score(path, docs[:1], ["strict"], spans_key="x").signature == result.signature
    systems = {"a": docs[:1], "b": docs[1:]}
    assert "|spans:x|" in compare(systems, docs[:1], ["strict"], spans_key="x", trials=99).signature


def test_files_are_loaded_with_the_options_of_the_commands(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "😀 Ada", "spans": [{"start": 3, "end": 6, "label": "PER", "text": "Ada"}]}\n')
    (record,) = load(path, offsets="utf16")
    assert record.spans == [(2, 5, "PER")] and load(path, offsets="auto") == [record]
    tags = tmp_path / "a.conll"
    tags.write_text("Ada B-PER O\n")
    assert [len(load(tags, column=column)[0].spans) for column in (2, "last")] == [1, 0]
    tags.write_text("Ada O\nmet B-PER\nBob I-LOC\n")
    assert len(load(tags, repair="conll")[0].spans) == 2
