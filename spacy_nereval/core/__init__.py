"""Spans, overlap, alignment, formulas, and the declaration of a metric.

Imports no other room (a room is a folder of the package), and not spaCy.
"""
