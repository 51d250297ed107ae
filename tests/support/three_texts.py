"""Three short texts and their annotation as tags and spans, for the tests of what `score` accepts."""

import re

import spacy
from spacy.tokens import Doc

WORDS = [["Ada", "met", "Bob", "in", "New", "York"], ["Rome", "calls"], ["Nobody", "slept"]]


TEXTS = [" ".join(words) for words in WORDS]


GOLD = [["B-PER", "O", "B-PER", "O", "B-LOC", "I-LOC"], ["B-LOC", "O"], ["O", "O"]]


PRED = [["B-PER", "O", "B-ORG", "O", "O", "B-LOC"], ["B-LOC", "B-PER"], ["O", "O"]]


GOLD_SPANS = [[(0, 3, "PER"), (8, 11, "PER"), (15, 23, "LOC")], [(0, 4, "LOC")], []]


PRED_SPANS = [[(0, 3, "PER"), (8, 11, "ORG"), (19, 23, "LOC")], [(0, 4, "LOC"), (5, 10, "PER")], []]


NLP = spacy.blank("en")


OFFSETS = [[match.span() for match in re.finditer(r"\S+", text)] for text in TEXTS]


def dicts(side, start="start", end="end", label="label", *, inclusive=0, surface=None):
    made = [[{start: a, end: b - inclusive, label: name} for a, b, name in spans] for spans in side]
    if surface:
        for spans, text in zip(made, TEXTS):
            for span in spans:
                span[surface] = text[span[start] : span[end] + inclusive]
    return made


def docs(side):
    made = []
    for words, spans in zip(WORDS, side):
        doc = Doc(NLP.vocab, words=words, spaces=[True] * (len(words) - 1) + [False])
        doc.set_ents([doc.char_span(*span) for span in spans])
        made.append(doc)
    return made


def records(side):
    return [
        {"text": text, "spans": dicts([spans])[0], "id": f"d{k}"} for k, (text, spans) in enumerate(zip(TEXTS, side))
    ]
