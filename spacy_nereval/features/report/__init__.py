"""The report: one HTML page with scores, charts, every error and every document; and gold corrected by its reviewers.

One way through it: `report_view` makes the tables and sentences of the systems. It takes the gains from mending errors
and the scores of slices from `report_numbers`, and the places where gold may be wrong from `gold_suspects`.
`report_charts` draws, and `report_page` puts the page together from the templates, styles and scripts in `page/`, with
the sections that other features add. Reviewers save their marks from the page: `corrections` reads these and corrects
gold, `correcting` has `apply()` and its result. `report_command` has the commands `report` and `apply`.
"""

from ...core.features import Feature, ResultKind

feature: Feature = Feature(
    "report",
    commands=(f"{__name__}.report_command",),
    names=dict.fromkeys(("Corrections", "apply"), f"{__name__}.correcting"),
    results={"Corrections": ResultKind(("changes", "undecided"), "apply", "corrections")},
    inputs=("marks",),
    page=f"{__name__}.report_page:report_html",
)
