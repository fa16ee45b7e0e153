"""What all tests share: Hypothesis without a stopwatch, because machines here are noisy, and Ctrl-C that works."""

import os
import signal

from hypothesis import HealthCheck, settings

settings.register_profile("shoal", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
# Where other versions of dependencies are asked, and not other values.
settings.register_profile("few", settings.get_profile("shoal"), max_examples=15)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "shoal"))

# A shell starts what runs in its background deaf to Ctrl-C, and so would be every command that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
