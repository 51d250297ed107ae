"""Warn of mistakes in how a pipeline combines scorers and score weights.

The scores of all components are in one dict, in which a later component overwrites an
earlier one. spaCy also ignores the weight of a missing score, and assumes that higher is
better for every score. spaCy reports none of this.
"""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from spacy.language import Language
from spacy.scorer import Scorer
from spacy.training import Example
from spacy.util import load_config

from ..core.declaration import Metric, Score
from ..counting.counts import Counts
from ..evaluation.label_schemes import label_lines, mapping_setting, unknown_labels
from ..evaluation.result import labels_before_only
from ..metrics.registry import create, names


@runtime_checkable
class Source(Protocol):
    """A scorer or a component of this package."""

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics of the scores."""

    def prefixes(self, pipe: Any) -> list[str]:
        """Return the prefixes of its score keys, such as "ents"; `pipe` is the component that it scores."""


_warned: WeakKeyDictionary[Language, set[object]] = WeakKeyDictionary()
"""The warnings that were given for each pipeline, since each is given only once."""


def evaluating_pipeline() -> Language | None:
    """Return the pipeline that is evaluating; None if none is."""
    nlp: Language | None = _local_of_caller(Language.evaluate, "self")
    return nlp


def earlier_scores() -> Mapping[str, Any]:
    """Return the scores that components wrote before this one in a running `Scorer.score`; empty if none is running."""
    return _local_of_caller(Scorer.score, "scores") or {}


def scored_component() -> Any:
    """Return the component whose scorer a running `Scorer.score` calls; None if none is running."""
    return _local_of_caller(Scorer.score, "component")


def spans_key_of(pipe: Any) -> str | None:
    """Return the key of `doc.spans` that a component sets; None if it has none. Rulers have it outside of `cfg`."""
    key: str | None = getattr(pipe, "cfg", {}).get("spans_key") or getattr(pipe, "key", None)
    return key


def _local_of_caller(function: Callable[..., Any], name: str) -> Any:
    """Return a local variable of the running call of a function of spaCy; None if there is none.

    spaCy passes neither the pipeline nor the other scores to a scorer, so they are looked up in the calling frames.
    """
    frame: FrameType | None = sys._getframe()
    while frame and frame.f_code is not function.__code__:
        frame = frame.f_back
    return frame.f_locals.get(name) if frame else None


def check_evaluating_pipeline() -> None:
    """Check the pipeline that is evaluating, if there is one."""
    if (nlp := evaluating_pipeline()) is not None:
        check_pipeline(nlp)


def check_pipeline(nlp: Language, folder: Path | None = None) -> None:
    """Warn of score keys that two components write, of components that come too early, and of wrong score weights.

    A pipeline warns only once of the same mistake.

    Args:
        nlp: A pipeline.
        folder: The folder from which it is being loaded; by default that from which it was.
    """
    written = [(name, keys) for name, pipe in nlp.pipeline if (keys := dict(_keys(pipe)))]
    for line in (*_clashes(written), *_order_mistakes(nlp, written), *_weight_mistakes(nlp, folder)):
        if _is_new(nlp, line):
            warnings.warn(line, stacklevel=2)


def _is_new(nlp: Language, warning: object) -> bool:
    """Return whether a pipeline has not given a warning yet, and remember that it has."""
    past_warnings = _warned.setdefault(nlp, set())
    is_new = warning not in past_warnings
    past_warnings.add(warning)
    return is_new


def warn_of_unlike_settings(key: str) -> None:
    """Warn, once for each pipeline, that the nested results of two components cannot be one."""
    nlp = evaluating_pipeline()
    if nlp is None or _is_new(nlp, ("unlike settings", key)):
        warnings.warn(
            f"two components write {key} with different label rules or settings of intervals: only the result of the "
            "last one is kept; give both the same labels, only, depth, sep, label_from and confidence",
            stacklevel=3,
        )


def check_predicted(examples: Iterable[Example], counts: Counts) -> None:
    """Warn if no prediction has entity annotation, which is probably a mistake.

    Args:
        examples: The examples that were scored.
        counts: The counts of `doc.ents`.
    """
    if counts.gold and not counts.pred and not any(eg.predicted.has_annotation("ENT_IOB") for eg in examples):
        warnings.warn(
            "no predicted Doc has entity annotation, so every score of entities is 0: no component of the pipeline "
            "sets doc.ents; add one, such as ner, or score span groups",
            stacklevel=3,
        )


def check_key(examples: Iterable[Example], key: str) -> None:
    """Warn, once for each pipeline, if Docs have span groups, but no Doc has one under this key.

    Args:
        examples: The examples that were scored.
        key: The key of the span groups.
    """
    keys = {name for eg in examples for doc in (eg.reference, eg.predicted) for name in doc.spans}
    nlp = evaluating_pipeline()
    if not keys or key in keys or (nlp is not None and not _is_new(nlp, ("no spans", key))):
        return
    listed_keys = ", ".join(map(repr, sorted(keys)))
    warnings.warn(f"spans_keys: no Doc has spans under the key {key!r}; the Docs have {listed_keys}", stacklevel=3)


def check_labels(counts: Counts, key: str | None = None) -> None:
    """Warn of predicted labels that never occur in gold, and of label rules that name labels which do not occur.

    Missing data must never stop a training run. A pipeline warns only once of the same labels, although
    a training evaluates it many times.

    Args:
        counts: The counts.
        key: The key of the span groups that were scored; None for `doc.ents`.
    """
    _check_label_schemes(counts, key)
    if rules := counts.label_rules:
        lines = [line.removeprefix("⚠ ") for line in rules.usage_warnings(counts.mapped, counts.labels)]
        try:
            rules.check_labels_occur(counts.labels)
        except ValueError as error:
            lines[-1] = str(error)  # instead of the line about the same labels
        for line in lines:
            warnings.warn(_prefix(key) + line, stacklevel=3)


def _check_label_schemes(counts: Counts, key: str | None) -> None:
    gold, pred = labels_before_only(counts)
    unknown = unknown_labels(gold, pred)
    if not unknown:
        return
    nlp = evaluating_pipeline()
    labels = frozenset(label for label in gold if gold[label]), frozenset(unknown)
    if nlp is not None and not _is_new(nlp, labels):
        return
    for line in label_lines(gold, pred, counts.partners, counts.label_rules, written=mapping_setting):
        warnings.warn(_prefix(key) + line.removeprefix("⚠ "), stacklevel=4)


def _prefix(key: str | None) -> str:
    """Return the beginning of a warning about the labels of span groups; "" for entities."""
    return "" if key is None else f"doc.spans[{key!r}]: "


Written = tuple[str, dict[str, tuple[Metric, Score]]]
"""A component's name, and the score keys that it writes."""


def _keys(pipe: Any) -> Iterator[tuple[str, tuple[Metric, Score]]]:
    """Yield the score keys that a component writes with this package, and the metric and score of each."""
    for source in (pipe, getattr(pipe, "scorer", None)):
        if isinstance(source, Source):
            for prefix in source.prefixes(pipe):
                for metric in source.metrics:
                    for key, name in metric.keys.items():
                        yield f"{prefix}_{key}", (metric, metric.score_by_name[name])


def _clashes(written: list[Written]) -> Iterator[str]:
    """Yield a line for each set of components that write the same keys."""
    writers: dict[str, list[str]] = {}
    for name, keys in written:
        for key in keys:
            writers.setdefault(key, []).append(name)
    shared: dict[tuple[str, ...], list[str]] = {}
    for key, components in writers.items():
        if len(components) > 1:
            shared.setdefault(tuple(components), []).append(key)
    for sharing, shared_keys in shared.items():
        others = f" and {len(shared_keys) - 1} more" if len(shared_keys) > 1 else ""
        yield (
            f"the components {', '.join(sharing)} all write {shared_keys[0]}{others}: the scores of {sharing[-1]} "
            "replace the others, since it is the last of them in the pipeline; give the metrics to only one of them"
        )


def _order_mistakes(nlp: Language, written: list[Written]) -> Iterator[str]:
    """Yield a line for each component of this package that comes before one that sets the spans it scores.

    There is no line if the later component writes the same keys, since `_clashes` has one then.
    """
    keys_of = dict(written)
    for place, (name, pipe) in enumerate(nlp.pipeline):
        if isinstance(pipe, Source) and name in keys_of:
            scored = {*pipe.prefixes(pipe)}
            later = [
                setter
                for setter, setter_pipe in nlp.pipeline[place + 1 :]
                if scored & {*_assigned_prefixes(nlp, setter, setter_pipe)}
                and not keys_of[name].keys() & keys_of.get(setter, {}).keys()
            ]
            if later:
                yield (
                    f"the component {name} scores the spans of {', '.join(later)} but comes first: a later component "
                    "replaces the scores of an earlier one that have the same keys; put it last, with "
                    "nlp.add_pipe after all others, or at the end of pipeline in [nlp] of the config"
                )


def _assigned_prefixes(nlp: Language, name: str, pipe: Any) -> Iterator[str]:
    """Yield the prefixes of score keys for the spans that a component sets."""
    for attribute in nlp.get_pipe_meta(name).assigns:
        if attribute == "doc.ents":
            yield "ents"
        elif attribute == "doc.spans":
            yield f"spans_{spans_key_of(pipe)}"


def _lacks_components(nlp: Language, folder: Path | None) -> bool:
    """Return whether a pipeline was loaded without some of the components that its folder has."""
    folder = folder or nlp.path
    try:
        return folder is not None and not {*load_config(folder / "config.cfg")["nlp"]["pipeline"]} <= {
            *nlp.component_names
        }
    except (OSError, ValueError, KeyError, TypeError):  # the folder is gone, or another one
        return False


def _weight_mistakes(nlp: Language, folder: Path | None) -> Iterator[str]:
    """Yield a line for each weight with the wrong sign, and for each of a key that nothing writes.

    There is no line if components are lacking, since they may be those that write the key.
    """
    weights = nlp.config["training"].get("score_weights") or {}
    # Components that are frozen or disabled are trained and scored elsewhere: their weights are no mistakes.
    ours = {key: score for _, pipe in nlp.components for key, score in _keys(pipe)}
    if not ours or _lacks_components(nlp, folder):
        return
    declared = {*_spacys_keys(nlp)}
    for key, weight in weights.items():
        if not weight:
            continue
        if key in ours:
            metric, score = ours[key]
            if score.higher_is_better and weight < 0:
                yield _negative(key)
            elif weight > 0 and not score.higher_is_better:
                better = f"{key.removesuffix(score.key or '')}{_better_key(metric, score)}"
                yield (
                    f"[training.score_weights] has {key}, for which lower is better: training keeps the model with the "
                    f"highest score, which is the worst; use {better}"
                )
        elif weight < 0 and key.endswith(("_p", "_r", "_f")) and key in declared:
            yield _negative(key)
        elif key not in declared and (key.startswith(("ents_", "spans_")) or key in _metric_of_key()):
            yield (
                f"[training.score_weights] has {key}, which no metric of the pipeline's scorers and no other component "
                "produces; spaCy ignores the weight of a missing score: choose the metric that has it, or remove the "
                f"weight{_hint(key, ours)}"
            )


def _negative(key: str) -> str:
    return (
        f"[training.score_weights] has {key} with a negative weight, although higher is better: training keeps the "
        "model with the highest weighted score, which is the worst; use a weight above 0"
    )


@cache
def _metric_of_key() -> dict[str, str]:
    """Return the metric of each score key, without prefix, of all registered metrics."""
    return {key: name for name in names() for key in create(name).keys}


def _hint(key: str, ours: Mapping[str, tuple[Metric, Score]]) -> str:
    """Return the end of a warning that suggests a similar key, or names the metric that has the key."""
    prefixed = [candidate for candidate in ours if candidate.endswith(f"_{key}")]
    ends = [name for name in _metric_of_key() if f"_{key}".endswith(f"_{name}")]
    metric = _metric_of_key()[max(ends, key=len)] if ends else None
    if metric and not prefixed and metric not in {m.name for m, _ in ours.values()}:
        return f"; the metric {metric} has it"
    near = prefixed or get_close_matches(key, [*ours], 3)
    best = next((candidate for candidate in near if ours[candidate][1].headline), near[0] if near else "")
    return f"; is it {best}?" if best else ""


def _spacys_keys(nlp: Language) -> Iterator[str]:
    """Yield the score keys that the components of a pipeline write without this package."""
    for name, pipe in nlp.components:
        meta = nlp.get_pipe_meta(name)
        yield from (*meta.scores, *(meta.default_score_weights or ()))
        if key := spans_key_of(pipe):  # components declare the score keys of "sc" only
            yield from (f"spans_{key}_{score}" for score in ("p", "r", "f"))


def _better_key(metric: Metric, cost: Score) -> str:
    """Return the key of the score to use instead of a cost: its complement, or the metric's headline."""
    scores = [score for score in metric.scores if score.key and score.higher_is_better]
    return str(min(scores, key=lambda score: (score.complement_of != cost.name, not score.headline)).key)
