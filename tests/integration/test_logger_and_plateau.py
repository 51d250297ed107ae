"""The schedule that falls on a plateau."""

import io
import json
import pickle
import warnings
from collections.abc import Sequence
from math import nan
from pathlib import Path

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.util import registry
from thinc.api import Config

from spacy_nereval.integration import loggers as schedules
from spacy_nereval.integration.schedules import Plateau, plateau


def rates(schedule: Plateau, losses: Sequence[float]) -> list[float]:
    """The rate after each loss."""
    found = []
    for loss in losses:
        schedule.observe(loss)
        found.append(next(schedule))
    return found


@pytest.mark.parametrize(
    ("losses", "options", "wanted"),
    [
        ([5.0, 4.0, 6.0, 6.0, 6.0, 6.0], {"patience": 2}, [1.0, 1.0, 1.0, 0.1, 0.1, 0.01]),
        # 4.6 is not a tenth below 5, 4.4 is.
        ([5.0, 4.6, 4.4], {"min_delta": 0.1}, [1.0, 0.1, 0.1]),
        ([5.0, 5.0, 5.0], {"factor": 0.5, "minimum": 0.3}, [1.0, 0.5, 0.3]),
        # What is no number has not fallen; a loss after it may.
        ([nan, 5.0, nan, 4.0], {}, [0.1, 0.1, 0.01, 0.01]),
        ([0.0, 0.0], {}, [1.0, 0.1]),
    ],
)
def test_the_rate_falls_exactly_when_the_loss_has_stopped_falling(losses, options, wanted):
    assert rates(plateau(1.0, **options), losses) == pytest.approx(wanted, rel=1e-12)


def twin(losses: Sequence[float], factor: float, patience: int, min_delta: float, minimum: float) -> float:
    """The last rate, from the whole history at once: how many runs of `patience`
    losses without a new lowest one there are between the lowest ones."""
    record = [
        all(loss < before * (1 - min_delta) for before in accepted(losses[:k], min_delta))
        for k, loss in enumerate(losses)
    ]
    runs = "".join("x" if new else "." for new in record).split("x")
    decays = sum(len(run) // patience for run in runs)
    return max(minimum, factor**decays)


def accepted(losses: Sequence[float], min_delta: float) -> list[float]:
    """The losses that were new lowest ones."""
    found: list[float] = []
    for loss in losses:
        if not found or loss < found[-1] * (1 - min_delta):
            found.append(loss)
    return found


options_of_any = st.fixed_dictionaries(
    {
        "factor": st.sampled_from([0.1, 0.5]),
        "patience": st.integers(1, 3),
        "min_delta": st.sampled_from([0.0, 0.25]),
        "minimum": st.sampled_from([0.0, 0.2]),
    }
)
some_losses = st.lists(st.integers(1, 9).map(float), max_size=12)


@given(losses=some_losses, later=some_losses, options=options_of_any)
def test_the_rate_is_that_of_the_whole_history_and_goes_on_from_a_saved_state(losses, later, options):
    first = plateau(1.0, **options)
    for loss in losses:
        first.observe(loss)
    state = json.loads(json.dumps(first.state()))
    copied = pickle.loads(pickle.dumps(first))
    assert next(first) == pytest.approx(twin(losses, **options), rel=1e-9)
    second = plateau(**options | {"minimum": min(options["minimum"], state["rate"])} | state)
    next(copied)
    assert rates(second, later) == rates(copied, later) == rates(first, later)


CONFIG = """
[optimizer]
@optimizers = "Adam.v1"

[optimizer.learn_rate]
@schedules = "spacy-nereval.plateau.v1"
rate = 0.5
factor = 0.1
patience = 2
lowest = 3.5
waited = 1
"""


def test_a_config_makes_it_and_the_optimizer_follows_it():
    config = Config().from_str(Config().from_str(CONFIG).to_str())
    optimizer = registry.resolve(config)["optimizer"]
    schedule = schedules.take_schedule()
    assert schedule is optimizer.schedules["learn_rate"]
    assert schedules.take_schedule() is None
    optimizer.step_schedules()
    assert optimizer.learn_rate == 0.5
    schedule.observe(3.5)  # the second that is not below 3.5
    assert optimizer.learn_rate == 0.5
    optimizer.step_schedules()
    assert optimizer.learn_rate == pytest.approx(0.05)


def test_without_the_logger_it_says_that_it_never_falls():
    optimizer = registry.resolve(Config().from_str(CONFIG))["optimizer"]
    with pytest.warns(UserWarning, match=r"will not fall.*spacy-nereval\.logger\.v1"):
        optimizer.step_schedules()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.step_schedules()


# The logger: what it prints, what it keeps, and what it tells the schedule


@pytest.fixture
def nlp() -> spacy.Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec")
    nlp.add_pipe("ner")
    nlp.config["training"]["score_weights"] = {"ents_f": 1.0}
    return nlp


def step(number: int, ner: float | None = None, tok2vec: float = 0.0, output: Path | None = None) -> dict | None:
    if ner is None:
        return None
    info = {"step": number, "epoch": number // 4, "score": 0.5, "seconds": number, "words": 10 * number}
    info |= {"losses": {"ner": ner, "tok2vec": tok2vec}, "other_scores": {"ents_f": 0.5}}
    return info | ({"output_path": str(output / "model-last")} if output else {})


def test_it_prints_what_spacys_own_logger_prints(nlp):
    printed = []
    for name in ("spacy.ConsoleLogger.v3", "spacy-nereval.logger.v1"):
        out = io.StringIO()
        log, finish = registry.loggers.get(name)()(nlp, out, out)
        for info in (step(0, 5.0), step(1), step(2, 6.0)):
            log(info)
        finish()
        printed.append(out.getvalue())
    assert printed[0] == printed[1]
    assert "LOSS NER" in printed[1]
