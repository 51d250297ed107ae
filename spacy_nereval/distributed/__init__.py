"""Count a corpus of many files with many workers, on one machine or a cluster.

May import every room but `reporting` and `cli`.
"""
