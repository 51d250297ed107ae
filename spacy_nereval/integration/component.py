"""The pipeline component `nereval`, which scores what other components predict.

spaCy imports this module whenever it makes or loads a pipeline. Everything that
takes time to import is therefore imported inside the functions.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..evaluation.intervals import Confidence
    from ..io.units import UnitRule


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
) -> "Nereval":
    """Create the component `nereval`.

    It changes no Doc, and it adds the scores of its metrics to what `nlp.evaluate`
    returns. Put it anywhere in the pipeline: which component predicted the spans
    makes no difference.

    Args:
        nlp: The pipeline; spaCy passes it.
        name: The name of the component in the pipeline; spaCy passes it.
        metrics: Names of metrics with their options; by default the six of the papers.
        ents: Whether to score `doc.ents`.
        spans_keys: The keys of `doc.spans` to score.
        confidence: `level`, `samples`, `seed` and `unit` (what is resampled as a whole, as
            `--unit` has it) of confidence intervals, `{}` for the defaults; by default no
            intervals are computed.

    Raises:
        thinc.config.ConfigValidationError: If `metrics` or `confidence` cannot be used.

    Example:
        >>> import spacy
        >>> from spacy.training import Example
        >>> nlp = spacy.blank("en")
        >>> component = nlp.add_pipe("nereval", config={"metrics": {"strict": {}}})
        >>> example = Example.from_dict(nlp.make_doc("Ada met Bob"), {"entities": [(0, 3, "PER")]})
        >>> nlp.evaluate([example])["ents_strict_r"]
        0.0
    """
    from .scorer import checked, checked_confidence, checked_unit

    unit = checked_unit(confidence)
    return Nereval(checked(metrics), ents, list(spans_keys), checked_confidence(confidence), unit)


class Nereval:
    """A component that leaves every Doc as it is and only scores.

    Args:
        metrics: The metrics to compute.
        ents: Whether to score `doc.ents`.
        spans_keys: The keys of `doc.spans` to score.
        confidence: The settings of confidence intervals, or None for no intervals.
        unit: What is resampled as a whole; by default the documents with one id.
    """

    def __init__(
        self,
        metrics: "tuple[Metric, ...]",
        ents: bool,
        spans_keys: list[str],
        confidence: "Confidence | None" = None,
        unit: "UnitRule | None" = None,
    ) -> None:
        self.metrics = metrics
        self.confidence = confidence
        self.unit = unit
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
        from .example_batches import count_examples
        from .scorer import result_keys

        examples = list(examples)
        scores: dict[str, Any] = {}
        for key in ([None] if self.ents else []) + self.spans_keys:
            counts = count_examples(examples, self.metrics, key, unit=self.unit)
            scores |= result_keys(counts, "ents" if key is None else f"spans_{key}", self.confidence)
        return scores
