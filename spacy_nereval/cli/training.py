"""`nereval training`: what training data say of words, kept as a table."""

from __future__ import annotations

from pathlib import Path

from spacy.cli._util import Arg, Opt

from .common import check_output, command, say


@command("training")
def training_cli(
    train: Path = Arg(..., help="Annotated training corpus, in any format that can be read"),
    output: Path = Opt(..., "--output", "-o", help="File for the table, .json", dir_okay=False),
) -> None:
    """
    Count surfaces and words of training data, so that '--train' need not read the
    corpus again: for tmr, and for scores by eCon, tCon, eFre, tFre and oDen.
    """
    from ..core.lexicon import read

    if output.suffix != ".json":
        raise ValueError(f"--output {output}: a .json file was wanted, by which '--train' knows a table")
    check_output(output, None, train)
    training = read(train)
    training.save(output)
    surfaces, words = len(training.surfaces), len(training.tokens)
    say(f"✔ {surfaces} surfaces and {words} words of {training.documents} documents in {output}", fg="green")
