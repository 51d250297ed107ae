"""`nereval training`: the lexicon of a training corpus, kept as a file."""

from __future__ import annotations

from pathlib import Path

from typer import Argument, Option

from .app import command
from .inputs import rules_of
from .options import Labelling
from .outputs import check_suffix
from .printing import say


@command("training")
def training_cli(
    labelling: Labelling,
    train: Path = Argument(..., help="Annotated training corpus, in any input format"),
    output: Path = Option(..., "--output", "-o", help="File for the lexicon, .json", dir_okay=False),
) -> None:
    """
    Write the lexicon of a training corpus to a file. It says how often each
    entity and each word occurs in the corpus.

    '--train' reads a lexicon faster than a corpus. The metric tmr and the
    attributes eCon, tCon, eFre, tFre and oDen look up spans in it. Where gold labels
    are mapped, give the same --labels, --only and --depth here.
    """
    from ..core.lexicon import read_lexicon
    from ..io.writing import write_json

    check_suffix("--output", output, ".json")  # '--train' recognises a lexicon by this extension
    rules = rules_of(labelling)
    lexicon = read_lexicon(train, rules)
    if rules:
        rules.check_found(lexicon.labels)
        for line in rules.unused(rules.mapping, lexicon.labels):
            say(line, err=True)
    write_json(output, lexicon.as_json())
    surfaces, words = len(lexicon.surfaces), len(lexicon.tokens)
    say(f"✔ {surfaces} surfaces and {words} words of {lexicon.documents} documents in {output}", fg="green")
