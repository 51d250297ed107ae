"""Read annotation from files, read and write counts, and write results.

May import `core`, `metrics`, `counting` and `evaluation`; it knows records, not spaCy's Docs.
"""
