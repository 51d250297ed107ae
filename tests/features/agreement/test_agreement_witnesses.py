"""Alphas and kappas against other packages, and against formulas written out over pairs of annotators."""

from collections import Counter
from itertools import permutations
from typing import Any

import krippendorff
import numpy as np
import pytest
from annotators import STRICT, at_random
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_of_statsmodels

from spacy_nereval.features.agreement.agreement_counts import AgreementCounts
from spacy_nereval.features.agreement.shared_documents import SharedDocument, SharedDocuments

SEEDS = range(12)
MISSING = None


def values(shared: SharedDocuments, unit: str) -> list[list[frozenset[str] | None]]:
    """A row for each unit: what each annotator says of it, None for one who has not annotated the document."""
    rows = []
    for each in shared.documents:
        places = [(k, k + 1) for k in range(len(each.base.text or ""))] if unit == "char" else each.base.words
        for start, end in places:
            rows.append([
                frozenset(label for a, b, label in each.spans[name] if a < end and start < b)
                if name in each.spans
                else MISSING
                for name in shared.annotators
            ])  # fmt: skip
    return rows


def alpha(rows: list[list[Any]]) -> Any:
    """What the package krippendorff says; None where it, or one value alone, leaves nothing to say."""
    known = {value for row in rows for value in row if value is not MISSING and sum(v is not MISSING for v in row) > 1}
    if len(known) < 2:
        return None
    number = {value: k for k, value in enumerate(sorted({v for row in rows for v in row if v is not MISSING}, key=str))}
    data = [[np.nan if value is MISSING else number[value] for value in row] for row in rows]
    return pytest.approx(krippendorff.alpha(np.array(data).T, level_of_measurement="nominal"), abs=1e-12)


@pytest.mark.parametrize("unit", ["token", "char"])
@pytest.mark.parametrize("seed", SEEDS)
def test_alphas_are_those_of_krippendorff(seed, unit):
    given = at_random(seed, overlapping=True)
    rows = values(given, unit)
    found = AgreementCounts(given, STRICT, unit=unit).result()["units"]
    assert found["n"] == len(rows)
    assert found["alpha"] == alpha(rows)
    anything = [[value if value is MISSING else bool(value) for value in row] for row in rows]
    assert found["alpha_detect"] == alpha(anything)
    assert found["alpha_label"] == alpha([[value or MISSING for value in row] for row in rows])
    for label in given.labels:
        has = [[value if value is MISSING else label in value for value in row] for row in rows]
        assert found["per_type"][label] == alpha(has), label


@pytest.mark.parametrize("seed", SEEDS)
def test_kappas_are_those_of_scikit_learn_and_statsmodels(seed):
    given = at_random(seed, overlapping=True, everyone=True)
    rows = values(given, "token")
    result = AgreementCounts(given, STRICT).result()
    columns = dict(zip(given.annotators, zip(*([str(sorted(value or ())) for value in row] for row in rows))))
    for pair in result["pairs"]:
        one, other = columns[pair["a"]], columns[pair["b"]]
        expected = cohen_kappa_score(one, other) if len({*one, *other}) > 1 else None
        assert pair["kappa"] == (None if expected is None else pytest.approx(expected, abs=1e-12))
    if len({value for column in columns.values() for value in column}) > 1:
        table, _ = aggregate_raters(np.array([*columns.values()]).T)
        assert result["units"]["fleiss"] == pytest.approx(fleiss_of_statsmodels(table), abs=1e-12)


GAP = ""


def units_of(each: SharedDocument, name: str) -> list[tuple[int, int, str]]:
    """The spans of an annotator, and the gaps between them."""
    found, at = [], 0
    for start, end, label in sorted(each.spans[name]):
        found += [(at, start, GAP)] * (start > at) + [(start, end, label)]
        at = end
    length = len(each.base.text or "")
    return found + [(at, length, GAP)] * (length > at)


def unitising(shared: SharedDocuments, *, gaps: bool, one_label: bool) -> float | None:
    """Alpha for unitising, as its authors define it: by the intersections of every two units."""
    shares: Counter[tuple[str, str]] = Counter()
    squares: Counter[str] = Counter()
    for each in shared.documents:
        units = {
            name: [(a, b, "any" if one_label and label else label) for a, b, label in units_of(each, name)]
            for name in each.spans
        }
        for one, other in permutations(units, 2):
            for a, b, label in units[one]:
                for c, d, label_of_other in units[other]:
                    both = min(b, d) - max(a, c)
                    if both > 0 and (gaps or (label and label_of_other)):
                        shares[label, label_of_other] += both / (len(units) - 1)
        for name, own in units.items():
            for a, b, label in own:
                if label == GAP:
                    squares[GAP] += (b - a) * gaps
                elif gaps:
                    squares[label] += (b - a) ** 2
                else:
                    others = [u for rest in units if rest != name for u in units[rest] if u[2]]
                    squares[label] += sum(any(c <= at < d for c, d, _ in others) for at in range(a, b)) ** 2
    total, of_squares = sum(shares.values()), sum(squares.values())
    if not total or total - of_squares / total < 1e-9:
        return None
    rows = Counter({label: sum(n for (row, _), n in shares.items() if row == label) for label, _ in shares})
    expected = {
        (c, d): (rows[c] * rows[d] - (c == d) * squares[c]) / (total - of_squares / total) for c in rows for d in rows
    }
    by_chance = sum(n for (c, d), n in expected.items() if c != d)
    if by_chance < 1e-9:
        return None
    return 1 - sum(n for (c, d), n in shares.items() if c != d) / by_chance


@pytest.mark.parametrize("seed", range(30))
def test_unitising_alphas_are_those_of_every_two_units(seed):
    given = at_random(seed)
    found = AgreementCounts(given, STRICT).result()["u_alpha"]
    for name, gaps, one_label in (("u_alpha", True, False), ("u_binary", True, True), ("cu_alpha", False, False)):
        expected = unitising(given, gaps=gaps, one_label=one_label)
        assert found[name] == (None if expected is None else pytest.approx(expected, abs=1e-12)), name
    for label in given.labels:
        alone = [
            each._replace(spans={name: [s for s in own if s[2] == label] for name, own in each.spans.items()})
            for each in given.documents
        ]
        expected = unitising(SharedDocuments(given.annotators, alone), gaps=True, one_label=False)
        assert found["per_type"][label] == (None if expected is None else pytest.approx(expected, abs=1e-12)), label
