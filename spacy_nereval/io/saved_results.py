"""Read and write JSON files: saved results, which commands and `to_json` write, and cut files.

`nereval thresholds --cut-file` writes a cut file, and `--cut` reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.cuts import Cuts
from ..core.expansion import TooLarge
from ..core.features import ResultKind, features
from ..core.messages import is_finite_number, join_names, shorten, spell_argument, unique_keys
from .paths import check_is_file, is_count_file, json_content
from .writing import write_json

RESULTS = {
    "Comparison": ResultKind(("comparisons", "baseline"), "compare", "a comparison"),
    "Result": ResultKind(("metrics", "documents"), "score", "scores"),
}
"""The kinds of results of the kernel, by the name of their class."""


def result_kinds() -> dict[str, ResultKind]:
    """Return every kind of result by the name of its class. `Result` comes last, since others have its keys too."""
    kinds = {name: kind for feature in features() for name, kind in feature.results.items()}
    return {"Comparison": RESULTS["Comparison"], **kinds, "Result": RESULTS["Result"]}


LATER = {"Result": "scores"}
"""By class, a key that results of older versions lack."""


def kind_of(value: object) -> str | None:
    """Return the class name of a saved result, from its parsed JSON; None if it is no result.

    >>> kind_of({"signature": "", "comparisons": [], "baseline": "a"}), kind_of({"text": "Ada", "spans": []})
    ('Comparison', None)
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("signature"), str):
        return None
    return next((name for name, kind in result_kinds().items() if all(key in value for key in kind.keys)), None)


def read_result(path: Path, kind: str, system: str | None = None) -> dict[str, Any]:
    """Read a saved result from a JSON file.

    Args:
        path: The file.
        kind: The name of its class, a key of `result_kinds`.
        system: The system to return, if the file contains several, as `nereval thresholds` writes them.

    Raises:
        ValueError: There is no such file, or it contains no result of this kind; names the kind in it.
        OSError: The file cannot be read.
    """
    value = read_json(path, kind)
    systems = value.get("systems") if isinstance(value, Mapping) else None
    if isinstance(systems, Mapping):
        if kind != "Thresholds":
            raise ValueError(f"{path} {loading_hint('Thresholds', path)}")
        if system not in systems:
            raise ValueError(
                f"{path} contains several systems: choose one with {spell_argument('system')}, of "
                f"{join_names([*systems])}"
            )
        value = systems[system]
    elif system is not None:
        raise ValueError(f"{spell_argument('system', system)}: {path} contains one unnamed system")
    actual_kind = kind_of(value)
    if actual_kind is None:
        raise ValueError(f"{path} contains no result; expected the output of {_writers(kind)}")
    if actual_kind != kind:
        raise ValueError(f"{path} {loading_hint(actual_kind, path)}")
    if LATER.get(kind, "signature") not in value:
        raise ValueError(f"{path} lacks {LATER[kind]!r}, so an older version wrote it: score again")
    result: dict[str, Any] = value
    return result


def read_json(path: Path, kind: str) -> Any:
    """Return the content of a JSON file; errors say that a result of this kind was expected.

    Raises:
        ValueError: There is no such file, or it is not JSON.
        OSError: The file cannot be read.
    """
    check_is_file(path)
    if is_count_file(path):
        raise ValueError(f"{path} is a count file; expected the .json output of {_writers(kind)}")
    try:
        return json_content(path)
    except TooLarge:
        raise
    except ValueError as error:
        raise ValueError(f"{path} is not JSON ({error}): expected the output of {_writers(kind)}") from None


def _writers(kind: str) -> str:
    return f"'nereval {result_kinds()[kind].command}' or {kind}.save"


def loading_hint(kind: str, path: Path) -> str:
    """Return the kind of result in a file, and how to read it, for an error.

    >>> loading_hint("Gate", Path("a.json"))
    "contains the result of a gate: Gate.load('a.json') reads it"
    """
    return f"contains the result of {result_kinds()[kind].words}: {kind}.load({str(path)!r}) reads it"


KEYS = ("score", "default", "labels", "floor", "documents", "signature")
"""The keys of a cut file. Only `default` is required."""


def save_cuts(path: Path, cuts: Cuts) -> None:
    """Write a cut file.

    Args:
        path: The file; its folder has to exist.
        cuts: The cuts.

    Raises:
        OSError: If the file cannot be written.
    """
    write_json(path, cut_file_content(cuts))


def cut_file_content(cuts: Cuts) -> dict[str, Any]:
    """Return the content of a cut file, in plain Python. A cut of None keeps no prediction.

    >>> cut_file_content(Cuts(0.5, {"PER": None}, "strict.f", 0.25, 3, "s"))["labels"]
    {'PER': None}
    """
    return {key: getattr(cuts, key) for key in KEYS} | {"labels": dict(cuts.labels)}


def load_cuts(path: Path) -> Cuts:
    """Return the cuts of a cut file.

    Args:
        path: The file.

    Raises:
        ValueError: There is no such file, or it is not a valid cut file.
        OSError: The file cannot be read.

    >>> path = getfixture("tmp_path") / "cuts.json"
    >>> save_cuts(path, Cuts(0.5))
    >>> load_cuts(path).keeps("PER", 0.5)
    True
    """
    check_is_file(path)
    try:
        value = json_content(path, unique_keys)
    except TooLarge:
        raise
    except ValueError as error:
        raise ValueError(
            f"{path}: not valid JSON ({error}); expected a threshold file of 'nereval thresholds' or Thresholds.save"
        ) from None
    try:
        return parse_cuts(value)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def parse_cuts(value: Any) -> Cuts:
    """Return the cuts in the content of a cut file.

    Raises:
        ValueError: It is not the content of a cut file.

    >>> parse_cuts({"default": "high"})
    Traceback (most recent call last):
    ValueError: the threshold "default" is 'high'; expected a number, or null to keep no prediction
    """
    if not isinstance(value, Mapping) or "default" not in value:
        raise ValueError('this is not a threshold file; expected {"default": 0.5, "labels": {"PER": 0.7}}')
    if unknown := [key for key in value if key not in KEYS]:
        raise ValueError(f"a threshold file has no key {shorten(repr(unknown[0]))}; expected {', '.join(KEYS)}")
    labels = {} if value.get("labels") is None else value["labels"]
    if not isinstance(labels, Mapping):
        raise ValueError(
            f'"labels" is {shorten(repr(labels))}; expected a threshold for each label, such as {{"PER": 0.7}}'
        )
    for name, cut in (("default", value["default"]), ("floor", value.get("floor")), *labels.items()):
        if cut is not None and not is_finite_number(cut):
            description = f'the threshold "{shorten(str(name))}" is {shorten(repr(cut))}'
            raise ValueError(f"{description}; expected a number, or null to keep no prediction")
    documents = value.get("documents", 0)
    return Cuts(
        value["default"],
        dict(labels),
        str(value.get("score") or ""),
        value.get("floor"),
        documents if isinstance(documents, int) else 0,
        str(value.get("signature") or ""),
    )
