"""Write assets/agreement: one annotation of 60 warranty texts per annotator, made from the gold annotation.

    python scripts/annotators.py

No person annotated anything. Annotator `ann` is the gold annotation of the corpus with a few
slips. `ben` follows another rule on words of place, and makes slips of his own. `cleo`
follows the rule of `ann`, and has only the last 40 texts. assets/agreement/README.md has the
rules and the rates of the slips.
"""

import json
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from wasabi import msg

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "assets" / "warranty"
SEED = 7
WITH_PLACE, WITHOUT_PLACE = 30, 30  # texts in which some span begins with a word of place, and others
LATE = 20  # texts that the last annotator does not have
NAMES = ("ann", "ben", "cleo")
SLIPS = {"missed": 0.03, "longer": 0.02, "shorter": 0.02, "label": 0.015, "extra": 0.15}
"""The probability of each slip: of a span, or, for `extra`, of a part that is named but not annotated."""

SIDE = r"(?:left|right|front|rear|[lr][fhrt]|[lr]/side|[on]/s(?:/[fr])?|driver'?s?(?! assist)|passenger'?s?|pass|psgr)"
PLACE = re.compile(rf"(?:(?:both )?{SIDE}(?: side| hand)? )+(?!side$)", flags=re.I)
"""The words at the beginning of a span that say where on the vehicle the part is."""

Span = tuple[int, int, str]
Entry = dict[str, Any]


def main(
    output: Annotated[Path, typer.Argument(file_okay=False, help="Folder to write to")] = ROOT / "assets" / "agreement",
) -> None:
    """Write a file per annotator."""
    texts = chosen(entries("test"))
    parts = {surface(entry, span).lower() for entry in entries("train") for span in entry["spans"] if is_part(span)}
    output.mkdir(parents=True, exist_ok=True)
    for k, name in enumerate(NAMES):
        own = texts[LATE:] if name == "cleo" else texts
        chance = random.Random(SEED + k)
        rows = (annotated(entry, parts, chance, without_place=name == "ben") for entry in own)
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (output / f"{name}.jsonl").write_text(lines, encoding="utf8")
        msg.good(f"{name}: {len(own)} texts")


def entries(split: str) -> list[Entry]:
    """Return the lines of a part of the corpus."""
    with (CORPUS / f"{split}.jsonl").open(encoding="utf8") as file:
        return [json.loads(line) for line in file]


def chosen(texts: Iterable[Entry]) -> list[Entry]:
    """Return the first texts that have a span with a word of place and the first that have none, in their order."""
    wanted = {True: WITH_PLACE, False: WITHOUT_PLACE}
    found = []
    for entry in texts:
        has_place = any(is_part(span) and PLACE.match(surface(entry, span)) for span in entry["spans"])
        if wanted[has_place]:
            wanted[has_place] -= 1
            found.append(entry)
    return found


def annotated(entry: Entry, parts: set[str], chance: random.Random, *, without_place: bool) -> Entry:
    """Return a text as one annotator annotates it."""
    text, found = entry["text"], []
    starts = {span["start"] for span in entry["spans"]}
    for span in entry["spans"]:
        start, end, label = span["start"], span["end"], span["label"]
        if without_place and is_part(span) and (place := PLACE.match(text, start, end)):
            start = place.end()
        found += slipped(text, (start, end, label), starts, chance)
    found += [span for span in unmarked(entry, parts) if chance.random() < SLIPS["extra"]]
    spans = [{"start": start, "end": end, "label": label} for start, end, label in sorted(set(found))]
    return {"id": entry["id"], "text": text, "spans": spans}


def slipped(text: str, span: Span, starts: set[int], chance: random.Random) -> Iterator[Span]:
    """Yield a span, as it is or with a slip; nothing if it is missed. `starts`: where spans of the text begin."""
    start, end, label = span
    slip = chance.random()
    for kind in ("missed", "longer", "shorter", "label"):
        if slip < SLIPS[kind]:
            break
        slip -= SLIPS[kind]
    else:
        kind = ""
    if kind == "longer" and end + 1 not in starts and (more := re.compile(r" \w+").match(text, end)):
        end = more.end()
    elif kind == "shorter" and (last := re.search(r"\s\w+$", text[start:end])):
        end = start + last.start()
    elif kind == "label":
        label = "FAILURE_TYPE" if label == "FAILURE_LOC" else "FAILURE_LOC"
    if kind != "missed":
        yield start, end, label


def unmarked(entry: Entry, parts: Iterable[str]) -> Iterator[Span]:
    """Yield the longest names of parts from the training texts that gold leaves unmarked in a text."""
    text = entry["text"].lower()
    if len(text) != len(entry["text"]):  # offsets in one are not those in the other
        return
    taken = [(span["start"], span["end"]) for span in entry["spans"]]
    for part in sorted((part for part in parts if part in text), key=lambda part: (-len(part), part)):
        for match in re.finditer(rf"(?<!\w){re.escape(part)}(?!\w)", text):
            if all(match.end() <= start or end <= match.start() for start, end in taken):
                taken.append(match.span())
                yield match.start(), match.end(), "FAILURE_LOC"


def surface(entry: Entry, span: dict[str, Any]) -> str:
    """Return the words of a span."""
    return entry["text"][span["start"] : span["end"]]


def is_part(span: dict[str, Any]) -> bool:
    """Return whether a span says where it failed."""
    return span["label"] == "FAILURE_LOC"


if __name__ == "__main__":
    typer.run(main)
