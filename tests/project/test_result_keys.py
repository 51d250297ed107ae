"""The page of JSON results names every key that a command writes, and no other.

Every command runs on the shipped examples, with the options that add keys. Names that depend on the data or on the
metrics, such as labels and scores, are no keys of a table.
"""

import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from commands import printed, run, write
from products import NIGHT

from spacy_nereval import apply, create_all
from spacy_nereval.io.saved_results import result_kinds

pytestmark = [*NIGHT]  # most commands run, with all that adds keys

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
DEV = (ROOT / "assets" / "warranty" / "dev.jsonl", EXAMPLES / "spancat-dev.jsonl")
TEST = (ROOT / "assets" / "warranty" / "test.jsonl", EXAMPLES / "spancat-test.jsonl")
GOLD, BASELINE, IMPROVED = (EXAMPLES / f"{name}.jsonl" for name in ("gold", "baseline", "improved"))
TRIALS = [f"{name}={ROOT}/assets/trials/warranty/{name}-*.npz" for name in ("cpu", "paper")]
NAME = re.compile(r"`([a-z]\w*)`")
HEADINGS = (
    "",
    "a comparison",
    "a gate",
    "a plan",
    "annotators",
    "thresholds",
    "a leaderboard",
    "data sets",
    "corrections",
)

NAMED_BY_DATA = {"breakdowns", "buckets", "metrics", "per_type", "schemes", "left_out", "systems"}
"""Keys of tables that have names of metrics, labels, attributes and systems as keys."""

NUMBERS = {"scores", "counts", "settings", "intervals", "verdicts", "confusion", "words", "mentions", "averages"}
NUMBERS |= {"schemes", "combined", "boundaries", "marks"}
"""Keys of tables of numbers, which have such names as keys at all levels."""


def commands(room: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the commands that write the results of each section of the page, without `--output`."""
    spans = [{"start": 0, "end": 3, "label": label} for label in ("PER", "MAN")]
    both = write(room / "merged.jsonl", {"id": "a", "text": "Ada met Bob", "spans": spans})
    named = write(room / "named.jsonl", {"id": "a", "text": "Ada met Bob", "entities": [["Ada", "PER"]]})
    pair = (GOLD, BASELINE, IMPROVED)
    counts = [room / f"{path.stem}.npz" for path in pair[1:]]
    for system, path in zip(pair[1:], counts):
        printed("count", GOLD, system, "--collapse", "--replicates", "100", "-o", path)
    policy = write(room / "policy.cfg", "")
    policy.write_text(
        '[gate]\nleast_units = 6\n[gate.rules]\n[gate.rules.worse]\nscore = "strict_f"\nat_least = 90\n'
        '[gate.rules.close]\nscore = "strict_f"\nat_least = 55\n'
        '[gate.rules.kept]\nscore = "fair_f"\nworse_by_at_most = 0\n',
        encoding="utf8",
    )
    for name in ("maintie", "warranty"):
        systems = [f"--system={system}={ROOT}/assets/trials/{name}/{system}-*.npz" for system in ("cpu", "paper")]
        printed("compare", GOLD, *systems, "-m", "strict", "--short", "-o", room / f"{name}.json")
    sets = room / "sets"
    for name, lines in (("one", slice(0, 40)), ("two", slice(40, None))):
        (sets / name).mkdir(parents=True)
        for path in pair:
            some = path.read_text(encoding="utf8").splitlines(keepends=True)[lines]
            (sets / name / path.name).write_text("".join(some), encoding="utf8")
    return {
        "": [
            ("score", GOLD, IMPROVED, "--confidence", "--by", "eLen", "-m", "all"),
            ("score", both, both, "--labels", "MAN=PER"),
            ("score", both, both, "--label-from", "negated"),
            ("score", both, named),
        ],
        "a comparison": [
            ("compare", *pair, "--margin", "2", "--by", "eLen", "--per-label"),
            ("compare", GOLD, "--system", TRIALS[0], "--system", TRIALS[1]),
            ("compare", *counts),
        ],
        "a gate": [("gate", GOLD, BASELINE, "--baseline", IMPROVED, "--policy", policy)],
        "a plan": [("plan", *pair[:2], "--baseline", IMPROVED, "--policy", policy, "--half-width", "3")],
        "annotators": [
            ("agreement", *pair, "--confidence", "--half-width", "3"),
            ("agreement", both, named, "-m", "all", "--labels", "MAN=PER"),
        ],
        "thresholds": [
            ("thresholds", *DEV, "--apply", *TEST),
            ("thresholds", *DEV, "--per-label", "micro"),
        ],
        "a leaderboard": [("leaderboard", *pair, "-m", "strict,fair"), ("leaderboard", sets, "-m", "strict,fair")],
        "data sets": [("datasets", room / "maintie.json", room / "warranty.json")],
    }


def result_names(value: object, parent: str = "") -> Iterator[str]:
    """Yield the keys of a result at all levels, except for names of the data and of the metrics."""
    if isinstance(value, list):
        for item in value:
            yield from result_names(item, "" if parent in NUMBERS else parent)
    elif isinstance(value, dict) and parent not in NUMBERS:
        for key, item in value.items():
            if parent not in NAMED_BY_DATA and re.fullmatch(r"[a-z]\w*", key):
                yield key
            yield from result_names(item, "" if parent in NAMED_BY_DATA else key)


OF_METRICS = {name for metric in create_all("all") for name in (metric.name, *metric.score_by_name, *metric.columns)}
"""Names of metrics, scores and columns."""


def section(heading: str) -> str:
    page = (ROOT / "docs" / "reference" / "result.md").read_text(encoding="utf8")
    return page.split(f"## Result of {heading}\n")[1].split("\n## ")[0] if heading else page.split("\n## ")[0]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """The results of each section of the page."""
    room = tmp_path_factory.mktemp("results")
    found: dict[str, list[Any]] = {}
    for heading, written in commands(room).items():
        for number, command in enumerate(written):
            path = room / f"{number}.json"
            result = run(*command, "-o", path)
            assert result.exit_code in (0, 1), result.output  # 1: a gate that is not passed
            found.setdefault(heading, []).append(json.loads(path.read_text(encoding="utf8")))
    gold = [{"text": "Ada sleeps", "spans": [{"start": 0, "end": 3, "label": "LOC"}]}]
    marks = [
        {"digest": "e35c1749c675", "gold": gold[0]["spans"][0], "mark": "gold wrong", "decided": decided}
        for decided in ([], None, [{"start": 0, "end": 3, "label": "PER"}])
    ]
    corrected = [
        apply(GOLD, EXAMPLES / "marks.jsonl"),
        apply(gold, marks[1:2]),
        apply(gold, marks[::2], conflicts="keep"),
    ]
    return {**found, "corrections": [json.loads(each.to_json()) for each in corrected]}


def test_every_kind_of_result_has_a_section(results):
    assert len(results) == len(result_kinds())


@pytest.mark.parametrize("heading", HEADINGS)
def test_the_page_names_every_key_that_is_written(heading, results):
    keys = {*chain.from_iterable(map(result_names, results[heading]))}
    annotators = {name for result in results[heading] for name in result.get("annotators", ())}
    above = "".join(map(section, HEADINGS[: HEADINGS.index(heading) + 1]))
    assert keys - {*NAME.findall(above)} - OF_METRICS - annotators == set()


@pytest.mark.parametrize("heading", HEADINGS)
def test_every_key_in_a_table_is_written(heading, results):
    rows = re.findall(r"^\| ((?:… )?`[^|]*) \|", section(heading).split("\n| `kind`")[0], flags=re.M)
    keys = {*chain.from_iterable(map(result_names, results[heading]))}
    assert {*NAME.findall(" ".join(rows))} - keys == set()
