"""One sentence with one of each: a hit, a boundary slip, a mix-up, a miss, a spurious span."""

from re import finditer

from spacy_nereval import Document

TEXT = "Barack Obama met Angela Merkel in New York City on Monday with Acme Corp staff ."
TOY = Document(
    gold=[(0, 12, "PER"), (17, 30, "PER"), (34, 47, "GPE"), (63, 72, "ORG")],
    pred=[(0, 12, "PER"), (24, 30, "PER"), (34, 47, "ORG"), (51, 57, "PER")],
    text=TEXT,
    tokens=[match.span() for match in finditer(r"\S+", TEXT)],
    id="toy",
)
