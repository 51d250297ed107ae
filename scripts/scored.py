"""Write what a span categoriser predicts as JSONL, each span with its score.

    python scripts/scored.py training/warranty-spans/spancat/model-best corpus/warranty-spans/dev.spacy dev.jsonl

A cut on the score can be chosen only above the floor, so the pipeline predicts with the
floor as its threshold, whatever it was trained with.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import spacy
import typer
from failing import fail
from spacy.tokens import Doc
from wasabi import msg

from spacy_nereval.integration.spacy_files import read_docs
from spacy_nereval.io.writing import atomic_file

DIGITS = 4
"""Decimal places of a score. They are float32, of which more places say nothing."""


def main(
    model: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="Folder with a trained pipeline")],
    corpus: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The texts, as a .spacy file")],
    output: Annotated[Path, typer.Argument(dir_okay=False, help="JSONL file for the predictions")],
    floor: Annotated[float, typer.Option(min=0, max=1, help="Lowest score that a span may have")] = 0.0,
) -> None:
    """Write the predictions of MODEL for the texts of CORPUS to OUTPUT."""
    nlp = spacy.load(model)
    if "spancat" not in nlp.pipe_names:
        fail(f"{model} has no component spancat: {', '.join(nlp.pipe_names) or 'it is empty'}")
    component = nlp.get_pipe("spancat")
    component.cfg["threshold"] = floor
    lines = [*predicted(nlp, component.key, read_docs(corpus))]
    output.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(output) as file:
        file.writelines(f"{json.dumps(line, ensure_ascii=False)}\n".encode() for line in lines)
    msg.good(f"{sum(len(line['spans']) for line in lines)} spans of {len(lines)} texts in {output}")


def predicted(nlp: spacy.Language, key: str, texts: Iterable[Doc]) -> Iterator[dict]:
    """Yield each text with its predicted spans and their scores. The tokens are those of the file."""
    for number, gold in enumerate(texts):
        words, spaces = [token.text for token in gold], [bool(token.whitespace_) for token in gold]
        doc = nlp(Doc(nlp.vocab, words=words, spaces=spaces))
        group = doc.spans[key]
        spans = [
            {
                "start": span.start_char,
                "end": span.end_char,
                "label": span.label_,
                "score": round(float(score), DIGITS),
            }
            for span, score in zip(group, group.attrs["scores"], strict=True)
        ]
        spans.sort(key=lambda span: (span["start"], span["end"], span["label"]))
        yield {"id": gold.user_data.get("id", str(number)), "text": gold.text, "spans": spans}


if __name__ == "__main__":
    typer.run(main)
