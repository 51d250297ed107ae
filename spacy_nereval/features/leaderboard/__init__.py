"""The leaderboard: systems ranked and compared on several data sets.

Two ways through it. `ranking` scores, tests and ranks systems on data sets; `leaderboard_view` makes the tables and
sentences; the function `leaderboard()` is in `ranking_systems`, the command in `leaderboard_command`, which also ranks
the systems of `nereval score GOLD A B`, and `kept_counts` keeps their counts. `datasets` reads
the comparison on each data set and counts in how many the system is better than the baseline; `datasets_view` makes
the tables and sentences; the function `datasets()` is in `counting_data_sets`, the command in `datasets_command`.
"""

from ...core.features import Feature, ResultKind

feature: Feature = Feature(
    "leaderboard",
    commands=(f"{__name__}.leaderboard_command", f"{__name__}.datasets_command"),
    names={
        **dict.fromkeys(("DataSets", "datasets"), f"{__name__}.counting_data_sets"),
        **dict.fromkeys(("Leaderboard", "leaderboard"), f"{__name__}.ranking_systems"),
    },
    extensions={"score": f"{__name__}.leaderboard_command:ScoreSystems"},
    results={
        "DataSets": ResultKind(("data_sets", "least"), "datasets", "data sets"),
        "Leaderboard": ResultKind(("data_sets", "means"), "leaderboard", "a leaderboard"),
    },
)
"""The functions `leaderboard` and `datasets` with their results."""
