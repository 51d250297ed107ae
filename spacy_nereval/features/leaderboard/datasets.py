"""Count in how many data sets a system is better than the baseline, from one comparison per data set."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.about import __version__
from ...core.compression import strip_compression
from ...core.messages import check_given_once, is_finite_number, spell_argument
from ...evaluation.conclusion import ONCE
from ...evaluation.result import make_plain
from ...evaluation.tested import PRIMARY, UNTESTED, Key, ScoreKeys, count_data_sets, find_score, holm
from ...io.saved_results import read_json
from ...metrics.registry import create
from ...metrics.registry import names as registered
from ...reporting.declared import score_words

Result = Mapping[str, Any]
Row = Mapping[str, Any]

DECLARED = ("score_unit", "higher_is_better")
"""The fields of a row with the unit and the direction of its score, whether the metric is registered or not."""

NEEDED = ("metric", "score", "system", "family", "baseline_value", "value", "difference", "interval", "p_better")
"""The fields that a row of a comparison must have, besides those in `DECLARED`."""

COPIED = ("baseline_value", "value", "difference", "interval", "k", "flag", "differing", "p_better")
"""The fields that are copied from a row of a comparison to the row of a data set."""


def data_sets(
    results: Mapping[str, Result], *, score: str | None = None, system: str | None = None, independent: bool = False
) -> dict[str, Any]:
    """Count the data sets in which a system is better than the baseline.

    Each data set gives the one-sided p-value of its comparison, which is small where the
    system is better. A data set without a test, because the outputs differ in fewer than 6
    units, counts as p = 1.

    Args:
        results: Names of data sets to their comparisons, results of
            `evaluation.comparison.comparison`, two or more. All compare the same systems by
            the same score at the same level.
        score: METRIC.SCORE or its score key; by default the primary score of the comparisons.
        system: The system, where the comparisons have several besides the baseline.
        independent: Whether the data sets share neither texts nor trained models. Then their p-values are combined
            by Fisher's method. Either way, Holm's correction decides which data sets are named.

    Returns:
        A result in plain Python: `least`, the count, of `number` data sets; `p` of "better
        in at least u of them" for u = 1 to `number`; a row per data set, `named` where the
        system is better there; the `verdict`, a sentence without a full stop.

    Raises:
        ValueError: There are fewer than two results, one is not a comparison, they are not
            of the same systems, score, settings, version and level, two are of the same
            data set, or the score was not tested.

    Example:
        >>> def made_up(value, p):
        ...     row = dict(metric="strict", score="f", system="B", family="primary", baseline_value=0.5, value=value,
        ...                difference=value - 0.5, interval=[0.01, 0.2], p_better=p, differing=20,
        ...                score_unit="ratio", higher_is_better=True)
        ...     return {"version": "1", "signature": "spacy-nereval|strict|docs:9", "documents": 9, "baseline": "A",
        ...             "confidence": {"level": 0.95}, "comparisons": [row]}
        >>> result = data_sets({"news": made_up(0.6, 0.001), "mail": made_up(0.65, 0.03), "chat": made_up(0.5, 0.5)})
        >>> result["least"], [row["data_set"] for row in result["data_sets"] if row["named"]]
        (1, ['news'])
        >>> result["verdict"]
        'B scores better than A in at least 1 of 3 data sets by strict F: in news; for these trained models; \
retraining variance is not included'

    Source: R. Dror et al., Replicability Analysis for Natural Language Processing (2017);
    naming, S. Holm (1979).
    """
    if len(results) < 2:
        raise ValueError(f"expected the comparisons of two or more data sets, not of {len(results)}")
    for name, result in results.items():
        check_comparison(name, result)
    rows = {name: _select_row(name, result, score, system) for name, result in results.items()}
    _check_same_setup(results, rows)
    _check_given_once(results, rows)
    first_result = next(iter(results.values()))
    level = float(first_result["confidence"]["level"])
    raw = [row["p_better"] for row in rows.values()]
    tested = np.array([1.0 if p is None else p for p in raw])
    count = count_data_sets(tested, level=level, independent=independent)
    corrected = holm(tested)
    row = next(iter(rows.values()))
    method = "fisher" if independent else "bonferroni"
    parts = (_metric_settings(first_result["signature"], row["metric"]), f"score:{row['score']}", f"sets:{len(rows)}")
    summary: dict[str, Any] = make_plain(
        {
            "signature": "|".join(["spacy-nereval", *parts, f"{method},level:{level}", f"v{__version__}"]),
            "version": __version__,
            "metric": row["metric"],
            "score": row["score"],
            **{key: row[key] for key in DECLARED},
            "baseline": first_result["baseline"],
            "system": row["system"],
            "level": level,
            "method": method,
            "least": count.least,
            "number": count.number,
            "trained_once": any(data_set_row.get("runs") in (None, [1, 1]) for data_set_row in rows.values()),
            "p": count.p,
            "data_sets": [
                {
                    "data_set": name,
                    "documents": results[name]["documents"],
                    **{key: data_set_row.get(key) for key in COPIED},
                    "runs": data_set_row.get("runs"),
                    **{key: results[name].get(key) for key in ("swaps", "exact")},
                    "p_holm": p,
                    # The rounding of 1 - 0.95 must not change the count.
                    "named": bool(p <= 1 - level + 1e-12),
                    "signature": results[name]["signature"],
                }
                for (name, data_set_row), p in zip(rows.items(), corrected)
            ],
        }
    )
    return summary | {"verdict": verdict(summary)}


def verdict(result: Mapping[str, Any]) -> str:
    """Return the conclusion from the count as a sentence.

    Args:
        result: What `data_sets` returns; the verdict itself is not read.

    Returns:
        A sentence without a full stop.

    Example:
        >>> rows = [{"data_set": name, "named": False} for name in ("news", "mail")]
        >>> result = dict(metric="strict", score="f", baseline="A", system="B", least=0, number=2, data_sets=rows)
        >>> result["trained_once"] = False
        >>> verdict(result)
        'not settled in any of 2 data sets: whether B scores better than A by strict F'
        >>> verdict(result | {"least": 2})
        'B scores better than A in both data sets by strict F: in news, mail'
    """
    least, number, by = result["least"], result["number"], f"by {score_words(result['metric'], result['score'])}"
    named = [row["data_set"] for row in result["data_sets"] if row["named"] or least == number]
    claim = f"{result['system']} scores better than {result['baseline']}"
    if not least and not named:
        return f"not settled in any of {number} data sets: whether {claim} {by}"
    # The count by Fisher's method may be below the number of named data sets, and even 0. Both are valid by themselves.
    of_all = "both" if number == 2 else f"all {number}"
    share = of_all if least == number else f"at least {least} of {number}"
    count = f" in {share} data sets" if least else ""
    which = f": in {', '.join(named)}" if named else "; which ones is not settled"
    more = "; which others is not settled" if 0 < len(named) < least else ""
    return f"{claim}{count} {by}{which}{more}" + (f"; {ONCE}" if result["trained_once"] else "")


def _score_name(row: Row) -> str:
    return f"{row['metric']}.{row['score']}"


def check_comparison(name: str, result: Any) -> None:
    """Check that a result is a comparison with all fields that are read.

    Args:
        name: The name of the result in errors.
        result: The contents of a file.

    Raises:
        ValueError: It is not a comparison, or not one of this version.

    Example:
        >>> check_comparison("scores.json", {"signature": "", "metrics": {}})
        Traceback (most recent call last):
        ValueError: scores.json is not a comparison: expected the output of 'nereval compare' or Comparison.save
    """
    if not _is_comparison(result):
        raise ValueError(f"{name} is not a comparison: expected the output of 'nereval compare' or Comparison.save")
    for row in result["comparisons"]:
        if missing := [key for key in (*NEEDED, *DECLARED) if key not in row]:
            raise ValueError(f"{name} lacks {missing[0]!r}, so another version wrote it: compare again")
        _check_numbers(name, row)


def _check_numbers(name: str, row: Row) -> None:
    """Raise ValueError, naming the field, if a row has something else where a number is expected."""
    numbers = {key: [row[key]] for key in ("baseline_value", "value", "difference", "p_better")}
    interval = row["interval"]
    pair = isinstance(interval, list) and len(interval) == 2
    for key, values in (numbers | {"interval": interval if pair else [interval, ""]}).items():
        if not all(value is None or is_finite_number(value) for value in values):
            raise ValueError(
                f"{name}: {key} of {_score_name(row)} is {row[key]!r}; expected a number, two for an interval"
            )
    if (p := row["p_better"]) is not None and not 0 < p <= 1:
        raise ValueError(f"{name}: p_better of {_score_name(row)} is {p}; expected a number above 0 and up to 1")


def _is_comparison(result: Any) -> bool:
    if not isinstance(result, Mapping):
        return False
    rows, confidence = result.get("comparisons"), result.get("confidence")
    return (
        isinstance(rows, list)
        and all(isinstance(row, Mapping) for row in rows)
        and bool(rows)
        and isinstance(confidence, Mapping)
        and isinstance(confidence.get("level"), float)
        and 0 < confidence["level"] < 1
        and all(isinstance(result.get(key), str) for key in ("signature", "version", "baseline"))
        and isinstance(result.get("documents"), int)
    )


def _select_row(name: str, result: Result, score: str | None, system: str | None) -> Row:
    """Return the row of a comparison for the system and the score."""
    # Rows of single labels have a label.
    rows = [row for row in result["comparisons"] if row.get("label") is None]
    systems = list(dict.fromkeys(row["system"] for row in rows))
    if system is None and len(systems) > 1:
        raise ValueError(
            f"{name} compares several systems: choose one with {spell_argument('system')}, of {', '.join(systems)}"
        )
    if system is not None and system not in systems:
        raise ValueError(
            f"{spell_argument('system', system)}: {name} has no such system; it compares {', '.join(systems)}"
        )
    rows = [row for row in rows if row["system"] == (system or systems[0])]
    tested = [(row["metric"], row["score"]) for row in rows if row["family"] != UNTESTED]
    if score:
        key = find_score(spell_argument("score", score), score, _score_keys(rows), tested, f" in {name}")
        matches: list[Row] = [row for row in rows if (row["metric"], row["score"]) == key]
    else:
        matches = [row for row in rows if row["family"] == PRIMARY]
    if not matches:
        raise ValueError(f"{name} has no primary score: choose one with {spell_argument('score', 'METRIC.SCORE')}")
    if matches[0]["family"] == UNTESTED:
        raise ValueError(
            f"{spell_argument('score', score)}: not tested in {name}, which tests {', '.join(map('.'.join, tested))}; "
            f"to test it, make it the primary score of the comparison"
        )
    return matches[0]


def _score_keys(rows: Iterable[Row]) -> ScoreKeys:
    """Return the score key of each row's score; None if its metric is not registered."""
    scores: dict[Key, str | None] = {(row["metric"], row["score"]): None for row in rows}
    for metric in map(create, {metric for metric, _ in scores} & {*registered()}):
        scores |= {key: score.key for score in metric.scores if (key := (metric.name, score.name)) in scores}
    return scores


def _check_same_setup(results: Mapping[str, Result], rows: Mapping[str, Row]) -> None:
    """Raise ValueError if the comparisons are not of the same systems, in the same way."""
    settings: dict[str, Callable[[str], Hashable]] = {
        "the primary score": lambda name: _score_name(rows[name]),
        "the baseline": lambda name: results[name]["baseline"],
        "the system": lambda name: rows[name]["system"],
        "the version": lambda name: results[name]["version"],
        "the level": lambda name: results[name]["confidence"]["level"],
        "the metric": lambda name: _metric_settings(results[name]["signature"], rows[name]["metric"]),
    }
    first, *names = results
    for setting, value in settings.items():
        for name in names:
            if value(first) != value(name):
                choice = f"choose one with {spell_argument('score', 'METRIC.SCORE')}"
                remedy = choice if setting == "the primary score" else REMEDY
                raise ValueError(f"{setting} is {value(first)} in {first} and {value(name)} in {name}: {remedy}")


REMEDY = "data sets can be counted only where the comparisons are alike"


def _metric_settings(signature: str, metric: str) -> str:
    """Return the part of a signature with a metric and its options."""
    parts = signature.split("|")
    return next((part for part in parts if part.startswith(f"{metric}:")), metric)


def _check_given_once(results: Mapping[str, Result], rows: Mapping[str, Row]) -> None:
    """Raise ValueError if two comparisons are of the same data set, even if tested with different seeds."""
    first_names: dict[Hashable, str] = {}
    for name, result in results.items():
        if rows[name].get("differing") == 0:
            continue  # Two data sets on which the systems agree may have the same numbers.
        numbers = _identifying_numbers(result, rows[name]["system"])
        if (twin := first_names.setdefault(numbers, name)) != name:
            raise ValueError(f"{twin} and {name} have the same numbers: give each data set once")


def _identifying_numbers(result: Result, system: str) -> Hashable:
    """Return the numbers that identify a data set: those of documents and units, and the values of every score."""
    rows: Sequence[Row] = [row for row in result["comparisons"] if row["system"] == system]
    values = (
        (_score_name(row), row.get("label"), row["baseline_value"], row["value"], row.get("differing")) for row in rows
    )
    return result["documents"], result.get("units"), frozenset(values)


def read_comparisons(paths: Sequence[Path]) -> dict[str, Any]:
    """Return the comparisons that JSON files contain, one for each data set.

    Args:
        paths: The files.

    Returns:
        The names of the data sets, which are those of the files without their extensions, or else whole paths, to their
        comparisons.

    Raises:
        ValueError: A file is given twice, or contains no comparison of this version.
        OSError: A file cannot be read.
    """
    check_given_once(paths, "data set")
    stems = [strip_compression(path).stem for path in paths]
    names = stems if len({*stems}) == len(stems) else [path.as_posix() for path in paths]
    return {name: read_comparison(path) for name, path in zip(names, paths)}


def read_comparison(path: Path) -> Any:
    """Return the comparison that a JSON file contains. Errors name the file.

    Raises:
        ValueError: The file contains no comparison of this version.
        OSError: The file cannot be read.
    """
    result = read_json(path, "Comparison")
    check_comparison(str(path), result)
    return result
