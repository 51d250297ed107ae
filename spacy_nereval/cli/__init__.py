"""The commands `nereval ...` and `python -m spacy nereval ...`, one module per subject.

spaCy imports this package whenever its command line starts, and `nereval` scores
most files without spaCy. Modules that take time to load, spaCy above all, are
therefore imported inside the functions that need them. `spacy_app` alone imports
spaCy when it is loaded; only spaCy's own command line loads it. It has to outlive
a command that cannot be loaded, so the commands are loaded when `nereval` is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .app import nereval
else:
    _SUBJECTS = ("score", "errors", "convert", "count", "tools", "show")

    def __getattr__(name: str) -> Any:
        if name != "nereval":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from ..core.features import features
        from .app import nereval

        own = (f"{__name__}.{subject}" for subject in _SUBJECTS)
        for module in (*own, *(module for feature in features() for module in feature.commands)):
            import_module(module)

        globals()[name] = nereval
        return nereval


__all__ = ["nereval"]
