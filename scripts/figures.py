"""Draw the picture of docs/explanation/intervals.md, and compute the numbers that the page mentions.

    python scripts/figures.py            write docs/explanation/intervals.svg and print the numbers
    python scripts/figures.py --check    exit with status 1 if the picture is out of date

Everything comes from the package's own functions with fixed seeds, so that every run
draws the same picture. A test compares the page with `numbers()`.
"""

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, NamedTuple

import numpy as np
import typer
from drawing import DASHED, GRID, LINE, SOLID, dot, line, text
from drawing import picture as svg
from numpy.typing import NDArray
from wasabi import msg

from spacy_nereval.evaluation.resampling import MOST_GROUPS
from spacy_nereval.evaluation.statistics.bits import patterns
from spacy_nereval.evaluation.statistics.bounds import Intervals, effective_units, score_intervals
from spacy_nereval.evaluation.statistics.differences import (
    Differences,
    balance,
    detectable_difference,
    differing_units,
    swap_test,
    t_test,
)
from spacy_nereval.evaluation.statistics.influence import largest
from spacy_nereval.evaluation.statistics.many_tests import count_data_sets, holm
from spacy_nereval.evaluation.statistics.runs import run_errors

ROOT = Path(__file__).resolve().parent.parent
# Not imported: a package of that name measures which lines tests run.
worlds = SimpleNamespace(**runpy.run_path(str(ROOT / "benchmarks" / "worlds.py")))
f_score, holds = worlds.f_score, worlds.holds

Floats = NDArray[np.float64]

PICTURE = ROOT / "docs" / "explanation" / "intervals.svg"
WORLD = "F .68"
SETS = 20
DOCUMENTS = 50
OF_DOCUMENTS = 0.014
"""A standard error from the choice of documents, for an example of training runs."""

COUNTS = "310201 201211 411312 102112 500401 221211 301212 012002 401302 210111"
"""Ten documents, and hits, spurious and missed spans in each: three digits for system A, three for system B."""


def ten_documents() -> tuple[Floats, Floats]:
    """Return tp, fp, fn of systems A and B, [documents, 3] each."""
    digits = np.array([[int(digit) for digit in document] for document in COUNTS.split()], dtype=float)
    return digits[:, :3], digits[:, 3:]


class Compared(NamedTuple):
    """F of two systems on some documents, and the test of the difference."""

    first: float
    second: float
    test: Differences

    @property
    def difference(self) -> float:
        return self.second - self.first


def compared(number: int) -> Compared:
    """Compare the systems on the first of the ten documents."""
    a, b = (counts[:number] for counts in ten_documents())
    drawn = patterns(0, [f"d{k}" for k in range(number)], 10_000)
    kept = drawn.all().astype(float)
    weights = 2 * (a[:, 0] + a[:, 2]) + a[:, :2].sum(1) + b[:, :2].sum(1)
    moved = kept @ (a - b)
    first, second = float(f_score(a.sum(0))), float(f_score(b.sum(0)))
    test = swap_test(
        second - first,
        f_score(a.sum(0) - moved) - f_score(b.sum(0) + moved),
        balance(kept @ weights, weights.sum()),
        exact=drawn.exact,
        differing=differing_units(a, b),
        limit=1.0,
    )
    return Compared(first, second, test)


def repeated() -> tuple[Floats, Intervals, float]:
    """Return F on repeated test sets, [sets], their intervals, and the true F of the system."""
    system = worlds.WORLDS[WORLD]
    rng = np.random.default_rng(0)
    counts = worlds.outputs(rng, system, *worlds.documents(rng, (DOCUMENTS, SETS)))
    return f_score(counts.sum(0)), worlds.interval(counts), system.f()


# The numbers of the page


def points(value: float) -> str:
    """Return a share, from 0 to 1, as the page shows it."""
    return f"{100 * value:.2f}"


def span(low: float, high: float) -> str:
    """Return an interval as the page shows it."""
    return f"[{points(low)}, {points(high)}]"


def always_right(units: float) -> str:
    """Return the interval of a score that is 1, with so many effective units."""
    found = score_intervals(1.0, 0.0, units)
    return span(float(found.low), float(found.high))


def concentrated() -> str:
    """Return what is said about a system that fails in two documents."""
    rows = [(9, 0, 1), (8, 1, 0), (10, 0, 0), (7, 1, 1)] * 8 + [(0, 10, 10), (0, 9, 10)]
    counts = np.array(rows, dtype=float)
    units, share = largest(f_score(counts.sum(0) - counts))
    names = ", ".join(f"d{unit}" for unit in units)
    return f"{len(units)} of {len(rows)} documents hold {100 * share:.0f} % of the uncertainty of strict f: {names}"


def hard_world(name: str, documents: int) -> str:
    """Return how many intervals hold the true score in a hard world, from the table of the benchmark."""
    text = (ROOT / "benchmarks" / "coverage.md").read_text(encoding="utf8")
    head = next(line for line in text.splitlines() if line.startswith("| F in hard worlds"))
    row = next(line for line in text.splitlines() if line.startswith(f"| {name} |"))
    cell = dict(zip(head.split(" | ")[1:], row.split(" | ")[1:]))[f"{documents}"]
    return f"{cell.split()[0]} of 100 intervals from {documents} documents"


def numbers() -> dict[str, list[str]]:
    """Return all computed numbers of the page: a name for each, and the texts that the page must contain."""
    scores, intervals, true = repeated()
    rare, unlike = [1] * 7 + [2] * 3, [20] + [1] * 9
    ten, eight = compared(10), compared(8)
    detectable = float(detectable_difference(ten.test.low, ten.test.high))
    runs = run_errors([0.81, 0.84, 0.79], [0.86, 0.85, 0.88], OF_DOCUMENTS**2, 179)
    tested = t_test(*runs[:3])
    family = [0.03, 0.004, 0.6, 0.012]
    sets = [0.001, 0.004, 0.012, 0.03, 0.2]
    return {
        "repeated test sets": [
            f"{SETS} test sets",
            f"{DOCUMENTS} documents",
            f"true F is {100 * true:.0f}",
            f"{int(holds(intervals.low, intervals.high, true).sum())} of the {SETS}",
        ],
        "the first of them": [f"{points(scores[0])} {span(intervals.low[0], intervals.high[0])}"],
        "effective units": [
            f"effective number is {float(effective_units(rare)):.1f}",
            f"effective number is {float(effective_units(unlike)):.1f}",
        ],
        "always right": [always_right(float(effective_units(rare))), always_right(3)],
        "who holds the uncertainty": [concentrated()],
        "groups": [f"{MOST_GROUPS:,} documents"],
        "hard worlds": ["8 % of the documents", hard_world("8 % catastrophic documents", 50)],
        "least p": [f"{2 / 2**5:g}", f"{2 / 2**6:g}"],
        "ten documents": [
            f"{points(ten.first)} and {points(ten.second)}",
            f"{points(ten.difference)} points {span(float(ten.test.low), float(ten.test.high))}",
            f"p = {float(ten.test.p):.4f}",
            f"{round(float(ten.test.p) * 2**10)} of the {2**10}",
            f"{points(detectable)} points",
        ],
        "eight documents": [
            f"{points(eight.difference)} points {span(float(eight.test.low), float(eight.test.high))}",
            f"p = {float(eight.test.p):.4f}",
        ],
        "many tests": [f"{100 * (1 - 0.95**20):.0f} %", "20 tests"],
        "Holm": [", ".join(f"{p:g}" for p in family), ", ".join(f"{p:.3g}" for p in holm(family))],
        "training runs": [
            f"standard error of {100 * OF_DOCUMENTS:.1f} points",
            f"{100 * float(runs.difference):.0f} points {span(float(tested.low), float(tested.high))}",
            f"{100 * float(runs.share):.0f} %",
        ],
        "data sets": [
            ", ".join(f"{p:g}" for p in sets),
            f"at least {count_data_sets(sets).least} of {len(sets)}",
            f"at least {count_data_sets(sets, independent=True).least} of {len(sets)}",
        ],
    }


# The picture

WIDTH, HEIGHT = 920, 400
TOP, BOTTOM = 74, 350


class Axis(NamedTuple):
    """A horizontal axis of per cents: `low` lies at `left`, `high` at `right`, in units of the picture."""

    left: float
    right: float
    low: float
    high: float

    def at(self, value: float) -> float:
        """Return where a value lies."""
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)

    def drawn(self, step: int, title: str) -> list[str]:
        """Return the ticks, their numbers and the title."""
        found = []
        for tick in range(int(self.low), int(self.high) + 1, step):
            x = self.at(tick)
            found += [line(x, TOP, x, BOTTOM, GRID), text(x, BOTTOM + 18, str(tick), "middle")]
        return [*found, text((self.left + self.right) / 2, BOTTOM + 40, title, "middle")]


def bar(axis: Axis, y: float, value: float, low: float, high: float, solid: bool) -> list[str]:
    """Return an interval with its value, solid, or dashed and hollow, so that nobody needs the colours."""
    color = SOLID if solid else DASHED
    x1, x2, x = axis.at(100 * low), axis.at(100 * high), axis.at(100 * value)
    fill = color if solid else "#ffffff"
    return [
        line(x1, y, x2, y, color, 2.5, dashed=not solid),
        *(line(end, y - 4, end, y + 4, color, 2) for end in (x1, x2)),
        dot(x, y, color, fill),
    ]


def left_side() -> list[str]:
    """Return the intervals of the repeated test sets around the true score."""
    scores, intervals, true = repeated()
    inside = holds(intervals.low, intervals.high, true)
    axis = Axis(40, 450, 45, 85)
    found = [
        text(40, 28, f"{SETS} test sets of {DOCUMENTS} documents, one system", bold=True),
        text(40, 48, f"{int(inside.sum())} of {SETS} intervals hold the true F; a dashed one misses it"),
        *axis.drawn(5, "F, per cent"),
        line(axis.at(100 * true), TOP - 6, axis.at(100 * true), BOTTOM, LINE, 2),
        text(axis.at(100 * true) + 6, TOP + 2, f"true F {100 * true:.0f}"),
    ]
    step = (BOTTOM - TOP - 20) / SETS
    for k in range(SETS):
        y = TOP + 16 + step * k
        found += bar(axis, y, scores[k], intervals.low[k], intervals.high[k], bool(inside[k]))
    return found


def right_side() -> list[str]:
    """Return the interval and p of a difference that is found, and of one that is not settled."""
    axis = Axis(510, 880, -25, 10)
    found = [
        text(510, 28, "System B against system A: difference of F", bold=True),
        text(510, 48, "The interval holds 0 exactly where p is above .05"),
        *axis.drawn(5, "points"),
        line(axis.at(0), TOP - 6, axis.at(0), BOTTOM, LINE, 2),
    ]
    for number, y, conclusion in ((10, 150, "B scores lower"), (8, 270, "not settled")):
        own = compared(number)
        low, high, p = float(own.test.low), float(own.test.high), float(own.test.p)
        found += [
            text(518, y - 34, f"{number} documents: {conclusion}", bold=True),
            text(518, y - 14, f"{points(own.difference)} {span(low, high)}, p = {p:.4f}"),
            *bar(axis, y + 6, own.difference, low, high, p <= 0.05),
        ]
    return found


def picture() -> str:
    """Return the picture as SVG."""
    about = (
        f"Left: intervals of F on {SETS} test sets around the true score. Right: the interval and p of a difference "
        f"on ten documents, which leaves out zero, and on eight of them, which holds zero."
    )
    return svg(WIDTH, HEIGHT, "What an interval says", about, [*left_side(), *right_side()])


def main(
    check: Annotated[bool, typer.Option(help="Write nothing, and exit with status 1 if it is out of date")] = False,
) -> None:
    """Write the picture, and print the numbers of the page."""
    drawn = picture()
    current = PICTURE.is_file() and PICTURE.read_text(encoding="utf8") == drawn
    if check and not current:
        msg.fail(f"Out of date: {PICTURE.relative_to(ROOT)}. Run 'python scripts/figures.py'", exits=1)
    if not check:
        PICTURE.write_text(drawn, encoding="utf8")
    for what, texts in numbers().items():
        print(f"{what}: {' | '.join(texts)}")


if __name__ == "__main__":
    typer.run(main)
