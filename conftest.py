"""Of tests and of examples in the code: what they may read beside the clone, and why they may skip."""

import signal

pytest_plugins = ["tests.plugins.real_data", "tests.plugins.skipping"]

# What nohup and some services ignore, commands ignore, too: tests of signals are about a terminal.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
