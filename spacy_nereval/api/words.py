"""Errors in the words of Python's arguments instead of the commands' options."""

from __future__ import annotations

import re

NUMBER = re.compile(r"-?\d+(\.\d+)?")
OPTION = re.compile(r"(?<!\S)--([a-z-]+)(?: ([\w+-][\w,.+-]*))?")


def in_python(message: str) -> str:
    """Return a message with an argument in place of each option that it names.

    >>> in_python("--offsets utf: expected one of utf8, utf16; or use --no-check-text")
    "offsets='utf': expected one of utf8, utf16; or use check_text=False"
    >>> in_python("or give --missing-score 1.0")
    'or give missing_score=1.0'
    """

    def argument(found: re.Match[str]) -> str:
        name, value = found[1].replace("-", "_"), found[2]
        if not value:
            return f"{name}="
        return f"{name}={value}" if NUMBER.fullmatch(value) else f"{name}={value!r}"

    return OPTION.sub(argument, message.replace("--no-check-text", "check_text=False"))
