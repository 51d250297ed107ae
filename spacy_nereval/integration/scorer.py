"""The scorers that a spaCy config names, their settings, and the score keys of results.

Mistakes in settings are reported as spaCy reports them. The settings of a saved model are read from its config.
"""

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from spacy.pipeline.span_finder import span_finder_score
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import PRFScore, get_ner_prf
from spacy.training import Example
from spacy.util import load_config
from thinc.api import ConfigValidationError

from ..core.arguments import SEPARATOR
from ..core.declaration import Kind, Metric
from ..core.labels import LabelRules, label_rules
from ..core.messages import describe_unknown
from ..counting.counter import Counter
from ..counting.counts import Counts
from ..evaluation.resampling import Confidence
from ..evaluation.result import evaluate
from ..io.units import UnitRule, parse_unit
from ..metrics.registry import choose_metrics, expand_sets, metric_table
from .checks import (
    check_evaluating_pipeline,
    check_labels,
    check_predicted,
    earlier_scores,
    scored_component,
    spans_key_of,
    warn_of_unlike_settings,
)
from .examples import batches, count_examples, unit_lack
from .stored_settings import LABEL_SETTINGS

MetricTable = dict[str, dict[str, Any]]
MetricChoice = MetricTable | list[str] | str | None
ConfidenceTable = dict[str, Any] | bool | None
"""The settings of intervals in a config; True for the usual settings, None or False for no intervals."""

LabelTable = dict[str, str | None]
Errors = tuple[type[Exception], ...]


def scoring_settings(
    metrics: MetricChoice,
    confidence: ConfidenceTable,
    detail: bool,
    labels: LabelTable | None = None,
    only: list[str] | None = None,
    depth: int | None = None,
    sep: str = SEPARATOR,
    label_from: str | list[str] | None = None,
) -> dict[str, Any]:
    """Check the settings of a config block, and return them as arguments of `Scoring`.

    Args:
        metrics: Names of metrics, or a table of names and options; None for the six of the set `papers`.
        confidence: `level`, `samples`, `seed` and `unit` of intervals; None for no intervals.
        detail: Whether the scores include the nested result.
        labels, only, depth, sep, label_from: The rules for labels, as in `label_rules`.

    Raises:
        thinc.config.ConfigValidationError: A setting cannot be used. spaCy reports mistakes in a config by this error.
    """
    confidence = {} if confidence is True else None if confidence is False else confidence
    if confidence is not None and not detail:
        raise ConfigValidationError(
            config={"confidence": confidence, "detail": detail},
            title="Unusable confidence",
            desc="intervals are in the nested result, which detail = false omits: remove one of the two",
        )
    with _config_errors("metrics", metrics=metrics):
        chosen = choose_metrics(metrics).metrics
    with _config_errors("confidence", kinds=(TypeError, ValueError), confidence=confidence):
        settings = (*Confidence._fields, "unit")
        if not isinstance(confidence or {}, Mapping):
            raise ValueError(f"expected true for the usual settings, or a table of some of {', '.join(settings)}")
        table = dict(confidence or {})
        if unknown := [name for name in table if name not in settings]:
            raise ValueError(describe_unknown(unknown[0], settings, "setting"))
        unit = table.pop("unit", None)
        intervals = None if confidence is None else Confidence(**table).checked()
        unit_rule = None if unit is None else parse_unit(str(unit))
    with _config_errors("label rules", labels=labels, only=only, depth=depth, sep=sep, label_from=label_from):
        rules = label_rules(labels, only, depth, sep, label_from=label_from)
    return {"metrics": chosen, "confidence": intervals, "unit": unit_rule, "detail": detail, "rules": rules}


@contextmanager
def _config_errors(name: str, *, kinds: Errors = (ValueError,), **config: Any) -> Iterator[None]:
    """Raise ConfigValidationError, as spaCy does, in place of errors of these kinds in the block."""
    try:
        yield
    except kinds as error:
        raise ConfigValidationError(config=config, title=f"Unusable {name}", desc=str(error)) from None


def model_options(model: Path, key: str | None) -> dict[str, dict[str, Any]]:
    """Return the options that a model's config gives to metrics.

    Args:
        model: The folder of the model.
        key: The key of the span groups that are scored; None for entities.

    Returns:
        The options of each metric. If several components score the same spans, the options
        of the last one in the pipeline: `nlp.evaluate` returns its scores.

    Raises:
        ValueError: If there is no config, or it cannot be read.

    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> _ = nlp.add_pipe("nereval", config={"metrics": {"fair": {"unit": "token"}}})
    >>> folder = getfixture("tmp_path")
    >>> nlp.to_disk(folder)
    >>> model_options(folder, None)
    {'fair': {'unit': 'token'}}
    """
    return metric_options_of_config(_config_of(model), key, model / "config.cfg")


def metric_options_of_config(config: Mapping[str, Any], key: str | None, name: object) -> dict[str, dict[str, Any]]:
    """Return the options that the config of a pipeline gives to metrics, see `model_options`; `name` is for errors."""
    options: dict[str, dict[str, Any]] = {}
    for block in _blocks(config, key, name):
        if metrics := block.get("metrics"):
            options |= expand_sets(metric_table(metrics))
    return options


def model_label_settings(model: Path, key: str | None) -> dict[str, Any]:
    """Return the label settings that a model's config has, out of `LABEL_SETTINGS` and `sep`.

    Args, Raises: As for `model_options`.
    """
    return label_settings_of_config(_config_of(model), key, model / "config.cfg")


def label_settings_of_config(config: Mapping[str, Any], key: str | None, name: object) -> dict[str, Any]:
    """Return the label settings of a config, see `model_label_settings`; `name` is for errors."""
    settings: dict[str, Any] = {}
    for block in _blocks(config, key, name):
        settings = {name: block[name] for name in LABEL_SETTINGS if block.get(name) is not None}
        if settings and (sep := block.get("sep", SEPARATOR)) != SEPARATOR:
            settings["sep"] = sep
    return settings


def _config_of(model: Path) -> Mapping[str, Any]:
    """Return the config of a model's folder. Raise ValueError if there is none, or it cannot be read."""
    path = model / "config.cfg"
    if model.is_dir() and not path.exists():
        raise ValueError(
            f"{model} is a folder without a config.cfg, so it is not a pipeline; to read the files in it, name them, "
            f"such as {model / '*.jsonl'}"
        )
    try:
        return load_config(path, interpolate=True)
    except Exception as error:  # the file system, the parser and the resolver of configs raise many kinds
        raise ValueError(f"{path} cannot be read as a config: {error}") from None


def _blocks(config: Mapping[str, Any], key: str | None, name: object) -> Iterator[dict[str, Any]]:
    """Yield the settings of each scorer and component that scores the spans, in the order of the pipeline."""
    try:
        disabled = config["nlp"].get("disabled") or []
        components = [component for component in config["nlp"]["pipeline"] if component not in disabled]
        blocks = [_block_of(config["components"].get(component, {}), key) for component in components]
    except (KeyError, TypeError, AttributeError) as error:
        missing = f": it has no {error}" if isinstance(error, KeyError) else ""
        raise ValueError(f"{name} is not the config of a pipeline{missing}; save the pipeline again") from None
    yield from (block for block in blocks if block is not None)


def _block_of(component: dict[str, Any], key: str | None) -> dict[str, Any] | None:
    """Return the settings with which a component scores entities, or the span groups of a key; None if it does not."""
    block: dict[str, Any] = component
    if component.get("factory") == "nereval":
        scored = key in component.get("spans_keys", []) if key else component.get("ents", True)
    else:
        block = component.get("scorer") or {}
        name = block.get("@scorers")
        group = block.get("spans_key") or component.get("spans_key") or "sc"
        scored = name == f"spacy-nereval.{'spans' if key else 'ner'}_scorer.v1" and key in (None, group)
    return block if scored else None


LEAST_DOCUMENTS = 2
"""Minimum number of annotated documents for which a scorer computes intervals."""


def make_ner_scorer(
    metrics: MetricChoice = None,
    confidence: ConfidenceTable = None,
    detail: bool = True,
    labels: LabelTable | None = None,
    only: list[str] | None = None,
    depth: int | None = None,
    sep: str = SEPARATOR,
    label_from: str | list[str] | None = None,
) -> Callable[..., dict[str, Any]]:
    """`@scorers = "spacy-nereval.ner_scorer.v1"`: spaCy's `ents_*`, and the metrics of `doc.ents`.

    Args:
        metrics: Names of metrics, as a list or text with commas, or a table of names and options; by default the
            six of the set `papers`, as their papers define them.
        confidence: `level`, `samples` and `seed` of intervals, and `unit` (resampled as a whole, as
            with `--unit`). The intervals are in the nested result. `true` or `{}` gives the usual settings.
            By default there are no intervals.
        detail: Whether to add the nested result, `ents_nereval`, to the score keys. Trackers do not need it.
        labels: New names of labels, null to drop them, as with `--labels`. spaCy's own scores ignore
            this and the next arguments.
        only: The labels to keep, as with `--only`.
        depth: The number of levels to keep of labels such as LOC/CITY, as with `--depth`.
        sep: The separator between the levels of a label, as with `--sep`.
        label_from: The source of the label: an attribute such as `kb_id` or `_.negated`, as with `--label-from`.

    Returns:
        A function that takes Examples and returns score keys with their values, as spaCy's scorers do.

    Raises:
        ConfigValidationError: There is no such metric, option or setting.

    >>> from spacy_nereval.integration.scorer import make_ner_scorer
    >>> sorted(make_ner_scorer(["strict"], detail=False)([]))[:3]
    ['ents_f', 'ents_p', 'ents_per_type']
    """
    return NerScorer(**scoring_settings(metrics, confidence, detail, labels, only, depth, sep, label_from))


def make_spans_scorer(
    metrics: MetricChoice = None,
    spans_key: str | None = None,
    confidence: ConfidenceTable = None,
    detail: bool = True,
    labels: LabelTable | None = None,
    only: list[str] | None = None,
    depth: int | None = None,
    sep: str = SEPARATOR,
    label_from: str | list[str] | None = None,
) -> Callable[..., dict[str, Any]]:
    """`@scorers = "spacy-nereval.spans_scorer.v1"`: spaCy's `spans_{key}_*`, and the metrics of `doc.spans[key]`.

    Args:
        metrics, confidence, detail, labels, only, depth, sep, label_from: As for `make_ner_scorer`.
        spans_key: The key of the span group; by default that of the component.

    Returns:
        A function that takes Examples and returns score keys with their values, as spaCy's scorers do.

    Raises:
        ConfigValidationError: There is no such metric, option or setting.

    >>> from spacy_nereval.integration.scorer import make_spans_scorer
    >>> sorted(make_spans_scorer({"strict": {}}, spans_key="sc", detail=False)([]))[:1]
    ['spans_sc_f']
    """
    return SpansScorer(
        **scoring_settings(metrics, confidence, detail, labels, only, depth, sep, label_from), spans_key=spans_key
    )


@dataclass(frozen=True, eq=False)
class Scoring:
    """The settings that scorers and the component share.

    Args:
        metrics: The metrics to compute.
        confidence: The settings of confidence intervals, or None for no intervals.
        unit: The unit of resampling; by default documents with the same id.
        detail: Whether to add the nested result to the score keys.
        rules: The rules that change the labels of both sides; None leaves labels as they are.
        lack: Why intervals are impossible, for the result.
    """

    metrics: tuple[Metric, ...]
    confidence: Confidence | None = None
    unit: UnitRule | None = None
    detail: bool = True
    rules: LabelRules | None = None
    lack: str = ""

    def usable_settings(self, examples: Sequence[Example], key: str | None) -> "Scoring":
        """Return these settings. If an example has no unit, warn, and return them without the unit.

        Missing data must never stop a training run.
        """
        check_evaluating_pipeline()
        if self.unit and (lack := unit_lack(examples, key, self.unit)):
            warnings.warn(f"no intervals: {lack}", stacklevel=3)
            return replace(self, unit=None, lack=lack)
        return self

    def keys(self, counts: Counts, prefix: str) -> dict[str, Any]:
        """Return the score keys with their values, and the nested result if `detail` is set.

        The nested result also has the metrics of the components that scored the same spans before.
        """
        scores = result_keys(counts, prefix, self.confidence, detail=self.detail, lack=self.lack)
        key = f"{prefix}_nereval"
        if self.detail and (earlier := earlier_scores().get(key)):
            merged = merge_results(earlier, scores[key])
            if merged is None:
                warn_of_unlike_settings(key)
            scores[key] = merged or scores[key]
        return scores


class NerScorer(Scoring):
    """Scores `doc.ents`. It is a class rather than a closure so that it can be pickled."""

    def __call__(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        examples = list(examples)
        scoring = self.usable_settings(examples, None)
        counter = Counter(scoring.metrics, units=scoring.confidence is not None)
        spacy = SpacyCounts()
        with_attributes = any(metric.attributes for metric in scoring.metrics)
        for parts, unaligned in batches(examples, None, scoring.unit, scoring.rules, with_attributes=with_attributes):
            if not scoring.rules:
                spacy.add(unaligned, first=counter.counts.documents)
            counter.add(*parts)
        check_predicted(examples, counter.counts)
        check_labels(counter.counts)
        scores = get_ner_prf(examples) if scoring.rules else spacy.scores(counter.counts)
        return scores | scoring.keys(counter.counts, "ents")

    def prefixes(self, pipe: Any) -> list[str]:
        """Return the prefix of its score keys, as the scorer of the component `pipe`."""
        return ["ents"]


@dataclass(frozen=True, eq=False)
class SpansScorer(Scoring):
    """Scores `doc.spans[key]`; by default the key is the component's."""

    spans_key: str | None = None

    def __call__(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        # spaCy passes the key of components whose settings are in `cfg`, unlike those of rulers.
        key = self.spans_key or kwargs.get("spans_key") or spans_key_of(scored_component()) or "sc"
        examples = list(examples)
        scoring = self.usable_settings(examples, key)
        units = scoring.confidence is not None
        counts = count_examples(examples, scoring.metrics, key, units=units, unit=scoring.unit, rules=scoring.rules)
        check_labels(counts, key)
        # spaCy scores a component that gives no label, such as span_finder, without labels.
        labels = {span.label_ for eg in examples for span in eg.predicted.spans.get(key, ())}
        score_spans = span_finder_score if labels == {""} else spancat_score
        return score_spans(examples, **kwargs | {"spans_key": key}) | scoring.keys(counts, f"spans_{key}")

    def prefixes(self, pipe: Any) -> list[str]:
        """Return the prefix of its score keys, as the scorer of the component `pipe`."""
        return [f"spans_{self.spans_key or spans_key_of(pipe) or 'sc'}"]


class SpacyCounts:
    """The counts of spaCy's own `get_ner_prf`: per label, of spans that are rounded outward to gold tokens.

    Aligning tokens takes most of spaCy's time. It is needed only where tokenisations differ
    or annotation is partial. Elsewhere spaCy's counts are those of exact matches.
    """

    def __init__(self) -> None:
        self._unaligned: list[int] = []
        self._scores: dict[str, PRFScore] = defaultdict(PRFScore)

    def add(self, unaligned: Iterable[tuple[int, Example]], first: int) -> None:
        """Count the examples with tokens to align, each with its index from `first` on."""
        for place, example in unaligned:
            self._unaligned.append(first + place)
            self._count(example)

    def _count(self, example: Example) -> None:
        unmatched = {(span.label_, span.start, span.end) for span in example.reference.ents}
        x2y = example.alignment.x2y
        for span in example.predicted.ents:
            score = self._scores[span.label_]
            tokens = x2y[span.start : span.end]
            if not len(tokens):
                continue
            start, end = int(tokens[0]), int(tokens[-1]) + 1
            if any(token.ent_iob == 0 for token in example.reference[start:end]):
                continue
            if (span.label_, start, end) in unmatched:
                unmatched.remove((span.label_, start, end))
                score.tp += 1
            else:
                score.fp += 1
        for label, _, _ in unmatched:
            self._scores[label].fn += 1

    def scores(self, counts: Counts) -> dict[str, Any]:
        """Return `ents_p`, `ents_r`, `ents_f` and `ents_per_type`, as spaCy does."""
        per_type = self._scores.copy()
        exact = np.ones(counts.documents, dtype=bool)
        exact[self._unaligned] = False
        numbers = counts.cells[exact].sum(axis=0, dtype=np.int64)
        for key, number in zip(counts.keys, numbers.tolist()):
            if number and not key.metric:
                name = "tp" if key.verdict == Kind.HIT else "fn" if key.gold else "fp"
                per_type[key.gold or key.pred] += PRFScore(**{name: number})
        total = sum(per_type.values(), PRFScore())
        if not len(total):
            return dict.fromkeys(("ents_p", "ents_r", "ents_f", "ents_per_type"))
        return {
            "ents_p": total.precision,
            "ents_r": total.recall,
            "ents_f": total.fscore,
            "ents_per_type": {label: score.to_dict() for label, score in per_type.items()},
        }


def result_keys(
    counts: Counts, prefix: str, confidence: Confidence | None = None, *, detail: bool = True, lack: str = ""
) -> dict[str, Any]:
    """Return the scores under their score keys, and the result under `{prefix}_nereval`.

    spaCy drops a score for a whole training run if it is None at first. An undefined
    score is therefore 0.0 here, and None only if no document is annotated.

    Args:
        counts: The counts.
        prefix: The prefix of the keys: `ents`, or `spans_` and the key of the span group.
        confidence: The settings of intervals, or None for no intervals.
        detail: Whether to return the result too.
        lack: Why intervals are impossible; "" if they are possible. With fewer than `LEAST_DOCUMENTS`
            annotated documents they are impossible too. They are then None, and `notes` of the
            result say why.
    """
    if confidence and counts.documents < LEAST_DOCUMENTS:
        annotated = "1 document is annotated" if counts.documents else "no document is annotated"
        lack = lack or f"{annotated}, and intervals need at least {LEAST_DOCUMENTS}"
    counts.spans_key = prefix.removeprefix("spans_") if prefix.startswith("spans_") else None
    result = evaluate(counts, confidence if detail and not lack else None)
    if confidence and lack:
        result |= {"confidence": None, "notes": [f"no intervals: {lack}"]}
        for metric_result in result["metrics"].values():
            metric_result["intervals"] = None
    items = result["scores"].items()
    scores = {f"{prefix}_{key}": (value or 0.0) if counts.documents else None for key, value in items}
    return scores | ({f"{prefix}_nereval": result} if detail else {})


def merge_results(earlier: dict[str, Any], later: dict[str, Any]) -> dict[str, Any] | None:
    """Return one result with the metrics of two results of the same spans; of metrics that both have, the later ones.

    Returns:
        The result; None if labels were changed in different ways, or intervals have different settings.
    """
    parts = [_signature_parts(result) for result in (earlier, later)]
    (metrics, settings, bounds), (later_metrics, later_settings, later_bounds) = parts
    if settings != later_settings or (bounds != later_bounds and bounds and later_bounds):
        return None
    metrics = {**metrics, **later_metrics}
    return {
        **(later if later_bounds else earlier),
        "signature": "|".join(
            ["spacy-nereval", *metrics.values(), *settings[0], *(later_bounds or bounds), *settings[1]]
        ),
        "scores": earlier["scores"] | later["scores"],
        "metrics": earlier["metrics"] | later["metrics"],
    }


def _signature_parts(result: dict[str, Any]) -> tuple[dict[str, str], tuple[list[str], list[str]], list[str]]:
    """Return the parts of a signature: that of each metric; those before and after the intervals; the intervals."""
    number = len(result["metrics"])
    _, *parts = result["signature"].split("|")
    metrics, parts, versions = dict(zip(result["metrics"], parts)), parts[number:-2], parts[-2:]
    place = next(k for k, part in enumerate(parts) if part.startswith("docs:")) + 1
    return metrics, (parts[:place], versions), parts[place:]
