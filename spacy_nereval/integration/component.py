"""The pipeline components of this package, and a copy of a pipeline without them.

`nereval` scores the predictions of other components. `nereval_cut` removes the spans of a group whose
scores are below their cut. `detach` copies a pipeline without anything of this package, so that the copy
loads where the package is not installed.

spaCy imports this module whenever it makes or loads a pipeline. Everything that takes time to import
is therefore imported inside the functions.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from spacy.language import Language
from spacy.tokens import Doc, SpanGroup
from spacy.training import Example

if TYPE_CHECKING:
    from ..core.cuts import Cuts
    from ..core.declaration import Metric
    from .scorer import Scoring


@Language.factory(
    "nereval",
    default_config={"metrics": None, "ents": True, "spans_keys": [], "confidence": None, "detail": True}
    | {"labels": None, "only": None, "depth": None, "sep": "/"},
    default_score_weights={},
)
def make_nereval(
    nlp: Language,
    name: str,
    metrics: dict[str, dict[str, Any]] | list[str] | str | None,
    ents: bool,
    spans_keys: list[str],
    confidence: dict[str, Any] | bool | None,
    detail: bool = True,
    labels: dict[str, str | None] | None = None,
    only: list[str] | None = None,
    depth: int | None = None,
    sep: str = "/",
) -> "Nereval":
    """Create the component `nereval`.

    It does not change Docs. It adds the scores of its metrics to the result of
    `nlp.evaluate`. Put it last in the pipeline: it scores the spans of all
    components, and no later one replaces its scores.

    Args:
        nlp: The pipeline; spaCy passes it.
        name: The name of the component in the pipeline; spaCy passes it.
        metrics: Names of metrics, as a list or text with commas, or a table of names and options; by default the six
            of the set `papers`.
        ents: Whether to score `doc.ents`.
        spans_keys: The keys of `doc.spans` to score.
        confidence: `level`, `samples`, `seed` and `unit` (resampled as a whole, as
            with `--unit`) of confidence intervals; `true` or `{}` for the usual settings. By default no
            intervals are computed.
        detail: Whether to add the nested results, such as `ents_nereval`, to the score keys.
        labels: New names of labels, null to drop them, as with `--labels`.
        only: The labels to keep.
        depth: The number of levels to keep of labels such as LOC/CITY.
        sep: The separator between the levels.

    Raises:
        thinc.config.ConfigValidationError: If `metrics`, `confidence` or the label rules cannot be used.

    Example:
        >>> import spacy
        >>> from spacy.training import Example
        >>> nlp = spacy.blank("en")
        >>> nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
        >>> component = nlp.add_pipe("nereval", config={"metrics": {"strict": {}}})
        >>> example = Example.from_dict(nlp.make_doc("Ada met Bob"), {"entities": [(0, 3, "PER")]})
        >>> nlp.evaluate([example])["ents_strict_r"]
        1.0
    """
    from .scorer import Scoring, scoring_settings

    component = Nereval(
        Scoring(**scoring_settings(metrics, confidence, detail, labels, only, depth, sep)), ents, list(spans_keys)
    )
    _pipelines[component] = ref(nlp)
    return component


class Nereval:
    """A component that only scores, and leaves every Doc as it is.

    Args:
        scoring: The metrics, and the settings of their scores.
        ents: Whether to score `doc.ents`.
        spans_keys: The keys of `doc.spans` to score.
    """

    def __init__(self, scoring: "Scoring", ents: bool, spans_keys: list[str]) -> None:
        self.scoring = scoring
        self.ents = ents
        self.spans_keys = spans_keys

    def __call__(self, doc: Doc) -> Doc:
        return doc

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Return the scores of all metrics for `doc.ents` and each key of `doc.spans`.

        Args:
            examples: Gold and predicted Docs.
            kwargs: Settings that spaCy passes to every scorer; ignored.

        Returns:
            Score keys as spaCy has them: headline scores such as `ents_fair_f`, from 0 to 1,
            and the whole result in `ents_nereval` or `spans_{key}_nereval`.
        """
        from .checks import check_key, check_labels, check_predicted
        from .examples import count_examples

        examples = list(examples)
        scores: dict[str, Any] = {}
        keys: list[str | None] = [None] * self.ents + [*self.spans_keys]
        for key, prefix in zip(keys, self.prefixes()):
            scoring = self.scoring.usable_settings(examples, key)
            counts = count_examples(examples, scoring.metrics, key, unit=scoring.unit, rules=scoring.rules)
            check_labels(counts, key)
            if key is None:
                check_predicted(examples, counts)
            else:
                check_key(examples, key)
            scores |= scoring.keys(counts, prefix)
        return scores

    @property
    def metrics(self) -> "tuple[Metric, ...]":
        """The metrics of the scores."""
        return self.scoring.metrics

    def prefixes(self, pipe: Any = None) -> list[str]:
        """Return the prefixes of the score keys."""
        return ["ents"] * self.ents + [f"spans_{key}" for key in self.spans_keys]

    def initialize(self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language) -> None:
        """Check the pipeline when a training begins; see `checks.check_pipeline`."""
        from .checks import check_pipeline

        check_pipeline(nlp)

    def from_disk(self, path: Path, *, exclude: Iterable[str] = ()) -> "Nereval":
        """Check the pipeline when it is loaded, and return the component. There is nothing to read."""
        from .checks import check_pipeline

        nlp = _pipelines.get(self, lambda: None)()
        if nlp is not None:
            check_pipeline(nlp)
        return self


_pipelines: "WeakKeyDictionary[Nereval, ref[Language]]" = WeakKeyDictionary()
"""The pipeline of each component. It is not an attribute, so that components can be pickled."""

FILE = "cuts.json"
"""The cut file in the folder of the component."""


@Language.factory(
    "nereval_cut",
    default_config={"cut": None, "spans_key": "sc", "default": None, "labels": None},
    assigns=["doc.spans"],
)
def make_nereval_cut(
    nlp: Language,
    name: str,
    cut: str | None,
    spans_key: str = "sc",
    default: float | None = None,
    labels: dict[str, float | None] | None = None,
) -> "NerevalCut":
    """Create the component `nereval_cut`.

    It keeps the spans of `doc.spans[spans_key]` whose scores are not below the cut of their label.
    Put it after the component that predicts the spans, such as `spancat` with a threshold of 0.

    Args:
        nlp: The pipeline; spaCy passes it.
        name: The name of the component in the pipeline; spaCy passes it.
        cut: The path of a cut file, as `nereval thresholds --cut-file` writes it. `to_disk`
            saves its content, so the file is only needed when the component is added.
        spans_key: The key of the span group.
        default: Instead of `cut`: the cut of labels that `labels` does not name.
        labels: With `default`: the cuts of labels; null keeps no span of the label.

    Returns:
        The component, which changes each Doc that it is called with.

    Raises:
        ValueError: There is neither `cut` nor `default`, there are both, or a cut is no number.
        OSError: The file cannot be read.

    Example:
        >>> import spacy
        >>> from spacy.tokens import SpanGroup
        >>> nlp = spacy.blank("en")
        >>> component = nlp.add_pipe("nereval_cut", config={"default": 0.5})
        >>> doc = nlp.make_doc("Ada met Bob")
        >>> spans = [doc[0:1], doc[2:3]]
        >>> doc.spans["sc"] = SpanGroup(doc, name="sc", spans=spans, attrs={"scores": [0.9, 0.2]})
        >>> [span.text for span in component(doc).spans["sc"]]
        ['Ada']
    """
    from ..io.saved_results import load_cuts, parse_cuts

    if (cut is None) == (default is None) or (cut is not None and labels):
        raise ValueError(
            f"{name}: expected either 'cut', the path of a cut file that 'nereval thresholds' or Thresholds.save "
            "wrote, or 'default', a score, perhaps with 'labels'"
        )
    if cut is None:
        return NerevalCut(spans_key, parse_cuts({"default": default, "labels": labels or {}}))
    # The file may be missing when a pipeline is loaded from disk, since the pipeline has its content.
    return NerevalCut(spans_key, load_cuts(Path(cut)) if Path(cut).exists() else None, cut)


class NerevalCut:
    """A component that removes the spans of a group whose scores are below their cut.

    Args:
        spans_key: The key of the span group.
        cuts: The cuts; None if they are read from disk later.
        source: The path of the cut file, for errors.
    """

    def __init__(self, spans_key: str, cuts: "Cuts | None", source: str | None = None) -> None:
        self.spans_key = spans_key
        self.cuts = cuts
        self.source = source

    def __call__(self, doc: Doc) -> Doc:
        """Remove spans from the group; its other attributes stay.

        Raises:
            ValueError: The Doc has no such group, the group has no scores, or a score is not a finite number.
        """
        from ..core.messages import is_finite_number

        cuts, key = self.existing_cuts, self.spans_key
        if key not in doc.spans:
            keys = ", ".join(map(repr, doc.spans)) or "none"
            raise ValueError(
                f"nereval_cut: there is no span group {key!r} (there are {keys}); put the component after the one "
                "that predicts the spans, and give it the same spans_key"
            )
        group = doc.spans[key]
        if not len(group):
            return doc
        scores = group.attrs.get("scores")
        if scores is None or len(scores) != len(group):
            problem = "no scores" if scores is None else f"{len(scores)} scores for {len(group)} spans"
            raise ValueError(
                f'nereval_cut: doc.spans[{key!r}] has {problem}; expected one per span in attrs["scores"], as spancat '
                "gives them"
            )
        values = [score.item() if hasattr(score, "item") else score for score in scores]
        if wrong := [value for value in values if not is_finite_number(value)]:
            raise ValueError(f"nereval_cut: doc.spans[{key!r}] has the score {wrong[0]!r}; expected finite numbers")
        indices = [k for k, (span, value) in enumerate(zip(group, values)) if cuts.keeps(span.label_, value)]
        spans, attrs = [*group], dict(group.attrs)
        attrs["scores"] = scores[indices] if hasattr(scores, "dtype") else [values[k] for k in indices]
        doc.spans[key] = SpanGroup(doc, name=group.name, attrs=attrs, spans=[spans[k] for k in indices])
        return doc

    @property
    def existing_cuts(self) -> "Cuts":
        """The cuts. Raise ValueError if there are none, since the cut file did not exist."""
        if self.cuts is None:
            raise ValueError(
                f"nereval_cut: there is no file {self.source}; 'nereval thresholds' and Thresholds.save write cut files"
            )
        return self.cuts

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the content of the cut file."""
        return json.dumps(self._content()).encode()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "NerevalCut":
        """Read the cuts from the content of a cut file, and return the component."""
        from ..io.saved_results import parse_cuts

        self.cuts = parse_cuts(json.loads(data))
        return self

    def to_disk(self, path: Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the cut file into the folder of the component."""
        from ..io.writing import write_json

        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / FILE, self._content())

    def from_disk(self, path: Path, *, exclude: Iterable[str] = ()) -> "NerevalCut":
        """Read the cut file from the folder of the component, and return the component."""
        from ..io.saved_results import load_cuts

        self.cuts = load_cuts(Path(path) / FILE)
        return self

    def _content(self) -> dict[str, Any]:
        from ..io.saved_results import cut_file_content

        return cut_file_content(self.existing_cuts)


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
    components are left out. Score weights of this package's keys are removed.

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
    for section, key in (("nlp", "pipeline"), ("nlp", "disabled"), ("training", "annotating_components")):
        config[section][key] = [name for name in config[section].get(key, []) if name not in ours]
    config["training"]["score_weights"] = _remove_our_keys(config["training"]["score_weights"])
    copy = type(nlp).from_config(config, vocab=nlp.vocab)
    copy.meta.update({key: value for key, value in nlp.meta.items() if key in ("name", "version", "description")})
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
            config[key] = None  # such as a callback, which may be null
    return config


def _calls_ours(block: dict[str, Any]) -> bool:
    return any(name.startswith("@") and str(value).startswith("spacy-nereval.") for name, value in block.items())
