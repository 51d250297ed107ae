"""What spaCy finds of this package by name works with the lowest spaCy that setup.cfg claims."""

from __future__ import annotations

import inspect
from configparser import ConfigParser
from importlib import import_module

import pytest
from places import ROOT

SETTINGS = ConfigParser()
SETTINGS.read(ROOT / "setup.cfg", encoding="utf8")
GROUPS = ("spacy_scorers", "spacy_factories", "spacy_callbacks", "spacy_loggers", "thinc_schedules")
REGISTERED = [
    line.split("=")[1].strip()
    for group in GROUPS
    for line in SETTINGS["options.entry_points"][group].strip().splitlines()
]


@pytest.mark.parametrize("place", REGISTERED)
def test_annotations_of_registered_functions_are_types_and_no_strings(place):
    """Before spaCy 3.8.13, a config block for an argument whose annotation is a string is an error."""
    module, name = place.split(":")
    parameters = inspect.signature(getattr(import_module(module), name)).parameters.values()
    assert [p.name for p in parameters if isinstance(p.annotation, str)] == []


def test_every_registered_function_is_looked_at():
    assert len(REGISTERED) >= 6
