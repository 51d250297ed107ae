"""The component `nereval_cut`, which removes the spans of a group that score below their cut.

spaCy imports this module whenever it makes or loads a pipeline. Everything that takes time to import
is therefore imported inside the functions.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacy.language import Language
from spacy.tokens import Doc, SpanGroup

from ..core.messages import many

if TYPE_CHECKING:
    from ..core.cuts import Cuts


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

    It keeps the spans of `doc.spans[spans_key]` that score at least the cut of their label.
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
            f"{name}: expected either 'cut', the path of a threshold file of 'nereval thresholds' or "
            "Thresholds.save, or 'default', a score, perhaps with 'labels'"
        )
    if cut is None:
        return NerevalCut(spans_key, parse_cuts({"default": default, "labels": labels or {}}), name=name)
    # The file may be missing when a pipeline is loaded from disk, since the pipeline has its content.
    return NerevalCut(spans_key, load_cuts(Path(cut)) if Path(cut).exists() else None, cut, name)


class NerevalCut:
    """A component that removes the spans of a group that score below their cut.

    Args:
        spans_key: The key of the span group.
        cuts: The cuts; None if they are read from disk later.
        source: The path of the cut file, for errors.
        name: The name of the component in the pipeline, for errors.
    """

    def __init__(
        self, spans_key: str, cuts: "Cuts | None", source: str | None = None, name: str = "nereval_cut"
    ) -> None:
        self.spans_key = spans_key
        self.cuts = cuts
        self.source = source
        self.name = name

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
                f"{self.name}: there is no span group {key!r} (there are {keys}); put the component after the one "
                "that predicts the spans, and give it the same spans_key"
            )
        group = doc.spans[key]
        if not len(group):
            return doc
        scores = group.attrs.get("scores")
        if scores is None or len(scores) != len(group):
            problem = "no scores" if scores is None else f"{many(len(scores), 'score')} for {many(len(group), 'span')}"
            raise ValueError(
                f'{self.name}: doc.spans[{key!r}] has {problem}; expected one per span in attrs["scores"], as spancat '
                "gives them"
            )
        values = [score.item() if hasattr(score, "item") else score for score in scores]
        if wrong := [value for value in values if not is_finite_number(value)]:
            raise ValueError(f"{self.name}: doc.spans[{key!r}] has the score {wrong[0]!r}; expected finite numbers")
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
                f"{self.name}: there is no file {self.source}; 'nereval thresholds' and Thresholds.save write "
                "threshold files"
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
