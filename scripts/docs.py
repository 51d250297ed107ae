"""Write the generated parts of README.md: the metric table and the results.

python scripts/readme.py                     the metric table, from the registry
python scripts/readme.py --results wnut17    also a corpus's table, from metrics/wnut17
"""

import re
from pathlib import Path
from typing import Annotated

import typer

from spacy_nereval.metric import create, documentation, names, options_of

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"


def main(
    results: Annotated[list[str] | None, typer.Option(help="Corpora whose report goes into the README")] = None,
) -> None:
    text = fill(README.read_text(encoding="utf8"), "metrics", metric_table())
    if results:
        text = fill(text, "results", "\n\n".join(map(report, results)))
    README.write_text(text, encoding="utf8")


def report(corpus: str) -> str:
    """A corpus's report, without what shows its texts or goes into details, and what made it."""
    about, *sections = (ROOT / "metrics" / corpus / "report.md").read_text(encoding="utf8").split("\n## ")
    kept = [
        s for s in sections if s.startswith("Scores") or " against " in s.split("\n")[0] or s.startswith("Gold spans")
    ]
    command = f"python -m spacy project run all . --vars.corpus {corpus}"
    if corpus != "warranty":
        command = f"python -m spacy project assets\n{command}"
    title, lines = about.split("\n", 1)
    return "\n\n".join([f"##{title}", f"```bash\n{command}\n```", lines.strip(), *(f"#### {s.strip()}" for s in kept)])


def metric_table() -> str:
    """Every registered metric as a row of a Markdown table."""
    rows = [["metric", "what is true of it", "scores", "options", "source"], ["---"] * 5]
    for name in names():
        about = documentation(name)
        scores = " ".join(f"`{key}`" for key in create(name).flat)
        options = " ".join(f"`{option.name}={option.default}`" for option in options_of(name))
        rows.append([f"**{name}**", about.summary, scores, options, about.source])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def fill(text: str, part: str, content: str) -> str:
    """The text with what stands between a part's marks replaced."""
    pattern = rf"(<!-- {part}: .*? -->\n).*?(<!-- /{part} -->)"
    return re.sub(pattern, lambda match: f"{match[1]}\n{content.strip()}\n\n{match[2]}", text, flags=re.S)


if __name__ == "__main__":
    typer.run(main)
