"""Results come back from files equal to what was saved; counts and their files; the report and tables of `.save`."""

import json
import re
import sys
from pathlib import Path

import pytest
from commands import line, write
from made_up import corpus, second

import spacy_nereval
from spacy_nereval import Confidence, Result, Thresholds, agreement, compare, count, gate, load, score, thresholds
from spacy_nereval.io.count_files import save
from spacy_nereval.io.marks import gold_digest
from spacy_nereval.io.saved_results import SHAPES
from spacy_nereval.reporting.html.charts import scripts

GOLD = [["B-PER", "I-PER", "O", "B-LOC"]] * 9
PRED = [["B-PER", "O", "O", "B-LOC"]] * 8 + [["O", "O", "O", "B-ORG"]]
SPANS = [[(0, 3, "PER"), (8, 11, "PER"), (12, 15, "LOC")]] * 3
SCORED = [[{"start": at, "end": at + 3, "label": "PER", "score": value} for at, value in ((0, 0.9), (4, 0.4))]] * 3
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
    assert found.apply(SPANS, SCORED).cuts == found.cuts


P = {"score": "strict_p"}
F = {"score": "strict_f"}
ADVICE = F | {"at_least": 90, "required": False}

HEADLINES = [
    ({"a": P | {"at_least": 1}, "b": F | {"at_least": 90}}, "b", "strict_f", "higher is better"),
    ({"a": P | {"at_least": 40}, "b": F | {"at_least": 1}}, "a", "strict_p", "higher is better"),
    ({"a": ADVICE, "b": {"score": "ser", "at_most": 99}}, "b", "ser", "lower is better"),
    ({"a": {"rate_between": [0.1, 9]}}, "a", "a", "between 0.1 and 9"),
]


@pytest.mark.parametrize(("rules", "worst", "name", "direction"), HEADLINES)
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


NO_RESULT = [
    ("{", "is not JSON"),
    ('{"text": "Ada", "spans": []}', "holds no result; expected a JSON file that Result.save wrote"),
    ('{"signature": "", "metrics": {}, "documents": 1}', "lacks 'scores', so an older version wrote it"),
    ('{"systems": {"x": {}, "y": {}}}', "holds the result of thresholds: Thresholds.load"),
    (None, "does not exist"),
]


@pytest.mark.parametrize(("content", "said"), NO_RESULT)
def test_files_that_hold_no_result(content, said, tmp_path):
    path = tmp_path / "a.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ValueError, match=said):
        Result.load(path)


# Counts, in memory or in files, collapsed or not


METRICS = spacy_nereval.create_all(["strict", "fair"])
CORPUS = corpus(60)
OTHER = second(CORPUS)


@pytest.fixture
def files(tmp_path) -> list[Path]:
    paths = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for path, documents in zip(paths, (CORPUS, OTHER)):
        save(spacy_nereval.count_collapsed(documents, METRICS, 200), path)
    return paths


def test_counts_and_their_files_are_scored(files):
    counts = spacy_nereval.count_collapsed(CORPUS, METRICS, 200)
    expected = spacy_nereval.evaluate(counts, Confidence())
    for given in (counts, files[0], str(files[0])):
        found = score(given, confidence=Confidence())
        assert found == expected
    assert found.counts.documents == 60 and "fair" in found.summary()
    counted = count(CORPUS, METRICS)
    assert score(counted)["metrics"] == score(spacy_nereval.collapse(counts=counted))["metrics"]
    assert len(found.to_frame("labels")) == 3
    with pytest.raises(ValueError, match="collapsed counts keep no documents, so they have no errors to list"):
        found.errors()
    found.save(files[0].with_name("again.npz"))
    assert score(files[0].with_name("again.npz"), confidence=Confidence()) == expected
    found.save(files[0].with_name("all.html"))


def test_systems_that_are_counts_are_compared(files):
    found = compare({"a": files[0], "b": files[1]}, per_label=True)
    row = next(row for row in found["comparisons"] if row["verdict"])
    assert found["collapsed"] and row["standard_error"] > 0 and row["p"] is None
    assert "no permutation test" in str(found)
    assert len(found.to_frame()) == len(found["comparisons"])


UNFIT = [
    (lambda a, b: score(a, ["fair"]), "pred is given with counts"),
    (lambda a, b: score(a, labels="A=B"), "labels is given with counts"),
    (lambda a, b: compare({"a": a, "b": [[]]}), "b is given as predictions, and other systems as counts"),
    (lambda a, b: compare({"a": a, "b": b}, [[]]), "gold is given with counts"),
    (lambda a, b: compare({"a": [[]], "b": [[]]}), "gold is missing"),
]


@pytest.mark.parametrize(("ask", "said"), UNFIT)
def test_what_does_not_fit_counts_is_refused(files, ask, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        ask(*files)


# `.save("x.html")`: the report where texts and documents are kept, else the tables


TEXTS = ["Ada met Bob", "Rome <b>", "nothing"]
IN_TEXTS = [[(0, 3, "PER"), (8, 11, "PER")], [(0, 4, "LOC")], []]
FOUND = [[(0, 3, "PER")], [(0, 4, "PER")], []]


def page_of(result, folder: Path) -> str:
    result.save(folder / "mine.html")
    return (folder / "mine.html").read_text(encoding="utf8")


def is_report(text: str) -> bool:
    """Whether a page has every document, which only the report has, and the script that shows it."""
    return "Ada met Bob" in text and "vegaEmbed" in text


@pytest.mark.costly
@pytest.mark.parametrize("metrics", [None, ["strict"]])
def test_a_result_writes_the_report(metrics, tmp_path):
    text = page_of(score(IN_TEXTS, [*FOUND[:2], None], metrics, text=TEXTS), tmp_path)
    assert is_report(text) and "<title>mine" in text
    assert "&lt;b&gt;" in text and "<b>" not in text.partition("<script")[0]
    assert (metrics is None) == ("loio" in text), "the metrics that were scored, and fair, whose verdicts mark spans"


@pytest.mark.costly
def test_a_result_with_intervals_has_them_in_the_report(tmp_path):
    result = score(IN_TEXTS * 4, FOUND * 4, ["strict"], Confidence(0.9, 20, 3), text=TEXTS * 4)
    assert "90 %" in page_of(result, tmp_path) or "90%" in page_of(result, tmp_path)


@pytest.mark.costly
def test_a_comparison_writes_the_report_of_its_systems(tmp_path):
    new = write(tmp_path / "new.jsonl", *(line(text, *spans) for text, spans in zip(TEXTS, IN_TEXTS)))
    old = [line(text, *spans) for text, spans in zip(TEXTS, FOUND)]
    found = compare({"old": old, "new": new}, new, ["fair"], samples=20, trials=20)
    text = page_of(found, tmp_path)
    assert is_report(text) and "old" in text and "new" in text and "Null hypothesis" in text


def test_without_texts_or_documents_the_tables_are_written(tmp_path):
    results = [
        score([["B-A", "O"]], [["B-A", "O"]]),
        score(iter(IN_TEXTS), FOUND, text=TEXTS),
        compare({"a": iter(FOUND), "b": IN_TEXTS}, IN_TEXTS, text=TEXTS, samples=20, trials=20),
        compare({"a": {"1": FOUND, "2": FOUND}, "b": IN_TEXTS}, IN_TEXTS, text=TEXTS, samples=20, trials=20),
    ]
    for result in results:
        text = page_of(result, tmp_path)
        assert not is_report(text) and "<table" in text


def test_missing_libraries_are_named_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    scripts.cache_clear()
    with pytest.raises(ValueError, match=r"pip install .\.\[report\]."):
        score(IN_TEXTS, FOUND, text=TEXTS).save(tmp_path / "a.html")
    assert not [*tmp_path.iterdir()]
