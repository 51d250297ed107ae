"""What a result says of reading does not depend on the batches in which documents are counted."""

import pytest

from spacy_nereval import Counter, score

ADA, BOB, EVE = "Ada met Bob.", "Bob met Eve.", "Eve met Ada."
PLAIN = [[(0, 3, "PER"), (8, 11, "PER")]] * 3
SAID = {
    "a mapped label in the first document alone": (
        [[(0, 3, "X")], [(0, 3, "PER")], [(0, 3, "PER")]],
        PLAIN,
        {"labels": {"X": "PER", "NONE": "LOC"}},
        "NONE to map",
        "X to map",
    ),
    "a mapped label in the last document alone": (
        PLAIN,
        [[(0, 3, "PER")], [(0, 3, "PER")], [(0, 3, "X")]],
        {"labels": {"X": "PER", "NONE": "LOC"}},
        "NONE to map",
        "X to map",
    ),
    "a label that is not kept, in the first": (
        PLAIN,
        [[(0, 3, "PERS")], *PLAIN[1:]],
        {"only": ["PER"]},
        "1 of 5 predicted spans has a label that never occurs in gold: PERS",
        "to keep",
    ),
    "no annotation in the first": (PLAIN, [None, *PLAIN[1:]], {}, "1 document without annotation skipped", "cut"),
    "white space at an edge in the first": ([[(0, 4, "PER")], *PLAIN[1:]], PLAIN, {}, "White space", "cut"),
    "a predicted span without characters in the first": (
        PLAIN,
        [[(2, 2, "PER")], *PLAIN[1:]],
        {},
        "no character",
        "cut",
    ),
    "strings that the text lacks, in the first": (
        PLAIN,
        [[{"text": "Zoe", "label": "PER"}], [{"text": "Bob", "label": "PER"}], [{"text": "Eve", "label": "PER"}]],
        {},
        "3 mentions without offsets: 2 exact, 1 not in the text",
        "cut",
    ),
}


@pytest.mark.parametrize(("gold", "pred", "options", "said", "unsaid"), SAID.values(), ids=SAID)
def test_what_is_said_of_reading_is_said_whatever_batch_it_is_in(monkeypatch, gold, pred, options, said, unsaid):
    texts = [ADA, BOB, EVE]
    together = score(gold, pred, "strict,fair", text=texts, **options)
    assert said in str(together) and unsaid not in str(together)
    monkeypatch.setattr("spacy_nereval.counting.batch.TOGETHER", 1)
    apart = score(gold, pred, "strict,fair", text=texts, **options)
    assert str(apart) == str(together) and apart.to_dict() == together.to_dict()


def test_texts_and_tokens_of_a_batch_are_those_of_its_call():
    gold, pred, text, tokens = [[(0, 5, "A")]], [[(0, 3, "A")]], ["ab cd ef"], [[(0, 2), (3, 5), (6, 8)]]
    for given in ({"tokens": tokens}, {"text": text, "tokens": tokens}, {"text": text, "tokens": [["ab cd", "ef"]]}):
        counter = Counter("token,strict")
        counter.add(gold, pred, **given)
        assert counter.result()["metrics"] == score(gold, pred, "token,strict", **given)["metrics"], given
    assert counter.result().token.counts != score(gold, pred, "token", tokens=tokens).token.counts
