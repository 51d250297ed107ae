"""Python sessions in text files: each statement with all that it returns, prints, warns of and raises.

A session pins whole outputs, so that nothing that a function says is left unread. After a change that is meant to
change an output, write the files anew with SPACY_NEREVAL_REGENERATE=1, without -n, and read the difference.
"""

import os
import re
import warnings
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import fields, is_dataclass
from difflib import unified_diff
from doctest import DocTestParser, Example
from io import StringIO
from pathlib import Path
from typing import Any

from spacy_nereval import __version__
from spacy_nereval.io.records import Record

VERSIONS = re.compile(r"(?<=\|)v\d[^|]*\|spacy:[\w.]+|(?<='version': ')" + re.escape(__version__))
"""The versions of this package and of spaCy in a signature, and that in a result."""


def check_session(path: Path, **names: Any) -> None:
    """Run the statements of a session, and compare all that they say with what the file has."""
    expected = path.read_text("utf8")
    played = play(expected, names)
    if os.environ.get("SPACY_NEREVAL_REGENERATE"):
        path.write_text(played, encoding="utf8")
        expected = played
    difference = [*unified_diff(expected.splitlines(), played.splitlines(), "expected", path.name, lineterm="")]
    assert not difference, "\n".join(difference)


def play(session: str, names: dict[str, Any]) -> str:
    """Return a session with the outputs that its statements have now."""
    parts = DocTestParser().parse(session)
    return "".join(part if isinstance(part, str) else _source(part) + said(part.source, names) for part in parts)


def _source(statement: Example) -> str:
    first, *others = statement.source.splitlines()
    return "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in others), ""])


def said(source: str, names: dict[str, Any]) -> str:
    """Return all that a statement prints and warns of, then its value or its error."""
    out = StringIO()
    with redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = print_warning
        try:
            value = run_statement(source, names)
            ending = "" if value is None else shown(value)
        except Exception as error:  # whatever it is, it is compared
            ending = f"{type(error).__name__}: {error}"
    told = "\n".join(filter(None, [out.getvalue().rstrip("\n"), ending]))
    told = VERSIONS.sub("*", told)
    # A blank line ends an output, and a line with a prompt begins a statement.
    rows = [row.rstrip() or "<BLANKLINE>" for row in told.strip("\n").splitlines()]
    return "".join(f"{row}\n" for row in rows)


def print_warning(message: Warning | str, category: type[Warning], *place: Any) -> None:
    """Print a warning that a user sees by default."""
    if issubclass(category, UserWarning):
        print(f"{category.__name__}: {message}")


def run_statement(source: str, names: dict[str, Any]) -> Any:
    """Return the value of an expression, or run any other statement."""
    try:
        code = compile(source.strip(), "<session>", "eval")
    except SyntaxError:
        exec(compile(source, "<session>", "exec"), names)
        return None
    return eval(code, names)


WIDTH = 120


def shown(value: Any, indent: int = 0, before: int = 0) -> str:
    """Return a value as text: on one line if it fits, with rounded numbers, sorted sets, and texts as they are.

    Args:
        value: The value.
        indent: By how much its lines are indented.
        before: The length of what stands before it on its line.
    """
    if isinstance(value, str) and "\n" in value and not indent:
        return value
    if isinstance(value, Record) and not indent:
        return "\n".join(f"{name}: {shown(field, 4, len(name))}" for name, field in fields_of(value).items())
    line = one_line(value)
    if indent + before + len(line) < WIDTH or not isinstance(value, (Mapping, list, tuple)) or not value:
        return line
    opening, *_, closing = one_line(type(value)())
    inner = indent + 2
    if isinstance(value, Mapping):
        rows = [f"{key!r}: {shown(each, inner, len(repr(key)) + 3)}" for key, each in value.items()]
    else:
        rows = [shown(each, inner, 1) for each in value]
    return "\n".join([opening, *(f"{' ' * inner}{row}," for row in rows), " " * indent + closing])


def one_line(value: Any) -> str:
    """Return a value as text on one line, the same on every machine."""
    if isinstance(value, Record):
        return one_line(fields_of(value))
    if hasattr(value, "dtype"):
        return one_line(value.tolist())
    if isinstance(value, float):
        return repr(float(f"{value:.9g}"))
    if isinstance(value, Mapping):
        items = sorted(value.items()) if all(isinstance(key, tuple) for key in value) else value.items()  # spans
        return f"{{{', '.join(f'{key!r}: {one_line(each)}' for key, each in items)}}}"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(one_line, value)))}}}"
    if isinstance(value, (list, tuple)):
        listed = ", ".join(map(one_line, value))
        return f"[{listed}]" if isinstance(value, list) else f"({listed}{',' * (len(value) == 1)})"
    if is_dataclass(value) and len(fields(value)) < 10 and not isinstance(value, type):
        parts = (f"{field.name}={one_line(getattr(value, field.name))}" for field in fields(value))
        return f"{type(value).__name__}({', '.join(parts)})"
    is_plain = value is None or isinstance(value, (str, bytes, int, Path)) or hasattr(value, "_fields")
    return repr(value) if is_plain else f"<{type(value).__name__}>"


def fields_of(record: Record) -> dict[str, Any]:
    """Return the fields of a record that differ from their defaults, tables of spans in the order of the spans."""
    defaults = record._field_defaults
    changed = {name: value for name, value in record._asdict().items() if value != defaults.get(name, ...)}
    tables = ("attributes", "span_scores", "surfaces")
    return {name: dict(sorted(value.items())) if name in tables else value for name, value in changed.items()}
