"""Print the results of several pipelines side by side, and write them to a Markdown file."""

from pathlib import Path
from typing import Annotated

import srsly
import typer
from wasabi import msg

from spacy_nereval.io.writing import atomic
from spacy_nereval.reporting.comparison import comparison_tables, footer, side_by_side, verdict_lines
from spacy_nereval.reporting.formats import markdown
from spacy_nereval.reporting.remarks import heading
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
        tables += comparison_tables(compared)
        verdicts, notes = verdict_lines(compared), footer(compared)
    blocks = [f"# {output.parent.name}", about, *verdicts]
    blocks += [f"## {table.heading}\n\n{markdown(table)}" for table in tables] + notes
    with atomic(output) as file:
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
