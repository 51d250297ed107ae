"""Write docs/explanation/leaderboards.md and its pictures: every sentence follows from the numbers."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from drawing import GRID, LINE, SOLID, dot, line, picture, text

from spacy_nereval.evaluation.tested import holm

ROOT = Path(__file__).resolve().parent.parent
NUMBERS = ROOT / "assets" / "leaderboards" / "numbers.json"
PAGE = ROOT / "docs" / "explanation" / "leaderboards.md"
INTERVALS, RANKS = (PAGE.with_name(f"leaderboards-{name}.svg") for name in ("intervals", "ranks"))
LEVEL = 0.05
EQUAL = 5e-5 + 1e-9
"""How far two scores are apart at most if they are equal to two decimals."""

TITLES = {
    "wnut17": "WNUT 2017",
    "hipe2020-de": "HIPE 2022, German",
    "hipe2020-en": "HIPE 2022, English",
    "hipe2020-fr": "HIPE 2022, French",
    "letemps-fr": "HIPE 2022, Le Temps",
}
HEADS = {
    "strict": "strict F",
    "semeval": "exact F",
    "slot_error": "SER ↓",
    "loio": "LOIO",
    "fair": "fair F",
    "wrf": "WRF",
    "char": "char F",
    "token": "token F",
}
MORE = {
    "relaxed": "relaxed F",
    "overlap": "overlap F",
    "plagdet": "PlagDet",
    "ace": "ACE value",
    "mentions": "surface F",
}
"""The other metrics, and the heads of their columns."""

LOWER = "slot_error"
"""The metric of which less is better."""

KINDS = {
    "tp": "right",
    "fn": "missed",
    "fp": "spurious",
    "le": "label",
    "be": "boundary",
    "lbe": "label and boundary",
}
"""Verdicts of `fair` in words; `be` stands for the three kinds of boundary errors."""

Board = Mapping[str, Any]


# What follows from the numbers


def value(board: Board, system: str, metric: str) -> float:
    """Return the headline score of a metric."""
    found: float = board["systems"][system]["scores"][metric][0]
    return found


def order(board: Board, metric: str) -> list[str]:
    """Return the systems, the best one first."""
    return sorted(board["systems"], key=lambda name: value(board, name, metric) * (1 if metric == LOWER else -1))


def corrected(board: Board, pairs: Sequence[tuple[str, str]], metric: str) -> list[float]:
    """Return the p-values of pairs of systems, corrected by Holm's method for the number of pairs."""
    tests = {frozenset(pair["systems"]): pair["tests"] for pair in board["pairs"]}
    return [float(p) for p in holm([tests[frozenset(pair)][metric][3] for pair in pairs])]


def neighbours(board: Board, metric: str) -> list[tuple[str, str]]:
    """Return the pairs of systems with adjacent ranks."""
    ranked = order(board, metric)
    return [*zip(ranked, ranked[1:])]


def told(board: Board, pairs: Sequence[tuple[str, str]], metric: str) -> list[tuple[str, str]]:
    """Return the pairs that differ beyond chance."""
    return [pair for pair, p in zip(pairs, corrected(board, pairs, metric)) if p <= LEVEL]


def level_with_first(board: Board, metric: str) -> list[str]:
    """Return the systems that cannot be told from the first."""
    first, *others = order(board, metric)
    pairs = [(first, other) for other in others]
    apart = {pair[1] for pair in told(board, pairs, metric)}
    return [other for other in others if other not in apart]


def verdicts(board: Board, system: str) -> dict[str, int]:
    """Return the numbers of a system by kind, with one kind of boundary error."""
    counts = board["systems"][system]["verdicts"]
    return {kind: sum(counts[name] for name in counts if name == kind or name.startswith(f"{kind}_")) for kind in KINDS}


# Words and tables


def plain(system: str) -> str:
    """Return the name of a system without that of its data set: neurbsl_bundle3_letemps_fr_1 is neurbsl 3.1."""
    team, _, rest = system.partition("_bundle")
    return f"{team} {rest.split('_')[0]}.{rest.split('_')[-1]}" if rest else system


def percent(share: float) -> str:
    """Return a share as the page shows it."""
    return f"{100 * share:.1f}"


def table(head: Sequence[str], rows: Sequence[Sequence[Any]], words: int = 0) -> str:
    """Return a table in Markdown, its first column and the last ones that hold `words` to the left."""
    marks = ["---", *["---:"] * (len(head) - 1 - words), *["---"] * words]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in (head, marks, *rows))


def listed(names: Sequence[str]) -> str:
    """Return names in a sentence."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def scores(board: Board) -> str:
    """Return the table of a board: published and computed strict F, and the headline of each other metric."""
    rows = []
    for system in order(board, "strict"):
        own = board["systems"][system]
        strict, low, high = own["scores"]["strict"]
        rest = [percent(own["scores"][name][0]) for name in [*HEADS][1:]]
        shown = f"{percent(strict)} [{percent(low)}, {percent(high)}]"
        rows.append([plain(system), f"{100 * own['published']:.2f}", shown, *rest])
    return table(["system", "published F", "strict F, 95 %", *[*HEADS.values()][1:]], rows)


def other_scores(board: Board) -> str:
    """Return the table of the other metrics, with published F on surface forms."""
    rows = [
        [name, f"{100 * board['systems'][name]['surface']:.2f}", *(percent(value(board, name, own)) for own in MORE)]
        for name in order(board, "strict")
    ]
    return table(["system", "published surface F", *MORE.values()], rows)


def swapped(board: Board, metric: str) -> list[tuple[str, str]]:
    """Return the pairs of systems, the better one by strict F first, of which the metric has the other one first."""
    by_f, by_metric = order(board, "strict"), order(board, metric)
    return [(a, b) for a, b in combinations(by_f, 2) if by_metric.index(b) < by_metric.index(a)]


def disagreements(boards: Sequence[Board]) -> str:
    """Return for each metric how many pairs it orders otherwise than strict F, and how many of these the data carry."""
    rows = []
    for metric, head in [*HEADS.items()][1:]:
        row = []
        for board in boards:
            every = [*combinations(order(board, "strict"), 2)]
            others = swapped(board, metric)
            sure = {*told(board, every, metric)} & {*others}
            row.append(f"{len(others)} ({len(sure)}, {len(sure & {*told(board, every, 'strict')})})")
        rows.append([head, *row])
    return table(["", *(TITLES[board["name"]] for board in boards)], rows)


def hard(boards: Sequence[Board]) -> str:
    """Return which gold spans no system finds: by their words and labels, and how many some system touches."""
    rows = []
    for board in boards:
        own = board["unfound"]
        shares = {name: none / number for name, (number, none) in (own["labels"] | own["words"]).items()}
        labels = sorted(own["labels"], key=lambda label: -shares[label])
        rows.append(
            [
                TITLES[board["name"]],
                *(f"{percent(shares[words])} %" for words in own["words"]),
                f"{own['touched']} of {board['found_by'][0]}",
                ", ".join(f"{label} {percent(shares[label])} %" for label in labels),
            ]
        )
    head = ["none of 1 word", "of 2", "of 3 or more", "touched by some system", "by label"]
    return table(["", *head], rows, words=1)


def overview(boards: Sequence[Board]) -> str:
    """Return a row for each board: how many of its ranks the data carry."""
    rows = []
    for board in boards:
        pairs = neighbours(board, "strict")
        every = [tuple(pair["systems"]) for pair in board["pairs"]]
        rows.append(
            [
                TITLES[board["name"]],
                f"{board['documents']:,}",
                f"{board['spans']:,}",
                len(board["systems"]),
                f"{len(told(board, pairs, 'strict'))} of {len(pairs)}",
                f"{len(told(board, every, 'strict'))} of {len(every)}",
                listed([plain(name) for name in level_with_first(board, "strict")]) or "none",
            ]
        )
    head = ["", "documents", "gold spans", "systems", "adjacent ranks told apart", "pairs told apart"]
    return table([*head, "not told from the first"], rows, words=1)


def ranks(board: Board) -> str:
    """Return the rank of each system by each metric."""
    orders = {name: order(board, name) for name in HEADS}
    rows = [[plain(s), *(ranked.index(s) + 1 for ranked in orders.values())] for s in order(board, "strict")]
    return table(["rank by", *HEADS.values()], rows)


def kinds(board: Board) -> str:
    """Return how many errors of each kind every system made."""
    rows = [[plain(s), *verdicts(board, s).values()] for s in order(board, "strict")]
    return table(["system", *KINDS.values()], rows)


def common(boards: Sequence[Board]) -> str:
    """Return what the errors of the systems of each board have in common."""
    rows = []
    for board in boards:
        found, spurious = board["found_by"], board["spurious_by"]
        most = sum(spurious[len(spurious) // 2 :])
        numbers = (found[-1], found[0], sum(found[1:-1]))
        rows.append(
            [TITLES[board["name"]], *(f"{each} ({percent(each / sum(found))} %)" for each in numbers)]
            + [sum(spurious), f"{most} ({percent(most / sum(spurious))} %)"]
        )
    head = ["", "found by all", "by none", "by some", "spurious spans", "of most systems"]
    return table(head, rows)


def doubted(boards: Sequence[Board]) -> str:
    """Return the places where there is a reason to doubt gold."""
    rows = []
    for board in boards:
        spans = {label: own for label, own in board["doubts"].items() if label and own.get("doubted")}
        number = sum(own["doubted"] for own in spans.values())
        ranked = sorted(spans, key=lambda label: -spans[label]["doubted"] / spans[label]["spans"])
        rows.append(
            [
                TITLES[board["name"]],
                f"{number} of {board['spans']:,}",
                board["doubts"][""].get("agreement", 0),
                board["doubts"][""].get("unmarked", 0),
                ", ".join(f"{label} {spans[label]['doubted']} of {spans[label]['spans']}" for label in ranked),
            ]
        )
    head = ["", "gold spans in doubt", "unmarked, but all systems agree", "unmarked, but marked elsewhere"]
    return table([*head, "labels in doubt"], rows, words=1)


# Pictures

WIDTH = 920
STEP = 40
"""The height of a row."""

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#b8860b", "#1f1f1f")
"""One for each system; people with any kind of colour vision can tell them apart (after Okabe and Ito 2008)."""


def intervals(board: Board) -> str:
    """Return the picture of the intervals of strict F, with a line between neighbours that can be told apart."""
    ranked = order(board, "strict")
    bounds = {name: [100 * x for x in board["systems"][name]["scores"]["strict"]] for name in ranked}
    least, most = (
        step * 5 for step in (min(b[1] for b in bounds.values()) // 5, -(-max(b[2] for b in bounds.values()) // 5))
    )
    left, right, top = 200, 880, 60
    bottom = top + STEP * len(ranked)

    def at(score: float) -> float:
        return left + (score - least) / (most - least) * (right - left)

    parts = [text(20, 28, f"{TITLES[board['name']]}: strict F with its 95 % interval", bold=True)]
    for tick in range(int(least), int(most) + 1, 5):
        parts += [line(at(tick), top, at(tick), bottom, GRID), text(at(tick), bottom + 20, str(tick), "middle")]
    apart = told(board, neighbours(board, "strict"), "strict")
    for k, name in enumerate(ranked):
        score, low, high = bounds[name]
        y = top + STEP * (k + 0.5)
        parts += [
            text(left - 14, y + 5, f"{k + 1}. {plain(name)}", "end"),
            line(at(low), y, at(high), y, SOLID, 2.5),
            *(line(at(end), y - 4, at(end), y + 4, SOLID, 2) for end in (low, high)),
            dot(at(score), y, SOLID, SOLID),
        ]
        if any(pair[0] == name for pair in apart):
            parts.append(line(20, y + STEP / 2, right, y + STEP / 2, LINE, 1.5, dashed=True))
    about = f"A row for each of {len(ranked)} systems. A dashed line divides neighbours that differ beyond chance."
    parts.append(text(left, bottom + 42, "Only a dashed line divides neighbours that differ beyond chance."))
    return picture(WIDTH, bottom + 60, "How sure the scores of a leaderboard are", about, parts)


def rank_lines(board: Board) -> str:
    """Return the picture of the ranks of each system by each metric."""
    left, right, top = 170, 760, 70
    names = order(board, "strict")
    wide = (right - left) / (len(HEADS) - 1)
    orders = [order(board, metric) for metric in HEADS]
    parts = [text(20, 28, f"{TITLES[board['name']]}: rank by each metric", bold=True)]
    parts += [text(left + k * wide, top - 14, head, "middle") for k, head in enumerate(HEADS.values())]
    for name, color in zip(names, COLORS):
        points = [(left + k * wide, top + STEP * (ranked.index(name) + 0.5)) for k, ranked in enumerate(orders)]
        parts += [line(*a, *b, color, 2.5) for a, b in zip(points, points[1:])]
        parts += [dot(*point, color, "#ffffff") for point in points]
        parts += [text(left - 16, points[0][1] + 5, name, "end"), text(right + 16, points[-1][1] + 5, name)]
    about = "A line for each system from metric to metric: " + "; ".join(
        f"{head}: {', '.join(ranked)}" for head, ranked in zip(HEADS.values(), orders)
    )
    return picture(WIDTH, top + STEP * len(names) + 20, "Ranks change with the metric", about, parts)


# The page


def pages(numbers: Mapping[str, Any]) -> dict[Path, str]:
    """Return the page and its pictures."""
    boards: list[Board] = numbers["boards"]
    return {PAGE: page(boards), INTERVALS: intervals(boards[0]), RANKS: rank_lines(boards[0])}


def page(boards: Sequence[Board]) -> str:
    """Return the page."""
    wnut = boards[0]
    pairs = {board["name"]: neighbours(board, "strict") for board in boards}
    apart = sum(len(told(board, pairs[board["name"]], "strict")) for board in boards)
    number = sum(map(len, pairs.values()))
    bounds = [own["scores"]["strict"] for board in boards for own in board["systems"].values()]
    return f"""# How much of a leaderboard is noise?

<!-- Written by scripts/leaderboards.py; do not edit. -->

A shared task ends with a table: the best system first. Readers take the order for a fact. This page scores the
{len(bounds)} systems of {len(boards)} such tables anew, and asks of each rank whether the test data carry it.

In short:

- **{apart} of {number} neighbours in the tables can be told apart**, at a level of 5 %, corrected for the number of
  neighbours of a table. The other {number - apart} could have changed places with other test documents.
- **"The winner" is a group.** {_groups(boards)}
- **The metric chooses the winner.** On {TITLES["wnut17"]}, {_winners(wnut)}.
  {_firm(boards)}
- **Intervals are wide**: up to {100 * max(high - low for _, low, high in bounds):.0f} points of F, where a table
  prints two decimals.

## Which ranks the data carry

{overview(boards)}

"Told apart" is a paired test on the same documents: the outputs of two systems are swapped at random, document by
document, and the difference of strict F is compared with those after the swaps ([why](intervals.md)). Holm's
correction keeps even one false alarm in a column rare. Two systems that are not told apart are not equal: the test set
is too small to say which one is better.

## {TITLES["wnut17"]}: {len(wnut["systems"])} systems, {wnut["documents"]:,} sentences

![Strict F of the systems with intervals]({INTERVALS.name})

{scores(wnut)}

Published F is that of the organisers on entities; strict F is the same measure, computed by this package. SER counts
errors, so less is better. [The metrics](../reference/metrics.md) has all definitions. The other metrics that need
neither training data nor labels with levels:

{other_scores(wnut)}

Surface F counts each string once with its label, as the organisers' second score does.

## The rank depends on the metric

![Ranks by each metric]({RANKS.name})

{ranks(wnut)}

Are these changes more than noise? The table counts pairs of systems that a metric orders otherwise than strict F. In
brackets: how many of these pairs the metric itself tells apart, after Holm's correction for all pairs of the table, and
how many strict F tells apart, too, the other way round.

{disagreements(boards)}

A metric that ranks otherwise within chance does not overrule strict F: it shows where ranks are not settled.

Why do ranks change? The verdicts of `fair` say what became of the gold spans, and how many predictions are spurious:

{kinds(wnut)}

{_why(wnut)}

{_whys(boards[1:])}

## What the systems have in common

{common(boards)}

Gold spans that no system finds show what the methods of the time could not do, or what only an annotator could know.
Spurious spans that most systems predict are worth a look at gold: the systems were built apart, and yet they agree.

Which gold spans does nobody find?

{hard(boards)}

A span is touched if some system predicts a part of it, or the same words under another label: these are errors of
boundaries and labels. The rest was not seen at all. {_hardest(boards)}

## Where gold doubts itself

{doubted(boards)}

A gold span is in doubt if gold gives the same words another label as often, or if all systems agree on another
answer. This is a reason to look, no proof. The report of a system lists such places:
[Read the errors](../how-to/errors.md).

## The other tables

{_others(boards[1:])}

Systems are named by team, bundle and run: `neurbsl 3.1` is the organisers' baseline.

## If you have to decide

- Do not choose between neighbours by their rank. Compare the two on your own documents: [Compare two
  models](../how-to/compare.md) shows what these say, and how many would say more.
- Choose the metric first, by the errors that cost you most: [Which metric answers which question](choosing.md).
- If you organise a task, publish the outputs. Everything on this page follows from them.

## Limits

- A test set is taken for a sample of documents like it. Sentences of WNUT that come from one post or video are not
  independent, so the intervals should rather be wider.
- Systems were trained once. Another training run would move each score too: [Score and compare several training
  runs](../how-to/several-seeds.md).
- {sum(len(board["left_out"]) for board in boards)} submitted outputs equal another one of their team tag by tag. They
  are left out.
- {_respelt(boards)}
- Labels that gold lacks are left out of the outputs, as by the official scorers.

## Where the numbers come from

The outputs of [WNUT 2017](https://github.com/leondz/emerging_entities_17) (commit e52a2d2, CC-BY 4.0; Derczynski et
al. 2017, [results](https://aclanthology.org/W17-4418/)) and of [HIPE 2022](https://github.com/hipe-eval/HIPE-2022-eval)
with its [gold annotation](https://github.com/hipe-eval/HIPE-2022-data) (version 2.1, coarse literal entities, CC
BY-NC-SA 4.0; Ehrmann et al. 2022). None of them is part of this package; `assets/leaderboards/numbers.json` has the
numbers of this page and nothing else. With clones of these three repositories, one command computes them anew:

```text
python scripts/leaderboards.py --wnut17 emerging_entities_17 --hipe-data HIPE-2022-data --hipe-eval HIPE-2022-eval
```
"""


def _groups(boards: Sequence[Board]) -> str:
    """Say in how many tables others cannot be told from the first, and in how many these are of other teams."""
    level = {board["name"]: (order(board, "strict")[0], level_with_first(board, "strict")) for board in boards}
    some = [name for name, (_, others) in level.items() if others]
    teams = [
        TITLES[name]
        for name, (first, others) in level.items()
        if any(other.split("_bundle")[0] != first.split("_bundle")[0] for other in others)
    ]
    return (
        f"In {len(some)} of {len(boards)} tables other systems cannot be told from the first one; in "
        f"{len(teams)}, {listed(teams)}, they are of other teams."
    )


def _winners(board: Board) -> str:
    """Say which metrics put which system first."""
    found: dict[str, list[str]] = {}
    for metric, head in HEADS.items():
        found.setdefault(order(board, metric)[0], []).append(head.removesuffix(" ↓"))
    return "; ".join(f"{name} is first by {listed(heads)}" for name, heads in found.items())


def _why(board: Board) -> str:
    """Say how the numbers of errors lead to other ranks."""
    by_f, by_cost, by_place = (order(board, metric) for metric in ("strict", LOWER, "semeval"))
    of = {name: verdicts(board, name) for name in by_f}
    bold = max(by_f, key=lambda name: of[name]["fp"])
    passed = [other for other in by_cost[: by_cost.index(bold)] if by_f.index(other) > by_f.index(bold)]
    riser = max(by_f, key=lambda name: by_f.index(name) - by_place.index(name))
    every = [*combinations(by_f, 2)]

    def sure(a: str, b: str, metric: str) -> str:
        apart = {frozenset(pair) for pair in told(board, every, metric)}
        return "beyond chance" if frozenset((a, b)) in apart else "within chance"

    found = []
    if passed:
        gap = value(board, bold, "strict") - value(board, passed[0], "strict")
        found.append(
            f"- **{plain(bold)}** is {percent(gap)} points of strict F better than {plain(passed[0])} "
            f"({sure(bold, passed[0], 'strict')}), and worse by the slot error rate ({sure(bold, passed[0], LOWER)}). "
            f"It predicts {of[bold]['fp']} spurious spans, {plain(passed[0])} {of[passed[0]]['fp']}. F divides by the "
            "number of predictions, so each further spurious span costs less; the slot error rate charges all alike."
        )
    first, was, becomes = by_f[0], by_f.index(riser) + 1, by_place.index(riser) + 1
    if was - becomes > 1:
        found.append(
            f"- **{plain(riser)}** is number {was} by strict F, and number {becomes} where only boundaries count "
            f"({sure(riser, first, 'semeval')}, against {plain(first)}). {of[riser]['le']} of its spans are right "
            f"but for their label; of {plain(first)}, {of[first]['le']}. If only places matter, or "
            f"people look at each span anyway, {plain(riser)} does more for them."
        )
    rivals = [name for name in by_f[:5] if name != first]
    if all(of[first]["fp"] < of[n]["fp"] and of[first]["fn"] > of[n]["fn"] for n in rivals):
        found.append(
            f"- **{plain(first)}** has the fewest spurious spans of the first {len(rivals) + 1} and misses the most: "
            "it is careful. Whether this is worth the first rank is for the use to say, not for F."
        )
    return "\n".join(found)


def _others(boards: Sequence[Board]) -> str:
    return "\n\n".join(
        f"### {TITLES[b['name']]}: {len(b['systems'])} systems, {b['documents']} articles\n\n{scores(b)}"
        for b in boards
    )


def official(own: Mapping[str, Any], spans: int) -> float:
    """Return strict F with hits in other words taken for none, as the official scorer of HIPE does."""
    return 2 * (own["verdicts"]["tp"] - own.get("respelt", 0)) / (own["spans"] + spans)


def _respelt(boards: Sequence[Board]) -> str:
    """Say which published scores are lower since the file of a system has other words, and that all are reproduced."""
    found = [
        (TITLES[board["name"]], own["respelt"], own["scores"]["strict"][0] - own["published"])
        for board in boards
        for own in board["systems"].values()
        if own.get("respelt")
    ]
    return (
        f"All published scores are reproduced to two decimals. {len(found)} of them, all of "
        f"{listed(sorted({title for title, *_ in found}))}, are {percent(min(gap for *_, gap in found))} to "
        f"{percent(max(gap for *_, gap in found))} points lower than ours: the files of these systems write some words "
        f"otherwise than gold, and the official scorer compares words, too. It takes {min(n for _, n, _ in found)} to "
        f"{max(n for _, n, _ in found)} hits of these systems for errors."
    )


def _firm(boards: Sequence[Board]) -> str:
    """Say how many of the other orders the data carry."""
    metrics = [*HEADS][1:]
    every = [(board, metric, pair) for board in boards for metric in metrics for pair in swapped(board, metric)]
    firm = []
    for board, metric, pair in every:
        pairs = [*combinations(order(board, "strict"), 2)]
        if pair in told(board, pairs, metric) and pair in told(board, pairs, "strict"):
            firm.append(f"{plain(pair[0])} and {plain(pair[1])} by {HEADS[metric].removesuffix(' ↓')}")
    some = f"{len(firm)} differ: {'; '.join(firm)}" if firm else "none differs"
    return f"Of {len(every)} pairs that another metric orders otherwise than strict F, {some} beyond chance by both."


def _hardest(boards: Sequence[Board]) -> str:
    """Say where long names are missed most, and which labels are found best."""
    long, best = [], set()
    for board in boards:
        shares = {name: none / number for name, (number, none) in board["unfound"]["words"].items()}
        long.append(shares["3 or more"] == max(shares.values()))
        labels = {name: none / number for name, (number, none) in board["unfound"]["labels"].items()}
        best |= {name[:3] for name in sorted(labels, key=lambda name: labels[name])[:2]}
    persons = " Persons and places are found best in all of them." if best == {"per", "loc"} else ""
    return f"Names of three words or more are missed most in {sum(long)} of {len(boards)} tables.{persons}"


def _whys(boards: Sequence[Board]) -> str:
    """Say for each of the other boards how numbers of errors lead to other ranks."""
    found = [(TITLES[board["name"]], _why(board)) for board in boards]
    return "\n\n".join(f"In the table of {title}:\n\n{why}" for title, why in found if why)
