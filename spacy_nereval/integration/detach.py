"""A copy of a pipeline without anything of this package, which loads where the package is not installed."""

from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from spacy.language import Language

if TYPE_CHECKING:
    pass


def make_detach() -> Callable[[Language], Language]:
    """Create the callback `spacy-nereval.detach.v1`, for `[training.before_to_disk]`.

    Every pipeline that the training saves then loads without this package.

    Returns:
        The function `detach`.
    """
    return detach


def detach(nlp: Language) -> Language:
    """Return a copy of a pipeline without anything of this package.

    Components with a scorer of this package get spaCy's default scorer back. `nereval`
    components are removed. Score weights of this package's keys are removed. In the training
    config, spaCy's ConsoleLogger replaces the logger, and the first rate of a plateau its schedule.

    Args:
        nlp: The pipeline; it stays as it is.

    Raises:
        ValueError: The pipeline has a component `nereval_cut`, which changes its predictions.

    Returns:
        A new pipeline with the same weights and the same vocabulary.

    Example:
        >>> import spacy
        >>> nlp = spacy.blank("en")
        >>> _ = nlp.add_pipe("nereval")
        >>> detach(nlp).pipe_names, nlp.pipe_names
        ([], ['nereval'])
    """
    config = _remove_our_functions(nlp.config.copy())
    components = config["components"]
    ours = [name for name, block in components.items() if block.get("factory") == "nereval"]
    if cutting := [name for name, block in components.items() if block.get("factory") == "nereval_cut"]:
        raise ValueError(
            f"the component {cutting[0]!r} changes predictions, and spaCy has no component that does the same: remove "
            f"it first, with nlp.remove_pipe({cutting[0]!r}); predictions with low scores are then kept"
        )
    for name in ours:
        del components[name]
    lists = {"nlp": ("pipeline", "disabled"), "training": ("annotating_components", "frozen_components")}
    for section, key in ((section, key) for section, keys in lists.items() for key in keys):
        config[section][key] = [name for name in config[section].get(key, []) if name not in ours]
    config["training"]["score_weights"] = _remove_our_keys(config["training"]["score_weights"])
    copy = type(nlp).from_config(config, vocab=nlp.vocab)
    # Weights are copied through the disk, as when the pipeline is loaded later. The config that
    # `nlp` writes there still names this package, so it is not read back.
    with TemporaryDirectory() as folder:
        nlp.to_disk(folder, exclude=ours)
        return copy.from_disk(folder, exclude=["config", "vocab"])


def _remove_our_keys(weights: dict[str, float | None]) -> dict[str, float | None]:
    """Return score weights without this package's keys. If no weight remains, `ents_f` gets one to choose models by."""
    from ..metrics.registry import create_all, names

    ours = tuple(f"_{key}" for metric in create_all(names()) for key in (*metric.keys, "nereval"))
    others = {key: w for key, w in weights.items() if not (key.startswith(("ents_", "spans_")) and key.endswith(ours))}
    return others if any(others.values()) or others == weights else others | {"ents_f": 1.0}


def _remove_our_functions(config: Any) -> Any:
    """Remove the blocks of a config that call a registered function of this package. The config is changed in place."""
    if not isinstance(config, dict):
        return config
    for key, block in list(config.items()):
        if not isinstance(block, dict):
            continue
        if not _calls_ours(block):
            _remove_our_functions(block)
        elif key == "scorer":
            del config[key]  # the default of the component's factory applies
        else:
            config[key] = _substitute(block)
    return config


def _substitute(block: dict[str, Any]) -> Any:
    """Return the value that replaces a block of a function of this package; None for a callback, which may be null."""
    if "@loggers" in block:
        return {**block, "@loggers": "spacy.ConsoleLogger.v3"}
    return block.get("rate") if "@schedules" in block else None


def _calls_ours(block: dict[str, Any]) -> bool:
    return any(name.startswith("@") and str(value).startswith("spacy-nereval.") for name, value in block.items())
