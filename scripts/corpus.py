"""Convert a corpus into corpus/<name>/{train,dev,test}.spacy.

Some annotation cannot be converted one to one, such as a span that cuts a token
or a nested span. The script counts and prints it, so that nothing changes unseen.
"""

import os
from collections import Counter, defaultdict
from pathlib import Path
from typing import Annotated

import readers
import typer
from failing import fail
from spacy.tokens import Doc, DocBin
from wasabi import msg

from spacy_nereval.integration.training_needs import assets

# Relative to the current folder, so that messages stay short.
ROOT = Path(os.path.relpath(Path(__file__).resolve().parent.parent))
EXAMPLES = 4  # shown of each kind of change
READERS = {
    "warranty": readers.read_warranty,
    "wnut17": readers.read_wnut17,
    "maintie": readers.read_maintie,
}


def main(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(READERS)}")] = "warranty",
    output: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="Folder to write to, corpus/NAME if not given"),
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="Keep the first N texts of each split, 0: all")] = 0,
    spans_key: Annotated[
        str | None, typer.Option(help="Also put the entities into this span group, for a span categoriser")
    ] = None,
) -> None:
    """Write the corpus NAME as three .spacy files, and print what they contain."""
    if name not in READERS:
        fail(f"Unknown corpus '{name}': choose one of {', '.join(READERS)}")
    verify_assets(name)
    notes: readers.Notes = defaultdict(list)
    try:
        splits = READERS[name](ROOT / "assets" / name, notes)
    except readers.ReadError as error:
        fail(str(error))
    # Nothing is written before this line, so a corpus that cannot be read leaves no files.
    output = output or ROOT / "corpus" / name
    output.mkdir(parents=True, exist_ok=True)
    for split in splits:
        splits[split] = splits[split][: limit or None]
        for doc in splits[split]:
            if spans_key is not None and spans_key not in doc.spans:  # where all spans are already, also nested ones
                doc.spans[spans_key] = list(doc.ents)
        DocBin(docs=splits[split], store_user_data=True).to_disk(output / f"{split}.spacy")
    print_summary(splits)
    for note, places in notes.items():
        examples = "; ".join(places[:EXAMPLES]) + ("; ..." if len(places) > EXAMPLES else "")
        msg.warn(f"{len(places)} {note}", examples)
    msg.good(f"Corpus '{name}' in {output}")


def verify_assets(name: str) -> None:
    """End the script unless the files of a corpus have the checksums in project.yml."""
    for finding in assets(name, ROOT / "project.yml"):
        if finding.remedy:
            fail(str(finding))


def print_summary(splits: dict[str, list[Doc]]) -> None:
    """Print the number of texts, tokens and entities per label of each split."""
    counts = {s: Counter(e.label_ for d in docs for e in d.ents) for s, docs in splits.items()}
    labels = sorted(set().union(*counts.values()))
    rows = [
        (split, len(docs), sum(map(len, docs)), *(counts[split][label] for label in labels))
        for split, docs in splits.items()
    ]
    header = ("split", "texts", "tokens", *labels)
    msg.table(rows, header=header, divider=True, aligns=("l", *"r" * (len(header) - 1)))


if __name__ == "__main__":
    typer.run(main)
