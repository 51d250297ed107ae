"""Thresholds: curves over the scores of predictions, the best cut, and what it is worth on other documents.

One way through it: `scored_spans` has the spans of documents with the scores of predictions, and how well scores rank
them. `curves` computes every metric at every cut, `cut_choice` finds the best one, `chosen_cuts` makes the result and
measures a cut on other documents. `threshold_view` has its tables and sentences, `threshold_page` the page with the
curves. `thresholding` has `thresholds()`, `thresholds_command` the command. What a cut keeps is the kernel's,
in `core/cuts.py`.
"""

from ...core.features import Feature, ResultKind

feature = Feature(
    "thresholds",
    commands=(f"{__name__}.thresholds_command",),
    names=dict.fromkeys(("Thresholds", "thresholds"), f"{__name__}.thresholding"),
    results={"Thresholds": ResultKind(("best", "curves"), "thresholds", "thresholds")},
    inputs=("apply",),
    outputs=("csv", "cut_file", "html"),
)
