"""What the commands share: the application, how they fail, how they read and show."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from spacy.cli._util import app, import_code, setup_gpu

from .options import EPILOG, OPTIONS_FOLLOW, Model, Reading, Resampling, Showing, grouped

if TYPE_CHECKING:
    from ..counts import Counts
    from ..intervals import Confidence
    from ..metric import Metric
    from ..report import Table
    from ..spans import Document

nereval = typer.Typer(
    name="nereval",
    help="Score named-entity recognition by every measure that the papers propose.",
    no_args_is_help=True,
)
app.add_typer(nereval)


def say(text: str, **style: Any) -> None:
    """Print a line: plain where the output is no terminal or NO_COLOR is set, and
    with a ? for what its encoding does not have."""
    stream = sys.stderr if style.get("err") else sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf8"
    text = text.encode(encoding, errors="replace").decode(encoding)
    typer.secho(text, color=False if os.environ.get("NO_COLOR") else None, **style)


def command(name: str, *, metric_options: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a command. With `metric_options` it takes a context, whose `args`
    are the options of metrics."""
    settings: dict[str, Any] = {"context_settings": OPTIONS_FOLLOW, "epilog": EPILOG} if metric_options else {}

    def register(function: Callable[..., None]) -> Callable[..., None]:
        return nereval.command(name, **settings)(readable(grouped(function)))

    return register


def readable(command: Callable[..., None]) -> Callable[..., None]:
    """Show a user's mistake as one line, and exit with 1."""

    @wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except BrokenPipeError:  # whoever read the output has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except (ValueError, OSError) as error:
            say("✘ " + " ".join(str(error).split()), fg="red", err=True)
            raise typer.Exit(1) from None

    return wrapped


def is_data(name: str) -> bool:
    """Whether an argument names a file of annotation rather than a model."""
    return Path(name).suffix in (".spacy", ".jsonl", ".ndjson")


def sources(
    gold: Path,
    other: str,
    reading: Reading,
    loading: Model | None = None,
    *,
    is_model: bool = False,
    by_id: bool = False,
) -> Iterable[Document | None]:
    """The gold documents with the predictions of a file or a model."""
    if not is_model:
        from ..files import read_files

        return read_files(gold, Path(other), reading.spans_key, by_id=by_id)
    from ..pipelines import predict

    if loading:
        import_code(loading.code)
        setup_gpu(loading.gpu_id, silent=True)
    return predict(other, gold, reading.spans_key)


def counted(documents: Iterable[Document | None], metrics: Sequence[Metric], source: str, reading: Reading) -> Counts:
    """The counts of the documents, with a progress bar on a terminal."""
    from tqdm import tqdm

    from ..counts import count

    counts = count(tqdm(documents, unit=" docs", leave=False, disable=None), metrics)
    counts.sources = [source]
    counts.key = reading.spans_key
    if counts.documents:
        return counts
    if not counts.skipped:
        raise ValueError(f"there are no documents to score in {source}")
    raise ValueError(
        f"{source}: none of the {counts.skipped} gold documents is annotated; "
        "with span groups, name one: --spans-key KEY"
    )


def show(
    counts: Counts,
    drawn: Confidence | None,
    output: Path | None,
    per_document: Path | None,
    showing: Showing,
) -> None:
    """Score counts, write the files, print the tables."""
    from ..intervals import number_of_units
    from ..per_document import disagreement, document_rows
    from ..report import disagreement_lines, heading, render, tables, warning
    from ..results import evaluate
    from ..writing import write_json, write_rows

    result = evaluate(counts, drawn, average=showing.average, short=showing.short)
    if output:
        write_json(output, result)
    if per_document:
        write_rows(per_document, document_rows(counts))
    say(heading(result))
    for table in tables(result, counts.metrics, average=showing.average, digits=showing.digits):
        print_table(table, render)
    for line in warning(number_of_units(counts)) if drawn else ():
        say(f"\n{line}")
    if per_document and (found := disagreement(counts)):
        say("")
        for line in disagreement_lines(found):
            say(line)
    say(f"\n{result['signature']}", dim=True)


def print_table(table: Table, render: Callable[[Table], str]) -> None:
    say(f"\n{table.title}", bold=True)
    say(render(table))


def short_names(names: Sequence[str]) -> list[str]:
    """The paths without the parts that all of them begin or end with."""
    paths = [Path(name).parts for name in names]
    shortest = min(map(len, paths))
    start = next((k for k in range(shortest) if len({path[k] for path in paths}) > 1), 0)
    end = next((k for k in range(shortest) if len({path[-1 - k] for path in paths}) > 1), 0)
    short = [str(Path(*path[start : len(path) - end])) for path in paths]
    return short if "." not in short and len(set(short)) == len(set(names)) else list(names)


def checked_confidence(wanted: bool, resampling: Resampling) -> Confidence | None:
    """The settings of intervals, if they are wanted."""
    from ..intervals import Confidence

    settings = {name: value for name, value in resampling._asdict().items() if value is not None}
    if not wanted and settings:
        raise ValueError(f"--{next(iter(settings))} is given without --confidence")
    return Confidence(**settings).checked() if wanted else None  # type: ignore[arg-type]  # by name


def check_output(output: Path | None, per_document: Path | None, *inputs: str | Path, average: str = "micro") -> None:
    """See before the work that its results can be written."""
    from ..scores import AVERAGES

    if average not in AVERAGES:
        raise ValueError(f"--average {average}: one of {', '.join(AVERAGES)} was wanted")
    for path in (output, per_document):
        if path and not path.parent.is_dir():
            raise ValueError(f"{path} cannot be written: there is no directory {path.parent}")
        if path and path.resolve() in [Path(name).resolve() for name in inputs]:
            raise ValueError(f"{path} is read here, so that nothing can be written to it")
    if output and per_document and output.resolve() == per_document.resolve():
        raise ValueError(f"--output and --per-document are both {output}")
    if per_document and per_document.suffix not in (".jsonl", ".csv"):
        raise ValueError(f"--per-document {per_document}: a .jsonl or a .csv file was wanted")


def parsed_options(arguments: Sequence[str]) -> dict[str, Any]:
    """`--metric.option value` pairs, in spaCy's override style: values are JSON, or else text.

    Not spaCy's own parser: it reads 0.3 as 0.30000000000000004.
    """
    options: dict[str, Any] = {}
    waiting = None
    for argument in arguments:
        if argument.startswith("--"):
            waiting, equals, value = argument[2:].partition("=")
            if "." not in waiting:
                raise ValueError(f"there is no option {argument}; options of a metric are written --fair.unit token")
            options[waiting] = _parsed(value) if equals else True
            waiting = None if equals else waiting
        elif waiting:
            options[waiting], waiting = _parsed(argument), None
        else:
            raise ValueError(f"there is one argument too many: {argument}")
    return options


def _parsed(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


def chosen_metrics(names: str | None, arguments: Sequence[str]) -> tuple[Metric, ...]:
    """The metrics asked for, with the options given behind."""
    from ..metric import DEFAULT, create, create_all

    listed = [name.strip() for name in names.split(",")] if names is not None else list(DEFAULT)
    create_all(listed)  # names that are unknown, or come twice
    table: dict[str, dict[str, Any]] = {name: {} for name in listed}
    for key, value in parsed_options(arguments).items():
        name, option = key.split(".", 1)
        create(name, **{option: value})  # an unknown metric or option is a better message than the next one
        if name not in table:
            raise ValueError(f"--{key} is given, but {name} is not among --metrics {','.join(listed)}")
        table[name][option] = value
    return create_all(table)
