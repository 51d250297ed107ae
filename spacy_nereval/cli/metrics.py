"""`nereval metrics`: what there is to choose from."""

from __future__ import annotations

from spacy.cli._util import Arg

from .common import command, say


@command("metrics")
def metrics_cli(name: str | None = Arg(None, help="Only this metric, at length")) -> None:
    """
    List every metric, where it comes from, and its options; then the sets of
    metrics, and the attributes by which scores are broken down.
    """
    from wasabi import wrap

    from ..evaluation.attributes import ALIASES, ATTRIBUTES
    from ..metrics.registry import SETS, documentation, names, options_of

    for each in [name] if name else names():
        about = documentation(each)
        say(f"\n{each}", bold=True)
        details = about.details.split("\n\n") if name else ()
        named = [f"{what}: {text}" for what, text in (("Formula", about.formula), ("Source", about.source)) if text]
        for text in (about.summary, *details, *named):
            say(wrap(text, indent=2))
        for option in options_of(each):
            say(wrap(f"--{each}.{option.name} [{option.values}; default {option.default}]", indent=4))
            say(wrap(option.help, indent=8))
    if name:
        return
    say("\nSets of metrics, for --metrics", bold=True)
    say(wrap("all: every metric", indent=2))
    for each, members in SETS.items():
        options = {
            member: " ".join(f"{key}={value}" for key, value in given.items()) for member, given in members.items()
        }
        listed = ", ".join(f"{member} ({given})" if given else member for member, given in options.items())
        say(wrap(f"{each}: {listed}", indent=2))
    say("\nAttributes of a span, for --by", bold=True)
    other = {short: f" (or {long})" for long, short in ALIASES.items()}
    for each, attribute in ATTRIBUTES.items():
        needs = "; needs --train" if attribute.needs_lexicon else ""
        say(wrap(f"{each}{other.get(each, '')}: {attribute.help}{needs}", indent=2))
