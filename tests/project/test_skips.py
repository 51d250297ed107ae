"""In CI a test is skipped only for what is known to be missing there, and no fewer tests pass than there are."""

import pytest
from places import TESTS
from processes import python

FILES = {
    "test_of_a_browser.py": "import pytest\npytest.skip('there is no browser', allow_module_level=True)",
    "test_of_java.py": "import pytest\ndef test_it():\n    pytest.skip('there is no Java')\ndef test_more():\n    pass",
}


@pytest.mark.parametrize(
    ("lacks", "chosen"), [("", "not slow and not quick"), ("browser,Java", "not slow and not browser")]
)
@pytest.mark.slow
def test_other_skips_and_too_few_tests_are_failures(tmp_path, lacks, chosen):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    command = ("-m", "pytest", "-p", "conftest", "--continue-on-collection-errors", "-m", chosen)
    done = python(*command, path=[TESTS, TESTS / "support"], cwd=tmp_path, env={"NEREVAL_LACKS": lacks})
    assert done.returncode == 1 and "1 passed" in done.stdout, done.stdout + done.stderr
    assert ("1 tests passed; expected" in done.stdout) == bool(lacks)
    for reason in ("browser", "Java"):
        assert (f"there is no {reason}: NEREVAL_LACKS does not name it" in done.stdout) == (not lacks)
