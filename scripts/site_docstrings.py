"""Shows the examples of docstrings as code on the site: MkDocs takes them for text otherwise."""

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Puts a fence around every paragraph that begins with a prompt. A section of examples has its own."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring:
            text = re.sub(r"^(>>> .*(?:\n.+)*)", r"```pycon\n\1\n```", obj.docstring.value, flags=re.M)
            obj.docstring.value = re.sub(r"^Example:$", "Examples:", text, flags=re.M)
