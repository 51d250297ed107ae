"""Read annotation from files, read and write counts, and write results.

This room may import `core`, `metrics`, `counting` and `evaluation`. It knows records, not spaCy's Docs.
"""
