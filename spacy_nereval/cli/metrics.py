"""`nereval metrics`: what there is to choose from."""

from __future__ import annotations

from spacy.cli._util import Arg

from .common import command, say


@command("metrics")
def metrics_cli(name: str | None = Arg(None, help="Only this metric, at length")) -> None:
    """
    List every metric, where it comes from, and its options.
    """
    from wasabi import wrap

    from ..metric import documentation, names, options_of

    for each in [name] if name else names():
        about = documentation(each)
        say(f"\n{each}", bold=True)
        for text in (about.summary, *(about.details.split("\n\n") if name else ()), f"Source: {about.source}"):
            say(wrap(text, indent=2))
        for option in options_of(each):
            say(wrap(f"--{each}.{option.name} [{option.values}; default {option.default}]", indent=4))
            say(wrap(option.help, indent=8))
