"""The leaderboard: systems compared on several data sets.

One way through it: `datasets` reads the comparison on each data set and counts in how many the system is better than
the baseline. `datasets_view` makes the tables and sentences. The function `datasets()` is in `counting_data_sets`, the
command in `datasets_command`.
"""

from ...core.features import Feature, ResultKind

feature: Feature = Feature(
    "leaderboard",
    commands=(f"{__name__}.datasets_command",),
    names=dict.fromkeys(("DataSets", "datasets"), f"{__name__}.counting_data_sets"),
    results={"DataSets": ResultKind(("data_sets", "least"), "datasets", "data sets")},
)
