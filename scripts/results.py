"""Write assets/trials/results.md from the counts of the training runs that are kept in assets/trials.

    python scripts/results.py

Nothing is trained. Every number comes from the counts, and every sentence follows from
the numbers by a fixed rule.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from failing import fail
from how_trained import command, reduced, setting
from kept import TRIALS, Kept, TrainingRun, read
from summaries import KINDS, Errors, Summary, errors, lenient, over_runs
from wasabi import msg

from spacy_nereval.core.wording import FAIREVAL
from spacy_nereval.counting.counts import Counts
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.result import disagreement
from spacy_nereval.evaluation.variance import FEW_RUNS
from spacy_nereval.io.writing import atomic_file
from spacy_nereval.reporting.comparison_view import ComparisonView
from spacy_nereval.reporting.declared import short_name
from spacy_nereval.reporting.formats import markdown
from spacy_nereval.reporting.result_table import LOWER, Cell, Estimate, Percent, ResultTable
from spacy_nereval.reporting.score_tables import interval, percent

CORPORA = {
    "warranty": "Customer complaints and workshop notes about vehicles, synthetic, part of this repository: "
    "where it failed and how.",
    "maintie": "MaintIE, maintenance work orders: physical objects and states. Of nested spans, `ents` keeps the "
    "outermost and `spans` all.",
    "wnut17": "WNUT 2017, emerging and rare entities in web text: six kinds of names.",
}
NAMES = {
    "cpu": "a window encoder on hashed features, without pretrained vectors, and a transition-based recogniser",
    "paper": "a fine-tuned transformer and a transition-based recogniser, the paper's training setting",
    "spancat": "a fine-tuned transformer and a span categoriser, on nested spans",
}
WORK_ON = dict(zip(KINDS, ("recall", "precision", "boundaries", "labels", "labels and boundaries")))
"""What to work on where a kind of error is the most frequent one."""

OVERVIEW = ("strict_f", "fair_f", "wrf")
"""The scores of the table at the top of the page."""

FIRST = """# Results

<!-- runs: in a clone of this repository -->

How well the project's own pipelines find entities in texts that they were not trained on. Each score is
the mean over its training runs, in percent, with its 95 % interval:"""

READING = """Compare pipelines of one corpus only, and a pipeline on nested spans with none of the others: their gold
spans differ. The next sections have all metrics, and say for each corpus which differences the numbers
support.

## How to read this page

- A *run* is one training with one seed. *mean* and *sd* (standard deviation) are over the
  runs. Scores and shares are percentages; counts and p-values are not.
- An *interval* (95 %) says where the expected score lies, for texts like these and other
  seeds. If there is only one run, it leaves other seeds out.
  [What an interval says](../../docs/explanation/intervals.md) explains it.
- The sentence in bold below a table is the conclusion that the numbers support. Any other
  difference between two columns may be due to chance.
- The same seed may give other weights on another processor, and so other scores.

The training setting is that of Weber et al. (WRF), section 4.1, as far as spaCy has it: see
[the page on training](../../docs/how-to/train.md). The main difference is the head: these pipelines use a
transition-based parser, the paper classifies tokens.

The counts of every run on the test texts are kept in
[assets/trials](README.md). `python -m spacy project run results` writes this
page from them, without training."""

DETAILS = """## Details

Per corpus and pipeline: how it was trained, every score of every run, and the errors. Training
times are wall-clock times; on a machine with other work they say little about speed.

In the paper, section 4.3, WRF is above F1 in 41.7 %, below in 11.7 % and the same in 46.7 %
of 60 texts."""


def main(
    folder: Annotated[
        Path, typer.Argument(file_okay=False, help="Folder with the kept training runs of the corpora")
    ] = TRIALS,
    output: Annotated[Path, typer.Argument(dir_okay=False, help="Markdown file")] = Path("assets/trials/results.md"),
) -> None:
    """Write the results of every corpus with training runs in FOLDER to OUTPUT."""
    try:
        text = page(folder)
    except ValueError as error:
        fail(str(error))
    output.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(output) as file:
        file.write(text.encode())
    msg.good(f"Results in {output}")


def page(folder: Path) -> str:
    """Return the page on all corpora that have training runs in a folder.

    Raises:
        ValueError: There are none, or some cannot be used.
    """
    folders = {path.name: path for path in folder.iterdir() if path.is_dir()} if folder.is_dir() else {}
    if unknown := sorted({*folders} - {*CORPORA}):
        raise ValueError(f"{folder} has a folder {unknown[0]}, and there is no such corpus: {', '.join(CORPORA)}")
    corpora = [read(folders[name]) for name in CORPORA if name in folders]
    if not corpora:
        raise ValueError(f"{folder} has no training runs of a corpus: run `python -m spacy project run gpu .` first")
    first, then = zip(*map(parts_of, corpora))
    parts = [
        FIRST,
        all_pipelines(corpora),
        names_of(corpora),
        READING,
        *without_runs(folders),
        *first,
        DETAILS,
        *then,
    ]
    return "\n\n".join(parts) + "\n"


def all_pipelines(corpora: Sequence[Kept]) -> str:
    """Return the table of every pipeline of every corpus, with few scores."""
    rows: list[list[Cell]] = []
    for kept in corpora:
        for name, runs in kept.counts.items():
            found = over_runs(runs)
            rows.append([kept.index.corpus, name, len(runs), *(estimate(found[key]) for key in OVERVIEW)])
    header = ["corpus", "pipeline", "runs", "strict F", "fair F", "WRF"]
    return markdown(ResultTable("", header, rows))


def names_of(corpora: Sequence[Kept]) -> str:
    """Return what the names of the pipelines stand for."""
    used = dict.fromkeys(name for kept in corpora for name in kept.counts)
    return "\n".join(f"- *{name}*: {NAMES[name]}" for name in used)


def without_runs(folders: Collection[str]) -> list[str]:
    """Return a sentence on the corpora of the project that have no training runs, if there are any.

    >>> without_runs(["warranty", "maintie"])
    ['No training runs are kept of wnut17, so this page says nothing about it.']
    """
    missing = [name for name in CORPORA if name not in folders]
    about = "it" if len(missing) == 1 else "them"
    named = " and ".join(missing)
    return [f"No training runs are kept of {named}, so this page says nothing about {about}."] * bool(missing)


def parts_of(kept: Kept) -> tuple[str, str]:
    """Return the conclusions about a corpus, and the details."""
    corpus = kept.index.corpus
    summaries = {name: over_runs(runs) for name, runs in kept.counts.items()}
    alike = [System(name, runs) for name, runs in kept.counts.items() if not runs[0].spans_key]
    compared = comparison(alike, []) if len(alike) > 1 else None
    short = [f"## {corpus}", CORPORA[corpus], *overview(kept, summaries), *(verdicts(compared) if compared else [])]
    sizes = ", ".join(f"{number} {split}" for split, number in kept.index.texts.items())
    long = [
        f"### {corpus} in detail",
        f"Texts: {sizes}.",
        f"<!-- not run: trains for hours -->\n```bash\n{command(kept)}\n```",
        *reduced(kept),
    ]
    for name, runs in kept.counts.items():
        long += pipeline(name, kept.runs(name), runs, summaries[name])
    if compared:
        long += differences(corpus, compared)
    return "\n\n".join(short), "\n\n".join(long)


# Conclusions


def overview(kept: Kept, summaries: Mapping[str, Mapping[str, Summary]]) -> Iterator[str]:
    """Yield the table of the scores that stand for a metric, and what to know about it."""
    keys = [key for key, own in next(iter(summaries.values())).items() if own.score.headline]
    rows: list[list[Cell]] = []
    for key in keys:
        own = [summary[key] for summary in summaries.values()]
        rows.append([short_name(own[0].metric, own[0].score.name)])
        for found in own:
            rows[-1] += [estimate(found), percent(found.sd)]
    header = ["score", *(cell for name in summaries for cell in (name, "sd"))]
    yield markdown(ResultTable("", header, rows))
    seeds = {name: ", ".join(str(run.seed) for run in kept.runs(name)) for name in summaries}
    alike = len({*seeds.values()}) == 1
    said = seeds[next(iter(seeds))] if alike else "; ".join(f"{name} {own}" for name, own in seeds.items())
    lines = [f"Mean and interval, and sd, over the runs. Seeds: {said}. {LOWER} lower is better."]
    nested = [name for name, runs in kept.counts.items() if runs[0].spans_key]
    if nested:
        lines.append(f"{', '.join(nested)} is scored on nested spans: do not compare its column with the others.")
    if few := [f"{name} {key}" for name, own in summaries.items() for key in keys if own[key].few]:
        lines.append(f"These rest on too few documents to be compared at all: {', '.join(few)}.")
    yield " ".join(lines)


def estimate(found: Summary) -> float | Estimate | None:
    """Return the mean with its interval, in percent."""
    bounds = interval(found.interval, Percent)
    return percent(found.mean) if found.mean is None or bounds is None else Estimate(Percent(found.mean), *bounds)


def verdicts(compared: Mapping[str, Any]) -> Iterator[str]:
    """Yield the sentence on each comparison, and the warnings that go with it."""
    yield "\n".join(f"- **{line}**" for line in ComparisonView(compared).opening())
    if max(compared["runs"]) > 1 and min(compared["runs"]) < FEW_RUNS:
        yield f"Few runs: a pipeline has fewer than {FEW_RUNS} training runs."
    yield from (line for line in ComparisonView(compared).closing() if line.startswith("⚠"))


# What came out


def pipeline(
    name: str, runs: Sequence[TrainingRun], counts: Sequence[Counts], summaries: Mapping[str, Summary]
) -> Iterator[str]:
    """Yield the setting, the scores and the errors of one pipeline."""
    yield f"#### {name}: {NAMES[name]}"
    yield setting(runs, counts[0])
    seeds = [f"seed {run.seed}" for run in runs]
    rows: list[list[Cell]] = []
    mild = over_runs([lenient(own) for own in counts])
    for key, own in (summaries | {"wrf (lenient weights)": mild["wrf"]}).items():
        values = [percent(value) for value in own.values]
        rows.append([key, percent(own.mean), percent(own.sd), interval(own.interval, Percent), *values])
    yield markdown(ResultTable("", ["score", "mean", "sd", "interval", *seeds], rows))
    yield from per_document(seeds, counts)
    yield from of_errors(seeds, errors(counts))


def per_document(seeds: Sequence[str], counts: Sequence[Counts]) -> Iterator[str]:
    """Yield the shares of documents in which WRF and strict F disagree."""
    rows: list[list[Cell]] = []
    for named, counted in (("strict", counts), ("lenient", [lenient(own) for own in counts])):
        for seed, own in zip(seeds, counted):
            found = disagreement(own) or {}
            shares = (percent(found[kind]["share"]) for kind in ("above", "below", "equal"))
            rows.append([named, seed, *shares, found["undefined"]])
    header = ["weights of WRF", "run", "above", "below", "the same", "undefined"]
    yield (
        "Share of test documents with WRF above strict F, below it and the same. Documents in which one of the two "
        "is undefined are left out:\n\n" + markdown(ResultTable("", header, rows, digits=1))
    )


def of_errors(seeds: Sequence[str], found: Errors) -> Iterator[str]:
    """Yield FairEval's errors by type, and what to work on."""
    totals = [sum(column) for column in zip(*found.numbers.values())]
    rows: list[list[Cell]] = [
        [error, FAIREVAL[error].full, *numbers, percent(sum(numbers), sum(totals))]
        for error, numbers in found.numbers.items()
    ]
    table = ResultTable("", ["type", "what", *seeds, "share of all"], rows, digits=1)
    yield f"Errors by FairEval's types, {', '.join(map(str, totals))} in all:\n\n{markdown(table)}"
    yield work_on(found)


def work_on(found: Errors) -> str:
    """Return a sentence on the most frequent kind of error, as far as the numbers tell it from the others."""
    if found.most is None:
        return "There is no error."
    if found.too_few:
        return "There are too few errors to say which kind is the most frequent."
    if found.as_frequent:
        kinds = [found.most, *found.as_frequent]
        return f"About equally frequent, as far as these runs tell: {', '.join(kinds[:-1])} and {kinds[-1]}."
    low, high = (100 * bound for bound in found.against[found.next])
    return (
        f"The most frequent errors are {found.most}, so work on {WORK_ON[found.most]} first. Next come {found.next}; "
        f"of the errors of both kinds, {low:.1f} to {high:.1f} % are {found.most} (95 % interval)."
    )


def differences(corpus: str, compared: Mapping[str, Any]) -> Iterator[str]:
    """Yield the tables of a comparison, what was tested, and how to repeat it."""
    view = ComparisonView(compared)
    for table in view.tables(("differences", "runs")):
        yield f"#### {table.heading}"
        yield markdown(table)
    yield from view.closing()
    names = [compared["baseline"], *dict.fromkeys(row["system"] for row in compared["comparisons"])]
    given = " ".join(f'--system "{name}={TRIALS.as_posix()}/{corpus}/{name}-*.npz"' for name in names)
    yield f"From the same counts, after `python scripts/corpus.py {corpus}`:"
    command = f"python -m spacy nereval compare corpus/{corpus}/test.spacy {given}"
    yield f"<!-- not run: needs the corpus, which scripts/corpus.py writes -->\n```bash\n{command}\n```"


if __name__ == "__main__":
    typer.run(main)
