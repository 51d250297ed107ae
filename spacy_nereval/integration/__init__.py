"""Connect the package to spaCy: Docs, scorers, the component, training loggers and schedules.

May import every room but `distributed`, `reporting` and `cli`. Apart from `cli`, this is the only
room that imports spaCy.
"""
