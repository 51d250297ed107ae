"""`nereval init-config`: put the scorer, the score weights and the logger into a training config."""

from __future__ import annotations

from pathlib import Path

import typer
from typer import Argument, Option

from .app import command
from .printing import say
from .values import split_list


@command("init-config")
def init_config_cli(
    config: Path | None = Argument(
        None, help="Config to change, such as one from 'spacy init config'. Without one, a new config is made"
    ),
    output: Path | None = Option(
        None,
        "--output",
        "-o",
        help="File for the config. By default CONFIG itself is changed, and a new config is printed",
        dir_okay=False,
    ),
    score: str = Option(
        "fair_f", "--score", help="Score that chooses the best model, such as strict_f or wrf: its key without 'ents_'"
    ),
    lang: str | None = Option(None, "--lang", "-l", help="Language of a new config (en by default)"),
    pipeline: str | None = Option(
        None,
        "--pipeline",
        "-p",
        help="Components of a new config, separated by commas, such as ner or spancat (ner by default)",
    ),
) -> None:
    """
    Write this package's scorer, score weights and logger into a training config.
    All other lines and comments of the config stay.

    Without CONFIG, make a complete config as 'spacy init config' does for a CPU,
    and change it in the same way.
    """
    from ..integration.configs import changed_config, new_config
    from ..io.paths import check_is_file
    from ..io.writing import atomic, visible

    before = None
    if config is None:
        if output and output.exists():
            raise ValueError(f"{output} exists: choose another file, or change it with 'nereval init-config {output}'")
        new = new_config(lang or "en", split_list(pipeline or "ner"), score)
    else:
        for option, value in (("lang", lang), ("pipeline", pipeline)):
            if value is not None:
                raise ValueError(f"--{option} {value} is for a new config: give it without {config}")
        check_is_file(config)
        try:
            before = config.read_text(encoding="utf8")
            new = changed_config(before, score)
        except ValueError as error:
            raise ValueError(f"{config}: {error}") from None
    target = output or config
    if target is None:
        typer.echo(new.text, nl=False)
        return
    with atomic(target) as file:
        file.write(new.text.encode())
    for note in new.notes:
        say(visible(note))
    say(f"✔ {target}" + (": there was nothing to change" if new.text == before else ""), fg="green")
