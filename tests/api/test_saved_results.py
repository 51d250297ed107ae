"""What results answer: read back from files, as counts, as reports, and in the lines that people guess."""

import copy
import json
import pickle
import re
import sys
from pathlib import Path

import pytest
from chartless import SCRIPTS
from commands import line, write
from made_up import corpus, second
from pages import Parsed
from products import NIGHT
from refusals import refused_with

import spacy_nereval
from spacy_nereval import (
    Agreement,
    Comparison,
    Confidence,
    Result,
    Thresholds,
    agreement,
    compare,
    count,
    gate,
    load,
    score,
    thresholds,
)
from spacy_nereval.core.synonyms import ROWS
from spacy_nereval.features.report.corrections import gold_digest
from spacy_nereval.io.count_files import save
from spacy_nereval.io.saved_results import result_kinds
from spacy_nereval.reporting import pages

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
    "datasets": lambda: spacy_nereval.datasets(
        {name: compare({"a": PRED[:n], "b": GOLD[:n]}, GOLD[:n]) for name, n in (("x", 9), ("y", 8))}
    ),
    "leaderboard": lambda: spacy_nereval.leaderboard(
        {name: (GOLD[:n], {"a": PRED[:n], "b": GOLD[:n]}) for name, n in (("x", 9), ("y", 8))}
    ),
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
    "Leaderboard": "conclusion; rows; to_frame('pairs').to_csv(); show().__repr__()",
    "DataSets": "conclusion; rows; least; summary(); to_frame('counts').to_csv(); show().__repr__()",
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
    with refused_with(
        ValueError,
        "this result was read from a JSON file, which contains no counts: save them too, "
        "result.save('counts.npz'), and read that file",
    ):
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
    with pytest.raises(ValueError, match="system='one': .* contains one unnamed system"):
        Thresholds.load(path, "one")


def test_cuts_are_made_of_the_result_as_they_were_chosen():
    for per_label in (False, True):
        found = thresholds(SPANS, SCORED, "strict", per_label=per_label)
        assert found.cuts == found._result.cuts and found.cuts.documents == 3
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
    "r.counts": "contains no counts: save them too, result.save('counts.npz')",
    "r.errors()": "contains no documents: score them again",
    "r.to_frame('documents')": "contains no counts",
    "r.save('a.npz')": "contains no counts",
    "nereval.merge([r])": "contains no counts",
    "nereval.compare({'a': r, 'b': r})": "contains no counts",
    "a.counts": "contains no annotation: call agreement(...) with it again",
    "a.consensus()": "contains no annotation",
    "a.save('a.jsonl')": "contains no annotation",
    "t.curve()": "contains no documents: call thresholds(...) with them again",
    "t.errors()": "contains no documents",
    "t.apply([], [])": "contains no documents",
    "t.to_frame('curves')": "contains no documents",
}


@pytest.fixture(scope="module")
def read_again():
    made = {"r": MADE["score"](), "a": MADE["agreement"](), "t": MADE["thresholds"]()}
    return {name: type(own)(own.to_dict()) for name, own in made.items()} | {"nereval": spacy_nereval}


@pytest.mark.parametrize("line", LACKS)
def test_what_a_file_does_not_hold_is_said(read_again, line):
    with pytest.raises(ValueError) as caught:
        eval(line, dict(read_again))
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
    assert {*result_kinds()} == {*ANSWERS}
    for other in {*result_kinds()} - {own}:
        with pytest.raises(ValueError, match=rf"{own}\.load\('.*a\.json'\) reads it"):
            getattr(spacy_nereval, other).load(path)


NO_RESULT = [
    ("{", "is not JSON"),
    ('{"text": "Ada", "spans": []}', "contains no result; expected the output of 'nereval score' or Result.save"),
    ('{"signature": "", "metrics": {}, "documents": 1}', "lacks 'scores', so an older version wrote it"),
    ('{"systems": {"x": {}, "y": {}}}', "contains the result of thresholds: Thresholds.load"),
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


@pytest.fixture
def files(tmp_path) -> list[Path]:
    paths = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for path, documents in zip(paths, (CORPUS, second(CORPUS))):
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
    with refused_with(
        ValueError,
        "collapsed counts keep no documents, so they have no errors to list: count the corpus again "
        "without collapse=True",
    ):
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
    (lambda a, b: compare({"a": [[]], "b": [[]]}), "missing gold annotation"),
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
    return "vegaEmbed" in text and "Ada met Bob" in str(Parsed(text).data["documents"])


@pytest.mark.costly
@pytest.mark.parametrize("metrics", [pytest.param(None, marks=NIGHT), ["strict"]])
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
    monkeypatch.setattr(pages, "chart_library", SCRIPTS)
    SCRIPTS.cache_clear()
    with refused_with(
        ValueError,
        'charts need Altair and vl-convert, which the extra "report" brings: python -m pip install '
        '".[report]" in a clone of spacy-nereval',
    ):
        score(IN_TEXTS, FOUND, text=TEXTS).save(tmp_path / "a.html")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(("gold", "confidence"), [(GOLD, None), ([[]], True), (GOLD, True)])
def test_the_frame_of_all_scores_always_has_columns_for_bounds(gold, confidence):
    found = score(gold, gold, "strict", confidence).to_frame("all")
    assert [*found.columns] == ["label", "key", "metric", "score", "value", "value low", "value high"]
    assert found["value low"].dtype == found["value high"].dtype == float
    assert found["value low"].notna().any() == (gold is GOLD and confidence is True)


# Lines that people write before they read the documentation: each works, or the error says what to write


@pytest.fixture(scope="module")
def names() -> dict[str, object]:
    own = {
        "r": score(GOLD, PRED),
        "texts": score([[(0, 3, "PER")]], [[(4, 7, "PER")]], "strict,fair", text=["Ada met Bob"]),
        "bounds": score(GOLD, PRED, "fair", True).to_frame("all").set_index(["label", "score"]),
        "sides": {"a": GOLD, "b": PRED},
        "c": compare({"a": GOLD, "b": PRED}, GOLD),
        "a": agreement({"ann": GOLD, "bob": PRED}),
        "t": thresholds([[(0, 3, "PER"), (8, 11, "PER")]], SCORED[:1], ["strict"]),
    }
    own |= {"gold": GOLD, "pred": PRED, "json": json, "copy": copy, "pickle": pickle, "spacy_nereval": spacy_nereval}
    return own | {name: getattr(spacy_nereval, name) for name in spacy_nereval.__all__}


F_OF_FAIR = ["r['fair'].f", "r['fair.f']", "r['fair_f']", "r['fair']['fair_f']", "r.fair.f", "r.fair.value"]
F_OF_FAIR += ["r.scores['fair_f']", "r['scores']['fair_f']"]
WORKS = dict.fromkeys(F_OF_FAIR, "r['metrics']['fair']['scores']['f']") | {
    # what is asked: what is the same in the JSON
    "r.fair.be": "r['metrics']['fair']['scores']['be']",
    "r.fair.counts": "r['metrics']['fair']['counts']",
    "r.fair.averages['macro']['f']": "r['metrics']['fair']['averages']['macro']['f']",
    "r.slot_error.value": "r['metrics']['slot_error']['scores']['ser']",
    "r['ser']": "r['metrics']['slot_error']['scores']['ser']",
    "r['partial_f']": "r['metrics']['semeval']['scores']['partial_f']",
    "r.semeval.partial_f": "r['metrics']['semeval']['scores']['partial_f']",
    "float(r.fair)": "r.fair.value",
    "[name for name in ('pop', 'update', 'clear') if name in dir(r)]": "[]",
    "[name for name in ('load', 'render', 'fair', 'items') if name not in dir(r)]": "[]",
    "str(c).splitlines()[0]": "c.conclusion + '.'",
    "r['fair'].interval()": "r.fair.interval('fair_f')",
    "r.headline": "('fair_f', r.fair.f, r.fair.interval('f'), 'higher is better')",
    "r.fair.interval().low": "score(gold, pred).headline.interval[0]",
    "r.labels['PER'].fair.f": "r['metrics']['fair']['per_type']['PER']['scores']['f']",
    "r.labels['LOC']['strict.f']": "r['metrics']['strict']['per_type']['LOC']['scores']['f']",
    "r.labels['LOC'].scores['ser']": "r['metrics']['slot_error']['per_type']['LOC']['scores']['ser']",
    "r['fair'].labels['LOC'].counts": "r['metrics']['fair']['per_type']['LOC']['counts']",
    "[*r.labels]": "['LOC', 'ORG', 'PER']",
    "[(r.labels[label].support, r.labels[label].predicted) for label in r.labels]": "[(9, 8), (0, 1), (9, 8)]",
    "r.load": "Result.load",
    "r.confusion('fair')['LOC']['ORG']": "r['metrics']['fair']['confusion']['LOC']['ORG']",
    "r.confusion()['LOC', 'ORG']": "r['metrics']['fair']['confusion']['LOC']['ORG']",
    "r.fair.confusion['ORG', 'LOC']": "0",
    "r.confusion('fair').to_frame().loc['LOC', 'ORG']": "1",
    "r.confusion('strict').labels": "['LOC', 'ORG', 'PER', '']",
    "r.to_dict()": "dict(r)",
    "json.loads(r.to_json())": "dict(r)",
    "r.conclusion": "str(r).splitlines()[0]",
    "len(r.to_frame())": "len(r.to_frame('scores'))",
    "copy.deepcopy(r)": "r",
    "pickle.loads(pickle.dumps(r)).fair.f": "r.fair.f",
    "'fair' in r": "False",
    "'fair' in dir(r) and 'f' in dir(r.fair) and 'fair' in dir(r.labels['PER'])": "True",
    "'fair.f' in r._ipython_key_completions_()": "True",
    "'Scores (micro)' in repr(r.show('scores'))": "True",
    "r.show('scores')._repr_html_().count('<table')": "1 + (len(r.to_frame('other-scores')) > 0)",
    "r.show()._repr_html_().count('<table') > 3": "True",
    "repr(c.show('differences')).startswith('b against a')": "True",
    "'pairs' in a.show('pairs')._repr_html_().lower()": "True",
    "'<table' in t.show()._repr_html_()": "True",
    "str(texts.render(0)).splitlines()[1]": "'[Ada]⟨missed: PER⟩ {met}⟨spurious: PER⟩ Bob'",
    "'<span class=\"flag missed\">' in texts.render(0)._repr_html_()": "True",
    "texts.report()._repr_html_()[:16]": "'<iframe srcdoc=\"'",
    "str(texts.report(height=300)).startswith('<!')": "True",
    "texts.report()._repr_html_().count('<script')": "0",
    "r.conclusion.replace('<', '&lt;') in r._repr_html_()": "True",
    "score(gold, pred, 'strict')": "score(gold, pred, ['strict'])",
    "score(gold, pred, 'strict,fair')": "score(gold, pred, ['strict', 'fair'])",
    "score(gold, pred, {'strict': {}, 'fair': {}})": "score(gold, pred, {'strict': None, 'fair': {'unit': 'char'}})",
    "score(gold, pred, confidence=True)": "score(gold, pred, confidence=Confidence())",
    "score(gold, pred, confidence={'level': 0.9})": "score(gold, pred, confidence=Confidence(level=0.9))",
    "score(gold, pred, confidence=False)": "r",
    "score(gold, pred, confidence=True).fair.interval('p')": "r.fair.interval('p')",
    "agreement(sides, 'strict', confidence=True)": "agreement(sides, ['strict'], confidence=Confidence())",
    "compare(sides, gold, primary='fair_f')": "compare(sides, gold, primary='fair.f')",
    "compare(sides, gold, secondary='ser')": "compare(sides, gold, secondary=['slot_error.ser'])",
    "compare({'a': score(gold, gold), 'b': r})": "compare({'a': score(gold, gold).counts, 'b': r.counts})",
    "compare({'a': score(gold, gold), 'b': r}).headline": "c.headline",
    "evaluate(gold, pred)": "r",
    "evaluate(gold, pred, 'strict')['strict.f']": "r['strict.f']",
    "evaluate(r.counts)": "{name: value for name, value in r.items() if name != 'left_out'}",
    "score(r, confidence=True).fair.interval()": "r.fair.interval()",
    "merge([r.counts, r.counts]).documents": "(r.counts + r.counts).documents",
    "c.headline.value": "next(row['difference'] for row in c['comparisons'] if row['family'] == 'primary')",
    "list(c.headline.interval)": "next(row['interval'] for row in c.rows if row['family'] == 'primary')",
    "r.to_frame('all').set_index(['label', 'key']).value['', 'ser']": "r['ser']",
    "r.to_frame('all').set_index(['label', 'key']).value['PER', 'fair_f']": "r.labels['PER'].fair.f",
    "[*dict.fromkeys(r.to_frame('all').metric)]": "[*r['metrics']]",
    "set(r.to_frame('all').query('label == \"\"').key.dropna())": "set(r.scores)",
    "bounds['value low']['', 'f']": "r.fair.interval().low",
    "bounds['value high']['LOC', 'f']": "r.labels['LOC'].fair.interval().high",
    "c.to_frame().set_index('key').difference['strict_f']": "c.headline.value",
    "c.to_frame().query(\"system == 'b'\").key.dropna().tolist()[:1]": "['strict_p']",
    "a['units']['alpha'] + a['units']['kappa'] + a.rows[0]['kappa'] < 3": "True",
    "t.best['cut']": "t.cuts.of('PER')",
    "r.documents": "r['documents']",
    "[*r['labels']]": "[*r.labels]",
    "r['PER'].fair.f": "r.labels['PER'].fair.f",
    "r.ser": "r['ser']",
    "c.swaps": "c['swaps']",
    "score(gold, pred, confidence=0.95)['confidence']": "score(gold, pred, confidence={'level': 0.95})['confidence']",
    "len(t.curve('strict')['cut'])": "len(t.to_frame('curves').query('label == \"\"'))",
    "r.labels['PER']['f1']": "r.labels['PER'].strict.f",
    "r.fair.macro": "r.fair.averages['macro']",
    "c.p_value": "c.to_frame().query(\"key == 'strict_f'\").p_holm.item()",
    "a.alpha": "a['units']['alpha']",
    "t.cut": "t.best['cut']",
    "r.fair.ci": "r.fair.interval()",
    "r.f1": "r.strict.f",
    "r.fair.tp": "r.fair.counts['tp']",
    "r.labels['PER'].f": "r.labels['PER'].strict.f",
    "score(gold, pred, 'f1').to_json()": "score(gold, pred, 'strict').to_json()",
    "score(gold, pred, 'fair').macro": "r.fair.averages['macro']",
    "compare({'a': gold, 'b': pred}, gold, primary='f1').to_json()": (
        "compare({'a': gold, 'b': pred}, gold, primary='strict_f').to_json()"
    ),
    "compare(r, r).headline.value": "0",
    "texts.report(height=300).html": "str(texts.report(height=300))",
}

FAILS = {
    # what is asked: what the message has to say
    "score(gold, pred, schema='IOB2')": "score has no argument schema: did you mean 'scheme'",
    "score(r, scheme='IOB2')": "scheme is given with counts",
    "r.labels.PER": "write ['PER']",
    "r.labels['PER'].counts": "write .strict.counts",
    "c['headline']": "it is an attribute: write .headline",
    "c['b']": "write c.to_frame().query(\"system == 'b'\")",
    "c.errors()": "write c.to_frame('spans')",
    "score(gold, pred, confidence={'alpha': 0.05})": "there are level, samples, seed",
    "score(gold)": "pred is missing",
    "compare({'a': gold, 'b': pred}, gold, per_label='own')": "per_label='own': expected True or False",
    "compare({'a': gold, 'b': pred}, gold, margin='1')": "margin='1': expected a number of points",
    "evaluate(gold)": "pred is missing",
    "compare(gold, pred)": "write compare({'a': pred_a, 'b': pred_b}, gold)",
    "r.report()": "write score([*gold], [*pred], text=texts)",
    "r.show('f1')": "there is no table 'f1'; there are headline, errors",
    "r['fiar']": "did you mean 'fair'",
    "r.fair.g": "fair: there is no 'g'",
    "r.semeval.f": "write .strict_f, .exact_f, .partial_f, .type_f",
    "r['ents_fair_f']": "write r['fair_f']",
    "r['char']": "write score(gold, pred, ['strict', 'semeval', 'slot_error', 'loio', 'fair', 'char'])",
    "r.wrf": "excluded: the words are not known",
    "r.value": "write r.headline.value",
    "r.tune_thresholds": "write thresholds(gold, pred)",
    "r.annotator_kappa": "write agreement({'ann': docs_a, 'bob': docs_b})",
    "r.to_excel('x.xlsx')": "write r.to_frame().to_excel('scores.xlsx')",
    "c.fair": "write c.to_frame().query(\"metric == 'fair'\")",
    "score(gold, pred, average='macro')": "write r.strict.averages['macro']",
    "score(gold, pred, {'strict': {'beta': 2}}).strict.f1": "write .f",
    "r.confusion('char')": "write score(gold, pred,",
    "r.slot_error.f2": "slot_error: there is no 'f2'",
    "r.labels['PRE']": "did you mean 'PER'",
    "r.labels['PER']['fiar']": "did you mean 'fair'",
    "r.confusion()['PRE']": "did you mean 'PER'",
}


@pytest.mark.parametrize("line", WORKS)
def test_a_line_works(names, line):
    assert eval(line, dict(names)) == eval(WORKS[line], dict(names))


@pytest.mark.parametrize("line", FAILS)
def test_a_line_fails_with_what_to_write(names, line):
    with pytest.raises((KeyError, AttributeError, TypeError, ValueError)) as caught:
        eval(line, dict(names))
    assert FAILS[line] in str(caught.value.args[0])


@pytest.mark.costly
def test_every_line_that_a_message_proposes_works(names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names["r"].save("result.json")
    own = {row.python.format(metric="strict", label="PER") for row in ROWS.values() if row.python.startswith("r.")}
    own |= {line for kind in (Comparison, Agreement, Thresholds) for line in kind._lines.values()}
    proposed = {re.split(r", (?:or|and|the|r|with)\b", line)[0] for line in own} - {
        "r.to_frame().to_excel('scores.xlsx')"
    }
    assert len(proposed) > 20
    for asked in sorted(proposed):
        texts = "save('report" in asked or ".report" in asked or ".render" in asked
        eval(asked, names | ({"r": names["texts"]} if texts else {}))


@pytest.mark.parametrize("asked", [None, True], ids=["computed", "stored"])
def test_every_interval_is_that_of_json(asked):
    stored = score(GOLD, PRED, confidence=True)
    found = score(GOLD, PRED, confidence=asked)
    for metric, own in stored["metrics"].items():
        bounds = own["intervals"]
        for name, each in bounds["scores"].items():
            assert list(found[metric].interval(name) or (None, None)) == [each["low"], each["high"]]
        for label, scores in bounds["per_type"].items():
            for name, each in scores.items():
                of_label = found.labels[label][metric].interval(name)
                assert of_label == found[metric].labels[label].interval(name)
                assert list(of_label or (None, None)) == [each["low"], each["high"]]
