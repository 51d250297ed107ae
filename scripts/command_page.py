"""The page on the commands, from their own help texts."""

from textwrap import fill

from doc_pages import table
from typer.main import get_command

from spacy_nereval.cli import nereval
from spacy_nereval.cli.app import BUSY, UNUSABLE, argument_name, option_text

STATUSES = {
    0: "done",
    1: "a verdict says no: the gate fails, or `doctor` finds that something which was asked for cannot be used",
    UNUSABLE: "input, options or the command line cannot be used; nothing half-written is left",
    BUSY: "another run holds the output or the folder of parts, or workers were lost: the same command may be tried "
    "again, and goes on with what is counted",
}


def commands_page() -> str:
    """Return docs/reference/commands.md."""
    blocks = [
        "# The commands",
        "<!-- Written by scripts/docs.py from the commands themselves; do not edit. -->",
        "`nereval COMMAND --help-all` prints the same information, `--help` the options that are asked for often, and "
        "`nereval help GROUP` those of a group, such as `reading`. `python -m spacy nereval COMMAND` runs the same "
        "command. `nereval` starts sooner, because it imports spaCy only for a pipeline, a `.spacy` file or a "
        "tokeniser. "
        "`nereval --install-completion` makes your shell complete commands and options.",
        "A command ends with one of four statuses, on which a script can rely:",
        table(["status", "what it says"], [[f"{status}", said] for status, said in STATUSES.items()]),
    ]
    # typer declares a plain command, which has no `commands`; with several commands it is a group.
    for name, command in sorted(get_command(nereval).commands.items()):  # type: ignore[attr-defined]
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        options = [p for p in command.params if p.param_type_name == "option"]
        usage = [argument_name(p) for p in arguments]
        blocks += [f"## {name}", f"```text\nnereval {' '.join([name, *usage, '[OPTIONS]'])}\n```"]
        blocks += [fill(each, 100, break_on_hyphens=False) for each in (command.help or "").split("\n\n")]
        if arguments:
            blocks.append(
                table(["argument", "what it is"], [[f"`{argument_name(p)}`", p.help or ""] for p in arguments])
            )
        rows = [[" ".join(f"`{flag}`" for flag in p.opts), option_text(name, p), _default(p)] for p in options]
        blocks.append(table(["option", "what it does", "default"], rows) if rows else "No options.")
        if command.epilog:
            blocks.append(command.epilog)
    return "\n\n".join(blocks) + "\n"


def _default(parameter) -> str:
    return "" if parameter.default in (None, False) or parameter.required else f"`{parameter.default}`"
