"""What people from other packages type first: it works, or the error says what to write.

The lines were guessed without knowing the package, as people write them who know spaCy, scikit-learn, seqeval,
nervaluate, tools of annotation, or who fill a table of a paper.
"""

import json
import pickle
import random
import re
import shlex
import subprocess
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import pandas
import pytest
import spacy
from commands import run
from processes import LEAN, with_path
from products import NIGHT
from refusals import refused_with
from spacy.tokens import DocBin
from spacy.training import Example
from typer.main import get_command

import spacy_nereval
from spacy_nereval.cli import nereval
from spacy_nereval.compat.functions import EVALUATORS, SEQEVAL, TARGETS
from spacy_nereval.core.synonyms import AT, RESULT_NAMES, ROWS, WORDS, command_line, python_line

ENVIRONMENT = {"PYTHONPATH": with_path(LEAN), "PATH": "/usr/bin:/bin"}

NAMES = {"Ada": "PER", "Paris": "LOC", "Acme": "ORG"}


def gold_records():
    """Records with their places in the text and the source of each."""
    drawn, records = random.Random(0), []
    for number in range(12):
        words = [drawn.choice([*NAMES]) for _ in range(3)]
        text, spans = "", []
        for word in words:
            spans.append({"start": len(text), "end": len(text) + len(word), "label": NAMES[word]})
            text += f"{word} met "
        meta = {"source": ("web", "news")[number % 2]}
        records.append({"id": f"d{number}", "text": text.strip(), "spans": spans, "meta": meta})
    return records


def noisy(records, seed):
    """Records as a system predicts them: a fifth of the spans is missed, some have the wrong label."""
    drawn, predicted = random.Random(seed), []
    for record in records:
        kept = [span for span in record["spans"] if drawn.random() > 0.2]
        spans = [
            span | {"label": "ORG", "score": 0.4} if drawn.random() < 0.2 else span | {"score": 0.9} for span in kept
        ]
        predicted.append({"id": record["id"], "text": record["text"], "spans": spans})
    return predicted


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A folder with gold annotation, predictions and annotators in three formats, a model and a policy."""
    folder = tmp_path_factory.mktemp("room")
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": label, "pattern": name} for name, label in NAMES.items()])
    nlp.to_disk(folder / "model")
    gold = gold_records()
    for seed, name in enumerate(("gold", "pred", "a", "b", "anna", "ben", "d")):
        records = gold if not seed else noisy(gold, seed)
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
        packed, lines = DocBin(store_user_data=True), []
        for record in records:
            doc = nlp.make_doc(record["text"])
            doc.ents = [doc.char_span(span["start"], span["end"], span["label"]) for span in record["spans"]]
            doc.user_data["meta"] = record.get("meta", {})
            packed.add(doc)
            tags = [f"{token.ent_iob_}-{token.ent_type_}" if token.ent_type_ else "O" for token in doc]
            lines.append("".join(f"{token.text} {tag}\n" for token, tag in zip(doc, tags)))
        packed.to_disk(folder / f"{name}.spacy")
        (folder / f"{name}.conll").write_text("\n".join(lines))
    (folder / "dev.spacy").write_bytes((folder / "gold.spacy").read_bytes())
    sides = [(folder / f"{name}.conll").read_text().split("\n") for name in ("gold", "pred")]
    both = [f"{g} {p.split()[1]}" if g else "" for g, p in zip(*sides)]
    (folder / "corpus").mkdir()
    (folder / "both.conll").write_text("\n".join(both))
    rules = "\n".join(["[gate]", "[gate.rules]", "[gate.rules.overall]", 'score = "strict_f"', "at_least = 45", ""])
    (folder / "policy.cfg").write_text(rules)
    (folder / "scored.json").write_text(spacy_nereval.score([["B-PER"]], [["B-PER"]]).to_json())
    return folder


@pytest.fixture(scope="module")
def names(room):
    """What the lines in Python name."""
    nlp = spacy.load(room / "model")
    gold_docs, pred_docs = ([*DocBin().from_disk(room / f"{n}.spacy").get_docs(nlp.vocab)] for n in ("gold", "pred"))

    def tags(name):
        sentences = (room / name).read_text().strip().split("\n\n")
        return [[line.split()[1] for line in sentence.split("\n")] for sentence in sentences]

    def spans(name):
        records = map(json.loads, (room / name).read_text().splitlines())
        return [[(span["start"], span["end"], span["label"]) for span in record["spans"]] for record in records]

    def mentions(name):
        records = map(json.loads, (room / name).read_text().splitlines())
        return [
            [{"text": record["text"][s["start"] : s["end"]], "label": s["label"]} for s in record["spans"]]
            for record in records
        ]

    def table(name):
        rows = [(f"d{number}", *span) for number, listed in enumerate(spans(name)) for span in listed]
        return pandas.DataFrame(rows, columns=["doc_id", "start", "end", "label"])

    y_true, y_pred = tags("gold.conll"), tags("pred.conll")
    tagged = [(n, *pair) for n, sides in enumerate(zip(y_true, y_pred)) for pair in zip(*sides)]
    return {
        **{name: getattr(spacy_nereval, name) for name in spacy_nereval.__all__},
        **{
            "spacy_nereval": spacy_nereval,
            "pickle": pickle,
            "json": json,
            "DocBin": DocBin,
            "nlp": nlp,
            "gold_docs": gold_docs,
            "pred_docs": pred_docs,
        },
        **{"examples": [Example(pred, gold) for gold, pred in zip(gold_docs, pred_docs)], "y_true": y_true},
        **{"y_pred": y_pred, "gold_spans": spans("gold.jsonl"), "pred_spans": spans("pred.jsonl")},
        **{"result": spacy_nereval.score(y_true, y_pred), "gold": "gold.jsonl", "pred": "pred.jsonl"},
        **{"a": "a.jsonl", "b": "b.jsonl", "c": "ben.jsonl"},
        **{"answers": [f"```json\n{json.dumps(entities)}\n```" for entities in mentions("pred.jsonl")]},
        **{"gold_records": gold_records(), "gold_df": table("gold.jsonl"), "pred_df": table("pred.jsonl")},
        "frame": pandas.DataFrame({"true": spans("gold.jsonl"), "system": spans("pred.jsonl")}),
        "tagged": pandas.DataFrame(tagged, columns=["sentence_id", "gold_tag", "pred_tag"]),
    }


STRICT = "result.strict.f"

WORKS = {
    "score(gold_docs, pred_docs).strict.f": STRICT,
    "evaluate(gold_docs, pred_docs).strict.f": STRICT,
    "evaluate(gold=gold_docs, pred=pred_docs).strict.f": STRICT,
    "evaluate(y_true=y_true, y_pred=y_pred).strict.f": STRICT,
    "spacy_nereval.score_llm(gold=gold_docs, answers=pred_docs).strict.f": STRICT,
    "score(examples).strict.f": STRICT,
    "score('gold.spacy', 'pred.spacy').strict.f": STRICT,
    "score('gold.spacy', nlp).strict.f": "1.0",
    "score(gold_docs, nlp).strict.f": "1.0",
    "score('gold.spacy', './model').strict.f": "1.0",
    "result.to_dict()['gold']": "36",
    "score(DocBin().from_disk('gold.spacy'), DocBin().from_disk('pred.spacy')).strict.f": STRICT,
    "from spacy_nereval import f1_score; f1_score(y_true, y_pred)": STRICT,
    "from spacy_nereval import classification_report; 'micro avg' in classification_report(y_true, y_pred)": "True",
    "score(y_true, y_pred, labels=['PER'])": "score(y_true, y_pred, only=['PER'])",
    "score(y_true, y_pred, labels='PER,LOC')": "score(y_true, y_pred, only='PER,LOC')",
    "result['strict']['f1']": STRICT,
    "result.strict.precision, result.strict.recall, result.fair.f1": "result.strict.p, result.strict.r, result.fair.f",
    "result.labels['PER'].strict.f1": "result.labels['PER'].strict.f",
    "score(y_true, y_pred, metrics=['strict', 'exact', 'partial', 'type'])": "score(y_true, y_pred, 'strict,semeval')",
    "[*score(y_true, y_pred, metrics='muc')['metrics']]": "['semeval', 'slot_error']",
    "result.summary()[:12]": "'12 documents'",
    "len(result.errors())": "len(result.errors('fair'))",
    "agreement('anna.jsonl', 'ben.jsonl')": "agreement({'anna': 'anna.jsonl', 'ben': 'ben.jsonl'})",
    "agreement([a, b, c])": "agreement({'a': a, 'b': b, 'ben': c})",
    "agreement({'anna': a, 'ben': b})['annotators']": "['anna', 'ben']",
    "score(gold_spans, pred_spans).strict.f": STRICT,
    "score(gold, pred, labels={'PERSON': 'PER'}).strict.f": STRICT,
    "compare({'gpt': a, 'claude': b}, gold)": "compare({'gpt': a, 'claude': b}, gold, baseline='gpt')",
    "compare(gold, {'gpt': a, 'claude': b})": "compare({'gpt': a, 'claude': b}, gold)",
    "'booktabs' in result.to_latex()": "True",
    "'| strict |' in result.to_markdown()": "True",
    "result.to_json()[0]": "'{'",
    "result.to_csv('table.csv')[:6]": "'table,'",
    "leaderboard(gold, {'a': a, 'b': b})['systems']": "leaderboard(gold, {'b': b, 'a': a})['systems']",
    "score(y_true, y_pred, mode='strict', scheme='IOB2')": "score(y_true, y_pred, 'strict', scheme='IOB2')",
    "score(y_true, y_pred, metric='strict')": "score(y_true, y_pred, 'strict')",
    "score(y_true, y_pred, mode='partial')": "score(y_true, y_pred, 'semeval')",
    "score(gold, pred, label_map={'ORG': 'LOC'})": "score(gold, pred, labels={'ORG': 'LOC'})",
    "evaluate(gold_docs, pred_docs, ci=True)": "score(gold_docs, pred_docs, confidence=True)",
    "evaluate(gold_docs, pred_docs, metrics=['exact', 'partial', 'fair', 'ser', 'muc'])": (
        "score(gold_docs, pred_docs, 'semeval,fair,muc')"
    ),
    "score(gold, pred, metrics='ser,faireval,rouge')": "score(gold, pred, 'slot_error,fair,wrf')",
    "evaluate(nlp, gold_docs).strict.f": "1.0",
    "evaluate(nlp, 'dev.spacy').strict.f": "1.0",
    "from spacy_nereval.metrics import f1_score; f1_score(y_true, y_pred)": STRICT,
    "from spacy_nereval.metrics import f1_score; f1_score(y_true, y_pred, average='macro')": (
        "result.strict.averages['macro']['f']"
    ),
    "from spacy_nereval.io import load; len(load('gold.jsonl'))": "12",
    "from spacy_nereval.metrics import registry; registry.__name__": "'spacy_nereval.metrics.registry'",
    "from spacy_nereval import cli; cli.__name__": "'spacy_nereval.cli'",
    "from spacy_nereval.metrics import classification_report; "
    "classification_report(y_true, y_pred, output_dict=True, zero_division=0)['micro avg']['f1-score']": STRICT,
    "from spacy_nereval import precision_score; precision_score(y_true, y_pred)": "result.strict.p",
    "score(gold, pred, by='meta.source')['breakdowns']['meta.source']['buckets']": "['news', 'web']",
    "from spacy_nereval import Scorer; Scorer().score(examples)": "score(examples)",
    "from spacy_nereval import NERScorer; NERScorer().score(examples).strict.f1": STRICT,
    "from spacy_nereval import Evaluator; Evaluator(y_true, y_pred, tags=['PER'], loader='list').evaluate()": (
        "score(y_true, y_pred, only=['PER'])"
    ),
    "from spacy_nereval import NEREvaluator; NEREvaluator(metrics=['exact']).evaluate(gold_docs, pred_docs)": (
        "score(gold_docs, pred_docs, 'semeval')"
    ),
    "spacy_nereval.evaluate_file('gold.jsonl', 'pred.jsonl')": "score(gold, pred)",
    "from spacy_nereval import evaluate_model; evaluate_model(nlp, 'dev.spacy')": "score('dev.spacy', nlp)",
    "score(nlp, gold_docs)": "score(gold_docs, nlp)",
    "score(gold_docs, model=nlp)": "score(gold_docs, nlp)",
    "from spacy_nereval import semeval; semeval(gold, pred)['ent_type']['f1']": "score(gold, pred).semeval.type_f",
    "from spacy_nereval import faireval; faireval(gold, pred)['overall_f1']": "score(gold, pred).fair.f",
    "from spacy_nereval.metrics import fair_f1; fair_f1(gold_docs, pred_docs)": "score(gold_docs, pred_docs).fair.f",
    "from spacy_nereval import exact_f1; exact_f1(y_true, y_pred)": "result.semeval.exact_f",
    "from spacy_nereval import partial_f1; partial_f1(y_true, y_pred)": "result.semeval.partial_f",
    "from spacy_nereval import slot_error_rate; slot_error_rate(y_true, y_pred)": "result.slot_error.ser",
    "from spacy_nereval import confusion_matrix; confusion_matrix(y_true, y_pred)": (
        "result.confusion('fair', hits=True)"
    ),
    "spacy_nereval.error_analysis(y_true, y_pred)": "result.errors()",
    "spacy_nereval.errors(y_true, y_pred)": "result.errors()",
    "spacy_nereval.read_conll('gold.conll')[0].spans": "load('gold.conll')[0].spans",
    "from spacy_nereval.io import read_spacy; read_spacy('gold.spacy')[0].spans": "load('gold.spacy')[0].spans",
    "from spacy_nereval import tune_thresholds; tune_thresholds(gold, pred, missing_score=1)": (
        "thresholds(gold, pred, missing_score=1)"
    ),
    "from spacy_nereval import compare_systems; compare_systems(gold, {'gpt': a, 'claude': b})": (
        "compare({'gpt': a, 'claude': b}, gold)"
    ),
    "from spacy_nereval import iaa; iaa(a, b)": "agreement({'a': a, 'b': b})",
    "from spacy_nereval import inter_annotator_agreement; inter_annotator_agreement(gold_docs, pred_docs)": (
        "agreement({'A': gold_docs, 'B': pred_docs})"
    ),
    "agreement(gold_docs, pred_docs)": "agreement({'A': gold_docs, 'B': pred_docs})",
    "score(y_true=y_true, y_pred=y_pred)": "score(y_true, y_pred)",
    "score(reference=gold_docs, predicted=pred_docs)": "score(gold_docs, pred_docs)",
    "score(references=y_true, predictions=y_pred)": "score(y_true, y_pred)",
    "score(golds=gold_docs, preds=pred_docs)": "score(gold_docs, pred_docs)",
    "score(truth=gold_docs, system=pred_docs)": "score(gold_docs, pred_docs)",
    "score(y_true, y_pred, n_bootstrap=10)": "score(y_true, y_pred, confidence={'samples': 10})",
    "score(y_true, y_pred, bootstrap=1000, seed=1)": "score(y_true, y_pred, confidence={'samples': 1000, 'seed': 1})",
    "score(y_true, y_pred, bootstrap=True)": "score(y_true, y_pred, confidence=True)",
    "score(y_true, y_pred, confidence_level=0.9, n_resamples=50)": (
        "score(y_true, y_pred, confidence={'level': 0.9, 'samples': 50})"
    ),
    "score(y_true, y_pred, confidence=0.9)": "score(y_true, y_pred, confidence={'level': 0.9})",
    "score(y_true, y_pred, alpha=0.1)": "score(y_true, y_pred, confidence={'level': 0.9})",
    "evaluate(gold_docs, pred_docs, ci=True, n_boot=2000, seed=0)": (
        "score(gold_docs, pred_docs, confidence={'samples': 2000, 'seed': 0})"
    ),
    "compare({'a': a, 'b': b}, gold, n_resamples=99)": "compare({'a': a, 'b': b}, gold, trials=99)",
    "compare({'a': a, 'b': b}, gold, alpha=0.01)": "compare({'a': a, 'b': b}, gold, level=0.99)",
    "score(y_true, y_pred, ignore=['LOC'])": "score(y_true, y_pred, labels={'LOC': None})",
    "score(y_true, y_pred, exclude='LOC,ORG')": "score(y_true, y_pred, labels={'LOC': None, 'ORG': None})",
    "score(y_true, y_pred, tags=['PER'])": "score(y_true, y_pred, only=['PER'])",
    "score(y_true, y_pred, strict=True)": "score(y_true, y_pred, 'strict')",
    "score([[(0, 3, 'PER')]], [[]], texts=['Ada'])": "score([[(0, 3, 'PER')]], [[]], text=['Ada'])",
    "score(frame, gold='true', pred='system')": "score(gold_spans, pred_spans)",
    "evaluate(frame, gold_col='true', pred_col='system')": "score(gold_spans, pred_spans)",
    "score(tagged.groupby('sentence_id', sort=False).agg(list), gold='gold_tag', pred='pred_tag')": (
        "score(y_true, y_pred)"
    ),
    "score(y_true, y_pred, 'strict').f1, score(y_true, y_pred, 'strict')['f1']": f"{STRICT}, {STRICT}",
    "score(y_true, y_pred, 'fair').overall.recall": "result.fair.r",
    "score(y_true, y_pred, 'strict').macro_f1": "result.strict.averages['macro']['f']",
    "score(y_true, y_pred, 'strict').ci": "result.strict.interval()",
    "score(y_true, y_pred, 'strict').tp": "result.strict.counts['tp']",
    "[(s.precision, s.f1) for s in score(y_true, y_pred, 'strict').per_label.values()]": (
        "[(s.strict.p, s.strict.f) for s in result.labels.values()]"
    ),
    "result['ents_f'], result['overall_precision'], result.ents_r": f"{STRICT}, result.strict.p, result.strict.r",
    "score(y_true, y_pred, 'fair')['LE'], score(y_true, y_pred, 'fair')['BE']": "result.fair.counts['le'], 0",
    "from spacy_nereval.io import read_spacy; len(read_spacy('gold.spacy', nlp.vocab))": "12",
    "result['partial']['f1'], result.exact.precision": "result.semeval.partial_f, result.semeval.exact_p",
    "result.partial.interval()": "result.semeval.interval('partial_f')",
    "result.labels['PER'].ent_type.recall": "result.labels['PER'].semeval.type_r",
    "result.faireval.f, result['PER'].fair.f": "result.fair.f, result.labels['PER'].fair.f",
    "[*result.per_label]": "[*result.labels]",
    "[*result.by_type], [*result['per_label']]": "[*result.labels], [*result.labels]",
    "result.metrics['strict']['scores']['f']": STRICT,
    "[row for row in result.errors]": "result.errors()",
    "len(result.errors), result.errors[0]": "len(result.errors()), result.errors()[0]",
    "result.confusion_matrix()": "result.confusion()",
    "result.to_pandas().equals(result.to_dataframe()), agreement(a, b).to_pandas().shape": "True, (2, 3)",
    "result.as_dict()": "result.to_dict()",
    "result.to_disk('scores.json'); result == Result.load('scores.json')": "True",
    "score(gold, pred).to_html('to.html')": "None",
    # a score without its metric is that of strict, and names have their words in any order
    "result.f1, result.precision, result['f1']": f"{STRICT}, result.strict.p, {STRICT}",
    "result.strict_f1, result.f1_macro, result.weighted.recall": (
        f"{STRICT}, result.strict.averages['macro']['f'], result.strict.averages['weighted']['r']"
    ),
    "result.macro.f1, result['macro avg']['f1-score']": "2 * (result.strict.averages['macro']['f'],)",
    "result.fair_macro_f1, result.fair.macro.precision": (
        "result.fair.averages['macro']['f'], result.fair.averages['macro']['p']"
    ),
    "result.partial_recall, result.exact_f1": "result.semeval.partial_r, result.semeval.exact_f",
    "result.tp, result.fp, result.strict.fn": "(*result.strict.counts.values(),)",
    "result.overall.f, result.micro.f1": f"{STRICT}, {STRICT}",
    "result.labels['PER'].f1, result['PER']['recall']": "result.labels['PER'].strict.f, result.labels['PER'].strict.r",
    "result.ci, result.fair_ci": "result.strict.interval(), result.fair.interval()",
    "result.confidence_interval('recall', level=0.95)": "result.strict.interval('r')",
    "pickle.loads(pickle.dumps(result.ci))": "result.strict.interval()",
    "result.confidence_interval('fair')": "result.fair.interval()",
    "result.f1_ci, result.precision_ci, result.fair.recall_ci": (
        "result.strict.interval(), result.strict.interval('p'), result.fair.interval('r')"
    ),
    "result.labels['PER'].f1_ci, result.fair_f1_ci": "result.labels['PER'].strict.interval(), result.fair.interval()",
    "score(gold, pred, 'strict,f1')": "score(gold, pred, 'strict')",
    "score(gold, pred, ['precision', 'recall', 'f1'])": "score(gold, pred, 'strict')",
    # rows of errors
    "[(error.type, error.gold, error.pred) for error in result.errors][0][:2]": (
        "('missed', {k[5:]: v for k, v in result.errors()[0].items() if k.startswith('gold_')})"
    ),
    "result.errors(type='boundary')": "result.errors(verdicts=['be_s', 'be_l', 'be_o'])",
    "result.errors(verdicts='missed'), result.errors(kind='label')": (
        "result.errors(verdicts=['fn']), result.errors(verdicts=['le'])"
    ),
    "len(result.false_negatives), len(result.false_positives)": "result.fn, result.fp",
    "result.errors(labels='PER')": "result.errors(labels=['PER'])",
    "agreement(a, b).errors(labels='PER')": "agreement(a, b).errors(labels=['PER'])",
    "spacy_nereval.ner_scorer(examples)['ents_f']": STRICT,
    "spacy_nereval.ner_scorer(examples, moves=None)['ents_f']": STRICT,
    "spacy_nereval.list_metrics()": "spacy_nereval.names()",
    "from spacy_nereval.metrics import character_overlap; character_overlap(y_true, y_pred).f1": (
        "score(y_true, y_pred, 'char').char.f"
    ),
    "agreement(a, b, metric='kappa').kappa": "agreement(a, b)['units']['kappa']",
    "evaluate(gold_docs, nlp=nlp)": "score(gold_docs, nlp)",
    "result.semeval['partial'].f1, result.semeval.exact.recall": "result.semeval.partial_f, result.semeval.exact_r",
    "score(gold, pred, ['exact', 'fair_f1', 'ser_score'])": "score(gold, pred, 'semeval,fair,slot_error')",
    "[*agreement(a, b).disagreements], agreement(a, b).pairwise": "agreement(a, b).errors(), agreement(a, b).rows",
    # two systems, annotators or tables in their places
    "compare(gold, a, b)": "compare({'a': a, 'b': b}, gold)",
    "compare(gold, [a, b], 'fair')": "compare({'a': a, 'b': b}, gold, 'fair')",
    "compare(gold_docs, pred_docs, gold_docs)": "compare({'A': pred_docs, 'B': gold_docs}, gold_docs)",
    "compare(score(gold, a), score(gold, b))": "compare({'A': score(gold, a), 'B': score(gold, b)})",
    "compare(gold, a, b).p_value": (
        "next(row['p_holm'] for row in compare(gold, a, b).rows if row['family'] == 'primary')"
    ),
    "agreement(a, b).kappa, agreement(a, b)['alpha']": (
        "agreement(a, b)['units']['kappa'], agreement(a, b)['units']['alpha']"
    ),
    "agreement(a, b).f1": "agreement(a, b).headline.value",
    "score(gold_df, pred_df).strict.f": STRICT,
    # answers of a language model
    "spacy_nereval.evaluate_llm(gold_records, answers)": "score(gold_records, [{'answer': one} for one in answers])",
    "score(y_true, y_pred, ci=0.9, n_bootstrap=50)": "score(y_true, y_pred, confidence={'level': 0.9, 'samples': 50})",
    "spacy_nereval.find_threshold(gold, pred, missing_score=1).threshold": (
        "thresholds(gold, pred, missing_score=1).best['cut']"
    ),
    "repr(score(gold, pred).report())[:15]": "'A page of HTML '",
    # frames and rows with the names that scores and numbers have elsewhere
    "result.to_pandas().sort_values('f1')['label'].tolist()": (
        "sorted(['', *result.labels], key=lambda label: result.labels[label].strict.f if label else result.strict.f)"
    ),
    "result.to_df().query('label == \"PER\"')[['precision', 'recall', 'f1', 'support', 'fair_f']].values.tolist()": (
        "[[*result.labels['PER'].strict.scores.values(), result.labels['PER'].support, result.labels['PER'].fair.f]]"
    ),
    "result.to_dataframe('label-scores')['f1'].tolist()": "result.to_frame('label-scores')['F'].tolist()",
    "score(gold, pred, 'fair,loio').to_pandas()['f1'].tolist()": "[None] * 4",
    "spacy_nereval.error_analysis(y_true, y_pred).counts == result.errors.counts": "True",
    "sum(result.errors.counts.values()), result.errors('strict').by_type['missed']": (
        "len(result.errors()), result.strict.fn"
    ),
    "result.errors.to_frame().shape": "result.errors().to_frame().shape",
    "[e for e in result.errors if e.type == 'label'] == result.errors(type='label')": "True",
    "result.errors.to_pandas()[['type', 'text']].values.tolist()": "[[row.type, row.text] for row in result.errors]",
    "[(row.label, row.start) for row in result.errors(verdicts='missed')]": (
        "[(row['gold_label'], row['gold_start']) for row in result.errors(verdicts='missed')]"
    ),
    "spacy_nereval.score([[]], [[(0, 3, 'PER')]]).errors[0].label": "'PER'",
    "sum(agreement(a, b).disagreements.counts.values())": "len(agreement(a, b).errors())",
    "result.to_markdown(table='scores'), result.to_latex(tables=['scores'])": (
        "result.to_markdown('scores'), result.to_latex('scores')"
    ),
    # labels that do not count, and links
    "score(gold, pred, ignore_labels=True)": "score(gold, pred, 'semeval')",
    "evaluate(gold, pred, untyped=True)": "score(gold, pred, 'semeval')",
    "score(gold_docs, pred_docs, links=True)": "score(gold_docs, pred_docs, label_from='kb_id')",
    "score(gold, pred, ignore_labels=['LOC'])": "score(gold, pred, labels={'LOC': None})",
    # rules in place of a policy
    "plan(gold, pred, rules=['strict_f at_least 85'])": "plan(gold, pred, policy=['strict_f at_least 85'])",
    "plan(gold, pred, rule='strict_f at_least 85')": "plan(gold, pred, policy=['strict_f at_least 85'])",
    "gate('strict_f at_least 85', gold, pred)": "gate(['strict_f at_least 85'], gold, pred)",
    "gate(gold=gold, candidate=pred, rules=['fair_f at_least 9'])": "gate(['fair_f at_least 9'], gold, pred)",
    # names of spaCy and nervaluate, of functions, results and counts
    "from spacy_nereval import score_ents; score_ents(examples)['ents_f']": STRICT,
    "load('gold.spacy', nlp=nlp)[0].spans, load(gold, vocab=nlp.vocab)[0].text": (
        "load('gold.spacy')[0].spans, load(gold)[0].text"
    ),
    "from spacy_nereval import Evaluator; Evaluator(y_true, y_pred, tags=['PER']).evaluate()['overall']['strict'].f": (
        "score(y_true, y_pred, only=['PER']).strict.f"
    ),
    "from spacy_nereval import Evaluator; Evaluator(y_true, y_pred).summary_report(mode='overall')": "result.summary()",
    "from spacy_nereval import Evaluator; Evaluator(y_true, y_pred).f1": STRICT,
    "result['entities']['PER']['strict'].f, result.overall.f1": f"result.labels['PER'].strict.f, {STRICT}",
    "[getattr(result.partial, name) for name in ('correct', 'incorrect', 'partial', 'missed', 'spurious')]": (
        "[result['metrics']['semeval']['schemes']['partial'][name] for name in ('cor', 'inc', 'par', 'mis', 'spu')]"
    ),
    "result.exact.possible, result['type']['actual'], result.strict.precision": "36, 31, result.strict.p",
    "result.ci['f1'], result.ci['fair'], result.ci[0]": (
        "result.strict.interval('f'), result.fair.interval(), result.strict.interval().low"
    ),
    "result.to_json('saved.json'); spacy_nereval.load_result('saved.json').f1": STRICT,
    "result.save('saved.npz'); spacy_nereval.load_counts('saved.npz').gold": "36",
    "gate(['strict_f at_least 45'], gold, pred).ok": "gate(['strict_f at_least 45'], gold, pred).passed",
    # whatever is asked of other results
    "agreement(a, b).fleiss_kappa": "agreement(a, b)['units']['fleiss']",
    "compare(gold, a, b).to_pandas()['p_value'].max()": "compare(gold, a, b).to_frame()['p_holm'].max()",
    "leaderboard(gold, {'a': a, 'b': b}).to_pandas()['f1'].tolist()": (
        "leaderboard(gold, {'a': a, 'b': b}).to_frame()['F'].tolist()"
    ),
    "result.confusion_matrix['PER']['ORG'], result.confusion['PER', 'ORG'], result.to_dict['gold']": (
        "result.confusion()['PER']['ORG'], result.confusion()['PER', 'ORG'], 36"
    ),
    "result.confusion_matrix.to_frame().shape": "result.confusion().to_frame().shape",
    "result.true_positives, result.partial.missed, result.fair.label_errors, result.fair.boundary_errors": (
        "result.strict.counts['tp'], result.semeval.counts['mis'], result.fair.counts['le'], 0"
    ),
    "thresholds(gold, pred).best_f1": "thresholds(gold, pred).headline.value",
    # systems, rules and documents as others give them
    "from spacy_nereval import paired_test; paired_test(gold=gold, system_a=a, b=b, method='permutation', n=99)": (
        "compare({'system_a': a, 'b': b}, gold, trials=99)"
    ),
    "compare(gold, baseline=a, candidate=b, correction='holm', paired=True)": (
        "compare({'baseline': a, 'candidate': b}, gold)"
    ),
    "spacy_nereval.paired_bootstrap(gold, a, b)": "compare({'a': a, 'b': b}, gold)",
    "agreement(ann=a, bob=b, metrics='strict')": "agreement({'ann': a, 'bob': b}, 'strict')",
    "agreement(a, b).per_label, thresholds(gold, pred).by_label": (
        "agreement(a, b)['per_type'], thresholds(gold, pred)['per_type']"
    ),
    "gate(gold, pred, min_f1=0.45, min_recall={'PER': 0.1}).rules": (
        "gate(['strict_f at_least 45', 'strict_r at_least 10 label PER'], gold, pred).rules"
    ),
    "gate(gold, pred, a, max_drop=40)": "gate(['strict_f worse_by_at_most 40'], gold, pred, a)",
    "gate(gold=gold, candidate=pred, fail_under=45)": "gate(['strict_f at_least 45'], gold, pred)",
    "plan(gold, pred, min_f1=0.2)": "plan(gold, pred, policy=['strict_f at_least 20'])",
    "score(gold, pred, group_by='source')": "score(gold, pred, by='meta.source')",
    "score(gold, answers, ignore_case=True)": "score(gold, answers, match='caseless')",
    "load(gold)[0].ents, load(gold)[1].entities": "load(gold)[0].spans, load(gold)[1].spans",
    "len(load(gold, format='JSON-Lines')), len(load('gold.conll', format='CoNLL-2003'))": "12, 12",
    # a score that knows its interval, metrics as attributes of a result, documents one after the other
    "result.f1.ci, result.strict_f.interval, result.strict.r.ci.low, result.f1.value": (
        "result.strict.interval(), result.strict.interval(), result.strict.interval('r').low, result.strict.f"
    ),
    "[result.metrics['fair'].f1, [*result.metrics][0], result.metrics['fair']['counts']['tp']]": (
        "[result.fair.f, 'strict', result.fair.counts['tp']]"
    ),
    "json.loads(json.dumps(result.f1)), pickle.loads(pickle.dumps(result.f1)), repr(result.f1)": (
        f"{STRICT}, {STRICT}, repr({STRICT})"
    ),
    "from spacy_nereval import Evaluator; e = Evaluator(labels=['PER']); "
    "[e.add(*pair) for pair in zip(y_true, y_pred)]; "
    "e.compute()": "score(y_true, y_pred, only=['PER'])",
    "from spacy_nereval import Evaluator; e = Evaluator(); e.add_batch(y_true[:5], y_pred[:5]); "
    "e.update(y_true[5:], y_pred[5:]); e.evaluate(metrics='strict')": "score(y_true, y_pred, 'strict')",
    "from spacy_nereval import Evaluator; scores, by_tag = Evaluator(y_true, y_pred, tags=['PER']).evaluate(); "
    "scores['partial']['f1'], by_tag['PER']['strict']['recall']": (
        "(lambda r: (r['partial_f'], r.labels['PER']['strict.r']))(score(y_true, y_pred, only=['PER']))"
    ),
    "from spacy_nereval import Evaluator; type(pickle.loads(pickle.dumps(Evaluator(y_true, y_pred).evaluate())))": (
        "Result"
    ),
    "from spacy_nereval import Evaluator; scores, by_tag = Evaluator(y_true, y_pred).evaluate()[:2]; "
    "scores.f1, by_tag['PER'].f1": f"{STRICT}, result.labels['PER'].strict.f",
    "from spacy_nereval import Evaluator; Evaluator(nlp).evaluate('gold.spacy').f1": "1.0",
    "repr(result.confusion), str(agreement(a, b).disagreements)[:12]": (
        "repr(result.confusion()), str(agreement(a, b).errors())[:12]"
    ),
    "result.plot().figure.spec, result.plot().savefig.__name__": "result.plot().spec, 'save'",
    "from spacy_nereval import html_report; html_report(gold, pred, output='made.html').html[:15]": "'<!DOCTYPE html>'",
    "plan(gold, pred, half_width=5).n_docs": "plan(gold, pred, half_width=5).documents_needed",
    # functions for one number or list, modules of other packages
    "from spacy_nereval import krippendorff_alpha, cohen_kappa; krippendorff_alpha(a, b), cohen_kappa(a, b)": (
        "agreement(a, b)['units']['alpha'], agreement(a, b)['units']['kappa']"
    ),
    "from spacy_nereval import muc_counts; muc_counts(y_true, y_pred)": "result.semeval.counts",
    "from spacy_nereval import wrf, wrf_score, compute_weighted_rouge_f1; "
    "[wrf(gold, pred).wrf.value, wrf_score(gold, pred), compute_weighted_rouge_f1(gold, pred)]": (
        "[score(gold, pred).wrf.value] * 3"
    ),
    "from spacy_nereval.stats import bootstrap_ci; bootstrap_ci(y_true, y_pred, seed=1)": (
        "score(y_true, y_pred, 'strict', confidence={'seed': 1}).strict.interval()"
    ),
    "from spacy_nereval.llm import align_entities; align_entities('Ada met Ada', [('Ada', 'PER')]).spans": (
        "spacy_nereval.locate('Ada met Ada', [('Ada', 'PER')]).spans"
    ),
    "from spacy_nereval import parse_answer; parse_answer('{\"PER\": [\"Ada\"]}', 'Ada sleeps')": ("[(0, 3, 'PER')]"),
    "score('gold.jsonl', pred='pred.jsonl', format='jsonl'), compare('gold.jsonl', a='a.jsonl', b='b.jsonl')": (
        "score(gold, pred), compare({'a': 'a.jsonl', 'b': 'b.jsonl'}, 'gold.jsonl')"
    ),
    # results beside others
    "[result.errors_df().to_csv(index=False), result.errors().to_csv()]": (
        "[result.errors().to_pandas().to_csv(index=False), result.errors().to_frame().to_csv(index=False)]"
    ),
    "[result.diff(score(y_true, y_true)), result - score(y_true, y_true)]": (
        "[compare({'baseline': score(y_true, y_true), 'system': result})] * 2"
    ),
    "len(spacy_nereval.diff(a, b)), len(spacy_nereval.find_errors(a, b))": (
        "len(score(a, b).errors()), len(score(a, b).errors())"
    ),
    "result.semeval['ent_type'].f1": "result.semeval.type_f",
    "compare('gold.jsonl', ['a.jsonl', 'b.jsonl'], ['b.jsonl', 'pred.jsonl'])": (
        "compare({'A': {'run 1': 'a.jsonl', 'run 2': 'b.jsonl'}, 'B': {'run 1': 'b.jsonl', 'run 2': 'pred.jsonl'}}, "
        "'gold.jsonl')"
    ),
    "compare(gold='gold.jsonl', systems=['a.jsonl', 'b.jsonl'])": (
        "compare({'a': 'a.jsonl', 'b': 'b.jsonl'}, 'gold.jsonl')"
    ),
    "spacy_nereval.score_runs('gold.jsonl', ['a.jsonl', 'b.jsonl']).strict.f": (
        "spacy_nereval.score_runs('gold.jsonl', {'run 1': 'a.jsonl', 'run 2': 'b.jsonl'}).strict.f"
    ),
    "agreement(a, b, metrics=['strict', 'kappa'])": "agreement(a, b, metrics='strict')",
    "gate(gold, pred, a, max_drop=0.02).rules": "gate(['strict_f worse_by_at_most 2'], gold, pred, a).rules",
    "from spacy_nereval import Evaluator; e = Evaluator(); [e.add(example) for example in examples]; e.run()": (
        "score(examples)"
    ),
    "spacy_nereval.compute(predictions=y_pred, references=y_true)['overall_f1']": STRICT,
    'from spacy_nereval import parse_llm; parse_llm(\'[{"text": "Ada", "label": "PER"}]\', text=\'Ada met Bob\')': (
        "[(0, 3, 'PER')]"
    ),
    "score(gold, spacy_nereval.from_llm(answers, [record['text'] for record in gold_records])).strict.f": (
        "score(gold, answers).strict.f"
    ),
    "'<title>Batch 7' in spacy_nereval.report(gold, pred, output='made.html', title='Batch 7').html": "True",
    "[bool(gate(['strict_f at_least 99'], gold, pred)), bool(gate(['strict_f at_least 45'], gold, pred))]": (
        "[False, True]"
    ),
    "json.loads(json.dumps(gate(['strict_f at_least 99'], gold, pred), indent=1))": (
        "gate(['strict_f at_least 99'], gold, pred).to_dict()"
    ),
    "gate(['strict_f at_least 99', 'strict_p at_least 1'], gold, pred).failures": (
        "gate(['strict_f at_least 99', 'strict_p at_least 1'], gold, pred).rules[:1]"
    ),
    "gate(gold=gold, pred=pred, baseline=a, max_drop=40)": "gate(['strict_f worse_by_at_most 40'], gold, pred, a)",
    "compare(gold, a, b).significant": "compare(gold, a, b).p_value < 0.05",
    "agreement(a, b).mean_f1": "agreement(a, b).headline.value",
    "from spacy_nereval import convert; convert('gold.conll', 'made.jsonl'); load('made.jsonl')[0].spans": (
        "load('gold.conll')[0].spans"
    ),
    "from spacy_nereval import parse_llm; "
    "[parse_llm('[[\"Ada\", \"PER\"]]', text='Ada met'), parse_llm(['[[\"Ada\", \"PER\"]]'], texts=['Ada met'])]": (
        "[[(0, 3, 'PER')], [[(0, 3, 'PER')]]]"
    ),
    "score(y_true='gold.conll', y_pred='pred.conll', format='conll')": "score('gold.conll', 'pred.conll')",
    "spacy_nereval.read_llm('pred.jsonl', texts=[])[0].spans": "load('pred.jsonl')[0].spans",
    "spacy_nereval.load_docs('gold.spacy', nlp.vocab)[0].spans": "load('gold.spacy')[0].spans",
    "found = spacy_nereval.error_types(gold, pred); [found, found['LE'], found['FN']]": (
        "[result.errors().by_type, result.fair.counts['le'], result.fair.counts['fn']]"
    ),
    "result.warnings, result.notes": "[*result._notes], [*result._notes]",
    "spacy_nereval.Result.from_json('scored.json').f1": "1.0",
    "result.to_json(indent=2)": "result.to_json()",
    "[thresholds(gold, pred, per_label='own')['PER'].threshold]": (
        "[thresholds(gold, pred, per_label='own')['per_type']['PER']['cut']]"
    ),
    "compare(gold, a, b).to_dataframe()[['metric', 'a', 'b', 'diff']].values.tolist()": (
        "compare(gold, a, b).to_frame()[['metric', 'baseline_value', 'value', 'difference']].values.tolist()"
    ),
    "compare(gold, a, b, by_label=True)": "compare(gold, a, b, per_label=True)",
    "leaderboard({'x': gold, 'y': a}, {'a': {'x': a, 'y': b}, 'b': {'y': a, 'x': b}})": (
        "leaderboard({'x': (gold, {'a': a, 'b': b}), 'y': (a, {'a': b, 'b': a})})"
    ),
    "gate(['strict_f at_least 99'], gold, pred).reason": "gate(['strict_f at_least 99'], gold, pred).conclusion",
    "[*agreement(a, b).pairwise.items()]": "[(('a', 'b'), agreement(a, b).headline.value)]",
    "[compare(gold, a, b).ci_low, compare(gold, a, b).ci_upper]": "[*compare(gold, a, b).headline.interval]",
    "[result.ci_low, result.fair.ci_high]": "[result.strict.interval().low, result.fair.interval().high]",
    "[agreement(a, b).ci_lower]": "[agreement(a, b).headline.interval.low]",
    "score('./model', 'gold.spacy').strict.f, spacy_nereval.evaluate_model('model', 'gold.spacy').strict.f": "1.0, 1.0",
    "score(y_true, y_pred, average='micro').f1": STRICT,
    "score(y_true, y_pred, schemes=['strict', 'partial'])": "score(y_true, y_pred, metrics='strict,semeval')",
    "[score(gold, pred, 'wrf').f1, score(gold, pred).wrf.f1]": "[score(gold, pred).wrf.value] * 2",
    "score('gold.jsonl', answers, format='llm')": "score(gold, answers)",
    "low, high = spacy_nereval.bootstrap_ci(gold, pred, metric='fair', n=50); low, high": (
        "tuple(score(gold, pred, 'fair', confidence={'samples': 50}).fair.interval())"
    ),
    "[thresholds(gold, pred).best.f1, thresholds(gold, pred).best.threshold]": (
        "[thresholds(gold, pred).best['value'], thresholds(gold, pred).best['cut']]"
    ),
}

FAILS = {
    "from spacy_nereval import precision_recall_fscore_support": "r.to_pandas()[['label', 'precision', 'recall'",
    "from spacy_nereval import bootstrap": "score(gold, pred, confidence=True)",
    "spacy_nereval.get_metric": "create('fair')",
    "score(y_true, y_pred, average='macro')": "r.strict.averages['macro']",
    "score(y_true, y_pred, zero_division=0)": "r.strict.f or 0.0",
    "score(gold, pred, match='text')": "expected one of exact, normalised, caseless",
    "score(gold, pred, foo=1)": "its arguments are gold, pred, metrics, confidence",
    "compare({'a': a, 'b': b}, gold, foo=1)": "its arguments are systems, gold, metrics, baseline, level",
    "thresholds(gold, pred, foo=1)": "its arguments are gold, pred, metrics, best, per_label",
    "score(gold, pred, spam=1, scheem='IOB1')": "score has no argument spam",
    "score(gold, pred, scheem='IOB1')": "did you mean 'scheme'?",
    "score(y_true, y_pred, 'fair,loio').f1": "write r.fair.f, r.loio.f, or r.headline",
    "result.disagreements()": "agreement({'ann'",
    "score(gold, 'nowhere.jsonl')": "there is no file 'nowhere.jsonl'",
    "score(gold_spans, nlp)": "a pipeline predicts on texts, and the gold items are spans: give text=",
    "count(gold_docs, ['strict'])": "write create_all(['strict'])",
    "count(gold_docs, create_all(['strict']))": "write score(gold, pred).counts",
    "Result(nlp.evaluate(examples))": "write score(gold, nlp)",
    "from spacy_nereval import render": "r.save('report.html')",
    "from spacy_nereval.scheme import IOB2": "score(y_true, y_pred, scheme='IOB2')",
    "from spacy_nereval import get_entities": "tags_to_entities(spacy.training.iob_to_biluo(tags))",
    "from spacy_nereval import tags_to_spans": "tags_to_entities(spacy.training.iob_to_biluo(tags))",
    "spacy_nereval.to_jsonl(gold)": "subprocess.run(['nereval', 'convert', 'gold.conll', 'new.spacy'])",
    "spacy_nereval.render_errors(gold, pred)": "write r.save('report.html'), with r = score(gold, pred)",
    "spacy_nereval.highlight_errors(gold, pred)": "write r.save('report.html'), with r = score(gold, pred)",
    "spacy_nereval.plot_confusion_errors(gold, pred)": "write r.confusion('strict')",
    "spacy_nereval.analyze_errors(gold, pred)": "write r.to_frame('groups'), with the number of equal errors",
    "spacy_nereval.common_errors(gold, pred)": "write r.to_frame('groups'), with the number of equal errors",
    "spacy_nereval.check(result, {'f1': 0.85})": "write gate(['strict_f at_least 85'], gold, pred)",
    "score(gold, pred, min_overlap=0.5)": "score(gold, pred, 'overlap'), which gives credit by the shared part",
    "score(gold, pred, min_length=2)": "score has no argument min_length; its arguments are",
    "score(gold, nlp, batch_size=64)": "write score(gold, nlp), which predicts in batches of nlp.batch_size",
    "score(frame, gold='gold_tag', pred='pred_tag', sentence='sentence_id')": (
        "write score(df.groupby('sentence_id', sort=False).agg(list), gold='gold_tag', pred='pred_tag')"
    ),
    "compare(gold, [a, b], names=['CRF', 'BERT'])": "write compare({'a': pred_a, 'b': pred_b}, gold), in which keys",
    "leaderboard(gold, [a, b], names=['CRF', 'BERT'])": "pred_b}), in which keys are names",
    "agreement(a, b, names=['ann', 'bob'])": "'bob': docs_b}), in which keys are names",
    "agreement(a, b, per_label=True)": "write agreement({'ann': docs_a, 'bob': docs_b}).to_frame('labels')",
    "agreement(a, b, pairwise=True)": "write agreement({'ann': docs_a, 'bob': docs_b}).to_frame('pairs')",
    "from spacy_nereval import fbeta_score": "score(gold, pred, {'strict': {'beta': 2}})",
    "spacy_nereval.Counts(tp=8, fp=2, fn=1)": "write prf(8, 2, 1)",
    "spacy_nereval.parse_answers(['[]', '[]'], ['Ada'])": "2 answers and 1 texts; expected a text for each answer",
    "score(y_true='gold.jsonl', y_pred='pred.jsonl', format='nothing')": "there is no format 'nothing'",
    "load('nereval')": "write score(gold, pred)",
    "load('seqeval')": "from spacy_nereval.compat.seqeval import f1_score",
    "spacy_nereval.Metric('partial')": "write score(gold, pred, 'partial')",
    "from spacy_nereval.hf import make_compute_metrics": "score(gold, pred)",
    "from spacy_nereval import make_compute_metrics": "score(gold, pred, tag_names=id2label).flat()",
    "from spacy_nereval import from_hf": "score(gold, pred)",
    "from spacy_nereval import breakdown": "score(gold, pred, by='meta.source')",
    "from spacy_nereval import seen_unseen": "score(gold, pred, {'tmr': {'train': 'train.jsonl'}})",
    "from spacy_nereval.stats import confint": "confidence=True), and r.strict.interval() for one score",
    "from spacy_nereval.stats import mcnemar": "write compare({'a': pred_a, 'b': pred_b}, gold)",
    "compare(gold, a, b, test='bootstrap', seed=12345)": "write compare({'a': pred_a, 'b': pred_b}, gold)",
    "from spacy_nereval import sample_size": "plan(gold, pred, other, difference=2)",
    "from spacy_nereval.power import solve_power": "plan(gold, pred, other, difference=2)",
    "from spacy_nereval.iaa import cohen_kappa": "agreement({'ann': docs_a, 'bob': docs_b})",
    "evaluate(gold, gold_col='gold', pred_col='pred')": "score(df['gold'], df['pred'], text=df['text'])",
    "from spacy_nereval import apply_thresholds": "thresholds(gold, pred)",
    "from spacy_nereval import Policy": "gate('policy.cfg', gold, pred)",
    "from spacy_nereval import frobnicate": "it has agreement, apply",
    "import spacy_nereval.frobnicate": "no module spacy_nereval.frobnicate: spacy_nereval itself has agreement",
    "count(gold_docs, pred_docs)": "write score(gold, pred) to score predictions",
    "score(y_true, y_pred, ignore=['MISC'], labels={'A': 'B'})": "it means labels, which is given already",
    "score(y_true, y_pred, n_bootstrap=9, confidence=False)": "it means confidence, which is given already",
    "score(y_true, y_pred, scheme='IOB')": "expected one of auto, IOB1, IOB2",
    "score(gold_docs, y_true=gold_docs, pred=pred_docs)": "it means gold, which is given already",
    "score(gold, pred, lang='en')": "files need no language",
    "spacy_nereval.bootstrap(gold, pred)": "score(gold, pred, confidence=True)",
    "spacy_nereval.scroe": "did you mean 'score'?",
    "result.fair.errors": "write .counts for numbers, and r.errors('fair') for a list",
    "score(gold, pred, attributes=['negated'])": "score(gold, pred, 'attributes')",
    "score(gold, pred, scheme='strict')": "for strict, write score(gold, pred, metrics='strict')",
    "result.hallucinations": "row['in_text'] is False",
    "score('gold.jsonl', 'pred.jsonl', format='json')": "gold.jsonl: there is no format 'json'; expected one of",
    "from spacy_nereval import make_scorer": "spacy.registry.scorers.get('spacy-nereval.ner_scorer.v1')()",
    "evaluate(frame, source_col='source')": "write score(df[df['source'] == 'gold'], df[df['source'] == 'pred'])",
    "result.parse_errors": "write r.get('mentions'), with the number of unreadable answers",
    "spacy_nereval.Gate('f1 >= 0.85')": "write gate(['strict_f at_least 85'], gold, pred)",
    "spacy_nereval.Gate(min_f1=0.85)": "Gate is a result, and has no options: write gate(['strict_f at_least 85']",
    "spacy_nereval.sample_size(f1=0.8, margin=0.02)": "plan(gold, pred, half_width=2)",
    "result.plot_confusion_matrix()": "r.confusion('fair', hits=True).plot()",
    "result.char_f1": "char is not among the metrics: write score(gold, pred, [",
    "result.to_dict()['strict']": "write ['metrics']['strict']['scores']",
    "result.ci(level=0.9)": "write score(gold, pred, confidence=0.9)",
    "result.errors(frobnicate=1)": "errors has no argument frobnicate; its arguments are metric, verdicts, labels",
    "result.errors[0].frobnicate": "a row has no 'frobnicate'",
    "result.errors(type='frobnicate')": "there is no verdict 'frobnicate'",
    "result.per_document()": "write r.to_frame('documents')",
    "compare({'a': a, 'b': b, 'c': c}, gold).p_value": "c.to_frame().p_holm",
    "plan(f1=0.85, width=0.04)": "write plan(gold, pred, half_width=2)",
    "spacy_nereval.evaluate_df(gold_df)": "write score(gold_df, pred_df)",
    "from spacy_nereval import from_pandas": "write score(gold_df, pred_df)",
    "spacy_nereval.error_analysis(gold, pred).summary()": "write .counts, the number of each verdict",
    "result.errors.frobnicate": "a list without 'frobnicate': write .counts",
    "result.to_dict(flat=True)": "write r.flat()",
    "result.to_dict('records')": "to_dict does not take 'records': write r.to_frame().to_dict('records')",
    "result.to_json(orient='records')": "write r.to_json('scores.json'), which is indented",
    "result.to_csv(index=False)": "which has no index",
    "result.to_frame(by='label')": "write r.to_frame('label-scores')",
    "result.confusion(normalize=True)": "m.div(m.sum(axis=1), axis=0)",
    "result.summary(frobnicate=1)": "summary has no argument frobnicate; its arguments are average, digits",
    "result.to_html()": "write r.save('report.html')",
    "score(gold, pred, mode='unlabeled')": "write score(gold, pred, 'semeval').semeval.exact_f",
    "from spacy_nereval import evaluate_links": "label_from='kb_id'",
    "gate(gold, pred, rules=['strict_f at_least 85'])": "write gate(['strict_f at_least 85'], gold, pred)",
    "gate(result, 'policy.cfg')": "missing a required argument: 'candidate'; write gate('policy.cfg', gold, pred)",
    "load(gold, frobnicate=1)": "load has no argument frobnicate; its arguments are path, format",
    "score(gold, pred, 'muc').f1": "write r.semeval.strict_f, r.semeval.exact_f, r.semeval.partial_f, r.semeval.type_f",
    "score(gold, pred, 'muc').possible": "write r.strict.possible, r.exact.possible, r.partial.possible, or r['type']",
    "score(gold, pred, 'muc').muc": "muc is a set of metrics: write r.semeval or r.slot_error",
    "from spacy_nereval import collect_named_entities": "tags_to_entities(spacy.training.iob_to_biluo(tags))",
    "thresholds(gold, pred).best.frobnicate": "there is no 'frobnicate'; there are cut, value",
    "score()": "score: missing a required argument: 'gold'; write score(gold, pred)",
    "spacy_nereval.merge()": "write merge(['a.npz', 'b.npz'])",
    "spacy_nereval.Counts.load('a.npz')": "Result.load('counts.npz').counts reads them",
    "load(gold).to_pandas()": "a list without 'to_pandas': write [0].text or [0].spans",
    "leaderboard(gold, {'a': a, 'b': b}).winner": "write l.to_pandas(), whose first row is the best system",
    "leaderboard(gold, {'a': a, 'b': b})['a']": "write l.to_pandas().query(\"system == 'a'\")",
    "gate(['strict_f at_least 45'], gold, pred).to_junit('x.xml')": "write g.save('results.xml')",
    "result.plot().frobnicate": "a figure has no 'frobnicate': write .save('figure.png')",
    "spacy_nereval.from_xml('<PER>Ada</PER>')": "since an answer may be the marked text",
    "result.f1.frobnicate": "a score is a number, without 'frobnicate': write r.strict.f for the number",
    "score(gold, pred).errors[0].doc.text": "is the id of the document, without 'text': write e.left + e.text",
    "result.assert_min(f1=0.8)": "write gate(['strict_f at_least 85'], gold, pred)",
    "result.frobnicate": "fair, conclusion, confusion(), counts, errors(), flat(), headline, labels, load()",
    "result.groups": "write score(gold, pred, by='meta.source')['breakdowns']",
    "result.worst": "write r.to_frame('documents').sort_values('strict_f')",
    "gate('policy.cfg', gold, pred, min_f1=0.85)": "write gate(['strict_f at_least 85'], gold, pred)",
    "gate(gold, pred, a, max_drop=0.5)": "write gate(['strict_f worse_by_at_most 1'], gold, pred, other)",
    "compare(gold, a, b, correction='bonferroni')": "in which p values are adjusted (Holm)",
    "result.metrics['f1']": "there is no 'f1'; there are strict, semeval",
    "result.missed": "write r.errors(verdicts='missed')",
    "result.filter(label='PER')": "write score(gold, pred, only=['",
    "result.save.frobnicate": "save is a method, without 'frobnicate'",
    "result.counts.f1": "counts have no 'f1': write score(counts)",
    "thresholds(gold, pred).precision": "t.to_frame('curves')",
    "plan(gold, pred, power=0.8)": "write plan(gold, pred, other, difference=2), with a power of 80 %",
    "spacy_nereval.score_everything(gold, pred)": "write score(gold, pred)",
    "spacy_nereval.score_run": "did you mean 'score_runs'?",
}


def mostly_slow(lines):
    """Every fourth line, and the others among the slow tests."""
    return [pytest.param(line, marks=pytest.mark.slow) if number % 4 else line for number, line in enumerate(lines)]


def answer(line, names):
    """The value of the last part of a line, after its other parts have been run."""
    *first, last = line.split("; ")
    known = dict(names)
    for part in first:
        exec(part, known)
    return exec(last, known) if last.startswith(("from", "import")) else eval(last, known)


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", mostly_slow(WORKS))
def test_a_guess_in_python_works(line, names, room, monkeypatch):
    monkeypatch.chdir(room)
    assert answer(line, names) == answer(WORKS[line], names)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", FAILS)
def test_a_guess_in_python_is_answered_with_what_to_write(line, names, room, monkeypatch):
    monkeypatch.chdir(room)
    with pytest.raises((AttributeError, ImportError, KeyError, TypeError, ValueError)) as caught:
        answer(line, names)
    said = str(caught.value.args[0])
    assert FAILS[line] in said and len(said.splitlines()) == 1


COMMANDS = {
    "score gold.spacy pred.spacy": "",
    "evaluate ./model gold.spacy": "",
    "score ./model dev.spacy": "",
    "gold.spacy pred.spacy": "",
    "score gold.spacy --model ./model": "",
    "score gold.spacy pred.spacy --output scores.json": "",
    "--version": "",
    "score gold.jsonl pred.jsonl --average macro": "",
    "score gold.jsonl pred.jsonl --macro": "",
    "score gold.jsonl pred.jsonl --labels PER,ORG": "",
    "compare gold.jsonl a.jsonl b.jsonl --labels PER,ORG": "",
    "score gold.jsonl pred.jsonl --ci": "",
    "score gold.jsonl pred.jsonl --confusion": "",
    "metrics": "",
    "score gold.conll pred.conll --scheme IOB2": "",
    "score gold.conll pred.conll --metrics strict,partial": "",
    "score gold.conll pred.conll --per-label": "",
    "score both.conll": "",
    "score gold.conll pred.conll --metric muc": "",
    "agreement anna.jsonl ben.jsonl": "",
    "iaa anna.jsonl ben.jsonl": "",
    "kappa anna.jsonl ben.jsonl": "",
    "errors gold.jsonl pred.jsonl": "",
    "score --gold gold.jsonl --pred pred.jsonl": "",
    "score --pred=pred.jsonl gold.jsonl -C": "",
    "score gold.jsonl pred.jsonl --format json": "",
    "compare gold.jsonl a.jsonl b.jsonl": "",
    "significance gold.jsonl a.jsonl b.jsonl": "",
    "score gold.jsonl pred.jsonl --by meta.source": "",
    "thresholds gold.jsonl pred.jsonl --missing-score 1": "",
    "leaderboard gold.jsonl a.jsonl b.jsonl": "",
    "score gold.jsonl pred.jsonl --latex": "",
    "score gold.jsonl pred.jsonl --format latex": "",
    "validate gold.jsonl": "",
    "report gold.jsonl pred.jsonl": "",
    "compare anna.jsonl ben.jsonl": "listed by nereval errors A B, and by nereval agreement A B for annotators",
    "table gold.jsonl a.jsonl b.jsonl": "write nereval score GOLD PRED --format markdown",
    "scor gold.jsonl pred.jsonl": "did you mean 'score'?",
    "frobnicate": "nereval --help lists the commands",
    "evaluate gold.jsonl --model ./model --batch-size 64": "batches have the batch_size of [nlp] in the config.cfg",
    "confusion gold.conll pred.conll --normalize": ".to_frame().pipe(lambda m: m.div(m.sum(axis=1), axis=0))",
    "llm gold.jsonl pred.jsonl --answer-key response": 'PRED has lines {"id": ..., "answer": ...}, so rename the field',
    "score gold.jsonl pred.jsonl --min-overlap 0.5": "it gives credit by the shared part, with no least one",
    "leaderboard scored.json scored.json": "or a count file, which 'nereval count' writes",
    "score gold.jsonl pred.jsonl --paired-bs": "write nereval compare GOLD A B",
    "convert gold.jsonl --json": "write nereval score GOLD PRED --json",
    "show gold.jsonl --ci": "write nereval score GOLD PRED --confidence",
    "show gold.jsonl --frobnicate": "--help-all lists all options",
    "score gold.jsonl pred.jsonl --confidnce": "did you mean '--confidence'?",
    "gate policy.cfg gold.jsonl pred.jsonl --min-f1 0.8": "no policy beside --rule",
    "gate gold.jsonl pred.jsonl --rule 'f1 at_least 0.8'": "expected points, such as 80; 0.8 looks like a ratio",
    "gate gold.jsonl b.jsonl --baseline a.jsonl --max-drop 0.5": "--rule 'strict_f worse_by_at_most 1': 1 point",
    "gate gold.jsonl pred.jsonl --min-f1": "write nereval gate GOLD PRED --rule 'strict_f at_least 85'",
    "gate init": "nereval gate --init POLICY",
    "gate gold.jsonl pred.jsonl": "nereval gate --init POLICY",
    "score gold.jsonl pred.jsonl a.jsonl b.jsonl d.jsonl --cut x.json": "score the system that it is about alone",
    "score gold.jsonl pred.jsonl a.jsonl b.jsonl": "",
    "score gold.jsonl gpt=a.jsonl claude=b.jsonl": "",
    "compare gold.jsonl gpt=a.jsonl claude=b.jsonl": "",
    "errors gold.jsonl pred.jsonl a.jsonl b.jsonl": "nereval count GOLD... PRED...",
    "score gold.jsonl, pred.jsonl": "separate the names of files by spaces",
    "errors model gold.jsonl": "write nereval errors gold.jsonl model",
    "score gold.jsonl pred.jsonl --json -o x.json": "--json > x.json",
    "score gold.jsonl pred.jsonl --json --tables scores": "--json prints the result and no tables",
    "score gold.jsonl pred.jsonl --json -f latex": "--json prints the result and no tables",
    "score gold.conll pred.conll -f conll --latex": "write nereval score GOLD PRED --format latex",
    "score gold.jsonl --pred": "write nereval score GOLD PRED",
    "thresholds gold.conll pred.conll": "give --missing-score 1",
    "evaluate gold.conll pred.conll --format conll --scheme IOB2": "",
    "evaluate ./model dev.spacy --displacy-path out": "write nereval report GOLD PRED --output report.html",
    "conlleval": "write nereval score GOLD PRED --metrics conll",
    "gold.jsonl -i pred.jsonl -m f1": "",
    "gold.jsonl -i a.jsonl b.jsonl --paired-bs --paired-bs-n 1000": "write nereval compare GOLD A B",
    "compare --gold gold.jsonl --baseline a.jsonl --candidate b.jsonl --test swaps": "always tests, by random "
    "permutations",
    "leaderboard gold.jsonl a.jsonl b.jsonl --sort f1": "a score to rank by is given as --primary strict_f",
    "leaderboard gold.jsonl a.jsonl b.jsonl -o board.html": "; --format html > board.html prints the tables as a page",
    "leaderboard gold.jsonl a.jsonl b.jsonl --html board.html": "A B --format html > leaderboard.html",
    "agreement a.jsonl b.jsonl -o page.html": "expected a .json file; --html page.html writes a page",
    "score gold.jsonl pred.jsonl -o page.html": "nereval report GOLD PRED --output page.html shows every error",
    "count gold.jsonl pred.jsonl -o page.html": "--output page.html: expected a .npz file",
    "errors gold.jsonl pred.jsonl --type boundary": "",
    "report gold.jsonl pred.jsonl --html report.html --open": "--output report.html, and open the file",
    "report gold.jsonl pred.jsonl -o page.html --title Sprint": "",
    "diff gold.jsonl a.jsonl b.jsonl --only-regressions": "write nereval compare GOLD A B --tables all",
    "agreement anna.jsonl ben.jsonl --metric kappa": "",
    "convert gold.conll new.jsonl --from conll --to jsonl": "",
    "convert gold.conll new.jsonl --from conll": "",
    "convert gold.conll new.spacy --lang en": "",
    "check gold.jsonl pred.jsonl --policy policy.cfg": "",
    "check gold.jsonl pred.jsonl --min-f1 0.8 --junit-xml results.xml": "write nereval gate GOLD PRED --rule",
    "check gold.jsonl b.jsonl --baseline a.jsonl --max-drop 0.01 -q": "write nereval gate GOLD PRED --baseline OTHER",
    "check gold.jsonl": "or nereval show GOLD for a file",
    "X" * 5000: "nereval --help lists the commands",
    f"evaluate {'X' * 5000} gold.jsonl": "File name too long",
    "evaluate corpus gold.jsonl": "corpus is a folder without a config.cfg",
    "evaluate corpus corpus": "corpus is a folder without .ann files",
    "gate pred.jsonl --config policy.cfg": "nereval gate --init POLICY",
    "convert gold.jsonl --from jsonl --to conll": "the file's ending says its format",
    "leaderboard gold.jsonl a.jsonl b.jsonl --ci": "",
    "thresholds gold.jsonl pred.jsonl --target-precision 0.9": "--csv curves.csv",
    "score gold.conll pred.conll --scheme strict": "for strict, write nereval score GOLD PRED --metrics strict",
    "parse pred.jsonl": 'PRED has lines {"id": ..., "answer": ...}',
    "disagreements anna.jsonl ben.jsonl": "",
    "plan --f1 0.85 --width 0.04": "write nereval plan GOLD PRED --half-width 2",
    "gate gold.jsonl b.jsonl --max-drop 1": "compares with a baseline: give --baseline",
    "sample-size --f1 0.85": "write nereval plan GOLD PRED --half-width 2: for a difference, nereval plan",
    "show gold.jsonl --by-label": "write nereval score GOLD PRED --tables label-scores",
    "-h": "",
    "score -h": "",
    "version": "",
    "list-metrics": "",
    "score gold.jsonl pred.jsonl --verbose": "",
    "score gold.conll pred.conll --scheme IOB": "expected one of auto, IOB1, IOB2",
    "score gold.jsonl pred.jsonl -o scores.csv": "; --format csv > scores.csv prints the tables",
    "score gold.jsonl pred.jsonl -C --n-boot 9 --samples 8": "there is no option --n-boot",
    "thresholds gold.jsonl pred.jsonl --per-label --missing-score 1": "",
    "score gold.jsonl pred.jsonl --format llm": "",
    "score gold.jsonl pred.jsonl --format-pred llm": "",
    "score gold.spacy model": "",
    "errors gold.jsonl pred.jsonl --format csv -o made-rows.csv": "",
    "compare gold.jsonl a.jsonl b.jsonl --by-label": "",
    "convert gold.jsonl new.jsonl --texts gold.jsonl": "each line of ANSWERS has its text",
    "errors gold.jsonl pred.jsonl --summary": "write nereval score GOLD PRED --tables groups",
    "count gold.jsonl pred.jsonl": "nereval count needs --output: ",
    "html gold.jsonl pred.jsonl page.html": "",
    "report gold.jsonl pred.jsonl other.html": "",
    "align gold.jsonl pred.jsonl -o new.jsonl": "there is no command 'align': write nereval score GOLD PRED: PRED has",
    "score gold.jsonl pred.jsonl --pred-format json-answers": "answers of a language model are lines",
    "gate gold.jsonl pred.jsonl --min-f1-per-label 0.8": "--rule 'strict_f at_least 85 label PER': one for each label",
    "validate gold.jsonl pred.jsonl": "unexpected argument pred.jsonl: nereval show takes FILE",
    "score gold.jsonl pred.jsonl --csv scores.csv": "nereval score GOLD PRED --format csv > table.csv",
    "errors gold.jsonl pred.jsonl --csv rows.csv": "nereval errors GOLD PRED --format csv > table.csv",
    "report gold.jsonl a.jsonl b.jsonl --baseline a": "write nereval compare GOLD A B",
    "llm gold.jsonl pred.jsonl --show-invalid": "it says how many answers are readable",
    "gate gold.jsonl pred.jsonl --min-f1 0.4 --warn-only": "--rule 'strict_f at_least 85 required false'",
    "score gold.jsonl pred.jsonl --save-counts c.npz": "write nereval count GOLD PRED --output counts.npz",
    "plan gold.jsonl pred.jsonl --rule 'strict_f at_least 85' --policy policy.cfg": "give one of the two",
    "report gold.jsonl pred.jsonl --rule 'strict_f at_least 85' -o ruled.html": "",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", mostly_slow(COMMANDS))
def test_a_guessed_command_works_or_is_answered_with_what_to_write(line, room, monkeypatch):
    monkeypatch.chdir(room)
    done = run(*shlex.split(line))
    if COMMANDS[line]:
        assert done.exit_code == 2
        said = " ".join(done.stderr.split())
        assert COMMANDS[line] in said
        assert said.startswith("✘ ")
    else:
        assert done.exit_code == 0, done.output


SAME = {
    "measures fair": "metrics fair",
    "evaluate gold.jsonl pred.jsonl --all": "score gold.jsonl pred.jsonl --metrics all",
    "score gold.jsonl pred.jsonl --relaxed --fair": "score gold.jsonl pred.jsonl --metrics relaxed,fair",
    "score gold.jsonl pred.jsonl --output-format markdown": "score gold.jsonl pred.jsonl --format markdown",
    "leaderboard --dataset dev=gold.jsonl --system A=a.jsonl --system B=b.jsonl": (
        "leaderboard gold.jsonl A=a.jsonl B=b.jsonl"
    ),
    "agreement anna.jsonl ben.jsonl --per-label --json": "agreement anna.jsonl ben.jsonl --json",
    "score gold.jsonl pred.jsonl --json new.json": "score gold.jsonl pred.jsonl --output new.json",
    "gate gold.jsonl pred.jsonl --min-exact-f1 0.5": "gate gold.jsonl pred.jsonl --rule 'exact_f at_least 50'",
    "gate gold.jsonl pred.jsonl --fail-under fair_recall=0.5": (
        "gate gold.jsonl pred.jsonl --rule 'fair_r at_least 50'"
    ),
    "errors gold.jsonl pred.jsonl --top 3": "errors gold.jsonl pred.jsonl --limit 3",
    "score gold.jsonl pred.jsonl --fail-under 80": "gate gold.jsonl pred.jsonl --rule 'strict_f at_least 80'",
    "evaluate --gold gold.jsonl --pred pred.jsonl --min-recall 0.3": (
        "gate gold.jsonl pred.jsonl --rule 'strict_r at_least 30'"
    ),
    "evaluate ./model gold.jsonl --fail-under=0.45": "gate gold.jsonl ./model --rule 'strict_f at_least 45'",
    "evaluate gold.jsonl pred.jsonl --ignore-case": "score gold.jsonl pred.jsonl --match caseless",
    "score gold.jsonl pred.jsonl --group-by source": "score gold.jsonl pred.jsonl --by meta.source",
    "compare --gold gold.jsonl --a a.jsonl --b b.jsonl --test permutation --paired -n 99": (
        "compare gold.jsonl a.jsonl b.jsonl --trials 99"
    ),
    "compare gold.jsonl --old a.jsonl --new b.jsonl --correction holm": "compare gold.jsonl a.jsonl b.jsonl",
    "score gold.conll pred.conll --format conll2003": "score gold.conll pred.conll --format conll",
    "agreement ann=anna.jsonl bob=ben.jsonl": "agreement anna.jsonl ben.jsonl --name ann --name bob",
    "gate gold.jsonl pred.jsonl --min f1=0.4 --min PER.recall=0.1": (
        "gate gold.jsonl pred.jsonl --rule 'strict_f at_least 40' --rule 'strict_r at_least 10 label PER'"
    ),
    "score gold.jsonl pred.jsonl --llm --pred-format llm": "score gold.jsonl pred.jsonl",
    "score gold.jsonl pred.jsonl -q --latex": "score gold.jsonl pred.jsonl --format latex",
    "diff anna.jsonl ben.jsonl": "errors anna.jsonl ben.jsonl",
    "differences gold.jsonl pred.jsonl": "errors gold.jsonl pred.jsonl",
    "score gold.jsonl pred.jsonl --ignore-labels": "score gold.jsonl pred.jsonl --metrics semeval",
    "score --untyped gold.jsonl pred.jsonl": "score gold.jsonl pred.jsonl --metrics semeval",
    "score gold.jsonl pred.jsonl --ignore-labels LOC": "score gold.jsonl pred.jsonl --labels LOC=",
    "gate gold.jsonl pred.jsonl --min-f1 PER=0.3,LOC=0.2": (
        "gate gold.jsonl pred.jsonl --rule 'strict_f at_least 30 label PER' --rule 'strict_f at_least 20 label LOC'"
    ),
    "gate gold.jsonl pred.jsonl --min-recall PER:20": (
        "gate gold.jsonl pred.jsonl --rule 'strict_r at_least 20 label PER'"
    ),
    "gate --model ./model --gold gold.jsonl --min-f1 0.45": "gate gold.jsonl ./model --rule 'strict_f at_least 45'",
    "plan --model ./model --gold gold.jsonl": "plan gold.jsonl ./model",
    "plan gold.jsonl pred.jsonl --min-f1 0.85": "plan gold.jsonl pred.jsonl --rule 'strict_f at_least 85'",
    "errors --model ./model --gold gold.jsonl": "errors gold.jsonl ./model",
    "evaluate --nlp ./model --data gold.jsonl": "evaluate ./model gold.jsonl",
    "compare --gold gold.jsonl --models x=a.jsonl y=b.jsonl": "compare gold.jsonl x=a.jsonl y=b.jsonl",
    "agreement --annotators anna.jsonl ben.jsonl": "agreement anna.jsonl ben.jsonl",
    "gate policy.cfg gold.jsonl pred.jsonl --junit-xml results.xml": (
        "gate policy.cfg gold.jsonl pred.jsonl --junit results.xml"
    ),
    "gate gold.jsonl pred.jsonl --threshold=0.4": "gate gold.jsonl pred.jsonl --rule 'strict_f at_least 40'",
    "gate gold.jsonl pred.jsonl --min-f1 0.45": "gate gold.jsonl pred.jsonl --rule 'strict_f at_least 45'",
    "gate gold.jsonl pred.jsonl --min-f1 45 --min-precision=0.3": (
        "gate gold.jsonl pred.jsonl --rule 'strict_f at_least 45' --rule 'strict_p at_least 30'"
    ),
    "gate --gold gold.jsonl --pred b.jsonl --baseline a.jsonl --max-drop 50": (
        "gate gold.jsonl b.jsonl --baseline a.jsonl --rule 'strict_f worse_by_at_most 50'"
    ),
    "evaluate gold.jsonl --model ./model": "evaluate ./model gold.jsonl",
    "score gold.jsonl pred.jsonl -m f1": "score gold.jsonl pred.jsonl -m strict",
    "score gold.jsonl pred.jsonl -m faireval ser": "score gold.jsonl pred.jsonl -m fair,slot_error",
    "score gold.jsonl pred.jsonl --map ORG=LOC": "score gold.jsonl pred.jsonl --labels ORG=LOC",
    "errors gold.jsonl pred.jsonl --type missed": "errors gold.jsonl pred.jsonl --errors fn",
    "errors gold.jsonl pred.jsonl -e boundary,label": "errors gold.jsonl pred.jsonl -e be_s,be_l,be_o,le",
    "iaa anna.jsonl ben.jsonl --metric kappa": "agreement anna.jsonl ben.jsonl --tables alpha",
    "compare gold.jsonl a.jsonl b.jsonl --primary f1": "compare gold.jsonl a.jsonl b.jsonl --primary strict_f",
    "leaderboard gold.jsonl a.jsonl b.jsonl --sort-by recall": (
        "leaderboard gold.jsonl a.jsonl b.jsonl --primary strict_r"
    ),
    "threshold gold.jsonl pred.jsonl --missing-score 1 --optimize fair_f1": (
        "thresholds gold.jsonl pred.jsonl --missing-score 1 --best fair_f"
    ),
    "llm gold.jsonl pred.jsonl": "score gold.jsonl pred.jsonl",
    "convert gold.jsonl --from jsonl --to conll -o new.conll": "convert gold.jsonl new.conll",
    "score ./model gold.jsonl": "evaluate ./model gold.jsonl",
    "score gold.jsonl --model ./model -m strict": "evaluate ./model gold.jsonl -m strict",
    "gold.jsonl pred.jsonl": "score gold.jsonl pred.jsonl",
    "score --predictions pred.jsonl --gold gold.jsonl": "score gold.jsonl pred.jsonl",
    "score gold.jsonl pred.jsonl --macro": "score gold.jsonl pred.jsonl --average macro",
    "score gold.jsonl pred.jsonl --labels PER,LOC": "score gold.jsonl pred.jsonl --only PER,LOC",
    "score gold.jsonl pred.jsonl -m exact,strict,type": "score gold.jsonl pred.jsonl -m semeval,strict",
    "evaluate gold.jsonl pred.jsonl": "score gold.jsonl pred.jsonl",
    "evaluate -m strict gold.jsonl pred.jsonl": "score gold.jsonl pred.jsonl -m strict",
    "evaluate gold.conll pred.conll": "score gold.conll pred.conll",
    "score -g gold.jsonl -p pred.jsonl -m partial": "score gold.jsonl pred.jsonl -m semeval",
    "evaluate gold.jsonl pred.jsonl -m ser,faireval": "score gold.jsonl pred.jsonl -m slot_error,fair",
    "score gold.jsonl pred.jsonl --mode strict --average macro": "score gold.jsonl pred.jsonl -m strict -a macro",
    "score gold.jsonl pred.jsonl --ci 95": "score gold.jsonl pred.jsonl --confidence --level 0.95",
    "score gold.jsonl pred.jsonl --confidence 0.9": "score gold.jsonl pred.jsonl --confidence --level 0.9",
    "score gold.jsonl pred.jsonl --labels PER ORG": "score gold.jsonl pred.jsonl --only PER,ORG",
    "compare --gold gold.jsonl --baseline b.jsonl --candidate a.jsonl": "compare gold.jsonl b.jsonl a.jsonl",
    "diff gold.jsonl a.jsonl b.jsonl": "compare gold.jsonl a.jsonl b.jsonl",
    "threshold gold.jsonl pred.jsonl --missing-score 1": "thresholds gold.jsonl pred.jsonl --missing-score 1",
    "leaderboard gold.jsonl a.jsonl b.jsonl --names x,y": ("leaderboard gold.jsonl a.jsonl b.jsonl --name x --name y"),
    "iaa anna.jsonl ben.jsonl --by-label": "agreement anna.jsonl ben.jsonl --tables labels",
    "check gold.jsonl pred.jsonl --policy policy.cfg": "gate policy.cfg gold.jsonl pred.jsonl",
    "iaa anna.jsonl ben.jsonl": "agreement anna.jsonl ben.jsonl",
    "errors --pred pred.jsonl gold.jsonl": "errors gold.jsonl pred.jsonl",
    "compare --labels gold.jsonl a.jsonl b.jsonl": "compare --per-label gold.jsonl a.jsonl b.jsonl",
    "eval gold.conll pred.conll": "score gold.conll pred.conll",
    "run gold.jsonl pred.jsonl": "score gold.jsonl pred.jsonl",
    "confusion gold.jsonl pred.jsonl": "score gold.jsonl pred.jsonl --tables confusion",
    "bootstrap gold.jsonl pred.jsonl": "score gold.jsonl pred.jsonl --confidence",
    "error-analysis gold.jsonl pred.jsonl": "errors gold.jsonl pred.jsonl",
    "stats gold.jsonl": "show gold.jsonl",
    "info gold.jsonl": "show gold.jsonl",
    "score gold.jsonl pred.jsonl --label PER": "score gold.jsonl pred.jsonl --only PER",
    "score gold.jsonl pred.jsonl --ignore LOC": "score gold.jsonl pred.jsonl --labels LOC=",
    "score gold.jsonl pred.jsonl --exclude-labels LOC,ORG": "score gold.jsonl pred.jsonl --labels LOC=,ORG=",
    "score gold.jsonl pred.jsonl --exclude-labels=LOC,ORG": "score gold.jsonl pred.jsonl --labels LOC=,ORG=",
    "score gold.jsonl pred.jsonl --strict": "score gold.jsonl pred.jsonl --metrics strict",
    "score --partial gold.jsonl pred.jsonl": "score gold.jsonl pred.jsonl --metrics semeval",
    "score gold.jsonl pred.jsonl --ci --confidence": "score gold.jsonl pred.jsonl --confidence",
    "score gold.jsonl pred.jsonl --ci --confidence 0.9": "score gold.jsonl pred.jsonl --confidence --level 0.9",
    "score gold.jsonl pred.jsonl --ci --confidence 0.9 --bootstrap 99": (
        "score gold.jsonl pred.jsonl --confidence --level 0.9 --samples 99"
    ),
    "score gold.jsonl pred.jsonl --bootstrap 1000 --seed 1": "score gold.jsonl pred.jsonl --confidence --seed 1",
    "score gold.jsonl pred.jsonl --bootstrap": "score gold.jsonl pred.jsonl --confidence",
    "score --bootstrap gold.jsonl pred.jsonl": "score --confidence gold.jsonl pred.jsonl",
    "score gold.jsonl pred.jsonl --n-bootstrap 99 --random-seed 3": "score gold.jsonl pred.jsonl -C --seed 3",
    "score gold.jsonl pred.jsonl --alpha 0.1": "score gold.jsonl pred.jsonl --confidence --level 0.9",
    "compare gold.jsonl a.jsonl b.jsonl --n-resamples 99": "compare gold.jsonl a.jsonl b.jsonl --trials 99",
    "significance gold.jsonl a.jsonl b.jsonl --alpha 0.01": "compare gold.jsonl a.jsonl b.jsonl --level 0.99",
    "iaa anna.jsonl ben.jsonl --pairwise --by-label": "agreement anna.jsonl ben.jsonl --tables pairs,labels",
    "score gold.jsonl pred.jsonl --label-map ORG=LOC --ci": "score gold.jsonl pred.jsonl --labels ORG=LOC -C",
    "score gold.jsonl pred.jsonl --labels PER=LOC --ignore ORG": "score gold.jsonl pred.jsonl --labels PER=LOC,ORG=",
    "compare gold.jsonl --systems a.jsonl b.jsonl": "compare gold.jsonl a.jsonl b.jsonl",
    "score gold.conll pred.conll --scheme BIO": "score gold.conll pred.conll --scheme IOB2",
    "score gold.conll pred.conll --scheme iob2": "score gold.conll pred.conll --scheme IOB2",
}


@pytest.fixture(scope="module")
def expected():
    """What a command prints in the folder: several lines mean the same one."""

    def printed(line):
        done = run(*shlex.split(line))
        return done.exit_code, done.stdout

    return cache(printed)


@pytest.mark.slow
@pytest.mark.parametrize("line", SAME)
def test_a_guess_prints_what_the_command_prints(line, room, monkeypatch, expected):
    monkeypatch.chdir(room)
    done, (status, printed) = run(*shlex.split(line)), expected(SAME[line])
    assert done.exit_code == status <= SAME[line].startswith("gate"), "a gate of few documents may fail"
    assert done.stdout == printed and len(done.output) > 40


@pytest.mark.parametrize("line", ["score gold.jsonl pred.jsonl --n-boot 99", "confusion gold.jsonl --pred pred.jsonl"])
def test_what_is_read_otherwise_is_told_in_one_line_on_stderr(line, room, monkeypatch):
    monkeypatch.chdir(room)
    read = {
        "score": "score gold.jsonl pred.jsonl --confidence --samples 99",
        "confusion": "score gold.jsonl pred.jsonl --tables confusion",
    }[line.split()[0]]
    *_, last = run(*shlex.split(line)).stderr.splitlines()
    assert last in (f"ℹ read as nereval {read}", f"ℹ read as root {read}")
    assert "read as" not in run(*shlex.split(read)).output
    failed = run("gate", "gold.jsonl", "pred.jsonl", "--min-f1", "0.99")
    assert failed.exit_code == 1 and "read as" in failed.stderr, "whatever its verdict is"
    logged = run(*shlex.split(line), "--log-format", "json").stderr.splitlines()
    assert json.loads(logged[-1])["message"].startswith("read as ") and all(map(json.loads, logged))


def test_a_count_file_may_have_the_name_of_what_it_is(room, monkeypatch, tmp_path):
    monkeypatch.chdir(room)
    run("count", "gold.jsonl", "pred.jsonl", "-o", tmp_path / "c.npz")
    assert run("score", "--counts", tmp_path / "c.npz").stdout == run("score", tmp_path / "c.npz").stdout != ""


@pytest.mark.parametrize("option", ["--quiet", "-q", "--silent"])
def test_a_quiet_command_prints_nothing_and_writes_its_file(option, room, monkeypatch):
    monkeypatch.chdir(room)
    for line in ("score gold.jsonl pred.jsonl -o quiet.json", "errors gold.jsonl pred.jsonl -o quiet.jsonl"):
        done = run(*shlex.split(line), option)
        assert (done.exit_code, done.output) == (0, "")
    assert json.loads((room / "quiet.json").read_text(encoding="utf8"))["gold"] == 36
    assert run("score", "gold.jsonl", "nowhere.jsonl", option).stderr.startswith("✘ ")
    assert run("gate", "gold.jsonl", "pred.jsonl", "--min-f1", "0.99", option).exit_code == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gold.jsonl", "gold.spacy", "gold.conll"])
def test_predictions_are_read_from_standard_input_by_their_content(name, room):
    command = [sys.executable, "-m", "spacy_nereval", "score", name, "-", "-m", "strict", "--json"]
    with (room / name).open("rb") as file:
        done = subprocess.run(command, cwd=room, stdin=file, capture_output=True, env=ENVIRONMENT, check=True)
    assert done.stderr.decode() == "ℹ jq .scores prints every score by its key, such as strict_f\n", "in a pipe"
    assert json.loads(done.stdout)["scores"]["strict_f"] == 1


SETTINGS = [
    ("bootstrap", 99),
    ("confidence_level", 0.9),
    ("alpha", 0.1),
    ("confidence", 0.9),
    ("ignore", "LOC"),
    ("exclude_labels", "LOC,ORG"),
    ("label_map", "LOC=ORG"),
    ("tags", "PER"),
    ("metric", "strict"),
    ("scheme", "BIO"),
    ("strict", True),
]


@pytest.mark.parametrize(("name", "value"), SETTINGS)
def test_an_argument_of_others_means_in_python_what_its_option_means(name, value, room, monkeypatch):
    monkeypatch.chdir(room)
    words = [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    assert run("score", "gold.conll", "pred.conll", *words, "-o", "others.json").exit_code == 0
    printed = json.loads((room / "others.json").read_text(encoding="utf8"))
    result = spacy_nereval.score("gold.conll", "pred.conll", **{name: value})
    assert printed["scores"] == result["scores"] and len({*printed["scores"].values()}) > 2
    assert (printed.get("confidence") or {}).get("level") == (result.get("confidence") or {}).get("level")
    plain = spacy_nereval.score("gold.conll", "pred.conll")
    assert name == "scheme" or result != plain, "it has an effect"


def test_names_of_others_are_neither_listed_nor_seen_by_type_checkers():
    others = {*TARGETS, *SEQEVAL, *EVALUATORS}
    result = spacy_nereval.score([["B-PER"]], [["B-PER"]], "strict")
    assert len(others) > 40 and not others & {*dir(spacy_nereval), *spacy_nereval.__all__}
    assert all(getattr(spacy_nereval, name) for name in others) and not others & {*vars(spacy_nereval)}
    assert len(RESULT_NAMES) > 20 and not {*RESULT_NAMES} & {*dir(result), *dir(spacy_nereval.Result)}
    assert all(hasattr(result, name) for names in RESULT_NAMES.items() for name in names)


# Every line that the table proposes

EVERY_ROW = [*(("", names) for names in ROWS), *((at, names) for at, rows in AT.items() for names in rows)]


def test_every_word_means_a_row():
    listed = [word for words in WORDS for word in words.split()]
    assert len(listed) == len({*listed})
    assert {*WORDS.values()} <= {name for names in ROWS for name in names.split()}


def test_what_asks_for_modules_without_importing_them_is_not_disturbed():
    assert find_spec("spacy_nereval.frobnicate") is None and find_spec("spacy_nereval.cli")
    assert not hasattr(spacy_nereval, "frobnicate")
    with refused_with(ModuleNotFoundError, "No module named 'frobnicate'"):
        import_module("frobnicate")


def test_names_of_the_table_are_written_alike_and_are_no_parts_of_the_package():
    listed = [name for names in ROWS for name in names.split()]
    assert len(listed) == len({*listed})
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in listed)
    own = {*spacy_nereval.__all__, "api", "cli", "compat", "core", "counting", "evaluation", "features", "integration"}
    own |= {"io", "metrics", "reporting", "testing", "authoring", "distributed"}
    assert not {name.replace("-", "_") for name in listed} & own


def test_no_name_of_the_table_hides_a_command():
    commands = {command.name for command in nereval.registered_commands}
    assert not commands & {name for names, row in ROWS.items() if row.run for name in names.split()}


EVERY = pytest.mark.parametrize("step", [6, pytest.param(1, marks=NIGHT)])
"""Runs a test on every sixth line by day, and on all of them at night."""


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore")
@EVERY
def test_every_line_of_python_that_the_table_proposes_works(names, room, monkeypatch, step):
    monkeypatch.chdir(room)
    (room / "result.json").write_text(names["result"].to_json())
    sides = [names[f"{side}_df"].assign(source=side) for side in ("gold", "pred")]
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler", name="ner")
    known = names | {
        **{"spacy": spacy, "nlp": nlp, "df": pandas.concat(sides)},
        **{"r": spacy_nereval.score("gold.spacy", "pred.spacy"), "gold": "gold.spacy", "pred": "pred.spacy"},
        **{"docs_a": names["gold_docs"], "docs_b": names["pred_docs"], "pred_a": "a.jsonl", "pred_b": "b.jsonl"},
        **{"pandas": pandas, "gold_df": names["gold_df"], "pred_df": names["pred_df"], "subprocess": subprocess},
        **{"json": json, "text": "Ada met Bob", "answer": '[["Ada", "PER"]]', "tags": ["B-PER", "O"]},
        **{"other": "b.jsonl", "texts": None, "words": None, "id2label": {0: "O"}},
    }
    lines = {python_line(names_of_row.split()[0], at=at) for at, names_of_row in EVERY_ROW} - {""}
    for line in sorted(lines)[::step]:
        code = re.split(
            r", (?:or|and|for|with|which|since|in which) |: it | without it|, r\.|\), and |: an undefined", line
        )[0]
        code += ")" * (code.count("(") - code.count(")"))
        if any(part in code for part in ("text=", "tokens=", "tag_names=", "train.jsonl", "to_excel", "load(")):
            compile(code, line, "exec")
            continue
        scored = {"gold": "gold.jsonl", "pred": "pred.jsonl"} if "thresholds(" in code else {}
        scored |= {"df": names["tagged"]} if "groupby(" in code else {}
        exec(code.replace("from spacy_nereval.compat.seqeval import f1_score", "pass"), known | scored)


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore")
@EVERY
def test_every_command_that_the_table_proposes_works(room, monkeypatch, step):
    monkeypatch.chdir(room)
    files = {"GOLD": "gold.jsonl", "PRED": "pred.jsonl", "A": "a.jsonl", "B": "b.jsonl", "MODEL": "model"}
    files |= {"OTHER": "b.jsonl", "config.json": "config.json"}
    (room / "config.json").write_text('{"id2label": {"0": "O"}}')
    files |= {"TRAIN": "gold.jsonl", "FILE": "out.jsonl", "cuts.json": "cuts.json", "A=RUN1,RUN2": "A=a.jsonl,b.jsonl"}
    assert (
        run("thresholds", "gold.jsonl", "pred.jsonl", "--missing-score", "1", "--cut-file", "cuts.json").exit_code == 0
    )
    for line in sorted({command_line(names.split()[0], at=at) for at, names in EVERY_ROW} - {""})[::step]:
        plain = re.split(" without it| > |, then |: |, and |, or ", line)[0]
        if "--init" in plain:
            plain = plain.replace("policy.cfg", "new.cfg")
        with_tokens = {"GOLD": "gold.spacy", "PRED": "pred.spacy"} if "token" in plain else {}
        (room / "new.cfg").unlink(missing_ok=True)
        done = run(*({**files, **with_tokens}.get(word, word) for word in shlex.split(plain)[1:]))
        judged = (0, 1) if "--rule" in plain else (0,)  # a rule may be broken
        assert done.exit_code in judged, (line, done.output)


def test_every_option_and_command_that_is_understood_exists():
    commands = get_command(nereval).commands
    options = {name for command in commands.values() for parameter in command.params for name in parameter.opts}
    rows = [*ROWS.values(), *(row for rows in AT.values() for row in rows.values())]
    arguments = {f"--{name}" for name in ("gold", "pred", "text", "tokens")}  # which commands take at their places
    asked = {word for row in rows for word in row.option.split() if word.startswith("--")}
    assert len(asked) > 12 and asked <= options | arguments
    understood = [row.run.split() for row in rows if row.run]
    assert len(understood) > 12
    for command, *words in understood:
        names = {name for parameter in commands[command].params for name in parameter.opts} if words else set()
        assert (command in commands or command == "--version") and {*words[:1]} <= names


JSON = [
    "score gold.jsonl pred.jsonl",
    "evaluate model gold.jsonl",
    "compare gold.jsonl a.jsonl b.jsonl",
    "agreement anna.jsonl ben.jsonl",
    "leaderboard gold.jsonl a.jsonl b.jsonl",
    "gate policy.cfg gold.jsonl pred.jsonl",
    "plan gold.jsonl pred.jsonl --policy policy.cfg",
    "thresholds gold.jsonl pred.jsonl",
]


@pytest.mark.costly
@pytest.mark.parametrize("line", JSON)
def test_json_prints_what_output_writes_and_nothing_else(line, room, monkeypatch, capfd):
    monkeypatch.chdir(room)
    run(*line.split(), "-o", "written.json")
    done = run(*line.split(), "--json")
    assert json.loads(done.stdout + capfd.readouterr().out) == json.loads(
        (room / "written.json").read_text(encoding="utf8")
    )


@pytest.mark.costly
def test_json_prints_the_rows_of_errors(room):
    command = [sys.executable, "-m", "spacy_nereval", "errors", "gold.jsonl", "pred.jsonl", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=room, env=ENVIRONMENT)
    rows = json.loads(done.stdout)
    assert len(rows) > 3 and {"verdict", "gold_label"} <= {*rows[0]}


# Pipelines in place of predictions


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("gold", ["gold.spacy", "gold.jsonl", "gold.conll"])
def test_a_pipeline_in_python_gives_what_the_command_gives(gold, room, names, monkeypatch):
    monkeypatch.chdir(room)
    assert run("evaluate", "model", gold, "-C", "-o", "command.json").exit_code == 0
    expected = json.loads((room / "command.json").read_text(encoding="utf8"))
    for model in ("model", names["nlp"]):
        found = json.loads(spacy_nereval.score(gold, model, confidence=True).to_json())
        if gold.endswith(".conll"):  # the command resamples its sentences in blocks
            assert found["scores"] == expected["scores"] and found["per_type"] == expected["per_type"]
        else:
            assert found == expected


@pytest.mark.filterwarnings("ignore")
def test_a_pipeline_has_the_options_that_its_config_stores(room, names, monkeypatch):
    monkeypatch.chdir(room)
    nlp = spacy.load(room / "model")
    nlp.add_pipe("nereval", config={"metrics": {"fair": {"unit": "token"}, "strict": {}}, "only": ["PER", "LOC"]})
    nlp.to_disk(room / "stored")
    assert run("evaluate", "stored", "gold.spacy", "-m", "fair", "-o", "stored.json").exit_code == 0
    expected = json.loads((room / "stored.json").read_text(encoding="utf8"))
    found = spacy_nereval.score("gold.spacy", nlp, "fair")
    assert found.signature == expected["signature"] and "unit=token" in found.signature and "only:" in found.signature
    assert (
        spacy_nereval.score("gold.spacy", nlp, {"fair": {"unit": "char"}}, only=["ORG"]).signature.count("only:ORG")
        == 1
    )
    assert "from the config of pred" in found.summary()
    with refused_with(
        ValueError,
        "the configs of models differ in label options (a has only=['PER', 'LOC']; b has none), and "
        "systems are scored alike: give them in the call",
    ):
        spacy_nereval.compare({"a": nlp, "b": names["nlp"]}, "gold.spacy")


@pytest.mark.filterwarnings("ignore")
def test_compare_takes_pipelines_and_predictions(room, names, monkeypatch):
    monkeypatch.chdir(room)
    assert run("compare", "gold.spacy", "pred.spacy", "model", "-m", "strict", "-o", "pair.json").exit_code == 0
    expected = json.loads((room / "pair.json").read_text(encoding="utf8"))["comparisons"]
    found = spacy_nereval.compare({"pred": "pred.spacy", "model": names["nlp"]}, "gold.spacy", "strict")
    assert json.loads(found.to_json())["comparisons"] == expected
    runs = {"pred": "pred.spacy", "model": {"one": "model", "two": names["nlp"]}}
    assert spacy_nereval.compare(runs, "gold.spacy", "strict").rows[0]["runs"] == [1, 2]


def test_texts_that_are_given_are_predicted_on(names):
    found = spacy_nereval.score([[(0, 3, "PER")], []], names["nlp"], "strict", text=["Ada met Bob", "nobody"])
    assert found.strict.counts == {"tp": 1, "fp": 0, "fn": 0}
