"""What the commands share: the application, how they fail, how they read and show."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import typer
from spacy.cli._util import app, import_code, setup_gpu

from .options import EPILOG, OPTIONS_FOLLOW, Model, Reading, Resampling, Showing, chosen_formats, chosen_tables, grouped

if TYPE_CHECKING:
    from spacy.language import Language

    from ..core.declaration import Metric
    from ..core.spans import Document
    from ..counting.counts import Counts
    from ..evaluation.breakdown import Breakdown
    from ..evaluation.error_list import Examples
    from ..evaluation.intervals import Confidence
    from ..reporting.table import Table

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
            from ..io.paths import in_words

            say(f"✘ {in_words(error)}", fg="red", err=True)
            raise typer.Exit(1) from None

    return wrapped


def is_data(name: str) -> bool:
    """Whether an argument names a file or folder of annotation rather than a model."""
    from ..io.formats import ENDINGS, brat

    path = Path(name)
    return path.is_file() or path.suffix.lower() in ENDINGS or brat.is_collection(path)


def sources(
    gold: Path,
    other: str | Language | None,
    reading: Reading,
    loading: Model | None = None,
    *,
    is_model: bool = False,
    by_id: bool = False,
) -> Iterable[Document | None]:
    """The gold documents with the predictions of a file or a model, or without
    either with those of the gold file, if it is one that can have them."""
    from ..io.formats.settings import sides

    names, _ = chosen_formats(reading.format)
    both = other is None and not is_model
    formats = sides(names, reading.column, reading.repair, reading.discontinuous, both=both)
    if not is_model:
        from ..io.formats import name_of
        from ..io.read import read_files

        if other is None and name_of(gold, formats[0]) != "conll":
            raise ValueError(f"predictions to score against {gold} are missing")
        return read_files(gold, Path(str(other or gold)), reading.spans_key, by_id=by_id, formats=formats)
    from ..integration.pipelines import predict

    if loading:
        import_code(loading.code)
        setup_gpu(loading.gpu_id, silent=True)
    return predict(other or "", gold, reading.spans_key, formats[0])


def counted(
    documents: Iterable[Document | None],
    metrics: Sequence[Metric],
    source: str,
    reading: Reading,
    watching: Sequence[Any] = (),
    *,
    quiet: bool = False,
) -> Counts:
    """The counts of the documents. Whoever is watching has `add` called with each document too."""
    from ..counting.counts import Counts

    counts = Counts(metrics)
    counts.sources = [source]
    counts.key = reading.spans_key

    def watched() -> Iterator[Document | None]:
        for document in _shown(documents, quiet):
            for each in watching:
                each.add(document)
            yield document

    counts.extend(watched())  # many at a time, which takes a third of the time of one by one
    _check_some(counts)
    return counts


def passing(documents: Iterable[Document | None], counts: Counts) -> Iterator[Document | None]:
    """The documents once they are counted. Raises ValueError at the end if there was none to count."""
    for document in _shown(documents):
        counts.add(document)
        yield document
    _check_some(counts)


def _shown(documents: Iterable[Document | None], quiet: bool = False) -> Iterable[Document | None]:
    """The documents, with a progress bar on a terminal unless it is to be quiet."""
    from tqdm import tqdm

    return tqdm(documents, unit=" docs", leave=False, disable=quiet or None)


def _check_some(counts: Counts) -> None:
    (source,) = counts.sources
    if not counts.documents and not counts.skipped:
        raise ValueError(f"there are no documents to score in {source}")
    if not counts.documents:
        raise ValueError(
            f"{source}: none of the {counts.skipped} gold documents is annotated; "
            "with span groups, name one: --spans-key KEY"
        )


def wanted_tables(showing: Showing, metrics: Sequence[Metric]) -> list[str]:
    """The tables asked for. Raises ValueError if there is none of such a name, or none with these metrics."""
    from ..reporting.tables import TABLES, USUAL
    from ..reporting.verdict_tables import judging

    wanted = chosen_tables(showing.tables, TABLES, USUAL)
    for name in wanted if showing.tables != "all" else ():
        if showing.tables and name in ("errors", "pairs", "confusion") and not judging(metrics):
            names = ", ".join(metric.name for metric in metrics)
            raise ValueError(f"--tables {name}: the verdicts of {names} do not tell kinds of errors; take fair too")
    return wanted


def asked_examples(showing: Showing, metrics: Sequence[Metric]) -> list[Examples]:
    """What collects examples of errors, if a table is to have them."""
    from ..evaluation.error_list import Examples
    from ..reporting.verdict_tables import judging

    metric = judging(metrics)
    return [Examples(metric)] if metric and "pairs" in wanted_tables(showing, metrics) else []


def show(
    counts: Counts,
    drawn: Confidence | None,
    output: Path | None,
    per_document: Path | None,
    showing: Showing,
    breakdowns: Sequence[Breakdown] = (),
    examples: Sequence[Examples] = (),
) -> None:
    """Score counts, write the files, print the tables."""
    from ..evaluation.intervals import number_of_units
    from ..evaluation.per_document import disagreement, document_rows
    from ..evaluation.result import evaluate
    from ..io.writing import write_json, write_rows
    from ..reporting.evaluated import Evaluated
    from ..reporting.sentences import disagreement_lines, heading, warning
    from ..reporting.tables import tables
    from .lookups import unknown_labels

    wanted = wanted_tables(showing, counts.metrics)
    result = evaluate(counts, drawn, average=showing.average, short=showing.short)
    if breakdowns:
        result["breakdowns"] = {found["by"]: found for found in (each.result() for each in breakdowns)}
    if output:
        write_json(output, result)
    if per_document:
        write_rows(per_document, document_rows(counts))
    notes = [f"⚠ {line}" for line in unknown_labels(counts, breakdowns)]
    notes += warning(number_of_units(counts)) if drawn else []
    if per_document and (found := disagreement(counts)):
        notes.append("\n".join(disagreement_lines(found)))
    found_examples = {kind: found for each in examples for kind, found in each.first.items()}
    evaluated = Evaluated(counts, result, showing.average, found_examples)
    print_tables(
        tables(evaluated, wanted, digits=showing.digits),
        showing.format,
        before=[heading(result)],
        after=notes,
        signature=result["signature"],
    )


def print_tables(
    tables: Iterable[Table],
    format: str | None,
    *,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    signature: str | None = None,
) -> None:
    """Print tables in the format asked for, and what is to be said before and behind them.

    CSV and JSON go to a file or to another program: what is said beside them goes to stderr.
    """
    from wasabi import wrap

    from ..reporting.formats import document
    from ..reporting.terminal import render

    _, name = chosen_formats(format)
    if name != "terminal":
        after = [*after, *([signature] if signature else [])]
        if name in ("csv", "json"):
            for line in (*before, *after):
                say(line, err=True)
        # In UTF-8, whatever the encoding of the terminal: it is what these formats are read in.
        typer.echo(document([*tables], name, before, after).encode("utf8", "backslashreplace"))
        return
    width = terminal_width()
    encoding = getattr(sys.stdout, "encoding", None) or "utf8"
    for line in before:
        say(wrap(line, wrap_max=width, indent=0) if width else line)
    for table in tables:
        if table.rows:
            say(f"\n{table.heading}", bold=True)
            say(render(table, width=width, encoding=encoding))
    for line in after:
        say("\n" + "\n".join(wrap(part, wrap_max=width or 100, indent=0) for part in line.splitlines()))
    if signature:
        say(f"\n{signature}", dim=True)


def terminal_width() -> int | None:
    """Columns of the terminal, or those that COLUMNS names; None if the output goes elsewhere."""
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        return get_terminal_size().columns
    return None


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
    from ..evaluation.intervals import Confidence

    settings = {name: value for name, value in resampling._asdict().items() if value is not None}
    if not wanted and settings:
        raise ValueError(f"--{next(iter(settings))} is given without --confidence")
    return Confidence(**settings).checked() if wanted else None  # type: ignore[arg-type]  # by name


def check_output(output: Path | None, per_document: Path | None, *inputs: str | Path, average: str = "micro") -> None:
    """See before the work that its results can be written."""
    from ..evaluation.scores import AVERAGES

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


def names_and_options(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names in front of the first option, and the rest."""
    at = next((k for k, argument in enumerate(arguments) if argument.startswith("--")), len(arguments))
    return list(arguments[:at]), list(arguments[at:])


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


def chosen_metrics(
    names: str | None,
    arguments: Sequence[str],
    train: str | None = None,
    *,
    gold: Path | None = None,
    reading: Reading | None = None,
    attributes: Sequence[str] | None = None,
) -> tuple[Metric, ...]:
    """The metrics asked for, with the options given behind. Says which metric of a set
    is left out for want of an option, or of tokens in the gold file."""
    from ..metrics.registry import create, create_all, expanded, needing

    listed = [name.strip() for name in names.split(",")] if names is not None else ["papers"]
    create_all(listed)  # names that are unknown, or come twice
    table: dict[str, dict[str, Any]] = {name: {} for name in listed}
    given = {f"{name}.train": train for name in needing("train")} if train is not None else {}
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
    if train is not None and not attributes and not any("train" in metric.settings for metric in chosen):
        raise ValueError(f"--train {train} is given, but nothing looks spans up in it: neither tmr nor a --by eCon")
    for metric in chosen:
        if metric.needs:
            raise ValueError(f"{metric.name} needs --{metric.needs} FILE")
    optional = [metric.name for metric in chosen if metric.tokens and metric.name not in table]
    if optional and gold and reading and not has_tokens(gold, reading):
        say(f"{', '.join(optional)} is left out: {gold} has no tokens", err=True)
        chosen = tuple(metric for metric in chosen if metric.name not in optional)
    return chosen


def has_tokens(gold: Path, reading: Reading) -> bool:
    """Whether the first document of a file has tokens, as those of .spacy files always have."""
    from ..io.formats import name_of, records
    from ..io.formats.settings import sides

    names, _ = chosen_formats(reading.format)
    format, _ = sides(names, reading.column, reading.repair, reading.discontinuous)
    if name_of(gold, format) == "spacy":
        return True
    first = next(records(gold, None, format), None)
    return first is None or first.tokens is not None
