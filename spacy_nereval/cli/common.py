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

from .options import EPILOG, OPTIONS_FOLLOW, Model, Reading, Resampling, Showing, chosen_formats, grouped

if TYPE_CHECKING:
    from ..buckets import Breakdown
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
    """Whether an argument names a file or folder of annotation rather than a model."""
    from ..formats import ENDINGS, brat

    path = Path(name)
    return path.is_file() or path.suffix.lower() in ENDINGS or brat.is_collection(path)


def sources(
    gold: Path,
    other: str | None,
    reading: Reading,
    loading: Model | None = None,
    *,
    is_model: bool = False,
    by_id: bool = False,
) -> Iterable[Document | None]:
    """The gold documents with the predictions of a file or a model, or without
    either with those of the gold file, if it is one that can have them."""
    if not is_model:
        from ..files import read_files
        from ..formats import name_of, sides

        names, _ = chosen_formats(reading.format)
        formats = sides(names, reading.column, reading.repair, reading.discontinuous, both=other is None)
        if other is None and name_of(gold, formats[0]) != "conll":
            raise ValueError(f"predictions to score against {gold} are missing")
        return read_files(gold, Path(other or gold), reading.spans_key, by_id=by_id, formats=formats)
    from ..pipelines import predict

    if loading:
        import_code(loading.code)
        setup_gpu(loading.gpu_id, silent=True)
    return predict(str(other), gold, reading.spans_key)


def counted(
    documents: Iterable[Document | None],
    metrics: Sequence[Metric],
    source: str,
    reading: Reading,
    watching: Sequence[Any] = (),
) -> Counts:
    """The counts of the documents, with a progress bar on a terminal. Whoever is
    watching has `add` called with each document too."""
    from tqdm import tqdm

    from ..counts import count

    def watched() -> Iterable[Document | None]:
        for document in tqdm(documents, unit=" docs", leave=False, disable=None):
            for each in watching:
                each.add(document)
            yield document

    counts = count(watched(), metrics)
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
    breakdowns: Sequence[Breakdown] = (),
) -> None:
    """Score counts, write the files, print the tables."""
    from ..intervals import number_of_units
    from ..per_document import disagreement, document_rows
    from ..report import breakdown_table, disagreement_lines, heading, render, tables, warning
    from ..results import evaluate
    from ..writing import write_json, write_rows
    from .lookups import unknown_labels

    result = evaluate(counts, drawn, average=showing.average, short=showing.short)
    if breakdowns:
        result["breakdowns"] = {found["by"]: found for found in (each.result() for each in breakdowns)}
    if output:
        write_json(output, result)
    if per_document:
        write_rows(per_document, document_rows(counts))
    say(heading(result))
    for table in tables(result, counts.metrics, average=showing.average, digits=showing.digits):
        print_table(table, render)
    for found in result.get("breakdowns", {}).values():
        print_table(breakdown_table(found, counts.metrics, digits=showing.digits), render)
    for line in unknown_labels(counts, breakdowns):
        say(f"\n⚠ {line}")
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


def chosen_metrics(names: str | None, arguments: Sequence[str], train: str | None = None) -> tuple[Metric, ...]:
    """The metrics asked for, with the options given behind. Says which metric of a set
    is left out for want of an option."""
    from ..metric import create, create_all, expanded, needing

    listed = [name.strip() for name in names.split(",")] if names is not None else ["papers"]
    create_all(listed)  # names that are unknown, or come twice
    table: dict[str, dict[str, Any]] = {name: {} for name in listed}
    given = {f"{name}.train": train for name in needing("train")} if train else {}
    for key, value in (given | parsed_options(arguments)).items():
        name, option = key.split(".", 1)
        create(name, **{option: value})  # an unknown metric or option is a better message than the next one
        if name in expanded(table, whole=True):
            table.setdefault(name, {})[option] = value
        elif key not in given:
            raise ValueError(f"--{key} is given, but {name} is not among --metrics {','.join(listed)}")
    for name in expanded(table, whole=True).keys() - expanded(table).keys():
        say(f"{name} is left out: it needs --{create(name).needs} FILE", err=True)
    chosen = create_all(table)
    for metric in chosen:
        if metric.needs:
            raise ValueError(f"{metric.name} needs --{metric.needs} FILE")
    return chosen
