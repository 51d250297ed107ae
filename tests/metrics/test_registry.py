"""A third party adds a metric with one function, and all metrics document themselves."""

from __future__ import annotations

from functools import partial
from importlib.metadata import distribution
from pathlib import Path
from typing import Annotated, Any

import pytest
from numpy import minimum
from pydantic import Field

import spacy_nereval.metrics
import spacy_nereval.metrics.registry as registry_module
from spacy_nereval import Document, Metric, Score, create, names, prf, score
from spacy_nereval.metrics.registry import DEFAULT, documentation, options_of, registry

Worth = Annotated[float, Field(ge=0, le=1, description="what a span is worth that has a counterpart")]


def headcount(*, worth: Worth = 1.0) -> Metric:
    """As many predictions as gold spans are enough.

    Where they are is all the same to this metric.

    Source: nobody (2000), Counting heads.
    """
    return Metric(
        scores=(Score("p"), Score("r"), Score("f", headline=True, key="headcount_f")),
        columns={"gold": ("hit", "lost"), "pred": ("hit", "extra")},
        formula=partial(formula, worth=worth),
        hit="hit",
        miss="lost",
        spurious="extra",
    )


def formula(columns, worth):
    tp = worth * minimum(columns["gold"], columns["pred"])
    return prf(tp, columns["pred"] - tp, columns["gold"] - tp)


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    """What a user sees of the new metric, once it is registered."""
    before = names()
    registry.register("headcount", func=headcount)
    assert names() == [*before[:6], *sorted([*before[6:], "headcount"])]
    docs = [Document([(0, 1, "A"), (2, 3, "A")], [(0, 1, "A")], "a b c"), Document([], [(4, 5, "B")], "a b c")]
    assert "headcount" not in score(docs)["metrics"], "it is not run unless it is asked for"
    return score(docs, {"strict": {}, "headcount": {"worth": 0.5}})


def test_a_new_metric_is_scored_in_all_ways(result):
    metric = result["metrics"]["headcount"]
    assert metric["counts"] == {"gold": 2, "pred": 2}
    assert metric["scores"] == {"p": 0.5, "r": 0.5, "f": 0.5}
    assert metric["per_type"]["A"] == {"counts": {"gold": 2, "pred": 1}, "scores": {"p": 0.5, "r": 0.25, "f": 1 / 3}}
    assert metric["averages"]["macro"] == {"p": 0.25, "r": 0.25, "f": 1 / 6, "undefined": {"p": 0, "r": 1, "f": 0}}
    assert "confusion" not in metric


def test_the_options_of_a_new_metric_are_checked_signed_and_documented(result):
    assert result["metrics"]["headcount"]["settings"] == {"worth": 0.5}
    assert "|headcount:worth=0.5|" in result["signature"]
    with pytest.raises(ValueError, match="^headcount.worth = 2: input should be less than or equal to 1"):
        create("headcount", worth=2)
    with pytest.raises(ValueError, match="^headcount has no option 'patience'; its options are worth"):
        create("headcount", patience=1)
    about, (option,) = documentation("headcount"), options_of("headcount")
    assert about.summary == "As many predictions as gold spans are enough."
    assert about.details == "Where they are is all the same to this metric."
    assert about.source == "nobody (2000), Counting heads."
    assert (option.name, option.default, option.values) == ("worth", 1.0, "number >= 0, <= 1")
    assert option.help == "what a span is worth that has a counterpart"


# Every metric there is


@pytest.mark.parametrize("name", names())
def test_every_metric_says_what_is_true_of_it_and_where_it_comes_from(name):
    assert documentation(name).summary.endswith(".") and documentation(name).source


@pytest.mark.parametrize(
    ("name", "option"),
    [(name, option) for name in names() for option in options_of(name)],
    ids=lambda part: getattr(part, "name", part),
)
def test_every_option_has_help_a_range_and_a_default_that_it_accepts(name, option):
    assert option.help
    assert option.values != "any"
    assert create(name, **{option.name: option.default}).settings == create(name).settings


@pytest.mark.parametrize("none", [lambda kind: kind | None, lambda kind: kind])
def test_a_validator_is_seen_in_a_union_with_none(monkeypatch, none):
    """Python 3.10 makes such a union of every type whose default is None."""

    def make(*, limit=None): ...

    make.__annotations__ = {"limit": none(Annotated[int, Field(gt=3, description="a limit")])}
    monkeypatch.setattr(registry_module, "_registered", lambda name: make)
    (option,) = options_of.__wrapped__("made up")
    assert (option.help, option.values) == ("a limit", "whole number > 3")
    assert (option.check("made up", None), option.check("made up", "4")) == (None, 4)
    with pytest.raises(ValueError, match="limit = 3: input should be greater than 3"):
        option.check("made up", 3)


def test_the_package_registers_a_file_for_each_metric_and_the_default_among_them():
    own = [e for e in distribution("spacy-nereval").entry_points if e.group == "spacy_nereval_metrics"]
    assert {e.name: e.value for e in own} == {e.name: f"spacy_nereval.metrics.{e.name}:{e.name}" for e in own}
    files = {path.stem for path in Path(spacy_nereval.metrics.__file__).parent.glob("[!_]*.py")}
    assert {e.name for e in own} == files - {"registry", "choosing"} >= set(DEFAULT)
