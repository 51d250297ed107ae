"""The gate in `nereval report`: the option `--policy`, and a section that says whether each system may ship."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from ...cli.app import Extension
from ...core.arguments import Argument

if TYPE_CHECKING:
    from ...evaluation.comparison import System
    from ...reporting.pages import Drawn, Section
    from .policy import Policy

RULE = Argument(
    "Rule instead of a policy: 'strict_f at_least 85 label PER', a score and keys. Repeatable", typed=list[str]
)
"""The option of every command that takes a policy."""


@dataclass(frozen=True)
class ReportPolicy(Extension):
    """The policy by which the systems of a report are judged; none unless `--policy` names one."""

    help: ClassVar[str] = """
    With --policy, it says by the rules of a gate whether the system may ship, and
    with several systems whether each may take the place of the first.
    """

    policy: Annotated[
        Path | None, Argument("Policy of 'nereval gate': also say whether each system may ship, against the first one")
    ] = None

    rule: Annotated[list[str] | None, RULE] = None

    def section(self, systems: int) -> Section | None:
        """Return the section of a report on a number of systems; None without a policy.

        Raises:
            ValueError: The policy cannot be used, or a rule needs a baseline and there is a single system.
            OSError: The policy cannot be read.
        """
        from ...reporting.pages import Section
        from .policy import read_policy_or_rules

        policy = read_policy_or_rules(self.policy, self.rule)
        if policy is None:
            return None
        policy.check_baseline(systems > 1, "several systems, of which the first is the baseline")
        return Section("gate", "Gate", partial(judge_systems, policy), policy.metrics, policy.unit)


def judge_systems(policy: Policy, systems: Sequence[System]) -> Drawn:
    """Return the section: a gate for a single system, or for each system but the first, which is then the baseline."""
    from ...reporting.pages import Drawn, Trusted, environment
    from .gate_rules import judge_candidate
    from .gate_view import GateView, ship_sentence

    baseline = systems[0] if len(systems) > 1 else None
    gates = [GateView(judge_candidate(policy, candidate, baseline)) for candidate in systems[1:] or systems]
    return Drawn(
        Trusted(environment(__package__).get_template("gate.html").render(gates=gates)),
        ship_sentence(gates),
        "may ship",
        {gate.result["candidate"]: gate.answer for gate in gates},
    )
