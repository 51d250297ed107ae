"""Turn counts into results: scores, confidence intervals, comparisons, breakdowns and error lists.

May import `core`, `metrics` and `counting`.
"""

from typing import TYPE_CHECKING

from ..core.imports import names_of_top

if not TYPE_CHECKING:  # else no attribute would be wrong
    __getattr__ = names_of_top(__name__)
