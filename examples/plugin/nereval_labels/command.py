"""`nereval labels`."""

from pathlib import Path

import typer

from spacy_nereval.cli.app import command


@command("labels")
def labels_cli(gold: Path = typer.Argument(..., help="Annotated file, in any format")) -> None:
    """
    Count the labels of an annotated file.
    """
    from .counting import label_counts

    for label, number in label_counts(gold).items():
        typer.echo(f"{label} {number}")
