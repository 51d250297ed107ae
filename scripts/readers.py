"""Read the corpora of this project into spaCy Docs, one function per corpus.

Every reader takes the folder of a corpus and returns the Docs of each split. It adds
to the notes what it could not convert one to one: what it did instead, and where.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import filter_spans
from spacy.vocab import Vocab

Splits = dict[str, list[Doc]]
Notes = defaultdict[str, list[str]]
"""For each kind of change the places where it was made."""

# The errors that a record of the wrong shape leads to.
MALFORMED = (AttributeError, KeyError, TypeError, ValueError)
WARRANTY_FORMAT = '{"id", "text", "spans": [{"start", "end", "label"}]}'
MAINTIE_FORMAT = '{"text", "tokens", "entities": [{"start", "end", "type"}]}'
WARRANTY_LABELS = ("FAILURE_LOC", "FAILURE_TYPE")
# The two of MaintIE's five top classes that correspond to the labels of warranty.
MAINTIE_LABELS = ("PhysicalObject", "State")
WNUT17_FILES = {
    "train": "wnut17train.conll",
    "dev": "emerging.dev.conll",
    "test": "emerging.test.annotated",  # with the labels of the shared task's scorer
}


class ReadError(Exception):
    """A corpus file is missing or malformed; the message says where and why."""


def read_warranty(folder: Path, notes: Notes) -> Splits:
    """Read JSON lines with character offsets. The texts are tokenised by spaCy's English rules."""
    nlp = spacy.blank("en")
    splits: Splits = {}
    for split in ("train", "dev", "test"):
        splits[split] = []
        for where, line in read_lines(folder / f"{split}.jsonl"):
            if not line.strip():
                continue
            try:
                splits[split].append(warranty_doc(nlp, json.loads(line), where, notes))
            except MALFORMED as error:
                raise ReadError(f"{where}: {explain(error, WARRANTY_FORMAT)}") from error
    return splits


def warranty_doc(nlp: Language, record: dict[str, Any], where: str, notes: Notes) -> Doc:
    """Return the Doc of one line. A span that cuts a token is extended to the whole token."""
    text = record["text"]
    if not text.strip():
        raise ValueError("the text is empty")
    doc = nlp.make_doc(text)
    if "id" in record:
        doc.user_data["id"] = record["id"]
    spans: list[Span] = []
    previous_end = 0
    for item in sorted(record["spans"], key=lambda item: item["start"]):
        start, end, label = item["start"], item["end"], item["label"]
        if label not in WARRANTY_LABELS:
            raise ValueError(f"label {label!r}, expected one of {', '.join(WARRANTY_LABELS)}")
        if not 0 <= start < end <= len(text):
            raise ValueError(f"span [{start}, {end}) is empty or outside the {len(text)} characters")
        if start < previous_end:
            raise ValueError(f"span [{start}, {end}) overlaps the one that ends at {previous_end}")
        previous_end = end
        span = doc.char_span(start, end, label, alignment_mode="expand")
        if span is None:
            raise ValueError(f"span [{start}, {end}) touches no token")
        spans.append(span)
        if span.text != text[start:end]:
            note = "spans that do not fit the tokens, moved to token boundaries"
            notes[note].append(f"{where} {text[start:end]!r} to {span.text!r}")
    doc.ents = filter_spans(spans)
    for span in spans:
        if span not in doc.ents:
            note = "spans that now share a token with a longer one, left out"
            notes[note].append(f"{where} {span.text!r}")
    return doc


def read_wnut17(folder: Path, notes: Notes) -> Splits:
    """Read two columns, word and IOB tag. A line that is empty or has only tabs ends a sentence."""
    vocab = spacy.blank("en").vocab
    splits: Splits = {}
    for split, name in WNUT17_FILES.items():
        splits[split] = []
        words: list[str] = []
        tags: list[str] = []
        for where, line in [*read_lines(folder / name), (f"{folder / name}:end", "")]:
            if line.strip():
                word, _, tag = line.partition("\t")
                if not word.strip() or not (tag == "O" or (tag[:2] in ("B-", "I-") and tag[2:])):
                    raise ReadError(f"{where}: expected WORD<tab>O, B-LABEL or I-LABEL, not {line!r}")
                words.append(word)
                tags.append(tag)
            elif words:
                doc = wnut17_doc(vocab, words, tags, where, notes)
                doc.user_data["id"] = f"{split}-{len(splits[split]) + 1}"
                splits[split].append(doc)
                words, tags = [], []
    return splits


def wnut17_doc(vocab: Vocab, words: list[str], tags: list[str], where: str, notes: Notes) -> Doc:
    """Return the Doc of one sentence, with the words of the file as tokens."""
    tags = list(tags)
    for i, tag in enumerate(tags):
        # spaCy refuses an I- that continues no entity; conlleval reads it as B-.
        if tag.startswith("I-") and (i == 0 or tags[i - 1][2:] != tag[2:]):
            tags[i] = "B-" + tag[2:]
            notes["I- tags that continue no entity, read as B-"].append(f"{where} {words[i]!r}")
    return Doc(vocab, words=words, spaces=single_spaces(words), ents=tags)


def read_maintie(folder: Path, notes: Notes) -> Splits:
    """Read a JSON list. All spans go to doc.spans["sc"], the outermost ones also to doc.ents."""
    vocab = spacy.blank("en").vocab
    path = folder / "gold_release.json"
    splits: Splits = {"train": [], "dev": [], "test": []}
    try:
        records = json.loads(read_text(path))
    except ValueError as error:
        raise ReadError(f"{path}: {error}") from error
    for number, record in enumerate(records, 1):
        try:
            doc = maintie_doc(vocab, record, f"record {number}", notes)
        except MALFORMED as error:
            raise ReadError(f"{path}: record {number}: {explain(error, MAINTIE_FORMAT)}") from error
        doc.user_data["id"] = str(number)
        splits[split_of(doc.text)].append(doc)
    return splits


def maintie_doc(vocab: Vocab, record: dict[str, Any], where: str, notes: Notes) -> Doc:
    """Return the Doc of one work order, with the tokens of the file, which the annotation refers to."""
    words = record["tokens"]
    doc = Doc(vocab, words=words, spaces=single_spaces(words))
    if doc.text != record["text"]:
        note = "texts that differ from their tokens, replaced by the tokens"
        notes[note].append(f"{where} {record['text']!r}")
    spans = []
    for item in record["entities"]:
        start, end, label = item["start"], item["end"], item["type"].split("/")[0]
        if not 0 <= start < end <= len(doc):
            raise ValueError(f"entity [{start}, {end}) is empty or outside the {len(doc)} tokens")
        if label in MAINTIE_LABELS:
            spans.append(Span(doc, start, end, label))
    # filter_spans prefers the longer span, then the left one. Sorting decides
    # between equal spans with different labels.
    spans.sort(key=lambda span: (span.start, span.end, span.label_))
    doc.spans["sc"] = spans
    doc.ents = filter_spans(spans)
    for span in spans:
        if span not in doc.ents:
            nested = any(is_inside(span, ent) for ent in doc.ents)
            relation = "lie inside" if nested else "cross or equal"
            note = f"spans that {relation} another one, only in doc.spans"
            notes[note].append(f"{where} {span.text!r}")
    return doc


def is_inside(span: Span, other: Span) -> bool:
    """Return whether the span lies in the other one and is shorter."""
    return other.start <= span.start and span.end <= other.end and len(span) < len(other)


def split_of(text: str) -> str:
    """Return the split of a text. It depends on the text alone, so duplicates share a split."""
    tenth = int(hashlib.md5(text.encode("utf8")).hexdigest(), 16) % 10
    return "dev" if tenth == 0 else "test" if tenth < 3 else "train"


def single_spaces(words: list[str]) -> list[bool]:
    """Return Doc's `spaces` for one space after every word except the last."""
    return [True] * (len(words) - 1) + [False] * bool(words)


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each line of a file with its place, as file:line."""
    # Not splitlines(), which also splits at other characters, and these occur in web text.
    for number, line in enumerate(read_text(path).split("\n"), 1):
        yield f"{path}:{number}", line.rstrip("\r")


def read_text(path: Path) -> str:
    """Return the text of a file."""
    try:
        return path.read_bytes().decode("utf8")
    except FileNotFoundError as error:
        remedy = f"it belongs to the repository, `git checkout -- {path}` restores it"
        raise ReadError(f"{path} is missing: {remedy}") from error
    except UnicodeDecodeError as error:
        raise ReadError(f"{path} is not UTF-8: {error}") from error


def explain(error: Exception, expected: str) -> str:
    """Return the reason of an error: our own messages as they are, others with the expected format."""
    if isinstance(error, ValueError):
        return str(error)
    reason = f"missing {error}" if isinstance(error, KeyError) else str(error)
    return f"{reason}; expected {expected}"
