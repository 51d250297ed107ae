"""Functions with the signatures of other packages and the same numbers, for a switch in one line."""

from typing import TYPE_CHECKING

from ..core.imports import names_of_top

if not TYPE_CHECKING:  # else no attribute would be wrong
    __getattr__ = names_of_top(__name__)
