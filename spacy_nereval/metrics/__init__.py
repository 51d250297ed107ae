"""The metrics, one per file, and their registry. Each is registered by one line in setup.cfg.

May import `core` only.
"""
