"""The function `agreement` for Python objects and files, and its result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ...api.accessors import Headline
from ...api.inputs import (
    Arguments,
    ItemReading,
    are_sides,
    convert_places,
    is_file_here,
    name_sides,
    reading_of_items,
    records_of_sides,
    unknown,
    with_item_reading,
)
from ...api.shown import Shown, table_frame
from ...api.sides import Side
from ...core.arguments import HALF_WIDTH_POINTS, Reading, check_value, side_reading
from ...core.compression import format_extension, strip_compression
from ...core.declaration import Metric
from ...core.expansion import collect_rarely
from ...core.keys import key_maps
from ...core.labels import rules_of
from ...core.messages import describe_unknown, spell_argument
from ...core.synonyms import CHANCE_NAMES, SCORE_NAMES
from ...counting.counts import Counts
from ...evaluation.resampling import ConfidenceSettings, read_confidence
from ...io.formats.settings import side_formats as format_of
from ...io.tables import write_rows
from ...metrics.registry import Unavailable, choose_metrics, create
from .agreement_counts import DEFAULT, AgreementCounts
from .agreement_view import AgreementView
from .chance import check_unit, without_chance
from .disagreements import consensus_rows, consensus_rule
from .shared_documents import check_annotators, check_reading, load_tokenizer, match_documents, read_annotators

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack


def _table_of_annotators(*args: Any, **options: Any) -> Arguments:
    """Return the arguments of `agreement` with a table of the annotators, which may be arguments one after the other,
    or named files."""
    named = {name: value for name, value in options.items() if name != "annotators" and is_file_here(value)}
    if not args and len(named) > 1 and "annotators" not in options:
        return (named,), {name: value for name, value in options.items() if name not in named}
    is_clear = len(args) > 1 and not isinstance(args[0], Mapping) and are_sides(args)
    return ((name_sides(args),) if is_clear else args), options


@convert_places(_table_of_annotators)
@with_item_reading
@collect_rarely()
def agreement(
    annotators: Mapping[str, Any] | str | Path,
    metrics: Any = None,
    *,
    unit: str = "token",
    consensus: str | int = "majority",
    confidence: ConfidenceSettings = None,
    half_width: float | None = None,
    text: Iterable[str | None] | None = None,
    tokens: Iterable[Any] | None = None,
    tokenizer: str | None = None,
    annotator: str | Sequence[str] | None = None,
    **options: Unpack[ItemReading],
) -> Agreement:
    """Measure how far annotators agree: every metric on each pair, and alphas and kappas, corrected for chance.

    If texts are known, documents are paired by id if all have one, else by text; an annotator
    may lack documents. Otherwise documents are paired by position, and None means a
    document that an annotator has not annotated.

    Args:
        annotators: The names of two or more annotators, and the annotation of each, as `score` takes one side, or each
            one's file or folder; or the path of a file or folder with the annotation of all, as in `nereval agreement`.
        metrics: As for `score`; by default strict, semeval, relaxed and char.
        unit: The unit of alpha and the kappas: "token" or "char". Intervals resample documents, whichever it is.
        consensus: How many votes a span of the consensus needs: "majority" (more than half of those
            who annotated the document), "all", or a number.
        confidence: As for `score`.
        half_width: How far the intervals of alpha and of the main score may reach on either side, in points; the result
            then says under "plan" how many documents that takes. An alpha of 1 is 100 points.
        tokens: As for `score`; also for items with texts but without tokens, if all annotators have the same
            documents in the same order.
        tokenizer: The language of the spaCy tokenizer, such as "en". By default, tokens are those
            that all annotators of a document have, or else words between white space.
        annotator: Of a file that names several annotators, those to compare, as in "ann,bob" or ["ann", "bob"]; of
            several such files, the one of each. "ground_truth" is what Label Studio marks as that.
        text, scheme, repair, end, spans_key, labels, only, label_from, depth, sep, match, occurrences,
            tag_names, offsets, keys, match_text: As for `score`.
        outside, trim, join, missing_tokens: As for `score`.

    Returns:
        The agreement: a dict with methods that print and save it; see `Agreement`.

    Raises:
        ValueError: There are fewer than two annotators, they share no document, two of them have
            different texts under one id, an item cannot be read, or an option is unknown.
        OSError: The file of `labels` cannot be read.

    >>> ann, bob = [["B-PER", "O", "B-LOC"]], [["B-PER", "O", "O"]]
    >>> found = agreement({"ann": ann, "bob": bob})
    >>> round(found["metrics"]["strict"]["f"]["mean"], 4), round(found["units"]["alpha"], 4)
    (0.6667, 0.5455)
    """
    annotators = _name_annotators(annotators)
    metrics = without_chance(metrics)
    settings = read_confidence(confidence)
    if half_width is not None:
        check_value("half_width", half_width, HALF_WIDTH_POINTS)
    reading = reading_of_items(**options)
    check_reading(reading)
    key_maps(reading.keys, 1)
    names = annotator.split(",") if isinstance(annotator, str) else annotator or ()
    on, tokenizing = check_unit(unit), load_tokenizer(tokenizer)
    metrics_wanted = DEFAULT if metrics is None else metrics
    if files := _annotator_paths(annotators):
        for name, value in (("text", text), ("tokens", tokens)):
            if value is not None:
                raise ValueError(f"{spell_argument(name)} is given, but files have their own: leave it out")
        readings = [side_reading(reading, k, len(files)) for k in range(len(files))]
        name, path = next(iter(files.items()))  # a single file of all annotators has no name and is not inspected
        chosen, left_out = choose_metrics(
            metrics_wanted,
            (lambda: _unknown_properties([Side(path, name, readings[0])], None, None)) if name else Unavailable,
        )
        shared = read_annotators(
            files,
            reading.spans_key,
            formats=[format_of(each)[0] for each in readings],
            rules=rules_of(reading),
            chosen=[name.strip() for name in names],
            tokenizer=tokenizing,
        )
    elif names:
        raise ValueError(f"{spell_argument('annotator', annotator)}: lists name no annotators; leave it out")
    else:
        sides = _annotator_sides(annotators, reading)
        check_annotators([*sides])
        chosen, left_out = choose_metrics(metrics_wanted, partial(_unknown_properties, [*sides.values()], text, tokens))
        records = records_of_sides(sides, text, tokens, reading)
        shared = match_documents(
            records, rules_of(reading), reading.spans_key, tokenizer=tokenizing, match_text=reading.match_text
        )
    rule = consensus_rule(consensus, len(shared.annotators))
    if tokenizer is not None and f"spacy-{tokenizer}" not in shared.tokens:
        raise ValueError(
            f"{spell_argument('tokenizer', tokenizer)} is given, but the texts are not known: give "
            f"{spell_argument('text')}"
        )
    counted = AgreementCounts(shared, chosen, unit=on, rule=rule)
    result = counted.result(settings) | ({"left_out": left_out} if left_out else {})
    if half_width is not None:
        result["plan"] = counted.plan(result, half_width, settings)
    return Agreement(result, counted)


PAIRWISE = ("pairwise", "by_pair", "per_pair")
"""The names that other packages give to the scores of each pair of annotators."""


class PairRows(list[Any]):
    """Rows of pairs of annotators; as others have them, a table of their main scores, too."""

    def __init__(self, rows: Iterable[Mapping[str, Any]], metric: str, score: str) -> None:
        super().__init__(rows)
        self._scores = {(row["a"], row["b"]): row["metrics"][metric]["scores"][score] for row in self}

    def items(self) -> Iterable[tuple[tuple[str, str], float | None]]:
        """Return the names of each pair, with its main score.

        >>> from spacy_nereval import agreement
        >>> [*agreement({"ann": [["B-PER"]], "bob": [["B-PER"]]}).pairwise.items()]
        [(('ann', 'bob'), 1.0)]
        """
        return self._scores.items()


class Agreement(Shown):
    """The agreement of annotators: a dict, equal to the JSON of `nereval agreement`, with methods to print and save it.

    `agreement` makes it.

    >>> from spacy_nereval import agreement
    >>> found = agreement({"ann": [["B-PER", "O"]], "bob": [["B-LOC", "O"]]})
    >>> [(row["label"], row["annotators"]) for row in found.errors()]
    [('LOC', ['bob']), ('PER', ['ann'])]
    """

    _lines: ClassVar[Mapping[str, str]] = {
        **{name: f"a['units']['{here}']" for name, here in CHANCE_NAMES.items()},
        **dict.fromkeys(("matrix", "pairwise_f1", "confusion", "confusion_matrix"), "a.to_frame('pairs')"),
        **dict.fromkeys(("f1", "f", "value", "mean_f1", "average_f1", "mean"), "a.headline.value"),
        **dict.fromkeys(("per_label", "by_label", "labels", "per_type"), "a.to_frame('labels')"),
        **dict.fromkeys(("disagreements", "conflicts"), "a.errors"),
        **dict.fromkeys(PAIRWISE, "a.rows"),
        **dict.fromkeys(("interval", "ci"), "a.headline.interval"),
        **{name: f"a.headline.{bound.replace('()', '')}" for name, bound in SCORE_NAMES.items() if "()." in bound},
    }
    _kind: ClassVar[str] = "Agreement"
    summarised: ClassVar[Sequence[str]] = AgreementView.at_terminal

    def __init__(self, values: Mapping[str, Any], counts: AgreementCounts | None = None) -> None:
        super().__init__(values)
        self._counted = counts
        self._metrics: Sequence[Metric] = counts.metrics if counts else [*map(create, values["metrics"])]

    @property
    def _agreement_counts(self) -> AgreementCounts:
        if self._counted is None:
            raise self._unavailable("annotation", "call agreement(...) with it again")
        return self._counted

    @property
    def counts(self) -> dict[tuple[str, str], Counts]:
        """The counts of each pair of annotators, the first as gold and the second as prediction."""
        return {(pair.a, pair.b): pair.forward for pair in self._agreement_counts.pairs}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per pair of annotators, with every score."""
        return [*self["pairs"]]

    def _attribute_meant(self, name: str) -> Any:
        if name in PAIRWISE:
            view = self._view()
            return PairRows(self.rows, view.metric.name, view.score)
        return super()._attribute_meant(name)

    @property
    def headline(self) -> Headline:
        """The mean of the main score over pairs: its score key, value, interval and direction."""
        view = self._view()
        intervals: Any = self._main_result.get("intervals", {})
        bounds = intervals.get("metrics", {}).get(view.metric.name, {}).get(view.score, {}).get("mean")
        return Headline.of(view.metric, view.score, self["metrics"][view.metric.name][view.score]["mean"], bounds)

    def errors(self, labels: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return the disputed spans, the most disputed first, with who said what.

        Args:
            labels: List only spans with one of these labels.

        Returns:
            A row per span: its document, place, label and text, who marked it, and each annotator's spans there.

        Raises:
            ValueError: No span has one of the labels.

        >>> from spacy_nereval import agreement
        >>> found = agreement({"ann": [["B-PER", "O"]], "bob": [["B-LOC", "O"]]})
        >>> [row["annotators"] for row in found.errors(["LOC"])]
        [['bob']]
        """
        labels = [labels] if isinstance(labels, str) else labels
        labels_known = [*self["per_type"]]
        if missing := [label for label in labels or () if label not in labels_known]:
            raise ValueError(describe_unknown(missing[0], labels_known, "label"))
        return [row for row in self["disputes"]["spans"] if labels is None or row["label"] in labels]

    def consensus(self) -> list[dict[str, Any]]:
        """Return the consensus, a record of each document as in a JSONL file, with the votes for each span.

        Returns:
            A dict per document: its text, its id if it has one, and its spans with "votes" and "annotators".

        Raises:
            ValueError: The texts are not known.

        >>> from spacy_nereval import agreement
        >>> spans = {"text": "Ada in Rome", "spans": [{"start": 0, "end": 3, "label": "PER"}]}
        >>> agreement({"ann": [spans], "bob": [spans]}).consensus()[0]["spans"][0]["votes"]
        2
        """
        return [*consensus_rows(self._agreement_counts.shared, self._agreement_counts.rule)]

    def save_disputes(self, path: str | Path) -> int:
        """Write the disputed documents for adjudication, the most disputed first.

        Args:
            path: A `.jsonl` file for Prodigy, or a `.json` file for Label Studio.

        Returns:
            The number of documents.

        Raises:
            ValueError: The file extension is none of these, or the texts are not known.
            OSError: The file cannot be written.

        >>> from spacy_nereval import agreement
        >>> ann, bob = ({"text": "Ada in Rome", "spans": spans} for spans in ([(0, 3, "PER")], []))
        >>> agreement({"ann": [ann], "bob": [bob]}).save_disputes(getfixture("tmp_path") / "disputes.jsonl")
        1
        """
        from .adjudication import write_disputes

        return write_disputes(Path(path), self._agreement_counts.shared, self._agreement_counts.rule)

    def to_frame(self, table: str = "pairs") -> pandas.DataFrame:
        """Return a table as a pandas DataFrame.

        Args:
            table: The name of a table for `--tables` of `nereval agreement`.

        Returns:
            A row per row of the table, and a column per column: ratios from 0 to 1, as in JSON, and the bounds of
            intervals as columns "low" and "high".

        Raises:
            ValueError: There is no such table, or pandas is not installed.

        >>> from spacy_nereval import agreement
        >>> agreement({"ann": [["B-PER"]], "bob": [["B-PER"]]}).to_frame("pairs")["annotator"].tolist()
        ['ann', 'bob']
        """
        return table_frame(AgreementView(self, self._metrics).tables([table]))

    def save(self, path: str | Path) -> None:
        """Write the result to a file in the format that the file extension names.

        Args:
            path: `.json` for the whole result; `.jsonl` for the consensus as gold annotation; `.html` for
                the page of `nereval agreement --html`; `.md`, `.tex` or `.csv` for all tables.

        Raises:
            ValueError: The file extension is unknown, or the texts are not known.
            OSError: The file cannot be written.

        >>> from spacy_nereval import agreement
        >>> ada = {"text": "Ada sleeps", "spans": [(0, 3, "PER")]}
        >>> agreement({"ann": [ada], "bob": [ada]}).save(getfixture("tmp_path") / "consensus.jsonl")
        """
        if format_extension(Path(path)) == ".jsonl":
            write_rows(Path(path), consensus_rows(self._agreement_counts.shared, self._agreement_counts.rule))
        else:
            super().save(path)

    def _endings(self) -> Sequence[str]:
        return (*super()._endings(), ".jsonl")

    def _report(self, name: str) -> str | None:
        if self._counted is None:
            return None
        from .adjudication import agreement_page

        return agreement_page(self._agreement_counts, AgreementView(self._main_result, self._agreement_counts.metrics))

    @cached_property
    def _main_result(self) -> Mapping[str, Any]:
        """The result with the intervals of the main numbers."""
        return self if self._counted is None else self._agreement_counts.add_main_interval(self)

    def _view(self, average: str = "micro", *, every: bool = False) -> AgreementView:
        shared = self._counted.shared if self._counted else None
        remarks = [*shared.warnings, *shared.attribute_notes(self._metrics)] if shared else []
        return AgreementView(self, self._metrics, main=self._main_result, remarks=remarks)


def _unknown_properties(sides: Sequence[Side], text: Any, tokens: Any) -> Unavailable:
    """Return the unknown properties of the documents. If texts are known, tokens will be."""
    properties = unknown(sides, text, tokens)
    return properties if properties.texts else properties._replace(tokens="")


def _annotator_paths(annotators: Any) -> dict[str, Path]:
    """Return the file or folder of each annotator, or the one of all annotators under ""; empty without paths."""
    if isinstance(annotators, (str, Path)):
        return {"": Path(annotators)}
    if isinstance(annotators, Mapping) and all(isinstance(path, (str, Path)) for path in annotators.values()):
        return {name: Path(path) for name, path in annotators.items()}
    return {}


def _name_annotators(annotators: Any) -> Any:
    """Return the table of annotators, or the path of a file or folder of all. Files in a list have their names.

    Raises:
        ValueError: The annotators have no names.
    """
    if isinstance(annotators, (Mapping, str, Path)):
        return annotators
    paths = [*annotators] if isinstance(annotators, (list, tuple)) else []
    are_paths = bool(paths) and all(isinstance(path, (str, Path)) for path in paths)
    if not are_paths or len({strip_compression(Path(path)).stem for path in paths}) < len(paths):
        raise ValueError(f"annotators: expected {TABLE_OF_ANNOTATORS}")
    return name_sides(paths)


TABLE_OF_ANNOTATORS = "a table of names and annotations, {'ann': docs, 'bob': docs}"


def _annotator_sides(annotators: Any, reading: Reading) -> dict[str, Side]:
    """Return the items of each annotator. Raise ValueError if they are no table of names and items.

    If one data set names its tags, these names apply to all.
    """
    if not isinstance(annotators, Mapping) or not all(isinstance(name, str) and name.strip() for name in annotators):
        raise ValueError(f"annotators: expected {TABLE_OF_ANNOTATORS}")
    sides: dict[str, Side] = {}
    for k, (name, items) in enumerate(annotators.items()):
        tag_names = next((side.tag_names for side in sides.values() if side.tag_names), None)
        sides[name] = Side(_list_iterator(items), name, side_reading(reading, k, len(annotators)), tag_names)
    return sides


def _list_iterator(items: Any) -> Any:
    """Return an iterator's items as a list; other values are unchanged, and `Side` checks them."""
    return [*items] if isinstance(items, Iterator) and not isinstance(items, str) else items
