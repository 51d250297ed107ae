"""Reading Examples whose two sides differ: other tokens, other texts, and what counts as a word."""

from __future__ import annotations

import pytest
from docs import aligned, annotated, changed, doc, example, grouped, nlp
from hypothesis import given
from hypothesis import strategies as st
from own_scorers import counts
from profiles import tries
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_nereval import Document, create_all, evaluate, score
from spacy_nereval.integration.examples import batches, count_examples, documents, read, record
from spacy_nereval.integration.scorer import make_ner_scorer
from spacy_nereval.io.records import pair, project

some = tries(100)

METRICS = dict.fromkeys(["strict", "semeval", "slot_error", "loio"], {}) | {"fair": {"unit": "token"}}

# Other tokens


def test_the_tokens_that_count_are_those_of_the_reference():
    gold, pred = doc("the U.K. wins", (1, 2, "A")), doc("the U.|K. wins", (1, 2, "A"), (2, 3, "A"))
    assert read(gold, pred).tokens == [(0, 3), (4, 8), (9, 13)]
    assert counts(read(gold, pred), "fair", unit="char") == {"be_s": 2}
    # The only token there is has been consumed when the second half asks for it.
    assert counts(read(gold, pred), "fair", unit="token") == {"be_s": 1, "fp": 1}
    assert counts(read(pred, gold), "fair", unit="token") == {"be_l": 2}


# Other texts


@pytest.mark.parametrize(
    ("gold", "pred", "text"),
    [
        *(
            (doc("New York wins", (0, 2, "A")), doc(text, ent), "New York wins")
            for text, ent in (
                ("new york wins", (0, 2, "A")),
                ("NEW|_|YORK wins", (0, 3, "A")),
                ("\n\n|New _|York wins", (1, 4, "A")),
                ("New|York|wins", (0, 2, "A")),
                ("N|E|W|Y|O|R|K wins _|_", (0, 7, "A")),
                ("New \u00a0|York|\t|wins", (0, 4, "A")),
            )
        ),
        (doc("a b c", (1, 2, "A")), doc("a|b c", (1, 2, "A")), "a b c"),
        (doc("the U.K. wins", (1, 2, "GPE")), doc("the U|.|K|. wins", (1, 5, "GPE")), "the U.K. wins"),
        (doc("_|\n|a|\t|b _", (2, 5, "A")), doc("a b", (0, 2, "A")), " \na\tb  "),
        # case that changes the length of a text is case still
        (doc("in İzmir today", (1, 2, "A")), doc("in i\u0307zmir today", (1, 2, "A")), "in İzmir today"),
    ],
)
def test_a_prediction_on_a_text_with_other_tokens_white_space_or_case_is_carried_over(gold, pred, text):
    found = read(gold, pred)
    assert counts(found) == {"tp": 1}
    assert found.text == text


def test_span_groups_are_carried_over_too():
    gold = doc("New York wins", spans={"k": [(0, 2, "A"), (0, 1, "A")]})
    pred = doc("new|york|wins", spans={"k": [(0, 2, "A"), (0, 1, "A"), (1, 3, "A")]})
    assert counts(read(gold, pred, "k")) == {"tp": 2, "fp": 1}


def test_predictions_that_fall_on_one_place_are_one_and_white_space_becomes_a_span_of_length_zero():
    pred = doc("a|_|_|b", spans={"k": [(0, 1, "A"), (0, 2, "A"), (0, 3, "A")]})
    assert read(doc("a b", spans={"k": []}), pred, "k").pred == ((0, 1, "A"),)
    assert read(doc("a b"), doc("a _|b", (1, 2, "A"))).pred == ((2, 2, "A"),)


@pytest.mark.parametrize(
    "text, what",
    [
        ("a b d", "'d' at 4 against 'c' at 4"),
        ("a b c d", "4 characters against 3"),
        ("a b", "2 characters against 3"),
        ("a. b c", "'.' at 1 against 'b' at 2"),
        ("", "0 characters against 3"),
    ],
)
def test_texts_that_differ_otherwise_are_an_error_that_names_the_example_and_the_place(text, what):
    good = example(doc("a b c"), doc("a b c"))
    with pytest.raises(ValueError) as raised:
        list(documents([good, good, example(doc("a b c"), doc(text))]))
    assert str(raised.value).startswith("example 2: the predicted text differs from the reference in more than")
    assert what in str(raised.value)


def test_examples_are_numbered_from_the_first_of_all_however_many_are_read_together():
    good = example(doc("a b c"), doc("a b c"))
    for read_all in (lambda given: [*documents(given)], lambda given: count_examples(given, [])):
        with pytest.raises(ValueError, match=r"^example 3000: the predicted text differs"):
            read_all([good] * 3000 + [example(doc("a b c"), doc("a b d"))])


def test_another_text_is_no_error_where_the_reference_is_not_annotated():
    assert list(documents([example(doc("a", annotated=False), doc("b"))])) == [None]
    assert list(documents([example(doc("a"), doc("b"))], "k")) == [None]


spaced = st.text(st.sampled_from("aB.é\U0001f600 \n\t\u00a0"), max_size=12)


@some
@given(st.data())
def test_what_is_carried_over_holds_the_same_characters_white_space_and_case_apart(data):
    source = data.draw(spaced)
    number = len(source) + 1
    gaps = data.draw(st.lists(st.sampled_from(["", "", " ", "\n "]), min_size=number, max_size=number))
    target = gaps[0] + "".join(
        ("" if character.isspace() and data.draw(st.booleans()) else character.swapcase()) + gap
        for character, gap in zip(source, gaps[1:])
    )
    start = data.draw(st.integers(0, len(source)))
    end = data.draw(st.integers(start, len(source)))
    ((a, b, label),) = project([(start, end, "A")], source, target)

    def solid(text):
        return "".join(text.split()).lower()

    assert 0 <= a <= b <= len(target)
    assert solid(target[a:b]) == solid(source[start:end])
    assert solid(target[:a]) == solid(source[:start])
    assert target[a:b] == target[a:b].strip()
    assert label == "A"


@some
@given(st.data(), st.sampled_from(["upper", "spaced", "packed"]))
def test_the_same_entities_on_a_text_with_other_white_space_or_case_are_all_hits(data, how):
    words = data.draw(st.lists(st.sampled_from(["a", "B", "U.K.", "é", "e\u0301", "\U0001f600", "ß"]), max_size=7))
    spaces = [data.draw(st.booleans()) for _ in words]
    gold = data.draw(annotated(words, spaces))
    pred_words, pred_spaces = changed(words, spaces, how)
    pred = Doc(nlp.vocab, words=pred_words, spaces=pred_spaces)
    pred.ents = [Span(pred, ent.start, ent.end, ent.label) for ent in gold.ents]
    assert counts(read(gold, pred)) == ({"tp": len(gold.ents)} if gold.ents else {})


# Words


def words_of(found: Document, **options) -> list[list]:
    return [*found.unigrams(found.gold, **options)]


def pattern(found: Document, **options) -> list[list[int]]:
    """The words of all spans, each as the number of words met before it: which are alike, not what they are."""
    numbers: dict = {}
    spans = found.gold + found.pred
    return [[numbers.setdefault(word, len(numbers)) for word in words] for words in found.unigrams(spans, **options)]


@pytest.mark.parametrize(("case", "matches"), [("lower", 1), ("keep", 0)])
def test_wrf_folds_the_case_of_docs_only_where_it_is_told_to(case, matches):
    """Tokens of Docs are read as numbers, many documents at once."""
    pairs = [example(doc("oil Oil", (0, 1, "A")), doc("oil Oil", (1, 2, "A"))) for _ in range(3)]
    found = score(documents(pairs), {"wrf": {"case": case, "average": "micro"}})["metrics"]["wrf"]
    assert found["per_type"]["A"]["counts"] == {"match": 3 * matches, "gold": 3, "pred": 3, "documents": 3}
    assert counts(read(pairs[0].reference, pairs[0].predicted), "wrf", case=case).get("match", 0) == matches
    scorer = make_ner_scorer(metrics={"wrf": {"case": case}})
    assert scorer(pairs)["ents_wrf"] == matches


@some
@given(aligned() | grouped(aligned=True), st.sampled_from(["lower", "keep"]), st.sampled_from(["token", "whitespace"]))
def test_every_metric_says_the_same_of_docs_and_of_plain_text_with_tokens(eg, case, by):
    key = "k" if "k" in eg.reference.spans else None
    if key is None and not eg.reference.has_annotation("ENT_IOB"):
        return
    slow = pair(record(eg.reference, key), record(eg.predicted, key))
    metrics = METRICS | {"wrf": {"unique": False, "case": case, "unigrams": by}}
    counts = count_examples([eg], create_all(metrics), key)
    assert evaluate(counts)["metrics"] == score([slow], metrics)["metrics"]
    for (batch,), _ in batches([eg], key):  # arrays, where the two Docs have the same tokens
        fast = batch.document(0)
        assert fast is not None
        assert (fast.gold, fast.pred, fast.text, fast.tokens) == (slow.gold, slow.pred, slow.text, slow.tokens)
        assert pattern(fast, case=case, by=by) == pattern(slow, case=case, by=by)


@pytest.mark.parametrize("words", ["The the THE", "İ İ", "É é E\u0301 e\u0301", "\U0001f600 \U0001f600", "ORTH orth"])
def test_words_are_compared_without_case(words):
    made = doc(words, *((k, k + 1, "A") for k in range(len(words.split()))))
    lowered = [word.lower() for word in words.split()]
    found = words_of(read(made, made))
    assert [[a == b for a in found] for b in found] == [[a == b for a in lowered] for b in lowered]


@pytest.mark.parametrize("space", ["_", "\n", "\t\t", "\u00a0", "\u3000"])
def test_white_space_is_no_word(space):
    for vocab in (nlp.vocab, Vocab()):
        made = doc(f"a|{space}|b", (0, 3, "A"), vocab=vocab)
        assert len(words_of(read(made, made))[0]) == 2
    made = doc(f"a|{space}|b", (0, 3, "A"))
    assert words_of(read(made, doc("A B"))) == [["a", "b"]]


def test_a_word_cut_by_a_prediction_is_a_word_of_its_own():
    found = read(doc("the scroll tip", (1, 3, "A")), doc("the scro|ll tip", (1, 2, "A")))
    assert next(found.unigrams([found.gold[0]])) == ["scroll", "tip"]
    assert next(found.unigrams([found.pred[0]])) == ["scro"]


def test_offsets_count_characters_and_not_bytes():
    text = "e\u0301 \U0001f600\U0001f3fd \U0001f468\u200d\U0001f469 Zoë"
    gold = doc(text, (0, 1, "A"), (1, 2, "A"), (2, 3, "A"), (3, 4, "A"))
    for pred in (gold, doc(text.replace(" ", "|_|").lower())):
        found = read(gold, pred)
        assert [found.text[a:b] for a, b, _ in found.gold] == text.split(" ")


@pytest.mark.parametrize("pred_vocab", [Vocab(), nlp.vocab], ids=["bare too", "of a pipeline"])
def test_words_differ_though_the_vocabulary_of_the_reference_is_bare(pred_vocab):
    gold = doc("Foo bar|_|baz", (0, 1, "A"), vocab=Vocab())
    pred = doc("Foo bar|_|baz", (1, 2, "A"), vocab=pred_vocab)
    assert score([read(gold, pred)], ["wrf"])["metrics"]["wrf"]["scores"]["wrf"] == 0.0


def test_words_are_alike_though_the_vocabularies_are_two():
    gold, pred = doc("Foo bar", (0, 1, "A"), vocab=Vocab(nlp.vocab.lex_attr_getters)), doc("Foo bar", (0, 1, "A"))
    assert score([read(gold, pred)], ["wrf"])["metrics"]["wrf"]["scores"]["wrf"] == 1.0
