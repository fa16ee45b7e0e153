"""What all tests share: Hypothesis without a stopwatch, because machines here are noisy."""

from hypothesis import HealthCheck, settings

settings.register_profile("shoal", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shoal")
