"""`score`, `compare`, `evaluate` and `merge`, for whatever a user has."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain, islice
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from ..core.arguments import Reading, side_reading
from ..core.declaration import Metric
from ..core.labels import LabelRules, rules_of
from ..core.lexicon import cached_lexicon
from ..core.messages import describe_unknown, shorten, spell_argument
from ..core.spans import Document, relabel
from ..core.synonyms import FIRST_NAMES, SECOND_NAMES
from ..counting.counter import count
from ..counting.counts import Counts
from ..evaluation.breakdown import Breakdown, parse_attribute, split_attributes
from ..evaluation.compared_slices import compare_by
from ..evaluation.comparison import System, comparison
from ..evaluation.resampling import Confidence, ConfidenceSettings, read_confidence
from ..evaluation.result import evaluate as evaluate_counts
from ..evaluation.result import labels_before_only
from ..evaluation.run_means import evaluate_runs
from ..evaluation.tested import Hypotheses, families
from ..io.count_files import load
from ..io.paths import is_count_file
from ..metrics.registry import (
    ATTRIBUTES_ADDED,
    ATTRIBUTES_LEFT,
    SEARCHED_DOCUMENTS,
    MetricChoice,
    add_hierarchical,
    choose_metrics,
    create,
)
from .inputs import (
    Arguments,
    ItemReading,
    Items,
    are_sides,
    convert_places,
    documents,
    documents_of,
    gold_labels,
    kept_items,
    name_runs,
    name_sides,
    reading_of_items,
    unknown,
    with_item_reading,
    with_usual_arguments,
)
from .models import is_model, with_predictions
from .results import Comparison, Result, have_no_common_label, warnings_of
from .sides import Side, can_be_kept, check_arguments

if TYPE_CHECKING:
    from typing_extensions import Unpack


@with_item_reading
def score(
    gold: Iterable[Any] | Counts | str | Path,
    pred: Any = None,
    metrics: Any = None,
    confidence: ConfidenceSettings = None,
    *,
    by: Iterable[str] | str | None = None,
    train: str | Path | None = None,
    text: Iterable[str | None] | None = None,
    tokens: Iterable[Any] | None = None,
    **options: Unpack[ItemReading],
) -> Result:
    """Score predictions against gold annotation.

    Gold and predictions are lists with one item per document. An item is

    - a list of tags (IOB1, IOB2, BILUO, BIOES, IO), which count tokens, or of numbers with `tag_names`; places
      numbered -100 on one side are skipped on both; or the logits of all tags, an array or tensor [tokens, tags], of
      which the greatest counts;
    - a list of spans: (start, end, label), with a score behind it or not; or dicts or objects with these, as
      nervaluate, GLiNER, Presidio and the pipelines of transformers have them;
    - a list of mentions without offsets, (string, label) or {"text": ..., "label": ...}, which are looked
      for in the text, or strings by their label, {"PER": ["Ada"]};
    - a spaCy Doc, a record {"text": ..., "spans": [...]} as in a JSONL file, or spaCy 2's (text, {"entities": [...]}),
      or its second part alone;
    - a row {"tokens": ..., "ner_tags": ...} of Hugging Face's `datasets`, or of GLiNER's training data,
      {"tokenized_text": ..., "ner": ...}; gold and predictions may be a split of a data set;
    - an empty list for no spans, or None for a document without annotation.

    Alternatively the first argument is a list of `Document`s or spaCy Examples, which contain
    both sides: score(documents, metrics, confidence). Or it is counts, or the path of a count file
    (.npz), collapsed or not: score("counts.npz", confidence=Confidence()).

    Args:
        gold: The gold annotation, one item per document, or the path of its file or folder; or Documents or Examples,
            which have both sides; or counts.
        pred: The predictions, or the path of their file or folder; or a spaCy pipeline, its path or package name,
            which predicts on the texts of gold, with the options of metrics and labels that its config has.
        metrics: Names, as a list or text with commas, or a table `{name: options}`; by default strict, semeval,
            slot_error, loio, fair and wrf. By default wrf is excluded if the words are not known, and `hierarchical`
            is added if gold labels have levels, such as LOC/CITY. The result records both.
        confidence: True for intervals, or their settings: `Confidence(level=0.9)`, {"level": 0.9} or 0.9; by default
            there are none.
        by: Attributes by which scores are broken down as well, a list or text with commas: fields of the document
            ("meta.source") or attributes of spans ("eLen", "sLen:5"), as `--by` of the command takes them. They are in
            result["breakdowns"]. With `confidence`, each bucket is tested against the others.
        train: The training corpus, or its lexicon, in which attributes such as eCon look spans up.
        text: The text of each document, if the items do not have it.
        tokens: The tokens of each document, as words or (start, end), if the items do not have them.
        scheme: The tagging scheme; "auto" infers it from all tags of a side.
        repair: How to read spans that the scheme does not allow: "error" raises ValueError, "conll" reads them
            as conlleval does, "discard" leaves them out.
        end: Whether the ends of spans are "exclusive", or "inclusive" as nervaluate's. By default they are exclusive,
            and ends that all look inclusive are an error.
        spans_key: Read `doc.spans[spans_key]` of Docs instead of `doc.ents`.
        labels: New names of labels, None to drop them: a table, a JSON file, or text such as "PER=PERSON,MISC=".
        only: The labels to keep, under their new names; by default all.
        label_from: The source of every label before that: an attribute such as "kb_id" or "negated", or
            several, as in "label+negated". A span without the attribute gets "none".
        depth: The number of levels of labels to keep; by default all.
        sep: The separator of the levels of a label.
        match: How far a mention without offsets and the text may differ; see `locate`.
        occurrences: Which occurrences of such a mention count; see `locate`.
        tag_names: The names of tags that are numbers, if the features of a data set do not give
            them: a list, or a model's `id2label`.
        offsets: The unit of offsets: "codepoint" (characters, the default), "utf16" or "utf8"; or "auto" for files.
            Two values with a comma between them are for gold and predictions.
        outside: The tag of tokens outside of spans, if it is not "O".
        trim: The characters to remove from the edges of spans on both sides, after labels are changed: "space" or
            "space,punct".
        join: Join spans of one label that have nothing but white space between them.
        missing_tokens: "O" to read tokens that predictions lack as outside of spans; by default they are an error.
        keys: The keys that have the parts of records and spans, such as {"text": "content", "spans": "items", "label":
            "kind"}, or "text=content,spans=items"; dots reach into nested objects. A list of two is one for gold and
            one for the predictions; None means the usual keys.
        match_text: How the texts of a pair may differ: in white space and case ("same"), or also in Unicode forms,
            quotes, dashes, brackets of treebanks, and characters that are not seen ("normalised").

    Returns:
        The result: ratios from 0 to 1, None where a score is undefined. It is a dict with
        methods that print and save it; see `Result`.

    Raises:
        ValueError: An item cannot be read, the two sides do not fit together, or a metric, an
            option or a setting is unknown or out of range. Names the document.
        OSError: The file of `labels` cannot be read.

    >>> result = score([["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]], ["strict", "fair"])
    >>> result.fair.counts["be_s"], result.strict.f
    (1, 0.0)
    >>> score([[(0, 3, "PER")]], [[{"start": 0, "end": 3, "label": "PER"}]], ["strict"]).strict.scores
    {'p': 1.0, 'r': 1.0, 'f': 1.0}
    """
    if is_model(gold) and not is_model(pred):
        gold, pred = pred, gold  # the order of the command
    if counts := counts_of(gold):
        check_alone(pred=pred, metrics=metrics, by=by, train=train, text=text, tokens=tokens, **options)
        return Result(evaluate_counts(counts, read_confidence(confidence)), counts)
    lookup = Lookup.create(by, train)
    items, gold, systems, notes = with_predictions(
        Items(metrics, reading_of_items(**options), text, tokens), gold, {"pred": pred}
    )
    (pred,), reading = systems.values(), items.reading
    side = Side(gold, "gold", side_reading(reading, 0))
    if side.kind in ("document", "example") or (side.kind == "empty" and _names_metrics(pred)):
        is_confidence = isinstance(metrics, (Confidence, bool))
        confidence = metrics if confidence is None and is_confidence else confidence
        check_arguments([side], reading)
        _check_one_side(text, tokens, metrics if not is_confidence and pred is not None else None)
        wanted = metrics if pred is None and not is_confidence else pred
        rules = rules_of(reading)
        read = relabel(_both_sides(side, reading.spans_key, rules.label_from if rules else ()), rules)
        chosen = choose_metrics(wanted, lambda: unknown([side]))
        key = reading.spans_key if side.kind == "example" else None
        sep = None if wanted is not None else reading.sep
        whole = side.kind == "example" and not lookup.attributes
        if whole and (result := _result_of_docs(gold, None, reading, chosen, confidence, sep)):
            return result
        return _result_of_documents(read, chosen, confidence, lookup, kept=side.is_kept, key=key, sep=sep)
    if pred is None:
        raise ValueError("pred is missing: expected the predictions, one item per document, as the second argument")
    other = Side(pred, "pred", side_reading(reading, 1), side.tag_names)
    chosen = choose_metrics(items.metrics, lambda: unknown((side, other), items.text, tokens))
    read = relabel(documents(side, other, items.text, tokens, reading), rules_of(reading))
    kept, sep = side.is_kept and other.is_kept, None if metrics is not None else reading.sep
    are_plain_docs = side.kind == other.kind == "doc" and items.text is tokens is None and not lookup.attributes
    if are_plain_docs and (result := _result_of_docs(gold, pred, reading, chosen, confidence, sep)):
        return result
    return _result_of_documents(
        read, chosen, confidence, lookup, kept=kept, key=reading.spans_key, sep=sep, notes=notes
    )


@with_item_reading
def score_runs(
    gold: Iterable[Any] | str | Path | None,
    runs: Mapping[str, Any],
    metrics: Any = None,
    confidence: ConfidenceSettings = None,
    *,
    system: str = "the system",
    text: Iterable[str | None] | None = None,
    tokens: Iterable[Any] | None = None,
    **options: Unpack[ItemReading],
) -> Result:
    """Score a system that was trained several times: the means of its training runs, with intervals.

    The intervals include the retraining variance, and the variance over similar texts.

    Args:
        gold: The gold annotation, as `score` takes it; None with counts.
        runs: The name of each training run, two or more, and its predictions, as `score` takes them. Alternatively,
            all are results of `score`, counts or paths of count files (.npz).
        metrics: As for `score`.
        confidence: The settings of the intervals, as for `score`, or None for those that are usual.
        system: The name of the system.
        text, tokens, scheme, repair, end, spans_key, labels, only: As for `score`.
        label_from, depth, sep, match, occurrences, tag_names, offsets, keys, match_text: As for `score`.
        outside, trim, join, missing_tokens: As for `score`.

    Returns:
        The result: where that of `score` has scores, it has their means; `result["metrics"]["fair"]["runs"]` has those
        of the runs. It has no documents.

    Raises:
        ValueError: There are fewer than two runs, some are counts and others not, or as for `score`.
        OSError: As for `score`.

    >>> from spacy_nereval import score_runs
    >>> gold = [["B-PER", "O"], ["B-LOC", "O"]] * 4
    >>> found = score_runs(gold, {"run 1": gold, "run 2": [["B-LOC", "O"]] * 8}, "strict")
    >>> found.strict.f, found["metrics"]["strict"]["runs"]["scores"]["f"]["values"]
    (0.75, [1.0, 0.5])
    """
    if not isinstance(runs := name_runs(runs), Mapping) or len(runs) < 2:
        raise ValueError("runs: expected a table of two or more training runs, {'run 1': pred, 'run 2': pred}")
    left_out: dict[str, str] = {}
    added: list[str] = []
    warnings: list[str] = []
    counts = [run for (run,) in given_counts({run: [pred] for run, pred in runs.items()}, "runs").values()]
    if counts:
        check_alone(gold=gold, metrics=metrics, text=text, tokens=tokens, **options)
    else:
        given = Items(metrics, reading_of_items(**options), text, tokens)
        items, gold, runs, warnings = with_predictions(given, gold, runs)
        items, gold = kept_items(items, gold)
        for run, pred in runs.items():
            counted = count_items(gold, pred, items, run)
            counts.append(counted.counts)
            left_out, added = counted.left_out, counted.added
            warnings += warnings_of(counts[-1], run)
    values = evaluate_runs(counts, read_confidence(confidence), system=system)
    return Result(values | ({"left_out": left_out} if left_out else {}), notes=[*added, *warnings])


@overload
def evaluate(
    gold: Counts, pred: ConfidenceSettings = None, /, *, average: str = "micro", short: bool = False
) -> dict[str, Any]: ...


@overload
def evaluate(gold: Iterable[Any] | str | Path = ..., pred: Any = None, /, *args: Any, **options: Any) -> Result: ...


def evaluate(gold: Any = None, pred: Any = None, /, *args: Any, **options: Any) -> dict[str, Any]:
    """Score predictions as `score` does, or return the result of counts as a plain dict.

    Args:
        gold: As for `score`; or counts.
        pred: As for `score`; with counts the settings of intervals, as `confidence` of `score`.
        args, options: As for `score`; with counts `average`, the average that the signature names, and `short`, whether
            the signature omits default options.

    Returns:
        As `score`; with counts its dict without methods.

    Raises:
        ValueError: As for `score`.

    >>> from spacy_nereval import evaluate
    >>> evaluate([["B-PER"]], [["B-PER"]], ["strict"]).strict.f
    1.0
    """
    if isinstance(gold, Counts):
        return evaluate_counts(gold, read_confidence(options.pop("confidence", pred)), *args, **options)
    return score(**options) if gold is None and pred is None else score(gold, pred, *args, **options)


@with_usual_arguments()
def merge(counts: Iterable[Counts | Result | str | Path]) -> Counts:
    """Return the counts of several corpora, as if all documents had been counted together.

    Args:
        counts: Counts, results, or paths of count files (.npz). They are added as they are: a document that two of
            them contain counts twice. `nereval merge` finds such documents in files.

    Returns:
        The counts; `score` makes a result of them.

    Raises:
        ValueError: One is none of these, there is none, or they differ in metrics, settings or half-samples.
        OSError: A file cannot be read.

    >>> from spacy_nereval import merge, score
    >>> right, wrong = score([["B-PER"]], [["B-PER"]], "strict"), score([["B-PER"]], [["O"]], "strict")
    >>> score(merge([right, wrong])).strict.r, score(right.counts + wrong.counts).strict.r
    (0.5, 0.5)
    """
    parts = []
    for number, given in enumerate(counts):
        part = counts_of(given)
        if part is None:
            raise ValueError(f"item {number} is {shorten(repr(given))}: expected counts, a result or an .npz file")
        parts.append(part)
    if not parts:
        raise ValueError("there are no counts to merge: expected a list of counts, results or .npz files")
    return reduce(add, parts)


def counts_of(given: object) -> Counts | None:
    """Return the counts in an argument: counts, a result, or the path of an .npz file; None for others."""
    if isinstance(given, Counts):
        return given
    if isinstance(given, Result):
        return given.counts
    return load(Path(given)) if isinstance(given, (str, Path)) and is_count_file(given) else None


def runs_of(name: str, pred: Any) -> list[tuple[str, Any]]:
    """Return the training runs of a system with the names that errors give them; most systems have one."""
    if not isinstance(pred, Mapping) or isinstance(pred, Result):
        return [(name, pred)]
    if not pred:
        raise ValueError(f"{name} has no training run; expected a table of runs, {{'run 1': pred, 'run 2': pred}}")
    return [(f"{name}, {run}", predicted) for run, predicted in pred.items()]


def check_alone(**others: Any) -> None:
    """Raise ValueError if arguments are given that counts have been made with already."""
    if name := next((name for name, value in others.items() if value is not None), None):
        raise ValueError(f"{name} is given with counts, which were made without it: count again")


class CountedItems(NamedTuple):
    """The counts of predictions, and their input.

    Attributes:
        counts: The counts.
        documents: The documents; None for one without gold annotation.
        left_out: The excluded metrics of a set, with the reason.
        added: A line on each metric that was added.
    """

    counts: Counts
    documents: list[Document | None]
    left_out: dict[str, str]
    added: list[str]


def count_items(
    gold: Any, pred: Any, items: Items, name: str, check: Callable[[Sequence[Metric]], object] | None = None
) -> CountedItems:
    """Return the counts of predictions.

    Args:
        gold, pred: The items of each side, as `score` takes them.
        items: The settings of reading and scoring.
        name: The name of the predictions, for errors.
        check: Called with the metrics before anything is counted.

    Raises:
        ValueError: As for `score`.
    """
    documents, (chosen, left_out) = documents_of(gold, pred, items, name)
    labels = gold_labels(documents) if items.metrics is None else ()
    metrics, added = add_hierarchical(chosen, labels, items.reading.sep)
    if attributes_compared(documents)[0] and not any(metric.attributes for metric in metrics):
        added = [*added, ATTRIBUTES_LEFT]
    if check:
        check(metrics)
    return CountedItems(counts_of_documents(documents, metrics, items.reading.spans_key), documents, left_out, added)


def attributes_compared(documents: Iterable[Document | None]) -> tuple[bool, bool]:
    """Return whether gold and predicted spans of documents have attributes that were not made their labels."""
    sides = [document.attributes for document in documents if document and not _names_labels(document.label_rules)]
    return any(gold for gold, _ in sides), any(pred for _, pred in sides)


def _names_labels(rules: LabelRules | None) -> bool:
    return bool(rules and rules.label_from)


def counts_of_documents(
    documents: Iterable[Document | None], metrics: Iterable[Metric], key: str | None, *, units: bool = True
) -> Counts:
    """Return the counts of documents, which know the key of their span groups.

    Raises:
        ValueError: A label to keep occurs nowhere.
    """
    counts = count(documents, metrics, units=units)
    counts.spans_key = key
    check_labels(counts)
    return counts


def check_labels(counts: Counts) -> None:
    """Raise ValueError if a label to keep occurs nowhere."""
    if counts.label_rules and counts.documents:
        counts.label_rules.check_labels_occur({*chain(*labels_before_only(counts))})


def _result_of_documents(
    documents: Iterable[Document | None],
    chosen: MetricChoice,
    asked: ConfidenceSettings,
    lookup: Lookup,
    *,
    kept: bool,
    key: str | None = None,
    sep: str | None = None,
    notes: Sequence[str] = (),
) -> Result:
    """Return the result of documents, which it keeps if they are to be listed."""
    confidence = read_confidence(asked)
    documents = iter(documents)
    all_documents = [*documents] if kept else None
    start = all_documents if all_documents is not None else [*islice(documents, SEARCHED_DOCUMENTS)]
    metrics, added = add_hierarchical(chosen.metrics, () if sep is None else gold_labels(start), sep or "")
    having = attributes_compared(start)
    if all(having) and sep is not None:
        metrics, added = (*metrics, create("attributes")), [*added, ATTRIBUTES_ADDED]
    elif having[0] and not any(metric.attributes for metric in metrics):
        added = [*added, ATTRIBUTES_LEFT]
    breakdowns = lookup.breakdowns(metrics)
    # Kept documents get their units when something needs them; see `Result.counts`.
    seen = (_count_breakdowns(document, breakdowns) for document in chain(start, documents))
    counts = counts_of_documents(seen, metrics, key, units=confidence is not None or not kept)
    values = evaluate_counts(counts, confidence)
    if breakdowns:
        values["breakdowns"] = {one.by.name: one.result(counts, confidence) for one in breakdowns}
    values |= {"left_out": chosen.left_out} if chosen.left_out else {}
    return Result(values, counts, all_documents, [*notes, *added])


def _count_breakdowns(document: Document | None, breakdowns: Sequence[Breakdown]) -> Document | None:
    """Return a document, once breakdowns have counted it."""
    for breakdown in breakdowns:
        breakdown.add(document)
    return document


class Lookup(NamedTuple):
    """The attributes by which scores are broken down, and the training corpus in which they look spans up."""

    attributes: Sequence[str]
    train: str | None

    @classmethod
    def create(cls, by: Iterable[str] | str | None, train: str | Path | None) -> Lookup:
        """Return the attributes of an argument. Raise ValueError if one is unknown, or `train` has no effect."""
        attributes = split_attributes([*by] if by is not None and not isinstance(by, str) else by or [])
        needing = [parse_attribute(name).attribute.needs_lexicon for name in attributes]
        if train is not None and not any(needing):
            raise ValueError(f"{spell_argument('train', str(train))} is given, but no attribute looks up spans in it")
        return cls(attributes, None if train is None else str(train))

    def breakdowns(self, metrics: Sequence[Metric]) -> list[Breakdown]:
        """Return the counters by attribute."""
        lexicon = None if self.train is None else cached_lexicon(self.train)
        return [Breakdown(metrics, name, lexicon) for name in self.attributes]


def _result_of_docs(
    gold: Any, pred: Any, reading: Reading, chosen: MetricChoice, asked: ConfidenceSettings, sep: str | None
) -> Result | None:
    """Return the result of lists of Examples or Docs, which are read as scorers of pipelines read them: as arrays.

    None if they need more than that. `_result_of_documents` then scores them, or reports the problem.
    """
    are_lists = isinstance(gold, (list, tuple)) and isinstance(pred or [], (list, tuple))
    if reading != reading_of_items() or not are_lists:
        return None
    from ..integration.examples import PairBatches, annotated_pairs

    if not (pairs := annotated_pairs(gold, pred)):
        return None
    confidence = read_confidence(asked)
    try:
        documents = PairBatches(pairs)
        labels = () if sep is None else documents.gold_labels(SEARCHED_DOCUMENTS)
        metrics, added = add_hierarchical(chosen.metrics, labels, sep or "")
        counts = documents.count_metrics(metrics, units=confidence is not None)
    except ValueError:
        return None
    values = evaluate_counts(counts, confidence)
    return Result(values | ({"left_out": chosen.left_out} if chosen.left_out else {}), counts, documents, added)


def _both_sides(side: Side, spans_key: str | None, asked: Collection[str] = ()) -> Iterator[Document | None]:
    """Yield the documents of items that contain both sides."""
    if side.kind != "example":
        yield from side.items()
        return
    from ..integration.examples import is_annotated, read_example

    gold_spans, scored, silent = 0, 0, 0
    for number, example in enumerate(side.items()):
        document = None if example is None else read_example(example, number, spans_key, asked)
        if document is not None:
            gold_spans += len(document.gold)
            scored += 1
            silent += not is_annotated(example.predicted, spans_key)
        yield document
    place = "doc.ents" if spans_key is None else f"doc.spans[{spans_key!r}]"
    if gold_spans and silent == scored:
        raise ValueError(
            f"no predicted Doc of the examples has annotation in {place}: score(examples, nlp) runs the pipeline on "
            "the texts first, and so does nlp.evaluate(examples)"
        )
    if gold_spans and silent:
        warnings.warn(
            f"{silent} of {scored} predicted Docs have no annotation in {place}: they count as without spans. "
            "score(examples, nlp) runs the pipeline on the texts first",
            stacklevel=2,
        )


def _names_metrics(pred: Any) -> bool:
    """Return whether the second argument of `score` can only be metrics, or is not given."""
    listed = isinstance(pred, (list, tuple, set)) and bool(pred) and all(isinstance(name, str) for name in pred)
    return pred is None or isinstance(pred, (str, Mapping)) or listed


def _check_one_side(text: object, tokens: object, metrics: object) -> None:
    """Raise ValueError if texts, tokens or predictions are given for Documents or Examples, which contain them."""
    for name, value in (("text", text), ("tokens", tokens)):
        if value is not None:
            raise ValueError(f"{name}= is given, but Documents and Examples have their own: leave it out")
    if metrics is not None:
        raise ValueError("Documents and Examples contain both sides: expected score(documents, metrics, confidence)")


def _name_systems(*args: Any, **options: Any) -> Arguments:
    """Return the arguments of `compare` with a table of the systems, which may stand behind gold, or have names."""
    if (listed := options.get("systems")) is not None and name_runs(listed) is not listed:
        options["systems"] = name_sides(listed)
    if len(args) > 1 and all(isinstance(arg, Result) for arg in args):
        return (name_sides(args),), options
    runs = [name_runs(arg) for arg in args[1:]]
    if all(isinstance(arg, Mapping) and arg is not given for arg, given in zip(runs, args[1:])) and runs[1:]:
        return (name_sides(runs), args[0]), options
    if runs[:1] and runs[0] is not args[1]:  # files of systems rather than of runs
        return (name_sides(args[1]), args[0], *args[2:]), options
    named = {name: value for name, value in options.items() if name in SYSTEMS and are_sides([value])}
    if len(named) > 1 and "systems" not in options and len(args) < 2:
        systems = {name: named[name] for name in SYSTEMS if name in named}
        rest = {name: value for name, value in options.items() if name not in named}
        return (systems, *args), rest
    is_clear = len(args) > 2 and not any(isinstance(arg, Mapping) for arg in args[:2])
    return ((name_sides(args[1:]), args[0]) if is_clear and are_sides(args[1:]) else args), options


SYSTEMS = ["baseline", *f"{FIRST_NAMES} {SECOND_NAMES}".replace("-", "_").split()]
"""The names that arguments for two systems have elsewhere, the baseline first."""


@convert_places(_name_systems)
@with_item_reading
def compare(
    systems: Mapping[str, Any],
    gold: Iterable[Any] | str | Path | None = None,
    metrics: Any = None,
    *,
    baseline: str | None = None,
    level: float = 0.95,
    samples: int = 1000,
    trials: int | None = None,
    seed: int = 0,
    primary: str | None = None,
    secondary: Sequence[str] | str | None = None,
    margin: float | None = None,
    per_label: bool = False,
    by: Iterable[str] | str | None = None,
    train: str | Path | None = None,
    text: Iterable[str | None] | None = None,
    tokens: Iterable[Any] | None = None,
    **options: Unpack[ItemReading],
) -> Comparison:
    """Compare systems with a baseline: differences, their intervals, paired tests, and which spans changed.

    Args:
        systems: The name and the predictions of each system, or a pipeline, as `score` takes them. For a system
            that was trained several times, give a table of its runs, {"run 1": pred, "run 2": pred};
            their mean scores are compared. Alternatively, all systems are results of `score`, counts or paths of count
            files (.npz);
            collapsed ones are compared by the half-samples that they keep.
        gold: The gold annotation, as `score` takes it; None with counts.
        metrics: As for `score`.
        baseline: The name of the system that the others are compared with; by default the first.
        level: The confidence level of the intervals.
        samples: The number of half-samples, random halves of the documents, for intervals.
        trials: The number of random permutations for the tests; by default enough for the number of tests.
        seed: The seed of the random number generator.
        primary: The score that the conclusion is about, METRIC.SCORE or its score key, such as fair_f; by
            default the headline of the first metric.
        secondary: Further scores to test, METRIC.SCORE each; by default one headline of each further metric.
        margin: The largest difference of the primary score that does not matter, in points.
        per_label: Whether to compare the primary score of each label too.
        by, train: Attributes by which the primary score is compared too, as for `score`: where is a system better?
        text, tokens, scheme, repair, end, spans_key, labels, only: As for `score`.
        label_from, depth, sep, match, occurrences, tag_names, offsets, keys, match_text: As for `score`.
        outside, trim, join, missing_tokens: As for `score`.

    Returns:
        The comparison: a dict with methods that print and save it; see `Comparison`.

    Raises:
        ValueError: There are fewer than two systems, there is no such baseline, or as for `score`.
        OSError: As for `score`.

    >>> gold = [["B-PER", "O"], ["B-LOC", "O"]] * 4
    >>> found = compare({"a": [["B-LOC", "O"]] * 8, "b": gold}, gold, ["strict"])
    >>> row = found["comparisons"][0]
    >>> row["system"], row["baseline_value"], row["value"]
    ('b', 0.5, 1.0)
    """
    if isinstance(gold, Mapping) and not isinstance(systems, Mapping):
        systems, gold = gold, systems  # the order of `leaderboard`
    if isinstance(systems, Result):
        raise ValueError("results have no names: write compare({'a': result_a, 'b': result_b})")
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise ValueError(
            "systems: expected a table of two or more names and predictions: write compare({'a': pred_a, 'b': pred_b}, "
            "gold)"
        )
    if baseline is not None and baseline not in systems:
        raise ValueError(describe_unknown(baseline, systems, "system"))
    names = dict.fromkeys([baseline if baseline is not None else next(iter(systems)), *systems])
    runs_of_systems = {name: runs_of(name, systems[name]) for name in names}
    asked = Hypotheses(primary, secondary, per_label, margin).checked()
    settings = Confidence(level, samples, seed).checked()
    stored = given_counts({name: [run for _, run in runs] for name, runs in runs_of_systems.items()}, "systems")
    if stored:
        check_alone(gold=gold, metrics=metrics, by=by, train=train, text=text, tokens=tokens, **options)
        given = [System(name, counts) for name, counts in stored.items()]
        return Comparison(comparison(given, [], settings, trials, **asked._asdict()))
    if gold is None:
        raise ValueError("missing gold annotation: expected one item per document as the second argument")
    lookup = Lookup.create(by, train)
    items = Items(metrics, reading_of_items(**options), text, tokens)
    items, gold, predicted, notes = with_predictions(items, gold, {name: systems[name] for name in names})
    runs_of_systems = {name: runs_of(name, pred) for name, pred in predicted.items()}
    items, same = kept_items(items, gold)
    left_out: dict[str, str] = {}
    warnings: list[str] = []
    compared: list[System] = []
    kept: list[Document | None] = []
    for name, named_runs in runs_of_systems.items():
        runs: list[Counts] = []
        for shown, pred in named_runs:
            counts, kept, left_out, added = count_items(
                same, pred, items, shown, check=lambda chosen: families(chosen, asked.primary, asked.secondary)
            )
            lines = warnings_of(counts, shown)
            (warnings if have_no_common_label(*labels_before_only(counts)) else notes).extend(lines)
            runs.append(counts)
        compared.append(System(name, runs, kept))
    values = comparison(compared, kept, settings, trials, **asked._asdict())
    if lookup.attributes:
        values["breakdowns"] = compare_by(compared, lookup.breakdowns, settings, trials, asked)
    values |= {"left_out": left_out} if left_out else {}
    can_be_reported = can_be_kept(gold) and all(
        can_be_kept(predicted[system.name]) and system.documents is not None for system in compared
    )
    reported = compared if can_be_reported else None
    return Comparison(
        values, [*notes, *added], warnings, systems=reported, confidence=settings, asked=asked, trials=trials
    )


def given_counts(systems: Mapping[str, Sequence[Any]], what: str) -> dict[str, list[Counts]]:
    """Return the counts of the training runs of each system; nothing if all are given as predictions.

    Raises:
        ValueError: Only some of them are counts; `what` says of what.
    """
    counts = {name: [counts_of(run) for run in runs] for name, runs in systems.items()}
    if not any(any(runs) for runs in counts.values()):
        return {}
    if other := next((name for name, runs in counts.items() if not all(runs)), None):
        raise ValueError(f"{other} is given as predictions, and other {what} as counts: give all as one of the two")
    return {name: [run for run in runs if run] for name, runs in counts.items()}
