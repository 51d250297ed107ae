"""What other packages call the functions of this one, as names of this package: `spacy_nereval.iaa`, `Evaluator`.

They have the arguments and results of the functions that they mean. `dir` and the documentation list only the latter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from ..core.answers import MarkedAnswer, read_answer
from ..core.imports import PACKAGE
from ..core.mention_places import locate
from ..core.messages import PlainSpan
from ..core.synonyms import CHANCE_NAMES, METRIC_NAMES


class Target(NamedTuple):
    """The meaning of a name: a function of this package, its metrics, an attribute of the result, its arguments."""

    function: str
    metrics: str = ""
    attribute: str = ""
    arguments: Mapping[str, Any] = {}


FUNCTIONS = {
    "evaluate_llm score_llm evaluate_answers evaluate_responses score_answers evaluate_predictions score_predictions "
    "score_ents score_docs score_examples evaluate_ents evaluate_docs evaluate_examples evaluate_file evaluate_files "
    "evaluate_ner evaluate_spans evaluate_entities evaluate_model evaluate_pipeline score_file score_files score_ner "
    "score_spans score_entities score_model compute_scores compute_metrics compute "
    "get_ner_prf": Target("evaluate"),
    "load_result load_results read_result read_results": Target("Result.load"),
    "load_counts read_counts": Target("Result.load", "", "counts"),
    "iaa inter_annotator_agreement interannotator_agreement annotator_agreement compute_iaa compute_agreement": Target(
        "agreement"
    ),
    "compare_systems compare_models compare_runs compare_seeds paired_test permutation_test significance_test "
    "paired_bootstrap paired_bootstrap_test paired_permutation_test approximate_randomization "
    "approximate_randomization_test": Target("compare"),
    "rank rank_systems": Target("leaderboard"),
    "find_threshold best_threshold tune_threshold optimize_threshold tune_thresholds calibrate_thresholds "
    "find_thresholds optimize_thresholds threshold_sweep sweep_thresholds calibrate calibration": Target("thresholds"),
    "read read_file load_file": Target("load"),
    "semeval2013 nervaluate": Target("score", "semeval"),
    "muc_scores": Target("score", "muc", "semeval"),
    "muc_counts": Target("score", "muc", "semeval.counts"),
    "exact_f1 exact_match_f1": Target("score", "semeval", "semeval.exact_f"),
    "partial_f1 partial_match_f1": Target("score", "semeval", "semeval.partial_f"),
    "type_f1 ent_type_f1": Target("score", "semeval", "semeval.type_f"),
    "strict_f1 entity_f1": Target("score", "strict", "strict.f"),
    "list_metrics available_metrics metric_names": Target("names"),
    "ser slot_error_rate": Target("score", "slot_error", "slot_error.ser"),
    "errors error_analysis error_list list_errors find_errors get_errors diff": Target("score", "", "errors"),
    "confusion confusion_matrix": Target("score", "fair", "confusion", {"hits": True}),
    "bootstrap_ci confidence_interval bootstrap_confidence_interval": Target("score", "strict", "headline.interval"),
    "align_entities align_spans locate_entities locate_spans": Target("locate"),
}
"""Names in other packages, separated by spaces, and their meanings. None has two."""

TARGETS = {name: target for names, target in FUNCTIONS.items() for name in names.split()}
TARGETS |= {name: Target("agreement", "", here) for name, here in CHANCE_NAMES.items()}

MAKING = ("compute", "calculate", "calc", "get", "measure", "score", "evaluate")
"""Words before the metric in the name of a function."""

MADE = {
    **dict.fromkeys(("f1", "f", "score"), "headline.value"),
    **{"scores": "{}", "metrics": "{}", "counts": "{}.counts"},
}
"""Words behind it, and the attribute of the result that the function returns."""

SEQEVAL = ("accuracy_score", "classification_report", "f1_score", "precision_score", "recall_score")

RUNS = ("aggregate_seeds", "aggregate_runs", "score_seeds", "evaluate_seeds", "evaluate_runs", "average_runs")

EVALUATORS = ("Evaluator", "NEREvaluator", "NerEvaluator", "NERScorer", "NerScorer", "Scorer", "Accumulator")


REPORTS = ("report", "html_report", "report_html", "make_report", "create_report", "generate_report", "write_report")


def _report(*sides: Any, output: Any = None, title: str = "system", **options: Any) -> Any:
    """Return the report of `score`, which is also written to a file if there is one."""
    page = _top("score")(*sides, **options).report(title=title)
    if output is not None:
        page.save(output)
    return page


def _convert(source: Any, output: Any, format: str | None = None, **options: Any) -> None:
    """Write the annotation that `load` reads in the format that the extension of the output names."""
    writing = {name: options.pop(name) for name in ("key", "lang", "drop", "align") if name in options}
    records = _top("load")(source, **{"format": format} if format else {}, **options)
    import_module(f"{PACKAGE}.integration.spacy_files").write_annotation(Path(output), records, **writing)


def _score_runs(*sides: Any, **options: Any) -> Any:
    """Return the result of `score_runs` for gold annotation and runs, or for results or counts of runs alone."""
    if len(sides) == 1:
        sides = (None, {f"run {number}": run for number, run in enumerate(sides[0], 1)})
    return _top("score_runs")(*sides, **options)


def function_named(name: str) -> Any:
    """Return the function or class that another package has under a name; None if there is none of that name.

    >>> function_named("exact_f1")([["B-PER"]], [["B-LOC"]]), function_named("frobnicate")
    (1.0, None)
    """
    if name in SEQEVAL:
        return getattr(import_module(f"{PACKAGE}.compat.seqeval"), name)
    if name in EVALUATORS:
        return Evaluator
    if name in REPORTS:
        return _report
    if name in RUNS:
        return _score_runs
    if name in OTHERS:
        return OTHERS[name]
    if name == "ner_scorer":  # a component's scorer, which takes more than examples
        return import_module(f"{PACKAGE}.integration.scorer").make_ner_scorer()
    if target := TARGETS.get(name) or _metric_target(name):
        return _call(target)
    if re.fullmatch("(from|read|load|parse)_(llm_|model_)?(llm|answer|response|output|completion)s?", name):
        return parse_answers
    from ..io.formats import is_format

    read = re.fullmatch(r"(?:read|load)_(\w+)", name)
    return partial(_read, read[1]) if read and is_format(read[1]) else None


def _metric_target(name: str) -> Target | None:
    """Return the meaning of the name of a metric, with words such as `compute` and `scores` around it; None if none.

    >>> _metric_target("fair_scores").attribute, _metric_target("compute_weighted_rouge_f1")[1:3]
    ('fair', ('wrf', 'headline.value'))
    """
    words = name.split("_")
    while words[1:] and words[0] in MAKING:
        words = words[1:]
    attribute = MADE[words.pop()] if words[1:] and words[-1] in MADE else ""
    metric = METRIC_NAMES.get("_".join(words), "_".join(words))
    registry = import_module(f"{PACKAGE}.metrics.registry")
    if metric in registry.SETS:
        return Target("score", metric)
    return Target("score", metric, attribute.format(metric)) if metric in registry.names() else None


def parse_answer(answer: str, text: str = "") -> list[PlainSpan] | list[tuple[str, str]]:
    """Return the spans that the answer of a language model names in a text; without a text, its names and labels.

    Raises:
        ValueError: The answer cannot be read.

    >>> parse_answer('[{"text": "Ada", "label": "PER"}]', "Ada sleeps"), parse_answer("{'PER': ['Ada']}")
    ([(0, 3, 'PER')], [('Ada', 'PER')])
    """
    read = read_answer(answer)
    if read is None:
        raise ValueError(f"the answer has no list of names and no marked text: {answer!r}")
    mentions = read.mentions if isinstance(read, MarkedAnswer) else read
    return [*locate(text, mentions).spans] if text else mentions


def parse_answers(answers: Any, texts: Iterable[str] | str | None = None, text: str = "") -> Any:
    """Return the spans of one answer, as `parse_answer`, or of each of several, or what `load` reads from a file.

    >>> parse_answers([{"answer": '{"PER": ["Ada"]}', "text": "Ada sleeps"}]), parse_answers(["[]"], ["Bob"])
    ([[(0, 3, 'PER')]], [[]])
    >>> parse_answers('{"PER": ["Ada"]}', "Ada sleeps")
    [(0, 3, 'PER')]
    """
    if isinstance(answers, Path) or (isinstance(answers, str) and answers.endswith((".jsonl", ".json"))):
        return _top("load")(answers)
    if isinstance(answers, str):
        return parse_answer(answers, texts if isinstance(texts, str) else text)
    listed = [*answers]
    beside_each = [""] * len(listed) if texts is None else [*texts]
    if len(beside_each) != len(listed):
        raise ValueError(f"{len(listed)} answers and {len(beside_each)} texts; expected a text for each answer")
    pairs = zip(listed, beside_each)
    records = ((answer if isinstance(answer, Mapping) else {"answer": answer}, beside) for answer, beside in pairs)
    return [parse_answer(record["answer"], beside or record.get("text", "")) for record, beside in records]


class ErrorTypes(dict[str, int]):
    """The number of errors of each kind, and of FairEval's types by their abbreviations.

    >>> from spacy_nereval import error_types
    >>> found = error_types([["B-PER", "O"]], [["B-LOC", "B-LOC"]])
    >>> found, found["LE"], found["FP"]
    ({'label': 1, 'spurious': 1}, 1, 1)
    """

    def __init__(self, result: Any) -> None:
        super().__init__(result.errors().by_type)
        self._counts: dict[str, int] = result.fair.counts

    def __missing__(self, key: str) -> int:
        return self._counts[key.lower()]


def _error_types(*sides: Any, **options: Any) -> ErrorTypes:
    return ErrorTypes(_top("score")(*sides, metrics="fair", **options))


def _load(path: Any, vocab: Any = None, **options: Any) -> Any:
    """Return the result of `load`, which needs no vocabulary."""
    return _top("load")(path, **options)


def _read(format: str, path: Any, vocab: Any = None, **options: Any) -> Any:
    """Return the result of `load`, which needs no vocabulary."""
    return _top("load")(path, **{"format": format} | options)


OTHERS: dict[str, Callable[..., Any]] = {
    **{"convert": _convert, "read_docs": _load, "load_docs": _load},
    **dict.fromkeys(("error_types", "error_counts", "count_errors"), _error_types),
}
"""Functions of other packages that are more than a function of this one."""


def _top(function: str) -> Any:
    return attrgetter(function)(import_module(PACKAGE))


def _call(target: Target) -> Callable[..., Any]:
    function = _top(target.function)
    if not target.metrics and not target.attribute:
        return function  # type: ignore[no-any-return]  # a function of the package

    def call(*sides: Any, **options: Any) -> Any:
        metrics = {"metrics": target.metrics} if target.metrics and {"metric", "metrics"}.isdisjoint(options) else {}
        result = function(*sides, **metrics, **options)
        value = attrgetter(target.attribute)(result) if target.attribute else result
        return value(**target.arguments) if callable(value) else value

    call.__doc__ = f"Call {target.function} with the metrics {target.metrics or 'that are usual'}."
    return call


@cache
def _pair_class() -> type[Any]:
    """Return the class of results that are the pair of nervaluate as well: the scores over all labels, and by label."""
    result: Any = _top("Result")

    class EvaluatorResult(result):  # type: ignore[misc]  # Any until it is imported
        def __iter__(self) -> Iterator[Any]:
            yield self
            yield self.labels

        def __getitem__(self, key: Any) -> Any:
            return (self, self.labels)[key] if isinstance(key, (int, slice)) else super().__getitem__(key)

        def __reduce__(self) -> tuple[Any, ...]:
            return result, (dict(self), self._counts, self._documents, self._notes)

    return EvaluatorResult


class Evaluator:
    """`score` as a class, as in spaCy and nervaluate: the arguments are given when it is made, or to `evaluate`.

    >>> Evaluator([["B-PER"]], [["B-PER"]], tags=["PER"], metrics="strict").evaluate().strict.f
    1.0
    >>> scores, by_label = Evaluator([["B-PER"]], [["B-PER"]]).evaluate()
    >>> scores["partial"]["f1"], by_label["PER"]["strict"]["f1"]
    (1.0, 1.0)
    """

    def __init__(self, *sides: Any, loader: str = "", **options: Any) -> None:
        self._sides, self._options = sides, options
        self._added: tuple[list[Any], list[Any]] = [], []

    def add(self, gold: Any, pred: Any = None) -> None:
        """Add a document, or an Example, or the Docs of a batch, to be scored by `evaluate`.

        >>> evaluator = Evaluator(labels=["PER"], metrics="strict")
        >>> evaluator.add(["B-PER", "B-LOC"], ["B-PER", "O"])
        >>> evaluator.compute().strict.f
        1.0
        """
        if pred is None and hasattr(gold, "reference"):
            gold, pred = gold.reference, gold.predicted
        is_batch = isinstance(gold, (list, tuple)) and bool(gold) and hasattr(gold[0], "ents")
        self.add_batch(*(gold, pred) if is_batch else ([gold], [pred]))

    def add_batch(self, gold: Any, pred: Any) -> None:
        """Add the documents of a batch, to be scored by `evaluate`."""
        for added, side in zip(self._added, (gold, pred)):
            added += side

    update = add_batch

    def evaluate(self, *sides: Any, **options: Any) -> Any:
        """Return the result of `score` for the sides given here, or when the evaluator was made, or that were added."""
        sides = sides or self._sides or (self._added if self._added[0] else ())
        if len(sides) == len(self._sides) == 1 and sides is not self._sides:  # a pipeline, and then its gold annotation
            sides = (*sides, *self._sides)
        result = _top("score")(*sides, **self._options | options)
        return _pair_class()(dict(result), result._counts, result._documents, result._notes)

    compute = evaluate
    run = evaluate

    def __call__(self, *sides: Any, **options: Any) -> Any:
        """Return what `evaluate` returns."""
        return self.evaluate(*sides, **options)

    def score(self, *sides: Any, **options: Any) -> Any:
        """Return what `evaluate` returns."""
        return self.evaluate(*sides, **options)

    def summary_report(self, mode: str = "overall", **options: Any) -> str:
        """Return the scores of the sides given before as text: over all labels, or of each label ("entities")."""
        result = self.evaluate()
        return str(result.summary() if mode == "overall" else result.show("label-scores"))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.evaluate(), name)
