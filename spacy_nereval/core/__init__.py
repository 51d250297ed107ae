"""Spans, overlap, alignment, formulas, and what a metric declares.

May import no other room, as folders of the package are called. It knows texts, spans and numbers, and nothing of spaCy.
"""
