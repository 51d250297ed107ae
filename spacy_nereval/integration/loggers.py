"""The training logger: what spaCy prints, a file with how training went, and losses for the learning rate."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from .schedules import take

if TYPE_CHECKING:
    from spacy.language import Language

HISTORY = "training.json"
"""The file beside `model-best` and `model-last`."""

Info = Mapping[str, Any]


def make_logger(
    progress_bar: str | None = None, console_output: bool = True
) -> Callable[..., tuple[Callable[[Info | None], None], Callable[[], None]]]:
    """`@loggers = "spacy-nereval.logger.v1"`: prints as spaCy's ConsoleLogger does.

    After every evaluation it gives the mean loss per step since the last one to
    the learning rate, if that is a `spacy-nereval.plateau.v1`, and writes
    `training.json` beside the models: every evaluation, and where the learning
    rate stands.

    The loss is that of the components that predict: a shared tok2vec or
    transformer reports only what they passed down to it. The first evaluation,
    after one step, is too early to tell anything.
    """
    from spacy.util import registry

    from ..evaluation.result import plain  # not at the start: spaCy imports this module whenever it makes a pipeline
    from ..io.writing import write_json

    console = registry.loggers.get("spacy.ConsoleLogger.v3")(progress_bar, console_output)

    def set_up(nlp: Language, stdout: IO[str] = sys.stdout, stderr: IO[str] = sys.stderr) -> tuple:
        log, finish = console(nlp, stdout, stderr)
        schedule = take()
        shared = {name for name, pipe in nlp.pipeline if hasattr(pipe, "listening_components")}
        evaluations: list[dict[str, Any]] = []

        def log_step(info: Info | None) -> None:
            log(info)
            if info is None:
                return
            steps = info["step"] - (evaluations[-1]["step"] if evaluations else -1)
            evaluation = {name: info[name] for name in ("step", "epoch", "score", "seconds", "words")}
            evaluation["losses"] = {name: float(loss) for name, loss in info["losses"].items()}
            evaluation["loss"] = sum(loss for name, loss in evaluation["losses"].items() if name not in shared) / steps
            if schedule:
                evaluation["rate"] = schedule.rate  # the one that these steps were made with
                if info["step"] > 0:
                    schedule.observe(evaluation["loss"])
            evaluations.append(evaluation)
            if "output_path" in info:
                history = {"evaluations": evaluations, "plateau": schedule and schedule.state()}
                write_json(Path(info["output_path"]).parent / HISTORY, plain(history))

        return log_step, finish

    return set_up
