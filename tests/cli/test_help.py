"""Help texts fit a terminal: they are broken where it ends, and a list of commands has a sentence for each."""

from __future__ import annotations

import inspect

import pytest
from commands import flat, run
from typer.models import ParameterInfo

from spacy_nereval.cli import nereval


def test_the_list_of_commands_has_the_first_sentence_of_each_without_line_breaks():
    listed = flat(run("--help", env={"COLUMNS": "400", "NO_COLOR": "1"}).output)
    for command in nereval.registered_commands:
        first = flat(inspect.getdoc(command.callback)).partition(". ")[0].removesuffix(".")
        assert f"{command.name} {first}" in listed
        assert first == command.short_help


def test_no_paragraph_of_a_help_text_breaks_lines_of_its_own():
    for command in nereval.registered_commands:
        assert flat(command.help) == flat(inspect.getdoc(command.callback))
        assert all("\n" not in paragraph for paragraph in command.help.split("\n\n"))


@pytest.mark.parametrize("command", nereval.registered_commands, ids=lambda command: command.name)
def test_the_help_of_a_command_has_the_whole_text_of_each_of_its_arguments(command):
    """Rich reads [words in brackets] as markup, and prints nothing of them."""
    shown = flat(run(command.name, "--help", env={"COLUMNS": "2000", "NO_COLOR": "1"}).output)
    declared = [
        parameter.default.help
        for parameter in inspect.signature(command.callback).parameters.values()
        if isinstance(parameter.default, ParameterInfo) and not parameter.default.hidden
    ]
    assert [text for text in declared if flat(text) not in shown] == []
