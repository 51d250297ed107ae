"""`nereval detach`: a pipeline that loads without this package."""

from __future__ import annotations

from pathlib import Path

from typer import Argument

from .app import command
from .printing import say


@command("detach")
def detach_cli(
    model: str = Argument(..., help="Model name or path"),
    output: Path = Argument(..., help="New directory for the copy of the pipeline"),
) -> None:
    """
    Save a copy of a pipeline that loads without spacy-nereval.
    """
    from ..integration.detach import detach
    from ..integration.pipelines import checked_load

    if output.exists() and (output.is_file() or any(output.iterdir())):
        raise ValueError(f"{output} exists and is not empty: choose a new directory")
    detach(checked_load(model, model)).to_disk(output)
    say(f"✔ saved to {output}", fg="green")
