"""The functions of the pages against tables of cases and twins in Python, all in one empty page of a browser."""

import csv
import io
import itertools
import json
import re
from collections import Counter
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from browsers import needs_browser
from listed import LABELS, Wanted, corpora, listed
from pages import system

from spacy_nereval import Document, Span, create
from spacy_nereval.core.messages import mark_unseen
from spacy_nereval.evaluation.error_list import OUTCOMES
from spacy_nereval.features.report.corrections import gold_digest, read_marks
from spacy_nereval.features.report.gold_suspects import evidence_words
from spacy_nereval.features.report.report_page import REPORT, page_data
from spacy_nereval.features.report.report_view import ReportView
from spacy_nereval.reporting.declared import CHANGES
from spacy_nereval.reporting.result_table import LinkedCount

pytestmark = needs_browser


SYSTEMS = corpora(7, 3)
VIEW = ReportView([system(f"system {k}", *documents) for k, documents in enumerate(SYSTEMS)])
DATA = page_data(VIEW)


@pytest.fixture
def run(run):
    """The functions of the report on its data, or on others."""
    return lambda body, data=DATA, **given: run(REPORT, data, body, **given)


# What is asked for, and what is listed


def asked_of(wanted: Wanted) -> dict[str, Any]:
    """What the page has for a twin's `Wanted`."""
    names = CHANGES if wanted.other is not None else DATA["metrics"][METRIC[wanted.metric]]["verdicts"]
    place = {label: k for k, label in enumerate(DATA["labels"])} | {"": -1}
    return {
        "one": wanted.one,
        "other": -1 if wanted.other is None else wanted.other,
        "metric": METRIC[wanted.metric],
        "chosen": [list(names).index(name) for name in wanted.chosen],
        "label": -1 if wanted.label is None else place[wanted.label],
        "side": wanted.side,
        "cell": wanted.cell and [place[label] for label in wanted.cell],
        "move": wanted.move and [OUTCOMES.index(each) for each in wanted.move],
        "group": GROUP[wanted.one, wanted.members] if wanted.members else None,
        "bucket": wanted.words and [0, [*VIEW.slices[0].buckets].index(str(wanted.words))],
        "relation": wanted.relation,
        "mark": "gold" if wanted.marked else "",
        "find": wanted.find,
        "wrong": wanted.wrong,
    }


METRIC = {metric["name"]: k for k, metric in enumerate(DATA["metrics"])}
GROUP = {(number, frozenset(members)): k for k, (number, _, members) in enumerate(VIEW.lists)}
JUDGED = [(k, s, v) for k in range(14) for s in range(3) for v in create("fair").verdicts(SYSTEMS[s][k])]
MARKED = [(k, s, verdict.gold, verdict.pred) for k, s, verdict in JUDGED[::3]]


def some(rng: Random) -> Wanted:
    """A random conjunction of some filters."""
    one, metric = rng.randrange(3), rng.choice(("fair", "strict", "semeval", "slot_error"))
    other = rng.choice([None, *({0, 1, 2} - {one})])
    names = CHANGES if other is not None else create(metric).verdict_names
    filters: dict[str, Any] = {
        "chosen": frozenset(rng.sample([*names], 2)),
        "label": rng.choice(LABELS),
        "cell": (rng.choice(LABELS), rng.choice((*LABELS, ""))),
        "words": rng.choice((1, 2, 3)),
        "relation": rng.choice(["only", "all", *map(str, {0, 1, 2} - {one})]),
        "find": rng.choice(("ada", "id-1", "A.B*", "😀", "(x", "1,234", "łó")),
        "marked": frozenset((k, g or p[:2]) for k, _, g, p in MARKED),
        "wrong": False,
    }
    if other is not None:
        filters["move"] = tuple(rng.sample(OUTCOMES, 2))
    if other is not None or metric == "fair":
        filters["members"] = frozenset(rng.choice([m for number, _, m in VIEW.lists if number == one and m]))
    chosen = {name: filters[name] for name in rng.sample([*filters], rng.choice((0, 1, 1, 2, 2, 3)))}
    if "label" in chosen:
        chosen["side"] = rng.choice(("", "gold", "pred", "home"))
    return Wanted(one, other, "fair" if other is not None else metric, **chosen)


LIST = """const mark = { mark: 'gold', note: '' };
const marks = new Map(own.map(([k, system, g, p]) => [markKey({ k, g, p }, system), mark]));
return cases.map(each => {
  const asked = { ...unfiltered(), ...each, chosen: new Set(each.chosen) };
  const { found, rows } = matching(asked, marks);
  const place = (flat, at) => at < 0 ? null : flat.slice(3 * at, 3 * at + 3);
  const names = isComparing(asked) ? CHANGES : metrics[asked.metric].verdicts;
  return [rows.map(({ k, v, g, p, q }) => [k, names[v], place(documents[k][2], g),
    p >= 0 ? place(documents[k][3 + asked.one][0], p) : place(documents[k][3 + asked.other]?.[0], q)]), found,
    JSON.stringify(settled(asked), (_, value) => value instanceof Set ? [...value] : value)
      === JSON.stringify(asked, (_, value) => value instanceof Set ? [...value].sort() : value)];
});"""


def utf16(text: str, offset: int) -> int:
    return len(text[:offset].encode("utf-16-le")) // 2


def as_in_page(place: Any) -> str:
    k, name, *sides = place
    text = SYSTEMS[0][k].text or ""
    flat = [s and [utf16(text, s.start), utf16(text, s.end), DATA["labels"].index(s.label)] for s in sides]
    return json.dumps([k, name, *flat])


def numbered(k: int, s: int, gold: Any, pred: Any) -> list[int]:
    document = SYSTEMS[s][k]
    return [k, s, document.gold.index(gold) if gold else -1, document.pred.index(pred) if pred else -1]


def test_the_list_is_the_conjunction_of_every_filter_in_every_mode(run):
    rng = Random(1)
    cases = [some(rng) for _ in range(800)]
    own = [numbered(*each) for each in MARKED]
    answers = run(LIST, cases=[asked_of(case) for case in cases], own=own)
    hits = 0
    for case, (rows, documents, settled) in zip(cases, answers, strict=True):
        places, numbers = listed(SYSTEMS, case)
        assert Counter(map(json.dumps, rows)) == Counter(map(as_in_page, places)), case
        assert documents == numbers, case
        assert settled, "nothing of it is taken back"
        hits += len(places) > 0
    assert hits > 250


TAKEN_BACK = [
    ({"other": 0}, {"other": -1}),
    ({"move": [0, 1]}, {"move": None}),
    ({"other": 1, "metric": 0}, {"other": 1}),
    ({"relation": "0"}, {"relation": ""}),
    ({"relation": "1"}, {"relation": "1"}),
    ({"side": "gold"}, {"side": ""}),
    ({"group": -1}, {"group": None}),
    ({"chosen": [0, 6, 99]}, {"chosen": [0, 6]}),
    ({"other": 2, "chosen": [4, 5]}, {"other": 2, "chosen": [4]}),
]


@pytest.mark.parametrize(("asked", "left"), TAKEN_BACK)
def test_what_cannot_apply_is_taken_back(run, asked, left):
    if asked.get("group") == -1:
        asked = {"group": next(k for k, (number, _, _) in enumerate(VIEW.lists) if number == 1)}
    found = run(
        "const next = settled({ ...unfiltered(), one: 0, metric: fair, ...asked, chosen: new Set(asked.chosen) });"
        "return { ...next, chosen: [...next.chosen] };",
        asked=asked,
    )
    usual = run("return { ...unfiltered(), one: 0, metric: fair, chosen: [] };")
    assert found == usual | left


def test_verdicts_of_another_metric_and_changes_are_chosen_anew(run):
    body = """const asked = { ...unfiltered(), one: 0, metric: 0, chosen: new Set([1]), label: 2, cell: [0, 1] };
    const all = choices.map(wanted => chosenAnew(asked, wanted));
    return all.map(({ chosen, label, cell }) => [[...chosen], label, cell]);"""
    choices = [{"metric": 1}, {"other": 2}, {"label": 2}, {"one": 1}, {"metric": 0}]
    assert run(body, choices=choices) == [[chosen, 2, [0, 1]] for chosen in ([], [], [1], [1], [1])]


def test_an_address_gives_back_what_was_asked_for_and_nonsense_is_ignored(run):
    rng = Random(2)
    cases = [asked_of(some(rng)) for _ in range(300)]
    for case in cases[::3]:
        case |= {"order": rng.choice(("errors", "gold")), "falling": True, "at": 3, "together": True}
        case |= {"doc": rng.randrange(14), "view": "documents", "pattern": True}
    same = """const text = (asked) => JSON.stringify(asked, (_, value) => value instanceof Set ? [...value] : value);
    return cases.filter(each => {
      const asked = settled({ ...unfiltered(), ...each, chosen: new Set(each.chosen) });
      return text(fromAddress(addressOf(asked, unfiltered()))) !== text(asked);
    });"""
    assert run(same, cases=cases) == []
    given = "{ ...unfiltered(), chosen: new Set([1, 3]), doc: 11, find: 'a&b', one: 2 }"
    address = f"return addressOf({given}, unfiltered());"
    assert run(address, DATA | {"lead": 0}) == "#one=2&chosen=1.3&find=a%26b&doc=12"
    nonsense = [
        "#view=<b>&one=7&other=-1&metric=x&chosen=99.-1.1e0&label=3&label=1e0&cell=9.9&move=0&group=1e9&bucket=0",
        "#bucket=0.36&wrong=&falling=1&pattern=yes&order=id&relation=9&mark=toString&at=1e3&doc=0&doc=15&side=x",
        "#one=&one=1.5&metric=&cell=-2.0&find=&doc=-1&doc=99999999999&constructor=1&__proto__=2",
    ]
    usual = "return hashes.map(hash => addressOf(fromAddress(hash), unfiltered()));"
    assert run(usual, hashes=nonsense) == ["#"] * 3
    assert run("return ['#doc-12', '#doc-x', '#view=documents', ''].map(documentIn);") == ["12", None, None, None]


FOCUSED = {"fair": {"focus": "system"}, "strict": {}}
BY_SYSTEM = ReportView([system(f"s{k}", *own, metrics=FOCUSED) for k, own in enumerate(SYSTEMS)])


@pytest.mark.parametrize("view", [VIEW, BY_SYSTEM], ids=["by gold", "by system"])
def test_a_number_of_a_table_opens_as_many_places_as_it_counts(run, view):
    asks: list[tuple[int, dict[str, Any]]] = []
    at_lead = 1 + 3 * view.lead  # of three columns for each system
    for name, column in (("errors", at_lead), ("pairs", 3), ("mending", at_lead)):
        for table in view.tables([name]):
            asks += [(int(row[column]), dict(ask)) for row, ask in zip(table.rows, table.asks, strict=True)]
    for table in view.tables(["transitions", "errors"]):
        asks += [(int(cell), dict(cell.ask)) for row in table.rows for cell in row if isinstance(cell, LinkedCount)]
    asks += [(len({*members}), {"one": number, "group": k}) for k, (number, _, members) in enumerate(view.lists)]
    found = run(
        "const before = { ...unfiltered(), metric: 0, label: 1, find: 'x', wrong: false };"
        "return asks.map(ask => matching(askedBy(ask, before), new Map()).rows.length);",
        page_data(view),
        asks=[ask for _, ask in asks],
    )
    wrong = [(ask, n, m) for (n, ask), m in zip(asks, found, strict=True) if n != m]
    assert not wrong and len(asks) > 60


# The order of what is listed


def test_lines_are_in_the_order_of_what_is_clicked(run):
    body = """return ORDERS.flatMap(order => [false, true].map(falling => {
      const asked = { ...unfiltered(), one: 1, order, falling };
      const { found, rows } = matching(asked, new Map());
      return [order, falling, found, rows.map(row => {
        const { start, end, gold, pred } = spansOf(row, asked), text = documents[row.k][1].toLowerCase();
        const [before, surface, after] = [text.slice(0, start), text.slice(start, end), text.slice(end)];
        const of = (span) => span ? labels[span.label] : "";
        return { corpus: row.k, before, surface, after, gold: of(gold), pred: of(pred), verdict: wordsOf(row, asked) };
      })];
    }));"""
    errors = Counter(k for k, *_ in listed(SYSTEMS, Wanted(1))[0])
    for order, falling, found, rows in run(body):
        assert len(rows) == sum(errors.values()) and sorted(found) == sorted(errors)
        for row in rows:
            row |= {"errors": (-errors[row["corpus"]], row["corpus"]), "after": row["after"][:40].strip()}
            row["before"] = " ".join(row["before"][-40:].split()[::-1])
        keys = [row[order] for row in rows]
        if order in ("before", "surface", "after"):
            keys = [key.encode("utf-16-be", "surrogatepass") for key in keys]  # as JavaScript compares
        assert keys == sorted(keys, reverse=falling), order
        assert found[:1] == [row["corpus"] for row in rows[:1]] or falling


SORTED = [
    ([10, 9, 100, None, -0.5, 9], [4, 1, 5, 0, 2, 3]),
    (["10 words", "2 words", "1 word", "no word"], [2, 1, 0, 3]),
    (["1-5", "11", "10", "0"], [3, 0, 2, 1]),
    (["b", "Á", "a", "B"], [2, 1, 0, 3]),
    ([0.00005, 0.0001, 1, 0.04], [0, 1, 3, 2]),
]


@pytest.mark.parametrize(("values", "rising"), SORTED)
def test_rows_are_sorted_by_number_where_numbers_are_meant_and_equal_ones_stay(run, values, rising):
    found = run("return [false, true].map(falling => sortedPlaces(values, falling));", values=values)
    undefined = [k for k, value in enumerate(values) if value is None]
    assert found[0] == rising
    shown = [[values[k] for k in order if values[k] is not None] for order in found]
    assert shown[0] == shown[1][::-1] and found[1][len(values) - len(undefined) :] == undefined


DOWN, UP = "descending", "ascending"


@pytest.mark.parametrize(("is_number", "first", "then"), [(True, DOWN, UP), (False, UP, DOWN)])
def test_a_third_click_takes_the_order_back(run, is_number, first, then):
    clicks = "const seen = [null]; for (const k of '1234') seen.push(nextOrder(seen.at(-1), isNumber)); return seen;"
    assert run(clicks, isNumber=is_number) == [None, first, then, None, first]


# Texts and characters

HARD = ("", "plain", "naïve 1,234", "😀 is Acme 😀", "👩\u200d👩\u200d👧 a", "e\u0301\u0301", "\ud83d alone", "a\r\nb")


def test_offsets_for_other_programs_count_characters(run):
    cases = [(text, k) for text in HARD if "\ud83d" not in text for k in range(len(text) + 1)]
    found = run("return cases.map(([text, at]) => characters(text, at));", cases=[(t, utf16(t, k)) for t, k in cases])
    assert found == [k for _, k in cases]
    assert run("return characters(null, 7);") == 7


def test_cells_of_csv_come_back_and_none_is_a_formula(run):
    cells: list[Any] = [*HARD, "a,b", 'say "so"', "=SUM(A1)", "+1", "-1", "@x", "\tx", "a=b", -1, 0.5, None]
    line = run("return cells.map(csvCell).join(',');", cells=cells)
    (row,) = csv.reader(io.StringIO(line.encode("utf-8", "replace").decode(), newline=""))
    written = {formula: f"'{formula}" for formula in ("=SUM(A1)", "+1", "-1", "@x", "\tx")} | {None: ""}
    assert row == [str(written.get(cell, cell)).encode("utf-8", "replace").decode() for cell in cells]


FOUND = """return finds.map(find => texts.map(text => {
  const own = patternOf({ find, pattern });
  return own === null || (has(own, text) && has(own, text));
}));"""


def test_what_is_searched_for_is_text_unless_it_is_a_pattern(run):
    texts = ["a.b*c (x", "aXbbc", "1,234 ÉTÉ", "😀😃", "\\d [1] ^$ |?+ {2}"]
    finds = ["a.b", "(x", "été", "1,2", "😀", "\\d", "[1]", "^$", "|", "?+", "{2}", "  a.b ", "B*C", " "]
    found = run(FOUND, finds=finds, texts=texts, pattern=False)
    assert found == [[find.strip().casefold() in text.casefold() for text in texts] for find in finds]
    patterns = ["a.b", "\\d{3}", "^1", "[😀-😂]", "x$", "(?i)A\\.B", "b\\*c", "[\\-,]", "\\,2", "\\\\d"]
    found = run(FOUND, finds=patterns, texts=texts, pattern=True)
    assert found == [[bool(re.search(each, text, re.IGNORECASE)) for text in texts] for each in patterns]
    assert run(FOUND, finds=["(?-i)a", "(?-i)A"], texts=["a"], pattern=True) == [[True], [False]]
    refused = "return ['(', '[', '*', 'a{2,1}'].map(find => patternOf({ find, pattern: true }).refused);"
    said = ["unterminated group", "unterminated character class", "nothing to repeat"]
    assert run(refused) == [*said, "numbers out of order in {} quantifier"]


def test_contexts_begin_and_end_at_words_and_never_within_a_character(run):
    texts = ["The quick brown fox", "😀" * 9, "no", "a  b"]
    body = """const before = text => most => wordsBefore(text, text.length, most);
      const cuts = [before, text => most => wordsAfter(text, 0, most)];
      return cuts.map(cut => texts.map(text => [...Array(9).keys()].map(cut(text))));"""
    before, after = run(body, texts=texts)
    for text, cuts, ends in zip(texts, before, after):
        units = len(text.encode("utf-16-le")) // 2
        for most, (left, right) in enumerate(zip(cuts, ends)):
            assert all(c < "\ud800" or c > "\udfff" for c in left + right), "no half of a character"
            for cut, is_end in ((left, text.endswith), (right, text.startswith)):
                words = cut.strip("… ")
                assert is_end(words) or words == text.strip()
                assert len(words.encode("utf-16-le")) // 2 <= max(most, 0) or most >= units
                assert ("…" in cut) == (words != text.strip())
    assert {*before[0][3:]} == {"… fox"} and after[0][3] == after[0][8] == "The …"
    assert after[1][3] == "😀…" and before[1][3] == "…😀"
    assert run("return [contextStart('a quick brown', 13, 11), contextEnd('a quick brown', 0, 7)];") == [2, 7]


def test_numbers_and_names_are_as_people_read_them(run):
    found = run("return [0, 1, 999, 1000, 1234567].map(n => [number(n), many(n, 'error')]);")
    assert found == [[f"{n:,}", f"{n:,} error{'' if n == 1 else 's'}"] for n in (0, 1, 999, 1000, 1234567)]
    names = ["a\n\tb", "", " \u3000", "x" * 61, "A/B/" + "c" * 60, "A/" + "b" * 70 + "/last", "\u202eevil", "\ud83d"]
    assert run("return names.map(each => name(each));", names=names) == [
        *("a b", "(empty)", " \\u3000", "x" * 59 + "…", "A/B/" + "c" * 55 + "…"),
        *("…/last", "\\u202eevil", "\ufffd"),
    ]
    unseen = ["P\u200bER", "a b\u00a0c", "\u00ad", "\U000e0041x", "مى\u200cرم"]
    assert run("return names.map(each => name(each));", names=unseen) == [*map(mark_unseen, unseen)]
    assert run("return names.map(each => onLine(each));", names=unseen[:1]) == unseen[:1], "in texts they stay"
    said = """const list = (n, m) => ({ rows: Array(n).fill({ v: -1 }), found: Array(m) });
    return [[1, 1], [1000, 2], [0, 0]].map(([n, m]) => saidOf(list(n, m), unfiltered()));"""
    some = ["1 error in 1 of 14 documents", "1,000 errors in 2 of 14 documents"]
    assert run(said) == [*some, "No document of 14 matches"]


# What is saved


def test_rows_of_documents_without_texts_are_copied_with_their_offsets(run):
    gold: Any = [(0, 2, "A"), (5, 7, "B")]
    sides: Any = [(1, 2, "A")], [(0, 2, "A"), (5, 7, "A")]
    view = ReportView([system(f"s{k}", Document(gold, pred, None), metrics=["fair"]) for k, pred in enumerate(sides)])
    body = """const asked = { ...unfiltered(), one: 1, metric: 0 }; const got = matching(asked, new Map());
      return [viewAsTable(got, asked), viewAsLines(got, asked)];"""
    table, lines = run(body, page_data(view))
    (row,) = csv.DictReader(io.StringIO(table, newline=""))
    assert [row[f"gold_{name}"] for name in ("start", "end", "label", "text")] == ["5", "7", "B", ""]
    assert (row["system"], row["pred_label"], row["pred_text"]) == ("s1", "A", "")
    (line,) = map(json.loads, lines.splitlines())
    assert line["text"] == "" and len(line["spans"]) == 2


def test_the_table_that_is_copied_has_every_row_with_offsets_in_characters(run):
    seen: Counter[str] = Counter()
    for wanted in (Wanted(2), Wanted(1, metric="strict"), Wanted(0, wrong=False), Wanted(0, 2), Wanted(2, find="😀")):
        asked = asked_of(wanted)
        body = "const asked = { ...unfiltered(), ...given, chosen: new Set() }; const got = matching(asked, new Map());"
        text = run(body + "return [viewAsTable(got, asked), viewAsLines(got, asked)];", given=asked)
        rows = [*csv.DictReader(io.StringIO(text[0], newline=""))]
        assert len(rows) == len(listed(SYSTEMS, wanted)[0])
        lines = [json.loads(line) for line in text[1].splitlines()]
        assert sum(len(line["meta"]["errors"]) for line in lines) == len(rows)
        for row in rows:
            document = SYSTEMS[wanted.one][int(row["document"]) - 1]
            assert (row["id"] or None, row["system"]) == (document.id, f"system {wanted.one}")
            for side, own in (("gold", document.gold), ("pred", document.pred)):
                if row[f"{side}_start"]:
                    span = (int(row[f"{side}_start"]), int(row[f"{side}_end"]), row[f"{side}_label"])
                    assert span in {*own}
                    assert row[f"{side}_text"].lstrip("'") == (document.text or "")[span[0] : span[1]]
            same = [row[f"gold_{end}"] == row[f"pred_{end}"] for end in ("start", "end")]
            wrong = row["gold_label"] == row["pred_label"] != "" and not all(same)
            sides = {(True, False): "left", (False, True): "right", (False, False): "neither"}
            assert row["correct_boundary"] == (sides[tuple(same)] if wrong else "")
            seen[row["correct_boundary"]] += 1
        for line in lines:
            document = SYSTEMS[0][line["meta"]["document"] - 1]
            assert [tuple(span.values()) for span in line["spans"]] == [tuple(span) for span in document.gold]
            assert line["text"] == document.text
    assert {"right", "neither", ""} == {*seen}
    places = [(0, 9), (0, 4), (5, 9), (3, 5), (0, 20), (3, 20)]
    pairs = [[Span(0, 9, "A")._asdict(), Span(*place, "A")._asdict()] for place in places]
    body = "return pairs.map(([gold, pred]) => correctBoundary(gold, pred));"
    assert run(body, pairs=pairs) == [None, "left", "right", "neither", "left", "neither"]


def test_the_digest_of_a_document_is_that_of_apply(run):
    """Texts with all kinds of characters, with lengths around the blocks of SHA-256, and labels in their order."""
    texts = ["", "\ud800 \udfff", '\x00\x1f\x7f\x85\u2028"\\/\b\f', "a" * 119]
    texts += ["é😀" * n for n in (18, 19, 20, 40, 200)]
    labels = ("\uffff", "😀", "A", "AB", "\ud800")
    golds = [[(0, len(text), label) for label in labels] if text else [] for text in texts]
    named = itertools.product(zip(golds, texts), (None, "\u202e'\""))
    documents = [Document(gold, [], text, id=name) for (gold, text), name in named]
    data = page_data(ReportView([system("one", *documents, *documents)]))
    found = run("return documents.map((_, k) => [digestOf(k), copiesOf(k).indexOf(k)]);", data)
    wanted = [gold_digest(each.id, each.text, each.gold) for each in documents]
    assert found == [*([digest, 0] for digest in wanted), *([digest, 1] for digest in wanted)]
    texts = ["é" * n for n in range(70)]  # the lengths of one block and of two
    assert run("return texts.map(sha256);", data, texts=texts) == [sha256(each.encode()).hexdigest() for each in texts]


def test_marks_are_written_for_apply_and_come_back_and_others_are_refused(run):
    answers = ({"mark": ("gold", "system", "unclear", "")[n % 4], "note": f"n{n}"} for n in itertools.count())
    own = [[numbered(*each), answer] for each, answer in zip(MARKED, answers)]
    body = """const made = new Map(own.map(([[k, system, g, p], value]) => {
      const place = { k, g, p, system };
      const decided = value.mark === "gold" ? [[0, documents[k][1].length, "new"]] : null;
      return [markKey(place, system), { ...value, decided, seen: seenAt(place) }];
    }));
    const text = asJsonLines(recordsOf(made));
    const others = [...made].map(([key, value]) => [key, { ...value, mark: 'unclear' }]);
    return [text, marksIn(text), [...made], joined(made, others).numbers];"""
    text, read, made, numbers = run(body, own=own)
    assert in_any_order(read["found"]) == in_any_order(made) and read["refused"] == 0
    unlike = sum(value["mark"] != "unclear" for _, value in made)
    assert numbers == {"added": 0, "same": len(made) - unlike, "differing": unlike}
    lines = text.splitlines()
    rows = [json.loads(line) for line in lines]
    marks = read_marks(rows)
    places = {(k, g or p[:2]) for k, _, g, p in MARKED}
    assert len(marks) == len(places) == len(made)
    order = [(row["document"], row["gold"] is None, (row["gold"] or row["pred"])["start"]) for row in rows]
    assert order == sorted(order)
    contents = [(each.id, each.text, each.gold) for each in SYSTEMS[0]]
    for mark, row in zip(marks, rows):
        k = row["document"] - 1
        assert mark.digest == gold_digest(*contents[k])
        assert [n for n, each in enumerate(contents) if each == contents[k]][mark.copy] == k
        assert (k, mark.gold or (mark.pred or ())[:2]) in places
        assert mark.gold is None or row["gold"]["text"] == contents[k][1][slice(*mark.gold[:2])]
        assert mark.pred is None or mark.pred in {*map(tuple, SYSTEMS[int(mark.system[-1])][k].pred)}
    moved = "\n".join(json.dumps({**row, "document": n + 5}) for n, row in enumerate(rows))
    found = run("return marksIn(text).found;", text=moved)
    assert in_any_order(found) == in_any_order(made), "documents are found by their digests, wherever they are"
    other = page_data(ReportView([system("a", *corpora(8, 1)[0])]))
    assert run("return marksIn(text);", other, text=text) == {"found": [], "refused": len(marks)}
    bad = ["{", "{}", "null", *(line.replace('"digest":"', '"digest":"9') for line in lines[:2])]
    bad += [lines[0].replace('"mark":"', '"mark":"x'), json.dumps({**rows[0], "decided": [1]})]
    assert run("return marksIn(text).refused;", text="\n".join(bad)) == 7


def in_any_order(values: list[Any]) -> list[str]:
    return sorted(map(json.dumps, values))


CORRECTIONS = [
    ([(0, 3, "A")], [(0, 3, "B")], "", []),
    ([(0, 3, "A")], [(0, 7, "A")], "", [(4, 7)]),
    ([(0, 3, "A")], [], "", []),
    ([(0, 3, "A")], [(3, 4, "A")], "no words", []),
    ([(0, 3, "A")], [(0, 99, "A")], "no words", []),
    ([(0, 3, "A")], [(0, 3, " ")], "needs a label", []),
    ([(0, 3, "A")], [(4, 11, "A")], "", [(4, 7)]),
]
"""On "one two six" with the gold spans A "one" and B "two": the span that is reviewed, what is decided, what is said,
and which other gold spans are taken out."""


@pytest.mark.parametrize(("reviewed", "decided", "said", "replaced"), CORRECTIONS)
def test_a_decision_is_refused_or_takes_out_what_it_overlaps(run, reviewed, decided, said, replaced):
    data = page_data(ReportView([system("one", Document([(0, 3, "A"), (4, 7, "B")], [(8, 11, "C")], "one two six"))]))
    body = """const { changes, refused } = decisionOn(placeAt(keyOf(0, 0)), decided, new Map());
    if (refused) return [refused, []];
    const marks = new Map(changes);
    const out = changes.slice(1).map(([key]) => named(goldAt(key)).slice(0, 2));
    return ["", out, spansNow(0, marks).map(([, each]) => each),
      decisionOn(placeAt(keyOf(0, ANY, 8, 11)), [[0, 11, "D"]], marks).refused];"""
    words, out, *rest = run(body, data, decided=decided)
    assert said in words and bool(words) is bool(said)
    assert [tuple(each) for each in out] == replaced
    if not said:
        kept = [(4, 7, "B")] if not replaced else []
        assert sorted(map(tuple, rest[0])) == sorted([*decided, *kept])
        assert (rest[1] is None) is (not decided), "another correction is not taken out unsaid"


MOVES = [("York", "start", -1, "New York"), ("New York", "start", 1, "York")]
MOVES += [("York", "end", 1, "York ,"), ("York ,", "end", -1, "York")]


@pytest.mark.parametrize(("words", "side", "step", "wanted"), MOVES)
def test_boundaries_move_by_words(run, words, side, step, wanted):
    text = "😀 New York , Łódź"
    body = """const at = text.indexOf(words);
      return text.slice(...movedBoundary(text, [at, at + words.length], side, step));"""
    assert run(body, text=text, words=words, side=side, step=step) == wanted


UNSPACED = [
    ("我在北京大学学习中文，他也在", "北京大学", "end", 1, "北京大学学习"),
    ("我在北京大学学习中文，他也在", "北京大学学习", "end", -1, "北京大学"),
    ("我在北京大学学习中文，他也在", "北京", "start", -1, "我在北京"),
    ("我在北京大学学习中文，他也在", "中文", "end", 1, "中文，"),
    ("東京都の山田太郎はNHKに行きました", "山田太郎", "start", 1, "太郎"),
    ("東京都の山田太郎はNHKに行きました", "山田太郎", "end", 1, "山田太郎は"),
    ("東京都の山田太郎はNHKに行きました", "太郎", "start", 1, "郎"),  # within a word, by a character
    ("東京都の山田太郎はNHKに行きました", "太郎", "end", -1, "太"),
    ("ผมไปกรุงเทพ เมื่อวาน", "กรุงเทพ", "start", -1, "ไปกรุงเทพ"),
]


@pytest.mark.parametrize(("text", "words", "side", "step", "wanted"), UNSPACED)
def test_boundaries_move_by_words_in_scripts_without_spaces(run, text, words, side, step, wanted):
    body = """const at = text.indexOf(words);
      const moved = () => text.slice(...movedBoundary(text, [at, at + words.length], side, step));
      const [found, Segmenter] = [moved(), Intl.Segmenter];
      Intl.Segmenter = undefined;
      const plain = moved();
      Intl.Segmenter = Segmenter;
      return [found, plain];"""
    found, plain = run(body, text=text, words=words, side=side, step=step)
    assert found == wanted
    at, end = text.index(words), text.index(words) + len(words)
    at, end = (at + step, end) if side == "start" else (at, end + step)
    assert plain == text[at:end], "by characters in browsers that know no words"


def test_boundaries_never_meet(run):
    body = "return ['start', 'end'].flatMap(side => [-1, 1].map(step => movedBoundary('one', [0, 3], side, step)));"
    assert run(body) == [[0, 3]] * 4
    assert run("return movedBoundary('a,b', [0, 1], 'start', 1);") == [0, 1]
    for side, step in (("start", 1), ("end", -1)):
        assert run("return movedBoundary('京', [0, 1], side, step);", side=side, step=step) == [0, 1]


def test_the_places_where_gold_may_be_wrong_are_those_of_the_view(run):
    """Each document comes twice, so that kinds of places have several; in a last one all systems agree against gold."""
    last = Document([], [(0, 3, "A")], "Zoe")
    view = ReportView([system(f"system {k}", *documents, *documents, last) for k, documents in enumerate(SYSTEMS)])
    assert view.lead > 0
    assert len(view.doubts) > 30 and any(len(each.evidence) > 1 for each in view.doubts)
    body = """return DOUBTS.map((place) => {
      const key = markKey(place, place.system);
      const { reasons, words } = evidenceOf({ key });
      const stretch = goldAt(key) ?? span(documents[place.k][3 + place.system][0], place.p);
      return [place.k, place.g, stretch.start, stretch.end, reasons, words, evident(place),
        proposalsOf({ ...place, key }).some((spans) => !spans.length), place.system];
    });"""
    places = {(k, g, start, end): each for k, g, start, end, *each in run(body, page_data(view))}
    assert len(places) == len(view.doubts)
    for doubt in view.doubts:
        document = view.systems[0].documents[doubt.document]
        text = document.text or ""
        g = document.gold.index(doubt.gold) if doubt.gold else -1
        start, end = (utf16(text, at) for at in doubt.place)
        reasons, words, proposed, nothing, number = places[doubt.document, g, start, end]
        wanted = dict.fromkeys(each.reason for each in doubt.evidence)
        assert [reason for reason in reasons if reason != "repeated error"] == [*wanted]
        assert len(reasons) == len({*reasons}) and not any("gold in doubt" in word for word in words)
        said = [evidence_words(each, doubt, view.names) for each in doubt.evidence]
        assert [word for word in words if ", on " not in word] == [*dict.fromkeys(said)]
        assert proposed == [[utf16(text, a), utf16(text, b), label] for a, b, label in doubt.proposed]
        verdicts = [v for own in view.systems for v in create("fair").verdicts(own.documents[doubt.document])]
        assert nothing is (bool(doubt.gold) and not any(v.gold == doubt.gold and v.pred for v in verdicts))
        order = sorted(range(3), key=lambda system: system != view.lead)
        preds = [view.systems[system].documents[doubt.document].pred for system in order]
        by = view.lead if doubt.gold else next(s for span in doubt.proposed for s, p in zip(order, preds) if span in p)
        assert number == by


def test_mentions_that_the_text_lacks_are_not_reviewed(run):
    eve, preds = [(4, 7, "A")], ([(0, 3, "A"), (4, 7, "A")], [])
    sides = [[Document(gold, pred, "Ada\nEve") for gold in ([], eve)] for pred in preds]
    for document in sum(sides, []):
        document.annex = 3
    data = page_data(ReportView([system(name, *documents) for name, documents in zip("ab", sides)]))
    body = """const rows = [{ k: 0, g: ANY, p: 0, q: ANY }, { k: 0, g: ANY, p: 1, q: ANY }];
      const queued = (name, list) => queueOf(name, list).map(({ k, g, p }) => [k, g, p]);
      return [queued('disagreements', {}), queued('list', { rows, asked: { one: 0, other: ANY } }),
        documentAsJson(1, {}).spans];"""
    assert run(body, data) == [[[0, -1, 0], [1, -1, 0]], [[0, -1, 0]], []]


def test_suspects_on_one_gold_span_are_one_place_in_heading_table_and_queue():
    side = [Document([(0, 8, "LOC")], [(4, 8, "ORG")], "New York"), *[Document([(0, 8, "ORG")], [], "New York")] * 2]
    view = ReportView([system("a", *side), system("b", *side)])
    (doubt,) = view.doubts
    assert (doubt.gold, [each.reason for each in doubt.evidence]) == ((0, 8, "LOC"), ["agreement", "two labels"])
    assert {*doubt.proposed} == {(0, 8, "ORG"), (4, 8, "ORG")}
    assert {each.section: each.heading for each in view.findings()}["gold"] == "1 possible gold error"
    ((row,),) = (table.rows for table in view.tables(["gold"]))
    against = "both systems predict ORG; gold label ORG 2 times for these words, LOC 1 (in 2, 3)"
    assert row[2:] == ["LOC “New York”", f"{against}; proposed: “York”, “New York”"]
    wide = Document([(0, 3, "PER"), (4, 12, "PER")], [(0, 12, "PER")], "Ada Lovelace")
    assert [each.gold for each in ReportView([system("a", wide), system("b", wide)]).doubts] == [(4, 12, "PER")]


OWN = {"mark": "gold", "note": "a", "decided": [[0, 3, "A"]]}
SYSTEM_WRONG = {**OWN, "mark": "system", "decided": None}
OPEN = {"by": "b.jsonl", "settled": None}
OTHERS = [{**SYSTEM_WRONG, "by": "c.jsonl", "settled": "mine"}]
DISPUTED = {**OWN, "others": OTHERS}
"""A mark whose reviewer has kept it against that of another one."""

JOINED = [
    (None, OWN, "added", OWN),
    (OWN, OWN, "same", None),
    (OWN, {**OWN, "note": "b"}, "same", {**OWN, "note": "a; b"}),
    (OWN, {**OWN, "decided": []}, "differing", {**OWN, "others": [{**OWN, "decided": [], **OPEN}]}),
    (OWN, SYSTEM_WRONG, "differing", {**OWN, "others": [{**SYSTEM_WRONG, **OPEN}]}),
    (DISPUTED, SYSTEM_WRONG, "differing", None),  # read again
    (DISPUTED, {**OWN, "decided": []}, "differing", {**DISPUTED, "others": [*OTHERS, {**OWN, "decided": [], **OPEN}]}),
    (None, DISPUTED, "added", DISPUTED),
    (OWN, DISPUTED, "same", DISPUTED),
    (SYSTEM_WRONG, DISPUTED, "differing", {**SYSTEM_WRONG, "others": [{**OWN, **OPEN}]}),
]


@pytest.mark.parametrize(("own", "other", "kind", "change"), JOINED)
def test_the_mark_of_another_person_joins_ones_own(run, own, other, kind, change):
    body = """const { changes, numbers } = joined(new Map(own ? [['k', own]] : []), [['k', other]], "b.jsonl");
      return [changes, numbers];"""
    changes, numbers = run(body, own=own, other=other)
    assert changes == ([["k", change]] if change else [])
    assert numbers == {"added": 0, "same": 0, "differing": 0, kind: 1}


def test_a_dispute_ends_where_both_say_the_same_and_reopens_where_they_no_longer_do(run):
    body = "return withDisputes({ ...own, others: [{ ...other, by: '', settled: last }] }).others[0].settled;"
    cases = [(OWN, OWN, None, "theirs"), (OWN, OWN, "mine", "theirs"), (OWN, SYSTEM_WRONG, None, None)]
    cases += [(OWN, SYSTEM_WRONG, "mine", "mine"), (OWN, SYSTEM_WRONG, "theirs", None)]
    for own, other, settled, wanted in cases:
        assert run(body, own=own, other=other, last=settled) == wanted
    stored = run("return upgraded(value);", value={**OWN, "other": SYSTEM_WRONG})
    assert stored == {**OWN, "others": [{**SYSTEM_WRONG, "by": "", "settled": None}]}
    assert run("return upgraded(value);", value=OWN) == OWN


def test_disputes_come_back_from_the_file_and_are_words_in_the_table(run):
    body = """const key = markKey(place, place.system);
      const others = [{ by: 'b', mark: 'system', decided: null, note: 'no', settled: 'mine' },
        { by: 'c', mark: 'gold', decided: [], note: '', settled: null }];
      const seen = seenAt({ ...place, key });
      const made = new Map([[key, { mark: 'gold', note: '', decided: [[0, 2, 'new']], seen, others }]]);
      const text = asJsonLines(recordsOf(made));
      return [[...made], marksIn(text).found, text, marksAsTable(made)];"""
    k, system, g, p = next(numbered(*each) for each in MARKED if each[2])
    made, found, text, table = run(body, place={"k": k, "g": g, "p": p, "system": system})
    assert found == made
    (mark,) = read_marks([json.loads(text)])
    assert [(each.by, each.mark, each.settled) for each in mark.others] == [
        ("b", "system wrong", "mine"),
        ("c", "gold wrong", None),
    ]
    (row,) = csv.DictReader(io.StringIO(table))
    assert row["others"] == "b, system wrong, no, settled: mine; c, gold wrong, no span"


# Texts with their bars and flags


def test_every_verdict_has_a_flag_behind_its_words_and_every_span_a_bar(run):
    body = """return documents.map((doc) => {
      const { bars, flags, rows } = marksOf(doc, [0, 1, 2], fair);
      return [bars.map(({ start, end, row, flags }) => [start, end, row, flags.size]), rows,
        flags.map(({ g, place, end, said }) => [g, place, end, said.map(({ system, p }) => [system, p])]),
        stretches(doc[1], { flags }, () => false)];
    });"""
    for sides, (bars, rows, flags, parts) in zip(zip(*SYSTEMS), run(body), strict=True):
        text, gold = sides[0].text or "", dict(enumerate(sides[0].gold))
        said = Counter((s, v.gold, v.pred) for s, side in enumerate(sides) for v in create("fair").verdicts(side))
        shown = ((s, gold.get(g), dict(enumerate(sides[s].pred)).get(p)) for g, _, _, own in flags for s, p in own)
        assert Counter(shown) == said
        spans = {(utf16(text, a), utf16(text, b)) for side in sides for a, b, _ in (*side.gold, *side.pred)}
        assert {(start, end) for start, end, _, _ in bars} == spans and all(n for *_, n in bars)
        assert all(end <= place for _, place, end, _ in flags)
        for a, b in itertools.combinations(bars, 2):
            assert a[2] < rows and (a[2] != b[2] or a[1] <= b[0] or b[1] <= a[0]), "bars of a row do not meet"
        edges = [0, *(end for _, end, _ in parts)]
        assert [part[:2] for part in parts] == [[*pair] for pair in itertools.pairwise(edges)]
        assert edges[-1] == utf16(text, len(text))


def test_a_flag_stands_behind_the_word_in_which_its_span_ends(run):
    cases = {"Navy's": 4, "don’t go": 2, "ab cd": 2, "北京市": 1, "مدينة x": 2, "e\u0301x y": 1}
    cases |= {"x" * 50: 3, "": 0, "a-b": 1}
    ends = [6, 5, 2, 1, 5, 3, 3, 0, 1]
    assert run("return cases.map(([text, end]) => behindWord(text, end));", cases=[*cases.items()]) == ends


def test_a_group_of_errors_is_chosen_for_its_system_and_metric_alone(run):
    body = """const kept = (group, one, metric) =>
      settled({ ...unfiltered(), one, other: ANY, metric, group }).group;
    return data.groups.flatMap(({ system }, group) =>
      [[system, fair], [system, fair ? 0 : 1], [(system + 1) % 3, fair]].map((asked) => kept(group, ...asked)));"""
    found = run(body)
    assert len(found) > 9 and found == [group for k in range(len(found) // 3) for group in (k, None, None)]


def test_a_gap_is_where_no_piece_of_a_span_is(run):
    pieces = [[0, 4], [9, 12]]
    body = "return places.map((at) => [isGap({ pieces: parts }, at), isGap({ start: 0, end: 12 }, at)]);"
    found = run(body, parts=pieces, places=[*range(14)])
    assert found == [[at not in (0, 1, 2, 3, 9, 10, 11), False] for at in range(14)]


@pytest.mark.parametrize("width", [3, 1000])
@pytest.mark.parametrize("length", [10, 400, 401, 700, 5000])
def test_stretches_cover_the_text_and_show_what_is_wanted(run, length, width):
    ends = [(s, min(s + width, length - 1)) for s in (2, length // 2, length - 4)]
    flags = [{"start": start, "end": end, "said": [{"kind": "hit"}]} for start, end in ends]
    parts = run("return stretches('x'.repeat(length), { flags }, () => false);", flags=flags, length=length)
    assert "".join("x" * (end - start) for start, end, _ in parts) == "x" * length
    assert [part[0] for part in parts] == [0, *(part[1] for part in parts[:-1])]
    shown = [range(start, end) for start, end, seen in parts if seen]
    assert all(any(at in each for each in shown) for flag in flags for at in (flag["start"], flag["end"]))
    assert all(end - start > 160 for start, end, seen in parts if not seen)


def test_each_of_many_buckets_lists_its_own_spans(run):
    """Buckets from the eleventh on have letters for digits."""
    sources = [f"source {k:02}" for k in range(14)]
    documents = [
        Document([(0, 3, "A")], [(0, 3, "A"), (4, 7, "B")] if k % 2 else [], "Ada met", id=source)
        for k, source in enumerate(sources)
    ]
    for document, source in zip(documents, sources):
        document.meta = {"source": source}
    view = ReportView([system(name, *documents) for name in ("one", "other")], by=["meta.source"])
    data = page_data(view)
    (number,) = [k for k, part in enumerate(data["slices"]) if part["title"] == "source" or "source" in part["title"]]
    body = f"""return documents.flatMap((doc, k) => [[k, bucketOf(k, {number}, 0, ANY, 0)],
      ...[0, 1].flatMap(system => doc[3 + system][0].length ? [[k, bucketOf(k, {number}, ANY, 1, system)]] : [])])"""
    found = run(body, data)
    assert [data["slices"][number]["buckets"][bucket] for _, bucket in found] == [sources[k] for k, _ in found]
    assert len(found) == 14 + 14


def test_a_gold_span_is_shown_with_the_prediction_that_decides_what_became_of_it(run):
    """A span in two parts is compared with both; the first decides, so the second is named by itself."""
    view = ReportView([system("one", Document([(0, 9, "A")], [(0, 4, "A"), (5, 9, "B")], "Ada Alone", id="d"))])
    data = page_data(view)
    judged = [
        (v.name, v.gold, v.pred) for v in create("fair").verdicts(view.systems[0].documents[0]) if v.gold and v.pred
    ]
    ((place,),) = [run("return documents.map(doc => firstPrediction(doc, 0, 0))", data)]
    predicted = sorted(view.systems[0].documents[0].pred)
    assert predicted[place] == judged[0][2]
    rows = run("const rows = []; verdicts(documents[0], 0, fair, (v, g, p) => rows.push([g, p])); return rows", data)
    assert [p for g, p in rows if g == 0][0] == place
