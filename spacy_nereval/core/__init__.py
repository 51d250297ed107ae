"""Spans, overlap, alignment, formulas, and what a metric declares.

May import no other room: this is plain Python and numpy, without spaCy.
"""
