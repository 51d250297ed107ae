"""Add the app `nereval` to spaCy's command line, for `python -m spacy nereval ...`.

This is the only module of the commands that imports spaCy when it is loaded.
"""

from spacy.cli._util import app

from .app import nereval

app.add_typer(nereval)
