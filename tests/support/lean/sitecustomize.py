"""A folder for PYTHONPATH: every Python that has it starts without torch, and so does whatever it starts."""

import importlib.util
from pathlib import Path

spec = importlib.util.spec_from_file_location("without_torch", Path(__file__).parents[1] / "without_torch.py")
spec.loader.exec_module(importlib.util.module_from_spec(spec))
