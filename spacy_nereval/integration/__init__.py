"""Connect the package to spaCy: Docs, scorers, the component, training loggers and schedules.

May import every room but `distributed`, `reporting` and `cli`. Only this room and `cli` import
spaCy.
"""
