"""A metric of one's own: what its author imports, `--code`, the example package with its feature, and the laws to test
it with."""

import ast
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import catalogue
import pytest
import typer
from asking import NEEDED
from commands import GOLD, PRED, accepted, refused, run, write
from processes import python
from refusals import refused_with

from spacy_nereval import Document, Verdict, authoring, create, names, prf
from spacy_nereval.cli import nereval
from spacy_nereval.io.count_files import load
from spacy_nereval.testing import LAWS, check_laws, random_documents

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples" / "plugin"


@pytest.fixture
def code(tmp_path) -> Iterator[Path]:
    """The module of the example, under a name of its own so that it is run anew; its metric is forgotten afterwards."""
    yield Path(shutil.copy(PLUGIN / "nereval_ends.py", tmp_path / "code.py"))
    catalogue.REGISTRY.pop(("spacy_nereval", "metrics", "ends"), None)
    sys.modules.pop("python_code", None)


@pytest.fixture
def files(tmp_path) -> tuple[Path, Path]:
    return write(tmp_path / "gold.jsonl", *GOLD), write(tmp_path / "pred.jsonl", *PRED)


def test_everything_that_our_metrics_import_is_exported_to_authors():
    private = {"check_together", "describe_needed_file", "describe_unknown", "did_you_mean", "list_names"}
    private |= {"line_here", "load_function", "shorten", "spell_argument", "NONE", "METRIC_NAMES", "names_of_top"}
    private |= {"METRICS_OF_SCORES"}
    imported = {
        alias.name
        for path in (ROOT / "spacy_nereval" / "metrics").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8")))
        if isinstance(node, ast.ImportFrom) and node.level == 2
        for alias in node.names
    }
    assert imported - private <= {*authoring.__all__}
    assert all(hasattr(authoring, name) for name in authoring.__all__)


def test_code_brings_a_metric_to_every_command(code, files, tmp_path):
    gold, pred = files
    more = ("-m", "ends", "--code", code)
    assert "ends" in accepted("score", gold, pred, "--ends.typed", "false", *more)
    assert refused("score", *files, "-m", "starts", "-c", code).startswith("✘ there is no metric 'starts'")
    accepted("compare", gold, pred, gold, *more)
    accepted("errors", gold, pred, *more)
    accepted("count", gold, pred, "-o", tmp_path / "a.npz", *more)
    accepted("merge", tmp_path / "a.npz", "-o", tmp_path / "b.npz", "-c", code)
    assert [metric.name for metric in load(tmp_path / "b.npz").metrics] == ["ends"]
    assert "Count a span as found if a predicted span ends" in accepted("metrics", "ends", "--code", code)
    for name, command in typer.main.get_command(nereval).commands.items():
        assert "--code" in {option for parameter in command.params for option in parameter.opts}, name


def test_code_is_run_by_the_workers_of_count_and_is_part_of_what_they_count(code, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gold, pred = files
    command = ("count", gold, pred, "--workers", 1, "-m", "ends", "-o", "a.npz", "--code", code)
    assert "by an earlier run" not in run(*command).stderr
    assert "1 by an earlier run" in run(*command).stderr
    code.write_text(code.read_text(encoding="utf8") + "\n", encoding="utf8")
    assert "1 replacing other counts" in run(*command).stderr


def test_code_that_fails_is_said_in_one_line(files, tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("import nowhere_at_all", encoding="utf8")
    assert "bad.py: ModuleNotFoundError: No module named 'nowhere_at_all'" in refused("score", *files, "--code", bad)
    (tmp_path / "code.txt").write_text("x", encoding="utf8")
    assert "expected a Python file, NAME.py" in refused("score", *files, "-c", tmp_path / "code.txt")
    assert "No such file or directory" in refused("metrics", "-c", tmp_path / "none.py")


@pytest.mark.costly
@pytest.mark.slow
def test_the_example_package_installs_and_its_tests_pass(tmp_path):
    """Into a folder of its own, from a copy, without a network. The laws of this package find its metric, too."""
    source, target = shutil.copytree(PLUGIN, tmp_path / "plugin"), tmp_path / "site"
    install = ("-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", str(target), str(source))
    done = python(*install)
    assert done.returncode == 0, done.stderr
    listed = "from spacy_nereval import create, names; print('ends' in names(), create('ends').settings)"
    done = python("-c", listed, path=[target])
    assert done.stdout.strip() == "True {'typed': True, 'beta': 1.0}", done.stderr
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", str(source / "tests"), path=[target])
    assert done.returncode == 0, done.stdout
    shown = "import spacy_nereval; print(spacy_nereval.label_counts.__module__)"
    assert python("-c", shown, path=[target]).stdout.strip() == "nereval_labels.counting"
    laws = ROOT / "tests" / "core" / "test_laws.py"
    of_results = "ends and (either_side or undefined or score_dict or survives_json)"
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", laws, "-k", of_results, path=[target], cwd=ROOT)
    assert done.stdout.splitlines()[-1].startswith("4 passed"), done.stdout


# The laws


EXEMPT = {
    "wrf": {"labels_add_up_to_the_total": "a word of two classes is one word of the combined class"},
    "token": {"labels_add_up_to_the_total": "whether a token is tagged correctly counts for no label"},
    "plagdet": {"a_perfect_prediction_has_the_best_score": "nested predictions raise granularity"},
    "tmr": {
        "counts_add": "depends on the whole corpus",
        "renaming_labels_renames_rows": "labels are looked up in the training data",
        "a_perfect_prediction_has_the_best_score": "a subset without spans is undefined",
    },
    "attributes": {"a_perfect_prediction_has_the_best_score": "spans of these documents have no attributes"},
}


@pytest.mark.parametrize("name", names())
def test_our_own_metrics_keep_the_laws(name):
    corpora = [[], random_documents(3, 1)]
    check_laws(create(name, **NEEDED.get(name, {})), exempt=EXEMPT.get(name), corpora=corpora)


def by_place(document: Document) -> Iterator[Verdict]:
    """Spans of the first half of a text count as found."""
    for span in document.gold:
        yield Verdict("tp" if span.start < 5 else "fn", span, None)


def by_name(document: Document) -> Iterator[Verdict]:
    for span in document.gold:
        yield Verdict("tp" if span.label == "A" else "fn", span, None)


def undeclared(document: Document) -> Iterator[Verdict]:
    return (Verdict("hit", span, span) for span in document.gold)


def gives_zero(n):
    return {key: value * 0.0 for key, value in prf(n["tp"], n["fp"], n["fn"]).items()} | {"p": 0.0 * n["tp"]}


def in_percent(n):
    return {key: 100 * value for key, value in prf(n["tp"], n["fp"], n["fn"]).items()}


STRICT = create("strict")
BROKEN = {
    "shifting_changes_nothing": {"judge": by_place, "scope": "document"},
    "renaming_labels_renames_rows": {"judge": by_name, "scope": "document"},
    "verdicts_are_what_is_counted": {"judge": undeclared, "scope": "document"},
    "a_perfect_prediction_has_the_best_score": {"formula": gives_zero},
    "scores_lie_within_their_limits": {"formula": in_percent},
    "nothing_to_score_is_undefined": {"formula": gives_zero},
    "symmetric_scores_are_symmetric": {"scores": tuple(replace(score, symmetric=True) for score in STRICT.scores)},
    "metrics_can_be_pickled": {"formula": lambda n: prf(n["tp"], n["fp"], n["fn"])},
}


@pytest.mark.parametrize("law", BROKEN)
def test_a_metric_that_breaks_a_law_is_found(law):
    with pytest.raises((AssertionError, ValueError)) as found:
        check_laws(replace(STRICT, **BROKEN[law]), laws=[law])
    assert law in str(found.value) or "does not declare" in str(found.value)


def test_every_law_is_explained_and_unknown_ones_are_refused():
    assert all(law.__doc__ for law in LAWS.values())
    for given in ({"laws": ["gravity"]}, {"exempt": {"gravity": "heavy"}}):
        with refused_with(
            ValueError,
            "there is no law 'gravity'; there are counts_add, order_and_doubles_change_nothing, "
            "shifting_changes_nothing, renaming_labels_renames_rows, labels_add_up_to_the_total, "
            "verdicts_are_what_is_counted, a_perfect_prediction_has_the_best_score, "
            "scores_lie_within_their_limits, nothing_to_score_is_undefined, "
            "symmetric_scores_are_symmetric, results_are_plain_json, metrics_can_be_pickled",
        ):
            check_laws(STRICT, **given)
    check_laws(replace(STRICT, name=""), laws=["counts_add"])  # a metric needs no name to be tested
