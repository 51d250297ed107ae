"""Offsets and edges as other tools write them: units and inclusive ends on one side alone, white space, neighbours.

What looks odd is said with the option that reads it; an option of one side does not reread the other.
"""

import json
from itertools import pairwise

import pytest
from commands import accepted, flat, printed, run, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import refused
from refusals import refused_with

from spacy_nereval import agreement, compare, evaluate, load, score, thresholds
from spacy_nereval.core.edges import EditedSpans, edge_lines, join_spans, trim_span
from spacy_nereval.io.count_files import load as load_counts

TEXT = "😀 Ada met"
GOLD = {"text": TEXT, "spans": [[2, 5, "PER"]]}
SURFACE = {"start": 3, "end": 6, "label": "PER", "text": "Ada"}


def files(folder, gold, pred, times=1):
    return write(folder / "g.jsonl", *[gold] * times), write(folder / "p.jsonl", *[pred] * times)


def strict(*arguments, **options):
    return score(*arguments, ["strict"], **options).strict.counts


def counts_of(folder, *arguments):
    out = folder / "out.json"
    printed("score", *arguments, "-m", "strict", "-o", out)
    return json.loads(out.read_text())["metrics"]["strict"]["counts"]


HIT, MISS = {"tp": 1, "fp": 0, "fn": 0}, {"tp": 0, "fp": 1, "fn": 1}


# Units of one side


@pytest.mark.parametrize("unit, at", [("utf16", 3), ("utf8", 5)])
def test_the_unit_of_one_side_is_named_without_rereading_the_other(unit, at, tmp_path):
    gold, pred = files(tmp_path, GOLD, {"text": TEXT, "spans": [{**SURFACE, "start": at, "end": at + 3}]})
    said = refused("score", gold, pred)
    assert "--offsets auto finds the unit" in said and f"--offsets {unit}" not in said
    for offsets in ("auto", f"codepoint,{unit}"):
        assert counts_of(tmp_path, gold, pred, "--offsets", offsets) == HIT
        assert strict(gold, pred, offsets=offsets) == HIT
        compared = compare({"a": str(pred), "b": str(pred)}, str(gold), ["strict"], offsets=offsets)
        assert compared.conclusion
        two = agreement({"a": str(gold), "b": str(pred)}, ["strict"], offsets=offsets)
        assert two["metrics"]["strict"]["f"]["mean"] == 1.0
        accepted("agreement", gold, pred, "--offsets", offsets)
        assert "no verdicts of this kind" in printed("errors", gold, pred, "--offsets", offsets)
    for command in (("errors", gold, pred), ("compare", gold, pred, pred), ("agreement", gold, pred)):
        assert "--offsets auto finds the unit" in refused(*command)
    assert counts_of(tmp_path, pred, gold, "--offsets", f"{unit},codepoint") == HIT


def test_units_of_one_side_hold_for_records_and_lists():
    rows = [GOLD], [{"text": TEXT, "spans": [SURFACE]}]
    with refused_with(
        ValueError,
        "pred, document 0: span 0, from 3 to 6, is 'da ', but the file says 'Ada'; offsets would fit "
        "as UTF-16 code units: offsets='utf16' (offsets='codepoint,utf16' if only the predictions' "
        "are)",
    ):
        strict(*rows)
    assert strict(*rows, offsets="codepoint,utf16") == strict(*rows, offsets=("codepoint", "utf16")) == HIT
    lists = [[(2, 5, "PER")]], [[(3, 6, "PER")]]
    assert strict(*lists, text=[TEXT], offsets="codepoint,utf16") == HIT
    assert strict(*lists, text=[TEXT]) == {"tp": 0, "fp": 1, "fn": 1}
    with refused_with(
        ValueError,
        "offsets='auto': only files show it; expected one of codepoint, utf16, utf8",
    ):
        strict(*rows, offsets="auto")


def test_line_ends_of_two_characters_may_count_as_one(tmp_path):
    """As in tools that run in a browser, which has \\n alone."""
    text = "Ada\r\nmet Bob\r\nand Eve"
    exact = write(tmp_path / "g.jsonl", {"text": text, "spans": [[0, 3, "PER"], [9, 12, "PER"], [18, 21, "PER"]]})
    spans = [
        {"start": a, "end": a + 3, "label": "PER", "text": name} for a, name in ((0, "Ada"), (8, "Bob"), (16, "Eve"))
    ]
    lines = write(tmp_path / "p.jsonl", {"text": text, "spans": spans})
    values = [{"start": s["start"], "end": s["end"], "text": s["text"], "labels": ["PER"]} for s in spans]
    result = [{"type": "labels", "from_name": "l", "to_name": "text", "value": value} for value in values]
    tasks = tmp_path / "p.json"
    tasks.write_text(json.dumps([{"id": 1, "data": {"text": text}, "annotations": [{"result": result}]}]))
    for path in (lines, tasks):
        said = refused("score", exact, path)
        assert "fit if offsets count line ends of two characters as one: --offsets auto finds the unit" in said
        assert "inclusive" not in said
        assert counts_of(tmp_path, exact, path, "--offsets", "auto") == {"tp": 3, "fp": 0, "fn": 0}
        two = agreement({"a": str(exact), "b": str(path)}, ["strict"], offsets="auto")
        assert two["metrics"]["strict"]["f"]["mean"] == 1.0
    for item, more in (({"text": text, "spans": spans}, {}), (spans, {"text": [text]})):
        with pytest.raises(ValueError, match=r"count line ends of two characters as one: give the text with \\n as"):
            strict([item], [item], **more)
    assert strict([spans], [spans], text=[text.replace("\r\n", "\n")])["tp"] == 3


@pytest.mark.parametrize("end, is_inclusive", [(2, True), (3, False)])
def test_an_end_that_looks_inclusive_is_named_in_brat_too(end, is_inclusive, tmp_path):
    (tmp_path / "a.txt").write_text("Ada met" if is_inclusive else "\nAda met")
    (tmp_path / "a.ann").write_text(f"T1\tPER 0 {end}\tAda\n")
    assert ("--end inclusive" in refused("score", tmp_path, tmp_path)) is is_inclusive
    if is_inclusive:
        assert "F 100.00" in printed("score", tmp_path, tmp_path, "--end", "inclusive")


NO_PAIRS = {
    "--offsets codepoint,utf16,utf8": "3 values for 2 sides",
    "--offsets codepoint,utf7": "expected one of codepoint, utf16, utf8, auto, or one for each side",
    "--end in,out": "expected one of exclusive, inclusive, or one for each side",
}


@pytest.mark.parametrize("option, said", NO_PAIRS.items())
def test_values_of_sides_are_checked(option, said, tmp_path):
    gold, pred = files(tmp_path, GOLD, GOLD)
    assert said in refused("score", gold, pred, *option.split())
    assert said in refused("agreement", gold, pred, *option.split())


# Ends that look inclusive

MET = "Ada met Bob k."
EXCLUSIVE, INCLUSIVE = [[0, 3, "PER"], [8, 11, "PER"]], [[0, 2, "PER"], [8, 10, "PER"]]
SIDES = {
    "predictions": (EXCLUSIVE, INCLUSIVE, "60 of 60 predicted spans end one", "exclusive,inclusive"),
    "gold": (INCLUSIVE, EXCLUSIVE, "60 of 60 gold spans end one", "inclusive,exclusive"),
    "both": (INCLUSIVE, INCLUSIVE, "60 of 60 predicted spans end one", "inclusive"),
}


@pytest.mark.parametrize("gold, pred, said, end", SIDES.values(), ids=SIDES)
def test_inclusive_ends_are_noticed_and_read_side_by_side(gold, pred, said, end, tmp_path):
    paths = files(tmp_path, {"text": MET, "spans": gold}, {"text": MET, "spans": pred}, 30)
    warned = run("score", *paths).stderr
    assert f"⚠ {said}" in warned.replace("60 of 60 gold spans end one character before a word does; ", "⚠ ") or (
        f"{said} character before a word does" in warned
    )
    assert f"--end {end}\n" in warned
    assert f"--end {end}\n" in run("errors", *paths).stderr
    assert f"end={end!r}" in str(score(*paths, ["strict"]))
    assert "--end" not in run("score", *paths, "--end", end).stderr
    assert counts_of(tmp_path, *paths, "--end", end) == {"tp": 60, "fp": 0, "fn": 0}
    assert strict(*paths, end=end)["tp"] == 60
    rows = [[json.loads(line) for line in path.read_text().splitlines()] for path in paths]
    assert strict(*rows, end=end)["tp"] == 60
    lists = [[[tuple(span) for span in side]] * 3 for side in (gold, pred)]
    assert strict(*lists, text=[MET] * 3, end=end)["tp"] == 6
    assert f"end={end!r}" in str(score(*lists, ["strict"], text=[MET] * 3))
    for more in ((), ("--collapse",), ("--workers", 1, "--parts", tmp_path / "parts")):
        assert f"--end {end}\n" in run("count", *paths, "-o", tmp_path / "c.npz", "-m", "strict", *more).stderr
        assert f"--end {end}\n" in run("score", tmp_path / "c.npz").stderr
    accepted("agreement", *paths, "--end", end)
    assert f"--end {end}\n" in run("agreement", *paths).stderr
    assert f"end={end!r}" in str(agreement({"a": str(paths[0]), "b": str(paths[1])}, ["strict"]))
    assert [record.spans for record in load(paths[1], end=end.split(",")[-1])] == [
        [tuple(span) for span in EXCLUSIVE]
    ] * 30


def test_ends_before_those_of_the_other_side_are_noticed_without_spaces_between_words(tmp_path):
    text = "在北京和李"
    paths = files(
        tmp_path,
        {"text": text, "spans": [[1, 3, "LOC"], [4, 5, "PER"]]},
        {"text": text, "spans": [[1, 2, "LOC"], [4, 4, "PER"]]},
        3,
    )
    assert "6 of 6 predicted spans end one character before one of the other side does" in run("score", *paths).stderr
    assert counts_of(tmp_path, *paths, "--end", "exclusive,inclusive")["tp"] == 6


def test_spans_without_characters_are_noticed_on_their_side(tmp_path):
    text = "王和李"
    for gold, pred, end in (
        ([[1, 2, "PER"]], [[0, 0, "PER"], [1, 2, "LOC"]], "exclusive,inclusive"),
        ([[0, 0, "PER"]], [[0, 0, "PER"], [2, 2, "PER"]], "inclusive"),
    ):
        paths = files(tmp_path, {"text": text, "spans": gold}, {"text": text, "spans": pred})
        said = f"predicted spans have no character: --end {end}, if an end is that of the last one"
        assert said in flat(run("score", *paths).stderr)


def test_a_few_ends_that_are_cut_are_no_sign():
    signs = {("pred", "spans"): 10, ("pred", "cut"): 8, ("pred", "placed"): 10, ("pred", "short"): 8}
    assert edge_lines(signs) == []
    assert edge_lines({("gold", "spans"): 2, ("gold", "cut"): 2}) == []


# White space at the edges, and neighbours


def test_white_space_at_edges_is_said_and_can_be_left_out(tmp_path):
    paths = files(tmp_path, {"text": MET, "spans": [[8, 11, "PER"]]}, {"text": MET, "spans": [[7, 11, "PER"]]})
    assert "White space at the edges of 1 of the predicted spans: --trim space" in run("score", *paths).stderr
    assert counts_of(tmp_path, *paths) == MISS
    assert counts_of(tmp_path, *paths, "--trim", "space") == HIT
    assert strict(*paths, trim="space") == HIT
    result = score(*paths, ["strict"], trim="space")
    assert result["trimmed"] == 1 and "|trim:space|" in result["signature"]
    assert "1 span trimmed at the edges" in printed("score", *paths, "--trim", "space")
    assert "trimmed" not in score(*paths, ["strict"])
    rows = [json.loads(path.read_text()) for path in paths]
    assert strict(*([row] for row in rows), trim="space") == HIT
    assert strict([[(8, 11, "PER")]], [[(7, 11, "PER")]], text=[MET], trim="space") == HIT
    two = agreement({"a": str(paths[0]), "b": str(paths[1])}, ["strict"], trim="space")
    assert two["trimmed"] == 1 and two["metrics"]["strict"]["f"]["mean"] == 1.0 and "trim:space" in two["signature"]
    accepted("compare", *paths[:1], paths[1], paths[0], "--trim", "space")
    printed("convert", paths[1], tmp_path / "c.jsonl", "--trim", "space")
    assert load(tmp_path / "c.jsonl")[0].spans == [(8, 11, "PER")]


def test_counts_keep_what_was_changed_and_do_not_mix(tmp_path):
    paths = files(tmp_path, {"text": MET, "spans": [[8, 11, "PER"]]}, {"text": MET, "spans": [[7, 11, "PER"]]})
    for name, option in (("a", ("--trim", "space,punct", "--join")), ("b", ())):
        printed("count", *paths, "-o", tmp_path / f"{name}.npz", "-m", "strict", *option)
    counts = load_counts(tmp_path / "a.npz")
    assert counts.trimmed == 1 and counts.label_rules.parts() == ["trim:space,punct", "join"]
    assert evaluate(counts)["trimmed"] == 1
    assert "label rules trim:space,punct join, the other none" in refused(
        "merge", tmp_path / "a.npz", tmp_path / "b.npz", "-o", tmp_path / "c.npz"
    )


def test_neighbours_are_joined_only_on_demand(tmp_path):
    text = "New York, Rome Paris"
    gold = {"text": text, "spans": [[0, 8, "LOC"], [10, 14, "LOC"], [15, 20, "LOC"]]}
    pred = {"text": text, "spans": [[0, 3, "LOC"], [4, 8, "LOC"], [10, 14, "LOC"], [15, 20, "PER"]]}
    paths = files(tmp_path, gold, pred)
    assert counts_of(tmp_path, *paths) == {"tp": 1, "fp": 3, "fn": 2}
    result = score(*paths, ["strict"], join=True)
    assert result.strict.counts == {"tp": 1, "fp": 2, "fn": 1} and result["joined"] == 2
    assert "|join|" in result["signature"]
    mapped = score(*paths, ["strict"], join=True, labels={"PER": "LOC"})  # labels are changed before
    assert mapped.strict.counts == {"tp": 2, "fp": 0, "fn": 0} and mapped["joined"] == 3
    assert counts_of(tmp_path, *paths, "--join", "--labels", "PER=LOC") == {"tp": 2, "fp": 0, "fn": 0}


def test_trimming_needs_texts():
    tags = [["B-PER", "O"]]
    with refused_with(
        ValueError,
        "trim='space' needs the text, and a document has none: give every document its text",
    ):
        strict(tags, tags, trim="space")
    with refused_with(
        ValueError,
        "join=True needs the text, and a document has none: give every document its text",
    ):
        strict([[(0, 3, "PER")]], [[(0, 3, "PER")]], join=True)


def test_scores_follow_their_spans():
    spans = [{"start": 0, "end": 4, "label": "PER", "score": 0.9}, {"start": 4, "end": 8, "label": "PER", "score": 0.2}]
    chosen = thresholds([[(0, 8, "PER")]], [spans], text=["Ada King"], trim="space", join=True)
    assert chosen["pred"] == 1 and chosen["best"]["cut"] == 0.2
    edited = EditedSpans([(0, 4, "A"), (0, 3, "A"), (4, 8, "A")], "Ada King", "space", True)
    assert edited.map_scores({(0, 4, "A"): 0.9, (0, 3, "A"): 0.4, (4, 8, "A"): 0.7}) == {(0, 8, "A"): 0.7}
    assert edited.map_scores({(0, 4, "A"): "high", (4, 8, "A"): 0.7}) == {(0, 8, "A"): "high"}


TEXTS = st.text("ab ,.\u00a0\n-", min_size=1, max_size=12)


@st.composite
def texts_with_spans(draw):
    text = draw(TEXTS)
    offsets = st.integers(0, len(text))
    spans = st.tuples(offsets, offsets, st.sampled_from("AB")).map(lambda s: (min(s[:2]), max(s[:2]), s[2]))
    return text, draw(st.lists(spans, max_size=6))


@given(texts_with_spans(), st.sampled_from(["space", "space,punct"]))
@tries(300)
def test_trimmed_spans_have_the_same_content(case, trim):
    text, spans = case
    assert EditedSpans(spans, text, trim).spans == [*dict.fromkeys(trim_span(span, text, trim) for span in spans)]
    for span in spans:
        start, end, label = trim_span(span, text, trim)
        kept = {*",.-"} if trim == "space" else set()
        if not any(character.isalnum() or character in kept for character in text[span[0] : span[1]]):
            assert (start, end, label) == span
            continue
        stripped = text[span[0] : span[1]].strip() if trim == "space" else text[span[0] : span[1]].strip(" ,.\u00a0\n-")
        assert text[start:end] == stripped and span[0] <= start < end <= span[1] and label == span[2]
        assert trim_span((start, end, label), text, trim) == (start, end, label)


def joined_by_hand(spans, text):
    """Two spans after the other, as long as any two of one label have white space alone between them."""
    groups = [{span} for span in {*spans}]
    while True:
        for a, b in ((a, b) for a in groups for b in groups if a is not b):
            if any(s[2] == t[2] and s[1] < t[0] and text[s[1] : t[0]].isspace() for s in a for t in b):
                groups = [group for group in groups if group is not a and group is not b] + [a | b]
                break
        else:
            return {span: (min(s[0] for s in g), max(s[1] for s in g), span[2]) for g in groups for span in g}


@given(texts_with_spans())
@tries(500)
def test_joined_spans_are_those_that_one_finds_by_hand(case):
    text, spans = case
    assert join_spans(spans, text) == joined_by_hand(spans, text)


def test_a_long_chain_is_joined_quickly():
    text = "a " * 20_000
    spans = [(k, k + 1, "A") for k in range(0, len(text), 2)]
    assert {*join_spans(spans, text).values()} == {(0, len(text) - 1, "A")}
    assert all(a[0] < b[0] for a, b in pairwise(spans))
