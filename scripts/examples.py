"""Write the files of examples/ from the warranty corpus and the predictions of two pipelines.

    python scripts/corpus.py warranty
    python scripts/train.py configs/cpu.cfg warranty training/examples/baseline --training.max_epochs 5
    python scripts/train.py configs/cpu.cfg warranty training/examples/improved --training.max_epochs 20
    python scripts/examples.py

The gold annotation and the predictions of each pipeline are written as JSONL,
`.spacy` and CoNLL. All three give the same scores.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import spacy
import typer
from failing import fail
from spacy.tokens import Doc, DocBin
from wasabi import msg

from spacy_nereval.integration.spacy_files import read_docs

ROOT = Path(__file__).resolve().parent.parent
TEST, TRAIN, DEV = 75, 150, 40  # documents of each file; fewer than the corpus has, to train in seconds
SYSTEMS = ("baseline", "improved")


def main(
    models: Annotated[
        Path, typer.Argument(file_okay=False, help="Folder with the trainings 'baseline' and 'improved'")
    ] = Path("training/examples"),
    corpus: Annotated[Path, typer.Argument(file_okay=False, help="Folder with the corpus")] = Path("corpus/warranty"),
    output: Annotated[Path, typer.Option(file_okay=False, help="Folder to write to")] = ROOT / "examples",
) -> None:
    """Write the files of examples/."""
    for path, remedy in [
        (corpus / "test.spacy", "python scripts/corpus.py warranty"),
        *((models / name / "model-best", f"see the head of {Path(__file__).name} to train it") for name in SYSTEMS),
    ]:
        if not path.exists():
            fail(f"{path} is not there: {remedy}")
    gold = [*read_docs(corpus / "test.spacy")]
    sides = {"gold": gold} | {name: [*predicted(models / name / "model-best", gold)] for name in SYSTEMS}
    chosen = [k for k, _ in enumerate(gold) if all(conll_keeps_the_spans(docs[k]) for docs in sides.values())][:TEST]
    output.mkdir(parents=True, exist_ok=True)
    for name, docs in sides.items():
        write([docs[k] for k in chosen], output / name, ".jsonl", ".spacy", ".conll")
    train, dev = ([*read_docs(corpus / f"{split}.spacy")] for split in ("train", "dev"))
    write(train[:TRAIN], output / "train", ".jsonl", ".spacy")
    write(dev[:DEV], output / "dev", ".spacy")
    msg.good(f"{len(chosen)} test documents, {TRAIN} for training, {DEV} for development in {output}")


def predicted(model: Path, gold: Iterable[Doc]) -> Iterator[Doc]:
    """Yield a pipeline's predictions for the texts of the gold Docs, with their ids."""
    nlp = spacy.load(model)
    for doc in gold:
        words, spaces = [token.text for token in doc], [bool(token.whitespace_) for token in doc]
        found = nlp(Doc(nlp.vocab, words=words, spaces=spaces))
        found.user_data["id"] = doc.user_data["id"]
        yield found


def conll_keeps_the_spans(doc: Doc) -> bool:
    """Return whether the entities of a Doc have a space between all their tokens.

    A CoNLL file does not say where there are spaces: its reader puts one between
    any two tokens. An entity without a space would have another length there.
    """
    return all(token.whitespace_ for entity in doc.ents for token in entity[:-1])


def write(docs: list[Doc], path: Path, *endings: str) -> None:
    """Write Docs in the formats that the endings name."""
    for ending in endings:
        file = path.with_suffix(ending)
        if ending == ".spacy":
            DocBin(docs=docs, attrs=["ENT_IOB", "ENT_TYPE"], store_user_data=True).to_disk(file)
        else:
            lines = jsonl(docs) if ending == ".jsonl" else conll(docs)
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf8")


def jsonl(docs: Iterable[Doc]) -> Iterator[str]:
    """Yield a line of JSON for each Doc."""
    for doc in docs:
        spans = [{"start": ent.start_char, "end": ent.end_char, "label": ent.label_} for ent in doc.ents]
        yield json.dumps({"id": doc.user_data["id"], "text": doc.text, "spans": spans}, ensure_ascii=False)


def conll(docs: Iterable[Doc]) -> Iterator[str]:
    """Yield the lines of a CoNLL file, a document after each -DOCSTART- line."""
    for doc in docs:
        yield from ("-DOCSTART-\tO", "")
        for token in doc:
            tag = f"{token.ent_iob_}-{token.ent_type_}" if token.ent_type_ else "O"
            yield f"{token.text}\t{tag}"
        yield ""


if __name__ == "__main__":
    typer.run(main)
