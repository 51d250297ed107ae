"""Let the runner of commands tell stdout from stderr with click before 8.2, as it does with later versions."""

import inspect
from functools import partialmethod

from click.testing import CliRunner, Result

if "mix_stderr" in inspect.signature(CliRunner).parameters:
    CliRunner.__init__ = partialmethod(CliRunner.__init__, mix_stderr=False)
    Result.output = property(lambda self: self.stdout + self.stderr)
