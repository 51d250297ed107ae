"""The text of a training config as a list of sections, so that a change keeps all other lines and comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

Lines = list[str]


class Section(NamedTuple):
    """A section of a config.

    Attributes:
        name: Its name, such as `components.ner.scorer`; "" for the lines before the first section.
        lines: Its lines, the header included.
    """

    name: str
    lines: Lines


class ConfigText:
    """The text of a config, which can be changed section by section.

    Args:
        text: The text, which spaCy's own parser accepts.

    >>> config = ConfigText("# mine\\n[a]\\nx = 1\\n\\n[a.b]\\ny = 2\\n\\n# Of c\\n[c]\\n")
    >>> config.replace("a.b", ["z = 3"])
    >>> print(config)
    # mine
    [a]
    x = 1
    <BLANKLINE>
    [a.b]
    z = 3
    <BLANKLINE>
    # Of c
    [c]
    """

    def __init__(self, text: str) -> None:
        # A value that takes several lines is indented, so a bracket at the start of a line opens a section.
        parts = re.split(r"^(?=\[)", text, flags=re.M)
        self._sections = [Section("", parts[0].splitlines())]
        for part in parts[1:]:
            header, *lines = part.splitlines()
            self._sections.append(Section(header[1 : header.index("]")].strip(), [header, *lines]))

    def __str__(self) -> str:
        return "\n".join(line for section in self._sections for line in section.lines)

    def body(self, name: str) -> Lines:
        """Return the lines of a section without its header and the lines after its last value; [] if it is missing."""
        found = next((section for section in self._sections if section.name == name), None)
        return found.lines[1 : _end_of_values(found.lines)] if found else []

    def replace(self, name: str, body: Sequence[str]) -> None:
        """Give a section new lines. A missing section is added after those of its parent.

        Args:
            name: The section. Its subsections, such as `a.b.c` of `a.b`, are removed.
            body: Its new lines, without the header.
        """
        parent, _, key = name.rpartition(".")
        old = [k for k, section in enumerate(self._sections) if _is_within(section.name, name)]
        tail = [""]
        if old:
            last = self._sections[old[-1]].lines
            tail = last[_end_of_values(last) :] or [""]
        else:
            self._remove_value(parent, key)
        at = old[0] if old else self._end_of(parent)
        self._sections = [section for k, section in enumerate(self._sections) if k not in old]
        self._sections.insert(at, Section(name, [f"[{name}]", *body, *tail]))

    def _remove_value(self, section: str, key: str) -> None:
        """Remove `key = {...}` from a section, the short form of a subsection."""
        for found in self._sections:
            if found.name == section:
                found.lines[:] = replaced_values(found.lines, lambda name, lines: [] if name == key else lines)

    def _end_of(self, name: str) -> int:
        """Return the place after a section and its subsections. A missing section is added at the end."""
        within = [k for k, section in enumerate(self._sections) if _is_within(section.name, name)]
        if not within:
            self._sections.append(Section(name, [f"[{name}]", ""]))
            within = [len(self._sections) - 1]
        before = self._sections[within[-1]].lines
        if before[-1].strip():
            before.append("")
        return within[-1] + 1


def _is_within(name: str, other: str) -> bool:
    return name == other or name.startswith(f"{other}.")


def _end_of_values(lines: Lines) -> int:
    """Return the number of lines up to the last value. Comments and blank lines after it concern the next section."""
    values = [k for k, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    return values[-1] + 1 if values else 0


def replaced_values(lines: Sequence[str], change: Callable[[str, Lines], Lines]) -> Lines:
    """Return the lines with each value replaced by the result of a function.

    Args:
        lines: The lines of a section.
        change: From a key and the lines of its value to the new lines.

    >>> replaced_values(["# f", "f = 1", "x = [", "  2]"], lambda key, lines: lines if key == "f" else [f"{key} = 3"])
    ['# f', 'f = 1', 'x = 3']
    """
    found: Lines = []
    k = 0
    while k < len(lines):
        start = re.match(r"([^\s#\[][^=]*?)\s*=", lines[k])
        end = k + 1
        while start and end < len(lines) and re.match(r"\s+\S", lines[end]):
            end += 1
        taken = list(lines[k:end])
        found += change(start[1], taken) if start else taken
        k = end
    return found
