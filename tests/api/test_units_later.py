"""The counts of a result have the units of its documents, whenever these were found."""

from __future__ import annotations

from spacy_nereval import Confidence, Document, score
from spacy_nereval.io.count_files import load

DOCUMENTS = [
    Document([(0, 3, "PER"), (8, 12, "LOC")], [(0, 3, "PER")], "Ada sees Rome"),
    Document([(0, 3, "PER")], [], "Bob sleeps", id="b"),
    Document([], [(0, 3, "PER")], "Eve"),
]


def test_kept_documents_get_their_units_when_the_counts_are_asked_for(tmp_path):
    eager = score(iter(DOCUMENTS), ["strict"]).counts
    assert eager.units[1] == "b" and len({*eager.units}) == 3
    later = score(DOCUMENTS, ["strict"])
    later.save(tmp_path / "counts.npz")
    assert later.counts.units == load(tmp_path / "counts.npz").units == eager.units
    assert later.counts.unit == eager.unit == "id"
    drawn = Confidence(samples=50)
    assert (
        score(later.counts, confidence=drawn) == score(DOCUMENTS, ["strict"], drawn) == score(eager, confidence=drawn)
    )
