"""What all tests share: the Hypothesis profiles, and which tests are quick."""

import gc
import os
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import catalogue
import old_click  # noqa: F401  # importing it is what it does
import profiles
import pytest
from hypothesis import settings
from processes import LEAN, with_path

from spacy_nereval.core import plugins

profiles.register()

# pytest-xdist gives its workers the width of the terminal; what is tested prints into a pipe.
os.environ.pop("COLUMNS", None)

# A pipeline imports every package that extends spaCy, even those that it does not use. That of
# transformers takes longer than all others together; whoever needs it imports it.
catalogue.AVAILABLE_ENTRY_POINTS = {
    group: [e for e in catalogue.AVAILABLE_ENTRY_POINTS.select(group=group) if "spacy_transformers" not in e.value]
    for group in catalogue.AVAILABLE_ENTRY_POINTS.groups
}

FEATURES = {path.name for path in (Path(__file__).parent / "features").iterdir() if path.is_dir()}

QUICK_ROOMS = {"core", "metrics", "counting", "io", "cli", "evaluation", "features", *FEATURES}
"""The folders whose tests are quick: laws, twins, papers, counts, readers, results, the commands in this process."""

THOROUGH = {
    "test_agreement.py",
    "test_agreement_command.py",
    "test_agreement_of_anything.py",
    "test_agreement_page.py",
    "test_agreement_witnesses.py",
    "test_attributes_in_features.py",
    "test_blocks_and_kept_counts.py",
    "test_browser.py",
    "test_browser_filters.py",
    "test_browser_review.py",
    "test_browser_texts.py",
    "test_collapse.py",
    "test_collapsed.py",
    "test_comparison.py",
    "test_comparison_result.py",
    "test_compressed.py",
    "test_containers.py",
    "test_convert_command.py",
    "test_convert_to_tokens.py",
    "test_damaged_counts.py",
    "test_deaths.py",
    "test_edges_of_people.py",
    "test_engines.py",
    "test_every_control.py",
    "test_fields_of_documents.py",
    "test_files_and_lists.py",
    "test_fuzz.py",
    "test_fuzz_commands.py",
    "test_gap_twins.py",
    "test_gate.py",
    "test_help.py",
    "test_hostile_texts.py",
    "test_html.py",
    "test_influence.py",
    "test_intervals.py",
    "test_leaderboard.py",
    "test_locks.py",
    "test_many_labels.py",
    "test_matching_texts.py",
    "test_merging.py",
    "test_missing_tokens.py",
    "test_names_of_keys.py",
    "test_newcomers.py",
    "test_other_browser.py",
    "test_other_page_functions.py",
    "test_page_functions.py",
    "test_page_tables.py",
    "test_pairing.py",
    "test_partitions.py",
    "test_plan.py",
    "test_program.py",
    "test_ranking.py",
    "test_recipes.py",
    "test_remote_files.py",
    "test_report_view.py",
    "test_runs.py",
    "test_shards.py",
    "test_small_blocks.py",
    "test_tags_of_people.py",
    "test_texts_in_formats.py",
    "test_threshold_laws.py",
    "test_threshold_page.py",
    "test_thresholds_of_anything.py",
    "test_tree.py",
}
"""The files in these folders that are not quick: most of them score, resample, merge or damage corpora many times."""


LONGEST = [
    *("engines", "browser", "recipes", "site", "code_blocks", "every_control", "deaths", "project"),
]
"""The subjects of the files whose slow tests take longest, the longest first."""

LACKS = os.environ.get("NEREVAL_LACKS")
"""What is missing here, as reasons of skips name it, with commas: a test skipped for others fails. Set by CI."""

LEAST_PASSED = {"not slow and not browser": 9300, "(slow or browser) and not nightly": 600, "nightly": 400}
"""The least number of tests that pass in CI, by which tests are chosen."""


def pytest_configure(config: pytest.Config) -> None:
    """Do without torch wherever no slow tests run, in what tests start too; let `-m quick` choose its profile."""
    quick = config.option.markexpr == "quick"
    if quick or "not slow" in config.option.markexpr:
        import without_torch  # noqa: F401  # importing it is what hides torch

        os.environ["PYTHONPATH"] = with_path(LEAN)
    if quick:
        config.option.doctestmodules = False  # no example is quick, and looking for them takes time
    if quick and not config.getoption("--hypothesis-profile"):
        settings.load_profile("quick")


@pytest.fixture(autouse=True, scope="session")
def simple_english() -> None:
    """Leave two of the words that English's tokeniser splits or not against its rules.

    Each of the thousand is added to every pipeline that is made or loaded, which takes longer than
    all else that most tests do with it.
    """
    from spacy.lang.en import EnglishDefaults  # not before torch is hidden, which spaCy would import

    kept = ("Don't", "don't")
    EnglishDefaults.tokenizer_exceptions = {word: EnglishDefaults.tokenizer_exceptions[word] for word in kept}


@pytest.fixture(autouse=True, scope="session")
def one_tokenizer() -> None:
    """Make the tokenizer of a language once: each command that converts files makes one, whether it needs it or not."""
    from spacy_nereval.integration import spacy_files  # not before torch is hidden

    spacy_files.tokenizer = cache(spacy_files.tokenizer)


@pytest.fixture(autouse=True, scope="session")
def nothing_left_open() -> Iterator[None]:
    """What is never closed fails the last test at the latest: pytest-xdist hides what fails after it."""
    yield
    gc.collect()


NO_EXAMPLES = {"conftest.py", "without_torch.py", "sitecustomize.py"}
"""Files that pytest must not import to look for examples: importing the last two hides torch from a process."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import the tests of other rooms for `-m quick`, nor files without examples."""
    other = collection_path.parent == Path(__file__).parent and collection_path.name not in QUICK_ROOMS
    skipped = config.option.markexpr == "quick" and (other or collection_path.name in THOROUGH)
    return True if skipped or collection_path.name in NO_EXAMPLES else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Let Python look for garbage rarely, and never among the modules that collecting the tests imports."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000, 10, 10)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Mark every test of those rooms `quick` that is not `slow`, `costly` or `browser`; give `slow` ones time."""
    for item in items:
        if (
            item.path.parent.name in QUICK_ROOMS
            and item.path.name.startswith("test_")
            and item.path.name not in THOROUGH
            and not any(map(item.get_closest_marker, ("slow", "costly", "browser")))
        ):
            item.add_marker("quick")
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(900))
    if hasattr(config, "workerinput"):
        # Each worker has one file after the other. Those that take longest come first, so that in the end
        # no worker is left alone with one of them.
        costly = {item.path for item in items if item.get_closest_marker("costly")}
        place = {f"test_{subject}.py": k for k, subject in enumerate(LONGEST)}
        items.sort(key=lambda item: (place.get(item.path.name, len(place)), item.path not in costly))


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Make a failure of a skip for a reason that `LACKS` does not name."""
    if LACKS is not None and report.skipped and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        if not any(lack in reason for lack in filter(None, LACKS.split(","))):
            report.outcome, report.longrepr = "failed", f"{reason}: NEREVAL_LACKS does not name it"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """See that no test is skipped in CI unless what it needs is known to be missing."""
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """See the same of whole files."""
    report = yield
    _refuse_skip(report)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail in CI if fewer tests passed than there are."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if LACKS is None or reporter is None or hasattr(session.config, "workerinput"):
        return
    passed, least = len(reporter.stats.get("passed", ())), LEAST_PASSED.get(session.config.option.markexpr, 0)
    if passed < least and not session.exitstatus:
        reporter.write_line(f"{passed} tests passed; expected {least} at least", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    """What a module of tests registers, as by `--code`, ends with it: others list what the package has."""
    before = {*catalogue.REGISTRY}
    yield
    for key in catalogue.REGISTRY.keys() - before:
        if key[0] == "spacy_nereval":
            del catalogue.REGISTRY[key]
    plugins._import_code.cache_clear()


@pytest.fixture(scope="session")
def transformer(tmp_path_factory) -> Path:
    """The folder of a transformer too small to learn anything."""
    pytest.importorskip("spacy_transformers", reason="the project's environment, requirements.txt, is not installed")
    from tiny import tiny_transformer

    folder = tmp_path_factory.mktemp("weights") / "tiny"
    tiny_transformer(folder)
    return folder
