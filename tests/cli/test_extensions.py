"""What features add to a command: options, other values of its parameters, and what the command asks them."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Annotated, Any

import typer
from typer import Option
from typer.testing import CliRunner, Result

from spacy_nereval.cli.app import Command, Extension, Extensions, command_with_options, with_short_errors
from spacy_nereval.core.arguments import Argument


@dataclass(frozen=True)
class Repeating(Extension):
    """Repeat a word."""

    times: Annotated[int | None, Argument("How often", takes=Integral, typed=int, least=1)] = None
    between: str = Option(" ", "--between", help="What stands between two words")

    @classmethod
    def prepare(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        if given["word"] == given["between"]:
            raise ValueError(f"--between {given['between']} is the word itself")
        return {**given, "word": given["word"].lower()}

    def repeated(self, word: str) -> str:
        return self.between.join([word] * (self.times or 1))


@dataclass(frozen=True)
class Praise(Extension):
    praised: bool = Option(False, "--praised", help="Praise")

    def repeated(self, word: str) -> str:
        return f"great {word}" if self.praised else word


def run(command: Command, *arguments: str) -> Result:
    added = [Repeating, Praise]
    app = typer.Typer()
    app.command()(with_short_errors(command_with_options(command, added), added))
    return CliRunner().invoke(app, arguments)


def show(extensions: Extensions, word: str = typer.Argument(...)) -> None:
    """Show a word as the extensions have it."""
    for extension in extensions:
        word = extension.repeated(word)
    print(word)


def show_alone(word: str = typer.Argument(...)) -> None:
    """Show a word, without knowing of extensions."""
    print(word)


def test_a_command_asks_its_extensions_in_their_order():
    assert run(show, "Word", "--times", "2", "--between", "-", "--praised").stdout == "great word-word\n"
    assert run(show, "Word").stdout == "word\n"


def test_an_extension_changes_the_values_of_a_command_that_asks_nothing():
    assert run(show_alone, "Word", "--times", "2").stdout == "word\n"


def test_options_of_extensions_are_checked_as_those_of_commands():
    for arguments, message in ((("--times", "0"), "--times 0: "), (("--between", "a"), "--between a is the word")):
        refused = run(show, "a", *arguments)
        assert refused.exit_code == 2
        assert refused.stderr.startswith(f"✘ {message}")


def test_help_lists_the_options_of_extensions():
    told = run(show, "--help").stdout
    assert all(option in told for option in ("--times", "--between", "--praised"))
