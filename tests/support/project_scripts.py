"""The scripts of the project as modules."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from places import ROOT


def script(name: str) -> ModuleType:
    """A script of the project as a module."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        spec = spec_from_file_location(f"script_{name}", ROOT / "scripts" / f"{name}.py")
        assert spec and spec.loader
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop(0)
