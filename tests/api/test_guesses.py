"""Lines that people write before they read the documentation: each works, or the error says what to write."""

import copy
import json
import pickle
import re

import pytest

import spacy_nereval
from spacy_nereval import Agreement, Comparison, Thresholds, agreement, compare, score, thresholds
from spacy_nereval.api.accessors import LINES

GOLD = [["B-PER", "I-PER", "O", "B-LOC"]] * 9
PRED = [["B-PER", "O", "O", "B-LOC"]] * 8 + [["O", "O", "O", "B-ORG"]]
SCORED = [[{"start": 0, "end": 3, "label": "PER", "score": 0.9}, {"start": 4, "end": 7, "label": "PER", "score": 0.4}]]


@pytest.fixture(scope="module")
def names() -> dict[str, object]:
    own = {
        "r": score(GOLD, PRED),
        "texts": score([[(0, 3, "PER")]], [[(4, 7, "PER")]], "strict,fair", text=["Ada met Bob"]),
        "c": compare({"a": GOLD, "b": PRED}, GOLD),
        "a": agreement({"ann": GOLD, "bob": PRED}),
        "t": thresholds([[(0, 3, "PER"), (8, 11, "PER")]], SCORED, ["strict"]),
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
    "score(gold, pred, {'fair': {'unit': 'token'}, 'strict': {}})": "score(gold, pred, {'fair': {'unit': 'token'}, \
'strict': None})",
    "score(gold, pred, confidence=True)": "score(gold, pred, confidence=Confidence())",
    "score(gold, pred, confidence={'level': 0.9})": "score(gold, pred, confidence=Confidence(level=0.9))",
    "score(gold, pred, confidence=False)": "r",
    "score(gold, pred, confidence=True).fair.interval('p')": "r.fair.interval('p')",
    "agreement({'a': gold, 'b': pred}, 'strict', confidence=True)": "agreement({'a': gold, 'b': pred}, ['strict'], \
confidence=Confidence())",
    "compare({'a': gold, 'b': pred}, gold, primary='fair_f')": "compare({'a': gold, 'b': pred}, gold, \
primary='fair.f')",
    "compare({'a': gold, 'b': pred}, gold, secondary='ser')": "compare({'a': gold, 'b': pred}, gold, \
secondary=['slot_error.ser'])",
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
    "score(gold, pred, 'fair', confidence=True).to_frame('all').set_index(['label', 'score'])['value low']['', 'f']": "\
r.fair.interval().low",
    "score(gold, pred, 'fair', True).to_frame('all').set_index(['label', 'score'])['value high']['LOC', 'f']": "\
r.labels['LOC'].fair.interval().high",
    "c.to_frame().set_index('key').difference['fair_f']": "c.to_frame().query('metric == \"fair\"').set_index('score')\
.difference['f']",
    "c.to_frame().query(\"system == 'b'\").key.dropna().tolist()[:1]": "['strict_p']",
    "a['units']['alpha'] + a['units']['kappa'] + a.rows[0]['kappa'] < 3": "True",
    "t.best['cut']": "t.cuts.of('PER')",
    "len(t.curve('strict')['cut'])": "len(t.to_frame('curves').query('label == \"\"'))",
}

FAILS = {
    # what is asked: what the message has to say
    "score(gold, pred, schema='IOB2')": "there is no 'schema': did you mean 'scheme'",
    "score(r, scheme='IOB2')": "scheme is given with counts",
    "r.labels.PER": "write ['PER']",
    "r.labels['PER']['f1']": "write .strict.f",
    "r.labels['PER'].counts": "write .strict.counts",
    "r.documents": "it is an item: write ['documents']",
    "r['labels']": "it is an attribute: write .labels",
    "r.fair.macro": "write .averages['macro']",
    "c.swaps": "it is an item: write ['swaps']",
    "c['headline']": "it is an attribute: write .headline",
    "c.p_value": "write c.rows[0]['p_holm']",
    "c['b']": "write c.to_frame().query(\"system == 'b'\")",
    "c.errors()": "write c.to_frame('spans')",
    "a.alpha": "write a['units']['alpha']",
    "t.cut": "write t.best['cut']",
    "score(gold, pred, 'f1')": "there is no metric 'f1'",
    "score(gold, pred, confidence=0.95)": "a table such as {'level': 0.95}",
    "score(gold, pred, confidence={'alpha': 0.05})": "there are level, samples, seed",
    "score(gold)": "pred is missing",
    "compare({'a': gold, 'b': pred}, gold, primary='f1')": "or a score key such as fair_f",
    "compare({'a': gold, 'b': pred}, gold, per_label='own')": "per_label='own': expected True or False",
    "compare({'a': gold, 'b': pred}, gold, margin='1')": "margin='1': expected a number of points",
    "evaluate(gold)": "pred is missing",
    "compare(gold, {'a': gold, 'b': pred})": "write compare({'a': pred_a, 'b': pred_b}, gold)",
    "r.report()": "write score([*gold], [*pred], text=texts)",
    "r.show('f1')": "there is no table 'f1'; there are headline, errors",
    "score(gold, pred, 'fair').macro": "write r.fair.averages['macro']",
    "r['fiar']": "did you mean 'fair'",
    "r.fair.g": "fair: there is no 'g'",
    "r.fair.f1": "write .f",
    "r.fair.ci": "write .interval()",
    "r.semeval.f": "write .strict_f, .exact_f, .partial_f, .type_f",
    "r.f1": "write r.strict.f",
    "r['ents_fair_f']": "write r['fair_f']",
    "r['PER']": "write r.labels['PER']",
    "r['char']": "write score(gold, pred, ['strict', 'semeval', 'slot_error', 'loio', 'fair', 'char'])",
    "r.wrf": "left out, since the words are not known",
    "r.value": "write r.headline.value",
    "r.ser": "write r['ser']",
    "r.to_csv('x.csv')": "write r.save('scores.csv')",
    "r.fair.tp": "write .counts['tp']",
    "c.fair": "write c.to_frame().query(\"metric == 'fair'\")",
    "compare(r, r)": "write compare({'a': result_a, 'b': result_b})",
    "score(gold, pred, ci=True)": "write confidence=True",
    "score(gold, pred, average='macro')": "write result.fair.averages['macro']",
    "spacy_nereval.f1_score": "write from spacy_nereval.compat.seqeval import f1_score",
    "r.confusion('char')": "write score(gold, pred,",
    "r.slot_error.f2": "slot_error: there is no 'f2'",
    "r.labels['PRE']": "did you mean 'PER'",
    "r.labels['PER'].f": "write .strict.f",
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
    own = {line.format(metric="strict", label="PER") for line in LINES.values()}
    own |= {line for kind in (Comparison, Agreement, Thresholds) for line in kind._lines.values()}
    proposed = {re.split(", (?:or|and|the) ", line)[0] for line in own} - {"r.to_frame().to_excel('scores.xlsx')"}
    assert len(proposed) > 20
    for line in sorted(proposed):
        texts = "save('report" in line or ".report" in line or ".render" in line
        eval(line, names | ({"r": names["texts"]} if texts else {}))


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
