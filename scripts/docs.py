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
from typing import Annotated, Any

import srsly
import typer
from block_runs import BlockError
from blocks import with_output
from command_page import commands_page
from doc_pages import ROOT, fill, table, written_pages
from reference_pages import api_page
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
        docs / "how-to" / "choose-metric.md": {"metrics": choosing_table},
        docs / "explanation" / "performance.md": {"ratios": ratios_table},
        ROOT / "benchmarks" / "speed.md": {
            "benchmarks": lambda: measured("table", "results"),
            "agreement": lambda: measured("agreeing", "agreement"),
            "thresholds": lambda: measured("thresholds", "thresholds"),
        },
        ROOT / "benchmarks" / "scale.md": {
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
        reference / "metrics.md": metrics_page(),
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


SOURCES = {
    "strict": ("tjongkimsang2003", "seqeval 1.2.2; published scores of WNUT 2017, HIPE 2022 and MasakhaNER 2.0"),
    "semeval": ("chinchor1993 segura2013", "nervaluate 1.2.1"),
    "slot_error": ("makhoul1999", "tables of the paper"),
    "loio": ("sotnyk", "loio-metrics 0.0.2"),
    "fair": ("ortmann2022", "the author's program (rubcompling/FairEval, commit a6172f2), with `unit=token`"),
    "wrf": ("weber2023 lin2004", "tables of the paper"),
    "ace": ("ace2008", "the assignment of scipy"),
    "attributes": ("uzuner2011", ""),
    "char": ("sotnyk", ""),
    "hierarchical": ("kiritchenko2006 silla2011", ""),
    "mentions": ("zhou2024 sainz2024 derczynski2017", "published surface-form scores of WNUT 2017"),
    "overlap": ("lorehlt", ""),
    "plagdet": ("potthast2010", ""),
    "relaxed": ("usbeck2015 ji2014", ""),
    "tmr": ("tu2021", ""),
    "token": ("tjongkimsang2003 sotnyk", "scikit-learn and seqeval 1.2.2"),
}
"""Each metric to its keys in docs/metrics.bib, and to the programs and numbers of others that tests compare it with."""

SHARED_OPTIONS = ("beta", "focus")
"""The options that are described once for all metrics."""


def metrics_page() -> str:
    """Return docs/reference/metrics.md."""
    options = {o.name: _option(o) for name in names() for o in options_of(name)}
    blocks = [
        "# Metrics: definitions, formulas, options, score keys",
        "<!-- Written by scripts/docs.py from the docstrings and declarations of the metrics; do not edit. -->",
        "[Choose a metric](../how-to/choose-metric.md) has the same errors under each "
        "of them. Tests "
        "compare every metric with a second implementation, and with the programs named below. BibTeX keys "
        "are those of "
        "[metrics.bib](../metrics.bib). [our choice]: the source leaves this open. Options that many metrics have:",
        "\n".join(options[name] for name in SHARED_OPTIONS),
        "## Score keys",
        "Names of scores in spaCy's score dict, prefixed with `ents_` or `spans_KEY_`: `fair_f` is `ents_fair_f`. "
        "`--primary`, `--best` and `--score` accept them without the prefix, or METRIC.SCORE, as in "
        "`fair.f`. The headline score "
        "of a metric is bold. Other scores, such as `strict_f` and `und` of semeval, have no key: "
        "`result.semeval.und`. ↓: lower is better, so do not choose a model by it. Ratios are from 0 to 1; an "
        "undefined score is "
        "`null`, and 0.0 in spaCy's dict.",
        table(["metric", "score keys", "sets"], [_keys_row(ready(name)) for name in names()]),
    ]
    for name in names():
        about, metric = documentation(name), ready(name)
        keys, verified = SOURCES[name]
        source = f"Source: {about.source} BibTeX: {_code(keys.split())}."
        blocks += [f"## {name}", about.summary]
        blocks += [about.details] * bool(about.details)
        blocks += [f"Formula: {about.formula}", source + f" Verified against {verified}." * bool(verified)]
        blocks.append(f"Counts: {_code(metric.columns)}.")
        blocks.append("\n".join(_option(o) for o in options_of(name) if o.name not in SHARED_OPTIONS))
    sets = []
    for name, members in SETS.items():
        said = [f"`{m}`" + "".join(f" (`{k}={v}`)" for k, v in given.items()) for m, given in members.items()]
        sets.append([f"`{name}`", ", ".join(said)])
    attributes = [[f"`{name}`", a.help, "yes" if a.needs_lexicon else ""] for name, a in ATTRIBUTES.items()]
    blocks += [
        "## Sets of metrics",
        "Use the name of a set with `--metrics` and in configs. A set omits a metric whose required option is missing.",
        table(["set", "metrics"], [*sets, ["`all`", "every registered metric"]]),
        "## Attributes of spans",
        "`--by` shows scores for each bucket of an attribute. A pair of spans counts in the bucket of its gold span, "
        "so the buckets add up to the whole; the column `predicted` counts each prediction in its own bucket. Names "
        'are those of Fu, Liu and Neubig (2020), "Interpretable Multi-dataset Evaluation for Named Entity '
        'Recognition"; what they compute per sentence is computed per document here.',
        table(["attribute", "definition", "needs `--train`"], attributes),
        "## What is not here",
        "**ETER** (Ben Jannet et al., 2014): its ETAPE slot error is `slot_error` with `weights=etape`; the "
        "definition of its "
        "component error could not be obtained. **Tree metrics**, such as the leaf-ancestor metric (Rehbein "
        "and van Genabith, "
        "2007), need trees; the metrics here take labelled spans. **Linking without labels** (NIL "
        "clustering) and relations are "
        "not scored.",
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _option(option: Any) -> str:
    """An option of a metric, as an item of a list."""
    return f"- `{option.name}` (`{option.default}`; {option.values}): {option.help}"


def _keys_row(metric: Metric) -> list[str]:
    """The score keys of a metric in a row, and the sets that it is in."""
    keys = []
    for score in metric.scores:
        if score.key:
            key = f"**`{score.key}`**" if score.headline else f"`{score.key}`"
            keys.append(key + " ↓" * (not score.higher_is_better) + f" ({score.unit})" * (str(score.unit) != "ratio"))
    sets = [f"`{name}`" for name, members in SETS.items() if metric.name in members]
    return [f"[{metric.name}](#{metric.name})", " ".join(keys), " ".join(sets)]


def _code(names_of) -> str:
    return " ".join(f"`{name}`" for name in names_of)


RATIOS = {
    ("six metrics, aligned / get_ner_prf, aligned", "18 labels"): "spaCy's `get_ner_prf`, tokens aligned already",
    ("six metrics, aligned / get_ner_prf, aligned", "WNUT17 test"): "spaCy's `get_ner_prf`, tokens aligned already",
    ("six metrics / get_ner_prf", "WNUT17 test"): "spaCy's `get_ner_prf`",
    ("six metrics, offsets / nervaluate", "WNUT17 test"): "nervaluate",
    ("what six metrics add / nlp.evaluate", "WNUT17 test"): "`nlp.evaluate` with `en_core_web_sm`",
    ("confidence = {} / nlp.evaluate", "WNUT17 test"): "`nlp.evaluate`, with confidence intervals",
}
"""The measured ratios that the page on performance shows, and what the six metrics are compared with."""


def ratios_table() -> str:
    """Return a row for each of the ratios of times that the page on performance shows."""
    goals = {(goal["what"], goal["where"]): goal for goal in srsly.read_json(ROOT / "benchmarks/results.json")["goals"]}
    documents = {"18 labels": "200 tokens, 18 labels", "WNUT17 test": "sentences (WNUT 2017)"}
    rows = []
    for (what, where), other in RATIOS.items():
        percent = goals[what, where]["unit"] == "%"
        value = goals[what, where]["value"]
        rows.append([other, documents[where], f"{value:.1f} %" if percent else f"{value:.2f}"])
    return table(["six metrics against", "documents", "ratio of times"], rows)


def measured(script: str, figures: str) -> str:
    """Return what a script of benchmarks/ shows of the figures that were measured."""
    show = runpy.run_path(str(ROOT / "benchmarks" / f"{script}.py"))["markdown"]
    return show(srsly.read_json(ROOT / "benchmarks" / f"{figures}.json"))


if __name__ == "__main__":
    typer.run(main)
