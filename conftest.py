"""Settings for all tests."""

import signal

from hypothesis import HealthCheck, settings

# No deadlines: these machines are noisy, and speed is measured in benchmarks/. print_blob makes a failure repeatable.
settings.register_profile("eligo", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("eligo")

# Under nohup, or in the background of a script, these are ignored, and so they would be by all that tests start.
for number, usual in {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}.items():
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, usual)
