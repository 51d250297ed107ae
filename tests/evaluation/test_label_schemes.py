"""Which gold label a predicted one probably means, and the mapping that is proposed."""

import pytest

from spacy_nereval.core.labels import LabelRules
from spacy_nereval.evaluation.label_schemes import extend_mapping, label_lines, propose_label


@pytest.mark.parametrize(("first", "second", "found"), [(3, 2, "RED"), (2, 3, "BLUE"), (3, 3, None), (1, 0, None)])
def test_a_label_means_what_more_than_half_of_its_partners_are(first, second, found):
    given = propose_label("Q", ["RED", "BLUE"], {("Q", "RED"): first, ("Q", "BLUE"): second})
    assert given == (found and (found, 3))


CONLL = "LOC MISC ORG PER"
ONTONOTES = (
    "CARDINAL DATE EVENT FAC GPE LANGUAGE LAW LOC MONEY "
    "NORP ORDINAL ORG PERCENT PERSON PRODUCT QUANTITY TIME WORK_OF_ART"
)
WNUT = "corporation creative-work group location person product"
ACE = "FAC GPE LOC ORG PER VEH WEA"
GUM = "abstract animal event object organization person place plant quantity substance time"
BIOMEDICAL = "GENE_OR_GENE_PRODUCT SIMPLE_CHEMICAL ORGANISM CELL CANCER DISEASE"
SAME_NAMES = "EVENT=event QUANTITY=quantity TIME=time"


@pytest.mark.parametrize(
    ("pred", "gold", "found"),
    [
        (ONTONOTES, CONLL, "PERSON=PER"),
        (CONLL, ONTONOTES, "PER=PERSON"),
        (ONTONOTES, WNUT, "LOC=location PERSON=person PRODUCT=product WORK_OF_ART=creative-work"),
        (GUM, ACE, "organization=ORG person=PER place=LOC"),
        (ONTONOTES, GUM, f"LOC=place ORG=organization PERSON=person {SAME_NAMES}"),
        ("PERderiv OTH PER ORGpart", CONLL, "OTH=MISC"),
        ("Person Ort Organisation", CONLL, "Person=PER Ort=LOC Organisation=ORG"),
        (
            BIOMEDICAL,
            "Gene Chemical Species CellLine Disease",
            "GENE_OR_GENE_PRODUCT=Gene SIMPLE_CHEMICAL=Chemical ORGANISM=Species DISEASE=Disease",
        ),
        ("B-PER I-PER per LOCAL_TAX MISCARRIAGE ORGAN", CONLL, "B-PER=PER I-PER=PER per=PER"),
        ("PERSON", "PER person Person", ""),  # which of them?
    ],
)
def test_names_are_those_of_known_schemes_or_equal(pred, gold, found):
    known = gold.split()
    given = {label: propose_label(label, known, {}) for label in pred.split() if label not in known}
    assert {f"{label}={each.name}" for label, each in given.items() if each} == {*found.split()}
    assert not any(each.spans for each in given.values() if each)


def test_what_spans_show_is_said_with_its_numbers():
    (line,) = label_lines({"location": 40}, {"GPE": 32}, {("GPE", "location"): 30})
    assert line.endswith(
        " 30 of 32 spans predicted as GPE have the boundaries of a gold location."
        " To map labels, add labels='GPE=location'"
    )
    for partners in ({}, {("GPE", "location"): 16}):  # of which half are elsewhere
        (line,) = label_lines({"location": 40}, {"GPE": 32}, partners)
        assert "labels=" not in line


def test_what_is_proposed_leaves_the_rules_in_use_as_they_are():
    rules = LabelRules(labels=(("PER", "PERS"), ("PERS", "LOC")))
    assert extend_mapping({"PERS": "PERSON"}, rules) == {"PER": "PERSON", "PERS": "LOC"}


@pytest.mark.parametrize(
    ("rules", "mapped"), [(None, True), (LabelRules(only=("A",)), True), (LabelRules(depth=1), False)]
)
def test_labels_cut_to_a_depth_get_no_mapping_since_it_comes_before_the_cut(rules, mapped):
    (line,) = label_lines({"PERSON": 3}, {"PER": 1}, rules=rules)
    assert ("PER=PERSON" in line) is mapped


def test_a_wrong_link_is_an_error_and_not_another_name_for_the_right_one():
    """Under `label_from`, other values on the same boundaries are two errors. Only another spelling is proposed."""
    gold, pred = {"Q1": 2, "Q64": 2}, {"Q5": 2, "q64": 2}
    partners = {("Q5", "Q1"): 2, ("q64", "Q64"): 2}
    (as_labels,) = label_lines(gold, pred, partners)
    (as_links,) = label_lines(gold, pred, partners, LabelRules(label_from=("kb_id",)))
    assert as_labels.endswith("labels='Q5=Q1,q64=Q64'")
    assert as_links.endswith("labels='q64=Q64'")
    assert "have the boundaries" in as_labels
    assert "have the boundaries" not in as_links
