"""Rescore what teams submitted to shared tasks, and write docs/explanation/leaderboards.md from the numbers.

    python scripts/leaderboards.py
    python scripts/leaderboards.py --wnut17 emerging_entities_17 --hipe-data HIPE-2022-data --hipe-eval HIPE-2022-eval

The first line writes the page and its pictures from `assets/leaderboards/numbers.json`. The second one computes
these numbers anew, from clones of the repositories that the page names. No text and no output of a team is kept.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations, groupby
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from failing import fail
from leaderboard_page import NUMBERS, ROOT, pages
from wasabi import msg

from spacy_nereval import Document, compare, score
from spacy_nereval.core.about import __version__
from spacy_nereval.features.report.gold_suspects import gold_suspects
from spacy_nereval.io.formats.tags import chunks
from spacy_nereval.io.writing import atomic_file

METRICS = ("strict", "semeval", "slot_error", "loio", "fair", "wrf", "char", "token")
"""The metrics whose differences are tested."""

OTHERS: dict[str, dict[str, str]] = {
    "relaxed": {},
    "overlap": {},
    "plagdet": {},
    "ace": {},
    "mentions": {"scope": "hits", "normalise": "exact"},
}
"""The other metrics that need neither training data nor labels with levels; `mentions` as WNUT 2017 counts surface
forms."""

HIPE = ("hipe2020-de", "hipe2020-en", "hipe2020-fr", "letemps-fr")
GOLD_OF_HIPE = "data/v2.1/{set}/{language}/HIPE-2022-v2.1-{set}-test-{language}.tsv"
RUNS_OF_HIPE = "evaluation/system-responses/submitted"
RESULTS_OF_HIPE = "evaluation/system-evaluations"
STRICT_OF_HIPE = "NE-COARSE-LIT-micro-strict-TIME-ALL-LED-ALL"
PUBLISHED = {
    "arcada": (39.98, 37.77),
    "drexel_cci": (26.30, 25.26),
    "flytxt": (38.35, 36.31),
    "mic-cis": (37.06, 34.25),
    "sjtu_adapt": (40.42, 37.62),
    "spinningbytes": (40.78, 39.33),
    "uh_ritual": (41.86, 40.24),
}
"""F on entities and on surface forms of the teams of WNUT 2017: Derczynski et al. (2017), table 2."""


class Board(NamedTuple):
    """What was submitted to one data set of a shared task.

    Attributes:
        name: The name of the data set.
        words: The words of each document.
        gold: The tags of each document.
        runs: For each system, the tags of each document.
        published: For each system, strict F as the organisers published it.
        left_out: The systems whose output equals that of another one, by its name.
        respelt: For each system, how many hits its file writes in other words than gold.
        surface: For each system, published F on surface forms, if there is one.
    """

    name: str
    words: list[list[str]]
    gold: list[list[str]]
    runs: dict[str, list[list[str]]]
    published: dict[str, float]
    left_out: dict[str, str]
    respelt: dict[str, int]
    surface: dict[str, float]

    def documents(self, system: str) -> list[Document]:
        """Return the documents with the predictions of a system. Labels that gold lacks are left out, as the
        official scorers do."""
        labels = {chunk.label for tags in self.gold for chunk in chunks(tags)}
        found = []
        for words, gold, pred in zip(self.words, self.gold, self.runs[system]):
            ends = [*accumulate(len(word) + 1 for word in words)]
            tokens = [(end - len(word) - 1, end - 1) for word, end in zip(words, ends)]
            sides = [
                [(tokens[c.start][0], tokens[c.end - 1][1], c.label) for c in chunks(tags) if c.label in labels]
                for tags in (gold, pred)
            ]
            found.append(Document(sides[0], sides[1], text=" ".join(words), tokens=tokens))
        return found


# Reading


def wnut17(folder: Path) -> Board:
    """Read the test data and the submissions of WNUT 2017 from a clone of its repository.

    The submissions do not keep all sentences apart, so their tags are divided as those of gold.
    """
    lines = (folder / "emerging.test.annotated").read_text(encoding="utf8").split("\n")
    sentences = [
        [line.split("\t") for line in group] for some, group in groupby(lines, key=lambda x: bool(x.strip())) if some
    ]
    ends = [*accumulate(map(len, sentences))]
    runs = {}
    for path in sorted((folder / "submissions").iterdir()):
        tags = [line.split()[-1] for line in path.read_text("utf8", errors="replace").split("\n") if line.strip()]
        if len(tags) != ends[-1]:
            fail(f"{path} has {len(tags)} tags for {ends[-1]} tokens")
        runs[path.stem] = [tags[end - len(sentence) : end] for sentence, end in zip(sentences, ends)]
    words, gold = ([[row[column].strip() for row in s] for s in sentences] for column in (0, 1))
    kept, copies = without_copies(runs)
    entities, surface = ({name: PUBLISHED[name][k] / 100 for name in kept} for k in range(2))
    return Board("wnut17", words, gold, kept, entities, copies, {}, surface)


def hipe(data: Path, submitted: Path, name: str) -> Board:
    """Read the test data and the submissions of a data set of HIPE 2022 from clones of its two repositories."""
    of_set, language = name.split("-")
    gold = [*hipe_documents(data / GOLD_OF_HIPE.format(set=of_set, language=language))]
    runs, respelt = {}, {}
    for path in sorted((submitted / RUNS_OF_HIPE).glob(f"*_{of_set}_{language}_*.tsv")):
        found = [*hipe_documents(path)]
        if [len(rows) for rows in found] != [len(rows) for rows in gold]:
            fail(f"{path} has other documents or tokens than the gold annotation")
        tags = [[tag for _, tag in rows] for rows in found]
        if any(tag != "O" for row in tags for tag in row):  # runs that only link entities have none
            runs[path.stem] = tags
            respelt[path.stem] = sum(map(respelt_hits, gold, found))
    words, tags = ([[row[column] for row in rows] for rows in gold] for column in (0, 1))
    kept, copies = without_copies(runs)
    folder = submitted / RESULTS_OF_HIPE
    published = {run: strict_f(folder / f"{run}_nerc_coarse.tsv") for run in kept}
    return Board(name, words, tags, kept, published, copies, {run: respelt[run] for run in kept}, {})


def respelt_hits(gold: list[tuple[str, str]], pred: list[tuple[str, str]]) -> int:
    """Return how many hits of a document have other words in the file of the system. The official scorer compares
    words, too, so they are none for it."""
    hits = {*chunks([tag for _, tag in gold])} & {*chunks([tag for _, tag in pred])}
    return sum(any(gold[k][0] != pred[k][0] for k in range(hit.start, hit.end)) for hit in hits)


def strict_f(path: Path) -> float:
    """Return strict F from the counts that the official scorer wrote."""
    with path.open(encoding="utf8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        row = next(row for row in rows if (row["Evaluation"], row["Label"]) == (STRICT_OF_HIPE, "ALL"))
    tp, fp, fn = (int(row[name]) for name in ("TP", "FP", "FN"))
    return 2 * tp / (2 * tp + fp + fn)


def hipe_documents(path: Path) -> Iterator[list[tuple[str, str]]]:
    """Yield the words of each document with their coarse literal tags, as IOB, labels in lower case."""
    rows: list[tuple[str, str]] = []
    for line in path.read_text(encoding="utf8").split("\n"):
        word, tab, rest = line.partition("\t")
        if word.startswith("# hipe2022:document_id") and rows:
            yield rows
            rows = []
        elif tab and word != "TOKEN":
            prefix, _, label = rest.split("\t")[0].partition("-")
            rows.append((word, f"{ {'S': 'B', 'E': 'I'}.get(prefix, prefix) }-{label.lower()}" if label else "O"))
    if rows:
        yield rows


def without_copies(runs: dict[str, list[list[str]]]) -> tuple[dict[str, list[list[str]]], dict[str, str]]:
    """Return the runs without those that equal an earlier one, and these with the name of the earlier one."""
    kept: dict[str, list[list[str]]] = {}
    copies = {}
    for name, tags in runs.items():
        same = next((other for other, theirs in kept.items() if theirs == tags), None)
        if same is None:
            kept[name] = tags
        else:
            copies[name] = same
    return kept, copies


# The numbers


def numbers(board: Board) -> dict[str, Any]:
    """Return all numbers of a board: scores with intervals, differences of all pairs, and what the errors share."""
    documents = {name: board.documents(name) for name in board.runs}
    results = {name: score(found, METRICS, confidence=True) for name, found in documents.items()}
    pairs = {pair: compare({name: results[name] for name in pair}) for pair in combinations(results, 2)}
    others = {name: score(found, OTHERS, confidence=True) for name, found in documents.items()}
    first = next(iter(results.values()))
    return {
        "name": board.name,
        "documents": first["documents"],
        "spans": first["gold"],
        "left_out": board.left_out,
        "systems": {
            name: {
                "published": board.published[name],
                **({"surface": board.surface[name]} if board.surface else {"respelt": board.respelt[name]}),
                "spans": result["pred"],
                "scores": {
                    each.name: [each.value, *each.interval()[:2]]
                    for each in (*(result[metric] for metric in METRICS), *(others[name][metric] for metric in OTHERS))
                },
                "verdicts": result["fair"].counts,
            }
            for name, result in results.items()
        },
        "pairs": [
            {
                "systems": [*pair],
                "tests": {
                    row["metric"]: [row["difference"], *row["interval"], row["p"]]
                    for row in found["comparisons"]
                    if row["p"] is not None
                },
            }
            for pair, found in pairs.items()
        ],
        **shared_errors([*documents.values()]),
        "unfound": unfound([*documents.values()]),
        "doubts": doubts([*documents.values()]),
    }


def shared_errors(systems: Sequence[Sequence[Document]]) -> dict[str, list[int]]:
    """Return how many gold spans are found by 0, 1, 2 ... systems, and how many spurious spans 1, 2 ... predict."""
    found = Counter({(k, *span): 0 for k, document in enumerate(systems[0]) for span in document.gold})
    spurious: Counter[tuple[Any, ...]] = Counter()
    for documents in systems:
        for k, document in enumerate(documents):
            for span in {*document.pred}:
                (found if (k, *span) in found else spurious)[(k, *span)] += 1
    by = Counter(found.values()), Counter(spurious.values())
    return {
        "found_by": [by[0][k] for k in range(len(systems) + 1)],
        "spurious_by": [by[1][k] for k in range(1, len(systems) + 1)],
    }


def unfound(systems: Sequence[Sequence[Document]]) -> dict[str, Any]:
    """Return by label and by number of words how many gold spans there are, and how many no system finds; and how many
    of these some system predicts at least in part."""
    labels: dict[str, list[int]] = {}
    words: dict[str, list[int]] = {}
    touched = 0
    for documents in zip(*systems, strict=True):
        found = {span for document in documents for span in document.pred}
        for span in documents[0].gold:
            number = len(documents[0].text[span.start : span.end].split())
            for counts in (
                labels.setdefault(span.label, [0, 0]),
                words.setdefault(str(number) if number < 3 else "3 or more", [0, 0]),
            ):
                counts[0] += 1
                counts[1] += span not in found
            touched += span not in found and any(p.start < span.end and span.start < p.end for p in found)
    return {"labels": dict(sorted(labels.items())), "words": dict(sorted(words.items())), "touched": touched}


def doubts(systems: Sequence[Sequence[Document]]) -> dict[str, dict[str, int]]:
    """Return for each label how many gold spans there are, and at how many there is a reason to doubt gold.

    Reasons are those of the report; "" has the places where gold has no span.
    """
    found: dict[str, Counter[str]] = {
        label: Counter({"spans": number})
        for label, number in sorted(Counter(span.label for d in systems[0] for span in d.gold).items())
    } | {"": Counter()}
    for suspect in gold_suspects(systems):
        found[suspect.gold]["doubted"] += 1
        found[suspect.gold].update({evidence.reason for evidence in suspect.evidence})
    return {label: dict(numbers) for label, numbers in found.items()}


def main(
    wnut: Annotated[Path | None, typer.Option("--wnut17", help="Clone of emerging_entities_17")] = None,
    hipe_data: Annotated[Path | None, typer.Option(help="Clone of HIPE-2022-data")] = None,
    hipe_eval: Annotated[Path | None, typer.Option(help="Clone of HIPE-2022-eval")] = None,
) -> None:
    """Write the page; compute its numbers anew if the clones are given."""
    if wnut and hipe_data and hipe_eval:
        boards = [wnut17(wnut), *(hipe(hipe_data, hipe_eval, name) for name in HIPE)]
        found = {"version": __version__, "boards": [numbers(board) for board in boards]}
        with atomic_file(NUMBERS) as file:
            file.write(compact(json.dumps(rounded(found), indent=1)).encode())
    elif wnut or hipe_data or hipe_eval:
        fail("Numbers are computed for all boards at once: give --wnut17, --hipe-data and --hipe-eval")
    for path, text in pages(json.loads(NUMBERS.read_text(encoding="utf8"))).items():
        path.write_text(text, encoding="utf8")
        msg.good(f"{path.relative_to(ROOT)}")


def rounded(value: Any) -> Any:
    """Return numbers with seven decimals: more are no information, and differ between processors."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return round(value, 7) if isinstance(value, float) else value


def compact(text: str) -> str:
    """Return JSON with lists of numbers in one line."""
    return (
        re.sub(
            r"\[[^\[\]{}\"]*\]", lambda found: " ".join(found[0].split()).replace("[ ", "[").replace(" ]", "]"), text
        )
        + "\n"
    )


if __name__ == "__main__":
    typer.run(main)
