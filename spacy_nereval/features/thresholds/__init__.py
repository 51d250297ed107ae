"""Thresholds: every metric at every cut of the predictions' scores, the best cut, and its scores on other documents.

One way through it: `scored_spans` has the spans of documents with the scores of predictions, counts the changes
between cuts, and measures how well the scores rank predictions. `curves` computes every metric at every cut,
`cut_choice` finds the best cut, and `chosen_cuts` makes the result and measures the cut on other documents.
`threshold_view` makes the tables and sentences, `threshold_page` the page with the curves. The function `thresholds()`
is in `thresholding`, the command in `thresholds_command`. Which predictions a cut keeps is decided in `core/cuts.py`.
"""

from ...core.features import Feature, ResultKind

feature: Feature = Feature(
    "thresholds",
    commands=(f"{__name__}.thresholds_command",),
    names=dict.fromkeys(("Thresholds", "thresholds"), f"{__name__}.thresholding"),
    results={"Thresholds": ResultKind(("best", "curves"), "thresholds", "thresholds")},
    inputs=("apply",),
    outputs=("csv", "cut_file", "html"),
)
