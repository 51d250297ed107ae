"""Names from other packages, and the line to write here: one table for Python and for the commands.

The names are those of scikit-learn, seqeval, nervaluate, sacreBLEU, `evaluate`, pandas and spaCy, as arguments,
options, commands, attributes of results, metrics or imports. A name means the same in all these places, but where
`AT` says that a function means something else by it. A name that no row has is understood by one of its words.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Any, NamedTuple

from .messages import nearest, spell_in_python, spelling


class Meaning(NamedTuple):
    """The meaning of a name.

    Attributes:
        python: The line to write in Python, in which `r` is the result of `score`, and {metric} and {label} are names
            that it has; "" if there is none.
        command: The command to write; "" if there is none.
        option: The equivalents of an option of this name, with their values; "" if it is not understood. The
            given value replaces {}, each of its parts {each}, 1 - value {rest}, its points {points}, {drop} as a loss
            in points unless that could be meant otherwise, and {field} as a field of documents; without a value, the
            options before it are meant. Rules take values of labels, such as PER=0.9, and {of_label} these alone. An
            argument in Python means the same.
        run: The equivalent of a command of this name, with its options; "" if it is not understood.
        needless: The values with which an option of this name changes nothing, separated by spaces.
    """

    python: str = ""
    command: str = ""
    option: str = ""
    run: str = ""
    needless: str = ""


SCORE_NAMES = {
    "precision": "p",
    "recall": "r",
    **dict.fromkeys(("f1", "f_1", "fscore", "f_score", "f1_score", "f1-score", "fbeta"), "f"),
    "score": "value",
    **dict.fromkeys(("ci", "confidence_interval", "confidence_intervals", "bootstrap_ci"), "interval()"),
    **dict.fromkeys(("low", "ci_low", "ci_lower", "lower_bound"), "interval().low"),
    **dict.fromkeys(("high", "ci_high", "ci_upper", "upper_bound"), "interval().high"),
    "macro": "averages['macro']",
    "weighted": "averages['weighted']",
    **dict.fromkeys(("f1_macro", "macro_f1", "macro_f"), "averages['macro']['f']"),
    **dict.fromkeys(("per_type", "per_label"), "labels"),
}
"""The names of the scores of one metric elsewhere, and here."""

AVERAGE_NAMES = {
    **dict.fromkeys(("micro", "overall", "ents"), "micro"),
    "macro": "macro",
    "weighted": "weighted",
}
"""The names of averages elsewhere, as words of a name such as `macro_f1`, and here."""

METRIC_NAMES = {
    **dict.fromkeys(("exact", "partial", "type", "ent_type", "semeval2013", "nervaluate"), "semeval"),
    **dict.fromkeys(("ser", "slot_error_rate"), "slot_error"),
    **dict.fromkeys(("faireval", "fair_eval", "fair_f1"), "fair"),
    **dict.fromkeys(("rouge", "weighted_rouge"), "wrf"),
    **dict.fromkeys(("character", "character_overlap", "char_overlap", "character_level", "char_level"), "char"),
    **dict.fromkeys(("tokens", "token_level"), "token"),
    "seqeval": "strict",
}
"""Names of metrics in other packages, and their names here. The metrics of nervaluate are scores of `semeval` here."""

METRICS_OF_SCORES = dict.fromkeys(
    ("precision", "recall", "f1", "f1_score", "f_score", "fscore", "prf", "micro_f1", "f1_micro", "entity_f1"), "strict"
)
"""Names of scores that are given as metrics, and the metric that has them: as everywhere, that of exact matches."""

KIND_NAMES = {
    **dict.fromkeys(("missing", "false_negative", "false_negatives"), "missed"),
    **dict.fromkeys(("false_positive", "false_positives", "extra"), "spurious"),
    **dict.fromkeys(("boundaries", "boundary_error", "boundary_errors"), "boundary"),
    **dict.fromkeys(("type", "label_error", "label_errors", "type_error", "wrong_label"), "label"),
}
"""Names of kinds of errors elsewhere, and the kinds of `core.wording.VERDICT_KINDS`."""

ROW_NAMES = {
    **dict.fromkeys(("type", "kind", "category", "error_type", "error"), "kind"),
    **dict.fromkeys(("doc", "doc_id", "document_id", "id"), "document"),
    **dict.fromkeys(("pred", "predicted", "prediction"), "pred"),
}
"""Attributes of an error elsewhere, and the fields of its row; "kind" is that of its verdict, such as "boundary"."""

COUNT_NAMES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("correct", "matches", "hits", "true_positives", "true_positive"), ("cor", "tp", "match")),
    **dict.fromkeys(("incorrect", "wrong"), ("inc",)),
    **dict.fromkeys(("partial", "partials"), ("par",)),
    **dict.fromkeys(("missed", "missing"), ("mis",)),
    "spurious": ("spu",),
    "possible": ("pos",),
    "actual": ("act",),
    **dict.fromkeys(("label_errors", "label_error"), ("le", "type_error")),
    **dict.fromkeys(("boundary_errors", "boundary_error"), ("be", "extent_error")),
    **dict.fromkeys(("label_boundary_errors", "label_and_boundary_errors"), ("lbe", "both_error")),
}
"""The names of counts elsewhere, such as MUC's categories, and here: the first that a metric has."""

CHANCE_NAMES = {
    **dict.fromkeys(("kappa", "cohen_kappa", "cohens_kappa", "cohen"), "kappa"),
    **dict.fromkeys(("fleiss", "fleiss_kappa"), "fleiss"),
    **dict.fromkeys(("alpha", "krippendorff", "krippendorff_alpha", "krippendorffs_alpha"), "alpha"),
}
"""Names of coefficients, which an agreement always has, and its keys in `units`."""

GROUP_NAMES = {"ent_type": "type"}
"""Names of groups of scores in other packages, and the groups of `semeval` here."""

RESULT_NAMES = {
    name: here
    for here, names in {
        "labels": "per_label per_labels by_label by_labels per_type per_types by_type per_class by_class per_entity "
        "by_entity per_tag by_tag ents_per_type label_scores entities",
        "to_frame": "to_pandas to_df to_dataframe",
        "to_dict": "as_dict asdict",
        "to_json": "as_json dumps",
        "save": "to_html save_html write_html to_file to_disk save_json",
        "confusion": "confusion_matrix",
        "errors": "error_list list_errors mistakes errors_list get_errors all_errors",
        "summary": "to_string to_text as_text text pretty summary_report",
        "render": "displacy visualize visualise",
    }.items()
    for name in names.split()
}
"""Attributes of results in other packages, and those here that are the same."""

METRIC_WORDS = {name.partition("_")[0]: name for name in ("slot_error", "fair", "wrf", "loio", "semeval", "muc")}
METRIC_WORDS |= {name: here for name, here in METRIC_NAMES.items() if "_" not in name and here != "semeval"}

SCORE = "nereval score GOLD PRED"

AGREEMENT = "agreement({{'ann': docs_a, 'bob': docs_b}})"
COMPARE = "compare({{'a': pred_a, 'b': pred_b}}, gold)"
ANSWERS = f'{SCORE}: PRED has lines {{"id": ..., "answer": ...}}'
SHARES = "r.confusion('fair', hits=True).to_frame().pipe(lambda m: m.div(m.sum(axis=1), axis=0))"
USAGE = {
    "score": "score(gold, pred)",
    "evaluate": "score(gold, pred)",
    "compare": "compare({'a': pred_a, 'b': pred_b}, gold)",
    "agreement": "agreement({'ann': docs_a, 'bob': docs_b})",
    "leaderboard": "leaderboard(gold, {'a': pred_a, 'b': pred_b})",
    "thresholds": "thresholds(gold, pred)",
    "gate": "gate('policy.cfg', gold, pred), or gate(['strict_f at_least 85'], gold, pred)",
    "plan": "plan(gold, pred, half_width=2), or plan(gold, pred, other, difference=2)",
    "load": "load('gold.jsonl')",
    "merge": "merge(['a.npz', 'b.npz'])",
    "save": "r.save('report.html'), or another ending",
}
"""The usual call of each function, for errors."""

WITHOUT_VALUE = dict.fromkeys(("ignore-labels", "ignore-label", "ignore-types", "ignore-type"), "untyped")
"""Names of options that mean another when they are given without a value: it is a flag."""

LEAST_RULE = "--rule 'strict_f at_least {points}'"

LEAST_F = Meaning("gate(['strict_f at_least 85'], gold, pred)", "nereval gate GOLD PRED --rule 'strict_f at_least 85'")
LARGEST_DROP = Meaning(
    "gate(['strict_f worse_by_at_most 1'], gold, pred, other)",
    "nereval gate GOLD PRED --baseline OTHER --rule 'strict_f worse_by_at_most 1': 1 point is 0.01 of F",
)

FIRST_NAMES = "a system-a pred-a preds-a model-a sys-a system1 pred1 old base"
SECOND_NAMES = "b system-b pred-b preds-b model-b sys-b system2 pred2 new candidate"

GOLD_NAMES = (
    "gold golds gold-file dataset data-set data eval-data dev-data test-data reference "
    "references ref refs y-true true truth ground-truth"
)
PRED_NAMES = (
    "pred preds prediction predictions predicted y-pred hypothesis hypotheses hyp hyps candidate candidates sys "
    "system system-output pred-file predictions-file answers responses completions"
)

ROWS: dict[str, Meaning] = {
    "ci intervals confidence-interval confidence-intervals": Meaning(
        "score(gold, pred, confidence=True), and r.{metric}.interval() for one score",
        f"{SCORE} --confidence",
        option="--confidence",
    ),
    "bootstrap n-bootstrap n-boot bootstraps bootstrap-samples n-resamples resamples": Meaning(
        "score(gold, pred, confidence=True), and r.{metric}.interval() for one score",
        f"{SCORE} --confidence",
        option="--confidence --samples {}",
        run="score --confidence",
    ),
    "level confidence-level ci-level": Meaning(
        "score(gold, pred, confidence=0.95)", f"{SCORE} --confidence --level 0.95", option="--confidence --level {}"
    ),
    "seed random-seed random-state rng-seed": Meaning(
        "score(gold, pred, confidence={{'seed': 1}})", f"{SCORE} --confidence --seed 1", option="--seed {}"
    ),
    "resampling bs error-bars stderr": Meaning(
        "score(gold, pred, confidence=True), and r.{metric}.interval() for one score", f"{SCORE} --confidence"
    ),
    "confidence": Meaning(
        "r.headline.interval, and score(..., confidence=True) for those of all scores", f"{SCORE} --confidence"
    ),
    "interval": Meaning("r.headline.interval", f"{SCORE} --confidence"),
    "significance significance-test paired-bs paired-ar paired-test": Meaning(
        COMPARE, "nereval compare GOLD A B", run="compare"
    ),
    "paired-bootstrap significance-testing pvalue p-value p-values ttest t-test mcnemar wilcoxon "
    "permutation-test approximate-randomization randomization-test statistical-test baseline changes": Meaning(
        COMPARE, "nereval compare GOLD A B"
    ),
    "diff versus vs delta difference differences": Meaning(
        f"score(a, b).errors(), or {COMPARE} for two systems", "nereval compare GOLD A B", run="compare"
    ),
    "average averaging avg": Meaning(
        "r.{metric}.averages['macro'], or 'weighted' or 'docs'", f"{SCORE} --average macro", needless="micro"
    ),
    "macro macro-avg": Meaning("r.{metric}.averages['macro']", f"{SCORE} --average macro", option="--average macro"),
    "macro-f1 f1-macro macro-f": Meaning(
        "r.{metric}.averages['macro']['f']", f"{SCORE} --average macro", option="--average macro"
    ),
    "weighted weighted-avg weighted-f1 f1-weighted": Meaning(
        "r.{metric}.averages['weighted']", f"{SCORE} --average weighted", option="--average weighted"
    ),
    "micro micro-avg overall": Meaning("r.{metric}.scores", SCORE),
    "micro-f1 f1-micro": Meaning("r.{metric}.f", SCORE),
    "averages": Meaning("r.{metric}.averages", f"{SCORE} --average macro"),
    "per-label per-labels per-type per-types by-label by-labels by-type per-class by-class "
    "per-entity by-entity per-tag by-tag label-report class-report ents-per-type types": Meaning(
        "r.labels", f"{SCORE} --tables label-scores", option="--tables label-scores"
    ),
    "support": Meaning("r.labels['{label}'].support, or r['gold']", f"{SCORE} --tables label-scores"),
    "only-labels keep labels-to-keep include-labels filter subset restrict": Meaning(
        "score(gold, pred, only=['{label}'])", f"{SCORE} --only PER,LOC", option="--only"
    ),
    "label tags classes target-names entity-types entities include label-list label-set select": Meaning(
        "score(gold, pred, only=['{label}'])", f"{SCORE} --only PER,LOC", option="--only"
    ),
    "ignore ignore-labels ignore-label ignore-types ignore-type exclude exclude-labels drop drop-labels "
    "skip-labels": Meaning(
        "score(gold, pred, labels={{'{label}': None}})", f"{SCORE} --labels MISC=", option="--labels {each}="
    ),
    "untyped unlabeled unlabelled label-agnostic type-agnostic class-agnostic no-labels without-labels any-label "
    "boundaries-only boundary-only only-boundaries boundary-f1 span-only spans-only span-detection detection": Meaning(
        "score(gold, pred, 'semeval').semeval.exact_f, for spans with whatever label",
        f"{SCORE} --metrics semeval: its row 'exact' is for spans with whatever label",
        option="--metrics semeval",
    ),
    "label-map label-maps label-mapping map-labels mapping map rename rename-labels": Meaning(
        "score(gold, pred, labels={{'PERSON': 'PER'}})", f"{SCORE} --labels PERSON=PER", option="--labels"
    ),
    "id2label label-names": Meaning("score(gold, pred, tag_names=id2label)", f"{SCORE} --tag-names config.json"),
    "metric measure measures": Meaning(
        "score(gold, pred, metrics='strict')", f"{SCORE} --metrics strict", option="--metrics", run="metrics"
    ),
    "all all-metrics all-measures every": Meaning(
        "score(gold, pred, 'all')", f"{SCORE} --metrics all", option="--metrics all"
    ),
    "output-format out-format table-format": Meaning(
        "r.to_markdown(), r.to_latex() or r.to_csv()", f"{SCORE} --format markdown", option="--format"
    ),
    "mode eval-mode evaluation-mode schemes": Meaning(
        "score(gold, pred, metrics='strict')", f"{SCORE} --metrics strict", option="--metrics"
    ),
    "strict strict-mode matching": Meaning("score(gold, pred, metrics='strict')", f"{SCORE} --metrics strict"),
    "columns column col cols gold-col pred-col text-col gold-column pred-column text-column": Meaning(
        "score(df['gold'], df['pred'], text=df['text'])", SCORE
    ),
    "ignore-index": Meaning("score(gold, pred), which skips places numbered -100", SCORE),
    "scheme iob iob1 iob2 bioes iobes bilou": Meaning("score(y_true, y_pred, scheme='IOB2')", f"{SCORE} --scheme IOB2"),
    "bio": Meaning("score(y_true, y_pred)", SCORE),
    "seen unseen novel": Meaning(
        "score(gold, pred, {{'tmr': {{'train': 'train.jsonl'}}}})", f"{SCORE} --metrics tmr --train TRAIN"
    ),
    "llm llms mentions": Meaning(
        "score(gold, pred), since items of pred may be lists such as [('Berlin', 'LOC')], placed by the text of gold, "
        "or the answers of a language model",
        ANSWERS,
        run="score",
        needless="true",
    ),
    "align align-answers": Meaning(
        "score(gold, pred), since items of pred may be lists such as [('Berlin', 'LOC')], placed by the text of gold, "
        "or the answers of a language model",
        ANSWERS,
    ),
    "from-xml from-inline from-markup from-marked from-tagged from-html parse-inline parse-xml read-inline": Meaning(
        "score(gold, [{{'answer': '<PER>Ada</PER> sleeps'}}]), since an answer may be the marked text", ANSWERS
    ),
    "trainer compute-metrics": Meaning("score(gold, pred, tag_names=id2label).flat()", SCORE),
    "hf huggingface hugging-face transformers": Meaning(
        "score(gold, pred), which accepts the output of Hugging Face pipelines and data sets", SCORE
    ),
    "open browser open-browser no-open no-browser": Meaning(
        "r.save('report.html')", "nereval report GOLD PRED --output report.html, and open the file", needless="false"
    ),
    "get-entities get-spans extract-entities extract-spans collect-entities collect-named-entities "
    "tags-to-spans tags-to-entities bio-to-spans iob-to-spans "
    "entities-from-tags spans-from-tags": Meaning(
        "spacy.training.tags_to_entities(spacy.training.iob_to_biluo(tags)), for the spans of one sentence; "
        "score(y_true, y_pred) takes tags as they are",
        SCORE,
    ),
    "system-names": Meaning(
        "leaderboard(gold, {{'a': pred_a, 'b': pred_b}})", "nereval leaderboard GOLD A B --name a --name b"
    ),
    "cuts cut-file thresholds-file apply-thresholds apply-cuts": Meaning(
        "thresholds(gold, pred).save('cuts.json')", f"{SCORE} --cut cuts.json", option="--cut"
    ),
    "score-field score-key": Meaning(
        "score(gold, pred), since spans have their score under 'score'",
        f"{SCORE}: spans have their score under 'score'",
    ),
    "exact exact-match boundaries": Meaning(
        "score(gold, pred, 'semeval').semeval.exact_f", f"{SCORE} --metrics semeval"
    ),
    "partial partial-match fuzzy lenient": Meaning(
        "score(gold, pred, 'semeval').semeval.partial_f", f"{SCORE} --metrics semeval"
    ),
    "type ent-type entity-type": Meaning("score(gold, pred, 'semeval').semeval.type_f", f"{SCORE} --metrics semeval"),
    "nereval spacy-nereval": Meaning("score(gold, pred)", SCORE),
    "nervaluate semeval2013 semeval-2013": Meaning("score(gold, pred, 'semeval')", f"{SCORE} --metrics semeval"),
    "seqeval": Meaning(
        "from spacy_nereval.compat.seqeval import f1_score, or score(gold, pred, 'strict')", f"{SCORE} --metrics strict"
    ),
    "iou jaccard overlap-threshold min-overlap minimum-overlap min-iou overlap-percentage "
    "min-overlap-percentage": Meaning(
        "score(gold, pred, 'overlap'), which gives credit by the shared part, with no least one",
        f"{SCORE} --metrics overlap: it gives credit by the shared part, with no least one",
    ),
    "prfs precision-recall-fscore-support precision-recall-fscore": Meaning(
        "r.to_pandas()[['label', 'precision', 'recall', 'f1', 'support']]", f"{SCORE} --tables label-scores"
    ),
    "f1 f1-score f-score fscore precision recall fbeta": Meaning(
        "r.{metric}.f, r.{metric}.p and r.{metric}.r, or print(r)", f"{SCORE} --metrics strict"
    ),
    "accuracy acc": Meaning("score(gold, pred, 'token').token.accuracy", f"{SCORE} --metrics token"),
    "beta": Meaning("score(gold, pred, {{'strict': {{'beta': 2}}}})", f"{SCORE} --metrics strict --strict.beta 2"),
    "conlleval": Meaning("score(gold, pred, 'conll')", f"{SCORE} --metrics conll"),
    "zero-division": Meaning(
        "score(gold, pred) without it: an undefined score is None, and r.{metric}.f or 0.0 makes it 0",
        f"{SCORE} without it: an undefined score is null in JSON",
    ),
    PRED_NAMES: Meaning("score(gold, pred)", SCORE, option="--pred"),
    GOLD_NAMES: Meaning("score(gold, pred)", SCORE, option="--gold"),
    "target targets test test-file input": Meaning("score(gold, pred)", SCORE),
    "texts text-list": Meaning("score(gold, pred, text=texts)", SCORE, option="--text"),
    "documents docs": Meaning("score(gold, pred, text=texts)", SCORE),
    "words": Meaning("score(gold, pred, tokens=words)", SCORE, option="--tokens"),
    "model nlp pipeline": Meaning("score(gold, nlp)", "nereval evaluate MODEL GOLD", option="--pred"),
    "predict annotate apply-model": Meaning(
        "score(gold, nlp)", "nereval evaluate MODEL GOLD: 'spacy apply MODEL GOLD pred.spacy' writes the predictions"
    ),
    "pipe test-model benchmark-model evaluate-model": Meaning(
        "score(gold, nlp)", "nereval evaluate MODEL GOLD", run="evaluate"
    ),
    "batch-size batchsize": Meaning(
        "score(gold, nlp), which predicts in batches of nlp.batch_size",
        "nereval evaluate MODEL GOLD: batches have the batch_size of [nlp] in the config.cfg of MODEL",
    ),
    "eval ner-eval run": Meaning("score(gold, nlp)", "nereval evaluate MODEL GOLD", run="evaluate"),
    "lang language vocab": Meaning("score(gold, pred), since files need no language", SCORE),
    "compute": Meaning("score(gold, pred)", SCORE),
    "load-file read-file from-file": Meaning("load('gold.conll')", "nereval show GOLD"),
    "get-metric load-metric make-metric": Meaning("create('fair')", "nereval metrics"),
    "scorer evaluator nerevaluator ner-evaluator evaluate-ner entity-evaluator ner-scorer get-ner-prf": Meaning(
        "from spacy_nereval import score; score(gold, pred)", SCORE
    ),
    "ignore-case case-insensitive lowercase lower caseless": Meaning(
        "score(gold, pred, match='caseless'), for mentions without offsets",
        f"{SCORE} --match caseless",
        option="--match caseless",
    ),
    "case-sensitive": Meaning(
        "score(gold, answers, match='exact'), for mentions without offsets",
        f"{SCORE} --match exact",
        option="--match exact",
    ),
    "loader suffix": Meaning("score(gold, pred): it recognises the type of its input", SCORE),
    "confusion confusion-matrix cm": Meaning(
        "r.confusion('strict').to_frame(), and r.confusion('fair') for the errors alone",
        f"{SCORE} --tables confusion",
        option="--tables confusion",
        run="score --tables confusion",
    ),
    "matrix": Meaning("r.confusion('strict').to_frame()", f"{SCORE} --tables confusion"),
    "error-analysis mistakes error-list": Meaning("r.errors()", "nereval errors GOLD PRED", run="errors"),
    "errors-df errors-frame error-df errors-dataframe error-frame": Meaning(
        "pandas.DataFrame(r.errors()), with the columns verdict, gold_label and pred_label", "nereval errors GOLD PRED"
    ),
    "per-document per-doc per-documents per-docs by-document by-doc documents-df document-scores doc-scores "
    "worst-documents worst-docs": Meaning(
        "r.to_frame('documents').sort_values('strict_f')", f"{SCORE} --tables documents", option="--tables documents"
    ),
    "missed missing spurious": Meaning(
        "r.errors(verdicts='missed'), or 'spurious'", "nereval errors GOLD PRED --errors missed"
    ),
    "errors false-positives false-negatives wrong": Meaning("r.errors()", "nereval errors GOLD PRED"),
    "tp fp fn": Meaning("r.{metric}.counts", f"{SCORE} --json"),
    "iaa inter-annotator-agreement": Meaning(AGREEMENT, "nereval agreement A B", run="agreement"),
    "kappa cohen-kappa cohens-kappa alpha krippendorff krippendorff-alpha krippendorffs-alpha": Meaning(
        f"{AGREEMENT}, which always has kappa and alpha",
        "nereval agreement A B --tables alpha",
        run="agreement",
    ),
    "links entity-links linking nel entity-linking": Meaning(
        "score(gold, pred, label_from='kb_id')", f"{SCORE} --label-from kb_id", option="--label-from kb_id"
    ),
    "attributes attribute": Meaning("score(gold, pred, 'attributes')", f"{SCORE} --metrics attributes"),
    "tags-column tag-column label-column labels-column ner-tags": Meaning(
        "score(gold, pred), since the columns of a data set are recognised", SCORE
    ),
    "hallucinations hallucination hallucinated show-hallucinations made-up invented": Meaning(
        "[row for row in r.errors() if row['in_text'] is False]", "nereval errors GOLD PRED"
    ),
    "parse-errors parse-error parse-failures unparsed unparsable unreadable failed-answers invalid n-invalid "
    "num-invalid show-invalid malformed invalid-answers parse-rate failure-rate": Meaning(
        "r.get('mentions'), with the number of unreadable answers", f"{SCORE}: it says how many answers are readable"
    ),
    "parse parse-answer parse-answers parse-llm parse-response parse-responses parse-output": Meaning(
        "locate(text, json.loads(answer)), for the spans of one answer; score(gold, answers), since pred may be the "
        "answers of a language model as they are",
        ANSWERS,
    ),
    "disagreements": Meaning(AGREEMENT, "nereval agreement A B", run="agreement --tables spans"),
    "inter-annotator interannotator cohen-kappa-score fleiss-kappa agree "
    "annotator-agreement adjudicate curate merge-annotations": Meaning(
        AGREEMENT, "nereval agreement A B", run="agreement"
    ),
    "rank ranking": Meaning(
        "leaderboard(gold, {{'a': pred_a, 'b': pred_b}})", "nereval leaderboard GOLD A B", run="leaderboard"
    ),
    "leader-board benchmark systems": Meaning(
        "leaderboard(gold, {{'a': pred_a, 'b': pred_b}})", "nereval leaderboard GOLD A B"
    ),
    "threshold tune calibrate calibration": Meaning(
        "thresholds(gold, pred)", "nereval thresholds GOLD PRED", run="thresholds"
    ),
    "tune-thresholds": Meaning("thresholds(gold, pred)", "nereval thresholds GOLD PRED", run="thresholds"),
    "cutoff optimal-threshold best-threshold": Meaning("thresholds(gold, pred)", "nereval thresholds GOLD PRED"),
    "pr-curve precision-recall-curve roc roc-curve": Meaning(
        "thresholds(gold, pred).to_frame('curves')", "nereval thresholds GOLD PRED --csv curves.csv"
    ),
    "min-f1 min-f min-score fail-under fail-below assert minimum at-least require": LEAST_F,
    "max-drop max-regression": LARGEST_DROP,
    "init ci-gate policy junit-xml": Meaning(
        "gate('policy.cfg', gold, pred)", "nereval gate --init policy.cfg, then nereval gate policy.cfg GOLD PRED"
    ),
    "sample-size power how-many": Meaning(
        "plan(gold, pred, half_width=2), or plan(gold, pred, other, difference=2)",
        "nereval plan GOLD PRED --half-width 2: for a difference, "
        "nereval plan GOLD PRED --baseline OTHER --difference 2",
    ),
    "save-counts counts-file counts-out write-counts": Meaning(
        "r.save('counts.npz')", "nereval count GOLD PRED --output counts.npz"
    ),
    "json as-json dump yaml to-yaml": Meaning("r.to_json()", f"{SCORE} --json"),
    "latex tex": Meaning("r.to_latex()", f"{SCORE} --format latex > table.tex", option="--format latex"),
    "markdown md": Meaning("r.to_markdown()", f"{SCORE} --format markdown > table.md", option="--format markdown"),
    "csv to-csv tsv": Meaning("r.to_csv()", f"{SCORE} --format csv > table.csv", option="--format csv"),
    "table tables": Meaning("r.to_frame(), r.to_markdown() or r.to_latex()", f"{SCORE} --format markdown"),
    "excel xlsx to-excel": Meaning("r.to_frame().to_excel('scores.xlsx')", f"{SCORE} --format csv"),
    "html to-html plot visualize visualise chart figure dashboard": Meaning(
        "r.save('report.html')", "nereval report GOLD PRED --output report.html", run="report"
    ),
    "plot-confusion plot-confusion-matrix confusion-plot": Meaning(
        "r.confusion('fair', hits=True).plot()", f"{SCORE} --tables confusion"
    ),
    "displacy view": Meaning("r.render(0)", "nereval report GOLD PRED --output report.html"),
    "to-pandas to-df df pandas dataframe": Meaning("r.to_frame()", f"{SCORE} --format csv"),
    "to-dataframe frame": Meaning("r.to_frame('all')", f"{SCORE} --format csv"),
    "to-disk write save-json to-file": Meaning("r.save('result.json')", f"{SCORE} --output result.json"),
    "out outfile output-file": Meaning("r.save('result.json')", f"{SCORE} --output result.json", option="--output"),
    "from-disk from-json read": Meaning("r.load('result.json')", SCORE),
    "results result": Meaning("r.to_dict()", f"{SCORE} --output result.json"),
    "value": Meaning("r.headline.value", SCORE),
    "print": Meaning("print(r)", SCORE),
    "classification-report": Meaning("print(r), or r.to_frame('label-scores')", f"{SCORE} --tables label-scores"),
    "digits decimals": Meaning("r.summary(digits=4)", f"{SCORE} --digits 4"),
    "quiet silent verbose progress q": Meaning(
        "r = score(gold, pred): it prints nothing, and print(r) prints it",
        f"{SCORE} --quiet --output result.json, and --json | jq .scores.strict_f prints one score",
    ),
    "validate lint inspect": Meaning("load('gold.jsonl')", "nereval show GOLD", run="show"),
    "check-file info describe stats statistics head peek debug-data": Meaning(
        "load('gold.jsonl')", "nereval show GOLD", run="show"
    ),
    "check": Meaning(
        f"{LEAST_F.python}, or load('gold.jsonl') for a file", f"{LEAST_F.command}, or nereval show GOLD for a file"
    ),
    "combine": Meaning(
        "score(r.counts + other.counts), or merge(['a.npz', 'b.npz']) for saved counts",
        "nereval merge A.npz B.npz --output all.npz",
    ),
    "seeds runs training-runs aggregate": Meaning(
        "score_runs(gold, {{'run 1': pred_a, 'run 2': pred_b}})", "nereval score GOLD --system A=RUN1,RUN2"
    ),
    "delimiter separator field-separator": Meaning("score(gold, pred), which recognises columns", SCORE),
    "n-jobs jobs num-workers workers processes parallel": Meaning(
        "", "nereval count GOLD PRED --workers 4 --output counts.npz"
    ),
    "list list-metrics available-metrics": Meaning("names()", "nereval metrics", run="metrics"),
    "version": Meaning("spacy_nereval.__version__", "nereval --version", run="--version"),
    "group-by groupby slice-by split-by stratify-by field": Meaning(
        "score(gold, pred, by='meta.source')", f"{SCORE} --by meta.source", option="--by {field}"
    ),
    "slice slices groups": Meaning("score(gold, pred, by='meta.source')['breakdowns']", f"{SCORE} --by meta.source"),
}
"""The meaning of each name: synonyms, in lower case with hyphens, separated by spaces."""

AT: dict[str, dict[str, Meaning]] = {
    "compare": {
        "alpha significance-level": Meaning(
            f"{COMPARE[:-1]}, level=0.99)", "nereval compare GOLD A B --level 0.99", option="--level {rest}"
        ),
        f"{FIRST_NAMES} {SECOND_NAMES}": Meaning(COMPARE, "nereval compare GOLD A B"),
        "test method paired": Meaning(
            f"{COMPARE}, which always tests, by random permutations",
            "nereval compare GOLD A B: it always tests, by random permutations",
            needless="true paired permutation randomization approximate-randomization ar",
        ),
        "n n-resamples n-permutations n-trials paired-bs-n paired-ar-n n-samples n-bootstrap n-boot": Meaning(
            f"{COMPARE[:-1]}, trials=10000)", "nereval compare GOLD A B --trials 10000", option="--trials {}"
        ),
        "bootstrap": Meaning(f"{COMPARE[:-1]}, trials=10000)", "nereval compare GOLD A B --trials 10000"),
        "correction adjust holm bonferroni ci confidence": Meaning(
            f"{COMPARE}, in which p values are adjusted (Holm), and differences have intervals",
            "nereval compare GOLD A B: p values are adjusted (Holm), and differences have intervals",
            needless="true holm 0.95",
        ),
        "by-label by-labels per-type by-type labels": Meaning(
            f"{COMPARE[:-1]}, per_label=True).to_frame('labels')",
            "nereval compare GOLD A B --per-label --tables labels",
            option="--per-label",
        ),
        "names name system-names": Meaning(
            f"{COMPARE}, in which keys are names", "nereval compare GOLD A B --name a --name b"
        ),
        "only-regressions regressions": Meaning(
            f"{COMPARE}.to_frame('spans')",
            "nereval compare GOLD A B --tables all: it lists the spans that a system breaks",
        ),
    },
    "import": {
        "make-scorer get-scorer create-scorer make-ner-scorer": Meaning(
            "nlp.get_pipe('ner').scorer = spacy.registry.scorers.get('spacy-nereval.ner_scorer.v1')()"
        ),
        "from-pandas from-df from-dataframe read-pandas evaluate-df score-df evaluate-dataframe "
        "score-dataframe": Meaning("score(gold_df, pred_df), for tables with columns doc_id, start, end and label"),
        "convert to-jsonl to-spacy to-conll to-brat write-jsonl write-spacy write-conll save-jsonl save-docs": Meaning(
            "subprocess.run(['nereval', 'convert', 'gold.conll', 'new.spacy']), since a command writes annotation"
        ),
        "analyze-errors analyse-errors common-errors most-common-errors frequent-errors top-errors error-counts "
        "error-patterns": Meaning("r.to_frame('groups'), with the number of equal errors, or r.errors()"),
        "regressions fixes regressed": Meaning(f"{COMPARE}.to_frame('spans')"),
        "report html-report": Meaning("score(gold, pred).save('report.html'), or print(score(gold, pred))"),
        "stats statistics": Meaning(f"score(gold, pred, confidence=True), for intervals, and {COMPARE} for tests"),
    },
    "gate": {
        "min-f1-per-label min-f1-by-label per-label-min-f1 min-label-f1 per-label-f1 min-per-label per-label by-label "
        "per-type per-class": Meaning(
            "gate(['strict_f at_least 85 label {label}'], gold, pred), with a rule for each label",
            "nereval gate GOLD PRED --rule 'strict_f at_least 85 label PER': one for each label",
            option="--rule 'strict_f at_least {of_label}'",
        ),
        "junit-xml junit-file xml": Meaning(
            command="nereval gate policy.cfg GOLD PRED --junit results.xml", option="--junit {}"
        ),
        "min min-score score threshold minimum at-least require fail-under fail-below": LEAST_F._replace(
            option=LEAST_RULE
        ),
        "warn-only warn no-fail soft advisory": Meaning(
            "gate(['strict_f at_least 85 required false'], gold, pred)",
            "nereval gate GOLD PRED --rule 'strict_f at_least 85 required false'",
        ),
        "results result scores": Meaning(
            "gate(['strict_f at_least 85'], gold, pred), with documents rather than scores",
            "nereval gate GOLD PRED --rule 'strict_f at_least 85': it needs the documents rather than scores",
        ),
        "rule rules": Meaning("gate(['strict_f at_least 85'], gold, pred)", option="--policy"),
        "metric metrics": LEAST_F._replace(needless="f1 f strict strict-f strict-f1 exact-f1 entity-f1"),
        "max-drop tolerance max-regression max-f1-drop": LARGEST_DROP._replace(
            option="--rule 'strict_f worse_by_at_most {drop}'"
        ),
    },
    "plan": {
        "rule rules": Meaning("plan(gold, pred, policy=['strict_f at_least 85'])", option="--policy"),
        "min-score fail-under": Meaning(
            "plan(gold, pred, policy=['strict_f at_least 85'])",
            "nereval plan GOLD PRED --rule 'strict_f at_least 85'",
            option=LEAST_RULE,
        ),
        "f1 f score width ci-width margin margin-of-error moe precision error target target-width n n-docs": Meaning(
            "plan(gold, pred, half_width=2), with the documents of a pilot",
            "nereval plan GOLD PRED --half-width 2: the documents are a pilot",
        ),
        "confidence level alpha": Meaning(
            "plan(gold, pred, half_width=2), for intervals at 95 %",
            "nereval plan GOLD PRED --half-width 2: intervals are at 95 %",
        ),
        "power effect effect-size delta": Meaning(
            "plan(gold, pred, other, difference=2), with a power of 80 %",
            "nereval plan GOLD PRED --baseline OTHER --difference 2: the power is 80 %",
        ),
    },
    "agreement": {
        "names name annotator-names": Meaning(
            f"{AGREEMENT}, in which keys are names", "nereval agreement A B --name a --name b"
        ),
        "by-label per-label by-type per-type": Meaning(
            f"{AGREEMENT}.to_frame('labels')", "nereval agreement A B --tables labels", option="--tables labels"
        ),
        "pairwise pairs": Meaning(
            f"{AGREEMENT}.to_frame('pairs')", "nereval agreement A B --tables pairs", option="--tables pairs"
        ),
        "disagreements disagreement differences conflicts adjudicate adjudication": Meaning(
            f"{AGREEMENT}.to_frame('spans')",
            "nereval agreement A B --disputes disputes.jsonl",
            option="--disputes {}",
        ),
        "alpha units": Meaning(f"{AGREEMENT}['units']", "nereval agreement A B --tables alpha"),
        "kappa cohen-kappa fleiss-kappa krippendorff krippendorff-alpha": Meaning(
            f"{AGREEMENT}['units']", "nereval agreement A B --tables alpha", option="--tables alpha"
        ),
    },
    "to_frame": {
        "by level per-label by-label labels label per-type by-type": Meaning("r.to_frame('label-scores')"),
    },
    "summary": {
        "mode scenario per-label by-label": Meaning("r.summary(), or r.show('label-scores')"),
        "alpha level confidence ci": Meaning("score(gold, pred, confidence=0.95)"),
    },
    "to_csv": {"index sep header": Meaning("r.to_csv('scores.csv'), which has no index")},
    "to_json": {
        "indent orient sort-keys": Meaning("r.to_json('scores.json'), which is indented", needless="2 4 true false"),
    },
    "to_latex": {
        "index float-format floatfmt": Meaning("r.to_latex(digits=3), which has no index"),
        "bold bold-best highlight stars": Meaning("r.to_latex(), which has no bold"),
    },
    "to_markdown": {"index tablefmt float-format floatfmt": Meaning("r.to_markdown(digits=3), which has no index")},
    "confusion": {
        "normalize normalise": Meaning(SHARES),
    },
    "to_dict": {
        "flat flatten": Meaning("r.flat()"),
        "orient records": Meaning("r.to_frame().to_dict('records')"),
        "output-dict": Meaning("r.to_dict()"),
    },
    "errors": {
        "top limit max max-errors n-errors head": Meaning(
            "r.errors()[:10]", "nereval errors GOLD PRED --limit 10", option="--limit {}"
        ),
        "group-by by grouped count counts most-common summary stats totals": Meaning(
            "r.errors().counts, or r.to_frame('groups')", f"{SCORE} --tables groups"
        ),
        "type types error-type category kind": Meaning(
            "r.errors(verdicts='boundary')", "nereval errors GOLD PRED --errors boundary", option="--errors"
        ),
    },
    "convert": {
        "from input-format source from-format": Meaning(
            command="nereval convert GOLD FILE --format jsonl", option="--format"
        ),
        "text texts gold": Meaning(command="nereval convert ANSWERS FILE: each line of ANSWERS has its text"),
        "to output-format target to-format": Meaning(
            command="nereval convert GOLD new.jsonl: the file's ending says its format"
        ),
    },
    "report": {
        "html": Meaning(command="nereval report GOLD PRED --output report.html", option="--output"),
        "min-score fail-under": LEAST_F._replace(option=LEAST_RULE),
    },
    "leaderboard": {
        "html": Meaning(command="nereval leaderboard GOLD A B --format html > leaderboard.html"),
        "sort sort-by rank-by by-metric order-by": Meaning(
            command="nereval leaderboard GOLD A B --primary strict_f", option="--primary {}"
        ),
        "names name": Meaning(
            "leaderboard(gold, {{'a': pred_a, 'b': pred_b}}), in which keys are names",
            "nereval leaderboard GOLD A B --name a --name b",
        ),
        "ci confidence confidence-interval bootstrap n-bootstrap": Meaning(
            "leaderboard(gold, {{'a': pred_a, 'b': pred_b}}), which has intervals",
            "nereval leaderboard GOLD A B: it has intervals, and --level sets their level",
            needless="true 0.95",
        ),
    },
    "score": {
        "alpha significance-level": Meaning(
            "score(gold, pred, confidence=0.95)",
            f"{SCORE} --confidence --level 0.95",
            option="--confidence --level {rest}",
        ),
        "strict exact-only": Meaning(
            "score(gold, pred, metrics='strict')", f"{SCORE} --metrics strict", option="--metrics strict"
        ),
        "exact partial": Meaning(
            "score(gold, pred, 'semeval').semeval.partial_f", f"{SCORE} --metrics semeval", option="--metrics semeval"
        ),
        "source source-col source-column": Meaning(
            "score(df[df['source'] == 'gold'], df[df['source'] == 'pred'])", f"{SCORE}: each with the spans of one side"
        ),
        "sentence sentence-id sentence-col sentence-column sent-id doc-col doc-column": Meaning(
            "score(df.groupby('sentence_id', sort=False).agg(list), gold='gold_tag', pred='pred_tag')",
            f"{SCORE}: files of columns have an empty line between sentences",
        ),
        "normalize normalise normalized normalised": Meaning(
            SHARES,
            f"{SCORE} --tables confusion: it has numbers; in Python, {SHARES} has the shares of rows",
        ),
        "answer-key answer-field answer-column response-key response-field response-column output-key": Meaning(
            "score(gold, answers), with the answers as strings",
            f"{ANSWERS}, so rename the field",
            needless="answer",
        ),
        "pred-format prediction-format gold-format input-format answer-format format-pred format-gold": Meaning(
            "score(gold, pred), which recognises formats, or load('pred.tsv', format='conll')",
            f'{SCORE}: formats are recognised, and answers of a language model are lines {{"id": ..., "answer": ...}}',
            needless="llm auto jsonl",
        ),
        "id-key id-field id-column id-col": Meaning(
            "score(gold, pred), since documents have their id under 'id'", SCORE, needless="id"
        ),
        "n": Meaning("score(gold, pred, confidence=True)", f"{SCORE} --confidence", option="--confidence --samples {}"),
        "threshold thresholds": Meaning("thresholds(gold, pred)", f"{SCORE} --cut cuts.json", option="--cut"),
        "format": Meaning(
            "score(gold, pred), which recognises formats, or load(path, format=...) for a file",
            needless="llm answers auto",
        ),
    },
    "thresholds": {
        "steps n-steps step grid n-thresholds num-thresholds thresholds": Meaning(
            "thresholds(gold, pred), which tries every score of a span",
            "nereval thresholds GOLD PRED: it tries every score of a span",
        ),
        "optimize optimise maximize maximise objective target best-for criterion": Meaning(
            "thresholds(gold, pred, best='strict_f')",
            "nereval thresholds GOLD PRED --best strict_f",
            option="--best {}",
        ),
        "target-precision min-precision at-precision precision min-recall target-recall": Meaning(
            "thresholds(gold, pred).to_frame('curves'), with P and R at every threshold",
            "nereval thresholds GOLD PRED --csv curves.csv, and choose a line by its precision",
        ),
    },
}
"""Names with a special meaning as arguments, options or attributes of one function or command."""

WORDS = {
    "inline markup": "from-inline",
    "merge combine": "combine",
    "seed seeds aggregate": "seeds",
    "power sample detect": "power",
    "regression regressions drop": "max-drop",
    "fail require assert check": "min-f1",
    "threshold thresholds cutoff cutoffs tune calibrate optimize optimal": "threshold",
    "policy gate gating junit passed": "policy",
    "kappa krippendorff fleiss cohen alpha iaa annotator annotators agreement adjudication interrater": "iaa",
    "mcnemar permutation paired significance significant pvalue wilcoxon randomization compare comparison versus "
    "delta holm bonferroni correction hypothesis": "significance",
    "bootstrap boot ci confint confidence interval intervals jackknife resample resamples stderr": "ci",
    "confusion": "confusion",
    "displacy": "displacy",
    "html render plot visualize visualise highlight": "html",
    "error errors mistake mistakes": "errors",
    "hallucinations hallucination hallucinated": "hallucinations",
    "link links linking linker nel kb": "links",
    "untyped unlabeled unlabelled agnostic boundaries": "untyped",
    "leaderboard ranking rank": "rank",
    "seen unseen novel": "seen",
    "worst hardest": "worst-documents",
    "breakdown bucket buckets slice slices stratify group groups groupby grouped": "group-by",
    "compute trainer": "trainer",
    "huggingface hf transformers": "hf",
    "llm align aligned": "llm",
    "read load reader loader parse from import": "load-file",
    "pandas dataframe df": "to-pandas",
    "latex": "latex",
    "markdown": "markdown",
    "csv": "csv",
    "column columns col": "columns",
    "scheme iob iob2 bioes bilou": "scheme",
    "macro": "macro",
    "weighted": "weighted",
    "beta fbeta": "beta",
    "partial": "partial",
    "exact": "exact",
    "conlleval": "conlleval",
    "report": "classification-report",
    "f1 f fscore precision recall prf strict": "f1",
    "scorer evaluator evaluate evaluation score scores metric metrics": "compute",
}
"""Words, and the row of `ROWS` that a name with such a word means. The first that has a word of the name counts."""


def _split_names(rows: dict[str, Meaning]) -> dict[str, Meaning]:
    return {name: meaning for names, meaning in rows.items() for name in names.split()}


_MEANINGS = _split_names(ROWS)
_AT = {function: _split_names(rows) for function, rows in AT.items()}


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)}


def _meaning_of_words(name: str) -> Meaning:
    words = _words(name)
    topic = next((topic for listed, topic in WORDS.items() if not words.isdisjoint(listed.split())), "")
    metric = next((METRIC_WORDS[word] for word in sorted(words) if word in METRIC_WORDS), "")
    if metric and topic in ("", "f1", "compute", "errors", "classification-report"):
        return Meaning(f"score(gold, pred, '{metric}')", f"{SCORE} --metrics {metric}")
    return _MEANINGS.get(topic, Meaning())


def _meaning(name: str, at: str = "", others: Iterable[str] | None = None) -> Meaning:
    """Return the meaning of a name.

    Args:
        name: The name.
        at: The function or command of which it is an argument, an option or an attribute.
        others: The names that there are: a name that is nearly equal to one of them is a slip, and any other may be
            understood by its words. None if it is not.
    """
    written = name.strip().strip("-_").lower().replace("_", "-").replace(" ", "-")
    of_function = _AT.get("score" if at == "evaluate" else at, {}).get(written)
    meaning = of_function or _rule_of_score(written, at) or _MEANINGS.get(written)
    if meaning or others is None:
        return meaning or Meaning()
    return Meaning() if _is_slip(name, nearest(name, others)) else _meaning_of_words(name)


def _rule_of_score(written: str, at: str) -> Meaning | None:
    """Return the meaning of a score's name as an option of a command: its least value, by which commands judge."""
    name = re.sub("^(min|minimum|least)-|-(min|minimum)$", "", written)
    key = score_key_here({"f": "f1", "p": "precision", "r": "recall"}.get(name, name))
    judges = at if at in ("gate", "plan", "report") else "gate"
    if not key or at not in (judges, "score", "evaluate") or (at != "gate" and name == written):
        return None
    rule = f"{key} at_least 85"
    call = f"plan(gold, pred, policy=['{rule}'])" if at == "plan" else f"gate(['{rule}'], gold, pred)"
    option = LEAST_RULE.replace("strict_f", key) if at == judges else ""
    return Meaning(call, f"nereval {judges} GOLD PRED --rule '{rule}'", option=option)


def _is_slip(name: str, near: str) -> bool:
    """Return whether a name is another one with a slip of the fingers, and no other word in place of one."""
    words, others = _words(name), _words(near)
    return len(others) >= len(words) and all(nearest(word, others) for word in words - others)


def python_line(
    name: str, metric: str = "strict", label: str = "PER", *, at: str = "", others: Iterable[str] | None = None
) -> str:
    """Return the line to write in Python for a name of another package; "" if unknown.

    Args:
        name: The name as written.
        metric: A metric of the result, which examples name.
        label: A label of the result.
        at: The function of which it is an argument, or that made the result.
        others: The names that there are, unless the name is to be understood only as a whole.

    >>> python_line("csv"), python_line("macro avg", "fair"), python_line("???")
    ('r.to_csv()', "r.fair.averages['macro']", '')
    >>> python_line("slot_error_f1", others=[]), python_line("tune_thresholds", others=[])
    ("score(gold, pred, 'slot_error')", 'thresholds(gold, pred)')
    """
    return _meaning(name, at, others).python.format(metric=metric, label=label)


def python_call(name: str, *, at: str = "", others: Iterable[str] | None = None) -> str:
    """Return the line of `python_line` for a place where there is no result yet; "" if unknown.

    >>> python_call("macro_f1")
    "r.strict.averages['macro']['f'], with r = score(gold, pred)"
    """
    line = python_line(name, at=at, others=others)
    return f"{line}, with r = score(gold, pred)" if line.startswith(("r.", "print(r)")) else line


def command_line(name: str, *, at: str = "", others: Iterable[str] | None = None) -> str:
    """Return the command to write for an option or a command of another package; "" if unknown.

    Args:
        name: The name as written.
        at: The command, of an option.
        others: The names that there are, unless the name is to be understood only as a whole.

    >>> command_line("--ci"), command_line("kappa"), command_line("--???")
    ('nereval score GOLD PRED --confidence', 'nereval agreement A B --tables alpha', '')
    >>> command_line("--alpha", at="compare"), command_line("--max-f1-drop", others=[])[:22]
    ('nereval compare GOLD A B --level 0.99', 'nereval gate GOLD PRED')
    """
    return _meaning(name, at, others).command


def line_here(name: str) -> str:
    """Return the line to write for a name, in Python or as a command, wherever it was written; "" if unknown.

    >>> line_here("partial")
    "score(gold, pred, 'semeval').semeval.partial_f"
    """
    return python_call(name) if spelling() is spell_in_python else command_line(name)


def option_words(option: str, at: str = "", value: str | None = None) -> list[str]:
    """Return the words of the equivalents of another package's option; [] if it is not understood.

    Args:
        option: The option.
        at: The command.
        value: The value behind it.

    >>> option_words("--latex"), option_words("--metric"), option_words("--only-regressions")
    (['--format', 'latex'], ['--metrics'], [])
    >>> option_words("--n-boot", "score", "500"), option_words("--ignore", "score", "MISC,GPE")
    (['--confidence', '--samples', '500'], ['--labels', 'MISC=,GPE='])
    >>> option_words("--min-f1", "gate", "0.85"), option_words("--max-drop", "gate", "0.5")
    (['--rule', 'strict_f at_least 85'], [])
    >>> option_words("--min-exact-f1", "gate", "80"), option_words("--threshold", "gate", "recall=0.8")
    (['--rule', 'exact_f at_least 80'], ['--rule', 'strict_r at_least 80'])
    >>> option_words("--min", "gate", "PER.recall=0.9"), option_words("--min", "gate", "f1=0.8")
    (['--rule', 'strict_r at_least 90 label PER'], ['--rule', 'strict_f at_least 80'])
    >>> option_words("--min-f1", "gate", "PER=0.9"), option_words("--min-f1-per-label", "gate", "0.8")
    (['--rule', 'strict_f at_least 90 label PER'], [])
    >>> option_words("--ignore-labels")
    ['--metrics', 'semeval']
    """
    name = WITHOUT_VALUE.get(option.removeprefix("--"), "") if value is None else ""
    words = shlex.split(_meaning(name or option, at).option) if option.startswith("--") else []
    if not words or "{" not in words[-1]:
        return words
    if value is None:
        return words[:-2]
    *before, template = words
    if "{each}" in template:
        return [*before, ",".join(template.replace("{each}", part) for part in value.split(","))]
    labelled = [part.partition("=") for part in value.replace(":", "=").split(",")]
    if before == ["--rule"] and all(number for *_, number in labelled):
        rules = [_rule_of_label(_fill(template, number), label) for label, _, number in labelled]
        return [word for rule in rules for word in ("--rule", rule)]
    is_unclear = "{of_label}" in template or ("{drop}" in template and not _drop(value))
    return [] if is_unclear else [*before, _fill(template, value)]


def rules_meant(argument: str, at: str, value: Any) -> list[str]:
    """Return the rules that an argument of another package means; [] if it means none.

    >>> rules_meant("min_f1", "gate", 0.85), rules_meant("foo", "gate", 1)
    (['strict_f at_least 85'], [])
    """
    words = option_words(f"--{argument.replace('_', '-')}", at, str(value))
    return words[1::2] if words[:1] == ["--rule"] else []


def _rule_of_label(rule: str, label: str) -> str:
    """Return a rule about a label, or about another score if the label is the name of one."""
    part, _, score = label.rpartition(".")
    if part and (key := score_key_here(score)):
        return f"{key} {rule.partition(' ')[2]} label {shlex.quote(part)}"
    key = score_key_here(label)
    return f"{key} {rule.partition(' ')[2]}" if key else f"{rule} label {shlex.quote(label)}"


def _fill(template: str, value: str) -> str:
    points, field = _points(value), value if "." in value else f"meta.{value}"
    return template.format(value, rest=_rest(value), points=points, drop=_drop(value), of_label=points, field=field)


def score_key_here(name: str) -> str:
    """Return the score key of a score under another package's name, with its metric or without; "" if unknown.

    >>> score_key_here("f1"), score_key_here("fair_precision"), score_key_here("exact-f1"), score_key_here("ci")
    ('strict_f', 'fair_p', 'exact_f', '')
    """
    written = name.lower().replace("-", "_").replace(".", "_").replace(" ", "_")
    for score in sorted(SCORE_NAMES, key=len, reverse=True):
        metric = "micro" if written == score else written.removesuffix(f"_{score}")
        if metric != written and SCORE_NAMES[score] in ("p", "r", "f"):
            here = {"micro": "strict", "overall": "strict", "ents": "strict", "ent_type": "type"}.get(metric)
            metric = here or {**METRIC_NAMES, **dict.fromkeys(("exact", "partial", "type"), metric)}.get(metric, metric)
            return f"{metric}_{SCORE_NAMES[score]}"
    return ""


def takes_value(option: str, at: str = "") -> bool:
    """Return whether the equivalent of another package's option has a value that depends on its own."""
    return "{" in _meaning(option, at).option


def _points(value: str) -> str:
    """Return a score in points, from one in points or from 0 to 1."""
    try:
        score = float(value)
    except ValueError:
        return value
    return f"{100 * score:g}" if 0 < score <= 1 else value


def _drop(value: str) -> str:
    """Return the largest loss of a score in points; "" between 0.1 and 1, which could be points or a share of 1.

    >>> _drop("0.02"), _drop("2"), _drop("0.5")
    ('2', '2', '')
    """
    try:
        drop = float(value)
    except ValueError:
        return value
    return "" if 0.1 < drop < 1 else f"{100 * drop if drop < 1 else drop:g}"


def _rest(level: Any) -> str:
    try:
        return f"{1 - float(level):g}"
    except (TypeError, ValueError):
        return str(level)


def argument_here(name: str, at: str = "", value: Any = None) -> tuple[str, Any]:
    """Return the equivalent of another package's argument, like that of the option of this name, and its value.

    Args:
        name: The argument.
        at: The function.
        value: Its value.

    Returns:
        The name, "" if there is no equivalent, and the value.

    >>> argument_here("ci", "score", True), argument_here("y_true", "score", [])
    (('confidence', True), ('gold', []))
    >>> argument_here("ignore", "score", ["MISC"]), argument_here("alpha", "compare", 0.01)
    (('labels', {'MISC': None}), ('level', 0.99))
    """
    flag = WITHOUT_VALUE.get(name.replace("_", "-"), "") if value is True else ""
    *_, option, template = ["", "", *shlex.split(_meaning(flag or name, at).option)]
    if template.startswith("--"):
        option, template = template, "{}"
    argument = option.removeprefix("--").replace("-", "_")
    argument = {"errors": "verdicts", "only": "labels"}.get(argument, argument) if at == "errors" else argument
    if template == "{each}=":
        names = value.split(",") if isinstance(value, str) else value
        return argument, dict.fromkeys(names) if isinstance(names, Iterable) else names
    if template == "{field}" and isinstance(value, str):
        return argument, _fill(template, value)
    if template == "{rest}":
        return argument, float(_rest(value)) if isinstance(value, (int, float)) else value
    if "{" not in template:  # a flag
        return (argument, template) if value is True and at in ("score", "evaluate") else ("", value)
    return argument, value


def changes_nothing(name: str, at: str, value: Any) -> bool:
    """Return whether an argument or option of another package asks for what a function or command always does.

    >>> changes_nothing("correction", "compare", "holm"), changes_nothing("--test", "compare", "t-test")
    (True, False)
    """
    return str(value).lower().replace("_", "-") in _meaning(name, at).needless.split()


def command_to_run(name: str) -> list[str]:
    """Return the equivalent of another package's command, with its options; [] if it is not understood.

    >>> command_to_run("iaa"), command_to_run("confusion")
    (['agreement'], ['score', '--tables', 'confusion'])
    """
    return _meaning(name).run.split()
