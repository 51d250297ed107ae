"""Count the verdicts of all metrics on documents, as one additive table.

May import `core` and `metrics`.
"""
