"""Ids and labels of annotators that differ in what nobody sees are named, with the difference."""

import pytest

from spacy_nereval import agreement

FORMS = {
    "white space": ("PER", "PER "),
    "case": ("PER", "Per"),
    "Unicode form (such as NFC and NFD)": ("\u00c9", "E\u0301"),
}


def sheet(id="a", label="PER"):
    return [
        {"id": id, "text": "Ada met Bob", "spans": [{"start": 0, "end": 3, "label": label}]},
        {"id": "other", "text": "Eve slept", "spans": [{"start": 0, "end": 3, "label": "LOC"}]},
    ]


@pytest.mark.parametrize("difference", FORMS)
@pytest.mark.parametrize("what", ["id", "label"])
def test_names_that_look_alike_are_named_with_their_difference(difference, what):
    one, other = FORMS[difference]
    with pytest.warns(UserWarning) as caught:
        agreement({"ann": sheet(**{what: one}), "bob": sheet(**{what: other})})
    first, second = repr(one), repr(other) if "Unicode" not in difference else r"'E\u0301'"  # which would look the same
    expected = f"{what}s: {first} and {second} differ only in {difference}: they count as different"
    turned = f"{what}s: {second} and {first} differ only in {difference}: they count as different"
    assert {expected, turned} & {str(warning.message) for warning in caught}


def test_other_names_are_not_named(recwarn):
    agreement({"ann": sheet(label="PER"), "bob": sheet(label="PERSON")})
    assert "differ only" not in " ".join(str(warning.message) for warning in recwarn)
