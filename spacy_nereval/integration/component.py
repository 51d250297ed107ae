"""The pipeline component `nereval`, and how to take everything of ours out of a pipeline again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from tempfile import TemporaryDirectory
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example


@Language.factory(
    "nereval",
    default_config={"metrics": None, "ents": True, "spans_keys": [], "confidence": None},
    default_score_weights={},
)
def make_nereval(
    nlp: Language,
    name: str,
    metrics: dict[str, dict[str, Any]] | None,
    ents: bool,
    spans_keys: list[str],
    confidence: dict[str, Any] | None,
) -> Nereval:
    """A component that leaves the Doc as it is and adds every metric to `nlp.evaluate`.

    metrics: names and options; by default all six.
    ents: whether to score `doc.ents`.
    spans_keys: the keys of `doc.spans` to score.
    confidence: `level`, `samples` and `seed` of intervals; by default there are none.
    """
    from .scorer import checked, checked_confidence

    return Nereval(checked(metrics), ents, list(spans_keys), checked_confidence(confidence))


class Nereval:
    """Scores what the components before it predicted, whoever they are."""

    def __init__(self, metrics: tuple, ents: bool, spans_keys: list[str], confidence: Any = None) -> None:
        self.metrics = metrics
        self.confidence = confidence
        self.ents = ents
        self.spans_keys = spans_keys

    def __call__(self, doc: Doc) -> Doc:
        return doc

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Every metric of the entities and of each span key, in flat and nested keys."""
        from .examples import count_examples
        from .scorer import result_keys

        examples = list(examples)
        scores: dict[str, Any] = {}
        for key in ([None] if self.ents else []) + self.spans_keys:
            counts = count_examples(examples, self.metrics, key)
            scores |= result_keys(counts, "ents" if key is None else f"spans_{key}", self.confidence)
        return scores


def make_detach() -> Callable[[Language], Language]:
    """`@callbacks = "spacy-nereval.detach.v1"`, for `[training] before_to_disk`: the saved
    pipeline then loads where spacy-nereval is not installed."""
    return detach


def detach(nlp: Language) -> Language:
    """A copy of the pipeline without anything of spacy-nereval; `nlp` stays as it is.

    Components with one of our scorers get back the one that is spaCy's default
    for them, and `nereval` components are left out.

    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> _ = nlp.add_pipe("nereval")
    >>> detach(nlp).pipe_names, nlp.pipe_names
    ([], ['nereval'])
    """
    config = _without_ours(nlp.config.copy())
    components = config["components"]
    ours = [name for name, block in components.items() if block.get("factory") == "nereval"]
    for name in ours:
        del components[name]
    for section, key in (("nlp", "pipeline"), ("nlp", "disabled"), ("training", "annotating_components")):
        config[section][key] = [name for name in config[section].get(key, []) if name not in ours]
    config["training"]["score_weights"] = _weights_without_ours(config["training"]["score_weights"])
    copy = type(nlp).from_config(config, vocab=nlp.vocab)
    copy.meta.update({key: value for key, value in nlp.meta.items() if key in ("name", "version", "description")})
    # By way of the disk, as it will be loaded. The config there is the one with ours in it.
    with TemporaryDirectory() as folder:
        nlp.to_disk(folder, exclude=ours)
        return copy.from_disk(folder, exclude=["config", "vocab"])


def _weights_without_ours(weights: dict[str, float | None]) -> dict[str, float | None]:
    """The score weights without our keys; if nothing is left to choose a model by, `ents_f`."""
    from ..metrics.registry import create_all, names

    ours = tuple(f"_{key}" for metric in create_all(names()) for key in (*metric.keys, "nereval"))
    left = {key: w for key, w in weights.items() if not (key.startswith(("ents_", "spans_")) and key.endswith(ours))}
    return left if any(left.values()) or left == weights else left | {"ents_f": 1.0}


def _without_ours(config: Any) -> Any:
    """A config without the blocks that call a registered function of ours."""
    if not isinstance(config, dict):
        return config
    for key, block in list(config.items()):
        if isinstance(block, dict):
            if any(name.startswith("@") and str(value).startswith("spacy-nereval.") for name, value in block.items()):
                # A scorer falls back to the factory's default, a callback to none.
                if key == "scorer":
                    del config[key]
                else:
                    config[key] = None
            else:
                _without_ours(block)
    return config
