"""Errors in the words of Python's arguments instead of the commands' options."""

from __future__ import annotations

import re

OPTION = re.compile(r"(?<!\S)--([a-z-]+)(?: ([\w+-][\w,.+-]*))?")


def in_python(message: str) -> str:
    """Return a message with an argument in place of each option that it names.

    >>> in_python("--offsets utf: expected one of utf8, utf16; or use --no-check-text")
    "offsets='utf': expected one of utf8, utf16; or use check_text=False"
    """

    def argument(found: re.Match[str]) -> str:
        name, value = found[1].replace("-", "_"), found[2]
        return f"{name}={value!r}" if value else f"{name}="

    return OPTION.sub(argument, message.replace("--no-check-text", "check_text=False"))
