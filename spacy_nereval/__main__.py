"""The command `nereval` for `python -m spacy_nereval`."""

from .cli import nereval

if __name__ == "__main__":
    nereval(prog_name="nereval")
