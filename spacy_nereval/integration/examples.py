"""Convert spaCy's objects: many Examples at once to batches, which scorers count, or one Example to a document.

Offsets are characters of the reference text. If the predicted text differs in white
space or case, its spans are projected onto the reference. If it differs otherwise,
that is an error.

If two Docs have the same tokens, and the gold Doc is annotated throughout, entities are
ranges of tokens on both sides, and are read from the Docs as arrays. This is several
times as fast as making a `Document` of each pair, and users wait for it in every
evaluation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from io import BytesIO
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import ENT_IOB, ENT_TYPE, LENGTH, LOWER, ORTH, SPACY
from spacy.tokens import Doc
from spacy.training import Example

from ..core.declaration import Metric
from ..core.document_fields import document_id, kept_fields
from ..core.labels import NO_LABEL, LabelRules
from ..core.messages import PlainSpan, Unusable, highest_scores, many
from ..core.spans import Document, relabel
from ..counting.batch import Batch, DocumentBatch, Numbers, SpanColumns, build_columns, chunk_items
from ..counting.counter import Counter
from ..counting.counts import Counts
from ..io.records import Record, pair
from ..io.units import FileUnits, UnitRule
from .span_attributes import doc_attributes, has_span_attributes


class DocPair(NamedTuple):
    """A gold and a predicted Doc, as an Example has them."""

    reference: Doc
    predicted: Doc


Pair = DocPair | Example


def documents(examples: Iterable[Example], key: str | None = None) -> Iterator[Document | None]:
    """Yield each example as a document; None if the reference is not annotated.

    For counting, `count_examples` is faster.

    Args:
        examples: Examples.
        key: Read `doc.spans[key]` instead of `doc.ents`.

    Raises:
        ValueError: The two texts of an example differ in more than white space and case.
    """
    for number, example in enumerate(examples):
        yield read_example(example, number, key)


def read_example(example: Pair, number: int, key: str | None, asked: Collection[str] = ()) -> Document | None:
    """Return the document of an example, as `pair_docs` does. A ValueError names the number of the example."""
    try:
        return pair_docs(example.reference, example.predicted, key, asked)
    except ValueError as error:
        raise ValueError(f"example {number}: {error}") from None


def pair_docs(reference: Doc, predicted: Doc, key: str | None = None, asked: Collection[str] = ()) -> Document | None:
    """Return the document of a gold and a predicted Doc; None without gold annotation. `asked` as in `doc_record`."""
    gold = doc_record(reference, key, scored=False, asked=asked)
    return pair(gold, doc_record(predicted, key, scored=False, asked=asked)) if gold.annotated else None


def doc_record(doc: Doc, key: str | None = None, *, scored: bool = True, asked: Collection[str] = ()) -> Record:
    """Return a Doc as a record.

    Args:
        doc: The Doc.
        key: Read `doc.spans[key]` instead of `doc.ents`.
        scored: Whether to read the scores of the spans, which metrics do not need.
        asked: The names of attributes that become the labels.
    """
    annotated = is_annotated(doc, key)
    gaps = () if key or not annotated else tuple((t.idx, t.idx + len(t)) for t in doc if t.ent_iob == 0)
    spans = spans_of(doc, key)
    repeats = len(doc.spans[key]) - len(spans) if key and annotated else 0
    scores = scores_of(doc, key) if scored and key and annotated else {}
    meta = meta_of(doc)
    result = Record(doc.text, spans, tokens_of(doc), id_of(doc), annotated, gaps, meta=meta, duplicates=repeats)
    attributes = doc_attributes(doc, [*(doc.ents if key is None else doc.spans.get(key, ()))], asked)
    return result._replace(span_scores=scores, attributes=attributes) if scores or attributes else result


def is_annotated(doc: Doc, key: str | None) -> bool:
    """Return whether a Doc has entity annotation, or a group of spans under the key, if there is one."""
    return bool(doc.has_annotation("ENT_IOB")) if key is None else key in doc.spans


def spans_of(doc: Doc, key: str | None) -> set[PlainSpan]:
    """Return the entities of a Doc, or the spans of a group if there is a key, in characters."""
    spans = doc.ents if key is None else doc.spans.get(key, ())
    return {(span.start_char, span.end_char, span.label_ or NO_LABEL) for span in spans}


def scores_of(doc: Doc, key: str) -> dict[PlainSpan, Any]:
    """Return the scores of a span group, `doc.spans[key].attrs["scores"]`; empty if it has none.

    A wrong number of scores is no error here, only where the scores are used.
    """
    group = doc.spans[key]
    values = group.attrs.get("scores")
    if values is None:
        return {}
    scores = [score.item() if hasattr(score, "item") else score for score in values]
    if len(scores) != len(group):
        sizes = f"{many(len(group), 'span')} and {many(len(scores), 'score')}"
        scores = [Unusable(f"doc.spans[{key!r}] has {sizes}; expected one score per span")] * len(group)
    spans = ((span.start_char, span.end_char, span.label_ or NO_LABEL) for span in group)
    return highest_scores(zip(spans, scores))


def tokens_of(doc: Doc) -> list[tuple[int, int]]:
    """Return the start and the end of each token, in characters."""
    return [(token.idx, token.idx + len(token)) for token in doc]


def meta_of(doc: Doc) -> dict[str, Any] | None:
    """Return the fields of `doc.user_data["meta"]`, and those of `doc.user_data` itself; None if there are none.

    If both have a field, the one in `meta` is used. Neither the id nor `meta` itself is a field.
    Attributes `doc._` are included if they are kept.
    """
    extensions = {name: getattr(doc._, name) for name in kept_fields() if doc.has_extension(name)}
    data: dict[Any, Any] = doc.user_data  # attributes have keys that are tuples
    if not data and not extensions:
        return None
    inner = data.get("meta")
    others = ("id", "meta") if isinstance(inner, dict) else ("id",)
    outer = {name: value for name, value in data.items() if isinstance(name, str) and name not in others}
    stored = {name: data[key] for name in kept_fields() if (key := ("._.", name, None, None)) in data}
    return {**extensions, **stored, **outer, **(inner if isinstance(inner, dict) else {})} or None


def id_of(doc: Doc) -> str | None:
    """Return `doc.user_data["id"]` as text; None if it has none."""
    return document_id(doc.user_data.get("id"))


def annotated_pairs(golds: Sequence[Any], preds: Sequence[Any] | None) -> Sequence[Pair]:
    """Return the Examples, or the Docs of two sides in pairs, if their batches need no rule of pairing or skipping.

    Args:
        golds: Examples, or the gold Docs.
        preds: The predicted Docs; None for Examples.

    Returns:
        The pairs; none if an item is of another type, a Doc has no entity annotation, entities have attributes, or the
        Docs of a pair have different ids.
    """
    pairs: Sequence[Any] = golds
    if preds is not None:
        both = (*golds, *preds)
        pairs = [*map(DocPair, golds, preds)] if len(golds) == len(preds) and all(type(d) is Doc for d in both) else ()
    elif not all(type(example) is Example for example in golds):
        pairs = ()
    are_fit = all(
        is_annotated(gold, None) and is_annotated(pred, None) and (preds is None or id_of(gold) == id_of(pred))
        for gold, pred in ((pair.reference, pair.predicted) for pair in pairs)
    )
    has_attributes = any(has_span_attributes(side) for pair in pairs for side in (pair.reference, pair.predicted))
    return pairs if are_fit and not has_attributes else ()


class PairBatches(Sequence[Document | None]):
    """The documents of pairs: batches to count, and single documents, which are made when they are first asked for.

    Args:
        pairs: As `annotated_pairs` returns them.

    Raises:
        ValueError: The texts of a pair differ in more than white space and case.
    """

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._blocks = [parts for parts, _ in batches(pairs)]
        self._length, self._documents = len(pairs), list[Document]()

    def gold_labels(self, documents: int) -> Iterator[str]:
        """Yield the labels of the gold spans of the first documents, in their order."""
        for parts in self._blocks:
            place = np.concatenate([part.places[part.doc[part.gold]] for part in parts])
            labels = [part.labels[label] for part in parts for label in part.label[part.gold].tolist()]
            yield from (labels[k] for k in np.argsort(place, kind="stable").tolist() if place[k] < documents)
            documents -= sum(part.documents for part in parts)

    def count_metrics(self, metrics: Iterable[Metric], *, units: bool) -> Counts:
        """Return the counts, with the signs at edges; arguments as for `counter.count`."""
        counter = Counter(metrics, units=units)
        for parts in self._blocks:
            for part in parts:
                part.signs = part.signs or part.count_edges()
            counter.add(*parts)
        return counter.counts

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: Any) -> Any:
        if len(self._documents) < self._length:
            for parts in self._blocks:
                by_place = {p: part.document(k) for part in parts for k, p in enumerate(part.places.tolist())}
                self._documents += (by_place[p] for p in sorted(by_place))
            self._blocks = []
        return self._documents[place]

    def __reduce__(self) -> tuple[type[list[Document | None]], tuple[list[Document | None]]]:
        return list, ([*self],)


GOLD_ATTRIBUTES = [ORTH, SPACY, ENT_IOB, ENT_TYPE, LENGTH]
PRED_ATTRIBUTES = [ORTH, SPACY, ENT_IOB, ENT_TYPE]
TEXT, SPACE, IOB, TYPE, SIZE = range(5)
"""The columns of arrays with these attributes."""

EDGE_SPACE, WORD_OR_NOTHING = re.compile(r"^\s|\s$|^$"), re.compile(r"^\w|^$")

INSIDE, BEGIN = 1, 3
"""Values of `ENT_IOB`; 2 is outside, and 0 is not annotated."""


def count_examples(
    examples: Iterable[Example],
    metrics: Iterable[Metric],
    key: str | None = None,
    *,
    units: bool = True,
    unit: UnitRule | None = None,
    rules: LabelRules | None = None,
) -> Counts:
    """Return the counts of examples.

    Args:
        examples, key, unit, rules: As for `batches`.
        metrics, units: As for `count`.
    """
    counter = Counter(metrics, units=units)
    with_attributes = any(metric.attributes for metric in counter.counts.metrics)
    for parts, _ in batches(examples, key, unit, rules, with_attributes=with_attributes):
        counter.add(*parts)
    counter.counts.spans_key = key
    return counter.counts


def batches(
    examples: Iterable[Pair],
    key: str | None = None,
    unit: UnitRule | None = None,
    rules: LabelRules | None = None,
    *,
    with_attributes: bool = False,
) -> Iterator[tuple[list[Batch], list[tuple[int, Any]]]]:
    """Yield the spans of examples as batches, a block of examples at a time.

    Args:
        examples: Examples, or pairs of Docs.
        key: Read `doc.spans[key]` instead of `doc.ents`.
        unit: Which of them are resampled together; by default Examples with the same id.
        rules: The rules that change the labels of both sides.
        with_attributes: Whether a metric needs the attributes of spans, which arrays do not have.

    Yields:
        The batches of a block of examples, for `Counter.add`; and (index, example) for each example
        that arrays could not store. The index is that of its document in these batches.

    Raises:
        ValueError: The two texts of an example differ in more than white space and case; the rule
            assigns an example no unit.
    """
    number = 0
    units = FileUnits(unit) if unit and unit.form != "id" else None
    for block in chunk_items(examples, lambda example: len(example.reference)):
        yield _read_block(block, number, key, units, rules, with_attributes)
        number += len(block)


def _read_block(
    examples: Sequence[Pair],
    number: int,
    key: str | None,
    units: FileUnits | None,
    rules: LabelRules | None,
    with_attributes: bool,
) -> tuple[list[Batch], list[tuple[int, Any]]]:
    """Return the batches of a block of examples, as `batches` yields them; `number` is that of the first example."""
    parts: list[Batch] = []
    keys = _unit_keys(examples, number, key, units) if units else None
    first = 0
    asked = rules.label_from if rules else ()
    for _, alike in groupby(
        [] if key or asked or with_attributes else examples, key=lambda example: example.reference.vocab
    ):
        group = [*alike]
        if batch := doc_batch([(example.reference, example.predicted) for example in group], rules):
            batch.places += first
            if units and keys:
                batch.unit_keys, batch.unit_rules = [keys[k] for k in batch.places], {units.rule.text}
            parts.append(batch)
        first += len(group)
    unread = np.ones(len(examples), dtype=bool)
    for part in parts:
        unread[part.places] = False
    indices = np.flatnonzero(unread).tolist()
    if not indices:
        return parts, []
    documents = [*relabel((read_example(examples[k], number + k, key, asked) for k in indices), rules)]
    for k, document in zip(indices, documents):
        if units and keys and document is not None:
            document.unit, document.unit_rule = keys[k], units.rule.text
    parts.append(DocumentBatch(documents))
    annotated = [k for k, document in zip(indices, documents) if document is not None]
    parts[-1].places = np.array(annotated, dtype=np.int64)
    # Documents are numbered without a gap for examples that are not annotated.
    all_places = np.sort(np.concatenate([part.places for part in parts]))
    for part in parts:
        part.places = np.searchsorted(all_places, part.places)
    return parts, [*zip(parts[-1].places.tolist(), (examples[k] for k in annotated))]


def unit_lack(examples: Sequence[Pair], key: str | None, rule: UnitRule) -> str:
    """Return why a rule assigns some example no unit; "" if every example has one."""
    try:
        _unit_keys(examples, 0, key, FileUnits(rule))
    except ValueError as error:
        return str(error)
    return ""


def _unit_keys(examples: Sequence[Pair], number: int, key: str | None, units: FileUnits) -> list[str | None]:
    """Return the key of each example's unit. An error names the number of the example, counted from `number`."""
    keys = []
    for example in examples:
        try:
            keys.append(units.key(doc_record(example.reference, key)))
        except ValueError as error:
            raise ValueError(f"example {number + len(keys)}: {error}") from None
    return keys


class DocBatch(Batch):
    """The entities of pairs of Docs with the same tokens and vocabulary, with gold Docs that are annotated throughout.

    Args:
        pairs: Reference and predicted Doc of each document.
        labels: The labels that occur, sorted.
        spans: All entities, in characters.
        tokens: uint64[tokens], the hash of each reference token in the vocabulary.
        spaces: uint64[tokens], 1 where white space follows the token.
        starts: int64[tokens], the start of each token in the concatenated texts.
        stretches: int64[2, documents], the start and the end of each text in the concatenated texts.
    """

    def __init__(
        self,
        pairs: Sequence[tuple[Doc, Doc]],
        labels: Sequence[str],
        spans: SpanColumns,
        tokens: np.ndarray,
        spaces: np.ndarray,
        starts: Numbers,
        stretches: Numbers,
    ) -> None:
        super().__init__([id_of(reference) for reference, _ in pairs], labels, spans)
        self._pairs = pairs
        self._tokens, self._spaces, self._starts = tokens, spaces, starts
        self._origin, self._stop = stretches

    def text(self, place: int) -> str:
        return self._pairs[place][0].text

    def document(self, place: int) -> Document:
        reference, _ = self._pairs[place]
        a, b = np.searchsorted(self.doc, [place, place + 1]).tolist()
        columns = (column[a:b].tolist() for column in (self.start, self.end, self.label, self.gold, self.pred))
        rows = [(start, end, self.labels[label], gold, pred) for start, end, label, gold, pred in zip(*columns)]
        gold, pred = ([row[:3] for row in rows if row[side]] for side in (3, 4))
        return Document(gold, pred, reference.text, tokens=tokens_of(reference), id=self.ids[place])

    def texts_at_edges(self) -> list[str | None]:
        """Return the texts, with dots for texts in which no span has white space at an edge or ends within a word.

        Making a text takes longer than all else that is done with it.
        """
        first, after = self._tokens_of_spans()
        odd = self._match_tokens(first, EDGE_SPACE) | self._match_tokens(after - 1, EDGE_SPACE)
        continues = (self._spaces[after - 1] == 0) & (self.end < (self._stop - self._origin)[self.doc])
        odd[continues] |= self._match_tokens(after[continues], WORD_OR_NOTHING)
        is_odd = np.bincount(self.doc, odd, self.documents) > 0
        sizes = (self._stop - self._origin).tolist()
        return [self.text(place) if is_odd[place] else "." * size for place, size in enumerate(sizes)]

    def _tokens_of_spans(self) -> tuple[Numbers, Numbers]:
        """Return the first token of each span, and the one after its last."""
        origin = self._origin[self.doc]
        return np.searchsorted(self._starts, self.start + origin), np.searchsorted(self._starts, self.end + origin)

    def _match_tokens(self, places: Numbers, pattern: re.Pattern[str]) -> np.ndarray:
        """Return where a pattern matches the text of a token, bool[places]."""
        strings = self._pairs[0][0].vocab.strings
        kinds, kind = np.unique(self._tokens[places], return_inverse=True)
        return np.array([bool(pattern.search(strings[number])) for number in kinds.tolist()], dtype=bool)[kind]

    def words(self, *, case: str, by: str) -> tuple[Numbers, Numbers]:
        vocabulary = self._pairs[0][0].vocab
        if by != "token" or LOWER not in getattr(vocabulary, "lex_attr_getters", ()):
            # Characters need the texts, and a Vocab() without a language has no lower case.
            return DocumentBatch([self.document(place) for place in range(self.documents)]).words(case=case, by=by)
        first, after = self._tokens_of_spans()
        sizes = after - first
        span = np.repeat(np.arange(len(first)), sizes)
        token = np.arange(len(span)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(first, sizes)
        kinds, kind = np.unique(self._tokens[token], return_inverse=True)
        lexemes = [vocabulary[number] for number in kinds.tolist()]
        texts = [0 if lexeme.is_space else lexeme.lower if case == "lower" else lexeme.orth for lexeme in lexemes]
        _, number = np.unique(np.array([0, *texts], dtype=np.uint64), return_inverse=True)
        word = number[1:][kind]
        return span[word > 0], word[word > 0]


def doc_batch(pairs: Sequence[tuple[Doc, Doc]], rules: LabelRules | None = None) -> DocBatch | None:
    """Return a batch of the pairs that can be read as arrays. Its `places` are their indices.

    Args:
        pairs: Reference and predicted Docs with the same vocabulary.
        rules: The rules that change the labels of both sides. Entities do not overlap, so none become equal.

    Returns:
        The batch; None if no pair can be read as arrays. It skips pairs with different tokens or a
        reference that is not annotated throughout, and pairs in which an entity continues that never began, which
        spaCy rejects.
    """
    sizes = np.array([len(reference) for reference, _ in pairs], dtype=np.int64)
    fit = sizes == [len(predicted) for _, predicted in pairs]
    blocks = BytesIO(), BytesIO()  # faster than collecting thousands of small arrays
    for (reference, predicted), size, same in zip(pairs, sizes.tolist(), fit.tolist()):
        if size and same:
            blocks[0].write(reference.to_array(GOLD_ATTRIBUTES).data)
            blocks[1].write(predicted.to_array(PRED_ATTRIBUTES).data)
    sizes[~fit] = 0
    gold, pred = (
        np.frombuffer(block.getbuffer(), dtype=np.uint64).reshape(-1, len(attributes))
        for block, attributes in zip(blocks, (GOLD_ATTRIBUTES, PRED_ATTRIBUTES))
    )
    first = np.cumsum([0, *sizes])  # token of each Doc

    def doc_of(tokens: Numbers) -> Numbers:
        return np.searchsorted(first, tokens, side="right") - 1

    unusable = (gold[:, TEXT] != pred[:, TEXT]) | (gold[:, SPACE] != pred[:, SPACE]) | (gold[:, IOB] == 0)
    entities = [_entities(side[:, IOB].astype(np.uint8), first) for side in (gold, pred)]
    fit[doc_of(np.flatnonzero(unusable))] = False
    for tokens, (begin, last, unbegun) in zip((gold, pred), entities):
        # A single token without a label is a blocked token, which spaCy keeps out of entities.
        unlabelled = (tokens[begin, TYPE] == 0) & (last > begin)
        fit[doc_of(np.concatenate([unbegun, begin[unlabelled]]))] = False
    places = np.flatnonzero(fit)
    if not len(places):
        return None
    begin, last = (np.concatenate([entities[0][k], entities[1][k]]) for k in (0, 1))
    side = np.repeat((0, 1), [len(entities[0][0]), len(entities[1][0])])
    type_ = np.concatenate([tokens[begun, TYPE] for tokens, (begun, _, _) in zip((gold, pred), entities)])
    doc = doc_of(begin)
    has_label = fit[doc] & (type_ != 0)
    begin, last, side, type_, doc = (column[has_label] for column in (begin, last, side, type_, doc))
    hashes, example, label = np.unique(type_, return_index=True, return_inverse=True)
    names = [pairs[doc[k]][side[k]].vocab.strings[int(kind)] for kind, k in zip(hashes, example)]
    renamed = [rules.new_name(name) if rules else name for name in names]
    names_by_side = [[names[k] for k in label[side == number].tolist()] for number in (0, 1)] if rules else []
    labels = sorted({name for name in renamed if name is not None})
    label = np.array([-1 if name is None else labels.index(name) for name in renamed], dtype=np.int64)[label]
    begin, last, side, label, doc = (column[label >= 0] for column in (begin, last, side, label, doc))
    length, after = gold[:, SIZE].astype(np.int64), np.cumsum(gold[:, SIZE] + gold[:, SPACE]).astype(np.int64)
    start = after - length - gold[:, SPACE].astype(np.int64)
    edges = np.append(start, after[-1:] if len(after) else 0)[first]
    origin = edges[:-1]
    rank = np.cumsum(fit) - 1
    spans = build_columns(rank[doc], side, start[begin] - origin[doc], start[last] + length[last] - origin[doc], label)
    stretches = np.stack([origin, edges[1:]])[:, places]
    chosen = [pairs[k] for k in places.tolist()]
    batch = DocBatch(chosen, labels, spans, gold[:, TEXT], gold[:, SPACE], start, stretches)
    batch.places = places
    if rules:
        batch.label_rules, batch.mapped = rules, {*names} & rules.mapping.keys()
        batch.unkept = rules.count_unkept(*names_by_side)
    return batch


def _entities(iob: np.ndarray, first: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the first and the last token of each entity, and the tokens that continue an entity that never began.

    Args:
        iob: uint8[tokens], values of `ENT_IOB`.
        first: The first token of each Doc, and the number of tokens.

    >>> [tokens.tolist() for tokens in _entities(np.array([2, 3, 1, 3, 2]), np.array([0, 5]))]
    [[1, 3], [2, 3], []]
    >>> _entities(np.array([2, 1, 2, 3, 1]), np.array([0, 4, 5]))[2].tolist()
    [1, 4]
    """
    opening = np.zeros(len(iob) + 1, dtype=bool)
    opening[first] = True
    inside = np.flatnonzero((iob == BEGIN) | (iob == INSIDE))
    begun = iob[inside] == BEGIN
    unbegun = ~begun & ((np.diff(inside, prepend=-2) > 1) | opening[inside])
    places = np.append(np.flatnonzero(begun), len(inside))
    return inside[places[:-1]], inside[places[1:] - 1], inside[unbegun]
