"""Read annotation from files, read and write counts, and write results.

This room may import `core`, `metrics`, `counting` and `evaluation`. It knows records, not spaCy's Docs.
"""

from typing import TYPE_CHECKING

from ..core.imports import names_of_top

if not TYPE_CHECKING:  # else no attribute would be wrong
    __getattr__ = names_of_top(__name__)
