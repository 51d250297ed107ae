"""Reading Docs and Examples: which spans, texts and annotation, and sides that differ."""

from weakref import ref

import numpy as np
import pytest
import spacy
from docs import aligned, annotated, any_example, changed, doc, example, grouped, nlp
from hypothesis import given
from hypothesis import strategies as st
from own_scorers import counts
from profiles import tries
from refusals import refused_with
from spacy.attrs import ENT_IOB, ENT_TYPE
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_nereval import Document, count, create_all, evaluate, score
from spacy_nereval.core.labels import NO_LABEL
from spacy_nereval.counting.counter import Counter
from spacy_nereval.integration.examples import DocBatch, batches, count_examples, doc_record, documents, pair_docs
from spacy_nereval.integration.scorer import make_ner_scorer
from spacy_nereval.io.records import pair, project_spans

# What is read


@pytest.mark.parametrize(
    ("groups", "key", "spans"),
    [
        ({"x": [(2, 3, "X")], "all": [(0, 3, "Y")]}, "x", ((8, 11, "X"),)),
        ({"x": [(2, 3, "X")]}, None, ((0, 3, "PER"), (15, 23, "LOC"))),
        ({"x": [(0, 1, "A"), (0, 1, "A"), (0, 1, "B")]}, "x", ((0, 3, "A"), (0, 3, "B"))),
        ({"x": [(0, 3, "A"), (0, 2, "A"), (1, 3, "A")]}, "x", ((0, 7, "A"), (0, 11, "A"), (4, 11, "A"))),
    ],
)
def test_entities_or_a_group_are_characters_of_the_reference_text(groups, key, spans):
    text = "Ada met Bob in New York ."
    made = doc(text, (0, 1, "PER"), (4, 6, "LOC"), spans=groups)
    for gold, pred in ((made, doc(text, spans={"x": []})), (doc(text, spans={"x": []}), made)):
        found = pair_docs(gold, pred, key)
        assert (found.gold, found.pred, found.text) == ((spans, (), text) if gold is made else ((), spans, text))


@pytest.mark.parametrize("place, offset", [(0, 0), (1, 2), (4, 7)], ids=["first", "middle", "last"])
def test_a_span_of_length_zero_sits_at_the_start_of_its_token_and_has_no_words(place, offset):
    gold = doc("a b|_|cc dd", spans={"k": [(place, place, "A")]})
    found = pair_docs(gold, gold, "k")
    assert found.gold == ((offset, offset, "A"),)
    assert counts(found) == {"tp": 1}
    assert next(found.unigrams([found.gold[0]])) == []
    assert len(range(*found.covered_tokens(found.gold[0]))) == 0


def test_a_span_without_a_label_is_read_with_a_label_of_its_own():
    labelled, bare = (doc("a b", spans={"k": [(0, 1, label)]}) for label in ("A", ""))
    (found,) = documents([example(labelled, bare)], "k")
    assert (found.gold, found.pred) == (((0, 1, "A"),), ((0, 1, NO_LABEL),))
    assert counts(pair_docs(bare, bare, "k")) == {"tp": 1}


def test_the_id_is_the_one_in_the_user_data_of_the_reference_as_a_string():
    named, numbered = doc("a", (0, 1, "A"), id="clause 7"), doc("a")
    numbered.user_data["id"] = 7
    for pred in (doc("a", id="other"), doc("A", annotated=False)):
        assert (pair_docs(named, pred).id, pair_docs(numbered, pred).id) == ("clause 7", "7")
    assert pair_docs(doc("a"), named).id is None


# Which documents are annotated


REFERENCES = {
    "nothing said": (nlp("a b"), None, False),
    "no entities": (doc("a b"), None, True),
    "an empty text": (Doc(nlp.vocab), None, True),
    "white space": (doc("_|\n", annotated=False), None, False),
    "no entity in it": (doc("_|\n"), None, True),
    "no group": (doc("a b"), "k", False),
    "an empty group": (doc("a b", spans={"k": []}), "k", True),
}


@pytest.mark.parametrize(("gold", "key", "annotated"), REFERENCES.values(), ids=REFERENCES)
def test_which_references_are_annotated(gold, key, annotated):
    assert (pair_docs(gold, gold, key) is not None) is annotated


GROUP = {"k": [(0, 1, "A")]}
MISSING = doc("a b", missing=[(0, 2)], spans=GROUP)
PARTIAL = doc("a b c d", (0, 1, "A"), missing=[(2, 4)])
SAID = {
    "no entities": (doc("a b"), doc("a b", (0, 1, "A")), None, {"fp": 1}, 0),
    "a prediction that says nothing": (doc("a b", (0, 1, "A")), doc("a b", annotated=False), None, {"fn": 1}, 0),
    "an empty group": (doc("a b", spans={"k": []}), doc("a b", spans=GROUP), "k", {"fp": 1}, 0),
    "a prediction without the group": (doc("a b", spans=GROUP), doc("a b"), "k", {"fn": 1}, 0),
    "without it, in other case": (doc("a b", spans=GROUP), doc("A B"), "k", {"fn": 1}, 0),
    "without it, with white space": (doc("a b", spans=GROUP), doc("a|_|b"), "k", {"fn": 1}, 0),
    "a gap is none for a group": (MISSING, doc("a b", spans={"k": [(1, 2, "A")]}), "k", {"fp": 1, "fn": 1}, 0),
    "nor if case differs": (MISSING, doc("A B", spans={"k": [(1, 2, "A")]}), "k", {"fp": 1, "fn": 1}, 0),
    "predictions in a gap": (PARTIAL, doc("a b c d", *((k, k + 1, "AAAB"[k]) for k in range(4))), None,
        {"tp": 1, "fp": 1}, 2),
    "beside a gap": (doc("Ada|-|Bob met", (0, 1, "A"), missing=[(1, 2)]),
        doc("Ada|-|Bob met", (0, 1, "A"), (2, 3, "A")), None, {"tp": 1, "fp": 1}, 0),
    "in part in a gap": (doc("a b c", missing=[(1, 2)]), doc("a b c", (0, 2, "A"), (2, 3, "A")), None, {"fp": 1}, 1),
    "a gold span that such a one meets": (doc("a b c", (0, 1, "A"), missing=[(1, 2)]), doc("a b c", (0, 2, "A")), None,
        {"fn": 1}, 1),
    "a gap where the predicted text differs": (doc("_|a b c", (2, 3, "A"), missing=[(3, 4)]),
        doc("A B C", (1, 2, "A"), (2, 3, "A")), None, {"tp": 1}, 1),
    "white space between gaps": (doc("a b c", missing=[(0, 1), (2, 3)]), doc("a b c", (1, 2, "A")), None, {"fp": 1}, 0),
    "gaps of the prediction": (doc("a b", (0, 1, "A")), doc("a b", (0, 1, "A"), missing=[(1, 2)]), None, {"tp": 1}, 0),
    "a blocked token": (doc("a b", blocked=[(0, 1)]), doc("a b", (0, 1, "A")), None, {"fp": 1}, 0),
}  # fmt: skip


@pytest.mark.parametrize(("gold", "pred", "key", "counted", "ignored"), SAID.values(), ids=SAID)
def test_what_is_annotated_counts_and_what_is_not_is_ignored(gold, pred, key, counted, ignored):
    found = pair_docs(gold, pred, key)
    assert (counts(found), found.ignored) == (counted, ignored)
    assert count([found, found], []).ignored == 2 * ignored


# Partial annotation


@pytest.mark.filterwarnings("ignore:.*W030")
def test_entities_that_fit_no_tokens_turn_into_gaps():
    made = Example.from_dict(nlp("abc de"), {"entities": [(0, 2, "A"), (4, 6, "B")]})
    made.predicted.ents = [Span(made.predicted, 0, 1, "A"), Span(made.predicted, 1, 2, "B")]
    (found,) = documents([made])
    assert counts(found) == {"tp": 1}
    assert found.ignored == 1


# Docs that are read together as arrays, against each pair read by itself


def together(examples: list[Example]) -> list[Document]:
    """The documents of all batches, in their places."""
    placed: dict[int, Document] = {}
    for parts, _ in batches(examples):
        first = len(placed)
        for part in parts:
            placed |= {first + place: part.document(k) for k, place in enumerate(part.places.tolist())}
    assert [*sorted(placed)] == [*range(len(placed))]
    return [placed[place] for place in sorted(placed)]


def shown(document: Document) -> tuple:
    words = [[*document.unigrams(spans)] for spans in (document.gold, document.pred)]
    return document.gold, document.pred, document.text, document.tokens, document.id, words


@tries(100)
@given(st.lists(any_example(), max_size=5))
def test_examples_are_read_together_as_one_by_one(examples):
    alone = [document for document in documents(examples) if document]
    assert [shown(each) for each in together(examples)] == [shown(each) for each in alone]
    for parts, _ in batches(examples):
        assert sum(part.skipped for part in parts) == len(examples) - len(alone)
    counts = count_examples(examples, create_all(["strict"]))
    assert [count_examples(examples, [], key).spans_key for key in (None, "k")] == [None, "k"]
    assert counts.units == count(alone, create_all(["strict"])).units


def test_documents_that_were_read_together_are_gone_when_they_are_counted():
    """Docs can be large."""
    same = doc("a b", (0, 1, "A"))
    (((batch,), _),) = batches([example(same, same)] * 3)
    assert isinstance(batch, DocBatch)
    counter = Counter(create_all(["token", "wrf", "fair"]))
    gone = ref(batch)
    counter.add(batch)
    del batch
    assert gone() is None


def test_words_are_told_apart_as_each_vocabulary_does():
    """Oslo was found where Rome was to be found."""
    usual, own = spacy.blank("en").vocab, spacy.blank("en").vocab
    own["Rome"].lower_ = own["Oslo"].lower_ = "town"
    for order in ([usual, own], [own, usual], [own, usual, own]):
        pairs = ([doc("Rome Oslo", (k, k + 1, "A"), vocab=vocab) for k in (0, 1)] for vocab in order)
        counts = count_examples((example(*pair) for pair in pairs), create_all(["wrf"]))
        found = evaluate(counts)["metrics"]["wrf"]["per_type"]["A"]["counts"]
        assert found["match"] == order.count(own)


def test_a_label_may_be_known_to_one_vocabulary_only():
    gold, pred = doc("a b", (0, 1, "ONE"), vocab=Vocab()), doc("a b", (1, 2, "OTHER"), vocab=Vocab())
    assert "OTHER" not in gold.vocab.strings
    found = [(each.gold, each.pred) for each in together([example(gold, pred)] * 2)]
    assert found == [(((0, 1, "ONE"),), ((2, 3, "OTHER"),))] * 2


def unbegun(words: str, iob: list[int], kinds: list[str]) -> Doc:
    """A Doc with these values of tokens, which spaCy itself would not write."""
    made = doc(words)
    numbers = [made.vocab.strings.add(kind) if kind else 0 for kind in kinds]
    made.from_array([ENT_IOB, ENT_TYPE], np.array([iob, numbers], dtype=np.uint64).T)
    return made


@pytest.mark.parametrize(
    ("iob", "kinds"),
    [([1, 2, 2], ["A", "", ""]), ([2, 1, 2], ["", "A", ""]), ([3, 1, 2], ["", "A", ""]), ([3, 2, 1], ["A", "", "A"])],
)
def test_an_entity_that_goes_on_but_never_began_is_an_error_that_names_the_example(iob, kinds):
    good, bad = doc("a b c", (2, 3, "A")), unbegun("a b c", iob, kinds)
    for sides in ((good, bad), (bad, good)):
        with pytest.raises(ValueError, match=r"example 1: \[E093\]"):
            together([example(good, good), example(*sides), example(good, good)])


def test_an_entity_ends_with_its_text_or_at_a_blocked_token():
    """Even if the next text begins in the middle of one."""
    good = doc("a b", (0, 2, "A"))
    assert [shown(found)[:2] for found in together([example(good, good)] * 3)] == [(((0, 3, "A"),),) * 2] * 3
    with pytest.raises(ValueError, match=r"example 1: \[E093\]"):
        together([example(good, good), example(unbegun("a b", [1, 2], ["A", ""]), good)])
    gold = doc("a b c d", (0, 2, "A"), (3, 4, "A"), blocked=[(2, 3)])
    assert together([example(gold, gold)])[0].gold == ((0, 3, "A"), (6, 7, "A"))


def test_an_error_of_whoever_makes_the_examples_is_left_alone():
    def broken():
        yield example(doc("a"), doc("a"))
        raise ValueError("the source ran dry")

    with refused_with(ValueError, "the source ran dry"):
        count_examples(broken(), create_all(["strict"]))


def test_examples_of_several_vocabularies_are_counted_once_each_and_in_their_order():
    first, second = spacy.blank("en").vocab, spacy.blank("en").vocab
    examples = []
    for name, vocab in zip("ABCD", (first, second, second, first)):
        gold, pred = doc("Ada slept", (0, 1, name), id=name, vocab=vocab), doc("Ada slept", (1, 2, name), vocab=vocab)
        examples.append(example(gold, pred))
    found = together(examples)
    assert [(each.id, each.gold[0].label, each.pred[0].label) for each in found] == [(k, k, k) for k in "ABCD"]
    counts = count_examples(examples, create_all(["strict"]))
    assert (counts.ids, counts.gold, counts.pred) == ([*"ABCD"], 4, 4)


# Sides that differ: other tokens, other texts, and what counts as a word


some = tries(100)

METRICS = dict.fromkeys(["strict", "semeval", "slot_error", "loio"], {}) | {"fair": {"unit": "token"}}

# Other tokens


def test_the_tokens_that_count_are_those_of_the_reference():
    gold, pred = doc("the U.K. wins", (1, 2, "A")), doc("the U.|K. wins", (1, 2, "A"), (2, 3, "A"))
    assert pair_docs(gold, pred).tokens == [(0, 3), (4, 8), (9, 13)]
    assert counts(pair_docs(gold, pred), "fair", unit="char") == {"be_s": 2}
    # The only token there is has been consumed when the second half asks for it.
    assert counts(pair_docs(gold, pred), "fair", unit="token") == {"be_s": 1, "fp": 1}
    assert counts(pair_docs(pred, gold), "fair", unit="token") == {"be_l": 2}


# Other texts


YORK = doc("New York wins", (0, 2, "A"))


@pytest.mark.parametrize(
    ("gold", "pred", "text"),
    [
        (YORK, doc("NEW|_|YORK wins", (0, 3, "A")), YORK.text),
        (YORK, doc("\n\n|New _|York wins", (1, 4, "A")), YORK.text),
        (YORK, doc("New \u00a0|York|\t|wins", (0, 4, "A")), YORK.text),
        (doc("the U.K. wins", (1, 2, "GPE")), doc("the U|.|K|. wins", (1, 5, "GPE")), "the U.K. wins"),
        (doc("_|\n|a|\t|b _", (2, 5, "A")), doc("a b", (0, 2, "A")), " \na\tb  "),
        # case that changes the length of a text is case still
        (doc("in İzmir today", (1, 2, "A")), doc("in i\u0307zmir today", (1, 2, "A")), "in İzmir today"),
    ],
)
def test_a_prediction_on_a_text_with_other_tokens_white_space_or_case_is_carried_over(gold, pred, text):
    found = pair_docs(gold, pred)
    assert counts(found) == {"tp": 1}
    assert found.text == text


def test_predictions_that_fall_on_one_place_are_one_and_white_space_becomes_a_span_of_length_zero():
    pred = doc("a|_|_|b", spans={"k": [(0, 1, "A"), (0, 2, "A"), (0, 3, "A")]})
    assert pair_docs(doc("a b", spans={"k": []}), pred, "k").pred == ((0, 1, "A"),)
    assert pair_docs(doc("a b"), doc("a _|b", (1, 2, "A"))).pred == ((2, 2, "A"),)


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
        with refused_with(
            ValueError,
            "example 3000: the predicted text differs from the reference in more than white space and "
            "case: 'd' at 4 against 'c' at 4",
        ):
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
    ((a, b, label),) = project_spans([(start, end, "A")], source, target)

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
    assert counts(pair_docs(gold, pred)) == ({"tp": len(gold.ents)} if gold.ents else {})


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
    assert counts(pair_docs(pairs[0].reference, pairs[0].predicted), "wrf", case=case).get("match", 0) == matches
    scorer = make_ner_scorer(metrics={"wrf": {"case": case}})
    assert scorer(pairs)["ents_wrf"] == matches


@some
@given(aligned() | grouped(aligned=True), st.sampled_from(["lower", "keep"]), st.sampled_from(["token", "whitespace"]))
def test_every_metric_says_the_same_of_docs_and_of_plain_text_with_tokens(eg, case, by):
    key = "k" if "k" in eg.reference.spans else None
    if key is None and not eg.reference.has_annotation("ENT_IOB"):
        return
    slow = pair(doc_record(eg.reference, key), doc_record(eg.predicted, key))
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
    found = words_of(pair_docs(made, made))
    assert [[a == b for a in found] for b in found] == [[a == b for a in lowered] for b in lowered]


@pytest.mark.parametrize("space", ["_", "\n", "\t\t", "\u00a0", "\u3000"])
def test_white_space_is_no_word(space):
    for vocab in (nlp.vocab, Vocab()):
        made = doc(f"a|{space}|b", (0, 3, "A"), vocab=vocab)
        assert len(words_of(pair_docs(made, made))[0]) == 2
    made = doc(f"a|{space}|b", (0, 3, "A"))
    assert words_of(pair_docs(made, doc("A B"))) == [["a", "b"]]


def test_a_word_cut_by_a_prediction_is_a_word_of_its_own():
    found = pair_docs(doc("the scroll tip", (1, 3, "A")), doc("the scro|ll tip", (1, 2, "A")))
    assert next(found.unigrams([found.gold[0]])) == ["scroll", "tip"]
    assert next(found.unigrams([found.pred[0]])) == ["scro"]


@pytest.mark.parametrize("pred_vocab", [Vocab(), nlp.vocab], ids=["bare too", "of a pipeline"])
def test_words_differ_though_the_vocabulary_of_the_reference_is_bare(pred_vocab):
    gold = doc("Foo bar|_|baz", (0, 1, "A"), vocab=Vocab())
    pred = doc("Foo bar|_|baz", (1, 2, "A"), vocab=pred_vocab)
    assert score([pair_docs(gold, pred)], ["wrf"])["metrics"]["wrf"]["scores"]["wrf"] == 0.0


def test_words_are_alike_though_the_vocabularies_are_two():
    gold, pred = doc("Foo bar", (0, 1, "A"), vocab=Vocab(nlp.vocab.lex_attr_getters)), doc("Foo bar", (0, 1, "A"))
    assert score([pair_docs(gold, pred)], ["wrf"])["metrics"]["wrf"]["scores"]["wrf"] == 1.0
