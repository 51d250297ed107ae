"""`nereval doctor`: what training needs and what is missing."""

from __future__ import annotations

import typer
from spacy.cli._util import Opt

from .common import command, say


@command("doctor")
def doctor_cli(
    gpu_id: int = Opt(-1, "--gpu-id", "-g", help="GPU to train on; -1 is the CPU"),
    transformer: str | None = Opt(None, "--transformer", help="Folder with a transformer, or its name on the hub"),
    corpus: str | None = Opt(None, "--corpus", help="Corpus of the project in the current folder"),
) -> None:
    """
    Say what is there of what training needs, and what to do about the rest.

    Ends with 1 if something that was asked for cannot be used.
    """
    from ..integration.doctor import examine

    findings = examine(gpu_id=gpu_id, transformer=transformer, corpus=corpus)
    for finding in findings:
        say(
            f"{'✘' if finding.remedy else '✔' if finding.there else '-'} {finding}",
            fg="red" if finding.remedy else None,
        )
    if unusable := sum(bool(finding.remedy) for finding in findings):
        say(f"✘ {unusable} of what was asked for cannot be used", fg="red", err=True)
        raise typer.Exit(1)
