"""A corpus in files, and short ways to count it collapsed and to score the counts."""

from pathlib import Path
from typing import Any

from commands import accepted, side, write
from made_up import corpus, second

from spacy_nereval.io.count_files import load

DOCUMENTS = corpus(24)

ADD = ("--collapse", "--append")


def write_corpora() -> None:
    """Write gold (g-), predictions (p-) and those of another system (q-): all, its parts a and b, and another, c."""
    for name, some in (("all", DOCUMENTS), ("a", DOCUMENTS[:10]), ("b", DOCUMENTS[10:]), ("c", corpus(5, 9))):
        write(Path(f"g-{name}.jsonl"), *side(some, "gold"))
        write(Path(f"p-{name}.jsonl"), *side(some, "pred"))
        write(Path(f"q-{name}.jsonl"), *side(second(some), "pred"))


def counted(names: str, output: str, *options: Any, system: str = "p") -> str:
    given = [f"{kind}-{name}.jsonl" for kind in ("g", system) for name in names.split()]
    return accepted("count", *given, "-o", output, "--replicates", 30, "-m", "strict,fair,wrf", *options)


def scores(counts: str, *options: str) -> bytes:
    """Scores and intervals. Counts with documents are collapsed first, since half-samples give other intervals."""
    if not load(Path(counts)).collapsed:
        accepted("merge", counts, "--collapse", "-o", "at-once.npz")
        counts = "at-once.npz"
    accepted("score", counts, "-C", "-o", "out.json", *options)
    return Path("out.json").read_bytes()


def scores_alone(counts: str) -> bytes:
    """Scores without intervals."""
    accepted("score", counts, "-o", "out.json")
    return Path("out.json").read_bytes()
