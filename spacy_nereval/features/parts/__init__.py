"""Parts: a corpus of many files, or the rows of an engine's table, counted by many workers, on one machine or a cluster.

One way through it: `corpus_lists` finds the files that lists, patterns and folders name. `parts_command` says how each
file is counted and adds the options of workers to `count` and `evaluate`. `shards` counts the files that are not counted
yet and merges the counts, `engines` starts the workers, and `lock` keeps other runs out of a folder. `partitions` counts
the rows of Spark's, Dask's and Ray's tables.
"""

from ...core.features import Feature

feature = Feature("parts")
