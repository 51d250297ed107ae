"""What the commands do, Python does too: levels, training runs, labels, mentions, words for mistakes."""

import re

import pytest
import spacy
from refusals import refused_with
from spacy.training import Example

from spacy_nereval import Confidence, Document, compare, create, load, names, score

GOLD = [[(0, 3, "LOC/CITY")], [(0, 3, "PER")]] * 4
PRED = [[(0, 3, "LOC/TOWN")], [(0, 3, "PER")]] * 4
TEXT = ["Ulm", "Ada"] * 4

SOME_TEXT = ["Ada met Bob in Rome. Bob left."]
SPANS = [[(0, 3, "PER"), (8, 11, "PER"), (15, 19, "LOC"), (21, 24, "PER")]]
MENTIONS = [[("ada", "PER"), ("Bob", "PER"), ("Bob", "PER"), ("Eve", "PER"), ("Rome", "GPE/CITY")]]


def documents():
    return [Document(*sides, tokens=[(0, 3)]) for sides in zip(GOLD, PRED, TEXT)]


def strict(*sides, **options):
    """tp, fp and fn."""
    return tuple(score(*sides, ["strict"], **options).strict.counts.values())


# Levels


def test_hierarchical_is_added_where_a_gold_label_has_levels():
    result = score(GOLD, PRED, text=TEXT)
    assert [*result["metrics"]][-2:] == ["wrf", "hierarchical"]
    assert result.hierarchical.f == pytest.approx(2 / 3)
    assert "hierarchical is added, since the label LOC/CITY has levels" in str(result).splitlines()
    for given in (documents(), iter(documents())):  # of which none is lost to the look at the labels
        found = score(given)
        assert (found["metrics"].keys(), found["documents"]) == (result["metrics"].keys(), 8)
    dotted = [[(0, 3, "LOC.CITY")]]
    assert "hierarchical" in score(dotted, dotted, text=["Ulm"], sep=".")["metrics"]
    found = compare({"a": PRED, "b": GOLD}, GOLD, text=TEXT, samples=20, trials=20)
    assert "hierarchical" in {row["metric"] for row in found["comparisons"]}
    assert "hierarchical is added" in str(found)


@pytest.mark.parametrize("options", [{"metrics": ["strict"]}, {"depth": 1}, {"sep": "."}], ids=str)
def test_hierarchical_is_not_added_otherwise(options):
    result = score(GOLD, PRED, text=TEXT, **options)
    assert "hierarchical" not in result["metrics"] and "hierarchical" not in str(result)
    assert "hierarchical" not in score([[(0, 3, "LOC")]], [[(0, 3, "LOC/CITY")]], text=["Ulm"])["metrics"]


# Comparisons

MISTAKES = [
    ({}, {}, "a has no training run; expected a table of runs, {'run 1': pred, 'run 2': pred}"),
    ({"1": GOLD, "2": GOLD[:1]}, {}, "gold has 8 documents and a, 2 has 1 document"),
    (PRED, {"primary": "strict.g"}, "primary='strict.g': there is no such score; expected METRIC.SCORE, one of"),
    (PRED, {"secondary": ["f"]}, "secondary='f': there is no such score"),
    (PRED, {"only": ["ORG"]}, "only='ORG': there is no label 'ORG' in gold or prediction"),
    (PRED, {"samples": 0}, "samples=0: expected at least 1"),
]


@pytest.mark.parametrize(("system", "options", "said"), MISTAKES)
def test_mistakes_in_comparisons_are_said_in_the_words_of_python(system, options, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}"):
        compare({"a": system, "b": GOLD}, GOLD, ["strict"], **options)


def test_a_comparison_warns_of_labels_and_tells_of_mentions():
    gold, text = [[(0, 3, "PERSON")]] * 6, ["Ada slept"] * 6
    systems = {"a": [[(0, 3, "PER")]] * 6, "b": [[("Ada", "PERSON"), ("Eve", "PERSON")]] * 6}
    found = compare(systems, gold, ["strict"], text=text)
    first, *_ = str(found).splitlines()
    assert first.startswith("⚠ a: No predicted label is a gold label") and first.endswith("labels='PER=PERSON'")
    assert found["mentions"]["b"]["invented"] == 6 and [*found["mentions"]] == ["b"]
    assert "b: 12 mentions without offsets: 6 exact, 6 not in the text (50.0 %)" in str(found)


# Labels


def test_documents_and_comparisons_take_label_options_too():
    made = score(SPANS, MENTIONS, text=SOME_TEXT)._documents
    assert score(made, ["strict"], labels={"GPE/CITY": "LOC"}).strict.counts["tp"] == 4
    systems = {"a": MENTIONS * 8, "b": SPANS * 8}
    found = compare(systems, SPANS * 8, ["strict"], text=SOME_TEXT * 8, labels={"GPE/CITY": "LOC"})
    row = next(row for row in found["comparisons"] if row["score"] == "f")
    assert (row["baseline_value"], row["value"]) == (pytest.approx(8 / 9), 1.0)
    assert "labels:" in found.signature


def test_labels_that_differ_between_the_sides_are_said_first():
    result = score([["B-PERSON"]], [["B-PER"]], ["strict"])
    assert "⚠ No predicted label is a gold label" in str(result).splitlines()[0]
    assert "add labels='PER=PERSON'" in str(result)
    gold, pred = ([[(0, 3, own), (4, 7, own), (8, 9, "X")]] for own in ("GPE", "LOC"))
    assert "add labels='LOC=GPE'" in str(score(gold, pred, ["strict"])), "spans with the same boundaries"


# Mentions


def test_mentions_are_spans_where_the_text_has_them_and_spurious_where_it_does_not():
    result = score(SPANS, MENTIONS, ["strict", "fair"], text=SOME_TEXT)
    assert result.strict.counts == {"tp": 3, "fp": 2, "fn": 1}
    assert (result["mentions"]["listed"], result["mentions"]["invented"]) == (5, 1)
    assert "5 mentions without offsets" in str(result) and "mentions:listed,caseless" in result.signature
    assert [row["pred_text"] for row in result.errors(verdicts=["fp"])] == ["Eve"]
    named = [{"text": string, "label": label, "score": 0.5} for string, label in MENTIONS[0]]
    record = [{"text": SOME_TEXT[0], "spans": SPANS[0]}], [{"text": SOME_TEXT[0], "mentions": named}]
    assert score(SPANS, [named], ["strict", "fair"], text=SOME_TEXT) == result, "scores change nothing"
    assert score(*record, ["strict", "fair"]) == result
    empty = score(SPANS, [[("", "PER"), (" ", "PER"), ("Ada", "PER")]], ["strict"], text=SOME_TEXT)
    assert "3 mentions without offsets: 1 exact, 2 empty and dropped" in str(empty).splitlines()


def test_how_mentions_are_looked_for_can_be_chosen():
    assert strict(SPANS, MENTIONS, text=SOME_TEXT, match="exact") == (2, 3, 2)
    assert strict(SPANS, MENTIONS, text=SOME_TEXT, occurrences="first") == (2, 2, 2)
    gold = {"text": SOME_TEXT[0], "spans": [*map(list, SPANS[0])]}
    record = {"text": SOME_TEXT[0], "mentions": [*map(list, MENTIONS[0])]}
    assert strict([gold], [record]) == strict([gold], MENTIONS) == (3, 2, 1)
    assert strict([gold], [record], match="exact") == (2, 3, 2)


# What is refused

ADA = {"start": 3, "end": 6, "label": "PER", "text": "Ada"}
UTF_16 = "offsets would fit as UTF-16 code units: offsets=.utf16. \\(offsets="

REFUSED = [
    (SPANS, MENTIONS, {"text": None}, "document 0: pred has mentions without offsets, .* in the text: give text="),
    (SPANS, MENTIONS, {"only": ["ORG"]}, "only='ORG': there is no label 'ORG' in gold or prediction"),
    (SPANS, MENTIONS, {"labels": 3}, r"labels=3: this is no mapping; expected one such as {'PER': "),
    (SPANS, MENTIONS, {"labels": ["A"], "only": "PER"}, r"labels=\['A'\] names labels to keep, and only='PER' too"),
    (SPANS, MENTIONS, {"only": 3}, "only=3: this is no list of labels"),
    (SPANS, MENTIONS, {"only": "[1]"}, r"only='\[1\]': 1 is not a label"),
    (SPANS, MENTIONS, {"only": "[a"}, r"only='\[a': not valid JSON"),
    (SPANS, MENTIONS, {"confidence": "yes"}, "confidence='yes': expected True, a table such as"),
    ([[]], [[{"text": "ada", "label": "PER", "begin": 0}]], {}, "document 0: .* has no start, end"),
    ([[ADA]], [[]], {"text": ["😀 Ada"]}, f"document 0.*; {UTF_16}"),
    ([[ADA]], [[]], {"text": ["😀 Ada slept"]}, f"document 0.*; {UTF_16}"),
    ([{"text": "😀 Ada", "spans": [ADA]}], [{"text": "😀 Ada", "spans": []}], {"text": None},
        f"document 0.*; {UTF_16}"),
]  # fmt: skip


@pytest.mark.parametrize(("gold", "pred", "options", "said"), REFUSED)
def test_what_cannot_be_read_is_refused_in_the_words_of_python(gold, pred, options, said):
    with pytest.raises(ValueError, match=said):
        score(gold, pred, **{"text": SOME_TEXT, "metrics": ["strict"]} | options)


def test_the_headline_is_a_table_too():
    result = score(GOLD, PRED, ["slot_error", "strict"], Confidence(samples=20))
    frame = result.to_frame("headline").set_index("label")
    assert [*frame.index] == ["LOC/CITY", "PER", "LOC/TOWN"] and [*frame["predicted"]] == [0, 4, 4]
    own = score(GOLD, PRED, ["strict"]).to_frame("headline")
    assert [*own.columns] == ["label", "support", "predicted", "P", "R", "F"]
    assert own.set_index("label").loc["PER", "F"] == 1.0
    for metric in names():
        if create(metric).needs is None and metric != "attributes":  # of these spans, which have none
            assert len(score(documents(), [metric]).to_frame("headline")) == 3, metric


# Span groups and files


def test_the_key_of_span_groups_is_in_the_signature_of_examples_and_files_too(tmp_path):
    nlp = spacy.blank("en")
    docs = [nlp.make_doc("Ada slept") for _ in range(2)]
    for doc in docs:
        doc.spans["x"] = [doc.char_span(0, 3, "PER")]
    result = score([Example(*docs)], ["strict"], spans_key="x")
    assert result.strict.f == 1 and result.counts.spans_key == "x"
    assert score([docs[0]], [docs[1]], ["strict"], spans_key="x").signature == result.signature
    spacy.tokens.DocBin(docs=docs[:1]).to_disk(path := tmp_path / "a.spacy")
    assert score(path, docs[:1], ["strict"], spans_key="x").signature == result.signature
    systems = {"a": docs[:1], "b": docs[1:]}
    assert "|spans:x|" in compare(systems, docs[:1], ["strict"], spans_key="x", trials=99).signature
    with refused_with(
        ValueError,
        "spans_key='b': no Doc of pred has spans under this key; there are 'x'",
    ):
        score(docs, docs, ["strict"], spans_key="b")


def test_files_are_loaded_with_the_options_of_the_commands(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "😀 Ada", "spans": [{"start": 3, "end": 6, "label": "PER", "text": "Ada"}]}\n')
    (record,) = load(path, offsets="utf16")
    assert record.spans == [(2, 5, "PER")] and load(path, offsets="auto") == [record]
    tags = tmp_path / "a.conll"
    tags.write_text("Ada B-PER O\n")
    assert [len(load(tags, column=column)[0].spans) for column in (2, "last")] == [1, 0]
