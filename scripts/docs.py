"""Generate the documentation that repeats the code.

These are docs/reference/metrics.md, docs/reference/commands.md, the marked parts of other
pages, and the output below every code block that runs (scripts/blocks.py says which do).

    python scripts/docs.py                     write all of them
    python scripts/docs.py --check             name those that are out of date, and exit with status 1
    python scripts/docs.py --no-blocks         leave out the output of code blocks, which takes a minute
    python scripts/docs.py docs/how-to/*.md    write the output of the blocks of these pages only
"""

import atexit
import re
import runpy
import sys
from functools import cache, partial
from importlib.metadata import entry_points
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Annotated

import srsly
import typer
from block_runs import BlockError
from blocks import with_output
from command_page import commands_page
from doc_pages import ROOT, fill, index_page, table, terminal, written_pages
from reference_pages import api_page, scores_page
from wasabi import msg

from spacy_nereval import Document, Metric, count, create
from spacy_nereval.core.lexicon import lexicon_of
from spacy_nereval.counting.table import sum_counts
from spacy_nereval.evaluation.breakdown import ATTRIBUTES
from spacy_nereval.evaluation.scores import score_sums
from spacy_nereval.io.writing import write_json
from spacy_nereval.metrics.registry import SETS, documentation, options_of
from spacy_nereval.metrics.registry import names as registered

sys.path.append(str(ROOT / "benchmarks"))  # the scripts there import each other


def names() -> list[str]:
    """The package's own metrics, whatever plugins are installed here."""
    points = entry_points(group="spacy_nereval_metrics")
    own = {point.name for point in points if point.value.startswith("spacy_nereval.")}
    return [name for name in registered() if name in own]


def main(
    pages: Annotated[list[Path] | None, typer.Argument(help="Pages whose code blocks are run; by default all")] = None,
    check: Annotated[
        bool, typer.Option(help="Write nothing, and exit with status 1 if something is out of date")
    ] = False,
    blocks: Annotated[bool, typer.Option(help="Run the code blocks, and write what they print")] = True,
    slow: Annotated[bool, typer.Option(help="Run the slow blocks too, such as those that train")] = False,
) -> None:
    """Write the generated documentation."""
    stale = []
    for path, text in {} if pages else documents().items():
        stale += [path] * renewed(path, text, check)
    failed = 0
    for path in [page.resolve() for page in pages or ()] or (written_pages() if blocks else []):
        try:
            stale += [path] * renewed(path, with_output(path, slow=slow), check)
        except BlockError as error:
            msg.fail(str(error))
            failed = 1
    said = ", ".join(str(path.relative_to(ROOT)) for path in dict.fromkeys(stale))
    if check and stale:
        msg.fail(f"Out of date: {said}. Run 'python scripts/docs.py'", exits=1)
    if stale or not failed:
        msg.good(f"Written: {said}" if stale else "Everything is up to date")
    raise typer.Exit(failed)


def renewed(path: Path, text: str, check: bool) -> bool:
    """Write a text to a file unless it holds it already, or say with `check` that it does not."""
    if path.is_file() and path.read_text(encoding="utf8") == text:
        return False
    if not check:
        path.write_text(text, encoding="utf8")
    return True


def documents() -> dict[Path, str]:
    """Return each generated file with the text that it should have."""
    docs = ROOT / "docs"
    parts = {
        docs / "explanation" / "choosing.md": {"metrics": choosing_table},
        docs / "explanation" / "speed.md": {
            "benchmarks": lambda: measured("table", "results"),
            "agreement": lambda: measured("agreeing", "agreement"),
            "thresholds": lambda: measured("thresholds", "thresholds"),
        },
        docs / "explanation" / "scale.md": {
            "memory": partial(measured, "memory", "memory"),
            "workers": partial(measured, "workers_tables", "workers"),
            "scale": partial(measured, "scale", "scale"),
        },
    }
    filled = {}
    for path, marked in parts.items():
        text = path.read_text(encoding="utf8")
        for name, content in marked.items():
            text = fill(text, name, content())
        filled[path] = text
    reference = docs / "reference"
    return filled | {
        docs / "index.md": index_page(),
        docs / "terminal.svg": terminal(),
        reference / "metrics.md": metrics_page(),
        reference / "scores.md": scores_page(map(ready, names())),
        reference / "commands.md": commands_page(),
        reference / "python.md": api_page(),
    }


# The example that shows how metrics differ

TEXT = "Barack Obama met Angela Merkel in New York City on Monday with Acme Corp staff . Angela Merkel smiled ."
OBAMA, MERKEL, CITY, ACME, AGAIN = (
    (0, 12, "PER"),
    (17, 30, "PER"),
    (34, 47, "GPE"),
    (63, 72, "ORG"),
    (81, 94, "PER"),
)
MONDAY, NEW_YORK = (51, 57, "PER"), (34, 42, "GPE")
GOLD = [OBAMA, MERKEL, CITY, ACME]
CASES: dict[str, tuple[str, list, list]] = {
    "boundary slip": ("Merkel for Angela Merkel", GOLD, [OBAMA, (24, 30, "PER"), CITY, ACME]),
    "mix-up": ("New York City as ORG", GOLD, [OBAMA, MERKEL, (34, 47, "ORG"), ACME]),
    "miss": ("without Acme Corp", GOLD, [OBAMA, MERKEL, CITY]),
    "spurious": ("Monday as PER too", GOLD, [*GOLD, MONDAY]),
    "repetition": ("the second Angela Merkel missed", [*GOLD, AGAIN], GOLD),
    "nested": ("New York within New York City missed", [*GOLD, NEW_YORK], GOLD),
}
TOGETHER = GOLD, [OBAMA, (24, 30, "PER"), (34, 47, "ORG"), MONDAY]


def document(gold: list, pred: list) -> Document:
    tokens = [match.span() for match in re.finditer(r"\S+", TEXT)]
    return Document(gold, pred, TEXT, tokens=tokens)


SCRATCH = Path(mkdtemp())
atexit.register(rmtree, SCRATCH)


@cache
def ready(name: str) -> Metric:
    """Return a metric with its default options. One that needs training data gets half of the example."""
    metric = create(name)
    if not metric.needs:
        return metric
    path = SCRATCH / "train.json"
    write_json(path, lexicon_of([document([OBAMA, CITY], [])]).as_json())
    return create(name, **{metric.needs: str(path)})


def headlines(metric: Metric) -> list[str]:
    """The keys of the scores that stand for a metric; of tmr, the one on what training did not show."""
    # The spans of the examples have no attributes.
    keys = [] if metric.attributes else [score.key for score in metric.headlines if score.key]
    return [key for key in metric.keys if key == "tmr_unseen_any"] or keys


def scored(metric: Metric, key: str, gold: list, pred: list) -> str:
    """A score of the example, in percent."""
    (found,) = score_sums(sum_counts(count([document(gold, pred)], [metric])))
    return f"{100 * float(found.scores[metric.keys[key]][0]):.1f}"


def choosing_table() -> str:
    """Return a row for each score that stands for a metric: its value where one thing is wrong."""
    rows = []
    for name in names():
        metric = ready(name)
        for key in headlines(metric):
            row = [f"[**{name}**](../reference/metrics.md#{name})" if key == headlines(metric)[0] else "", f"`{key}`"]
            rows.append(row + [scored(metric, key, gold, pred) for _, gold, pred in CASES.values()])
    return table(["metric", "score", *CASES], rows)


def metrics_page() -> str:
    """Return docs/reference/metrics.md."""
    blocks = [
        "# The metrics",
        "<!-- Written by scripts/docs.py from the docstrings and by running the metrics; do not edit. -->",
        "Every metric here is available in Python, in spaCy's scorers, in the pipeline component and on the command "
        "line, with scores per label, averages and confidence intervals. `nereval metrics` prints the "
        "same information.",
        "The interval of a macro average is about the mean of the true scores of the labels *that occur in the test "
        "set*. With other texts other rare labels would occur, and "
        "[no interval has that in it](../explanation/intervals.md).",
        "## Which to choose",
        "Each column of the table has one error in an otherwise perfect prediction of\n\n"
        f"> {TEXT.split(' . ')[0]} .\n\n"
        "with PER *Barack Obama*, PER *Angela Merkel*, GPE *New York City*, ORG *Acme Corp*. The cells show each "
        "metric's headline score in percent:\n\n"
        + "\n".join(f"- **{case}**: {about}" for case, (about, *_) in CASES.items())
        + "\n- **all**: Merkel, New York City as ORG, Monday as PER, no Acme Corp\n\n"
        'For *repetition* the text continues "Angela Merkel smiled .", and for *nested* the gold annotation also has '
        "GPE *New York*. `ser` is an error rate: 0 is best. The training data of `tmr` are one text with *Barack "
        "Obama* and *New York City*. Its score here is the recall of entities that do not occur in them.",
        table(
            ["metric", "score", *CASES, "all"],
            [
                [f"[{metric.name}](#{metric.name})", f"`{key}`"]
                + [scored(metric, key, gold, pred) for gold, pred in (*(c[1:] for c in CASES.values()), TOGETHER)]
                for metric in map(ready, names())
                for key in headlines(metric)
            ],
        ),
    ]
    for name in names():
        about, metric = documentation(name), ready(name)
        blocks += [f"## {name}", about.summary]
        blocks += [about.details] * bool(about.details)
        blocks += [f"Formula: {about.formula}", f"Source: {about.source}"]
        blocks.append("Keys in spaCy's scores, prefixed with `ents_` or `spans_{key}_`: " + _code(metric.keys) + ".")
        blocks.append("Counts: " + _code(metric.columns) + ".")
        options = [[f"`{o.name}`", o.help, o.values, f"`{o.default}`"] for o in options_of(name)]
        blocks.append(table(["option", "what it does", "values", "default"], options) if options else "No options.")
    sets = []
    for name, members in SETS.items():
        said = [f"`{m}`" + "".join(f" (`{k}={v}`)" for k, v in given.items()) for m, given in members.items()]
        sets.append([f"`{name}`", ", ".join(said)])
    attributes = [[f"`{name}`", a.help, "yes" if a.needs_lexicon else ""] for name, a in ATTRIBUTES.items()]
    blocks += [
        "## Sets of metrics",
        "Use the name of a set for all its metrics, with `--metrics` and in configs. A set leaves out a metric that "
        "needs an option which is not given.",
        table(["set", "metrics"], [*sets, ["`all`", "every registered metric"]]),
        "## Attributes",
        "`--by` shows scores for each bucket of an attribute of the spans. A pair of spans counts in the bucket of its "
        "gold span. So every span is in one bucket, and the buckets add up to the whole. Most attributes and their "
        'names are those of Fu, Liu and Neubig (2020), "Interpretable Multi-dataset Evaluation for Named Entity '
        'Recognition". What they compute per sentence is computed per document here.',
        table(["attribute", "what it is", "needs `--train`"], attributes),
        "## What is not here",
        "**ETER** (Ben Jannet et al., 2014) combines the ETAPE slot error, which is here as `slot_error` with "
        "`weights=etape`, with an error over the components of structured entities. We could not obtain the "
        "definition of that component error, and we do not publish a guess under its name.",
        "**Measures of whole trees**, such as the leaf-ancestor metric and dependency-based ones (Rehbein and van "
        "Genabith, 2007), which the FairEval paper names beside its own, compare paths through a tree. The metrics "
        "here take labelled spans. These do not say which node is above which where two have the same boundaries.",
    ]
    return "\n\n".join(blocks) + "\n"


def _code(names_of) -> str:
    return " ".join(f"`{name}`" for name in names_of)


def measured(script: str, figures: str) -> str:
    """Return what a script of benchmarks/ shows of the figures that were measured."""
    show = runpy.run_path(str(ROOT / "benchmarks" / f"{script}.py"))["markdown"]
    return show(srsly.read_json(ROOT / "benchmarks" / f"{figures}.json"))


if __name__ == "__main__":
    typer.run(main)
