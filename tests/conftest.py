"""What all tests share: Hypothesis without a stopwatch, because machines here are noisy."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("shoal", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
# Where other versions of dependencies are asked, and not other values.
settings.register_profile("few", settings.get_profile("shoal"), max_examples=15)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "shoal"))
