"""The component `nereval`, which scores the predictions of other components.

spaCy imports this module whenever it makes or loads a pipeline. Everything that takes time to import
is therefore imported inside the functions.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from .scorer import Scoring


@Language.factory(
    "nereval",
    default_config={"metrics": None, "ents": True, "spans_keys": [], "confidence": None, "detail": True}
    | {"labels": None, "only": None, "depth": None, "sep": "/", "label_from": None},
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
    label_from: str | list[str] | None = None,
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
        label_from: The source of the label: an attribute such as `kb_id`, as with `--label-from`.

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

    settings = scoring_settings(metrics, confidence, detail, labels, only, depth, sep, label_from)
    if not Doc.has_extension("nereval"):
        Doc.set_extension("nereval", getter=_refuse_scores)
    component = Nereval(Scoring(**settings), ents, list(spans_keys))
    _pipelines[component] = ref(nlp)
    return component


def _refuse_scores(doc: Doc) -> None:
    raise AttributeError(
        "scores need gold annotation, which a Doc alone has not: write nlp.evaluate(examples), or score(gold, nlp)"
    )


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
            check_pipeline(nlp, Path(path).parent)
        return self


_pipelines: "WeakKeyDictionary[Nereval, ref[Language]]" = WeakKeyDictionary()
"""The pipeline of each component. It is not an attribute, so that components can be pickled."""
