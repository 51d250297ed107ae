"""End a script with one line that says why."""

import sys
from typing import NoReturn

from spacy_nereval.cli.printing import say
from spacy_nereval.integration.training_needs import examine


def require(*, gpu_id: int, transformer: str | None = None, corpus: str | None = None) -> None:
    """End the script if something that training needs is missing. Takes the arguments of `examine`."""
    for finding in examine(gpu_id=gpu_id, transformer=transformer, corpus=corpus):
        if finding.remedy:
            fail(str(finding))


def fail(text: str) -> NoReturn:
    """Print the reason to stderr and end the script with status 1.

    The text stays one line, however long, so that it can be searched for.
    """
    say(f"✘ {text}", fg="red", err=True)
    sys.exit(1)
