"""Connect the package to spaCy: Docs, scorers, components, training loggers and schedules.

This room may import `io` and the rooms below it. Only this room, `cli` and features import spaCy.
"""
