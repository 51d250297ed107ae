"""Gates: whether a model may ship, by the rules of a policy; and plans: how many documents decide that.

One way through it: `policy` reads a policy and checks its rules. `gate_rules` decides each rule by an interval of its
score and makes the verdict. `sample_size` computes how many documents decide a rule or show a difference. `gate_view`
has the tables and sentences of both. `gating` has `gate()` and `plan()`, `gate_command` the commands, and
`report_section` adds `--policy` and its section to `nereval report`.
"""

from ...core.features import Feature, ResultKind

feature: Feature = Feature(
    "gate",
    commands=(f"{__name__}.gate_command",),
    names=dict.fromkeys(("Gate", "Plan", "gate", "plan"), f"{__name__}.gating"),
    results={
        "Gate": ResultKind(("rules", "policy"), "gate", "a gate"),
        "Plan": ResultKind(("questions", "policy"), "plan", "a plan"),
    },
    inputs=("policy", "candidate", "baseline"),
    outputs=("junit",),
    extensions={"report": f"{__name__}.report_section:ReportPolicy"},
)
