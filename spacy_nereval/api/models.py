"""Pipelines in place of predictions: they predict on the texts of gold annotation, as in the commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from ..core.arguments import Reading
from ..core.attribute_values import split_names
from ..io.paths import is_count_file
from ..io.records import Record
from ..metrics.registry import metric_table
from .inputs import Items, record_of_item
from .items import is_spacy
from .sides import Side, read_if_path

Language = Any
"""A pipeline of spaCy, which the room `integration` alone imports."""


class Predicted(NamedTuple):
    """The data to score once pipelines have predicted.

    Attributes:
        items: The settings of reading and scoring, with those that the pipelines store.
        gold: The gold annotation.
        systems: The predictions of each system.
        notes: A line on each setting that comes from a pipeline.
    """

    items: Items
    gold: Any
    systems: dict[str, Any]
    notes: list[str]


def with_predictions(items: Items, gold: Any, systems: Mapping[str, Any]) -> Predicted:
    """Return the arguments with predictions in place of pipelines; unchanged if there is none.

    As in the commands, metrics and labels have the options that the configs of the pipelines give them, unless the
    arguments give others.

    Args:
        items: The settings of reading and scoring.
        gold: The gold annotation, as `score` takes it.
        systems: By name, predictions, pipelines or their paths or package names, or tables of these by training run.

    Raises:
        ValueError: A pipeline cannot be loaded, two store different settings, or the texts are not known.
    """
    pipelines = {
        (name, run): load_if_model(value)
        for name, system in systems.items()
        for run, value in (system.items() if _is_table(system) else [("", system)])
    }
    models = {name: nlp for name, nlp in pipelines.items() if nlp is not None}
    if not models:
        return Predicted(items, gold, {**systems}, [])
    notes: list[str] = []
    items = _add_stored_settings(items, {" ".join(filter(None, name)): nlp for name, nlp in models.items()}, notes)
    text = None if items.text is None else [*items.text]
    gold = _gold_items(gold, items.reading)
    predicted: dict[str, Any] = {}
    for name, system in systems.items():
        if _is_table(system):
            predicted[name] = {
                run: _predict(models[name, run], gold, text, items.reading) if (name, run) in models else value
                for run, value in system.items()
            }
        else:
            predicted[name] = _predict(models[name, ""], gold, text, items.reading) if (name, "") in models else system
    return Predicted(items._replace(text=text), gold, predicted, notes)


def _is_table(system: Any) -> bool:
    return isinstance(system, Mapping) and not hasattr(system, "signature")  # a result is no table of runs


def is_model(value: Any) -> bool:
    """Return whether a value is a pipeline, or the folder of one.

    >>> is_model("gold.jsonl"), is_model([["O"]])
    (False, False)
    """
    if not isinstance(value, (str, Path)):
        return is_spacy(value, "Language")
    return (Path(value) / "config.cfg").is_file() and (Path(value) / "meta.json").is_file()


def load_if_model(value: Any) -> Language | None:
    """Return the pipeline that an argument is, or that it names as a folder or package; None if it is something else.

    >>> load_if_model("gold.jsonl"), load_if_model([["O"]])
    (None, None)
    """
    if is_spacy(value, "Language"):
        nlp: Language = value
        return nlp
    if not isinstance(value, (str, Path)) or is_count_file(value):
        return None
    is_folder = is_model(value)
    if not is_folder and (Path(value).exists() or not str(value).isidentifier() or not find_spec(str(value))):
        return None
    from ..integration.pipelines import Pipeline, load_pipeline

    try:
        return load_pipeline(Pipeline(str(value)).folder(), str(value))
    except ValueError:
        if is_folder:
            raise
        return None  # a name of neither a file nor a package: the reader raises an error


def _gold_items(gold: Any, reading: Reading) -> Any:
    """Return gold annotation that can be read several times, of a `.spacy` file and of Examples the gold Docs."""
    if isinstance(gold, (str, Path)) and Path(gold).exists():
        from ..integration.pipelines import docs_of_file

        docs = docs_of_file(Path(gold), reading.spans_key)
        return read_if_path(gold, "gold", reading) if docs is None else docs
    items = gold if hasattr(gold, "__len__") else [*gold]
    is_examples = len(items) > 0 and is_spacy(next(iter(items)), "Example")
    return [example.reference for example in items] if is_examples else items


def _predict(nlp: Language, gold: Any, text: Iterable[str | None] | None, reading: Reading) -> list[Any]:
    """Return the predictions of a pipeline on the texts of gold annotation, an item per document."""
    from ..integration.pipelines import predict_records

    side = Side(gold, "gold", replace(reading, offsets=None, end=None))
    if side.about.holds_both_sides:
        raise ValueError("the gold items contain both sides: give the gold Docs, or records with a text")
    if not side.about.holds_text and text is None:
        raise ValueError(
            f"a pipeline predicts on texts, and the gold items are {side.about.words}: give text=, Docs or records"
        )
    listed: list[Any] = [*side.items()] if text is None else [*text]
    if any(item is None for item in listed):
        raise ValueError("a pipeline predicts on texts, and a document has none: leave it out")
    is_source = [isinstance(item, str) or is_spacy(item, "Doc") for item in listed]
    sources = [item if done else record_of_item(item, "gold", Reading()).text for item, done in zip(listed, is_source)]
    records = [*predict_records(nlp, sources, reading.spans_key, split_names(reading.label_from))]
    return records if text is None else [_spans_alone(record) for record in records]  # `text` is that of both sides


def _spans_alone(record: Record) -> list[dict[str, Any]]:
    """Return the spans of a record with their attributes, an entry for each, without the text that they are in."""
    return [
        {"start": start, "end": end, "label": label, "attributes": dict(attributes)}
        for start, end, label in sorted(record.spans)
        for attributes in record.attributes.get((start, end, label), [()])
    ]


def _add_stored_settings(items: Items, models: Mapping[str, Language], notes: list[str]) -> Items:
    from ..integration.scorer import label_settings_of_config, metric_options_of_config
    from ..integration.stored_settings import add_label_settings, add_metric_options

    key = items.reading.spans_key
    labels = {name: label_settings_of_config(nlp.config, key, name) for name, nlp in models.items()}
    reading = add_label_settings(items.reading, labels, notes.append)
    options = {name: metric_options_of_config(nlp.config, key, name) for name, nlp in models.items()}
    options = {name: stored for name, stored in options.items() if stored}
    if not options:
        return items._replace(reading=reading)
    table = {name: dict(given or {}) for name, given in metric_table(items.metrics).items()}
    return items._replace(reading=reading, metrics=add_metric_options(table, options, notes.append))
