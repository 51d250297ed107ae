"""Spans, overlap, alignment, formulas, and what a metric declares.

May import no other room. It knows texts, spans and numbers, and nothing of spaCy.
"""
