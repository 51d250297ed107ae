"""The logger: what it prints, what it keeps, and what it tells the schedule."""

from __future__ import annotations

import io
import json
from math import nan
from pathlib import Path

import pytest
import spacy
from spacy.util import registry

from spacy_nereval.integration.schedules import plateau


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


def test_the_loss_is_the_mean_per_step_without_the_first_and_without_what_is_passed_down(nlp, tmp_path):
    schedule = plateau(1.0)
    out = io.StringIO()
    log, finish = registry.loggers.get("spacy-nereval.logger.v1")()(nlp, out, out)
    log(step(0, 0.125, output=tmp_path))  # would be the lowest of all
    assert schedule.lowest is None
    log(step(1))
    log(step(4, 20.0, 1000.0, output=tmp_path))
    assert (schedule.lowest, schedule.rate) == (5.0, 1.0)
    log(step(8, 16.0, 9000.0, output=tmp_path))
    assert (schedule.lowest, schedule.rate) == (4.0, 1.0)
    log(step(10, 8.0, output=tmp_path))  # 4 per step again
    assert (schedule.lowest, schedule.rate) == (4.0, 0.1)
    finish()
    history = json.loads((tmp_path / "training.json").read_text(encoding="utf8"))
    assert history["plateau"] == schedule.state()
    assert [e["loss"] for e in history["evaluations"]] == [0.125, 5.0, 4.0, 4.0]
    assert [e["rate"] for e in history["evaluations"]] == [1.0, 1.0, 1.0, 1.0]
    assert history["evaluations"][1]["losses"] == {"ner": 20.0, "tok2vec": 1000.0}


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


def test_a_loss_that_is_no_number_does_not_end_the_training(nlp, tmp_path):
    log, _ = registry.loggers.get("spacy-nereval.logger.v1")()(nlp, io.StringIO(), io.StringIO())
    log(step(0, nan, output=tmp_path))
    history = json.loads((tmp_path / "training.json").read_text(encoding="utf8"))
    assert history["evaluations"][0]["loss"] is None
    assert history["plateau"] is None
