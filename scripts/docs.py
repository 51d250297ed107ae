"""Generate the documentation that repeats the code.

These are docs/reference/metrics.md, docs/reference/commands.md, and the marked parts of README.md and
docs/how-to/many-machines.md.

    python scripts/docs.py            write them
    python scripts/docs.py --check    name those that are out of date, and exit with status 1
"""

import atexit
import inspect
import re
import runpy
import sys
from collections import defaultdict
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Annotated

import srsly
import typer
from typer.main import get_command
from typer.testing import CliRunner
from wasabi import msg

from spacy_nereval import Document, Metric, count, create
from spacy_nereval.cli import nereval
from spacy_nereval.core.lexicon import lexicon_of
from spacy_nereval.counting.table import summed
from spacy_nereval.evaluation.attributes import ATTRIBUTES
from spacy_nereval.evaluation.scores import score_sums
from spacy_nereval.io.writing import write_json
from spacy_nereval.metrics.registry import SETS, documentation, options_of
from spacy_nereval.metrics.registry import names as registered

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "benchmarks"))  # the scripts there import each other


def names() -> list[str]:
    """The package's own metrics, whatever plugins are installed here."""
    points = entry_points(group="spacy_nereval_metrics")
    own = {point.name for point in points if point.value.startswith("spacy_nereval.")}
    return [name for name in registered() if name in own]


def main(
    check: Annotated[
        bool, typer.Option(help="Write nothing, and exit with status 1 if something is out of date")
    ] = False,
) -> None:
    """Write the generated documentation."""
    stale = []
    for path, text in documents().items():
        if not path.is_file() or path.read_text(encoding="utf8") != text:
            stale.append(path.relative_to(ROOT))
            if not check:
                path.write_text(text, encoding="utf8")
    if check and stale:
        msg.fail(f"Out of date: {', '.join(map(str, stale))}. Run 'python scripts/docs.py'", exits=1)
    msg.good(f"Written: {', '.join(map(str, stale))}" if stale else "Everything is up to date")


def documents() -> dict[Path, str]:
    """Return each generated file with the text that it should have."""
    readme = ROOT / "README.md"
    text = fill(readme.read_text(encoding="utf8"), "metrics", choosing_table())
    text = fill(text, "terminal", f"```\n{printed_scores()}\n```")
    text = fill(text, "benchmarks", measured("table", "results"))
    docs = ROOT / "docs"
    scale = (docs / "how-to" / "many-machines.md").read_text(encoding="utf8")
    for name in ("memory", "scale"):
        scale = fill(scale, name, measured(name, name))
    return {
        readme: text,
        docs / "reference" / "metrics.md": metrics_page(),
        docs / "reference" / "commands.md": commands_page(),
        docs / "how-to" / "many-machines.md": scale,
    }


def printed_scores() -> str:
    """Return what the first command of README.md prints, without most of its tables and its signature."""
    files = [str(ROOT / "examples" / f"{name}.jsonl") for name in ("gold", "improved")]
    printed = CliRunner(env={"COLUMNS": "100"}).invoke(nereval, ["score", *files]).stdout
    parts = re.split(r"\n\n(?=[A-Z][^\n]*\n\n)", printed)  # a heading, and the tables with their titles
    return "\n\n".join(part for part in parts if part.startswith((parts[0], "Scores", "Verdicts", "Error")))


def fill(text: str, part: str, content: str) -> str:
    """Return a text with new content between the marks of a part."""
    pattern = rf"(<!-- {part}: .*? -->\n).*?(<!-- /{part} -->)"
    return re.sub(pattern, lambda match: f"{match[1]}\n{content.strip()}\n\n{match[2]}", text, flags=re.S)


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    cells = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in cells)


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
    keys = [score.key for score in metric.headlines if score.key]
    return [key for key in metric.keys if key == "tmr_unseen_any"] or keys


def scored(metric: Metric, key: str, gold: list, pred: list) -> str:
    """A score of the example, in percent."""
    (found,) = score_sums(summed(count([document(gold, pred)], [metric])))
    return f"{100 * float(found.scores[metric.keys[key]][0]):.1f}"


def verdicts(metric: Metric, gold: list, pred: list) -> str:
    """Return the verdicts on the errors in the example, with their amounts."""
    right = {verdict.name for verdict in metric.verdicts(document(gold, gold))}
    wrong: dict[str, float] = defaultdict(float)
    for verdict in metric.verdicts(document(gold, pred)):
        if verdict.name not in right or verdict.amount < 1:
            wrong[verdict.name] += verdict.amount or 1
    return ", ".join(f"{name} {amount:.3g}" for name, amount in wrong.items())


def choosing_table() -> str:
    """Every metric as a row: what it measures, and its score where one thing is wrong."""
    rows = []
    for name in names():
        metric = ready(name)
        for key in headlines(metric):
            first = key == headlines(metric)[0]
            about = (
                [f"[**{name}**](docs/reference/metrics.md#{name})", documentation(name).summary] if first else ["", ""]
            )
            rows.append([*about, f"`{key}`", *(scored(metric, key, gold, pred) for _, gold, pred in CASES.values())])
    return table(["metric", "what it measures", "score", *CASES], rows)


def metrics_page() -> str:
    """Return docs/reference/metrics.md."""
    blocks = [
        "# The metrics",
        "<!-- Written by scripts/docs.py from the docstrings and by running the metrics; do not edit. -->",
        "Every metric here is available in Python, in spaCy's scorers, in the pipeline component and on the command "
        "line, with scores per label, averages and confidence intervals. `nereval metrics` prints the "
        "same information.",
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
        keys = headlines(metric)
        said = [
            [case, verdicts(metric, gold, pred), *(scored(metric, key, gold, pred) for key in keys)]
            for case, (_, gold, pred) in CASES.items()
        ]
        blocks.append(table(["on the example", "verdicts", *(f"`{key}`" for key in keys)], said))
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
    ]
    return "\n\n".join(blocks) + "\n"


def _code(names_of) -> str:
    return " ".join(f"`{name}`" for name in names_of)


# Commands


def commands_page() -> str:
    """Return docs/reference/commands.md."""
    blocks = [
        "# The commands",
        "<!-- Written by scripts/docs.py from the commands themselves; do not edit. -->",
        "`nereval COMMAND --help` prints the same information. `python -m spacy nereval COMMAND` runs the same "
        "command. `nereval` starts sooner, because it imports spaCy only for a pipeline, a `.spacy` file or a "
        "tokeniser. "
        "`nereval --install-completion` makes your shell complete commands and options.",
    ]
    for name, command in sorted(get_command(nereval).commands.items()):  # type: ignore[attr-defined]
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        options = [p for p in command.params if p.param_type_name == "option"]
        usage = [_argument(p) for p in arguments]
        blocks += [f"## {name}", f"```bash\nnereval {' '.join([name, *usage, '[OPTIONS]'])}\n```"]
        blocks.append(inspect.cleandoc(command.help or ""))
        if arguments:
            blocks.append(table(["argument", "what it is"], [[f"`{_argument(p)}`", p.help or ""] for p in arguments]))
        rows = [[" ".join(f"`{flag}`" for flag in p.opts), p.help or "", _default(p)] for p in options]
        blocks.append(table(["option", "what it does", "default"], rows) if rows else "No options.")
        if command.epilog:
            blocks.append(command.epilog)
    return "\n\n".join(blocks) + "\n"


def _argument(parameter) -> str:
    name = parameter.metavar or parameter.name.upper()
    if parameter.nargs == -1 and "..." not in name:
        name += "..."
    return name if parameter.required or name.startswith("[") else f"[{name}]"


def _default(parameter) -> str:
    return "" if parameter.default in (None, False) or parameter.required else f"`{parameter.default}`"


def measured(script: str, figures: str) -> str:
    """Return what a script of benchmarks/ shows of the figures that were measured."""
    show = runpy.run_path(str(ROOT / "benchmarks" / f"{script}.py"))["markdown"]
    return show(srsly.read_json(ROOT / "benchmarks" / f"{figures}.json"))


if __name__ == "__main__":
    typer.run(main)
