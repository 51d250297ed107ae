"""Weights of documents by hand."""

from __future__ import annotations

from typing import Any

import numpy as np


class Times:
    """How often each of several sums counts each document, as a table [sums, documents]."""

    def __init__(self, table: Any) -> None:
        self.table = np.asarray(table)
        self.sums = len(self.table)

    def of(self, documents: slice) -> np.ndarray:
        return self.table[:, documents]
