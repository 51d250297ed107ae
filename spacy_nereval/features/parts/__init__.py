"""Parts: a corpus of many files, or the rows of an engine's table, counted by many workers of a machine or a cluster.

One way through it: `parts_command` adds the options of workers to `count` and `evaluate`, and says how each file is
counted. `corpus_lists` finds the files that lists, patterns and folders name. `shards` counts the files that are not
counted yet and merges the counts, `engines` starts the workers, and `lock` keeps other runs out of a folder.
`appending` adds new files to counts. `partitions` counts the rows of Spark's, Dask's and Ray's tables.
"""

from ...core.features import Feature

feature: Feature = Feature(
    "parts",
    inputs=("files_from",),
    extensions={
        "count": f"{__name__}.parts_command:CountWorkers",
        "evaluate": f"{__name__}.parts_command:EvaluateWorkers",
    },
)
