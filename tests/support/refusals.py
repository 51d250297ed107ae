"""What is refused, with its whole message: a part of it would leave the rest unread."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

Kinds = type[Exception] | tuple[type[Exception], ...]


@contextmanager
def refused_with(
    kinds: type[Exception] | tuple[type[Exception], ...], message: str
) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """Expect an error with exactly this message inside a `with` block."""
    with pytest.raises(kinds) as raised:
        yield raised
    assert str(raised.value) == message
