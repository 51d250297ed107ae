"""The counts of strict that a command writes, on one text."""

from __future__ import annotations

import json
from pathlib import Path

from commands import flat, printed

TEXT = "Ada met Bob in New York at MIT . 1234567890"


def strict(*arguments, folder: Path) -> tuple[int, ...]:
    printed(*arguments, "-o", folder / "out.json")
    result = json.loads((folder / "out.json").read_text())
    counts = result["metrics"]["strict"]["counts"]
    return counts["tp"], counts["fp"], counts["fn"], result.get("merged")


def accepted_or_warned(*arguments) -> str:
    return flat(printed(*arguments))
