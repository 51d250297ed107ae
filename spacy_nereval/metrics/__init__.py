"""The metrics, one per file, and their registry. One line in setup.cfg registers each.

May import `core` only.
"""

from typing import TYPE_CHECKING

from ..core.imports import names_of_top

if not TYPE_CHECKING:  # else no attribute would be wrong
    __getattr__ = names_of_top(__name__)
