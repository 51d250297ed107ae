"""Spans with gaps at every door: a folder of brat with negation, links and gaps, and numbers worked by hand."""

import json
from pathlib import Path

import pytest
from commands import refused, run, write
from pages import Parsed

from spacy_nereval import agreement, compare, gate, leaderboard, load, score, thresholds

pytestmark = pytest.mark.costly

TEXT = "No left and right knee pain today."
GAP, RIGHT, HULL = "3 7;18 27\tleft knee pain", "12 27\tright knee pain", "3 27\tleft and right knee pain"
DOCUMENTS = 12
POLICY = '[gate]\n\n[gate.rules]\n\n[gate.rules.f]\nscore = "strict_f"\nat_least = 20\n\n'
POLICY += '[gate.rules.gaps]\nscore = "fair_f"\nby = "pieces"\nbucket = "several"\nat_least = 10\n'


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """Gold has both signs in each document. The system `hulls` has the hull of the first one in every second document;
    `all` has everything."""
    monkeypatch.chdir(tmp_path)
    for name in ("gold", "hulls", "all"):
        Path(name).mkdir()
        for k in range(DOCUMENTS):
            first = HULL if name == "hulls" and k % 2 else GAP
            lines = [f"T1\tSIGN {first}", f"T2\tSIGN {RIGHT}", "A1\tnegated T1", "N1\tReference T2 UMLS:C1\tknee pain"]
            Path(name, f"{k:02}.txt").write_text(TEXT)
            Path(name, f"{k:02}.ann").write_text("".join(f"{line}\n" for line in lines))
    Path("policy.cfg").write_text(POLICY)
    return tmp_path


METRICS = ["strict", "fair", "semeval", "attributes"]


def test_score_and_count_files_say_the_same(here):
    """18 of 24 spans are right, 6 have the hull. 6 of 12 negations are on spans that were found."""
    result = score("gold", "hulls", METRICS)
    assert result.strict.counts == {"tp": 18, "fp": 6, "fn": 6}
    assert (result.fair.counts["be_l"], result["metrics"]["fair"]["boundaries"]["counts"]["be_both"]) == (6, 6)
    assert (result.semeval.strict_f, result.semeval.partial_f) == (0.75, 21 / 24)
    assert result.attributes.labels["negated=true"].counts["tp"] == 6
    assert result.attributes.labels["negated=true"].counts["end_fn"] == 6
    assert run("count", "gold", "hulls", "-o", "counts.npz", "-m", "strict,fair").exit_code == 0
    run("score", "counts.npz", "-o", "saved.json")
    saved = json.loads(Path("saved.json").read_text())
    assert saved["metrics"]["strict"]["scores"] == result["metrics"]["strict"]["scores"]
    assert saved["metrics"]["fair"]["counts"] == result["metrics"]["fair"]["counts"]
    table = json.loads(run("score", "gold", "hulls", "-m", "strict", "--by", "pieces", "-f", "json").stdout)[
        "By pieces"
    ]
    assert [[row["pieces"], row["gold"], row["predicted"]] for row in table] == [["one", 12, 18], ["several", 12, 6]]


def test_all_of_python_takes_what_was_loaded(here):
    gold, hulls = [*load("gold")], [*load("hulls")]
    assert score(gold, hulls, METRICS)["metrics"] == score("gold", "hulls", METRICS)["metrics"]


def test_compare_and_leaderboard(here):
    comparison = compare({"hulls": "hulls", "all": "all"}, "gold", ["strict"])
    (row,) = (row for row in comparison["comparisons"] if row["score"] == "f" and row["label"] is None)
    assert row["difference"] == 0.25
    board = leaderboard({"signs": ("gold", {"hulls": "hulls", "all": "all"})}, metrics=["strict"])
    assert "100.00" in str(board)
    assert "75.00" in str(board)


def test_gate(here):
    """Of the 12 spans with gaps 6 are right, and 6 are boundary errors: half an fp and half an fn each."""
    decided = gate("policy.cfg", "gold", "hulls")
    assert [rule["value"] for rule in decided["rules"]] == [0.75, pytest.approx(2 * 6 / (2 * 6 + 6 / 2 + 6 / 2))]


def test_agreement(here):
    found = agreement({"gold": "gold", "hulls": "hulls"}, ["strict", "char"])
    assert found["pairs"][0]["metrics"]["strict"]["scores"]["f"] == 0.75
    assert len(found["disputes"]["spans"]) == 12
    assert {row.get("pieces") is not None for row in found["disputes"]["spans"]} == {True, False}
    assert run("agreement", "gold", "hulls", "all", "--write-consensus", "c.jsonl").exit_code == 0
    rows = [json.loads(line) for line in Path("c.jsonl").read_text().splitlines()]
    assert all([span.get("pieces") for span in row["spans"]] == [[[3, 7], [18, 27]], None] for row in rows)
    assert "[3, 7) [18, 27) has gaps, which are not possible here" in refused(
        "agreement", "gold", "hulls", "--disputes", "d.jsonl"
    )


def test_annotators_who_differ_in_attributes_alone_do_not_look_alike_without_a_word(here):
    note = "spans have attributes, which these metrics do not compare; the metric attributes does"
    sides = {"gold": "gold", "hulls": "hulls"}
    assert note in run("agreement", *sides).stderr
    assert note in str(agreement(sides, ["strict"]))
    for settings, options in ((["attributes"], ("-m", "attributes")), (["strict"], ("--label-from", "negated"))):
        more = {"label_from": "negated"} if "strict" in settings else {}
        assert note not in run("agreement", *sides, *options).stderr
        assert note not in str(agreement(sides, settings, **more))


def test_commands_say_what_is_worked_out_by_hand(here):
    """`hulls` now lacks the negation in documents 0, 3, 6 and 9. Of its 18 hits 6 have a gap; gold negates these, and
    `hulls` 4 of them. All 12 links are right. Of the spans without a pair, 4 of `hulls` and 6 of gold are negated."""
    for k in range(0, DOCUMENTS, 3):
        path = Path("hulls", f"{k:02}.ann")
        path.write_text(path.read_text().replace("A1\tnegated T1\n", ""))

    def printed(*arguments: str) -> dict:
        assert run(*arguments, "-m", "strict,attributes", "-o", "out.json").exit_code in (0, 1)
        return json.loads(Path("out.json").read_text())

    given, end = 2 * 16 / (2 * 16 + 2), 2 * 16 / (2 * 16 + 4 + 8)
    scores = printed("score", "gold", "hulls")["metrics"]["attributes"]["scores"]
    assert (scores["given_f"], scores["end_f"]) == (pytest.approx(given), pytest.approx(end))
    by_label = printed("score", "gold", "hulls", "--label-from", "label+negated")["metrics"]["strict"]["counts"]
    assert by_label == {"tp": 12 + 4, "fp": 8, "fn": 8}
    rows = printed("compare", "gold", "hulls", "all")["comparisons"]
    differences = {(row["metric"], row["score"]): row["difference"] for row in rows if not row["label"]}
    assert differences["strict", "f"] == 0.25
    assert differences["attributes", "given_f"] == pytest.approx(1 - given)
    Path("negation.cfg").write_text(POLICY.replace("strict_f", "attributes_given_f").replace("20", "95"))
    assert run("gate", "negation.cfg", "gold", "hulls").exit_code == 1
    pairs = printed("agreement", "gold", "hulls", "all")["pairs"]
    assert [pair["metrics"]["strict"]["scores"]["f"] for pair in pairs] == [0.75, 1, 0.75]


def test_alpha_is_that_of_the_pieces(here):
    """As if each piece were a span of its own: a token has the same labels then."""
    whole, parts = (
        agreement({name: [*load(name, discontinuous=how)] for name in ("gold", "hulls")}, ["strict"])["units"]
        for how in (None, "parts")
    )
    assert (whole["alpha"], whole["observed"]) == (parts["alpha"], parts["observed"])


def test_thresholds(here):
    """The hull and the span with gaps are two predictions, with scores of their own."""
    run("convert", "gold", "gold.jsonl")
    rows = [json.loads(line) for line in Path("gold.jsonl").read_text().splitlines()]
    for row in rows:
        hull = {"start": 3, "end": 27, "label": "SIGN", "score": 0.2}
        row["spans"] = [{**span, "score": 0.8} for span in row["spans"]] + [hull]
    write(Path("scored.jsonl"), *rows)
    best = thresholds("gold.jsonl", "scored.jsonl", ["strict", "fair", "char"])
    assert (best["best"]["cut"], best["best"]["value"], best["best"]["no_cut"]) == (0.8, 1, 0.8)


def test_the_report_has_the_pieces_and_marks_cannot_change_them(here):
    done = run("report", "gold", "hulls", "-o", "r.html")
    assert done.exit_code == 0, done.output
    data = Parsed(Path("r.html").read_text(encoding="utf8")).data
    sides = [[side, k, words] for side in (-1, 0) for k, words in enumerate(("negated", "kb_id=UMLS:C1"))]
    assert [row[1:] for row in data["attributes"] if row[0] == 1] == sides
    pieces = data["pieces"]
    assert pieces[:2] == [[0, -1, 0, [[3, 7], [18, 27]]], [0, 0, 0, [[3, 7], [18, 27]]]]
