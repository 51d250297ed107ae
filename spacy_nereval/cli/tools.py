"""The commands that score nothing: lexicons, configs, requirements of training, lists of metrics and formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from typer import Argument, Option

from ..core.arguments import Labelling
from ..core.messages import describe_unknown
from .app import command, group_page, list_of_groups
from .command_options import OPTION_GROUPS, check_suffix, split_list
from .printing import say
from .sources import rules_of


@command("training", heading="Train in spaCy")
def training_cli(
    labelling: Labelling,
    train: Path = Argument(..., help="Annotated training corpus, in any input format"),
    output: Path = Option(..., "--output", "-o", help="File for the lexicon, .json", dir_okay=False),
) -> None:
    """
    Write the lexicon of a training corpus to a file. It records how often each
    entity and each word occurs in the corpus.

    '--train' reads a lexicon faster than a corpus. The metric tmr and the
    attributes eCon, tCon, eFre, tFre and oDen look up spans in it. Where gold labels
    are mapped, give the same --labels, --only and --depth here.
    """
    from ..core.lexicon import read_lexicon
    from ..core.messages import many
    from ..io.writing import write_json

    check_suffix("--output", output, ".json")  # '--train' recognises a lexicon by this extension
    rules = rules_of(labelling)
    lexicon = read_lexicon(train, rules)
    if rules:
        rules.check_labels_occur(lexicon.labels)
        for line in rules.usage_warnings(rules.mapping, lexicon.labels):
            say(line, err=True)
    write_json(output, lexicon.as_json())
    surfaces, words = many(len(lexicon.surfaces), "surface"), many(len(lexicon.tokens), "word")
    say(f"✔ {surfaces} and {words} of {many(lexicon.documents, 'document')} in {output}", fg="green")


@command("init-config", heading="Train in spaCy")
def init_config_cli(
    config: Path | None = Argument(
        None, help="Config to change, such as one from 'spacy init config'. Without one, a new config is made"
    ),
    output: Path | None = Option(
        None,
        "--output",
        "-o",
        help="File for the config. By default CONFIG itself is changed, and a new config is printed",
        dir_okay=False,
    ),
    score: str = Option(
        "fair_f", "--score", help="Score that chooses the best model, such as strict_f or wrf: its key without 'ents_'"
    ),
    lang: str | None = Option(None, "--lang", "-l", help="Language of a new config (en by default)"),
    pipeline: str | None = Option(
        None,
        "--pipeline",
        "-p",
        help="Components of a new config, separated by commas, such as ner or spancat (ner by default)",
    ),
    replace_scorer: bool = Option(
        False, "--replace-scorer", help="Also replace scorers that are not spaCy's; without, they stay"
    ),
) -> None:
    """
    Write this package's scorer, score weights and logger into a training config.
    All other lines and comments of the config stay.

    Without CONFIG, make a complete config as 'spacy init config' does for a CPU,
    and change it in the same way.
    """
    from ..integration.configs import adapt_config, new_config
    from ..io.paths import check_is_file
    from ..io.writing import visible, write_text

    before = None
    if config is None:
        if output and output.exists():
            raise ValueError(f"{output} exists: choose another file, or change it with 'nereval init-config {output}'")
        new = new_config(lang or "en", split_list(pipeline or "ner"), score)
    else:
        for option, value in (("lang", lang), ("pipeline", pipeline)):
            if value is not None:
                raise ValueError(f"--{option} {value} is for a new config: give it without {config}")
        check_is_file(config)
        try:
            before = config.read_bytes().decode("utf8")  # with its line ends
            new = adapt_config(before, score, replace_scorer=replace_scorer)
        except ValueError as error:
            raise ValueError(f"{config}: {error}") from None
    target = output or config
    if target is None:
        typer.echo(new.text.encode(), nl=False)
        return
    write_text(target, new.text)
    for note in new.notes:
        say(visible(note))
    say(f"✔ {target}" + (": there was nothing to change" if new.text == before else ""), fg="green")


@command("doctor", heading="Look up and check")
def doctor_cli(
    gpu_id: int = Option(-1, "--gpu-id", "-g", min=-1, help="GPU to train on, or -1 for CPU"),
    transformer: str | None = Option(
        None, "--transformer", help="Folder of a transformer, or its name on the Hugging Face hub"
    ),
    corpus: str | None = Option(None, "--corpus", help="Corpus of the project in the current folder"),
) -> None:
    """
    Check the requirements of training, and show how to meet missing ones.

    Exit with status 1 if something that was requested cannot be used.
    """
    from ..integration.training_needs import examine

    findings = examine(gpu_id=gpu_id, transformer=transformer, corpus=corpus)
    for finding in findings:
        mark = "✘" if finding.remedy else "✔" if finding.exists else "-"
        say(f"{mark} {finding}", fg="red" if finding.remedy else None)
    if unusable := sum(bool(finding.remedy) for finding in findings):
        say(f"✘ {unusable} of the requested items cannot be used", fg="red", err=True)
        raise typer.Exit(1)


@command("detach", heading="Train in spaCy")
def detach_cli(
    model: str = Argument(..., help="Model name or path"),
    output: Path = Argument(..., help="New directory for the copy of the pipeline"),
) -> None:
    """
    Save a copy of a pipeline that loads without spacy-nereval.
    """
    from ..integration.detach import detach
    from ..integration.pipelines import load_pipeline

    if output.exists() and (output.is_file() or any(output.iterdir())):
        raise ValueError(f"{output} exists and is not empty: choose a new directory")
    detach(load_pipeline(model, model)).to_disk(output)
    say(f"✔ saved to {output}", fg="green")


@command("metrics", heading="Look up and check")
def metrics_cli(name: str | None = Argument(None, help="Describe only this metric, in full")) -> None:
    """
    List the metrics and their options. Then list the sets of metrics, and the
    attributes by which scores can be broken down.
    """
    from ..metrics.registry import names

    for metric in [name] if name else names():
        _describe(metric, in_full=name is not None)
    if name is None:
        _list_sets()
        _list_attributes()


@command("help", heading="Look up and check")
def help_cli(
    ctx: typer.Context,
    topic: str | None = Argument(None, metavar="GROUP|COMMAND", help="A group of options, or a command"),
) -> None:
    """
    Show the options of a group, or the help of a command. Without an argument, list the groups.
    """
    program: Any = ctx.parent
    commands = program.command.commands
    if topic is None:
        typer.echo(list_of_groups(program))
    elif topic in OPTION_GROUPS:
        typer.echo(group_page(program, topic))
    elif topic in commands:
        typer.echo(type(ctx)(commands[topic], info_name=topic, parent=program).get_help())
    else:
        raise ValueError(
            describe_unknown(topic, [*OPTION_GROUPS, *commands], "group of options or command", len(OPTION_GROUPS))
        )


def _describe(name: str, *, in_full: bool) -> None:
    """Print the meaning of a metric, its formula, source and options."""
    from ..metrics.registry import documentation, options_of

    about = documentation(name)
    say(f"\n{name}", bold=True)
    _say_indented(2, about.summary, *(about.details.split("\n\n") if in_full else ()))
    for heading, text in (("Formula", about.formula), ("Source", about.source)):
        if text:
            _say_indented(2, f"{heading}: {text}")
    for option in options_of(name):
        _say_indented(4, f"--{name}.{option.name} [{option.values}; default {option.default}]")
        _say_indented(8, option.help)


def _list_sets() -> None:
    """Print the sets of metrics, with the options that they give their members."""
    from ..metrics.registry import SETS

    say("\nSets of metrics, for --metrics", bold=True)
    _say_indented(2, "all: every metric")
    for name, members in SETS.items():
        shown = []
        for member, options in members.items():
            given = " ".join(f"{option}={value}" for option, value in options.items())
            shown.append(f"{member} ({given})" if given else member)
        _say_indented(2, f"{name}: {', '.join(shown)}")


def _list_attributes() -> None:
    """Print the attributes of a span, with their other names."""
    from ..evaluation.breakdown import ALIASES, ATTRIBUTES

    say("\nAttributes of a span, for --by", bold=True)
    other_names = {short: f" (or {long})" for long, short in ALIASES.items()}
    for name, attribute in ATTRIBUTES.items():
        needs = "; needs --train" if attribute.needs_lexicon else ""
        _say_indented(2, f"{name}{other_names.get(name, '')}: {attribute.help}{needs}")


def _say_indented(indent: int, *texts: str) -> None:
    from wasabi.util import wrap

    for text in texts:
        say(wrap(text, indent=indent))
