"""Small systems to write an HTML report of, strings that try to break it, and a parser of the page."""

import json
import zlib
from base64 import b64decode
from html.parser import HTMLParser
from typing import Any

from spacy_nereval import Document, count, create_all
from spacy_nereval.evaluation.comparison import System

HOSTILE = (
    "</script><script>window.broken = 1</script>",
    "<!-- <script>",
    "</title><img src=x onerror='window.broken = 1'>",
    "\" onclick='window.broken = 1' x=\"",
    "&lt;b&gt; {{ 7 * 7 }} {% raw %}",
    "\u202eevil\u2028\u2029\x00\x1b[2J\x85",
    "__proto__",
    "constructor",
    "\ud800 \udcff",
)


def _harmless(text: str) -> str:
    """A text of letters that mean nothing, with spaces in the same places, equal and of one case where the other is."""
    known = sorted({*"".join(HOSTILE)})
    cyrillic = {c: chr(0x430 + ord(c.lower()) - ord("a")) for c in known if c.isalpha()}
    letters = {c: other.upper() if c.isupper() else other for c, other in cyrillic.items()}
    return "".join(c if c.isspace() else letters.get(c, chr(0x2460 + known.index(c))) for c in text)


HARMLESS = tuple(map(_harmless, HOSTILE))
"""What a page of has to have the same elements as a page of `HOSTILE`."""


def system(name: str, *documents: Document, metrics: Any = None) -> System:
    counts = count(documents, create_all(metrics))
    counts.sources = ["gold.jsonl"]
    return System(name, counts, documents)


def without_predictions(other: System) -> System:
    """A system that predicts nothing in another one's documents."""
    documents = [Document(d.gold, [], d.text, tokens=d.tokens, id=d.id) for d in other.documents]
    for document, same in zip(documents, other.documents):
        document.annex = same.annex
    counts = count(documents, other.counts.metrics)
    counts.sources = other.counts.sources
    return System("predicts nothing", counts, documents)


GOLDS: Any = ([(0, 3, "PER"), (7, 13, "LOC")], [(0, 5, "LOC"), (10, 14, "PER")], [], [(0, 2, "PER"), (5, 9, "ORG")])
TEXTS = ("Ada in London.", "Paris met Rosa", "nothing here", "😀 is Acme 😀 Ada")
FIRST: Any = ([(0, 3, "PER"), (7, 10, "LOC")], [(0, 5, "ORG")], [(0, 7, "PER")], [(5, 9, "ORG")])
SECOND: Any = ([(0, 3, "PER"), (7, 13, "LOC")], [(0, 5, "ORG"), (9, 14, "LOC")], [], [(0, 2, "ORG")])


def small(preds: Any = FIRST, name: str = "first") -> System:
    return system(name, *(Document(g, p, t, id=f"d{k}") for k, (g, p, t) in enumerate(zip(GOLDS, preds, TEXTS))))


def unpacked(text: str) -> Any:
    """The data of a page, as its scripts read them."""
    return json.loads(zlib.decompress(b64decode(text)))


class Parsed(HTMLParser):
    """The elements of a page with their attributes, and all text of it that is no script or style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.words: list[str] = []
        self.rows: list[list[str]] = []
        self._inside: str | None = None
        self._cell = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in self.raw:
            self._inside = tag
            self.raw[tag].append("")
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self._cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = None
        elif tag in ("td", "th"):
            self._cell = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.raw[self._inside][-1] += data
            return
        self.words.append(data)
        if self._cell:
            self.rows[-1][-1] += data

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def row(self, *beginning: str) -> list[str]:
        """The first row of a table that begins with these cells."""
        rows = ([" ".join(cell.split()) for cell in row] for row in self.rows)
        return next(row for row in rows if row[: len(beginning)] == [*beginning])

    @property
    def data(self) -> dict[str, Any]:
        return unpacked(self.raw["script"][0])


def decoded(data: dict[str, Any], system: int, metric: str) -> list[tuple[str, str, str]]:
    """Verdict, gold label and predicted label ("" for none) of all verdicts in the page's data."""
    (place,) = (k for k, found in enumerate(data["metrics"]) if found["name"] == metric)
    names, settled = data["metrics"][place]["verdicts"], data["metrics"][place]["settled"]
    found = []
    for document in data["documents"]:
        gold, (pred, own, *judged) = document[2], document[3 + system]
        triples = [(settled[own[k]], *own[k + 1 : k + 3]) for k in range(0, len(own), 3)] if settled else []
        triples += [tuple(judged[place][k : k + 3]) for k in range(0, len(judged[place]), 3)]
        for verdict, g, p in triples:
            labels = (flat[3 * k + 2] if k >= 0 else None for flat, k in ((gold, g), (pred, p)))
            found.append((names[verdict], *("" if label is None else data["labels"][label] for label in labels)))
    return found
