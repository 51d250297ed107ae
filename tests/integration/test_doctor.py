"""The doctor: what training needs, and what is missing of it."""

from importlib.metadata import PackageNotFoundError
from typing import Any

import spacy
from typer.testing import CliRunner

from spacy_nereval.cli import nereval
from spacy_nereval.integration import training_needs


def examined(monkeypatch, torch: Any, cupy: Any, **asked: Any) -> dict[str, training_needs.Check]:
    modules = {"torch": torch, "cupy": cupy}
    monkeypatch.setattr(training_needs, "_try_import", modules.get)
    return {finding.subject: finding for finding in training_needs.examine(**asked)}


def problems(found: dict[str, training_needs.Check]) -> list[str]:
    return [what for what, finding in found.items() if finding.remedy]


BOUND = "transformers<4.53.3,>=3.4.0"


def transformers_check(
    monkeypatch, transformers: str | None, *, requires: list[str] | None, owner: str | None = "1.4.0"
):
    """The check of transformers with planted metadata; None is a package that is not installed."""

    def version(name: str) -> str:
        planted = {"spacy-transformers": owner, "transformers": transformers}.get(name, "1.0")
        if planted is None:
            raise PackageNotFoundError(name)
        return planted

    monkeypatch.setattr(training_needs, "version", version)
    monkeypatch.setattr(training_needs, "requires", {"spacy-transformers": requires}.get)
    return examined(monkeypatch, None, None, transformer="/no/folder").get("transformers")


def test_the_bound_is_the_one_that_the_metadata_has(monkeypatch):
    newer = ["transformers<7,>=5"]
    assert transformers_check(monkeypatch, "5.24.0", requires=newer, owner="2.0").remedy is None
    assert "transformers<7,>=5" in transformers_check(monkeypatch, "4.53.2", requires=newer, owner="2.0").remedy


def test_without_one_of_both_packages_there_is_no_bound_or_no_version(monkeypatch):
    missing = transformers_check(monkeypatch, None, requires=[BOUND])
    assert missing.state.startswith("not installed") and BOUND in missing.remedy and not missing.exists
    assert transformers_check(monkeypatch, "5.0.0", requires=[BOUND], owner=None) is None
    assert transformers_check(monkeypatch, "5.0.0", requires=None) is None
    # Who asks for no transformer needs none.
    assert problems(examined(monkeypatch, None, None)) == []


def test_the_installed_packages_fit(monkeypatch):
    """What requirements.txt names, where it is installed."""
    for name in ("spacy-transformers", "transformers"):
        try:
            training_needs.version(name)
        except PackageNotFoundError:
            return
    check = examined(monkeypatch, None, None, transformer="/no/folder")["transformers"]
    assert check.remedy is None and training_needs.version("transformers") in check.state


def test_the_command_ends_with_1_only_if_what_was_asked_for_is_missing():
    fine = CliRunner().invoke(nereval, ["doctor"])
    assert fine.exit_code == 0
    assert f"✔ spacy: {spacy.__version__}" in fine.stdout
    assert "✘" not in fine.output
    # No machine has a GPU of this number.
    refused = CliRunner().invoke(nereval, ["doctor", "--gpu-id", "999", "--corpus", "no-such-corpus"])
    assert refused.exit_code == 1
    lines = [line for line in refused.stdout.splitlines() if line.startswith("✘")]
    assert any(line.startswith("✘ GPU: ") and ";" in line for line in lines)
    assert sum("no-such-corpus" in line for line in lines) == 3
    assert refused.stderr == f"✘ {len(lines)} of the requested items cannot be used\n"
