"""Intervals of a result as rows, for the tests of intervals."""

from typing import Any

import numpy as np
import pytest

from spacy_nereval.evaluation.result import make_plain


def rows_of(found: dict[str, Any]) -> dict[tuple[str, ...], dict[str, Any]]:
    """The intervals of a metric by the places of their scores."""
    rows = {("scores", name): row for name, row in found["scores"].items()}
    for part in ("averages", "per_type"):
        rows |= {(part, key, name): row for key, table in found[part].items() for name, row in table.items()}
    return make_plain(rows) if not rows else {path: make_plain(row) for path, row in rows.items()}


def near(value: float | None) -> Any:
    return None if value is None or not np.isfinite(value) else pytest.approx(value, abs=1e-9)


def agrees(found: dict[str, Any], expected: Any) -> None:
    """Every interval is the twin's, and so are k, the degrees of freedom and the flag."""
    ours = rows_of(found)
    assert ours.keys() == expected.keys()
    for path, (bounds, k, df, flag) in expected.items():
        row = ours[path]
        assert [row["low"], row["high"]] == ([near(bound) for bound in bounds] if bounds else [None, None]), path
        assert (row["df"], row["flag"]) == (near(df), flag), (path, row, k, df, flag)
        # Where a score is undefined, leaving units out does not show which of them have a count that it would need.
        assert bounds is None or row["k"] == near(k), (path, row, k)
