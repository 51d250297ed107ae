"""The counts of training runs that are kept in assets/trials, with what made them.

A corpus has a folder with a count file per run and trials.json. Each count file
repeats the entry that trials.json has for it, so that the two cannot drift apart.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, ValidationError

from spacy_nereval.counting.counts import Counts
from spacy_nereval.io.count_files import load, save
from spacy_nereval.io.writing import write_json

Format = Literal["spacy-nereval trials 1"]
FORMAT: Format = get_args(Format)[0]
INDEX = "trials.json"
TRIALS = Path("assets", "trials")


class Settings(BaseModel, extra="allow"):
    """What a training depends on, as scripts/train.py records it."""

    config: str
    config_sha256: str
    texts_sha256: str
    overrides: dict[str, Any]
    gpu_id: int
    versions: dict[str, str]

    @property
    def but_seed(self) -> str:
        """Everything but the seed, as text."""
        overrides = {name: value for name, value in self.overrides.items() if name != "system.seed"}
        return json.dumps(self.model_dump(mode="json") | {"overrides": overrides}, sort_keys=True)


class TrainingRun(BaseModel, extra="forbid"):
    """What made the counts of one run. Times are in seconds; `rates` are learning rates."""

    pipeline: str
    seed: int
    settings: Settings
    transformer: str | None
    machine: dict[str, Any]
    finished: str
    seconds: float
    words: int
    steps: int
    epochs: int
    rates: list[float]

    @property
    def file(self) -> str:
        """The name of its count file."""
        return f"{self.pipeline}-{self.seed}.npz"


class Index(BaseModel, extra="forbid"):
    """The content of trials.json: the corpus, its number of texts per split, and the runs."""

    format: Format
    corpus: str
    texts: dict[str, int]
    test_sha256: str
    trials: list[TrainingRun]

    def origin(self, run: TrainingRun) -> dict[str, Any]:
        """Return the origin that the count file of a run records."""
        return {"corpus": self.corpus, "test_sha256": self.test_sha256, "trial": run.model_dump(mode="json")}


class Kept(NamedTuple):
    """The training runs of a corpus: what made them, and for each pipeline the counts of its runs."""

    index: Index
    counts: dict[str, list[Counts]]

    def runs(self, pipeline: str) -> list[TrainingRun]:
        """Return the runs of one pipeline, in the order of its counts."""
        return [run for run in self.index.trials if run.pipeline == pipeline]


def write(folder: Path, index: Index, counts: Iterable[Counts]) -> None:
    """Write the training runs of a corpus in place of those that the folder has.

    Args:
        folder: The folder of the corpus.
        index: What made the runs.
        counts: The counts of each run, in the order of the index. Nothing is replaced before all are written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as temporary:
        for run, own in zip(index.trials, counts, strict=True):
            save(own, Path(temporary, run.file), origin=index.origin(run))
        write_json(Path(temporary, INDEX), index.model_dump(mode="json"))
        for file in folder.glob("*.npz"):
            file.unlink()
        for file in os.listdir(temporary):
            Path(temporary, file).replace(folder / file)


def read(folder: Path) -> Kept:
    """Read the training runs of a corpus.

    Raises:
        ValueError: There are none, they are of another version, or the files do not belong together.
            The message says which file, and what to do.
    """
    remedy = f"run `python scripts/trials.py evaluate {folder.name}` again"
    index = _index(folder / INDEX, remedy)
    if index.corpus != folder.name:
        raise ValueError(f"{folder / INDEX} is about the corpus {index.corpus}, not {folder.name}; {remedy}")
    named, there = [run.file for run in index.trials], sorted(file.name for file in folder.glob("*.npz"))
    if sorted(named) != there:
        odd = ", ".join(sorted({*named} ^ {*there})) or "a run that is named twice"
        raise ValueError(f"{folder / INDEX} and the count files beside it disagree about {odd}; {remedy}")
    counts: dict[str, list[Counts]] = {}
    for run in index.trials:
        try:
            own = load(folder / run.file, origin=index.origin(run))
        except ValueError as error:
            raise ValueError(f"{error}; {remedy}") from None
        counts.setdefault(run.pipeline, []).append(own)
    kept = Kept(index, counts)
    for pipeline in counts:
        if len({run.settings.but_seed for run in kept.runs(pipeline)}) > 1:
            raise ValueError(f"{folder}: the training runs of {pipeline} had different settings; {remedy}")
    return kept


def _index(path: Path, remedy: str) -> Index:
    try:
        index = Index.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise ValueError(f"{path} is not there; {remedy}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        said = f"{path} is not of the format {FORMAT!r} ({where}: {first['msg']})"
        raise ValueError(f"{said}; {remedy}") from None
    if not index.trials:
        raise ValueError(f"{path} names no training run; {remedy}")
    return index
