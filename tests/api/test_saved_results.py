"""Results come back from files: equal to what was saved, with the methods that need nothing else."""

from __future__ import annotations

import json

import pytest

import spacy_nereval
from spacy_nereval import Result, Thresholds, agreement, compare, gate, load, score, thresholds
from spacy_nereval.io.marks import gold_digest
from spacy_nereval.io.saved_results import SHAPES

GOLD = [["B-PER", "I-PER", "O", "B-LOC"]] * 9
PRED = [["B-PER", "O", "O", "B-LOC"]] * 8 + [["O", "O", "O", "B-ORG"]]
SPANS = [[(0, 3, "PER"), (8, 11, "PER"), (12, 15, "LOC")]] * 3
SCORED = [
    [{"start": start, "end": start + 3, "label": "PER", "score": value} for start, value in ((0, 0.9), (4, 0.4))]
] * 3
RULES = {"gate": {"rules": {"overall": {"score": "strict_f", "at_least": 90}, "n": {"rate_between": [0.5, 2]}}}}

ADDED = {"start": 0, "end": 3, "label": "PER"}
MARK = {"digest": gold_digest(None, "Ada", []), "pred": ADDED, "mark": "gold wrong", "decided": [ADDED]}

MADE = {
    "score": lambda: score(GOLD, PRED),
    "intervals": lambda: score(GOLD, PRED, "strict,slot_error,fair", confidence=True),
    "compare": lambda: compare({"a": GOLD, "b": PRED}, GOLD, per_label=True, margin=1),
    "gate": lambda: gate(RULES, GOLD, PRED),
    "plan": lambda: spacy_nereval.plan(GOLD, PRED, policy=RULES),
    "agreement": lambda: agreement({"ann": GOLD, "bob": PRED, "cem": GOLD}),
    "thresholds": lambda: thresholds(SPANS, SCORED, "strict,fair", per_label=True),
    "apply": lambda: spacy_nereval.apply([{"text": "Ada", "spans": []}], [MARK]),
    "applied": lambda: thresholds(SPANS, SCORED, "strict").apply(SPANS, SCORED, confidence=True),
}


@pytest.fixture(scope="module", params=MADE)
def saved(request, tmp_path_factory):
    """A result, and what comes back of it."""
    result, path = MADE[request.param](), tmp_path_factory.mktemp("saved") / "a.json"
    result.save(path)
    return result, type(result).load(path), path


ANSWERS = {
    "Comparison": "headline; conclusion; rows; to_frame().to_csv(); show().__repr__()",
    "Gate": "headline; conclusion; rows; summary(); passed; verdict; rules; to_frame().to_csv()",
    "Plan": "headline; conclusion; rows; summary(); documents_needed; to_frame().to_csv()",
    "Corrections": "conclusion; rows; changes; summary(); to_frame().to_csv(); show().__repr__()",
    "Agreement": "headline.value; conclusion[:20]; rows; errors(); errors(['LOC']); to_frame().to_csv()",
    "Thresholds": "headline; conclusion; rows; cuts; best; summary(); to_frame().to_csv(); show().__repr__()",
    "Result": "fair.f; scores; labels['PER'].fair.f; confusion(); scores['fair_f']; headline.value; conclusion[:30]",
}


def test_a_result_comes_back_equal_and_answers_as_before(saved):
    result, again, path = saved
    assert type(again) is type(result) and again == result and again.to_json() == result.to_json()
    assert again.to_dict() == json.loads(path.read_text(encoding="utf8"))
    written = path.with_name("again.json")
    assert again.to_json(written) + "\n" == written.read_text(encoding="utf8") == path.read_text(encoding="utf8")
    for asked in ANSWERS[type(result).__name__].split("; "):
        assert eval(f"r.{asked}", {"r": again}) == eval(f"r.{asked}", {"r": result}), asked
    again.save(path.with_suffix(".md"))
    assert path.with_suffix(".md").read_text(encoding="utf8") and "<table" in again._repr_html_()


def test_the_tables_of_scores_and_verdicts_come_back():
    result = score(GOLD, PRED)
    again = Result(json.loads(result.to_json()))
    for name in ("scores", "other-scores", "labels", "label-scores", "headline", "errors", "confusion", "counts"):
        assert again.to_frame(name).equals(result.to_frame(name)), name
    pairs = again.to_frame("pairs")
    assert pairs.equals(result.to_frame("pairs")[[*pairs]]), "without the examples"
    assert "most frequent errors: wrong boundaries (8 of 10)" in again.conclusion
    assert "ORG. Gold has LOC, PER." in str(again), "the warning of labels"


def test_stored_intervals_come_back_and_others_are_said_to_be_missing():
    bounded = score(GOLD, PRED, "strict", confidence=True)
    assert Result(bounded.to_dict()).strict.interval() == bounded.strict.interval()
    again = Result(score(GOLD, PRED, "strict").to_dict())
    with pytest.raises(ValueError, match="read from a JSON file, which holds no counts.*counts.npz"):
        again.strict.interval()
    assert again.headline.interval is None


def test_one_of_several_systems_is_chosen(tmp_path):
    one, two = (thresholds(SPANS, SCORED, "strict", per_label=own) for own in (False, True))
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"systems": {"one": one, "two": two}}))
    assert (Thresholds.load(path, "one"), Thresholds.load(path, system="two")) == (one, two)
    with pytest.raises(ValueError, match="of one, two"):
        Thresholds.load(path, "three")
    one.save(path)
    with pytest.raises(ValueError, match="system='one': .* holds one system, without a name"):
        Thresholds.load(path, "one")


def test_cuts_are_made_of_the_result_as_they_were_chosen():
    for per_label in (False, True):
        found = thresholds(SPANS, SCORED, "strict", per_label=per_label)
        assert found.cuts == found._found.cuts and found.cuts.documents == 3
    applied = found.apply(SPANS, SCORED)
    assert applied.cuts == found.cuts


P = {"score": "strict_p"}
F = {"score": "strict_f"}
ADVICE = F | {"at_least": 90, "required": False}


@pytest.mark.parametrize(
    ("rules", "worst", "name", "direction"),
    [
        ({"a": P | {"at_least": 1}, "b": F | {"at_least": 90}}, "b", "strict_f", "higher is better"),
        ({"a": P | {"at_least": 40}, "b": F | {"at_least": 1}}, "a", "strict_p", "higher is better"),
        ({"a": ADVICE, "b": {"score": "ser", "at_most": 99}}, "b", "ser", "lower is better"),
        ({"a": {"rate_between": [0.1, 9]}}, "a", "a", "between 0.1 and 9"),
    ],
    ids=["broken", "undecided", "required", "rate"],
)
def test_the_headline_of_a_gate_is_its_worst_required_rule(rules, worst, name, direction):
    found = gate({"gate": {"rules": rules}}, GOLD, PRED)
    row = next(row for row in found.rows if row["name"] == worst)
    assert found.headline == (name, row["value"], (row["interval"][0], row["interval"][1]), direction)


LACKS = {
    "r.counts": "holds no counts: save them too, result.save('counts.npz')",
    "r.errors()": "holds no documents: score them again",
    "r.to_frame('documents')": "holds no counts",
    "r.save('a.npz')": "holds no counts",
    "nereval.merge([r])": "holds no counts",
    "nereval.compare({'a': r, 'b': r})": "holds no counts",
    "a.counts": "holds no annotation: call agreement(...) with it again",
    "a.consensus()": "holds no annotation",
    "a.save('a.jsonl')": "holds no annotation",
    "t.curve()": "holds no documents: call thresholds(...) with them again",
    "t.errors()": "holds no documents",
    "t.apply([], [])": "holds no documents",
    "t.to_frame('curves')": "holds no documents",
}


@pytest.fixture(scope="module")
def names():
    made = {"r": MADE["score"](), "a": MADE["agreement"](), "t": MADE["thresholds"]()}
    return {name: type(own)(own.to_dict()) for name, own in made.items()} | {"nereval": spacy_nereval}


@pytest.mark.parametrize("line", LACKS)
def test_what_a_file_does_not_hold_is_said(names, line):
    with pytest.raises(ValueError) as caught:
        eval(line, dict(names))
    assert LACKS[line] in str(caught.value)


def test_a_count_file_is_a_result_with_its_counts(tmp_path):
    result = score(GOLD, PRED, "strict,fair")
    result.save(tmp_path / "a.npz")
    again = Result.load(tmp_path / "a.npz")
    assert again == result and again.fair.interval() == result.fair.interval()
    assert compare({"a": again, "b": result}).headline.value == 0


def test_the_file_says_what_it_is(saved):
    result, _, path = saved
    own = type(result).__name__
    with pytest.raises(ValueError, match=rf"{own}\.load\('.*a\.json'\) reads it"):
        load(path)
    assert [*SHAPES] == [*ANSWERS]
    for other in {*SHAPES} - {own}:
        with pytest.raises(ValueError, match=rf"{own}\.load\('.*a\.json'\) reads it"):
            getattr(spacy_nereval, other).load(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not JSON"),
        ('{"text": "Ada", "spans": []}', "holds no result; expected a JSON file that Result.save wrote"),
        ('{"signature": "", "metrics": {}, "documents": 1}', "lacks 'scores', so an older version wrote it"),
        ('{"systems": {"x": {}, "y": {}}}', "holds the result of thresholds: Thresholds.load"),
        (None, "does not exist"),
    ],
)
def test_files_that_hold_no_result(content, said, tmp_path):
    path = tmp_path / "a.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ValueError, match=said):
        Result.load(path)
