"""Print the results of several pipelines side by side, and write them to a Markdown file."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from wasabi import msg

from spacy_nereval import create_all
from spacy_nereval.io.writing import atomic_file
from spacy_nereval.reporting.comparison_view import ComparisonView
from spacy_nereval.reporting.declared import short_name
from spacy_nereval.reporting.formats import markdown
from spacy_nereval.reporting.remarks import heading
from spacy_nereval.reporting.result_table import Cell, ResultTable
from spacy_nereval.reporting.score_tables import first_headlines, score_cell
from spacy_nereval.reporting.terminal import render


def main(
    output: Annotated[Path, typer.Argument(help="Markdown file to write")],
    results: Annotated[list[Path], typer.Argument(help="Results that 'nereval evaluate --output' wrote, .json")],
    comparison: Annotated[Path | None, typer.Option(help="What 'nereval compare --output' wrote, .json")] = None,
) -> None:
    """Show RESULTS side by side, named after their files."""
    loaded = {path.stem: load(path, "metrics") for path in results}
    about = "\n".join(f"- {name}: {heading(result)}" for name, result in loaded.items())
    tables = list(side_by_side(loaded))
    verdicts, notes = [], []
    if comparison:
        compared = load(comparison, "comparisons")
        view = ComparisonView(compared)
        tables += view.tables(view.usual)
        verdicts, notes = view.opening(), view.closing()
    blocks = [f"# {output.parent.name}", about, *verdicts]
    blocks += [f"## {table.heading}\n\n{markdown(table)}" for table in tables] + notes
    with atomic_file(output) as file:
        file.write(("\n\n".join(blocks) + "\n").encode("utf8"))
    print(about)
    for line in verdicts:
        msg.text(line)
    for table in tables:
        msg.divider(table.heading)
        print(render(table))
    for note in notes:
        msg.text(note)
    msg.good(f"Report in {output}")


def side_by_side(results: Mapping[str, Mapping[str, Any]]) -> Iterator[ResultTable]:
    """Yield one table each of the scores, counts and labels of several systems.

    Args:
        results: System names to results, all of the same metrics.
    """
    first = next(iter(results.values()))
    metrics = create_all({name: side["settings"] for name, side in first["metrics"].items()})
    scores: list[list[Cell]] = []
    counts: list[list[Cell]] = []
    for metric in metrics:
        owns = [result["metrics"][metric.name] for result in results.values()]
        scores += [
            [key, *(score_cell(metric, name, side["scores"]) for side in owns)] for key, name in metric.keys.items()
        ]
        counted = dict.fromkeys(name for side in owns for name in side["counts"])
        counts += [[metric.name, name, *(side["counts"].get(name) for side in owns)] for name in counted]
    yield ResultTable("Scores", ["score", *results], scores)
    yield ResultTable("Counts", ["metric", "count", *results], counts)
    yield _labels_side_by_side(results, metrics)


def _labels_side_by_side(results: Mapping[str, Mapping[str, Any]], metrics: Iterable[Any]) -> ResultTable:
    found = [{m.name: result["metrics"][m.name]["per_type"] for m in metrics} for result in results.values()]
    rows: list[list[Cell]] = []
    for label in sorted({label for labels_of in found for per_type in labels_of.values() for label in per_type}):
        for metric in metrics:
            scores = [labels_of[metric.name].get(label, {"scores": {}})["scores"] for labels_of in found]
            for name in first_headlines(metric, found[0][metric.name]):
                rows.append([label, short_name(metric, name), *(score_cell(metric, name, own) for own in scores)])
    return ResultTable("Per label", ["label", "score", *results], rows)


def load(path: Path, key: str) -> dict:
    """Read a result, and end the script if it lacks the key that all such results have."""
    remedy = "run 'python -m spacy project run all', with the same --vars.corpus"
    if not path.is_file():
        msg.fail(f"{path} is missing: {remedy}", exits=1)
    try:
        result = srsly.read_json(path)
    except ValueError as error:
        msg.fail(f"{path} is not JSON ({error}): delete it and {remedy}", exits=1)
    if not isinstance(result, dict) or key not in result:
        msg.fail(f"{path} is not a result, since it has no '{key}': delete it and {remedy}", exits=1)
    return result


if __name__ == "__main__":
    typer.run(main)
