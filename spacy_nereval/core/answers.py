"""Answers of language models, as they are: find the names and labels in JSON, in prose around it, or in marked text.

An answer is read as a whole or not at all: one that is cut off, or lists its names twice and differently, is not
readable. Offsets in answers are not used, since models seldom count right.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .keys import ENDS, LABELS, MENTIONS, SPAN_LISTS, STARTS, STRINGS, mention_of
from .messages import PlainSpan, unique_keys

FENCE = re.compile(r"```[\w-]*\s*\n(.*?)```", re.DOTALL)
"""A block of Markdown."""

THOUGHTS = re.compile(
    r"^\s*<think(ing)?>.*?</think(ing)?>|</?(answer|output|response|text)>", re.DOTALL | re.IGNORECASE
)
"""Text that models write around an answer: their thoughts before it, and tags that mark it."""

TAG = re.compile(r"<(/?)([^\W\d][\w.:-]*)(?:\s+(?:type|label|class)=[\"']?([^\"'<>]+)[\"']?)?\s*>|(@@)|(##)")
"""The beginning or the end of a marked name."""

TRAILING_COMMA = re.compile(r",(?=\s*[\]}])")

WRAPPERS = {*SPAN_LISTS, MENTIONS, "ner", "named_entities", "results", "output", "answer"}
"""Keys of the list of names in an object."""

CLOSING = {"[": "]", "{": "}"}

Pairs = list[tuple[str, str]]


class MarkedAnswer(NamedTuple):
    """A text that an answer repeats, and the names that it marks there."""

    text: str
    spans: list[PlainSpan]

    @property
    def mentions(self) -> Pairs:
        """The names and their labels."""
        return [(self.text[start:end], label) for start, end, label in self.spans]


def read_answer(answer: str, label: str | None = None) -> Pairs | MarkedAnswer | None:
    """Return the names in an answer with their labels, or the answer as marked text; None if its marks do not match.

    An answer without a list of names is a text, perhaps without marks: it is readable only if it repeats the document.

    Args:
        answer: The answer.
        label: The label of names without one, if the model was asked for one label only.

    >>> read_answer("Sure! {'PER': ['Ada', 'Bob',]} Anything else?")
    [('Ada', 'PER'), ('Bob', 'PER')]
    >>> read_answer("<PER>Ada</PER> met"), read_answer("@@Ada## met", "PER")
    (MarkedAnswer(text='Ada met', spans=[(0, 3, 'PER')]), MarkedAnswer(text='Ada met', spans=[(0, 3, 'PER')]))
    >>> read_answer('[{"name": "Ada", "type": "PER"}, {"name": "Bo').spans, read_answer("<PER>Ada met")
    ([], None)
    """
    answer = THOUGHTS.sub("", answer)
    blocks = FENCE.findall(answer)
    listed = _listed_mentions("\n".join(blocks) if blocks else answer, label)
    if listed:
        return listed
    marked = _marked_text(answer.strip(), label)
    return marked if marked and marked.spans else listed if listed is not None else marked


def _listed_mentions(text: str, label: str | None) -> Pairs | None:
    """Return the mentions of the JSON values in a text; None if there is no list of them, or several that differ."""
    lists = []
    try:
        for value in _values(text):
            if (mentions := _mentions(value, label)) is not None:
                lists.append((isinstance(value, dict) and mention_of(_without_offsets(value)) is not None, mentions))
    except ValueError:
        return None
    if lists and all(is_single for is_single, _ in lists):  # an object per line
        return [mention for _, mentions in lists for mention in mentions]
    return lists[0][1] if lists and all(mentions == lists[0][1] for _, mentions in lists) else None


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON objects and lists of a text, also as Python writes them. Raise ValueError if one has no end."""
    depth, start, opened = 0, 0, ""
    for at, character in enumerate(text):
        if not depth and character in CLOSING:
            depth, start, opened = 1, at, character
        elif depth and character in (opened, CLOSING[opened]):
            depth += 1 if character == opened else -1
            if not depth:
                yield _value(text[start : at + 1])
    if depth:
        raise ValueError("a bracket is not closed")


def _value(text: str) -> Any:
    """Return the value of JSON, of JSON with commas before closing brackets, or of Python; None for anything else."""
    for written in (text, TRAILING_COMMA.sub("", text)):
        try:
            return json.loads(written, strict=False, object_pairs_hook=unique_keys)
        except (ValueError, RecursionError):
            pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _without_offsets(item: Any) -> Any:
    if not isinstance(item, Mapping):
        return item
    return {name: value for name, value in item.items() if name not in (*STARTS, *ENDS, "offset", "length")}


def _mentions(value: Any, label: str | None) -> Pairs | None:
    """Return the mentions that a JSON value lists; None if it lists none."""
    if isinstance(value, (list, tuple)):
        parts = [_mention(item, label) for item in value]
        return None if None in parts else [pair for part in parts for pair in part or ()]
    if not isinstance(value, dict):
        return None
    if mention := mention_of(_without_offsets(value)):
        return [mention]
    if wrapped := [item for key, item in value.items() if str(key).lower() in WRAPPERS]:
        return _mentions(wrapped[0], label) if len(wrapped) == 1 else None
    return _read_label_object(value)


def _mention(item: Any, label: str | None) -> Pairs | None:
    if isinstance(item, str):
        return None if label is None else [(item, label)]
    if mention := mention_of(_without_offsets(item)):
        return [mention]
    return _read_label_object(item) if isinstance(item, dict) else None


def _read_label_object(value: dict[Any, Any]) -> Pairs | None:
    """Return the strings that an object has by label; None if it has something else."""
    pairs: Pairs = []
    for label, strings in value.items():
        strings = [] if strings is None else [strings] if isinstance(strings, str) else strings
        is_label = isinstance(label, str) and label and label not in (*STRINGS, *LABELS)
        if not is_label or not isinstance(strings, list) or not all(isinstance(string, str) for string in strings):
            return None
        pairs += [(string, label) for string in strings]
    return pairs


def _marked_text(answer: str, label: str | None) -> MarkedAnswer | None:
    """Return the text of an answer and its marked names; None if marks do not match, or have no label."""
    text, before = "", 0
    spans: list[PlainSpan] = []
    stack: list[tuple[str, int, str | None]] = []
    for tag in TAG.finditer(answer):
        end, name, attribute, opens, closes = tag.groups()
        text += answer[before : tag.start()]
        before = tag.end()
        if opens or (name and not end):
            stack.append((name or "@@", len(text), label if opens else attribute or name))
        else:
            began = stack.pop() if stack else ("", 0, None)
            if began[0] != (name or "@@") or began[2] is None:
                return None
            spans.append((began[1], len(text), began[2]))
    return None if stack else MarkedAnswer(text + answer[before:], spans)
