"""Documents with scored predictions, at random or as the papers and guidelines have them."""

from random import Random
from re import finditer

from commands import Row, line

from spacy_nereval import Document

Scored = tuple[int, int, str, float]

TEXT = "Ada met Bob in Rome"
PLACES = [(0, 3), (4, 7), (8, 11), (12, 14), (15, 19)]


def scored(gold: list[tuple[int, int, str]], pred: list[Scored], text: str | None = None) -> Document:
    """A document whose predictions have scores."""
    document = Document(gold, [span[:3] for span in pred], text)
    document.span_scores = {span[:3]: span[3] for span in pred}
    return document


def nested(rng: Random, number: int, *, predictions: int = 9, labels: str = "ABC") -> list[Document]:
    """Documents with nested, crossing, touching and empty spans, and predictions with tied scores."""
    found = []
    for place in range(number):
        text = " ".join(rng.choice(["aa", "b", "cc", "the", "dog"]) for _ in range(16))

        def spans(most: int, text: str = text) -> list[tuple[int, int, str]]:
            starts = [rng.randrange(len(text) - 9) for _ in range(rng.randint(0, most))]
            return [(start, start + rng.randint(0, 8), rng.choice(labels)) for start in starts]

        gold = spans(6)
        pred = sorted({*spans(predictions), *rng.sample(gold, len(gold) // 2)})  # the same in every process
        document = Document(gold, pred, text, tokens=[match.span() for match in finditer(r"\S+", text)], id=str(place))
        document.span_scores = {span: rng.randint(0, 10) / 10 for span in pred}
        found.append(document)
    return found


def rows(seed: int, number: int, name: str, labels: str = "AB") -> tuple[list[Row], list[Row]]:
    """Gold and predicted lines; right predictions have higher scores than wrong ones, mostly."""
    rng = Random(seed)
    gold, pred = [], []
    for k in range(number):
        spans = [(*place, rng.choice(labels)) for place in rng.sample(PLACES, 2)]
        found = [(*span, round(rng.uniform(0.4, 1), 2)) for span in spans if rng.random() < 0.8]
        found += [(*place, rng.choice(labels), round(rng.uniform(0, 0.7), 2)) for place in rng.sample(PLACES, 2)]
        gold.append(line(TEXT, *spans, id=f"{name}{k}"))
        scored = [dict(zip(("start", "end", "label", "score"), span)) for span in found]
        pred.append({"text": TEXT, "spans": scored, "id": f"{name}{k}"})
    return gold, pred
