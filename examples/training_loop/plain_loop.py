"""A loop of one's own: batches are counted as they come, in several processes, and merged. Needs no framework."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
from hugging_face import ID2LABEL, made_up_prediction

from spacy_nereval import Confidence, Counter, Counts, merge, score

PROCESSES = 2


def evaluate_share(process: int) -> Counts:
    """Return the counts of the batches that one process evaluates."""
    logits, labels = made_up_prediction()
    counter = Counter(["strict", "fair"], tag_names=ID2LABEL, repair="conll")
    share = np.array_split(np.arange(len(labels)), PROCESSES)[process]
    for batch in np.array_split(share, 4):
        counter.add(labels[batch], logits[batch])
    return counter.counts


if __name__ == "__main__":
    with ProcessPoolExecutor(PROCESSES) as processes:
        parts = [*processes.map(evaluate_share, range(PROCESSES))]
    for process, counts in enumerate(parts):
        print(f"process {process}: strict F {score(counts).strict.f:.4f}")
    result = score(merge(parts), confidence=Confidence())
    low, high = result.strict.interval()
    print(f"together: strict F {result.strict.f:.4f} [{low:.4f}, {high:.4f}]")
