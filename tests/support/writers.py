"""One corpus in every format that the package reads."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from docs import nlp, write_docs
from hypothesis import strategies as st
from spacy.tokens import Doc, Span


class Side(NamedTuple):
    """A text of sentences of words, and its spans: first word, word after the last, label."""

    sentences: tuple[tuple[str, ...], ...]
    spans: frozenset[tuple[int, int, str]]

    @property
    def text(self) -> str:
        return "\n".join(" ".join(sentence) for sentence in self.sentences)

    @property
    def places(self) -> list[tuple[int, int]]:
        found, start = [], 0
        for sentence in self.sentences:
            for word in sentence:
                found.append((start, start + len(word)))
                start += len(word) + 1
        return found

    @property
    def offsets(self) -> list[tuple[int, int, str]]:
        return sorted((self.places[a][0], self.places[b - 1][1], label) for a, b, label in self.spans)


WORDS = ("Ada", "ada", "in", "New", "York", "é", "İ", "ß", "😀", "👩‍🚀", "-", "O", "B-A", "#", ".", "#x", "1")
LABELS = ("A", "B", "a-b")


@st.composite
def sides(draw: st.DrawFn, *, nested: bool = False, sentences: int = 3) -> tuple[Side, Side]:
    """Gold and prediction of one text. Spans do not leave their sentence; unless `nested` they do not overlap."""
    words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(tuple)
    text = tuple(draw(st.lists(words, min_size=1, max_size=sentences)))
    found = []
    for _ in range(2):
        spans, before = set(), 0
        for sentence in text:
            here = 0
            for _ in range(draw(st.integers(0, 4))):
                start = draw(st.integers(here, len(sentence)))
                end = draw(st.integers(start, len(sentence)))
                if start < end:
                    spans.add((before + start, before + end, draw(st.sampled_from(LABELS))))
                    here = 0 if nested else end
            before += len(sentence)
        found.append(Side(text, frozenset(spans)))
    return found[0], found[1]


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    path.write_bytes("".join(line + "\n" for line in lines).encode())
    return path


def write_spacy(path: Path, corpus: Sequence[Side]) -> Path:
    made = []
    for side in corpus:
        words: list[str] = []
        spaces: list[bool] = []
        places: list[int] = []  # of each word among the tokens
        for k, sentence in enumerate(side.sentences):
            words += ["\n"] * (k > 0)
            spaces += [False] * (k > 0)
            places += range(len(words), len(words) + len(sentence))
            words += sentence
            spaces += [True] * (len(sentence) - 1) + [False]
        doc = Doc(nlp.vocab, words=words, spaces=spaces)
        assert doc.text == side.text
        spans = [Span(doc, places[a], places[b - 1] + 1, label) for a, b, label in side.spans]
        try:
            doc.set_ents(spans, default="outside")
        except ValueError:  # they overlap
            doc.set_ents([], default="outside")
        doc.spans["sc"] = spans
        made.append(doc)
    return write_docs(path, made)


def jsonl(shape: Callable[[Side], dict[str, Any]]) -> Callable[[Path, Sequence[Side]], Path]:
    def write(path: Path, corpus: Sequence[Side]) -> Path:
        return write_lines(path, (json.dumps({"text": side.text} | shape(side)) for side in corpus))

    return write


def ours(side: Side) -> dict[str, Any]:
    return {"spans": [{"start": a, "end": b, "label": label} for a, b, label in side.offsets]}


def prodigy(side: Side) -> dict[str, Any]:
    tokens = [{"text": side.text[a:b], "start": a, "end": b, "id": k} for k, (a, b) in enumerate(side.places)]
    spans = ours(side) if side.spans else {}
    return spans | {"tokens": tokens, "_input_hash": 7, "_view_id": "ner_manual", "answer": "accept"}


def doccano(side: Side) -> dict[str, Any]:
    spans = [{"id": 7, "label": label, "start_offset": a, "end_offset": b} for a, b, label in side.offsets]
    return {"entities": spans, "relations": [], "Comments": []}


def other_names(side: Side) -> dict[str, Any]:
    return {"ents": [{"start_char": a, "end_char": b, "type": label} for a, b, label in side.offsets]}


def json_list(shape: Callable[[Side], dict[str, Any]]) -> Callable[[Path, Sequence[Side]], Path]:
    def write(path: Path, corpus: Sequence[Side]) -> Path:
        path.write_text(json.dumps([{"text": side.text} | shape(side) for side in corpus], indent=1), encoding="utf8")
        return path

    return write


def by_label(side: Side) -> dict[str, Any]:
    labels = {label for _, _, label in side.offsets} or {"A"}
    named = {label: [side.text[a:b] for a, b, other in side.offsets if other == label] for label in sorted(labels)}
    return {"entities": named if side.offsets else [], "id": side.text}


def answer(side: Side) -> dict[str, Any]:
    named = [{"name": side.text[a:b], "type": label} for a, b, label in side.offsets]
    return {"answer": f"Here they are:\n```json\n{json.dumps(named, indent=1)}\n```"}


def marked_answer(side: Side) -> dict[str, Any]:
    text, before = "", 0
    for a, b, label in side.offsets:
        text += f"{side.text[before:a]}<{label}>{side.text[a:b]}</{label}>"
        before = b
    return {"answer": text + side.text[before:]}


def triples(key: str) -> Callable[[Side], dict[str, Any]]:
    return lambda side: {key: [[a, b, label] for a, b, label in side.offsets]}


SCHEMES = ("IOB1", "IOB2", "BILUO", "BIOES")


def tags(side: Side, scheme: str) -> list[list[str]]:
    """The tags of each sentence."""
    found = ["O"] * len(side.places)
    starts = {sum(map(len, side.sentences[:k])) for k in range(len(side.sentences))}
    for start, end, label in sorted(side.spans):
        prefixes = ["I"] * (end - start)
        if scheme != "IOB1" or (start not in starts and found[start - 1][2:] == label):
            prefixes[0] = "B"
        if scheme in ("BILUO", "BIOES"):
            prefixes[-1] = scheme[2 if scheme == "BILUO" else 3]
            if end == start + 1:
                prefixes = [scheme[3 if scheme == "BILUO" else 4]]
        found[start:end] = [f"{prefix}-{label}" for prefix in prefixes]
    rest = iter(found)
    return [[next(rest) for _ in sentence] for sentence in side.sentences]


def conll(scheme: str = "IOB2", *, between: str = "\t", marked: bool = True, last: str = ""):
    """A writer of two columns and more. Without `marked` documents have one sentence."""

    def write(path: Path, corpus: Sequence[Side]) -> Path:
        lines = []
        for side in corpus:
            lines += [between.join(("-DOCSTART-", "-X-", "O")), ""] * marked
            for sentence, tagged in zip(side.sentences, tags(side, scheme)):
                lines += [between.join((word, "NN", tag, *last)) for word, tag in zip(sentence, tagged)]
                lines.append("")
        return write_lines(path, lines)

    return write


def brat(path: Path, corpus: Sequence[Side]) -> Path:
    path.mkdir()
    for k, side in enumerate(corpus):
        (path / f"{k:03}.txt").write_bytes(side.text.encode())
        text, spans = side.text.replace("\n", " "), enumerate(side.offsets, 1)
        rows = [f"T{n}\t{label} {a} {b}\t{text[a:b]}" for n, (a, b, label) in spans]
        write_lines(path / f"{k:03}.ann", [*rows, "#1\tAnnotatorNotes T1\tno doubt", "R1\tpart Arg1:T1 Arg2:T2"])
    return path


def faireval(path: Path, corpus: Sequence[Side]) -> Path:
    lines = []
    for side in corpus:
        for start, end, label in sorted(side.spans):
            listed = ", ".join(str(token + 1) for token in range(start, end))
            lines.append(f"{label}\t{start + 1}\t{end}\t{listed}")
        lines += ["NONE\t999\t999\t999"] * (not side.spans)
        lines.append("")
    return write_lines(path, lines)
