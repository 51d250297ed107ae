"""A third party adds a metric with one file and one line, and all metrics document themselves."""

from __future__ import annotations

import json
import re
from importlib.metadata import distribution
from pathlib import Path
from subprocess import CompletedProcess
from typing import Annotated

import pytest
from places import TESTS
from processes import python
from pydantic import Field

import spacy_nereval.metrics
import spacy_nereval.metrics.registry as registry_module
from spacy_nereval import create, names
from spacy_nereval.metrics.registry import DEFAULT, documentation, options_of

# The file: all that there is to a metric.
FILE = """
from functools import partial
from typing import Annotated

from numpy import minimum
from pydantic import Field

from spacy_nereval import Metric, prf
from spacy_nereval.core.declaration import Score


def headcount(
    *, worth: Annotated[float, Field(ge=0, le=1, description="what a span is worth that has a counterpart")] = 1.0
) -> Metric:
    '''As many predictions as gold spans are enough.

    Where they are is all the same to this metric.

    Source: nobody (2000), Counting heads.
    '''
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
"""

# The line, in a setup.cfg that is otherwise what every package has.
SETUP = """
[metadata]
name = headcount
version = 1.0

[options]
py_modules = headcount

[options.entry_points]
spacy_nereval_metrics =
    headcount = headcount:headcount
"""
BUILD = """
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the other party's package."""
    source, site = tmp_path_factory.mktemp("headcount"), tmp_path_factory.mktemp("site")
    for name, text in (("headcount.py", FILE), ("setup.cfg", SETUP), ("pyproject.toml", BUILD)):
        (source / name).write_text(text, encoding="utf-8")
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = python(*pip, "--no-index", "--no-deps", "--no-build-isolation", "--target", site, source)
    assert done.returncode == 0, done.stderr
    return site


def run(site: Path, *arguments: str) -> CompletedProcess[str]:
    """A Python that has the folder on its path."""
    return python(*arguments, path=[site], cwd=TESTS.parent)


SESSION = """
import json
from spacy_nereval import Document, create, names, score
from spacy_nereval.metrics.registry import documentation, options_of

def message(**options):
    try:
        create("headcount", **options)
    except ValueError as error:
        return str(error)

docs = [Document([(0, 1, "A"), (2, 3, "A")], [(0, 1, "A")], "a b c"), Document([], [(4, 5, "B")], "a b c")]
result = score(docs, {"strict": {}, "headcount": {"worth": 0.5}})
option, = options_of("headcount")
print(json.dumps({
    "names": names(),
    "default": list(score(docs)["metrics"]),
    "signature": result["signature"],
    "metric": result["metrics"]["headcount"],
    "summary": documentation("headcount").summary,
    "details": documentation("headcount").details,
    "source": documentation("headcount").source,
    "option": [option.name, option.default, option.help, option.values],
    "too_much": message(worth=2),
    "unknown": message(patience=1),
}))
"""


@pytest.fixture(scope="module")
def seen(site: Path) -> dict:
    """What a user sees of the new metric."""
    process = run(site, "-c", SESSION)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


@pytest.mark.costly
@pytest.mark.slow
def test_a_new_metric_is_listed_behind_the_six_of_the_papers(seen):
    assert "headcount" not in names()
    assert seen["names"] == [*names()[:6], *sorted([*names()[6:], "headcount"])]


@pytest.mark.costly
def test_a_new_metric_is_not_run_unless_it_is_asked_for(seen):
    assert "headcount" not in seen["default"]


@pytest.mark.costly
def test_a_new_metric_is_scored_in_all_ways(seen):
    metric = seen["metric"]
    assert metric["counts"] == {"gold": 2, "pred": 2}
    assert metric["scores"] == {"p": 0.5, "r": 0.5, "f": 0.5}
    assert metric["per_type"] == {
        "A": {"counts": {"gold": 2, "pred": 1}, "scores": {"p": 0.5, "r": 0.25, "f": 1 / 3}},
        "B": {"counts": {"gold": 0, "pred": 1}, "scores": {"p": 0, "r": None, "f": 0}},
    }
    assert metric["averages"]["macro"] == {"p": 0.25, "r": 0.25, "f": 1 / 6, "undefined": {"p": 0, "r": 1, "f": 0}}
    assert metric["averages"]["weighted"] == {"p": 0.5, "r": 0.25, "f": 1 / 3, "undefined": {"p": 0, "r": 1, "f": 0}}
    assert metric["averages"]["docs"] == metric["averages"]["macro"]
    assert "confusion" not in metric


@pytest.mark.costly
def test_the_options_of_a_new_metric_are_checked_and_signed(seen):
    assert seen["metric"]["settings"] == {"worth": 0.5}
    assert "|headcount:worth=0.5|" in seen["signature"]
    assert seen["too_much"] == "headcount.worth = 2: input should be less than or equal to 1"
    assert seen["unknown"] == "headcount has no option 'patience'; its options are worth"


@pytest.mark.costly
def test_a_new_metric_is_documented_by_its_function_alone(seen):
    assert seen["summary"] == "As many predictions as gold spans are enough."
    assert seen["details"] == "Where they are is all the same to this metric."
    assert seen["source"] == "nobody (2000), Counting heads."
    assert seen["option"] == ["worth", 1.0, "what a span is worth that has a counterpart", "number >= 0, <= 1"]


@pytest.mark.costly
@pytest.mark.slow
def test_the_laws_find_a_new_metric_by_themselves(site):
    laws = str(TESTS / "core" / "test_laws.py")
    of_results = "headcount and (either_side or undefined or score_dict or survives_json)"
    process = run(site, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", laws, "-k", of_results)
    passed = re.findall(r"^PASSED \S+::(\w+)\[headcount\]", process.stdout, re.MULTILINE)
    assert sorted(passed) == [
        "test_every_label_of_either_side_has_a_row",
        "test_nothing_to_score_is_undefined_and_not_zero",
        "test_the_declared_keys_are_those_of_spacy_s_score_dict",
        "test_the_result_is_plain_and_survives_json",
    ], process.stdout
    assert "failed" not in process.stdout.splitlines()[-1], process.stdout


# Every metric there is


@pytest.mark.parametrize("name", names())
def test_every_metric_says_what_is_true_of_it_and_where_it_comes_from(name):
    about = documentation(name)
    assert about.summary.endswith(".")
    assert about.source


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
