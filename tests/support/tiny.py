"""A transformer too small to learn anything, and corpora of a few texts to train on."""

from pathlib import Path

import spacy
from spacy.tokens import Doc, DocBin, Span

TEXTS = ("the oil pump leaks", "pump seal worn", "replace the drive motor", "motor hot", "no fault found", "belt torn")
PARTS = {"oil", "pump", "seal", "drive", "motor", "belt"}
STATES = {"leaks", "worn", "hot", "torn"}


def tiny_transformer(folder: Path) -> None:
    """A BERT of one layer with random weights, and a vocabulary of single characters."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder.mkdir(parents=True)
    characters = [chr(k) for k in range(33, 127) if not chr(k).isupper()]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *(f"##{c}" for c in characters)]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    BertModel(BertConfig(vocab_size=len(vocabulary), **size)).save_pretrained(folder)


def nominal_transformer(folder: Path) -> Path:
    """The files of a transformer, all of them empty, for what only looks whether they are there."""
    folder.mkdir(parents=True)
    for name in ("config.json", "vocab.txt", "model.safetensors"):
        (folder / name).touch()
    return folder


def tiny_corpus(folder: Path, train: int) -> None:
    """So many texts to train on, six for each of the other splits: parts and states
    in `doc.ents`, and in `doc.spans["sc"]` also the single words of longer parts."""
    vocab = spacy.blank("en").vocab
    folder.mkdir(parents=True)
    for split, number in (("train", train), ("dev", len(TEXTS)), ("test", len(TEXTS))):
        docs = []
        for k in range(number):
            doc = Doc(vocab, words=TEXTS[k % len(TEXTS)].split())
            doc.user_data["id"] = f"{split}-{k}"
            spans = [Span(doc, t.i, t.i + 1, "State") for t in doc if t.text in STATES]
            spans += [Span(doc, t.i, t.i + 1, "PhysicalObject") for t in doc if t.text in PARTS]
            pairs = [t.i for t in doc[:-1] if {t.text, doc[t.i + 1].text} <= PARTS]
            longer = [Span(doc, start, start + 2, "PhysicalObject") for start in pairs]
            doc.spans["sc"] = [*spans, *longer]
            doc.ents = spacy.util.filter_spans([*longer, *spans])
            docs.append(doc)
        DocBin(docs=docs, store_user_data=True).to_disk(folder / f"{split}.spacy")
