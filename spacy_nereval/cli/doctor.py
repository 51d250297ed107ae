"""`nereval doctor`: what training needs and what is missing."""

from __future__ import annotations

import typer
from typer import Option

from .app import command
from .printing import say


@command("doctor")
def doctor_cli(
    gpu_id: int = Option(-1, "--gpu-id", "-g", help="GPU to train on, or -1 for CPU"),
    transformer: str | None = Option(
        None, "--transformer", help="Folder of a transformer, or its name on the Hugging Face hub"
    ),
    corpus: str | None = Option(None, "--corpus", help="Corpus of the project in the current folder"),
) -> None:
    """
    Check what training needs, and say how to get what is missing.

    Exit with status 1 if something that was requested cannot be used.
    """
    from ..integration.training_needs import examine

    findings = examine(gpu_id=gpu_id, transformer=transformer, corpus=corpus)
    for finding in findings:
        mark = "✘" if finding.remedy else "✔" if finding.there else "-"
        say(f"{mark} {finding}", fg="red" if finding.remedy else None)
    if unusable := sum(bool(finding.remedy) for finding in findings):
        say(f"✘ {unusable} of the requested items cannot be used", fg="red", err=True)
        raise typer.Exit(1)
