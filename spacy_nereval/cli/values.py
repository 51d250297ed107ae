"""Read option values that are lists, such as `--format conll,markdown`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from .options import TABLE_FORMATS, Asking

if TYPE_CHECKING:
    from ..evaluation.tested import Asked


def split_list(text: str | None) -> list[str]:
    """Return the items of a comma-separated list.

    >>> split_list("fn, lbe"), split_list(None)
    (['fn', 'lbe'], [])
    """
    return [item.strip() for item in text.split(",")] if text else []


def asked(asking: Asking, *, labels: bool = False) -> Asked:
    """Return the settings of a comparison, checked as far as possible before any file is read.

    Raises:
        ValueError: The margin is not above 0.
    """
    from ..evaluation.tested import Asked

    secondary = None if asking.secondary is None else split_list(asking.secondary)
    return Asked(asking.primary, secondary, labels, asking.margin).checked()


def input_formats(value: str | None) -> list[str]:
    """Return the input formats that `--format` names: none, one, or those of gold and predictions.

    >>> input_formats("conll,markdown"), input_formats(None)
    (['conll'], [])
    """
    return _formats(value)[0]


def table_format(value: str | None) -> str:
    """Return the table format that `--format` names.

    >>> table_format("conll,markdown"), table_format(None)
    ('markdown', 'terminal')
    """
    return (_formats(value)[1] or ["terminal"])[0]


def _formats(value: str | None) -> tuple[list[str], list[str]]:
    """Return the input formats and the table formats that `--format` names."""
    from ..io.formats import format_names, is_format

    names = split_list(value)
    tables = [name for name in names if name in TABLE_FORMATS]
    inputs = [name for name in names if name not in TABLE_FORMATS]
    for name in inputs:
        if not is_format(name):
            raise ValueError(
                f"--format {value}: there is no format {name!r}; input formats are {', '.join(format_names())}, "
                f"table formats are {', '.join(TABLE_FORMATS)}"
            )
    if len(tables) > 1 or len(inputs) > 2:
        raise ValueError(
            f"--format {value}: expected at most one table format and two input formats (gold, predictions)"
        )
    return inputs, tables


def check_no_table_format(value: str | None) -> None:
    """Raise ValueError if `--format` names a table format. For commands that print no table."""
    from ..io.formats import format_names

    _, tables = _formats(value)
    if tables:
        raise ValueError(
            f"--format {value}: no table is printed, so {tables[0]} has no effect here; "
            f"input formats are {', '.join(format_names())}"
        )


def table_names(value: str | None, known: Collection[str], default: Iterable[str]) -> list[str]:
    """Return the tables that `--tables` names.

    >>> table_names("b, a", "abc", "c"), table_names("all", "abc", "c"), table_names(None, "abc", "c")
    (['b', 'a'], ['a', 'b', 'c'], ['c'])

    Args:
        value: The value of `--tables`.
        known: All tables of the command.
        default: The tables to print without `--tables`.

    Raises:
        ValueError: If a table is unknown.
    """
    if value is None or value == "all":
        return list(default if value is None else known)
    names = list(dict.fromkeys(name.strip() for name in value.split(",")))
    for name in names:
        if name not in known:
            raise ValueError(f"--tables {value}: there is no table {name!r}; there are {', '.join(known)}, or 'all'")
    return names
