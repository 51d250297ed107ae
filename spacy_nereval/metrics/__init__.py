"""The metrics, one per file, and their registry. One line in setup.cfg registers each.

May import `core` only.
"""
