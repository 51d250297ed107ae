"""The commands `python -m spacy nereval ...`.

spaCy imports this module at every call of its command line, so everything that
takes time to import is imported inside the commands.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from spacy.cli._util import Arg, Opt, app, import_code, parse_config_overrides, setup_gpu

if TYPE_CHECKING:
    from .counts import Counts
    from .metric import Metric

nereval = typer.Typer(
    name="nereval",
    help="Score named-entity recognition by every measure that the papers propose.",
    no_args_is_help=True,
)
app.add_typer(nereval)

OPTIONS_FOLLOW = {"allow_extra_args": True, "ignore_unknown_options": True}
METRICS = Opt(None, "--metrics", "-m", help="Names of metrics, separated by commas. By default the six of the papers")
OUTPUT = Opt(None, "--output", "-o", help="JSON file for the whole result", dir_okay=False)
SPANS_KEY = Opt(None, "--spans-key", "-sk", help="Score doc.spans[KEY] instead of doc.ents")
AVERAGE = Opt("micro", "--average", "-a", help="What the tables show: micro, macro, weighted or docs")
DIGITS = Opt(2, "--digits", "-d", help="Digits after the point in the tables", min=0, max=10)
EPILOG = "Options of a metric go behind: --fair.unit token --loio.s 1. 'python -m spacy nereval metrics' lists them."


def say(text: str, **style: Any) -> None:
    """Print a line: plain where the output is no terminal or NO_COLOR is set."""
    typer.secho(text, color=False if os.environ.get("NO_COLOR") else None, **style)


def readable(command: Callable[..., None]) -> Callable[..., None]:
    """Show a user's mistake as one line, and exit with 1."""

    @wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except (ValueError, OSError) as error:
            say("✘ " + " ".join(str(error).split()), fg="red", err=True)
            raise typer.Exit(1) from None

    return wrapped


@nereval.command("score", context_settings=OPTIONS_FOLLOW, epilog=EPILOG)
@readable
def score_cli(
    ctx: typer.Context,
    gold: Path = Arg(..., help="Gold annotation, .spacy or .jsonl"),
    pred: Path = Arg(..., help="Predictions on the same texts, in the same order, .spacy or .jsonl"),
    metrics: str | None = METRICS,
    output: Path | None = OUTPUT,
    spans_key: str | None = SPANS_KEY,
    average: str = AVERAGE,
    digits: int = DIGITS,
) -> None:
    """
    Score a file of predictions against a file of gold annotation.

    A .jsonl file has one {"text", "spans": [{"start", "end", "label"}]} per
    line; offsets are characters, the end is the first one behind the span.
    """
    from .files import read_files

    show(ctx, metrics, output, average, digits, lambda: read_files(gold, pred, spans_key))


@nereval.command("evaluate", context_settings=OPTIONS_FOLLOW, epilog=EPILOG)
@readable
def evaluate_cli(
    ctx: typer.Context,
    model: str = Arg(..., help="Model name or path"),
    data: Path = Arg(..., help="Gold annotation, .spacy"),
    metrics: str | None = METRICS,
    output: Path | None = OUTPUT,
    spans_key: str | None = SPANS_KEY,
    average: str = AVERAGE,
    digits: int = DIGITS,
    code: Path | None = Opt(None, "--code", "-c", help="Python file with registered functions to import"),
    gpu_id: int = Opt(-1, "--gpu-id", "-g", help="GPU ID or -1 for CPU"),
) -> None:
    """
    Score a trained pipeline on gold annotation.

    Does what 'spacy evaluate' does not: it prints every metric, and it keeps no
    document longer than it takes to count it.
    """
    from .pipelines import predict

    def documents():  # loads the model only after the options are checked
        import_code(code)
        setup_gpu(gpu_id, silent=True)
        return predict(model, data, spans_key)

    show(ctx, metrics, output, average, digits, documents)


@nereval.command("metrics", epilog=EPILOG)
@readable
def metrics_cli(name: str | None = Arg(None, help="Only this metric, at length")) -> None:
    """
    List every metric, where it comes from, and its options.
    """
    from wasabi import wrap

    from .metric import documentation, names, options_of

    for each in [name] if name else names():
        about = documentation(each)
        say(f"\n{each}", bold=True)
        for text in (about.summary, *(about.details.split("\n\n") if name else ()), f"Source: {about.source}"):
            say(wrap(text, indent=2))
        for option in options_of(each):
            say(wrap(f"--{each}.{option.name} [{option.values}; default {option.default}]", indent=4))
            say(wrap(option.help, indent=8))


@nereval.command("detach")
@readable
def detach_cli(
    model: str = Arg(..., help="Model name or path"),
    output: Path = Arg(..., help="Directory for the pipeline without spacy-nereval"),
) -> None:
    """
    Save a pipeline so that it loads where spacy-nereval is not installed.
    """
    from spacy.util import load_model

    from .component import detach

    if output.exists() and (output.is_file() or any(output.iterdir())):
        raise ValueError(f"{output} exists and is not empty; a new directory was wanted")
    detach(load_model(model)).to_disk(output)
    say(f"✔ saved to {output}", fg="green")


def show(
    ctx: typer.Context, names: str | None, output: Path | None, average: str, digits: int, documents: Callable[[], Any]
) -> None:
    """Check the options, score the documents, print the tables, write the file."""
    from tqdm import tqdm

    from .counts import count
    from .files import write_json
    from .report import heading, render, tables
    from .results import evaluate
    from .scores import AVERAGES

    check_arguments(ctx.args)
    chosen = chosen_metrics(names, parse_config_overrides(list(ctx.args), env_var=None))
    if average not in AVERAGES:
        raise ValueError(f"--average {average}: one of {', '.join(AVERAGES)} was wanted")
    if output and not output.parent.is_dir():
        raise ValueError(f"--output {output}: there is no directory {output.parent}")
    counts = count(tqdm(documents(), unit=" docs", leave=False, disable=None), chosen)
    if not counts.documents:
        raise ValueError(no_annotation(counts))
    result = evaluate(counts)
    if output:
        write_json(output, result)
    say(heading(result))
    for table in tables(result, chosen, average=average, digits=digits):
        say(f"\n{table.title}", bold=True)
        say(render(table))
    say(f"\n{result['signature']}", dim=True)


def check_arguments(arguments: list[str]) -> None:
    """See that what follows the command's own options are `--metric.option value` pairs."""
    value_allowed = False
    for argument in arguments:
        if argument.startswith("--"):
            if "." not in argument.split("=")[0]:
                raise ValueError(f"there is no option {argument}; options of a metric are written --fair.unit token")
            value_allowed = "=" not in argument
        elif value_allowed:
            value_allowed = False
        else:
            raise ValueError(f"there is one argument too many: {argument}")


def chosen_metrics(names: str | None, overrides: dict[str, Any]) -> tuple[Metric, ...]:
    """The metrics asked for, with the options given behind."""
    from .metric import DEFAULT, create, create_all

    listed = [name.strip() for name in names.split(",")] if names else list(DEFAULT)
    table: dict[str, dict[str, Any]] = {name: {} for name in listed}
    for key, value in overrides.items():
        name, option = key.split(".", 1)
        create(name, **{option: value})  # an unknown metric or option is a better message than the next one
        if name not in table:
            raise ValueError(f"--{key} is given, but {name} is not among --metrics {','.join(listed)}")
        table[name][option] = value
    return create_all(table)


def no_annotation(counts: Counts) -> str:
    """What to say of a corpus that has nothing to score."""
    if not counts.skipped:
        return "there are no documents to score"
    return f"none of the {counts.skipped} gold documents is annotated; with span groups, name one: --spans-key KEY"
