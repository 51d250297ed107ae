"""The functions of the page on agreement and of that of thresholds, against twins, in one empty page of a browser."""

import csv
import io
import itertools
from random import Random

import pytest
from annotators import annotated, at_random, page_of
from browsers import needs_browser
from pages import Parsed

from spacy_nereval import Document, create_all
from spacy_nereval.features.agreement.adjudication import AGREEMENT, label_studio_tasks, prodigy_tasks
from spacy_nereval.features.agreement.votes import disputed_places
from spacy_nereval.features.thresholds.chosen_cuts import find_thresholds
from spacy_nereval.features.thresholds.curves import Settings
from spacy_nereval.features.thresholds.threshold_page import THRESHOLDS, thresholds_page

pytestmark = needs_browser


def emoji(seed: int):
    """Twelve texts with characters of two units, each annotated by two to four of four people."""
    rng, found = Random(seed), []
    for _ in range(12):
        text = " ".join(rng.choice(("😀", "ab", "👩\u200d👧", "c")) for _ in range(6))
        spans = sorted({(a := rng.randrange(len(text)), min(len(text), a + 2), rng.choice("XY")) for _ in range(5)})
        people = rng.sample("abcd", rng.randint(2, 4))
        found.append((text, {who: [span for span in spans if rng.random() < 0.6] for who in sorted(people)}))
    return annotated(*found)


SHARED = emoji(5)
DATA = Parsed(page_of(SHARED)).data

ASKED = """const text = ({ places, found }) => [places, found];
return cases.map(each => text(matching({ ...unfiltered(), ...each, chosen: new Set(each.chosen || []) })));"""


def test_the_list_has_the_places_where_the_chosen_annotators_differ(run):
    names = SHARED.annotators
    order = [names.index(who) for who in DATA["annotators"]]
    pairs = [*itertools.product(range(-1, 4), repeat=2), (0, 1), (1, 0)]
    cases = [{"one": a, "other": b, "label": label} for a, b in pairs if a != b or a < 0 for label in (-1, 0, 1)]
    found = run(AGREEMENT, DATA, ASKED, cases=cases)
    sizes = set()
    for case, (places, documents) in zip(cases, found, strict=True):
        expected = 0
        label = None if case["label"] < 0 else DATA["labels"][case["label"]]
        asked = {names[order[case[side]]] for side in ("one", "other") if case[side] >= 0}
        for document in SHARED.documents:
            for place in disputed_places(document.spans):
                said = {who: {v.span for v in place.versions if who in v.annotators} for who in document.spans}
                pairs = (pair for pair in itertools.combinations(said, 2) if asked <= {*pair})
                labels = {version.span.label for version in place.versions} | {None}
                expected += label in labels and any(said[a] != said[b] for a, b in pairs)
        assert len(places) == expected, case
        assert sorted({k for k, _ in places}) == sorted(documents)
        sizes.add(expected)
    assert len(sizes) > 8


def test_kinds_and_groups_narrow_the_list_and_search_finds_ids_and_texts(run):
    kinds = sorted({kind for doc in DATA["documents"] for place in doc["places"] for kind, _, _ in place[3]})
    cases = [{"chosen": [*some], "one": a} for some in itertools.combinations(kinds, 2) for a in (-1, 2)]
    found = run(AGREEMENT, DATA, ASKED, cases=cases)
    for case, (places, _) in zip(cases, found, strict=True):
        expected = [
            [k, p]
            for k, doc in enumerate(DATA["documents"])
            for p, place in enumerate(doc["places"])
            if any(kind in case["chosen"] and case["one"] in (-1, a, b) for kind, a, b in place[3])
        ]
        assert sorted(places) == expected
    groups = run(AGREEMENT, DATA, ASKED, cases=[{"group": k} for k in range(len(DATA["groups"]))])
    for (places, _), group in zip(groups, DATA["groups"], strict=True):
        pairs = zip(group["members"][::2], group["members"][1::2], strict=True)
        assert sorted(places) == sorted(map(list, {*pairs}))
    searched = [{"find": text, "order": "corpus"} for text in ("d1", "👧 C", "", "(")]
    for case, (_, documents) in zip(searched, run(AGREEMENT, DATA, ASKED, cases=searched), strict=True):
        texts = [(doc["id"], doc["text"]) for doc in DATA["documents"]]
        find = case["find"].lower()
        assert documents == [k for k, pair in enumerate(texts) if any(find in text.lower() for text in pair)]


def test_the_best_pair_has_full_colour_whichever_way_a_score_goes(run):
    cases = [([0.2, None, 0.6, 0.4], 1), ([0.2, None, 0.6, 0.4], -1), ([0.5, 0.5], 1), ([0.5, 0.5], -1), ([None], 1)]
    given = [{"values": values, "better": better} for values, better in cases]
    found = run(AGREEMENT, DATA, "return cases.map(heatOf);", cases=given)
    worst, half = 0.15, pytest.approx(0.575)
    assert found == [[worst, 0, 1, half], [1, 0, worst, pytest.approx(0.575)], [1, 1], [1, 1], [0]]


def test_the_address_of_the_page_on_agreement_comes_back(run):
    cases = [
        {"one": 1, "other": 2, "label": 1, "chosen": [0, 2], "group": 0, "find": "a=b", "pattern": True, "at": 4},
        {"view": "documents", "order": "corpus", "doc": 11, "one": 3},
    ]
    same = """const text = (asked) => JSON.stringify(asked, (_, value) => value instanceof Set ? [...value] : value);
    const whole = cases.map(each => ({ ...unfiltered(), ...each, chosen: new Set(each.chosen || []) }));
    return whole.map(each => {
      const address = addressOf(each, unfiltered());
      return [address, text(fromAddress(address)) === text(each)];
    });"""
    (_, first), (address, second) = run(AGREEMENT, DATA, same, cases=cases)
    assert first and second and address == "#view=documents&one=3&order=corpus&doc=12"
    nonsense = "#one=2&other=2&label=9&chosen=88&group=-1&doc=13&view=errors"
    assert run(AGREEMENT, DATA, "return addressOf(fromAddress(hash), unfiltered());", hash=nonsense) == "#one=2"


@pytest.mark.parametrize("shared", [SHARED, at_random(3), at_random(11, overlapping=True)], ids=["emoji", "3", "11"])
def test_tasks_for_adjudication_are_what_the_command_writes(run, shared):
    body = "const all = disputed(matching(unfiltered()).places); return [all.map(forProdigy), all.map(forLabelStudio)];"
    prodigy, label_studio = run(AGREEMENT, Parsed(page_of(shared)).data, body)
    assert prodigy == [*prodigy_tasks(shared)] and label_studio == [*label_studio_tasks(shared)]


def test_an_adjudicated_document_counts_the_places_that_are_not_decided(run):
    body = """return documents.map((doc, k) => [doc.places.length, [{}, { chosen: [] }, { unclear: true }].map((said) =>
      adjudicated(k, doc.places.length ? new Map([[keyOf(k, 0), said]]) : new Map()).meta)]);"""
    found = run(AGREEMENT, DATA, body)
    for places, metas in found:
        decided = [0, min(places, 1), 0]  # nothing said, a choice, unclear
        assert metas == [{"decided": number, "open": places - number} for number in decided]
    assert sum(places > 1 for places, _ in found) > 5


# Thresholds


def scored(seed: int) -> list[Document]:
    rng, found = Random(seed), []
    for _ in range(12):
        gold = [(k, k + 1, rng.choice("AB")) for k in range(0, 20, 2) if rng.random() < 0.6]
        pred = [(k, k + 1, rng.choice("ABC")) for k in range(0, 20, 2) if rng.random() < 0.6]
        document = Document(gold, pred, "x" * 20)
        document.span_scores = {span: rng.randrange(1, 100) / 100 for span in pred}
        found.append(document)
    return found


CORPORA = [scored(k) for k in range(3)]


@pytest.fixture(scope="module")
def curves():
    """The data of the page of three systems."""
    settings = Settings(per_label="own")
    found = [(f"s{k}", find_thresholds(own, create_all(["strict"]), settings)) for k, own in enumerate(CORPORA)]
    return Parsed(thresholds_page(found, golds=["gold.jsonl"])).data


def f_at(documents: list[Document], cut: float, label: str) -> float | None:
    kept = [[s for s in each.pred if each.span_scores[s] >= cut] for each in documents]
    gold, pred = (
        {(k, span) for k, spans in enumerate(side) for span in spans if label in ("", span.label)}
        for side in ([each.gold for each in documents], kept)
    )
    return 2 * len(gold & pred) / (len(gold) + len(pred)) if gold or pred else None


@pytest.mark.parametrize(("system", "label"), [(-1, -1), (-1, 2), (1, -1), (2, 0), (0, 2)])
def test_the_saved_curves_are_those_that_are_shown_with_their_values(run, curves, system, label):
    labels = curves["labels"]
    body = """const own = { ...usual, ...asked };
    const pairs = (points) => points.map(({ x, y }) => [x, y]);
    return [curvesAsTable(own), CHARTS.cut(own).lines.map(({ s, k, points }) => [s, k, pairs(points)])];"""
    f = [each["title"] for each in curves["scores"]].index("strict F")
    text, lines = run(THRESHOLDS, curves, body, asked={"system": system, "label": label, "score": f})
    rows = [*csv.DictReader(io.StringIO(text, newline=""))]
    shown = {-1: range(len(labels)), 0: [0]}.get(label, [0, label])
    wanted = [(s, max(0, label)) for s in range(3)] if system < 0 else [(system, k) for k in shown]
    assert [*dict.fromkeys((row["system"], row["label"]) for row in rows)] == [(f"s{s}", labels[k]) for s, k in wanted]
    assert {row["score"] for row in rows} == {"strict F"}
    assert {row["documents"] for row in rows} == {curves["golds"][-1]}
    for row in rows:
        value = f_at(CORPORA[int(row["system"][1:])], float(row["cut"]), row["label"])
        assert row["value"] == "" if value is None else float(row["value"]) == pytest.approx(value, abs=1e-4)
    assert [(s, k) for s, k, _ in lines] == wanted
    drawn = [value for *_, points in lines for x, y in points for value in (x, y / 100)]
    saved = [float(row[name]) for row in rows if row["value"] for name in ("cut", "value")]
    assert drawn == pytest.approx(saved)


@pytest.mark.parametrize("label", [1, 2])
def test_the_chosen_cut_of_each_system_is_marked_on_its_own_curve(run, curves, label):
    body = "return CHARTS.cut({ ...usual, ...asked }).lines.map(({ s, marks }) => [s, marks]);"
    lines = run(THRESHOLDS, curves, body, asked={"system": -1, "label": label})
    places = {s: [(mark["x"], mark["y"]) for mark in marks] for s, marks in lines}
    for s, system in enumerate(curves["systems"]):
        cut = system["cuts"][label]
        assert places[s] == [
            (cut, pytest.approx(100 * (f_at(CORPORA[s], cut, curves["labels"][label]) or 0), abs=0.01))
        ]
    assert len({x for marks in places.values() for x, _ in marks}) == 3


@pytest.mark.parametrize(("system", "own"), [(-1, [0, 1, 2]), (1, [1])])
def test_every_chart_has_the_lines_of_its_system_and_the_best_is_told(run, curves, system, own):
    body = """const own = { ...usual, ...asked };
    return Object.fromEntries(Object.entries(CHARTS).map(([name, draw]) => [name, draw(own)]));"""
    charts = run(THRESHOLDS, curves, body, asked={"system": system, "label": 0})
    for x, y, name in (("recall", "precision", "recall"), ("coverage", "risk", "coverage")):
        for s, line in zip(own, charts[name]["lines"], strict=True):
            side = curves["systems"][s]["sides"][0]
            pairs = zip(side[x][0], side[y][0], strict=True)
            known = [pytest.approx((100 * a, 100 * b)) for a, b in pairs if None not in (a, b)]
            assert [(point["x"], point["y"]) for point in line["points"]] == known
            (mark,) = line["marks"]
            assert (mark["x"], mark["y"]) == pytest.approx([*map(float, mark["shown"].split(", "))], abs=0.006)
    bins = [(bin["n"], pytest.approx(100 * bin["hits"])) for s in own for bin in curves["systems"][s]["bins"]]
    assert [(bin["n"], bin["y"]) for bin in charts["calibration"]["datasets"]["bins"]] == bins
    for s, line in zip(own, charts["cut"]["lines"], strict=True):
        every = {score for document in CORPORA[s] for score in document.span_scores.values()}
        best = max(f_at(CORPORA[s], cut, "") or 0 for cut in every)
        assert line["peak"].startswith(f"{100 * best:.2f} at ")
        assert line["peaks"][0]["y"] == pytest.approx(100 * best, abs=0.01)


NAMES = {
    "PER": "PER",
    "P\u200bER": "P\\u200bER",
    "PER\u00a0": "PER\\xa0",
    "\u202eREP": "\\u202eREP",
    "caf\u00e9": "caf\u00e9",
    "cafe\u0301": "cafe\\u0301",
    "Zoe\u0301": "Zoe\u0301",  # no other label looks like it
}


@pytest.mark.parametrize("layout", [AGREEMENT, THRESHOLDS])
def test_labels_have_marks_for_what_nobody_sees_on_every_page(layout, run, curves):
    data = DATA if layout is AGREEMENT else curves
    assert run(layout, data | {"labels": [*NAMES]}, "return names.map(each => name(each));", names=[*NAMES]) == [
        *NAMES.values()
    ]
