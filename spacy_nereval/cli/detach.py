"""`nereval detach`: a pipeline that loads without this package."""

from __future__ import annotations

from pathlib import Path

from spacy.cli._util import Arg

from .common import command, say


@command("detach")
def detach_cli(
    model: str = Arg(..., help="Model name or path"),
    output: Path = Arg(..., help="Directory for the pipeline without spacy-nereval"),
) -> None:
    """
    Save a pipeline so that it loads where spacy-nereval is not installed.
    """
    from spacy.util import load_model

    from ..integration.detach import detach

    if output.exists() and (output.is_file() or any(output.iterdir())):
        raise ValueError(f"{output} exists and is not empty; a new directory was wanted")
    detach(load_model(model)).to_disk(output)
    say(f"✔ saved to {output}", fg="green")
