"""The counts of trials that are kept in assets/trials, with what made them.

A corpus has a folder with a count file per trial and trials.json. Each count file
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


class Trial(BaseModel, extra="forbid"):
    """What made the counts of one trial. Times are in seconds; `rates` are learning rates."""

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
    """The content of trials.json: the corpus, its number of texts per split, and the trials."""

    format: Format
    corpus: str
    texts: dict[str, int]
    test_sha256: str
    trials: list[Trial]

    def origin(self, trial: Trial) -> dict[str, Any]:
        """Return the origin that the count file of a trial records."""
        return {"corpus": self.corpus, "test_sha256": self.test_sha256, "trial": trial.model_dump(mode="json")}


class Kept(NamedTuple):
    """The trials of a corpus: what made them, and for each pipeline the counts of its trials."""

    index: Index
    counts: dict[str, list[Counts]]

    def trials(self, pipeline: str) -> list[Trial]:
        """Return the trials of one pipeline, in the order of its counts."""
        return [trial for trial in self.index.trials if trial.pipeline == pipeline]


def write(folder: Path, index: Index, counts: Iterable[Counts]) -> None:
    """Write the trials of a corpus in place of those that the folder has.

    Args:
        folder: The folder of the corpus.
        index: What made the trials.
        counts: The counts of each trial, in the order of the index. Nothing is replaced before all are written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as temporary:
        for trial, own in zip(index.trials, counts, strict=True):
            save(own, Path(temporary, trial.file), origin=index.origin(trial))
        write_json(Path(temporary, INDEX), index.model_dump(mode="json"))
        for file in folder.glob("*.npz"):
            file.unlink()
        for file in os.listdir(temporary):
            Path(temporary, file).replace(folder / file)


def read(folder: Path) -> Kept:
    """Read the trials of a corpus.

    Raises:
        ValueError: There are none, they are of another version, or the files do not belong together.
            The message says which file, and what to do.
    """
    remedy = f"run `python scripts/trials.py evaluate {folder.name}` again"
    index = _index(folder / INDEX, remedy)
    if index.corpus != folder.name:
        raise ValueError(f"{folder / INDEX} is about the corpus {index.corpus}, not {folder.name}; {remedy}")
    named, there = [trial.file for trial in index.trials], sorted(file.name for file in folder.glob("*.npz"))
    if sorted(named) != there:
        odd = ", ".join(sorted({*named} ^ {*there})) or "a trial that is named twice"
        raise ValueError(f"{folder / INDEX} and the count files beside it disagree about {odd}; {remedy}")
    counts: dict[str, list[Counts]] = {}
    for trial in index.trials:
        try:
            own = load(folder / trial.file, origin=index.origin(trial))
        except ValueError as error:
            raise ValueError(f"{error}; {remedy}") from None
        counts.setdefault(trial.pipeline, []).append(own)
    kept = Kept(index, counts)
    for pipeline in counts:
        if len({trial.settings.but_seed for trial in kept.trials(pipeline)}) > 1:
            raise ValueError(f"{folder}: the trials of {pipeline} were trained with different settings; {remedy}")
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
        raise ValueError(f"{path} names no trial; {remedy}")
    return index
