"""`nereval training`: write the lexicon of a training corpus to a file."""

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
    from ..core.lexicon import read_lexicon
    from ..io.writing import write_json

    if output.suffix != ".json":
        raise ValueError(f"--output {output}: expected a .json file, which '--train' reads as a lexicon")
    check_output(output, None, train)
    lexicon = read_lexicon(train)
    write_json(output, lexicon.as_json())
    surfaces, words = len(lexicon.surfaces), len(lexicon.tokens)
    say(f"✔ {surfaces} surfaces and {words} words of {lexicon.documents} documents in {output}", fg="green")
