"""Run a script or a module without PyTorch, for what works on a CPU and needs no transformer.

    python scripts/without_torch.py scripts/corpus.py warranty
    python scripts/without_torch.py spacy nereval evaluate training/warranty/cpu/model-best corpus/warranty/test.spacy

spaCy imports PyTorch, and every package that registers a component, whenever it makes a
pipeline. That takes longer than most commands of this project. A command that names a GPU
with `--gpu-id` runs as it would without this script.
"""

import re
import runpy
import sys
from functools import cache

import catalogue


def main() -> None:
    """Run what the arguments name, as `python FILE` or `python -m MODULE` would."""
    program, *arguments = sys.argv[1:]
    sys.argv = [program, *arguments]
    if not re.search(r"--gpu-id[ =]\d", " ".join(arguments)):
        hide()
    if program.endswith(".py"):
        sys.path[0] = program.rpartition("/")[0] or "."
        runpy.run_path(program, run_name="__main__")
    else:
        sys.path[0] = ""
        runpy.run_module(program, run_name="__main__", alter_sys=True)


def hide() -> None:
    """Let PyTorch, and the packages that require it, look as if they were not installed."""
    sys.modules["torch"] = None  # type: ignore[assignment]  # so that importing it fails
    points = catalogue.AVAILABLE_ENTRY_POINTS
    groups = [group for group in points.groups if group.startswith(("spacy_", "thinc_"))]
    catalogue.AVAILABLE_ENTRY_POINTS = {
        group: [point for point in points.select(group=group) if not requires_torch(point.dist)] for group in groups
    }


@cache
def requires_torch(package: object) -> bool:
    """Return whether a package names PyTorch as a requirement."""
    return any(re.match(r"torch\b", requirement) for requirement in getattr(package, "requires", None) or [])


if __name__ == "__main__":
    main()
