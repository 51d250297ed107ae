"""A module of Lightning that scores its validation data batch by batch. Runs without Lightning, by hand."""

from typing import Any

import numpy as np
from hugging_face import ID2LABEL, made_up_prediction

from spacy_nereval import Counter, Counts, merge, score

try:
    from lightning.pytorch import LightningModule
except ImportError:

    class LightningModule:  # what this file uses of it
        def log_dict(self, values: dict[str, float]) -> None:
            for name, value in values.items():
                print(f"{name} {value:.4f}")


class Tagger(LightningModule):
    """Scores are counted in every validation step, and logged at the end of an epoch."""

    def on_validation_epoch_start(self) -> None:
        self.counter = Counter(["strict", "fair"], tag_names=ID2LABEL, repair="conll")

    def validation_step(self, batch: dict[str, Any], number: int) -> None:
        logits = self.forward(batch)
        self.counter.add(batch["labels"], logits)

    def on_validation_epoch_end(self) -> None:
        result = score(merge(gathered(self.counter.counts)))
        self.log_dict(result.flat("val_"))

    def forward(self, batch: dict[str, Any]) -> Any:
        return batch["logits"]  # here the model would compute them


def gathered(counts: Counts) -> list[Counts]:
    """Return the counts of all processes of a distributed training; of the only one without."""
    try:
        from torch import distributed
    except ImportError:
        return [counts]
    if not (distributed.is_available() and distributed.is_initialized()):
        return [counts]
    parts: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(parts, counts)
    return parts


if __name__ == "__main__":
    tagger = Tagger()
    tagger.on_validation_epoch_start()
    logits, labels = made_up_prediction()
    for step, rows in enumerate(np.array_split(np.arange(len(labels)), 5)):
        tagger.validation_step({"logits": logits[rows], "labels": labels[rows]}, step)
    if LightningModule.__module__ == "__main__":  # Lightning itself calls this, and logs to its trainer
        tagger.on_validation_epoch_end()
