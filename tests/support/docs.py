"""Docs and Examples in a few characters, by hand and as Hypothesis draws them; and a little model to train."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import spacy
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example
from thinc.api import Config

nlp = spacy.blank("xx")
"""The default tokenizer and vocabulary."""

Ent = tuple[int, int, str]
"""First token, token after the last, label."""

Places = Iterable[tuple[int, int]]


def doc(
    text: str,
    *ents: Ent,
    missing: Places = (),
    blocked: Places = (),
    annotated: bool = True,
    spans: Mapping[str, Sequence[Ent]] | None = None,
    id: str | None = None,
    vocab: Any = nlp.vocab,
) -> Doc:
    """A Doc whose tokens are given by its text.

    A blank or a `|` ends a token, and only the blank shows in the text. A `_` is
    a blank inside a token.

    >>> made = doc("the_|U.|K. wins", (1, 3, "GPE"))
    >>> [token.text for token in made], made.ents, made.text
    (['the ', 'U.', 'K.', 'wins'], (U.K.,), 'the U.K. wins')
    """
    words, spaces = [], []
    for stretch in text.split(" "):
        words += stretch.split("|")
        spaces += [False] * stretch.count("|") + [True]
    if spaces:
        spaces[-1] = False
    if words == [""]:
        words = spaces = []
    made = Doc(vocab, words=[word.replace("_", " ") for word in words], spaces=spaces)
    if annotated:
        left_out = {"missing": [made[a:b] for a, b in missing], "blocked": [made[a:b] for a, b in blocked]}
        made.set_ents([Span(made, *ent) for ent in ents], default="outside", **left_out)
    for key, group in (spans or {}).items():
        made.spans[key] = [Span(made, *span) for span in group]
    if id is not None:
        made.user_data["id"] = id
    return made


def example(gold: Doc, pred: Doc) -> Example:
    """Gold first, as everywhere in this package and nowhere in spaCy."""
    return Example(pred, gold)


def write_docs(path: Path, docs: Iterable[Doc]) -> Path:
    """Docs as a `.spacy` file, span groups and user data included."""
    DocBin(docs=docs, store_user_data=True).to_disk(path)
    return path


WORDS = (*["a", "B", "ab", "A", "U.K.", "é", "é", "😀", "İ", "ß", "1", ".", "ORTH"], " ", "\n", "\u00a0 ")
"""Among them a word cut of two code points, one outside the first plane, one that
lower-cases to two characters, the name of a symbol of spaCy's, and white space."""

LABELS = ("A", "B", "C")


@st.composite
def words_and_spaces(draw: st.DrawFn) -> tuple[list[str], list[bool]]:
    words = draw(st.lists(st.sampled_from(WORDS), max_size=8))
    return words, [draw(st.booleans()) for _ in words]


@st.composite
def recut(draw: st.DrawFn, words: list[str], spaces: list[bool]) -> tuple[list[str], list[bool]]:
    """The same text with some tokens joined, and some cut in two."""
    pieces, follows = [""], [False]
    for word, space in zip(words, spaces):
        cut = draw(st.integers(1, len(word)))
        for piece in filter(None, (word[:cut], word[cut:])):
            if pieces[-1] and not follows[-1] and draw(st.booleans()):
                pieces[-1] += piece
            else:
                pieces.append(piece)
                follows.append(False)
        follows[-1] = space
    return pieces[1:], follows[1:]


def changed(words: list[str], spaces: list[bool], how: str) -> tuple[list[str], list[bool]]:
    """The same words in a text that differs in case or in white space."""
    if how == "upper":  # whatever changes its length stays as it is
        words = [word.upper() if word.upper().lower() == word.lower() else word for word in words]
    elif how == "spaced":
        spaces = [True] * len(words)
    elif how == "packed":
        spaces = [False] * len(words)
    return words, spaces


@st.composite
def annotated(
    draw: st.DrawFn, words: list[str], spaces: list[bool], *, kinds: Sequence[str] = ("all",), like: Doc | None = None
) -> Doc:
    """A Doc with entities; `kinds` are `all` annotated, `some` of it, `none`. Many
    of its entities are those of `like`, if they fit."""
    made = Doc(nlp.vocab, words=words, spaces=spaces)
    kind = draw(st.sampled_from(kinds))
    if kind == "none":
        return made
    fitting = [made.char_span(e.start_char, e.end_char, e.label_) for e in (like.ents if like else ())]
    kept = {span.start: span for span in fitting if span and draw(st.integers(0, 3))}
    stretches: dict[str, list[Span]] = {"ent": list(kept.values()), "missing": [], "blocked": []}
    here = 0
    while here < len(words):
        if here in kept:
            here = kept[here].end
            continue
        end = min(len(words), here + draw(st.integers(1, 3)), *(start for start in kept if start > here))
        what = draw(st.sampled_from(("ent", "ent", "outside", "missing" if kind == "some" else "outside", "blocked")))
        if what == "ent":
            stretches["ent"].append(Span(made, here, end, draw(st.sampled_from(LABELS))))
        elif what != "outside":
            stretches[what].append(made[here:end])
        here = end
    made.set_ents(stretches["ent"], missing=stretches["missing"], blocked=stretches["blocked"], default="outside")
    return made


@st.composite
def aligned(draw: st.DrawFn, *, kinds: Sequence[str] = ("all",)) -> Example:
    """Gold and prediction on the same tokens."""
    words, spaces = draw(words_and_spaces())
    gold = draw(annotated(words, spaces, kinds=kinds))
    return example(gold, draw(annotated(words, spaces, like=gold)))


@st.composite
def any_example(draw: st.DrawFn) -> Example:
    """Gold and prediction on tokens of their own, and anything annotated or not."""
    words, spaces = draw(words_and_spaces())
    other = changed(words, spaces, draw(st.sampled_from(("same", "same", "upper", "spaced", "packed"))))
    if draw(st.booleans()):
        other = draw(recut(*other))
    gold = draw(annotated(words, spaces, kinds=("all", "all", "some", "some", "none")))
    return example(gold, draw(annotated(*other, like=gold)))


@st.composite
def grouped(draw: st.DrawFn, *, aligned: bool = False) -> Example:
    """Gold and prediction in `doc.spans["k"]`, which may be missing: overlapping,
    repeated, of length zero."""
    words, spaces = draw(words_and_spaces())
    other = (words, spaces) if aligned or draw(st.booleans()) else draw(recut(words, spaces))
    sides = []
    for w, s in ((words, spaces), other):
        made = Doc(nlp.vocab, words=w, spaces=s)
        if draw(st.integers(0, 5)):
            group = []
            for _ in range(draw(st.integers(0, 4)) if w else 0):
                start = draw(st.integers(0, len(w) - 1))
                group.append(Span(made, start, draw(st.integers(start, len(w))), draw(st.sampled_from(LABELS))))
            made.spans["k"] = group
        sides.append(made)
    return example(*sides)


NAMES, PLACES = ("Ada", "Bob", "Eve", "Max", "Zoe"), ("Rome", "Oslo", "Bern", "Kiel")


def little_corpus() -> list[Doc]:
    """Twenty sentences that a small model learns in no time."""
    return [doc(f"{name} lives in {place} .", (0, 1, "PER"), (3, 4, "LOC")) for name in NAMES for place in PLACES]


GROWING = {"@schedules": "compounding.v1", "start": 0.02, "stop": 20, "compound": 1.3}
"""The rate grows until it breaks the model, so that the best model is not the last."""

TRAINING: dict[str, Any] = {
    "paths": {"data": "corpus.spacy"},
    "nlp": {"lang": "en", "pipeline": ["ner"]},
    "corpora": {name: {"@readers": "spacy.Corpus.v1", "path": "${paths.data}"} for name in ("train", "dev")},
    "training": {
        **{"max_steps": 30, "eval_frequency": 5, "patience": 0},
        "logger": {"@loggers": "spacy.ConsoleLogger.v1"},
        "optimizer": {"@optimizers": "Adam.v1", "learn_rate": GROWING},
        "score_weights": {
            **dict.fromkeys(("ents_f", "ents_p", "ents_r", "ents_wrf", "ents_partial_f"), 0.0),
            **{"ents_fair_f": 1.0, "ents_per_type": None, "ents_nereval": None},
        },
    },
}
TRAINING["components"] = {
    "ner": {
        "factory": "ner",
        "scorer": {"@scorers": "spacy-nereval.ner_scorer.v1"},
        "model": {
            "@architectures": "spacy.TransitionBasedParser.v2",
            **{"state_type": "ner", "extra_state_tokens": False, "use_upper": False},
            **{"hidden_width": 16, "maxout_pieces": 1},
            "tok2vec": {
                "@architectures": "spacy.HashEmbedCNN.v2",
                **{"width": 16, "depth": 1, "embed_size": 200, "window_size": 1, "maxout_pieces": 2},
                **{"subword_features": False, "pretrained_vectors": None},
            },
        },
    }
}


def train(path: Path, **overrides: Any) -> list[list[str]]:
    """Train on that corpus into a directory; the rows that the console showed, the header first."""
    from spacy.cli.train import train

    config = Config(TRAINING)
    spacy.util.load_model_from_config(config, auto_fill=True).config.to_disk(path / "config.cfg")
    corpus = write_docs(path / "corpus.spacy", little_corpus())
    with redirect_stdout(StringIO()) as shown:
        train(path / "config.cfg", path, overrides={"paths.data": str(corpus), **overrides})
    rows = [re.split(r"  +", line.strip()) for line in shown.getvalue().splitlines()]
    header = next(k for k, row in enumerate(rows) if row[:2] == ["E", "#"])
    return [rows[header], *(row for row in rows[header + 2 :] if len(row) == len(rows[header]))]


def with_data(*tables: dict[str, Any]) -> list[Doc]:
    """Documents with an entity, each with a table of user data."""
    docs = [doc("Ada met Bob", (0, 1, "PER")) for _ in tables]
    for each, table in zip(docs, tables):
        each.user_data |= table
    return docs
