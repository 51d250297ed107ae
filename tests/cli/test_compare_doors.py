"""One comparison through every door: Python, the command, pages, counts, frames."""

import json
import re
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, flat, line, run, write
from made_up import corpus, second, trained_again
from pages import Parsed
from products import NIGHT
from two_systems import compared

from spacy_nereval import Confidence, Document, compare, count, create_all, load
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.conclusion import margin_sentence
from spacy_nereval.evaluation.differences import margin_answer, units_to_tell
from spacy_nereval.reporting.comparison_view import ComparisonView
from spacy_nereval.reporting.formats import json_text, render_document

pytestmark = pytest.mark.costly  # resampling, in almost every test

TWELVE = "strict,semeval,slot_error,loio,fair,wrf,ace,char,mentions,overlap,plagdet,relaxed"
SETTINGS: Mapping[str, Any] = {"samples": 60, "trials": 300, "seed": 3}
OPTIONS = [text for name, value in SETTINGS.items() for text in (f"--{name}", value)]

CASES: dict[str, tuple[dict[str, Any], str]] = {
    "two metrics": ({"metrics": ["strict", "fair"]}, "-m strict,fair"),
    "three metrics, a margin, labels": (
        {"metrics": ["fair", "strict", "slot_error"], "margin": 4, "per_label": True},
        "-m fair,strict,slot_error --margin 4 --per-label",
    ),
    "twelve metrics, chosen scores": (
        {"metrics": TWELVE.split(","), "primary": "wrf.wrf", "secondary": ["strict.p"]},
        f"-m {TWELVE} --primary wrf.wrf --secondary strict.p",
    ),
    "a cost": ({"metrics": ["slot_error"], "margin": 30, "level": 0.9}, "-m slot_error --margin 30 --level 0.9"),
    "other baseline": ({"metrics": ["strict"], "baseline": "b"}, "-m strict"),
}
"""What is asked, as arguments of `compare` and as options of the command."""

SYSTEMS: dict[str, dict[str, list[str]]] = {
    "files": {"a": ["a"], "b": ["b"], "c": ["a"]},
    "runs": {"a": ["a", "a1"], "b": ["b", "a2"], "c": ["gold"]},
    "counts": {"a": ["a.npz"], "b": ["b.npz"]},
    "collapsed": {"a": ["a-collapsed.npz"], "b": ["b-collapsed.npz"]},
}
"""Systems, and the files of their training runs."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gold annotation, systems and training runs; the last two documents have one id, and so are one unit."""
    found: Path = tmp_path_factory.mktemp("doors")
    documents = corpus(30, seed=2)
    documents[-1].id = documents[-2].id
    sides = {"a": documents, "b": second(documents), **{f"a{k}": trained_again(f"{k}", 0.8, documents) for k in (1, 2)}}
    for name, own in {"gold": [Document(d.gold, d.gold, d.text, id=d.id) for d in documents], **sides}.items():
        rows = (
            line(d.text or "", *_without_last_blanks(d.text or "", own.pred), id=d.id) for d, own in zip(documents, own)
        )
        write(found / f"{name}.jsonl", *rows)
    return found


def _without_last_blanks(text: str, spans: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Spans without white space at their ends, and spans of nothing else left out: commands warn of both."""
    return [(start, start + len(words), label) for start, end, label in spans if (words := text[start:end].rstrip())]


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def counted(systems: Mapping[str, list[str]], metrics: str) -> None:
    """Make the count files that systems need."""
    for names in systems.values():
        for name in names:
            if name.endswith(".npz"):
                more = ["--replicates", 80, "--collapse"] if "collapsed" in name else []
                accepted("count", "gold.jsonl", f"{name[0]}.jsonl", "-m", metrics, "-o", name, *more)


def read(name: str) -> Any:
    """What Python gets for a file: records, or a path of counts."""
    return name if name.endswith(".npz") else load(f"{name}.jsonl")


def by_both(name: str, case: str) -> tuple[Any, dict[str, Any], str]:
    """What Python returns for a comparison, what the command writes, and what it prints with all tables."""
    systems, (asked, options) = SYSTEMS[name], CASES[case]
    stored, collapsed = name in ("counts", "collapsed"), name == "collapsed"
    counted(systems, ",".join(asked["metrics"]))
    given: dict[str, Any] = {system: {run: read(run) for run in runs} for system, runs in systems.items()}
    if name != "runs":
        given = {system: own for system, runs in given.items() for own in runs.values()}
    settings = {key: value for key, value in SETTINGS.items() if not (collapsed and key == "trials")}
    how = {key: value for key, value in asked.items() if key != "metrics"}
    of_files = {} if stored else {"gold": read("gold"), "metrics": asked["metrics"]}
    in_python = compare(given, **of_files, **how, **settings)
    first = asked.get("baseline", "a")
    arguments: list[Any] = options.split()[2:] if stored else ["gold.jsonl", *options.split()]
    for system in (first, *(other for other in systems if other != first)):
        files = [run if stored else f"{run}.jsonl" for run in systems[system]]
        arguments += ["--system", f"{system}={','.join(files)}"]
    printed = run("compare", *arguments, *([] if collapsed else OPTIONS), "-o", "out.json", "-t", "all")
    assert printed.exit_code == 0, printed.output
    return in_python, json.loads(Path("out.json").read_text("utf8")), printed.stdout


@pytest.mark.parametrize(
    ("systems", "case"),
    [
        pytest.param(systems, case, marks=() if k % 3 < 2 - (systems == "runs") else NIGHT)
        for k, (systems, case) in enumerate(product(SYSTEMS, CASES))
    ],
)
def test_python_and_the_command_say_the_same(here, systems, case):
    """Equal JSON, tables and lines; other files give other systems, not other numbers."""
    in_python, written, printed = by_both(systems, case)
    assert written == json.loads(json.dumps(in_python))
    said = flat(printed)
    view = ComparisonView(in_python)
    for text in (*view.opening(), *view.closing(), in_python.signature):
        assert flat(text) in said or text in printed.replace("\n", ""), text
    for table in view.tables(view.makers):
        for cells in table.grid()[1:] if table.rows else []:
            assert " ".join(" ".join(cells).split()) in " ".join(printed.split()), table.title
    frame = in_python.to_frame()
    assert [*frame["p_holm"].astype(object).where(frame["p_holm"].notna(), None)] == [
        row["p_holm"] for row in written["comparisons"]
    ]


def test_text_formats_and_saved_files_have_the_tables_of_the_view(here, tmp_path):
    in_python, _, _ = by_both("files", "two metrics")
    view = ComparisonView(in_python)
    tables = [*view.tables(view.makers)]
    after = [*view.closing(), in_python.signature]
    for ending, format in ((".md", "markdown"), (".tex", "latex"), (".csv", "csv")):
        in_python.save(tmp_path / f"a{ending}")
        assert (tmp_path / f"a{ending}").read_text("utf8") == render_document(
            tables, format, view.opening(), after
        ) + "\n"
    arguments = ["gold.jsonl", "-m", "strict,fair", *(f"--system={name}={name}.jsonl" for name in "ab"), *OPTIONS]
    shown = ComparisonView(compared(Path(), *arguments)[0]).tables(view.makers)
    assert json.loads(run("compare", *arguments, "-t", "all", "-f", "json").stdout) == json.loads(json_text([*shown]))
    html = in_python._repr_html_()
    assert all(cell in html for table in view.tables(["differences"]) for row in table.rows for cell in row[:1])


def test_a_comparison_that_python_saves_as_a_page_has_its_own_primary_score_there(here, tmp_path):
    """Not fair's F, whose verdicts mark the spans of the page and which it counts though it was not asked for."""
    given = {name: load(f"{name}.jsonl") for name in "ab"}
    for metrics in ("strict", ["slot_error", "loio", "fair"]):
        found = compare(given, load("gold.jsonl"), metrics, **SETTINGS)
        found.save(tmp_path / "a.html")
        page, view = Parsed((tmp_path / "a.html").read_text("utf8")), ComparisonView(found)
        assert found.conclusion in page.text and all(line in page.text for line in view.test_lines())
        assert all(row in page.rows for table in view.differences() for row in table.grid()[1:])


@pytest.mark.parametrize("case", ["two metrics", "three metrics, a margin, labels"])
def test_the_page_says_what_the_command_and_its_json_say(here, case):
    """Every sentence and number of the comparison in the report."""
    options = CASES[case][1].removesuffix(" --per-label").split()
    arguments = ["gold.jsonl", "a.jsonl", "b.jsonl", *options, *OPTIONS]
    accepted("report", *arguments, "-C", "--primary", "fair.f", "-o", "r.html")
    page = Parsed(Path("r.html").read_text("utf8"))
    view = ComparisonView(compared(Path(), *arguments, "--primary", "fair.f")[0])
    for text in (
        *view.opening(),
        *view.test_lines(),
        *(found.sentence for found in view.findings() if found.section == "headline"),
    ):
        assert text in page.text
    assert all(row in page.rows for table in view.differences() for row in table.grid()[1:])


def test_every_finding_names_its_documents():
    """The documents in which the outputs differ, and those with spans that change; counted here from the spans."""
    gold = [(0, 3, "A"), (5, 8, "A")]
    texts = ["one text"] * 3 + ["another text"] * 2 + [f"the text {k}" for k in range(20)]
    worse = {0, 1, 2, 3, 4, 7, 9}
    a = [Document(gold, gold[: 1 + (k not in worse)], text) for k, text in enumerate(texts)]
    b = [Document(gold, gold, text) for text in texts]
    found = compare({"a": [d.pred for d in a], "b": [d.pred for d in b]}, [d.gold for d in b], ["strict"], text=texts)
    row = next(row for row in found["comparisons"] if row["family"] == "primary")
    assert (found["documents"], found["units"], row["differing"]) == (25, 22, 4)
    few = "in this score the outputs differ in 4 units: too few to test (between -17.05 and +27.71 points)"
    assert row["verdict"] == few, "7 documents in 4 units"
    headline, changes = ComparisonView(found).findings()
    assert (headline.section, {*headline.documents}) == ("headline", worse)
    assert (changes.section, {*changes.documents}) == ("changes", worse)
    assert changes.sentence == "b fixes 7 gold spans, breaks 0"
    told = ComparisonView(
        compare({"a": [d.gold for d in a], "b": [[]] * 25}, [d.gold for d in b], ["strict"], text=texts)
    )
    assert [(each.section, [*each.documents]) for each in told.findings()] == [
        ("headline", []),
        ("changes", [*range(25)]),
    ]


@pytest.mark.parametrize(
    ("score", "runs"),
    [
        *(("strict.f", 1), ("slot_error.ser", 2)),
        *(pytest.param(*case, marks=NIGHT) for case in (("slot_error.ser", 1), ("strict.f", 2))),
    ],
)
def test_a_margin_is_answered_from_the_interval_at_twice_the_error(score, runs):
    """Systems from far better to far worse, and margins from small to large."""
    documents, metrics = corpus(60, seed=5), create_all(["strict", "slot_error"])

    def system(name: str, chance: float) -> System:
        return System(name, [count(trained_again(f"{name} {k}", chance, documents), metrics) for k in range(runs)])

    answers = set()
    for found, margin in ((0.2, 4), (0.55, 4), (0.55, 20), (0.6, 0.5), (0.65, 4), (0.95, 20), (0.95, 0.5)):
        systems = [system("a", 0.6), system("b", found)]
        asked: dict[str, Any] = {"trials": None if runs > 1 else 500, "primary": score}
        row, narrow = (
            next(
                r
                for r in comparison(systems, [], Confidence(level, 200), **asked, **more)["comparisons"]
                if r["verdict"]
            )
            for level, more in ((0.95, {"margin": margin}), (0.9, {}))
        )
        low, high = sorted(100 * bound * (1 if score.endswith(".f") else -1) for bound in narrow["interval"])
        answer = margin_answer(low, high, margin)
        said = margin_sentence(answer, margin, "documents", units_to_tell(60, low, high, margin))
        assert re.sub(r", with [\d.]+ times the training runs,", "", row["margin_answer"]) == said
        assert (row["same_within"] == margin) is (-margin < low and high < margin)
        assert row["verdict"].endswith(row["margin_answer"])
        answers.add(answer)
    assert len(answers) >= 4, answers
