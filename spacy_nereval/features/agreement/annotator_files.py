"""The documents that several annotators share: from records or files, and the disputed ones as tasks for tools."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...api.inputs import SideRecord
from ...core.compression import format_extension, strip_compression
from ...core.labels import LabelRules
from ...core.mention_places import append_annex, words_after
from ...core.messages import PlainSpan, describe_unknown, join_names, quote, shorten, spell_argument
from ...core.spans import Document
from ...io.converting import NamedTokenizer
from ...io.formats import (
    annotators_of,
    check_span_groups,
    inferred_name,
    label_studio,
    name_of,
    records,
    with_annotators,
)
from ...io.formats.settings import Format
from ...io.records import Record, project
from ...io.tables import write_rows
from ...io.units import units_of
from ...io.writing import atomic, json_line
from .shared_documents import (
    OF_ANNOTATION,
    OF_WHITE_SPACE,
    Rule,
    SharedDocument,
    SharedDocuments,
    Vote,
    check_annotators,
    ranked_documents,
    votes,
    with_rules,
)

NO_ANNOTATION = re.compile(r"[._]|readme|licen[cs]e|changelog", re.IGNORECASE)
"""How the names of files begin that lie beside annotation."""

PARTS = {"train", "training", "dev", "valid", "validation", "test", "testing", "devel", "eval"}
"""How folders and files are called that are parts of a corpus, and no annotators."""

Place = tuple[str, int]
"""The id or the text of a document, and how many documents with the same one an annotator had before."""


def shared_documents(
    sides: Mapping[str, Iterable[SideRecord]],
    rules: LabelRules | None = None,
    spans_key: str | None = None,
    *,
    tokenizer: NamedTokenizer | None = None,
) -> SharedDocuments:
    """Return the documents that two or more annotators annotated.

    Documents are the same if they have the same id, or, if any document has no id, the same text.
    Annotators need not have annotated, or even have, the same documents. The tokens of a document are those of the
    tokenizer; without one, those that all its annotators have; if they have not the same, words between white space.

    Args:
        sides: The records of each annotator.
        rules: What becomes of labels; None leaves them as they are.
        spans_key: The key of the span groups that were read.
        tokenizer: Finds the tokens of a text.

    Raises:
        ValueError: There are fewer than two annotators; one id has two texts; no document is
            shared; or a label to keep does not occur.

    >>> ada = Record("Ada sleeps", {(0, 3, "PER")})
    >>> found = shared_documents({"ann": [SideRecord(ada)], "bob": [SideRecord(ada), SideRecord(Record("Eve", set()))]})
    >>> len(found.documents), found.single
    (1, 1)
    """
    check_annotators([*sides])
    sheets = {name: [*sheet] for name, sheet in sides.items()}
    for name, sheet in sheets.items():
        if not any(each.record.annotated for each in sheet):
            documents = f"{len(sheet)} document{'s' * (len(sheet) != 1)}"
            raise ValueError(
                f"{name} has annotated none of {documents}: expected the spans of each text, an empty list where there "
                "are none"
            )
    by_id = all(each.record.id is not None for sheet in sheets.values() for each in sheet)
    places: dict[Place, dict[str, SideRecord]] = {}
    for name, sheet in sheets.items():
        seen: Counter[str] = Counter()
        for each in sheet:
            key = each.record.id if by_id and each.record.id is not None else each.record.text
            places.setdefault((key, seen[key]), {})[name] = each
            seen[key] += 1
    numbers: Counter[str] = Counter(single=0, unannotated=0)
    mentions: Counter[str] = Counter()
    found, located = [], set()
    for number, ((key, _), owns) in enumerate(places.items()):
        _check_texts(key, owns)
        mine = {name: each for name, each in owns.items() if each.record.annotated}
        if len(mine) < 2:
            numbers["single" if mine else "unannotated"] += 1
            continue
        found.append(_shared(number, mine, numbers, tokenizer))
        for each in mine.values():
            mentions.update(each.record.mentions)
            located |= {each.record.located} if each.record.mentions else set()
    renamed = [*with_rules(found, rules)]
    on_reading = {name: numbers[name] for name in ("ignored", "repaired", "duplicates", "rejected")}
    if rules:
        on_reading["merged"] = sum(merged for _, merged in renamed)
    shared = SharedDocuments(
        tuple(sides),
        [each for each, _ in renamed],
        numbers["single"],
        numbers["unannotated"],
        on_reading,
        rules,
        frozenset[str]().union(*(each.base.mapped for each, _ in renamed)),
        spans_key,
        mentions,
        located,
    )
    if rules:
        rules.check_labels_occur(shared.labels)
    return shared


def _check_texts(key: str, owns: Mapping[str, SideRecord]) -> None:
    """Raise ValueError, naming both annotators, if texts differ in more than white space and case."""
    (first, base), *others = owns.items()
    for name, other in others:
        if other.record.text == base.record.text or (base.record.open_end and other.record.open_end):
            continue
        try:
            [*project((), other.record.text, base.record.text)]
        except ValueError as error:
            difference = str(error).partition(": ")[2]
            raise ValueError(
                f"document {shorten(key)} has one text for {first} and another for {name} ({difference}); expected "
                "the same text under one id: correct the ids, or remove them to pair documents by their texts"
            ) from None


def _shared(
    number: int,
    owns: Mapping[str, SideRecord],
    numbers: Counter[str],
    tokenizer: NamedTokenizer | None,
) -> SharedDocument:
    """Return a document with the spans of all annotators, and add up what was changed or left out on reading."""
    records = {name: each.record for name, each in owns.items()}
    first = max(records.values(), key=lambda each: len(each.text) if each.open_end else 0)
    text, strings = append_annex(first.text, (string for each in records.values() for string, _ in each.invented))
    gaps = [gap for each in records.values() for gap in _carried(each, first.text, [(*gap, "") for gap in each.gaps])]
    spans: dict[str, list[PlainSpan]] = {}
    for name, each in records.items():
        carried = _carried(each, first.text, each.spans)
        kept = [span for span in carried if not any(max(span[0], a) < min(span[1], b) for a, b, _ in gaps)]
        spans[name] = [*kept, *((*strings[string], label) for string, label in each.invented)]
        numbers["ignored"] += len(carried) - len(kept)
        numbers.update(repaired=each.repaired, duplicates=each.duplicates, rejected=each.rejected)
    of_first = next(iter(owns.values()))
    base = of_first.base
    kind = "" if base is None or base.tokens is None else OF_ANNOTATION
    if base is None:
        tokens, kind = _tokens(first, [*records.values()], tokenizer)
        base = Document([], [], text, tokens=[*tokens, *words_after(text, len(first.text))], id=first.id)
    base.annex = len(first.text) if strings else None
    base.unit, base.unit_rule = of_first.unit, of_first.rule
    surfaces = {name: each.surfaces for name, each in records.items() if each.surfaces}
    return SharedDocument(base, spans, surfaces, number, kind)


def _carried(each: Record, text: str, spans: Iterable[PlainSpan]) -> list[PlainSpan]:
    """Return the spans of a record in another text, which differs in white space and case only."""
    if each.text == text or each.open_end:
        return sorted({*spans})
    return sorted({*project(spans, each.text, text)})


def _tokens(
    first: Record, records: Sequence[Record], tokenizer: NamedTokenizer | None
) -> tuple[list[tuple[int, int]], str]:
    """Return the tokens of a text, and of which kind they are."""
    if tokenizer and not first.wordless:
        return [*tokenizer.tokenize(first.text)], tokenizer.name
    common = first.open_end or all((each.text, each.tokens) == (first.text, first.tokens) for each in records)
    if common and first.tokens is not None and all(each.tokens is not None for each in records):
        return first.tokens, OF_ANNOTATION
    return Document([], [], first.text).words, OF_WHITE_SPACE


def annotators_in(path: Path, format: Format = Format()) -> list[str]:
    """Return the names of the annotators whose spans a file or folder holds; empty if it names none.

    Label Studio and Prodigy write all annotators into one file, INCEpTION and WebAnno into one folder.
    The predictions of models count only where nobody annotated anything.

    Args:
        path: The file or folder.
        format: How it is read.

    Raises:
        ValueError: The file cannot be read.
        OSError: The file cannot be read.

    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"text": "Ada", "spans": [], "_annotator_id": "ann"}')
    >>> annotators_in(path)
    ['ann']
    """
    if name_of(path, format) == "label_studio":
        human, model, _ = label_studio.annotators_of(path, format)
        return human.names or model.names
    return annotators_of(path, format) or []


def annotators_below(path: Path, format: Format = Format()) -> dict[str, Path]:
    """Return the folder or file of each annotator in the folder of a project; empty if it is not one.

    Either there is a folder for each annotator, or a file, such as `ann.jsonl`. Hidden files and others that are no
    annotation, such as a README, are left out. Files of formats with a document per file are documents, not annotators.

    Args:
        path: The folder.
        format: How it is read.

    Raises:
        ValueError: Two files differ in their extensions only; a file cannot be read; or all are parts of a corpus.

    >>> root = getfixture("tmp_path")
    >>> for name in ("ann.jsonl", "ben.jsonl", "README.md"):
    ...     _ = (root / name).write_text("")
    >>> [*annotators_below(root)]
    ['ann', 'ben']
    """
    if not path.is_dir():
        return {}
    known = inferred_name(path)
    inside = [each for each in sorted(path.iterdir()) if not NO_ANNOTATION.match(each.name)]
    found = [each for each in inside if each.is_dir() and inferred_name(each)]
    are_documents = not found or any(each.suffix for each in found)  # in INCEpTION, such as a.txt/
    if known and are_documents and annotators_of(path, Format(known)):
        return {}
    if not found and not known:
        found = [each for each in inside if each.is_file() and (format.name or inferred_name(each))]
    elif any(format_extension(each) == ".ann" for each in inside):
        return {}
    names = [each.name if each.is_dir() else strip_compression(each).stem for each in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"{path} has two files of {quote(twice[0])}: expected one file for each annotator")
    if len(found) > 1 and {name.casefold() for name in names} <= PARTS:
        raise ValueError(
            f"{path} has the parts {join_names(names)} of a corpus, which are no annotators: expected a folder or a "
            "file "
            f"for each annotator; if they are within a part, give {path / names[0]}"
        )
    return dict(zip(names, found)) if len(found) > 1 else {}


def read_annotators(
    files: Mapping[str, Path],
    key: str | None = None,
    *,
    format: Format = Format(),
    rules: LabelRules | None = None,
    chosen: Sequence[str] = (),
    others: Counter[Path] | None = None,
    tokenizer: NamedTokenizer | None = None,
) -> SharedDocuments:
    """Read the annotation of several annotators.

    Args:
        files: The file or folder of each annotator; or, under any name, one file that holds all of them, or a folder
            with a folder or a file for each.
        key: Read `doc.spans[key]` of `.spacy` files instead of `doc.ents`.
        format: How the files are read.
        rules: What becomes of labels.
        chosen: The annotators to read: those of the single file, or one for each file that holds several.
        others: Counts the annotations of each file that are not spans, such as relations.
        tokenizer: Finds the tokens of a text, see `shared_documents`.

    Returns:
        The documents that two or more of them annotated.

    Raises:
        ValueError: A single file does not name two annotators; otherwise as `shared_documents`, or
            a file cannot be read.
        OSError: A file cannot be read.
    """
    if len(files) == 1:
        files = {name: _annotation_in(path) for name, path in files.items()}
    path = next(iter(files.values()), Path())
    below = annotators_below(path, format) if len(files) == 1 else {}
    if below:
        files = {name: below[name] for name in _chosen(path, [*below], chosen)}
        chosen = ()
    check_span_groups(key, [*files.values()], [name_of(path, format) for path in files.values()])
    if len(files) == 1 and not below:
        sides = {
            name: _own(path, key, format._replace(annotator=name), others) for name in _names(path, format, chosen)
        }
    elif chosen and len(chosen) != len(files):
        given = f"{spell_argument('annotator')}: {len(chosen)} given"
        raise ValueError(f"{given} for {len(files)} files; give one for each, in their order")
    else:
        wanted: Sequence[str | None] = chosen or [None] * len(files)
        formats = with_annotators([*files.values()], [format._replace(annotator=name) for name in wanted])
        sides = {name: _own(files[name], key, own, others) for name, own in zip(files, formats)}
    return shared_documents(sides, rules, key, tokenizer=tokenizer)


def _annotation_in(path: Path) -> Path:
    """Return the folder of the annotators in a project that INCEpTION exported, beside which are curators and sources;
    other paths as they are."""
    inside = path / "annotation"
    return inside if inside.is_dir() and any((path / other).is_dir() for other in ("curation", "source")) else path


def _names(path: Path, format: Format, chosen: Sequence[str]) -> list[str]:
    """Return the annotators of a single file. Raise ValueError if it does not name two."""
    names = annotators_in(path, format)
    if len(names) < 2:
        has = f"names {quote(names[0])} alone" if names else "names no annotators"
        raise ValueError(
            f"{path} {has}: expected a file for each annotator, or a file of Label Studio or Prodigy, or a "
            "folder of INCEpTION, with two annotators or more, or a folder with a folder or a file for each annotator"
        )
    return _chosen(path, names, chosen)


def _chosen(path: Path, names: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Return the annotators who are chosen, all if none are. Raise ValueError if one does not exist."""
    if unknown := [name for name in chosen if name not in names]:
        raise ValueError(f"{path}: {describe_unknown(unknown[0], names, 'annotator', 20)}")
    return [*dict.fromkeys(chosen or names)]


def _own(path: Path, key: str | None, format: Format, others: Counter[Path] | None) -> Iterator[SideRecord]:
    units = units_of(path, format)
    for record in records(path, key, format):
        if others is not None:
            others[path] += record.others
        yield SideRecord(record, units.key(record), units.rule.text)
    units.check_end()


TASK_ENDINGS = {".jsonl": "Prodigy", ".json": "Label Studio"}
"""The formats of files for disputes, by file extension."""


def check_disputes_path(path: Path) -> None:
    """Raise ValueError if the extension of a file for disputes names no format.

    >>> check_disputes_path(Path("disputes.csv"))
    Traceback (most recent call last):
    ValueError: disputes.csv: expected a file that ends in .jsonl (Prodigy) or .json (Label Studio)
    """
    if format_extension(path) not in TASK_ENDINGS:
        raise ValueError(f"{path}: expected a file that ends in .jsonl (Prodigy) or .json (Label Studio)")


def write_disputes(path: Path, shared: SharedDocuments, rule: Rule = Rule()) -> int:
    """Write the disputed documents, the most disputed first.

    Args:
        path: A .jsonl file for Prodigy, or a .json file for Label Studio.
        shared: What the annotators annotated.
        rule: How many votes a span of the consensus needs, in tasks for Prodigy.

    Returns:
        The number of documents.

    Raises:
        ValueError: The file extension is none of these, or the texts are not known.
        OSError: The file cannot be written.
    """
    check_disputes_path(path)
    if format_extension(path) == ".jsonl":
        return write_rows(path, prodigy_tasks(shared, rule))
    tasks = [*label_studio_tasks(shared)]
    with atomic(path) as file:
        file.write(f"{json_line(tasks, indent=1)}\n".encode())
    return len(tasks)


def prodigy_tasks(shared: SharedDocuments, rule: Rule = Rule()) -> Iterator[dict[str, Any]]:
    """Yield a task for each disputed document.

    Its `spans` are those of the consensus, so that `ner.manual` begins there. Its `options` are the
    disputed spans with those who marked them, for the interface `choice`.

    Args:
        shared: What the annotators annotated.
        rule: How many votes a span of the consensus needs.

    Raises:
        ValueError: The texts are not known.

    >>> from spacy_nereval import Document
    >>> own = {"ann": [(0, 3, "PER"), (4, 8, "ORG")], "ben": [(0, 8, "PER")], "cleo": [(0, 3, "PER")]}
    >>> shared = SharedDocuments(tuple(own), [SharedDocument(Document([], [], "Ada Acme"), own)])
    >>> for task in prodigy_tasks(shared):
    ...     print(task["spans"], task["meta"], *(option["text"] for option in task["options"]), sep="; ")
    [{'start': 0, 'end': 3, 'label': 'PER'}]; {'disputes': 6, 'annotators': 'ann, ben, cleo'}; \
ann, cleo: Ada (PER); ben: Ada Acme (PER); ann: Acme (ORG)
    """
    for document, text, disputes in _disputed(shared):
        in_text = [vote for vote in votes(document.spans) if not document.base.is_invented(vote.span)]
        disputed = [vote for vote in in_text if vote.disputes]
        kept = [vote.span for vote in in_text if rule.holds(len(vote.annotators), vote.of)]
        yield {
            **({} if document.base.id is None else {"id": document.base.id}),
            "text": text,
            "spans": [dict(zip(("start", "end", "label"), span)) for span in kept],
            "options": [_option(k, text, vote) for k, vote in enumerate(disputed)],
            "meta": {"disputes": disputes, "annotators": ", ".join(document.spans)},
        }


def label_studio_tasks(shared: SharedDocuments) -> Iterator[dict[str, Any]]:
    """Yield a task for each disputed document, with the spans of every annotator as predictions.

    The labelling config has to call its text "text" and its labels "label".

    Args:
        shared: What the annotators annotated.

    Raises:
        ValueError: The texts are not known.
    """
    for document, text, disputes in _disputed(shared):
        named = {} if document.base.id is None else {"document": document.base.id}
        yield {
            "data": {"text": text, **named, "disputes": disputes},
            "predictions": [
                {
                    "model_version": name,
                    "result": [_region(text, span) for span in sorted(own) if not document.base.is_invented(span)],
                }
                for name, own in document.spans.items()
            ],
        }


def _disputed(shared: SharedDocuments) -> Iterator[tuple[SharedDocument, str, int]]:
    """Yield the disputed documents in the order of adjudication, with their texts and disputes."""
    for place, row in ranked_documents(shared):
        document = shared.documents[place]
        text = document.base.own_text
        if text is None:
            raise ValueError(
                f"document {row['document']} has no text, so no tasks can be made of the disputes of "
                f"{join_names(shared.annotators)}: give the texts"
            )
        if row["disputes"]:
            yield document, text, row["disputes"]


def _option(number: int, text: str, vote: Vote) -> dict[str, Any]:
    start, end, label = vote.span
    said = f"{', '.join(vote.annotators)}: {text[start:end]} ({label})"
    return {"id": number, "text": said, "start": start, "end": end, "label": label}


def _region(text: str, span: tuple[int, int, str]) -> dict[str, Any]:
    start, end, label = span
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    return {"from_name": "label", "to_name": "text", "type": "labels", "value": value}
