"""A training logger, which records the training in a file and passes the losses to the learning rate.

spaCy imports this module whenever it makes or loads a pipeline. Everything that takes time to import
is therefore imported inside the functions.
"""

import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language

from .schedules import take_schedule

HISTORY = "training.json"
"""The name of the file that records the training, in the folder of `model-best` and `model-last`."""

StepInfo = Mapping[str, Any]
"""The information that spaCy passes to a logger after an evaluation."""

Logger = tuple[Callable[[StepInfo | None], None], Callable[[], None]]
"""The functions that spaCy calls after every step, and at the end of the training."""


def make_logger(progress_bar: str | None = None, console_output: bool = True) -> Callable[..., Logger]:
    """Create the logger `spacy-nereval.logger.v1`.

    It prints the output of spaCy's own ConsoleLogger. After every evaluation it also

    - passes the mean loss per step since the previous evaluation to the learning rate,
      if that is a `spacy-nereval.plateau.v1`;
    - writes `training.json` into the folder of the models, with every evaluation so far and the state
      of the learning rate.

    Args:
        progress_bar: As for `spacy.ConsoleLogger.v3`: "eval", "train", or None for no progress bar.
        console_output: As for `spacy.ConsoleLogger.v3`: whether to print a row for each evaluation.

    Returns:
        A function that `spacy train` calls with the pipeline to set up the logger.

    Example:
        In the training config:

            [training.logger]
            @loggers = "spacy-nereval.logger.v1"
    """
    from spacy.util import registry

    from ..evaluation.result import make_plain
    from ..io.writing import write_json

    console = registry.loggers.get("spacy.ConsoleLogger.v3")(progress_bar, console_output)

    def set_up(nlp: "Language", stdout: IO[str] = sys.stdout, stderr: IO[str] = sys.stderr) -> Logger:
        log_to_console, finish = console(nlp, stdout, stderr)
        schedule = take_schedule()
        # A shared tok2vec or transformer reports only the losses that other components pass to it.
        shared = {name for name, pipe in nlp.pipeline if hasattr(pipe, "listening_components")}
        evaluations: list[dict[str, Any]] = []

        def log_step(info: StepInfo | None) -> None:
            log_to_console(info)
            if info is None:  # a step without an evaluation
                return
            evaluation = _evaluation(info, evaluations[-1]["step"] if evaluations else -1, shared)
            if schedule:
                evaluation["rate"] = schedule.rate  # the rate of the steps before this evaluation
                if info["step"] > 0:  # the loss of a single step is not informative
                    schedule.observe(evaluation["loss"])
            evaluations.append(evaluation)
            if "output_path" in info:
                history = {"evaluations": evaluations, "plateau": schedule and schedule.state()}
                write_json(Path(info["output_path"]).parent / HISTORY, make_plain(history))

        return log_step, finish

    return set_up


def _evaluation(info: StepInfo, previous_step: int, shared: Collection[str]) -> dict[str, Any]:
    """Return the record of one evaluation, with the mean loss per step since the previous one."""
    losses = {name: float(loss) for name, loss in info["losses"].items()}
    total = sum(loss for name, loss in losses.items() if name not in shared)
    return {
        **{name: info[name] for name in ("step", "epoch", "score", "seconds", "words")},
        "losses": losses,
        "loss": total / (info["step"] - previous_step),
    }
