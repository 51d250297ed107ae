"""The leaderboard: systems on several data sets.

One way through it: `datasets` counts in how many data sets a system is better than the baseline, `counting_data_sets`
has `datasets()`.
"""

from ...core.features import Feature, ResultKind

feature = Feature(
    "leaderboard",
    commands=(f"{__name__}.datasets_command",),
    names=dict.fromkeys(("DataSets", "datasets"), f"{__name__}.counting_data_sets"),
    results={"DataSets": ResultKind(("data_sets", "least"), "datasets", "data sets")},
)
