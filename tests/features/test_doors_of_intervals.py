"""Intervals that have a definition of their own are the same through every door: terminal, JSON, frames, Python, the
page, gates, plans, data sets and stored counts.

The expected numbers are worked examples, or those of the twins, which know nothing of the package's statistics.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from math import ceil, exp, hypot, log
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
from commands import accepted, flat, line, printed, run, write
from made_up import tallied
from pages import Parsed
from products import NIGHT, mostly_at_night
from scipy.stats import chi2
from twin_statistics import all_intervals, by_influence, kish, rare_interval, widened

from spacy_nereval import Confidence, Document, Result, compare, create, datasets, gate, load, plan, score
from spacy_nereval.io.count_files import load as load_counts

pytestmark = pytest.mark.costly

Bounds = tuple[float, float]
Rows = Sequence[tuple[int, int, int]]
TEXT = "x" * 1100


def documents_of(rows: Rows) -> list[Document]:
    return [tallied(*row, id=f"d{k}") for k, row in enumerate(rows)]


def store(name: str, documents: Sequence[Document]) -> None:
    """Write the gold spans and the predictions of documents."""
    for side, file in (("gold", f"gold-{name}.jsonl"), ("pred", f"{name}.jsonl")):
        write(Path(file), *(line(TEXT, *getattr(document, side), id=document.id) for document in documents))


def percent(value: float) -> str:
    return f"{100 * value:.2f}"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")
    return tmp_path


# Scores


class Scored(NamedTuple):
    """A score, the average that tables show, where a result has it, and its interval."""

    documents: list[Document]
    metric: str
    average: str
    path: tuple[str, ...]
    value: float
    bounds: Bounds | None
    flag: str | None = None


EMPTY = [(4, 0, 0), (1, 0, 1), (4, 0, 0), (0, 0, 2), (4, 0, 0), (3, 0, 1), *[(0, 0, 0)] * 4]
"""Recall 1, .5, 1, 0, 1 and .75, and four documents without spans; 20 gold spans."""

SIX = [(8, 2, 1), (5, 1, 3), (9, 1, 2), (4, 3, 2), (7, 0, 1), (6, 2, 2)]

TWO_LABELS = [
    Document(
        [(10 * k, 10 * k + 4, "A") for k in range(4)] + [(50, 54, "B")] * (n % 3 == 0),
        [(10 * k, 10 * k + 4, "A") for k in range(4 - n % 3)] + [(60, 64 + n, "B")] * (n % 2),
        id=f"d{n}",
    )
    for n in range(24)
]
"""Label B is rare, and predicted where it is not: its SER is above 1."""


@cache
def scored_as(name: str) -> Scored:
    """The score of this name, with the interval of the twin where none is given by hand: that takes a while."""
    case = SCORES[name]
    if case.bounds:
        return case
    row = all_intervals(case.documents, [create(case.metric)])[case.metric][case.path]
    assert row.bounds
    return case._replace(bounds=row.bounds, flag=row.flag)


SCORES = {
    "documents without spans": Scored(
        documents_of(EMPTY), "strict", "docs", ("averages", "docs", "r"), 4.25 / 6, (0.27391, 0.93989), None
    ),
    "SER": Scored(documents_of(SIX), "slot_error", "micro", ("scores", "ser"), 0.4, (0.20035, 0.79860), "few"),
    "SER of a perfect system": Scored(
        documents_of([(1, 0, 0)] * 10), "slot_error", "micro", ("scores", "ser"), 0, (0, 0.51174), None
    ),
    "macro SER": Scored(
        TWO_LABELS, "slot_error", "macro", ("averages", "macro", "ser"), (24 / 96 + 20 / 8) / 2, None
    ),
    "weighted accuracy": Scored(
        TWO_LABELS, "slot_error", "weighted", ("averages", "weighted", "ser_acc"), 0.75 * 96 / 104, None
    ),
    "accuracy of documents": Scored(
        documents_of(EMPTY), "slot_error", "docs", ("averages", "docs", "ser_acc"), 4.25 / 6, None
    ),
}  # fmt: skip

ScoreDoor = Callable[[Scored], tuple[float | None, float, float, str | None]]


def interval_at(case: Scored, result: Mapping[str, Any]) -> tuple[float | None, float, float, str | None]:
    value, row = (table for table in (result["metrics"][case.metric], result["metrics"][case.metric]["intervals"]))
    for key in case.path:
        value, row = value[key], row[key]
    return value, row["low"], row["high"], row["flag"]


def by_command(case: Scored, *sources: str) -> Any:
    printed("score", *sources, "-C", "-o", "out.json")
    return interval_at(case, json.loads(Path("out.json").read_text("utf8")))


def stored_counts(case: Scored, *, merged: bool = False) -> Any:
    parts = [case.documents[::2], case.documents[1::2]] if merged else [case.documents]
    names = []
    for number, part in enumerate(parts):
        store(f"{number}", part)
        names.append(f"{number}.npz")
        accepted("count", f"gold-{number}.jsonl", f"{number}.jsonl", "-m", case.metric, "-o", names[-1])
    if merged:
        accepted("merge", *names, "-o", "merged.npz")
    return by_command(case, "merged.npz" if merged else names[0])


def in_files(case: Scored) -> Any:
    store("a", case.documents)
    return by_command(case, "gold-a.jsonl", "a.jsonl", "-m", case.metric)


def in_python(case: Scored) -> Any:
    return interval_at(case, score(case.documents, [case.metric], Confidence()))


def in_saved_result(case: Scored) -> Any:
    score(case.documents, [case.metric], Confidence()).save("saved.json")
    return interval_at(case, Result.load("saved.json"))


def in_frame(case: Scored) -> Any:
    frame = score(case.documents, [case.metric], Confidence()).to_frame("all", average=case.average)
    (row,) = frame[(frame["label"] == "") & (frame["score"] == case.path[-1])].to_dict("records")
    return row["value"], row["value low"], row["value high"], case.flag  # a frame has no flags


SCORE_DOORS: dict[str, ScoreDoor] = {
    "Python": in_python,
    "saved result": in_saved_result,
    "frame": in_frame,
    "JSON of files": in_files,
    "stored counts": stored_counts,
    "merged counts": partial(stored_counts, merged=True),
}


@pytest.mark.parametrize("door", SCORE_DOORS)
@pytest.mark.parametrize("name", SCORES)
def test_an_interval_of_a_score_is_the_same_through_every_door(here: Path, name: str, door: str) -> None:
    case = scored_as(name)
    value, low, high, flag = SCORE_DOORS[door](case)
    assert (value, low, high) == pytest.approx((case.value, *case.bounds), abs=6e-6)
    assert flag == case.flag


@pytest.mark.parametrize("name", SCORES)
def test_an_interval_of_a_score_is_printed_and_shown_on_the_page(here: Path, name: str) -> None:
    case = scored_as(name)
    store("a", case.documents)
    given = ["gold-a.jsonl", "a.jsonl", "-m", case.metric, "-C"]
    text = f"{percent(case.value)} [{percent(case.bounds[0])}, {percent(case.bounds[1])}]"
    assert text in flat(printed("score", *given, "-a", case.average, "-t", "all"))
    printed("report", *given, "-o", "page.html")
    assert case.average != "micro" or text in " ".join(Parsed(Path("page.html").read_text("utf8")).text.split())


# Differences


class Compared(NamedTuple):
    """Two systems, their difference in recall, and what is said of it; bounds at 95 and at 90 per cent."""

    rows: tuple[Rows, Rows]
    difference: float
    differing: int
    p: float | None
    bounds: Bounds
    narrow: Bounds
    verdict: str
    margin: float
    gate: str
    unseen: bool
    reason: str | None


LOWER = "B scores lower than A on similar texts, by 12.00 points (1.99 to 26.99); for these trained models; "
FEW = "in this score the outputs differ in 2 documents: too few to test (between -11.42 and +7.12 points)"
K_FEW = kish([8 + 4 + pred for pred in (3, 0, *[4] * 48)])


def units_for_bound(added: Sequence[float], bound: float, k: float, units: int) -> int:
    """How many documents put the lower end above a bound, if no other document differs."""
    effective = next(number for number in range(1, 10_000) if rare_interval(added, number, 0.9)[0] >= -bound)
    return ceil(effective * units / k)


NEEDED = units_for_bound([-0.005, -0.02], 0.09, K_FEW, 50)

DIFFERENCES = {
    "too few to test": Compared(
        ([(4, 0, 0)] * 50, [(3, 0, 1), (0, 0, 4), *[(4, 0, 0)] * 48]),
        -0.025, 2, None, (-0.11422, 0.07121), (-0.09877, 0.05823), FEW, 10, "met", False, None,
    ),
    "too few to test, a tighter rule": Compared(
        ([(4, 0, 0)] * 50, [(3, 0, 1), (0, 0, 4), *[(4, 0, 0)] * 48]),
        -0.025, 2, None, (-0.11422, 0.07121), (-0.09877, 0.05823), FEW, 9, "undecided", False,
        "only 2 documents differ in this score, too few to test: "
        f"about {NEEDED} documents, if no others differ, would decide it",
    ),
    "no unit differs in this score": Compared(
        ([(3, 0, 0)] * 7, [(3, 1, 0)] * 7),
        0.0, 0, None, (-0.40962, 0.40962), (-0.34816, 0.34816),
        "in this score the outputs differ in 0 documents: too few to test (between -40.96 and +40.96 points)",
        20, "undecided", False, "no document differs in this score; 14 documents without a difference would decide it",
    ),
    "widened": Compared(
        ([(5, 0, 0)] * 20, [*[(4, 0, 1)] * 7, (0, 0, 5), *[(5, 0, 0)] * 12]),
        -0.12, 8, 0.006999, (-0.26986, -0.01986), (-0.24075, -0.03596), LOWER, 25, "met", True, None,
    ),
}  # fmt: skip


def test_the_worked_examples_of_differences_are_those_of_the_twins() -> None:
    """Where swaps have no say: too few units, and the ends that are widened."""
    assert rare_interval([-0.005, -0.02], K_FEW) == pytest.approx((-0.11422, 0.07121), abs=5e-6)
    assert rare_interval([], 7, 0.9) == pytest.approx((-0.34816, 0.34816), abs=5e-6)
    lost = [1] * 7 + [5] + [0] * 12
    without = [-(12 - out) / 95 for out in lost]
    k = kish([10 + 5 + 5 - out for out in lost])
    assert widened(-0.12, without, k, (-0.2, -0.05)) == pytest.approx((-0.26986, -0.01986), abs=5e-6)
    assert widened(-0.12, without, k, (-0.2, -0.05), 0.9) == pytest.approx((-0.24075, -0.03596), abs=5e-6)


@pytest.fixture
def two(here: Path) -> Callable[[Compared], tuple[list[Document], list[Document]]]:
    def systems(case: Compared) -> tuple[list[Document], list[Document]]:
        a, b = map(documents_of, case.rows)
        store("A", a)
        store("B", b)
        for name in "AB":
            accepted("count", f"gold-{name}.jsonl", f"{name}.jsonl", "-m", "strict", "-o", f"{name}.npz")
        return a, b

    return systems


Row = Mapping[str, Any]


def recall(result: Row) -> Row:
    (row,) = [row for row in result["comparisons"] if row["score"] == "r" and row["label"] is None]
    return row


def compared_by(door: str) -> Row:
    """The row of recall, from one of the doors that give whole results."""
    systems = {name: load(f"{name}.jsonl") for name in "AB"}
    if door == "Python":
        return recall(compare(systems, load("gold-A.jsonl"), ["strict"], primary="strict.r"))
    if door == "counts in Python":
        return recall(compare({name: load_counts(Path(f"{name}.npz")) for name in "AB"}, primary="strict.r"))
    sources = {
        "JSON of files": ["gold-A.jsonl", "A=A.jsonl", "B=B.jsonl"],
        "JSON of counts": ["A=A.npz", "B=B.npz"],
    }
    named = [f"--system={source}" if "=" in source else source for source in sources[door]]
    metrics = ["-m", "strict"] if door == "JSON of files" else []
    printed("compare", *named, *metrics, "--primary", "strict.r", "-o", "out.json")
    return recall(json.loads(Path("out.json").read_text("utf8")))


@pytest.mark.parametrize("door", ["Python", "counts in Python", "JSON of files", "JSON of counts"])
@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_is_the_same_through_every_door(two: Any, name: str, door: str) -> None:
    case = DIFFERENCES[name]
    two(case)
    row = compared_by(door)
    assert (row["difference"], *row["interval"]) == pytest.approx((case.difference, *case.bounds), abs=6e-6)
    assert (row["differing"], row["flag"]) == (case.differing, None)
    assert row["p"] == (None if case.p is None else pytest.approx(case.p, abs=5e-7))
    assert row["verdict"].startswith(case.verdict)


SHOWN = [name for name in DIFFERENCES if "tighter" not in name]
"""The differences that are shown by day; that of a tighter rule differs from another in its rule alone."""


@pytest.mark.parametrize("name", mostly_at_night(DIFFERENCES, by_day=SHOWN))
def test_a_difference_is_printed_framed_and_shown_on_the_page(two: Any, name: str) -> None:
    case = DIFFERENCES[name]
    two(case)
    given = [
        "gold-A.jsonl",
        "--system=A=A.jsonl",
        "--system=B=B.jsonl",
        "-m",
        "strict",
        "--primary",
        "strict.r",
    ]
    cell = f"{percent(case.difference)} [{percent(case.bounds[0])}, {percent(case.bounds[1])}]"
    text = flat(printed("compare", *given, "-t", "all"))
    assert cell in text and case.verdict.rstrip() in text
    systems = {name: load(f"{name}.jsonl") for name in "AB"}
    found = compare(systems, load("gold-A.jsonl"), ["strict"], primary="strict.r")
    assert case.verdict in found.conclusion
    assert found.headline.interval == pytest.approx(case.bounds, abs=6e-6)
    (row,) = found.to_frame().query("score == 'r' and label.isnull()").to_dict("records")
    assert (row["difference"], row["low"], row["high"]) == pytest.approx((case.difference, *case.bounds), abs=6e-6)
    assert (row["p"] is None or row["p"] != row["p"]) is (case.p is None)
    printed(
        "report", "gold-A.jsonl", "A.jsonl", "B.jsonl", "-m", "strict", "-C", "--primary", "strict.r", "-o", "page.html"
    )
    page = " ".join(Parsed(Path("page.html").read_text("utf8")).text.split())
    assert cell in page and case.verdict.rstrip() in page


@pytest.mark.parametrize("name", DIFFERENCES)
def test_the_count_over_data_sets_repeats_a_difference_and_names_none_that_is_not_tested(two: Any, name: str) -> None:
    case = DIFFERENCES[name]
    longer = case._replace(rows=tuple([*rows, (3, 0, 0)] for rows in case.rows))
    for name_of_set, own in (("two", longer), ("one", case)):
        two(own)
        printed("compare", "A.npz", "B.npz", "--primary", "strict.r", "-o", f"{name_of_set}.json")
    text = flat(printed("datasets", "one.json", "two.json", "-o", "sets.json"))
    written = json.loads(Path("sets.json").read_text("utf8"))
    assert written == datasets({"one": "one.json", "two": "two.json"})
    for row in written["data_sets"][:1]:
        assert (row["difference"], *row["interval"]) == pytest.approx((case.difference, *case.bounds), abs=6e-6)
        assert (row["p_better"] is None) is (case.p is None)
    assert f"{percent(case.difference)} [{percent(case.bounds[0])}, {percent(case.bounds[1])}]" in text or (
        percent(case.difference) in text and f"[{percent(case.bounds[0])}, {percent(case.bounds[1])}]" in text
    )
    assert written["least"] == 0


def test_collapsed_counts_do_not_test_what_rests_on_few_documents(two: Any) -> None:
    two(DIFFERENCES["too few to test"])
    for name in "AB":
        accepted(
            "count",
            f"gold-{name}.jsonl",
            f"{name}.jsonl",
            "-m",
            "strict",
            "--collapse",
            "--replicates",
            200,
            "-o",
            f"{name}c.npz",
        )
    printed("compare", "Ac.npz", "Bc.npz", "--primary", "strict.r", "-o", "out.json")
    row = recall(json.loads(Path("out.json").read_text("utf8")))
    assert (row["interval"], row["p"]) == ([None, None], None)
    assert row["verdict"] == "possibly fewer than 6 documents differ: too few to test"


# Gates


def policy_of(case: Compared, unseen: str = "flag") -> dict[str, Any]:
    rule = {"score": "strict_r", "worse_by_at_most": case.margin}
    return {"gate": {"unseen": unseen, "rules": {"recall": rule}}}


def write_policy(rules: Mapping[str, Mapping[str, Any]], unseen: str) -> None:
    parts = ["[gate]", f'unseen = "{unseen}"', "[gate.rules]"]
    for name, rule in rules.items():
        parts += [f"[gate.rules.{name}]", *(f"{key} = {json.dumps(value)}" for key, value in rule.items())]
    Path("policy.cfg").write_text("\n".join(parts), "utf8")


UNSEEN = "unless up to 3 in {} documents are of a kind not seen here"


@pytest.mark.parametrize(
    ("name", "unseen"),
    [
        pytest.param(name, unseen, marks=() if case.unseen or unseen == "flag" else NIGHT)
        for name, case in DIFFERENCES.items()
        for unseen in ("flag", "undecided")
    ],
)
def test_a_gate_decides_alike_through_every_door(two: Any, name: str, unseen: str) -> None:
    """Python, its frame, JSON of files and of counts, the terminal, JUnit and the report."""
    case = DIFFERENCES[name]
    two(case)
    policy = policy_of(case, unseen)
    write_policy(policy["gate"]["rules"], unseen)
    held_back = case.unseen and unseen == "undecided"
    verdict = "undecided" if held_back else case.gate
    k = "20" if case.unseen else "50"
    in_python = gate(policy, load("gold-A.jsonl"), load("B.jsonl"), load("A.jsonl"))
    of_counts = gate(policy, None, load_counts(Path("B.npz")), load_counts(Path("A.npz")))
    sides = {
        "files": ["gold-A.jsonl", "B.jsonl", "--baseline", "A.jsonl"],
        "counts": ["B.npz", "--baseline", "A.npz"],
    }
    results = [in_python, of_counts]
    for given in sides.values():
        done = run("gate", "policy.cfg", *given, "-t", "all", "-o", "out.json", "--junit", "out.xml")
        assert done.exit_code == (0 if verdict == "met" else 1), done.output
        results.append(json.loads(Path("out.json").read_text("utf8")))
        text = flat(done.stdout)
        if verdict == "met":
            assert ("✔ met, unless unseen" in text) is case.unseen
            assert (f"recall is met, {UNSEEN.format(k)}." in text) is case.unseen
        else:
            reason = f"it would be met, {UNSEEN.format(k)}" if held_back else case.reason
            assert f"recall is undecided: {reason}." in text
            failure = ElementTree.parse("out.xml").getroot().find(".//failure")
            assert failure is not None and str(failure.get("message")).endswith(str(reason))
    for result in results:
        (row,) = result["rules"]
        assert (row["value"], *row["interval"]) == pytest.approx((case.difference, *case.narrow), abs=6e-6)
        assert (row["verdict"], row["unseen"]) == (verdict, case.unseen)
        assert row["differing"] == (case.differing if case.p is None else None)
    (framed,) = in_python.to_frame().to_dict("records")
    assert (framed["found"], framed["interval low"], framed["interval high"]) == pytest.approx(
        (case.difference, *case.narrow), abs=6e-6
    )
    (rule,) = in_python.rules
    assert (rule.low, rule.high, rule.verdict, rule.unseen) == (
        *results[0]["rules"][0]["interval"],
        verdict,
        case.unseen,
    )
    printed("report", "gold-A.jsonl", "A.jsonl", "B.jsonl", "--policy", "policy.cfg", "-o", "page.html")
    page = " ".join(Parsed(Path("page.html").read_text("utf8")).text.split())
    assert f"[{percent(case.narrow[0])}, {percent(case.narrow[1])}]" in page
    assert (UNSEEN.format(k) in page) is case.unseen


@pytest.mark.parametrize("name", ["SER", "SER of a perfect system", "documents without spans"])
def test_a_gate_judges_a_score_by_its_own_interval(here: Path, name: str) -> None:
    """The interval of a rule has each bound at 95 per cent: that of `score` at 90."""
    case = scored_as(name)
    twin = all_intervals(case.documents, [create(case.metric)], 0.9)[case.metric]["scores", case.path[-1]]
    store("a", case.documents)
    key, kind = ("slot_error.ser", "at_most") if case.metric == "slot_error" else ("strict_r", "at_least")
    policy = {"gate": {"rules": {"rule": {"score": key, kind: 50}}}}
    (row,) = gate(policy, load("gold-a.jsonl"), load("a.jsonl"))["rules"]
    assert twin.bounds and row["interval"] == pytest.approx(twin.bounds, abs=1e-9)
    met = twin.bounds[1] <= 0.5 if kind == "at_most" else twin.bounds[0] >= 0.5
    assert (row["verdict"] == "met") is bool(met and row["effective_units"] >= 6)


@pytest.mark.parametrize(("number", "warned"), [(19, True), (20, False)])
def test_a_gate_warns_of_rules_that_few_documents_decide_through_every_door(
    here: Path, number: int, warned: bool
) -> None:
    """As `score` and `compare` do; an undecided rule says nothing that few documents could make wrong."""
    store("a", documents_of([(9, 0, 1)] * number))
    rules = {"low": {"score": "strict_r", "at_least": 50}, "near": {"score": "strict_r", "at_least": 90}}
    write_policy(rules, "flag")
    terminal = run("gate", "policy.cfg", "gold-a.jsonl", "a.jsonl").output
    markdown = run("gate", "policy.cfg", "gold-a.jsonl", "a.jsonl", "-f", "markdown").output
    printed("report", "gold-a.jsonl", "a.jsonl", "--policy", "policy.cfg", "-o", "page.html")
    page = Parsed(Path("page.html").read_text("utf8")).text
    in_python = str(gate({"gate": {"rules": rules}}, load("gold-a.jsonl"), load("a.jsonl")))
    said = "⚠ low: fewer than 20 effective documents (the fewest: 19.0), so that verdicts say little."
    assert [said in " ".join(text.split()) for text in (terminal, markdown, page, in_python)] == [warned] * 4


# Plans


def test_a_plan_gives_one_range_through_every_door(two: Any) -> None:
    """Between which numbers: χ² of the variance and the ends of the pilot's 90 % interval, by the twin."""
    case = DIFFERENCES["widened"]
    two(case)
    rows = case.rows[1]
    hits, sizes = [row[0] for row in rows], [2 * tp + fp + fn for tp, fp, fn in rows]
    without = [(88 - hit) / 95 for hit in hits]
    alone = [hit / 5 for hit in hits]
    twin = by_influence(0.88, without, alone, sizes, spans=100, level=0.9)
    assert twin.bounds and twin.df
    for bound in (0.6, 0.85):
        rules = {"recall": {"score": "strict_r", "at_least": 100 * bound}}
        write_policy(rules, "flag")
        found = plan(load("gold-A.jsonl"), load("B.jsonl"), policy={"gate": {"rules": rules}})
        of_counts = plan(None, load_counts(Path("B.npz")), policy={"gate": {"rules": rules}})
        text = flat(printed("plan", "gold-A.jsonl", "B.jsonl", "--policy", "policy.cfg", "-o", "out.json"))
        written = json.loads(Path("out.json").read_text("utf8"))
        assert written["questions"] == found["questions"] == of_counts["questions"]
        (row,) = found["questions"]
        needed, gap = row["units_needed"], 0.88 - bound
        spread = [log(twin.df / chi2.ppf(tail, twin.df)) for tail in (0.95, 0.05)]
        near, far = sorted(abs(end - bound) for end in twin.bounds)
        low = ceil(needed * exp(-hypot(spread[0], 2 * log(far / gap))) - 1e-9)
        high = None if twin.bounds[0] <= bound else ceil(needed * exp(hypot(spread[1], 2 * log(gap / near))) - 1e-9)
        assert row["units_between"] == [low, high]
        words = f"{low:,} or more, no upper limit" if high is None else f"{low:,} to {high:,}"
        assert words in text and words in found.to_frame()["between"].tolist()
        interval = found.headline.interval
        assert interval and interval.low == low and interval.high == (float("inf") if high is None else high)
        assert (bound == 0.85) is (high is None)


def test_a_plan_names_what_unseen_documents_could_overturn(here: Path) -> None:
    documents = documents_of([(1, 0, 0)] * 57 + [(0, 0, 1)] * 3)
    store("a", documents)
    rules = {"recall": {"score": "strict_r", "at_least": 85}}
    for unseen in ("flag", "undecided"):
        write_policy(rules, unseen)
        text = flat(printed("plan", "gold-a.jsonl", "a.jsonl", "--policy", "policy.cfg", "-o", "out.json"))
        (row,) = json.loads(Path("out.json").read_text("utf8"))["questions"]
        needed = row["units_needed"]
        assert row["unseen"] is (0.95 * 0.05 ** (1 / needed) < 0.85)
        assert bool(re.search(r"it is met unless up to 3 in [\d,]+ documents", text)) is row["unseen"]
