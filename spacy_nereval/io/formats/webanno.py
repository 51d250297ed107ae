"""WebAnno's TSV 3, which INCEpTION writes too: a token per line, and a column per feature of a layer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple

from ...core.arguments import UTF16
from ...core.attribute_values import Attributes, sort_attributes
from ...core.messages import PlainSpan, join_names, shorten, spell_argument
from ..records import Record
from .contents import lines
from .settings import Format, assemble_text, default_offsets, document_files, fit_span, locate_error

HEADER = re.compile(r"#FORMAT=WebAnno TSV 3(\.\d+)?\s*")
LAYER = re.compile(r"#T_(SP|CH|RL)=(.*)")
ROLE = "ROLE_"
"""The start of the name of a feature that links an annotation to others."""
TOKEN = re.compile(r"(\d+)-(\d+)(\.\d+)?")
SEPARATOR = re.compile(r"(?<!\\)\|")
"""The mark between annotations stacked on a token."""
NUMBERED = re.compile(r"(.*?)(?<!\\)\[(\d+)\]", re.DOTALL)
"""A value and the number of its annotation, which all tokens of the annotation have."""
ESCAPED = re.compile(r"\\(.)")
ESCAPES = {"t": "\t", "n": "\n", "r": "\r"}


class Layer(NamedTuple):
    """A layer of the file.

    Args:
        kind: "SP" for spans, "CH" for chains, "RL" for relations.
        type: The name of its type, with the package.
        features: The names of its features.
        column: The index of the column of its first feature.
    """

    kind: str
    type: str
    features: tuple[str, ...]
    column: int

    @property
    def name(self) -> str:
        """The name of its type, without the package."""
        return self.type.rpartition(".")[2]

    def label_features(self) -> Iterator[tuple[str, int]]:
        """Yield each feature that can have labels, and the index of its column; the name is "" if there are none.

        A link to another annotation has two columns, its role and the type of its target. They are skipped.
        """
        is_target = False
        for column, feature in enumerate(self.features or ("",), self.column):
            is_role = feature.startswith(ROLE)
            if not is_role and not is_target:
                yield feature, column
            is_target = is_role


class Row(NamedTuple):
    """A line of a token, or of a part of one.

    Args:
        line: The number of the line.
        start, end: The offsets.
        word: The token.
        is_part: Whether this is a part of the token before it.
        cells: The columns.
    """

    line: int
    start: int
    end: int
    word: str
    is_part: bool
    cells: list[str]


class Content(NamedTuple):
    """The content of a file: its layers, the offset and text of each sentence, and its rows."""

    layers: list[Layer]
    sentences: list[tuple[int, str]]
    rows: list[Row]


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read one document per file.

    Offsets count UTF-16 code units unless `format.offsets` says otherwise. Between sentences
    the text has white space. An annotation without a value gets the name of its layer as its
    label. A file is in memory while it is read.

    Args:
        path: A file, or a folder of files. In an export with a folder per document and a
            file per annotator, `format.annotator` chooses the annotator.
        format: `format.field` names the feature with the labels, as `value` or `Layer.value`;
            by default `value` of the layer NamedEntity, or of the only layer.

    Yields:
        One record per file.

    Raises:
        ValueError: If there is no such file; if a line is malformed; if the feature is
            ambiguous. Names the line.
        OSError: If a file cannot be read.

    >>> path = getfixture("tmp_path") / "a.tsv"
    >>> head = "#FORMAT=WebAnno TSV 3.3\\n#T_SP=NamedEntity|value\\n\\n#Text=Ada met\\n"
    >>> _ = path.write_text(f"{head}1-1\\t0-3\\tAda\\tPER\\t\\n1-2\\t4-7\\tmet\\t_\\t\\n")
    >>> [(record.text, record.spans) for record in read(path)]
    [('Ada met', {(0, 3, 'PER')})]
    """
    format = default_offsets(format, UTF16)
    for file in document_files(path, (".tsv",), format):
        content = _content(file.path)
        try:
            text = assemble_text(content.sentences, format)
            record = _record(content, text, file.path, format)
        except ValueError as error:
            raise locate_error(error, str(file.path)) from None
        yield file.annotated_record(record._replace(id=file.id))


def _content(path: Path) -> Content:
    content, sentence = Content([], [], []), ""
    width = 0
    for number, line in lines(path):
        if number == 1:
            if not HEADER.fullmatch(line):
                raise ValueError(f"{path}, line 1: expected '#FORMAT=WebAnno TSV 3.3', found {shorten(repr(line))}")
        elif not content.rows and (layer := LAYER.fullmatch(line)):
            name, *features = layer[2].split("|")
            content.layers.append(Layer(layer[1], name, tuple(features), 3 + width))
            width += max(1, len(features))
        elif line.startswith("#Text="):
            sentence += ("\n" if sentence else "") + _unescape(line.removeprefix("#Text="))
        elif line.strip() and not line.startswith("#"):
            try:
                row = _row(number, line, 3 + width)
                if sentence:
                    content.sentences.append((_sentence_offset(row, sentence), sentence))
                    sentence = ""
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
            content.rows.append(row)
    return content


def _row(number: int, line: str, width: int) -> Row:
    cells = line.split("\t")
    if cells[-1] == "":
        cells.pop()  # every line ends with a tab
    token = TOKEN.fullmatch(cells[0])
    start, dash, end = cells[1].partition("-") if len(cells) > 2 else ("", "", "")
    if not token or not (start.isdecimal() and dash and end.isdecimal()):
        raise ValueError(f"expected '1-1', '0-3' and a token with tabs between them, found {shorten(repr(line))}")
    if len(cells) != width:
        raise ValueError(f"expected {width} columns, as the header says; found {len(cells)}")
    return Row(number, int(start), int(end), cells[2], bool(token[3]), cells)


def _sentence_offset(first: Row, sentence: str) -> int:
    """Return the offset of a sentence: that of its first token, minus the white space before it."""
    return max(0, first.start - (len(sentence) - len(sentence.lstrip())))


def _record(content: Content, text: str, path: Path, format: Format) -> Record:
    column, name = _column(content.layers, format.field)
    tokens: list[PlainSpan] = []
    open_spans: dict[str, tuple[int, int, str]] = {}
    spans: list[PlainSpan] = []
    features = _feature_columns(content.layers, column) if column else []
    single: list[dict[str, str]] = []  # the features of each span of one token
    values_by_number: dict[str, dict[str, str]] = {}
    for row in content.rows:
        try:
            place = fit_span("token", (row.start, row.end, "token"), text, format, _word_in_text(row, text))
            tokens += [] if row.is_part else [place]
            cells = {name: [*_values(row.cells[place])] for name, place in features}
            for k, (value, number) in enumerate(_values(row.cells[column]) if column else ()):
                values = {name: listed_values[k][0] for name, listed_values in cells.items() if k < len(listed_values)}
                label = name if value == "*" else _unescape(value)
                if number is None:
                    spans.append((place[0], place[1], label))
                    single.append(values)
                    continue
                values_by_number.setdefault(number, values)
                start, end, first_label = open_spans.get(number, (*place[:2], label))
                if label != first_label:
                    raise ValueError(f"annotation {number} has the labels {first_label!r} and {label!r}")
                open_spans[number] = min(start, place[0]), max(end, place[1]), label
        except ValueError as error:
            raise locate_error(error, f"line {row.line}") from None
    listed: list[Attributes] = [_features(values) for values in single]
    listed += [_features(values_by_number.get(number, {})) for number in open_spans]
    spans += open_spans.values()
    others = sum(
        layer.kind != "SP" and row.cells[layer.column] != "_" for layer in content.layers for row in content.rows
    )
    more: dict[str, Any] = {"others": others, "listed_attributes": listed}
    return Record.deduplicate(text, spans, [token[:2] for token in tokens], **more)


def _feature_columns(layers: Sequence[Layer], column: int) -> list[tuple[str, int]]:
    """Return the other features of the layer of a column, and their columns."""
    features = ([*layer.label_features()] for layer in layers if layer.kind == "SP")
    chosen = next((listed for listed in features if column in (place for _, place in listed)), [])
    return [(name, place) for name, place in chosen if place != column]


def _features(values: Mapping[str, str]) -> Attributes:
    return sort_attributes((name, "" if value in ("*", "_") else _unescape(value)) for name, value in values.items())


def _word_in_text(row: Row, text: str) -> str:
    """Return the token in the form in which it occurs in the text, since some versions escape tokens."""
    return row.word if row.word in text else _unescape(row.word)


def _column(layers: list[Layer], field: str | None) -> tuple[int, str]:
    """Return the index of the column with the labels, 0 if there is none, and the name of its layer."""
    layers = [layer for layer in layers if layer.kind == "SP"]
    if not layers and field is None:
        return 0, ""  # the file has no layer of spans, so nothing is annotated in it
    columns = [(layer, feature, column) for layer in layers for feature, column in layer.label_features()]
    numbers = Counter(layer.name for layer in layers)
    choices = [_join(layer.name if numbers[layer.name] == 1 else layer.type, feature) for layer, feature, _ in columns]
    # An exact name, such as that of a layer without features, comes before a feature with the name of a layer.
    if field is None:
        ranks = [
            [_join(layer.name, feature) == "NamedEntity.value" for layer, feature, _ in columns],
            [feature == "value" or len(columns) == 1 for _, feature, _ in columns],
        ]
    else:
        ranks = [
            [field == _join(layer.type, feature) for layer, feature, _ in columns],
            [field == _join(layer.name, feature) for layer, feature, _ in columns],
            [field in (layer.name, layer.type, feature) for layer, feature, _ in columns],
        ]
    matches = next((matches for rank in ranks if (matches := [*compress(columns, rank)])), [])
    if len(matches) == 1:
        layer, _, column = matches[0]
        return column, layer.name
    problem = "several features can have the labels" if columns else "no feature can have the labels"
    if field is not None:
        problem = f"{'several features have' if matches else 'no feature has'} the name {shorten(field)!r}"
    choice = f"choose one with {spell_argument('column')}: {join_names(choices, 20) or 'there is none'}"
    if len(columns) == 1:
        choice = f"only {choices[0]} can have the labels, so remove {spell_argument('column')}"
    raise ValueError(f"{problem}; {choice}")


def _join(layer: str, feature: str) -> str:
    """Return the name of a feature as it can be chosen."""
    return f"{layer}.{feature}" if feature else layer


def _values(cell: str) -> Iterator[tuple[str, str | None]]:
    """Yield the value and the number of each annotation of a cell."""
    if cell == "_":
        return
    for value in SEPARATOR.split(cell):
        match = NUMBERED.fullmatch(value)
        if not (match[1] if match else value):
            raise ValueError(f"the annotation {shorten(cell)!r} has no value; expected *")
        yield (match[1], match[2]) if match else (value, None)


def _unescape(text: str) -> str:
    return ESCAPED.sub(lambda match: ESCAPES.get(match[1], match[1]), text)
