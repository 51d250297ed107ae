"""A feature of its own package: how often each label occurs in annotated files.

It is declared here. `counting` has the function `label_counts`, `command` the command `nereval labels`. Both are
imported when somebody asks for them.
"""

from spacy_nereval.authoring import Feature

feature = Feature("labels", commands=(f"{__name__}.command",), names={"label_counts": f"{__name__}.counting"})
