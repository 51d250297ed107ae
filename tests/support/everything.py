"""A small corpus with two of everything, unlike each other, for the golden files of `printed.py`.

Sentences about people, places and firms, from news and mails of two years; two systems with errors of their own, a few
training runs of each, three annotators, and the answers of two language models.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from commands import write

Span = dict[str, Any]
Row = dict[str, Any]

NAMES = {
    "PER": ("Ada Lovelace", "Bob", "Mira Okafor", "Dr. Eve Chen", "Zoë"),
    "LOC": ("Rome", "New York", "Łódź", "the Bay of Biscay"),
    "ORG": ("Acme", "Norlund Shipping", "Bank of Rome"),
}
SENTENCES = (
    "PER met PER in LOC .",
    "ORG opened an office in LOC .",
    "PER left ORG , and PER stayed .",
    "Nobody said anything .",
    "In LOC , PER of ORG slept .",
    "LOC is far from LOC .",
    "PER wrote to ORG and ORG .",
)


def sentence(pattern: str, rng: Random) -> tuple[str, list[tuple[int, int, str]]]:
    """A sentence with names in place of its labels, and the first and last word of each name."""
    words: list[str] = []
    found = []
    for part in pattern.split():
        name = rng.choice(NAMES[part]).split() if part in NAMES else [part]
        if part in NAMES:
            found.append((len(words), len(words) + len(name), part))
        words += name
    return " ".join(words), found


def words_of(text: str) -> list[tuple[int, int]]:
    places, start = [], 0
    for word in text.split():
        start = text.index(word, start)
        places.append((start, start + len(word)))
        start += len(word)
    return places


def corpus(number: int = 24) -> list[Row]:
    """Gold annotation: every third document has two sentences, and every seventh no name."""
    rng, rows = Random(7), []
    for k in range(number):
        text, found = sentence(SENTENCES[k % len(SENTENCES)], rng)
        if k % 3 == 0:
            more, others = sentence(rng.choice(SENTENCES), rng)
            first = len(text.split())
            found += [(first + a, first + b, label) for a, b, label in others]
            text = f"{text} {more}"
        words = words_of(text)
        spans = [{"start": words[a][0], "end": words[b - 1][1], "label": label} for a, b, label in found]
        source = ("news", "mail", "news", "web")[k % 4]
        about = {"source": source, "year": 2019 + k % 3 // 2}
        tokens = [{"start": a, "end": b} for a, b in words]
        rows.append({"id": f"{source}-{k}", "text": text, "tokens": tokens, "spans": spans, "meta": about})
    return rows


def _shorten(row: Row, span: Span) -> Span:
    """The first word of a span alone: its right edge is wrong."""
    first = row["text"][span["start"] : span["end"]].split()[0]
    return span | {"end": span["start"] + len(first)}


def _begin_late(row: Row, span: Span) -> Span:
    """The last word of a span alone: its left edge is wrong."""
    last = row["text"][span["start"] : span["end"]].split()[-1]
    return span | {"start": span["end"] - len(last)}


def _lengthen(row: Row, span: Span) -> Span:
    """A span with the word after it, if there is one."""
    rest = row["text"][span["end"] :].split()
    return span | {"end": span["end"] + 1 + len(rest[0])} if rest else span


def _rename(row: Row, span: Span) -> Span:
    return span | {"label": {"ORG": "LOC", "LOC": "ORG", "PER": "ORG"}[span["label"]]}


def _keep(row: Row, span: Span) -> Span:
    return span


Change = Callable[[Row, Span], Span]
SYSTEMS: dict[str, tuple[tuple[Change | None, ...], tuple[int, ...], float]] = {
    "a": ((_keep, _shorten, _rename, None), (6, 2, 1, 2), 0.1),
    "b": ((_keep, _begin_late, _lengthen, _rename, None), (7, 1, 1, 1, 1), 0.4),
}
"""What a system makes of a gold span, how often, and how often it takes the first word of a text for a name."""


def predicted(rows: Sequence[Row], system: str, run: int = 0) -> list[Row]:
    """What a system predicts, always the same for its name and run; right predictions are the surer ones, mostly."""
    changes, weights, spurious = SYSTEMS[system]
    rng, found = Random(f"{system} {run}"), []
    for row in rows:
        spans: dict[tuple[int, int, str], float] = {}
        for span in row["spans"]:
            change = rng.choices(changes, weights)[0]
            if change:
                own = change(row, span)
                low = 0.45 if own == span else 0.2
                spans[own["start"], own["end"], own["label"]] = round(rng.uniform(low, low + 0.5), 2)
        first = row["text"].split()[0]
        if rng.random() < spurious and all(start >= len(first) for start, _, _ in spans):
            spans[0, len(first), "LOC" if system == "a" else "PER"] = round(rng.uniform(0.1, 0.7), 2)
        lines = [
            {"start": a, "end": b, "label": label, "score": score} for (a, b, label), score in sorted(spans.items())
        ]
        found.append({key: row[key] for key in ("id", "text", "tokens")} | {"spans": lines})
    return found


def _span(text: str, words: str, label: str, **more: Any) -> Span:
    """The first occurrence of some words; `...` in them is a gap."""
    parts, at, places = words.split(" ... "), 0, []
    for part in parts:
        at = text.index(part, at)
        places.append([at, at + len(part)])
    pieces = {"pieces": places} if len(places) > 1 else {}
    return {"start": places[0][0], "end": places[-1][1], "label": label, **pieces, **more}


HARD: list[tuple[str, list[Any], list[Any], list[Any]]] = [
    (
        "left and right knee pain , no fever",
        [("left ... knee pain", "FINDING", False), ("right knee pain", "FINDING", False), ("fever", "FINDING", True)],
        [("left", "FINDING", False), ("right knee pain", "FINDING", False), ("fever", "FINDING", False)],
        [("left ... knee pain", "FINDING", False), ("right knee", "FINDING", False), ("no fever", "FINDING", True)],
    ),
    (
        "Bank of Rome pays aspirin",
        [("Bank of Rome", "ORG", False), ("Rome", "LOC", False), ("aspirin", "DRUG", False)],
        [("Bank of Rome", "ORG", False), ("aspirin", "DRUG", True)],
        [("Bank of", "ORG", False), ("of Rome", "LOC", False), ("aspirin", "ORG", False)],
    ),
    (
        "denies pain in arms or legs",
        [("pain in arms", "FINDING", True), ("pain ... legs", "FINDING", True), ("arms", "SITE", False)],
        [("pain in arms", "FINDING", True), ("arms or legs", "SITE", False)],
        [("pain", "FINDING", True), ("arms", "SITE", True), ("legs", "SITE", False)],
    ),
    ("nothing at all", [], [("nothing", "FINDING", True)], []),
    (
        "ibuprofen in Rome",
        [("ibuprofen", "DRUG", False), ("Rome", "LOC", False)],
        [("ibuprofen in", "DRUG", False), ("Rome", "LOC", False)],
        [("ibuprofen", "DRUG", False)],
    ),
]
"""Texts with nested, crossing and discontinuous spans, each negated or not; then what two systems find."""

LINKS = {"Bank of Rome": "Q1", "Rome": "Q2", "aspirin": "Q3", "ibuprofen": "Q4"}


def hard(side: int) -> list[Row]:
    """The texts of `HARD` with gold annotation (0) or what a system predicts (1, 2)."""
    rows: list[Row] = []
    for k, (text, *sides) in enumerate(HARD):
        spans = []
        for n, (words, label, negated) in enumerate(sides[side]):
            about = {"negated": negated} | ({"kb_id": LINKS[words]} if words in LINKS and side < 2 else {})
            spans.append(_span(text, words, label, attributes=about) | ({"score": 0.9 - 0.1 * n} if side else {}))
        rows.append({"id": f"h{k}", "text": text, "spans": spans})
    if not side:  # another value of the same attribute
        rows[1]["spans"].append(rows[1]["spans"][2] | {"attributes": {"negated": False, "kb_id": "Q5"}})
    return rows


def annotated(rows: Sequence[Row], name: str) -> list[Row]:
    """What an annotator says of the first documents: ann and ben lack none, cleo the last two."""
    rng, found = Random(name), []
    for row in rows[: 10 if name == "cleo" else 12]:
        kept = [span for span in row["spans"] if rng.random() < 0.85]
        changed = [rng.choice((_keep, _keep, _keep, _shorten, _rename))(row, span) for span in kept]
        found.append({"id": row["id"], "text": row["text"], "spans": changed if name != "ann" else kept})
    return found


MENTIONS = ([["Ada Lovelace", "PER"], ["rome", "LOC"], ["Paris", "LOC"]], [["Acme", "ORG"], ["Acme", "ORG"]])


def answers(rows: Sequence[Row]) -> list[Row]:
    """Answers of a language model, some of which cannot be read."""
    forms = (
        lambda pairs: json.dumps([{"name": name, "type": label} for name, label in pairs]),
        lambda pairs: f"Sure!\n```json\n{json.dumps([list(pair) for pair in pairs])}\n```",
        lambda pairs: "I am sorry, I cannot help with that.",
        lambda pairs: str({label: [name] for name, label in pairs}),
    )
    found = []
    for k, row in enumerate(rows[:8]):
        pairs = [(row["text"][span["start"] : span["end"]], span["label"]) for span in row["spans"]]
        found.append({"id": row["id"], "answer": forms[k % 4](pairs + [("Paris", "LOC")] * (k == 1))})
    return found


def listed(rows: Sequence[Row]) -> list[Row]:
    """Lists of mentions of another model: in lower case every second one, one that is not there, one empty."""
    found = []
    for k, row in enumerate(rows[:8]):
        names = [(row["text"][span["start"] : span["end"]], span["label"]) for span in row["spans"]]
        names = [(name.lower() if k % 2 else name, label) for name, label in names]
        names += [("Atlantis", "LOC"), ("", "PER")][: k % 3]
        found.append({"id": row["id"], "text": row["text"], "mentions": names})
    return found


POLICY = """[gate]
too_few = "warn"

[gate.rules]

[gate.rules.overall]
score = "strict_f"
at_least = 40

[gate.rules.better]
score = "fair_f"
better_by_at_least = 30

[gate.rules.people]
score = "strict_r"
label = "PER"
at_least = 60
undecided = "warn"

[gate.rules.not_worse]
score = "strict_f"
worse_by_at_most = 5
required = false

[gate.rules.rate]
rate_between = [0.8, 1.2]

[gate.rules.mail]
score = "strict_f"
by = "meta.source"
bucket = "mail"
at_least = 20
"""


LEADERBOARD = "data set,gold,system,predictions\n" + "".join(
    f"{part},{part}-gold.jsonl,{system},{part}-{file}.jsonl\n"
    for part in ("first", "last")
    for system, file in (("old", "a"), ("new", "b"), ("odd", "a" if part == "first" else "gold"))
)


TAGS = """Rome\tB-LOC\tB-LOC
is\tO\tI-PER
far\tO\tO

Bob\tB-PER\tB-PER
Chen\tI-PER\tI-LOC
slept\tO\tO
"""
"""Words with gold and predicted tags, two of which do not follow IOB2."""

ODD: list[Row] = [
    {"content": "Bob 😀 Rome", "marks": [{"from": 0, "to": 3, "kind": "PER"}, {"from": 7, "to": 11, "kind": "LOC"}]},
    {"content": "Acme", "marks": [{"from": 0, "to": 4, "kind": "ORG"}]},
]
"""Other names of keys, and offsets in UTF-16."""


def odd_files(gold: Sequence[Row], pred: Sequence[Row]) -> dict[str, list[Row]]:
    """Files in which something looks wrong: labels, edges and ends of spans, repeated spans, rejected lines."""

    def changed(change: Callable[[Row, Span], Iterable[Span]]) -> list[Row]:
        return [row | {"spans": [new for span in row["spans"] for new in change(row, span)]} for row in pred]

    renamed = {"PER": "PERSON", "LOC": "loc", "ORG": "ORG"}
    other = {"PER": "P", "LOC": "L", "ORG": "O"}
    return {
        "renamed": changed(lambda row, span: [span | {"label": renamed[span["label"]]}]),
        "foreign": changed(lambda row, span: [span | {"label": other[span["label"]]}]),
        "edges": changed(lambda row, span: [span | {"end": min(span["end"] + 1, len(row["text"]))}]),
        "inclusive": changed(lambda row, span: [span | {"end": span["end"] - 1}]),
        "repeated": changed(lambda row, span: [span, span | {"score": 0.1}]),
        "rejected": [row | {"answer": ("accept", "reject", "ignore")[k % 3]} for k, row in enumerate(gold)],
        "texts": [row | {"text": row["text"].replace("Rome", "Roma")} for row in pred],
        "quoted": [row | {"spans": [span | {"text": "Rome"} for span in row["spans"]]} for row in pred],
        "odd-gold": [
            {
                "text": row["content"],
                "spans": [
                    {"start": a - (a > 4), "end": b - (b > 4), "label": label}
                    for a, b, label in ((span["from"], span["to"], span["kind"]) for span in row["marks"])
                ],
            }
            for row in ODD
        ],
        "odd": [{**row} for row in ODD],
    }


def label_studio(rows: Sequence[Row], people: dict[str, list[Row]]) -> list[dict[str, Any]]:
    """The tasks of Label Studio with the annotation of several people; with a relation, which is skipped."""
    spans = {name: {row["id"]: row["spans"] for row in own} for name, own in people.items()}
    return [
        {
            "id": k,
            "data": {"text": row["text"]},
            "annotations": [
                {
                    "completed_by": name,
                    "result": [
                        {
                            "type": "labels",
                            "from_name": "label",
                            "to_name": "text",
                            "value": {"start": span["start"], "end": span["end"], "labels": [span["label"]]},
                        }
                        for span in own[row["id"]]
                    ]
                    + [{"type": "relation", "from_id": "a", "to_id": "b"}] * (k == 0),
                }
                for name, own in spans.items()
                if row["id"] in own
            ],
        }
        for k, row in enumerate(rows[:12])
    ]


CONFIG = """# A config to train with.
[nlp]
lang = "en"
pipeline = ["ner"]

[components]

[components.ner]
factory = "ner"

[training]
max_steps = 10

[training.logger]
@loggers = "spacy.ConsoleLogger.v1"

[training.score_weights]
ents_f = 1.0
"""


def write_everything(folder: Path) -> None:
    """Write the corpus in a folder."""
    gold = corpus()
    files: dict[str, list[Row]] = {"gold": gold}
    for system, runs in (("a", 2), ("b", 3)):
        files[system] = predicted(gold, system)
        files |= {f"{system}{run}": predicted(gold, system, run) for run in range(1, runs + 1)}
    files |= {f"bare-{name}": [_only(row, "text", "spans") for row in files[name]] for name in ("gold", "a", "b")}
    files |= {f"hard-{name}": hard(side) for side, name in enumerate(("gold", "a", "b"))}
    files |= {f"first-{name}": files[name][:14] for name in ("gold", "a", "b")}
    files |= {f"last-{name}": files[name][14:] for name in ("gold", "a", "b")}
    files |= {"fewer": files["b"][:-1], "short": gold[:8], "answers": answers(gold), "mentions": listed(gold)}
    people = {name: annotated(gold, name) for name in ("ann", "ben", "cleo")}
    files |= people
    files["prodigy"] = [row | {"_annotator_id": name} for name, rows in people.items() for row in rows]
    files |= odd_files(gold, files["b"])
    for name in ("gold", "a", "b"):  # two documents each have one id, as sentences of one text
        files[f"shared-{name}"] = [row | {"id": f"text {k // 2}"} for k, row in enumerate([*files[name]][:12])]
    for name, rows in files.items():
        write(folder / f"{name}.jsonl", *rows)
    (folder / "policy.cfg").write_text(POLICY, encoding="utf8")
    (folder / "config.cfg").write_text(CONFIG, encoding="utf8")
    (folder / "both.conll").write_text(TAGS, encoding="utf8")
    (folder / "io.conll").write_text("Rome\tLOC\nis\tO\n\nBob\tPER\nChen\tPER\n", encoding="utf8")
    (folder / "tasks.json").write_text(json.dumps(label_studio(gold, people)), encoding="utf8")
    (folder / "bare.cfg").write_text(POLICY.replace("[gate.rules]\n", ""), encoding="utf8")
    (folder / "list.txt").write_text(
        "first-gold.jsonl\tfirst-b.jsonl\nlast-gold.jsonl\tlast-b.jsonl\n", encoding="utf8"
    )
    (folder / "systems.csv").write_text(LEADERBOARD, encoding="utf8")


def _only(row: Row, *keys: str) -> Row:
    return {key: row[key] for key in keys}
