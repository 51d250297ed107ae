"""How the scripts end when something is missing: in one line, however long, that can be searched for."""

import sys
from typing import NoReturn

from spacy_nereval.cli.printing import say
from spacy_nereval.integration.doctor import examine


def require(*, gpu_id: int, transformer: str | None = None, corpus: str | None = None) -> None:
    """End unless all of it can be used."""
    for finding in examine(gpu_id=gpu_id, transformer=transformer, corpus=corpus):
        if finding.remedy:
            fail(str(finding))


def fail(text: str) -> NoReturn:
    """End with 1, and say why."""
    say(f"✘ {text}", fg="red", err=True)
    sys.exit(1)
