"""The commands `python -m spacy nereval ...`.

spaCy imports this module at every call of its command line, so everything that
takes time to import is imported inside the commands.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from spacy.cli._util import Arg, Opt, app, import_code, setup_gpu

if TYPE_CHECKING:
    from .counts import Counts
    from .intervals import Confidence
    from .metric import Metric
    from .report import Table
    from .spans import Document, Span

nereval = typer.Typer(
    name="nereval",
    help="Score named-entity recognition by every measure that the papers propose.",
    no_args_is_help=True,
)
app.add_typer(nereval)

OPTIONS_FOLLOW = {"allow_extra_args": True, "ignore_unknown_options": True}
EPILOG = "Options of a metric go behind: --fair.unit token --loio.s 1. 'python -m spacy nereval metrics' lists them."
METRICS = Opt(None, "--metrics", "-m", help="Names of metrics, separated by commas. By default the six of the papers")
OUTPUT = Opt(None, "--output", "-o", help="JSON file for the whole result", dir_okay=False)
COUNTS = Opt(..., "--output", "-o", help="File for the counts, .npz", dir_okay=False)
SPANS_KEY = Opt(None, "--spans-key", "-sk", help="Score doc.spans[KEY] instead of doc.ents")
AVERAGE = Opt("micro", "--average", "-a", help="Average over labels or documents that the tables show")
DIGITS = Opt(2, "--digits", "-d", help="Digits after the point in the tables", min=0, max=10)
CODE = Opt(None, "--code", "-c", help="Python file with registered functions to import")
GPU = Opt(-1, "--gpu-id", "-g", help="GPU ID or -1 for CPU")
CONFIDENCE = Opt(False, "--confidence", "-C", help="Give every score its interval, by resampling documents")
LEVEL = Opt(None, "--level", help="Share of resamples that an interval covers")
SAMPLES = Opt(None, "--samples", help="Number of resamples")
SEED = Opt(None, "--seed", help="Seed of the random numbers")
SHORT = Opt(False, "--short", help="Leave options that have their default out of the signature")
PER_DOCUMENT = Opt(None, "--per-document", help="File for every document's scores, .jsonl or .csv", dir_okay=False)


def say(text: str, **style: Any) -> None:
    """Print a line: plain where the output is no terminal or NO_COLOR is set, and
    with a ? for what its encoding does not have."""
    stream = sys.stderr if style.get("err") else sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf8"
    text = text.encode(encoding, errors="replace").decode(encoding)
    typer.secho(text, color=False if os.environ.get("NO_COLOR") else None, **style)


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


@nereval.command("score", context_settings=OPTIONS_FOLLOW, epilog=EPILOG)
@readable
def score_cli(
    ctx: typer.Context,
    gold: Path = Arg(..., help="Gold annotation, .spacy or .jsonl; or counts, .npz"),
    pred: Path | None = Arg(None, help="Predictions on the same texts, in the same order, .spacy or .jsonl"),
    metrics: str | None = METRICS,
    output: Path | None = OUTPUT,
    spans_key: str | None = SPANS_KEY,
    average: str = AVERAGE,
    digits: int = DIGITS,
    confidence: bool = CONFIDENCE,
    level: float | None = LEVEL,
    samples: int | None = SAMPLES,
    seed: int | None = SEED,
    per_document: Path | None = PER_DOCUMENT,
    short: bool = SHORT,
) -> None:
    """
    Score a file of predictions against a file of gold annotation, or counts.

    A .jsonl file has one {"text", "spans": [{"start", "end", "label"}]} per
    line; offsets are characters, the end is the first one behind the span. An
    .npz file is one that 'count' or 'merge' wrote; its metrics are settled.
    """
    drawn = checked_confidence(confidence, level=level, samples=samples, seed=seed)
    check_output(output, per_document, gold, *([pred] if pred else []), average=average)
    if gold.suffix == ".npz":
        if pred or metrics or ctx.args:
            raise ValueError(f"{gold} holds counts: predictions, metrics and their options were given when counting")
        from .storage import load

        counts = load(gold)
    else:
        if pred is None:
            raise ValueError(f"predictions to score against {gold} are missing")
        chosen = chosen_metrics(metrics, ctx.args)
        counts = counted(sources(gold, str(pred), spans_key), chosen, gold.name, spans_key)
    show(counts, drawn, output, per_document, average, digits, short)


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
    confidence: bool = CONFIDENCE,
    level: float | None = LEVEL,
    samples: int | None = SAMPLES,
    seed: int | None = SEED,
    per_document: Path | None = PER_DOCUMENT,
    short: bool = SHORT,
    code: Path | None = CODE,
    gpu_id: int = GPU,
) -> None:
    """
    Score a trained pipeline on gold annotation.

    Does what 'spacy evaluate' does not: it prints every metric, and it keeps no
    document longer than it takes to count it.
    """
    drawn = checked_confidence(confidence, level=level, samples=samples, seed=seed)
    check_output(output, per_document, data, average=average)
    chosen = chosen_metrics(metrics, ctx.args)
    counts = counted(sources(data, model, spans_key, code, gpu_id, is_model=True), chosen, data.name, spans_key)
    show(counts, drawn, output, per_document, average, digits, short)


@nereval.command("count", context_settings=OPTIONS_FOLLOW, epilog=EPILOG)
@readable
def count_cli(
    ctx: typer.Context,
    first: str = Arg(..., metavar="GOLD|MODEL", help="Gold annotation, .spacy or .jsonl; or a model"),
    second: str = Arg(..., metavar="PRED|DATA", help="Predictions on the same texts; or the model's gold annotation"),
    output: Path = COUNTS,
    metrics: str | None = METRICS,
    spans_key: str | None = SPANS_KEY,
    replicates: int = Opt(0, "--replicates", help="Also resample this often, so that intervals can be merged", min=0),
    seed: int | None = SEED,
    code: Path | None = CODE,
    gpu_id: int = GPU,
) -> None:
    """
    Count, and write the counts to a file that can be merged and scored later.

    With --replicates every document is weighted by itself, by a hash of its id:
    parts of a corpus that were counted on different machines then merge to
    intervals of the whole.
    """
    from .intervals import replicate
    from .storage import save

    check_output(output, None, first, second)
    drawn = checked_confidence(replicates > 0, samples=replicates or None, seed=seed)
    chosen = chosen_metrics(metrics, ctx.args)
    is_model = not is_data(first)
    gold, other = (Path(second), first) if is_model else (Path(first), second)
    counts = counted(sources(gold, other, spans_key, code, gpu_id, is_model=is_model), chosen, gold.name, spans_key)
    if drawn:
        counts.replicates = replicate(counts, drawn.samples, drawn.seed)
    save(counts, output)
    say(f"✔ counts of {counts.documents} documents in {output}", fg="green")


@nereval.command("merge")
@readable
def merge_cli(
    parts: list[Path] = Arg(..., help="Counts of the parts, .npz"),
    output: Path = COUNTS,
) -> None:
    """
    Merge counts of the parts of a corpus to the counts of the whole.
    """
    from .storage import merge, save

    check_output(output, None)
    counts = merge(parts)
    save(counts, output)
    say(f"✔ counts of {counts.documents} documents in {output}", fg="green")


@nereval.command("compare", context_settings=OPTIONS_FOLLOW, epilog=EPILOG)
@readable
def compare_cli(
    ctx: typer.Context,
    gold: Path = Arg(..., help="Gold annotation, .spacy or .jsonl"),
    systems: list[str] = Arg(..., metavar="BASELINE OTHER...", help="Predictions, models, or counts (.npz)"),
    metrics: str | None = METRICS,
    output: Path | None = OUTPUT,
    spans_key: str | None = SPANS_KEY,
    digits: int = DIGITS,
    level: float | None = LEVEL,
    samples: int | None = SAMPLES,
    seed: int | None = SEED,
    trials: int | None = Opt(None, "--trials", help="Random swaps of the permutation test", min=1),
    short: bool = SHORT,
    code: Path | None = CODE,
    gpu_id: int = GPU,
) -> None:
    """
    Compare systems with a baseline: differences, intervals, paired tests, and
    which gold spans changed.

    Every system is a file of predictions, a model, or a file of counts. Counts
    name no spans, so that changed spans are shown for the others alone.
    """
    from wasabi import wrap

    from .comparison import System, comparison
    from .report import comparison_tables, footer, render
    from .storage import load
    from .transitions import judged
    from .writing import write_json

    drawn = checked_confidence(True, level=level, samples=samples, seed=seed)
    check_output(output, None, gold, *systems)
    at = next((k for k, argument in enumerate(systems) if argument.startswith("--")), len(systems))
    names, options = systems[:at], [*systems[at:], *ctx.args]
    if len(names) < 2:
        raise ValueError("a comparison needs a baseline and another system; one was given")
    if not gold.is_file():
        raise ValueError(f"{gold} is not there, or is no file")
    stored = {name: load(Path(name)) for name in names if name.endswith(".npz")}
    chosen = chosen_metrics(metrics, options)
    if stored and not metrics and not options:  # what was counted settles what is counted now
        chosen = next(iter(stored.values())).metrics
    documents: list[Document | None] = []
    found: list[System] = []
    for name, shown in zip(names, short_names(names)):
        if name in stored:
            found.append(System(shown, stored[name]))
            continue
        fates: list[dict[Span, str]] = []
        documents.clear()

        def watched(pairs: Iterable[Document | None], fates=fates) -> Iterable[Document | None]:
            for document in pairs:
                if document:
                    fates.append(judged(document))
                    documents.append(document)
                yield document

        pairs = sources(gold, name, spans_key, code, gpu_id, is_model=not is_data(name), by_id=True)
        found.append(System(shown, counted(watched(pairs), chosen, gold.name, spans_key), fates))
    result = comparison(found, documents, drawn, trials, short=short)
    if output:
        write_json(output, result)
    for table in comparison_tables(result, digits=digits):
        print_table(table, render)
    say("")
    for line in footer(result):
        say(wrap(line, wrap_max=100, indent=0))
    say(f"\n{result['signature']}", dim=True)


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


def is_data(name: str) -> bool:
    """Whether an argument names a file of annotation rather than a model."""
    return Path(name).suffix in (".spacy", ".jsonl", ".ndjson")


def sources(
    gold: Path,
    other: str,
    key: str | None,
    code: Path | None = None,
    gpu_id: int = -1,
    *,
    is_model: bool = False,
    by_id: bool = False,
) -> Iterable[Document | None]:
    """The gold documents with the predictions of a file or a model."""
    if not is_model:
        from .files import read_files

        return read_files(gold, Path(other), key, by_id=by_id)
    from .pipelines import predict

    import_code(code)
    setup_gpu(gpu_id, silent=True)
    return predict(other, gold, key)


def counted(
    documents: Iterable[Document | None], metrics: Sequence[Metric], source: str, key: str | None = None
) -> Counts:
    """The counts of the documents, with a progress bar on a terminal."""
    from tqdm import tqdm

    from .counts import count

    counts = count(tqdm(documents, unit=" docs", leave=False, disable=None), metrics)
    counts.sources = [source]
    counts.key = key
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
    average: str,
    digits: int,
    short: bool,
) -> None:
    """Score counts, write the files, print the tables."""
    from .intervals import number_of_units
    from .per_document import disagreement, document_rows
    from .report import disagreement_lines, heading, render, tables, warning
    from .results import evaluate
    from .writing import write_json, write_rows

    result = evaluate(counts, drawn, average=average, short=short)
    if output:
        write_json(output, result)
    if per_document:
        write_rows(per_document, document_rows(counts))
    say(heading(result))
    for table in tables(result, counts.metrics, average=average, digits=digits):
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


def checked_confidence(wanted: bool, **given: float | None) -> Confidence | None:
    """The settings of intervals, if they are wanted."""
    from .intervals import Confidence

    settings = {name: value for name, value in given.items() if value is not None}
    if not wanted and settings:
        raise ValueError(f"--{next(iter(settings))} is given without --confidence")
    return Confidence(**settings).checked() if wanted else None  # type: ignore[arg-type]  # by name


def check_output(output: Path | None, per_document: Path | None, *inputs: str | Path, average: str = "micro") -> None:
    """See before the work that its results can be written."""
    from .scores import AVERAGES

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
    from .metric import DEFAULT, create, create_all

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
