"""Each argument that says how labels are read, through every door that takes Docs: one result, and another than without
it."""

import json

import pytest
import spacy
from commands import run
from products import NIGHT
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example

from spacy_nereval import score
from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer

NLP = spacy.blank("en")

GOLD = [
    [(0, 2, "PER.name", "Q1", "a", "yes"), (3, 4, "LOC.city", "Q2", "b", "no")],
    [(0, 1, "PER.title", "Q3", "a", "no"), (2, 4, "ORG", "", "c", "")],
]
PRED = [
    [(0, 2, "PER.title", "Q1", "b", "yes"), (3, 4, "LOC.town", "Q9", "b", "yes")],
    [(0, 1, "PER.title", "Q3", "c", "no"), (2, 4, "LOC.city", "", "c", "no")],
]
TEXTS = ["Ada Lovelace met Bob", "Eve of New York"]

OPTIONS = [
    {"label_from": "kb_id"},
    {"label_from": "id"},
    {"label_from": "label+id"},
    {"label_from": ["kb_id", "id"]},
    {"label_from": "_.sure"},
    {"label_from": "_.long"},
    {"label_from": "_.long+_.sure"},
    {"labels": {"PER.name": "PER.title", "LOC.town": None}},
    {"only": ["PER.title", "LOC.city"]},
    {"depth": 1, "sep": "."},
    {"label_from": "id", "labels": {"c": "b"}, "only": ["b"]},
]


@pytest.fixture(autouse=True)
def extensions():
    """An attribute that is set, and one that is computed, which other tests do not have."""
    Span.set_extension("sure", default="")
    Span.set_extension("long", getter=lambda span: str(len(span) > 1))
    yield
    for name in ("sure", "long"):
        Span.remove_extension(name)


def docs(rows: list[list[tuple[int, int, str, str, str, str]]]) -> list[Doc]:
    """Docs with entities, and with the same spans in a group, and in another one without the last of them."""
    made = []
    for number, (text, listed) in enumerate(zip(TEXTS, rows)):
        doc = NLP.make_doc(text)
        spans = [Span(doc, start, end, label, kb_id=link, span_id=id) for start, end, label, link, id, _ in listed]
        for span, (*_, sure) in zip(spans, listed):
            span._.sure = sure
        doc.set_ents(spans)
        doc.spans["all"], doc.spans["some"] = spans, spans[:-1]
        doc.user_data["id"] = f"d{number}"
        made.append(doc)
    return made


@Language.component("as_listed")
def as_listed(doc: Doc) -> Doc:
    """Set the entities and groups of the predictions on a text."""
    made = docs(PRED)[TEXTS.index(doc.text)]
    spans = [Span(doc, s.start, s.end, s.label_, kb_id=s.kb_id_, span_id=s.id_) for s in made.ents]
    for span, other in zip(spans, made.ents):
        span._.sure = other._.sure
    doc.set_ents(spans)
    doc.spans["all"], doc.spans["some"] = spans, spans[:-1]
    return doc


def arguments_of(options, key):
    """The options of a command for these, and an output in the folder of the gold annotation."""
    words = ["-m", "strict", "-o", "out.json", *(("--spans-key", key) if key else ())]
    for name, value in options.items():
        if isinstance(value, dict):
            value = ",".join(f"{label}={new or ''}" for label, new in value.items())
        joined = ("+" if name == "label_from" else ",").join(value) if isinstance(value, list) else value
        words += [f"--{name.replace('_', '-')}", joined]
    return words


def results(folder, options, key):
    """The verdicts of each door."""
    gold, pred = docs(GOLD), docs(PRED)
    examples = [Example(*pair) for pair in zip(pred, gold)]
    nlp = spacy.blank("en")
    nlp.add_pipe("as_listed")
    for name, made in (("gold", gold), ("pred", pred)):
        DocBin(docs=made, store_user_data=True).to_disk(folder / f"{name}.spacy")
    group, beside = {"spans_key": key} if key else {}, {"metrics": "strict", **options}
    sides = {
        "Docs": (gold, pred),
        "Examples": (examples,),
        "a pipeline on Docs": (gold, nlp),
        "a pipeline on a file": (str(folder / "gold.spacy"), nlp),
        "files": (str(folder / "gold.spacy"), str(folder / "pred.spacy")),
        "a file and Docs": (str(folder / "gold.spacy"), pred),
    }
    found = {name: score(*given, **beside, **group) for name, given in sides.items()}
    nlp.to_disk(folder / "model")
    assert run("evaluate", folder / "model", folder / "gold.spacy", *arguments_of(options, key)).exit_code == 0
    found["a command"] = json.loads((folder / "out.json").read_text(encoding="utf8"))
    scorer = make_spans_scorer({"strict": {}}, key, **options) if key else make_ner_scorer({"strict": {}}, **options)
    found["a scorer"] = scorer(examples)[f"spans_{key}_nereval" if key else "ents_nereval"]
    return {name: result["metrics"]["strict"] for name, result in found.items()}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("options", "key"),
    [
        pytest.param(options, key, marks=NIGHT if (j + k) % 3 else ())
        for k, options in enumerate(OPTIONS)
        for j, key in enumerate([None, "all", "some"])
    ],
    ids=str,
)
def test_every_door_reads_labels_alike(options, key, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, *others = results(tmp_path, options, key).items()
    assert {name: result for name, result in others if result != first[1]} == {}, first
    assert first[1] != results(tmp_path, {}, key)["Docs"], "it has an effect"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_texts_beside_gold_spans_change_nothing_about_the_labels_of_a_pipeline(options):
    nlp = spacy.blank("en")
    nlp.add_pipe("as_listed")
    spans = [
        [
            {"start": span.start_char, "end": span.end_char, "label": label, "attributes": attributes}
            for span, (_, _, label, link, id, sure) in zip(doc.ents, row)
            for attributes in [{"kb_id": link, "id": id, "_.sure": sure, "_.long": str(len(span) > 1)}]
        ]
        for doc, row in zip(docs(GOLD), GOLD)
    ]
    records = [{"text": text, "spans": listed} for text, listed in zip(TEXTS, spans)]
    beside, inside = (
        score(gold, nlp, "strict", **options, **more)["metrics"]
        for gold, more in ((spans, {"text": TEXTS}), (records, {}))
    )
    assert beside == inside == score(docs(GOLD), nlp, "strict", **options)["metrics"]
