"""What tests of the scorers, the component and their warnings share: config blocks, Examples, small pipelines."""

import warnings
from typing import Any

import spacy
from docs import doc, example
from spacy.language import Language
from spacy.training import Example

from spacy_nereval import Document, score

NER: dict[str, Any] = {"@scorers": "spacy-nereval.ner_scorer.v1"}
SPANS: dict[str, Any] = {"@scorers": "spacy-nereval.spans_scorer.v1"}
SPACY_KEYS = {"ents_p", "ents_r", "ents_f", "ents_per_type"}


def three() -> list[Example]:
    """A hit, half a hit, a mix-up."""
    gold = doc("Ada Lovelace met Bob in Rome", (0, 2, "PER"), (3, 4, "PER"), (5, 6, "LOC"))
    pred = doc("Ada Lovelace met Bob in Rome", (0, 1, "PER"), (3, 4, "PER"), (5, 6, "PER"))
    return [example(gold, pred)]


def counts(document: Document, metric: str = "strict", **options: Any) -> dict[str, int]:
    """The counts that are not 0."""
    result = score([document], {metric: options})["metrics"][metric]
    return {name: n for name, n in result["counts"].items() if n}


def with_ner(scorer: dict[str, Any]) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("ner", config={"scorer": scorer}).add_label("PER")
    return nlp


def alone(**config: Any) -> Language:
    """A pipeline of the component only."""
    nlp = spacy.blank("en")
    nlp.add_pipe("nereval", config=config)
    return nlp


def with_ruler(scorer: dict[str, Any] | None = None, label: str = "PER", **weights: float) -> Language:
    """A pipeline that finds Ada, with weights for its scores."""
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler", config={"scorer": scorer} if scorer else {})
    ruler.add_patterns([{"label": label, "pattern": "Ada"}])
    nlp.config["training"]["score_weights"] = weights
    return nlp


def evaluated(nlp: Language, *ents: Any, text: str = "Ada met Bob", spans: Any = None) -> dict[str, Any]:
    """What `nlp.evaluate` says of one text; by default its first token is a person."""
    gold = doc(text, *(ents or [(0, 1, "PER")]), spans=spans, vocab=nlp.vocab)
    return nlp.evaluate([Example(nlp.make_doc(gold.text), gold)])


def warned(function: Any, *arguments: Any) -> list[str]:
    """What a function warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*arguments)
    lines = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    return [line for line in lines if "[W036]" not in line]  # of a ruler without patterns


def warned_at_evaluation(nlp: Language) -> list[str]:
    return warned(lambda: evaluated(nlp, spans={"mine": [(0, 1, "PER")]}))
