"""The report: one HTML page with scores, charts, every error and every document; reviews of it, and their corrections.

One way through it: `report_view` computes what the page says of the systems: with `report_numbers` what fixing each kind
of error is worth and how slices of spans fare, and with `gold_suspects` where gold may be wrong. `report_charts` draws,
and `report_page` puts the page together from the templates, styles and scripts in `page/`. Reviewers save their marks
from it; `corrections` reads these and corrects gold, `correcting` shows what changed and has `apply()`.
`report_command` has the commands `report` and `apply`.
"""

from ...core.features import Feature, ResultKind

feature = Feature(
    "report",
    commands=(f"{__name__}.report_command",),
    names=dict.fromkeys(("Corrections", "apply"), f"{__name__}.correcting"),
    results={"Corrections": ResultKind(("changes", "undecided"), "apply", "corrections")},
    inputs=("marks",),
    page=f"{__name__}.report_page:report",
)
