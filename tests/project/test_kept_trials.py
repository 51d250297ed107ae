"""The kept counts of training runs: what does not belong together is refused, and nothing is replaced in part."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kept_trials import UNLIKE, hits, kept, results, written

from spacy_nereval.io.count_files import load, save


def edited(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        path = folder / "trials.json"
        index = json.loads(path.read_text(encoding="utf8"))
        change(index)
        path.write_text(json.dumps(index), encoding="utf8")

    return apply


def swap(folder: Path) -> None:
    (folder / "cpu-0.npz").rename(folder / "x")
    (folder / "cpu-1.npz").rename(folder / "cpu-0.npz")
    (folder / "x").rename(folder / "cpu-1.npz")


def counted_alone(folder: Path) -> None:
    """As `nereval count` writes it: without what made it."""
    save(load(folder / "cpu-0.npz"), folder / "cpu-0.npz")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda folder: (folder / "trials.json").unlink(), "trials.json is not there"),
        (lambda folder: (folder / "trials.json").write_text("{"), "trials.json is not of the format"),
        (edited(lambda index: index.pop("format")), "is not of the format 'spacy-nereval trials 1' (format: "),
        (edited(lambda index: index.update(format="spacy-nereval trials 0")), "is not of the format"),
        (edited(lambda index: index.update(corpus="wnut17")), "is about the corpus wnut17, not maintie"),
        (edited(lambda index: index["trials"].pop()), "disagree about paper-2.npz"),
        (edited(lambda index: index["trials"][0].update(seconds=1)), "was counted from something else"),
        (edited(lambda index: index.update(test_sha256="other")), "was counted from something else"),
        (lambda folder: (folder / "cpu-0.npz").unlink(), "disagree about cpu-0.npz"),
        (lambda folder: (folder / "cpu-0.npz").rename(folder / "cpu-3.npz"), "disagree about cpu-0.npz, cpu-3.npz"),
        (lambda folder: (folder / "cpu-0.npz").write_bytes(b"PK"), "cpu-0.npz does not hold counts, or is damaged"),
        (swap, "cpu-0.npz was counted from something else"),
        (counted_alone, "cpu-0.npz was counted from something else"),
    ],
)
def test_files_that_do_not_belong_together_are_one_line_with_the_remedy(tmp_path, capsys, change, reason):
    folder = written(tmp_path / "kept" / "maintie", UNLIKE)
    change(folder)
    assert reason in refused(tmp_path, capsys)


def refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that scripts/results.py says before it gives up; what was written before stays."""
    page = folder / "results.md"
    page.write_text("as before", encoding="utf8")
    with pytest.raises(SystemExit) as ended:
        results.main(folder / "kept", page)
    assert ended.value.code == 1 and page.read_text(encoding="utf8") == "as before"
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("✘ ") and "python" in line
    return line


def test_a_folder_without_trials_or_of_another_corpus_is_refused(tmp_path, capsys):
    assert "has no training runs of a corpus: run `python -m spacy project run gpu .`" in refused(tmp_path, capsys)
    written(tmp_path / "kept" / "maintie", UNLIKE)
    shutil.copytree(tmp_path / "kept" / "maintie", tmp_path / "kept" / "other")
    with pytest.raises(ValueError, match="a folder other, and there is no such corpus"):
        results.page(tmp_path / "kept")


def test_trials_that_were_trained_in_different_ways_are_refused(tmp_path):
    folder = written(tmp_path / "maintie", UNLIKE)
    index = kept.Index.model_validate_json((folder / "trials.json").read_bytes())
    index.trials[-1].settings.overrides["training.max_steps"] = 50
    kept.write(folder, index, [own for runs in UNLIKE.values() for own in runs])
    with pytest.raises(ValueError, match="the training runs of paper had different settings"):
        kept.read(folder)


def test_what_is_written_takes_the_place_of_all_earlier_trials_or_of_none(tmp_path):
    folder = written(tmp_path / "maintie", UNLIKE)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    index = kept.Index.model_validate_json((folder / "trials.json").read_bytes())

    def fails():
        yield hits(1)
        raise ValueError("a model cannot be loaded")

    with pytest.raises(ValueError, match="cannot be loaded"):
        kept.write(folder, index, fails())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["maintie"]
    written(folder, {"cpu": [hits(5)]})
    assert sorted(path.name for path in folder.iterdir()) == ["cpu-0.npz", "trials.json"]
    assert [own.number_of(("hit",)) for own in kept.read(folder).counts["cpu"]] == [5]
