"""Label Studio's JSON exports: tasks with annotations and predictions, and JSON-MIN."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

from ...core.attribute_values import Attributes, attribute_value, sort_attributes
from ...core.document_fields import metadata
from ...core.keys import describe_keys, nested_value
from ...core.messages import PlainSpan, highest_scores, join_names, shorten, spell_argument
from ..records import Record, row_id
from .contents import json_values
from .settings import GROUND_TRUTH, Annotators, Format, Misfit, check_unit_is_known, fit_span, locate_error

KINDS = ("labels", "hypertextlabels")
"""The types of results that are labelled spans. Others, such as relations, are skipped."""


class Annotation(NamedTuple):
    """The annotation of a task by one annotator or model.

    Args:
        name: The annotator, or the version of the model.
        result: The regions.
        predicted: Whether it comes from a model.
        is_ground_truth: Whether it is marked as ground truth.
    """

    name: str
    result: list[Any]
    predicted: bool = False
    is_ground_truth: bool = False


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read one document per task. A region with several labels is several spans.

    The `predictions` of models are read only if no task has an annotation, or if
    `format.annotator` names the version of the model. A task with a cancelled annotation is
    not annotated. A region may have a "score". Ends are exclusive; offsets count characters, in old
    versions UTF-16 code units. The file is read twice, first for its annotators.

    Args:
        path: The file.
        format: `format.annotator` chooses the annotator, by email or number, or the ground truth;
            `format.field` the key of the text in the data, and after a colon its name in regions;
            `format.offsets` gives the unit of offsets.

    Yields:
        One record per task.

    Raises:
        ValueError: If there is no such file; if a task is malformed or has several
            annotations and `format` chooses none. Names the line.
        OSError: If the file cannot be read.

    >>> path = getfixture("tmp_path") / "a.json"
    >>> region = '{"type": "labels", "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}}'
    >>> _ = path.write_text('[{"data": {"text": "Ada"}, "annotations": [{"result": [' + region + ']}]}]')
    >>> [record.spans for record in read(path)]
    [{(0, 3, 'PER')}]
    """
    human, model, (is_html, targets) = annotators_of(path, format)
    by_model = not human.by_document or any(format.annotator in names for names in model.by_document.values())
    annotators = model if by_model else human
    if annotators.by_document or format.annotator:
        annotators.check()
    read_ids: set[str] = set()
    for line, task in json_values(path):
        try:
            annotations = [
                a
                for a in _annotations(task, format.annotator)
                if a.predicted == by_model and annotators.is_read(a.name)
            ]
            id = row_id(task)
            if "data" not in task:  # JSON-MIN has a row for each annotation of a task
                is_in_other_row = not annotations and format.annotator in annotators.by_document.get(id or "", ())
                if is_in_other_row or id in read_ids:
                    continue
                read_ids |= {id} if id else set()
            yield _record(task, annotations[0] if annotations else None, format, is_html, targets)
        except ValueError as error:
            raise locate_error(error, f"{path}, line {line}") from None


def annotators_of(path: Path, format: Format = Format()) -> tuple[Annotators, Annotators, tuple[bool, set[str]]]:
    """Return the annotators of a file, its models, whether its texts are HTML, and the names of texts with regions.

    Errors name the line.
    """
    human, model = Annotators(path, format.annotator), Annotators(path, format.annotator)
    is_html, targets = False, set[str]()
    for number, (line, task) in enumerate(json_values(path), 1):  # a whole file may be one line
        try:
            for annotation in _annotations(task, format.annotator):
                human.has_ground_truth = human.has_ground_truth or annotation.is_ground_truth
                document = row_id(task) or f"number {number}, on line {line},"
                (model if annotation.predicted else human).see(document, annotation.name)
                is_html = is_html or any(_kind(region) == KINDS[1] for region in annotation.result)
                targets |= {
                    str(region["to_name"]) for region in annotation.result if _kind(region) and "to_name" in region
                }
        except ValueError as error:
            raise ValueError(f"{path}, line {line}: {error}") from None
    return human, model, (is_html, targets)


def _annotations(task: Any, annotator: str | None = None) -> list[Annotation]:
    """Return the annotations of a task that were not cancelled, and the predictions.

    If the annotator is `GROUND_TRUTH`, it is the name of those that are marked as ground truth.
    """
    if not isinstance(task, dict):
        raise ValueError('expected a task: {"data": {"text": ...}, "annotations": [{"result": [...]}]}')
    if "data" not in task:
        return [Annotation(str(task.get("annotator", "unknown")), _min_regions(task))]
    annotations = []
    for key in ("annotations", "completions", "predictions"):
        for entry in _list_of_objects(task.get(key) or [], key):
            if entry.get("was_cancelled"):
                continue
            name = entry.get("model_version") if key == "predictions" else entry.get("completed_by")
            if isinstance(name, dict):
                name = name.get("email") or name.get("id")
            regions = _list_of_objects(entry.get("result") or [], "result")
            is_truth = entry.get("ground_truth") is True and key != "predictions"
            name = GROUND_TRUTH if is_truth and annotator == GROUND_TRUTH else "unknown" if name is None else str(name)
            annotations.append(Annotation(name, regions, key == "predictions", is_truth))
    return annotations


def _list_of_objects(value: Any, key: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError(f'"{key}" is not a list of objects')
    return value


def _min_regions(task: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the regions of a row of JSON-MIN in the form that regions of a task have."""
    lists = [value for value in task.values() if isinstance(value, list)]
    regions = [region for value in lists for region in value if isinstance(region, dict) and "start" in region]
    if not regions and "annotation_id" not in task:
        raise ValueError('there is neither "data" nor a list of regions; expected an export as JSON or JSON-MIN')
    kinds = [next((kind for kind in KINDS if kind in region), "") for region in regions]
    return [{"type": kind, "value": region} for kind, region in zip(kinds, regions)]


def _kind(region: dict[str, Any]) -> str:
    """Return the type of a region with labels; "" for other results."""
    kind, value = region.get("type"), region.get("value")
    return kind if kind in KINDS and isinstance(value, dict) and value.get(kind) else ""


def _record(
    task: dict[str, Any], annotation: Annotation | None, format: Format, is_html: bool, targets: Collection[str]
) -> Record:
    """Return the record of a task with the regions on its text.

    Args:
        task: The task.
        annotation: The annotation that is read; None if there is none.
        format: How it is read.
        is_html: Whether the texts of the file are HTML.
        targets: The names (`to_name`) of all texts of the file that have regions.
    """
    text, target, key = _text(task, format, targets)
    if is_html:
        text = html_text(text)
    if annotation is None:
        return Record(text, set(), id=row_id(task), annotated=False)
    spans: list[PlainSpan] = []
    scores: list[Any] = []
    names: list[str] = []  # the id of the region of each span
    regions = [region for region in annotation.result if _kind(region) and region.get("to_name", target) == target]
    for k, region in enumerate(regions):
        try:
            spans += _spans(k, region["value"], region["type"], text, format)
        except Misfit as error:
            is_unclear = "data" not in task and sum(isinstance(value, str) for value in task.values()) > 1
            raise Misfit(f"{error}{_OTHER_TEXT * is_unclear}") from None
        scores += [region.get("score")] * (len(spans) - len(scores))
        names += [str(region.get("id"))] * (len(spans) - len(names))
    span_scores = highest_scores(zip(spans, scores)) if any(score is not None for score in scores) else {}
    attributes, used = _attributes(annotation.result, {str(region.get("id")) for region in regions})
    others = len(annotation.result) - len(regions) - used
    of_task = task.get("meta")
    data = {**(of_task if isinstance(of_task, dict) else {}), **task.get("data", task)}
    more: dict[str, Any] = {"others": others, "span_scores": span_scores, "meta": metadata(data, None)}
    texts = [name for name, value in data.items() if isinstance(value, str)]
    if target is not None and target not in texts and len(texts) > 1 and regions and not format.field:
        more["notes"] = (f"regions with the to_name {target!r} are read on the text {key!r}",)
    if attributes:
        more["listed_attributes"] = [attributes.get(name, ()) for name in names]
    return Record.deduplicate(text, spans, id=row_id(task), **more)


_OTHER_TEXT = "; JSON-MIN does not say on which text a region is: export as JSON if there are several"

VALUES = {"choices": "choices", "rating": "rating", "number": "number", "textarea": "text"}
"""The types of results that describe a region, and the keys of their values."""


def _attributes(results: Sequence[dict[str, Any]], regions: Collection[str]) -> tuple[dict[str, Attributes], int]:
    """Return the attributes of regions by their ids, and the number of results that give them."""
    values: dict[str, list[tuple[str, str]]] = {}
    for result in results:
        key, value, id = VALUES.get(str(result.get("type")), ""), result.get("value"), str(result.get("id"))
        if key and "id" in result and id in regions and isinstance(value, dict) and value.get(key) is not None:
            values.setdefault(id, []).append((str(result.get("from_name", key)), attribute_value(value[key])))
    return {id: sort_attributes(pairs) for id, pairs in values.items()}, sum(map(len, values.values()))


def _text(task: dict[str, Any], format: Format, targets: Collection[str]) -> tuple[str, str | None, str]:
    """Return the text of a task, the name of the text in regions (`to_name`), and the key of the text.

    Names of texts are usually those of keys in the data. `format.field` is a key, or a key and a name: key:name.
    """
    data = task.get("data", task)
    if not isinstance(data, dict):
        raise ValueError('"data" is not an object')
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    named = [name for name in targets if name in texts]
    usual = (
        named[0] if len(named) == len(targets) == 1 else "text" if "text" in texts or len(texts) != 1 else [*texts][0]
    )
    key, _, target = (format.field or usual, "", "")
    if not isinstance(nested_value(data, key), str):
        key, _, target = key.partition(":")
    if not isinstance(text := nested_value(data, key), str):
        if not texts:
            raise ValueError(
                f"there is no text in the data; {describe_keys(data)}: regions on anything but texts, such as "
                "paragraphs, tables and images, are not read"
            )
        keys = join_names([*texts], 20)
        raise ValueError(f"there is no text {key!r} in the data; name one with {spell_argument('column')}: {keys}")
    others = [name for name in sorted(targets) if name not in texts]
    if target or key in targets or not others:
        return text, target or key, key
    if len(others) > 1:
        raise ValueError(
            f"the regions are on several texts, with the to_name {join_names(sorted(targets))}: say which of them is "
            f"the text {key!r} of the data with {spell_argument('column', f'{key}:{others[0]}')}"
        )
    return text, others[0], key


def _spans(k: int, value: dict[str, Any], kind: str, text: str, format: Format) -> list[PlainSpan]:
    """Return a span for each label of a region."""
    labels, surface = value[kind], value.get("text")
    offsets = value.get("globalOffsets") if kind == KINDS[1] else value
    if not isinstance(offsets, dict):
        raise ValueError(f"region {k} of a hypertext has no globalOffsets")
    if "start" not in offsets or "end" not in offsets or not isinstance(labels, list):
        raise ValueError(f"region {k} has no start, end or list of {kind}: {shorten(repr(value))}")
    if surface is not None and not isinstance(surface, str):
        raise ValueError(f"region {k} has the text {shorten(repr(surface))}; expected the part of the text it covers")
    if surface is not None and "\\n" in surface and "\\n" not in text:
        surface = surface.replace("\\n", "\n")  # Label Studio escapes line ends in the texts of regions
    if surface is None:
        check_unit_is_known(text, [offsets["end"]], format, "Label Studio")
    spans = ((offsets["start"], offsets["end"], label) for label in labels)
    return [fit_span(f"region {k},", span, text, format, surface) for span in spans]


class _TextCollector(HTMLParser):
    """Collects the text of HTML, without the tags."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        """Append a piece of text."""
        self.parts.append(data)


def html_text(html: str) -> str:
    """Return the text of HTML, to which Label Studio's global offsets refer.

    >>> html_text("<p>Ada &amp; <b>Bob</b></p>")
    'Ada & Bob'
    """
    parser = _TextCollector()
    parser.feed(html)
    parser.close()
    return "".join(parser.parts)
