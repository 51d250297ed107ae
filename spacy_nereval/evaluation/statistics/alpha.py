"""Agreement corrected for chance, from sums that add up over documents: Krippendorff's alphas, and kappas.

Each function works element by element on any leading axes, such as one total or a thousand half-samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

TINY = 1e-12
"""An expected disagreement below this share of everything is rounding: there is nothing to correct."""


def nominal_alpha(agreeing: ArrayLike, marginals: ArrayLike) -> Any:
    """Return Krippendorff's alpha for nominal values.

    Args:
        agreeing: The sum of the diagonal of the coincidence matrix, float[...].
        marginals: The row sums of the coincidence matrix: how often each value was given in
            units with two values or more, float[..., values].

    Returns:
        float[...], at most 1; NaN if all values are the same.

    Example:
        >>> round(float(nominal_alpha(25, [25, 9])), 4)
        0.34

    Source: K. Krippendorff, Content Analysis (2019), chapter 12.
    """
    agreed, counts = np.asarray(agreeing, dtype=float), np.asarray(marginals, dtype=float)
    n = counts.sum(axis=-1)
    expected = (n * n - (counts * counts).sum(axis=-1)) / np.maximum(n - 1, 1)
    return _corrected(n - agreed, expected, n)


def observed_agreement(agreeing: ArrayLike, marginals: ArrayLike) -> Any:
    """Return the share of coinciding values that are equal, without a correction for chance.

    Args:
        agreeing, marginals: As for `nominal_alpha`.

    Returns:
        float[...], from 0 to 1; NaN if no unit has two values.

    Example:
        >>> observed_agreement(3, [3, 1]).item()
        0.75

    Source: one minus the observed disagreement of Krippendorff's alpha, see `nominal_alpha`.
    """
    n = np.asarray(marginals, dtype=float).sum(axis=-1)
    return np.where(n > 0, np.asarray(agreeing, dtype=float) / np.where(n > 0, n, 1), np.nan)[()]


def cohen_kappa(agreeing: ArrayLike, first: ArrayLike, second: ArrayLike) -> Any:
    """Return Cohen's kappa of two annotators.

    Args:
        agreeing: In how many units their values are equal, float[...].
        first, second: How often each gives each value, float[..., values].

    Returns:
        float[...], at most 1; NaN if both give one and the same value only.

    Example:
        >>> round(float(cohen_kappa(35, [25, 25], [30, 20])), 4)
        0.4

    Source: J. Cohen (1960), A coefficient of agreement for nominal scales.
    """
    agreed, a, b = (np.asarray(given, dtype=float) for given in (agreeing, first, second))
    n = a.sum(axis=-1)
    expected = n - (a * b).sum(axis=-1) / np.maximum(n, 1)
    return _corrected(n - agreed, expected, n)


def fleiss_kappa(agreeing: ArrayLike, marginals: ArrayLike) -> Any:
    """Return Fleiss' kappa, for units that all have the same number of values.

    Args:
        agreeing, marginals: As for `nominal_alpha`.

    Returns:
        float[...], at most 1; NaN if all values are the same.

    Example:
        >>> round(float(fleiss_kappa(25, [25, 9])), 4)
        0.32

    Source: J. L. Fleiss (1971), Measuring nominal scale agreement among many raters.
    """
    agreed, counts = np.asarray(agreeing, dtype=float), np.asarray(marginals, dtype=float)
    n = counts.sum(axis=-1)
    expected = n - (counts * counts).sum(axis=-1) / np.maximum(n, 1)
    return _corrected(n - agreed, expected, n)


def unitising_alpha(agreeing: ArrayLike, totals: ArrayLike, squares: ArrayLike) -> Any:
    """Return Krippendorff's alpha for unitising, in which boundaries are found and labels given.

    Args:
        agreeing: The sum of the diagonal of the matrix of shared lengths, float[...].
        totals: Its row sums, a value for each label and one for gaps, float[..., values].
        squares: The sum of the squared lengths of all units, and of the lengths of gaps, float[...].

    Returns:
        float[...], at most 1; NaN if nothing but one label, or nothing, is marked.

    Example:
        Two annotators mark 4 of 10 characters, and share 2 of these; so they also share 4 in gaps.

        >>> round(float(unitising_alpha(2 * (2 + 4), [8, 12], 2 * (4**2 + 6))), 4)
        0.2583

    Source: K. Krippendorff, Y. Mathet, S. Bouvry and A. Widlöcher (2016), On the reliability of
    unitizing textual continua.
    """
    agreed, counts, of_squares = (np.asarray(given, dtype=float) for given in (agreeing, totals, squares))
    n = counts.sum(axis=-1)
    at_all = np.where(n > 0, n, 1)
    left = n - of_squares / at_all
    by_chance = ((counts * counts).sum(axis=-1) - of_squares) / np.where(left > TINY * at_all, left, 1)
    return _corrected(n - agreed, np.where(left > TINY * at_all, n - by_chance, 0), n)


def _corrected(observed: NDArray[Any], expected: NDArray[Any], n: NDArray[Any]) -> Any:
    """Return one minus the observed disagreement divided by the expected one; NaN if nothing is expected."""
    defined = expected > TINY * np.maximum(n, 1)
    return np.where(defined, 1 - observed / np.where(defined, expected, 1), np.nan)[()]
