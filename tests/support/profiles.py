"""How many examples Hypothesis tries, in one place.

The profiles are `quick`, `default`, `full` and `long`; `--hypothesis-profile=full` chooses
one. A test says with `tries(100)` how many examples it has in the profile `full`. The
others try a twentieth, a fifth (enough to notice every planted fault), or ten times as
many. The default is 100.
"""

from hypothesis import HealthCheck, settings

FULL = 100
"""The examples of a test that does not say how many, in the profile `full`."""

PROFILES = {"quick": FULL // 20, "default": FULL // 5, "full": FULL, "long": 10 * FULL}


def register() -> None:
    """Register the profiles: the same examples every time, on every machine, however slow it is."""
    for name, examples in PROFILES.items():
        how = {"derandomize": True, "database": None, "deadline": None}
        too_slow = [HealthCheck.too_slow]
        settings.register_profile(name, max_examples=examples, suppress_health_check=too_slow, **how)
    settings.load_profile("default")


def tries(examples: int) -> settings:
    """So many examples in the profile `full`, and in others their share of it; never fewer than two.

    >>> tries(50).max_examples == max(2, 50 * settings.default.max_examples // FULL)
    True
    """
    return settings(max_examples=max(2, examples * settings.default.max_examples // FULL))
