"""What loops of training do: logits, padding, batches and processes; and the examples of the documentation."""

import json
import pickle
import subprocess
import sys
from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT
from processes import LEAN, with_path
from products import mostly_at_night
from profiles import tries
from refusals import refused_with

from spacy_nereval import Counter, merge, score

EXAMPLES = ROOT / "examples" / "training_loop"
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
ID2LABEL = dict(enumerate(TAGS))


@pytest.fixture(scope="module")
def example(monkeypatch_module):
    monkeypatch_module.syspath_prepend(EXAMPLES)
    import hugging_face

    return hugging_face


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


def plain(labels, predicted):
    """Tags without what is padded, by hand."""
    gold = [[TAGS[tag] for tag in row if tag != -100] for row in labels]
    pred = [
        [TAGS[tag] for tag, place in zip(row, labels_row) if place != -100]
        for row, labels_row in zip(predicted, labels)
    ]
    return gold, pred


# Logits


def test_logits_count_as_the_greatest_of_each_token(example):
    logits, labels = example.made_up_prediction()
    expected = score(*plain(labels, logits.argmax(-1)), ["strict", "fair"], repair="conll")
    numbers = {"tag_names": ID2LABEL, "repair": "conll"}
    for predicted in (logits, [*logits], logits.astype(np.float32), logits.tolist()):
        assert score(labels, predicted, ["strict", "fair"], **numbers) == expected
    assert score(labels, logits.argmax(-1), ["strict", "fair"], **numbers) == expected


class Tensor:
    """What of a tensor of torch is used, on an array."""

    def __init__(self, array):
        self.array = array

    def __len__(self):
        return len(self.array)

    def __iter__(self):
        return (Tensor(row) if row.ndim else row for row in self.array)

    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: "torch.float32")

    def is_floating_point(self):
        return self.array.dtype.kind == "f"

    def detach(self):
        return self

    cpu = float = detach

    def numpy(self):
        return self.array


def test_tensors_are_read_as_arrays(example):
    logits, labels = example.made_up_prediction()
    numbers = {"tag_names": ID2LABEL, "repair": "conll"}
    assert score(labels, Tensor(logits), "strict", **numbers) == score(labels, logits, "strict", **numbers)


def test_logits_without_the_names_of_tags_are_refused_in_words(example):
    logits, labels = example.made_up_prediction()
    with refused_with(
        ValueError,
        f"gold, document 0: tag 0 is {np.int64(-100)!r}, a number without a name; expected tags such as "
        "'B-PER': give tag_names=, the names in their order or the model's id2label",
    ):
        score(labels, logits)


@given(st.integers(0, 10_000))
@tries(40)
def test_nothing_that_a_model_can_predict_ends_a_training(seed):
    drawn = np.random.default_rng(seed)
    texts, tokens = drawn.integers(1, 6), drawn.integers(1, 8)
    labels = drawn.choice([-100, 0, 1, 3], size=(texts, tokens))
    logits = drawn.normal(size=(texts, tokens, 5))
    logits[drawn.random(logits.shape) < 0.05] = drawn.choice([np.nan, np.inf, -np.inf])
    found = score(labels, logits, tag_names=ID2LABEL, repair="conll").flat()
    assert all(type(value) is float and np.isfinite(value) for value in found.values())


# Numbers alone


def test_flat_has_numbers_alone():
    result = score([["B-PER", "O"], ["O", "O"]], [["B-PER", "B-LOC"], ["O", "O"]])
    found = result.flat("val_", labels=True)
    assert found["val_fair_f"] == result.fair.f and found["val_PER/strict_f"] == 1.0
    assert json.loads(json.dumps(found)) == found and all(type(value) is float for value in found.values())
    assert "val_LOC/strict_r" not in found and result.labels["LOC"].strict.r is None
    assert score([["O"]], [["O"]], "strict").flat() == {}


# Batches


@given(st.integers(0, 10_000), st.integers(1, 7))
@tries(15)
def test_batches_give_the_result_of_all_documents(seed, size):
    drawn = np.random.default_rng(seed)
    labels = drawn.choice([-100, 0, 1, 3], size=(13, 6))
    logits = drawn.normal(size=(13, 6, 5))
    counter = Counter(tag_names=ID2LABEL, repair="conll")
    for start in range(0, 13, size):
        counter.add(labels[start : start + size], logits[start : start + size])
    whole = score(labels, logits, "papers", True, tag_names=ID2LABEL, repair="conll", scheme="IOB2")
    assert counter.result(True) == whole
    counters = [Counter(tag_names=ID2LABEL, repair="conll") for _ in range(2)]
    for number, part in enumerate(np.array_split(np.arange(13), 4)):
        counters[number >= 2].add(labels[part], logits[part])
    assert (
        score(merge(pickle.loads(pickle.dumps(one.counts)) for one in counters), confidence=True)["metrics"]
        == (whole["metrics"])
    )


def test_spans_and_docs_come_in_batches_too():
    counter = Counter("strict")
    counter.add([[(0, 3, "PER")]], [[(0, 3, "PER")]])
    counter.add([[(0, 3, "PER")]], [[]], text=["Ada sleeps"])
    assert counter.result().strict.r == 0.5


def test_a_batch_that_cannot_be_read_changes_nothing():
    counter = Counter("strict", tag_names=TAGS)
    counter.add([[1, 0]], [[1, 0]])
    with refused_with(
        ValueError,
        "document 0: gold has 2 tags and pred has 1; expected one tag per token on both sides; if "
        "predictions lack tokens, give both sides with their words, as {'tokens': [...], 'ner_tags': "
        "[...]}, and missing_tokens='O'",
    ):
        counter.add([[1, 0]], [[1]])
    assert counter.result().strict.counts == {"tp": 1, "fp": 0, "fn": 0}


def test_what_a_counter_refuses():
    with refused_with(ValueError, "nothing was counted: call add(gold, pred) first"):
        Counter().result()
    with refused_with(
        TypeError,
        "Counter has no argument id2label: write score(gold, pred, tag_names=id2label)",
    ):
        Counter(id2label=ID2LABEL)
    with refused_with(ValueError, "repair='drop': expected one of error, conll, discard"):
        Counter(repair="drop")


# The files of the documentation


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", mostly_at_night(["hugging_face", "lightning_module", "plain_loop"], by_day=["hugging_face"])
)
def test_an_example_runs_without_a_framework(name, tmp_path):
    environment = {"PYTHONPATH": with_path(LEAN), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "0.7132" in done.stdout


def test_the_examples_give_the_same_numbers(example):
    prediction = namedtuple("EvalPrediction", "predictions label_ids")(*example.made_up_prediction())
    found = example.compute_metrics(prediction)
    import lightning_module

    tagger = lightning_module.Tagger.__new__(lightning_module.Tagger)
    tagger.on_validation_epoch_start()
    logits, labels = prediction
    for step, rows in enumerate(np.array_split(np.arange(len(labels)), 3)):
        tagger.validation_step({"logits": logits[rows], "labels": labels[rows]}, step)
    assert tagger.counter.result().flat() == found


@pytest.mark.slow
def test_the_evaluation_of_hugging_face_unpacks_as_the_example_does(example):
    utils = pytest.importorskip("transformers.trainer_utils")
    prediction = utils.EvalPrediction(*example.made_up_prediction())
    assert example.compute_metrics(prediction)["strict_f"] == pytest.approx(0.7132, abs=1e-4)
