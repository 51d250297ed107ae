"""Annotators whose spans are equal and whose attributes are not: their scores are those of each pair alone."""

import itertools

from spacy_nereval import agreement, score

SPANS = [[(0, 3, "A"), (4, 7, "B")], [(0, 3, "A")], [(4, 7, "B"), (8, 9, "A")]]
ANNOTATORS = {
    name: [
        [
            {"start": start, "end": end, "label": label, "attributes": {"sure": values[(k + start) % len(values)]}}
            for start, end, label in spans
        ]
        for k, spans in enumerate(SPANS)
    ]
    for name, values in {"ann": ["yes"], "ben": ["yes", "no"], "cleo": ["no"], "dan": ["yes"]}.items()
}


def test_pairs_have_the_scores_that_they_have_alone():
    result = agreement(ANNOTATORS, ["strict", "attributes"], text=["Ada met k"] * 3)
    found = {(pair["a"], pair["b"]): pair["metrics"]["attributes"]["scores"] for pair in result["pairs"]}
    assert len({str(scores) for scores in found.values()}) > 2
    for one, other in itertools.combinations(ANNOTATORS, 2):
        alone = score(ANNOTATORS[one], ANNOTATORS[other], "attributes", text=["Ada met k"] * 3)
        assert found[one, other] == alone["metrics"]["attributes"]["scores"], (one, other)
    assert found["ann", "dan"]["accuracy"] == 1 and found["ann", "cleo"]["accuracy"] == 0


def test_pairs_have_the_mentions_that_each_annotator_lists():
    texts = ["Ada Lovelace met Bob", "Ada saw Rome"]
    listed = {
        "ann": [[("Ada Lovelace", "PER"), ("Bob", "PER")], [("Rome", "LOC"), ("Paris", "LOC")]],
        "ben": [[("ada  lovelace", "PER"), ("bob", "PER")], [("rome", "LOC")]],
        "cleo": [[("Ada Lovelace", "PER")], [("Rome", "LOC"), ("paris", "LOC")]],
    }
    metrics = {"mentions": {"normalise": "exact"}}
    result = agreement(listed, metrics, text=texts)
    found = {(pair["a"], pair["b"]): pair["metrics"]["mentions"]["scores"] for pair in result["pairs"]}
    assert len({str(scores) for scores in found.values()}) > 1
    for one, other in itertools.combinations(listed, 2):
        alone = score(listed[one], listed[other], metrics, text=texts)
        assert found[one, other]["f"] == alone["metrics"]["mentions"]["scores"]["f"], (one, other)
