"""The one shape that everything prints, as a whole and key by key, and the signature that names its settings.

After a change that is meant to move a number or a key, write the golden file
anew with SPACY_NEREVAL_REGENERATE=1 and read the difference.
"""

import json
import os
import re
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import pytest
from asking import NEEDED
from made_up import corpus
from places import TESTS
from processes import python

from spacy_nereval import Confidence, Document, __version__, count, create, create_all, evaluate, names, score

GOLDEN = TESTS / "evaluation" / "golden" / "result.json"

TEXT = "Oil leak at the left pump, pump seal worn; replaced seal and pump."
TOKENS = [match.span() for match in re.finditer(r"\w+|[^\w\s]", TEXT)]


def place(words: str, label: str, nth: int = 0) -> tuple[int, int, str]:
    start = [match.start() for match in re.finditer(re.escape(words), TEXT)][nth]
    return start, start + len(words), label


def every_kind() -> list[Document | None]:
    """Every kind of agreement and error, a document without spans, and one without annotation."""
    leak = place("Oil leak", "TYPE")
    nested = Document(
        gold=[place("left pump", "LOC"), place("pump", "LOC", 1), place("seal", "PART"), leak],
        pred=[place("the left pump", "LOC"), place("pump seal", "LOC"), place("seal", "TYPE"), leak],
        text=TEXT,
        tokens=TOKENS,
        id="nested",
    )
    nested.ignored = 2
    crossed = Document(
        gold=[place("pump seal", "LOC"), place("worn; replaced", "TYPE"), place("pump", "LOC", 2), (0, 0, "GAP")],
        pred=[place("seal worn", "LOC"), place("replaced seal", "LOC"), place("left", "PART"), (0, 0, "GAP")],
        text=TEXT,
        tokens=TOKENS,
        id="crossed",
    )
    lone = Document([place("leak", "TYPE")], [], TEXT)
    return [nested, crossed, None, Document([], [], TEXT, tokens=TOKENS, id="empty"), lone]


def masked(result: dict[str, Any]) -> dict[str, Any]:
    """The result without the versions of this package and of spaCy."""
    signature = re.sub(r"\|v[^|]+\|spacy:[^|]+$", "|v*|spacy:*", result["signature"])
    return result | {"signature": signature, "version": "*"}


def written(result: dict[str, Any]) -> str:
    return json.dumps(masked(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def test_the_result_of_a_small_corpus_is_the_golden_file():
    """To the last digit and in the order of its keys."""
    result = written(score(every_kind()))
    if os.environ.get("SPACY_NEREVAL_REGENERATE"):
        GOLDEN.write_text(result, encoding="utf-8")
    assert result == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_result_does_not_depend_on_the_order_in_which_python_keeps_sets():
    """Nor do intervals."""
    scored = "test_results.score(test_results.every_kind(), confidence=test_results.Confidence())"
    program = f"import test_results; print(test_results.written({scored}), end='')"
    folders = [TESTS / "evaluation", TESTS / "support"]
    done = python("-c", program, path=folders, env={"PYTHONHASHSEED": "1"}, cwd=TESTS.parent)
    assert done.stdout == written(score(every_kind(), confidence=Confidence())), done.stderr


def test_the_signature_names_every_setting_that_could_change_a_number():
    result = score([], {"loio": {"s": 0.5}, "wrf": {"weights": {"B": 0.25, "A": 0.75}, "unique": False}})
    assert result["signature"] == (
        "spacy-nereval|loio:s=0.5,match=walk,beta=1.0"
        "|wrf:weights={A:0.75,B:0.25},average=docs,unique=false,case=lower,unigrams=token"
        f"|avg:micro|docs:0|v{__version__}|spacy:{version('spacy')}"
    )


def test_the_signature_names_the_intervals_and_all_that_changes_them():
    documents = corpus(6)
    counts = count(documents, create_all())

    def signed(**confidence):
        return evaluate(counts, Confidence(**confidence))["signature"]

    signatures = [evaluate(counts)["signature"], signed(), signed(level=0.9)]
    assert "|infl,level:0.95,unit:id,units:6|" in signatures[1]
    assert signed(samples=11, seed=1) == signatures[1], "no half-samples, no seed"
    counts = count(documents, create_all({"mentions": {"scope": "hits"}}))
    signatures += [signed(), signed(samples=11), signed(seed=1), signed(samples=64)]
    assert "|half:1000,seed:0,level:0.95,unit:id,units:6|" in signatures[3].replace("all 64", "1000")
    assert "|half:all 64,seed:0,level:0.95,unit:id,units:6|" in signatures[-1]
    assert len({*signatures}) == len(signatures) - 1  # 1000 and 64 half-samples are all there are


@pytest.mark.parametrize("name", names())
def test_every_option_of_every_metric_changes_the_signature(name):
    """Short or not."""
    counts = count([], [create(name)])
    for short in (False, True):
        signatures = {evaluate(counts, short=short)["signature"]}
        options = [dict([pair]) for pair in OTHER_OPTIONS[name].items()]
        for option in options:
            signatures.add(evaluate(count([], [create(name, **option)]), short=short)["signature"])
        assert len(signatures) == len(options) + 1
    assert OTHER_OPTIONS[name].keys() == create(name).settings.keys()


OTHER_OPTIONS: dict[str, dict[str, Any]] = {
    "attributes": {"pairs": "overlap", "names": "negated", "beta": 2},
    "strict": {"beta": 2},
    "semeval": {"beta": 2, "focus": "system"},
    "slot_error": {"slots": "muc", "weights": {"d": 2}, "beta": 2, "focus": "system"},
    "loio": {"s": 0.5, "match": "optimal", "beta": 2},
    "fair": {"unit": "token", "weights": {"le": {"tp": 1}}, "beta": 2, "focus": "system"},
    "wrf": {
        "weights": {"A": 0.5, "combined": 0.5}, "average": "micro", "unique": False, "case": "keep",
        "unigrams": "whitespace",
    },
    "token": {"scheme": "bio", "beta": 2},
    "char": {"typed": False, "beta": 2},
    "relaxed": {"typed": True, "strong": True, "beta": 2},
    "overlap": {"recall": "sum", "precision": "sum", "typed": True, "beta": 2},
    "plagdet": {"average": "micro", "typed": True},
    "ace": {"min_overlap": 0, "type_error": 0, "false_alarm": 0, "weights": {"A": 2}},
    "tmr": NEEDED["tmr"],
    "hierarchical": {"sep": ":", "depths": 2, "beta": 2},
    "mentions": {"normalise": "exact", "scope": "hits", "multiset": True, "beta": 2},
}  # fmt: skip


def test_the_number_of_documents_and_the_version_of_a_metric_are_in_the_signature():
    strict = create("strict")
    given = [(2, strict), (3, strict), (2, replace(strict, version=2))]
    assert len({evaluate(count(corpus(number), [metric]))["signature"] for number, metric in given}) == 3


def test_the_short_signature_leaves_out_what_is_default_and_nothing_else():
    for options, shown in (
        ({"strict": {}}, "strict"),
        ({"loio": {"s": 0.75, "beta": 1}}, "loio"),
        ({"loio": {"s": 0.5}, "fair": {"unit": "token"}}, "loio:s=0.5|fair:unit=token"),
        ({"wrf": {"weights": {"B": 0.5, "A": 0.5}}}, "wrf:weights={A:0.5,B:0.5}"),
    ):
        counts = count(corpus(0), create_all(options))
        start = f"spacy-nereval|{shown}|avg:micro|docs:0|v"
        assert evaluate(counts, short=True)["signature"].startswith(start)
        whole, short = evaluate(counts), evaluate(counts, short=True)
        assert whole["metrics"] == short["metrics"]


def test_the_same_settings_and_data_have_the_same_signature():
    one, other = (score(corpus(5), {"fair": {"weights": {"le": {"tp": 1.0}}}}, Confidence(samples=9)) for _ in range(2))
    assert one["signature"] == other["signature"]
    assert one == other
    tables = ({"A": 0.25, "B": 0.75}, {"B": 0.75, "A": 0.25})
    signatures = {evaluate(count([], create_all({"wrf": {"weights": t}})))["signature"] for t in tables}
    assert len(signatures) == 1
