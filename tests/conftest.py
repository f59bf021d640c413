"""Settings for all tests."""

from hypothesis import HealthCheck, settings

# No deadlines: these machines are noisy, and speed is measured in benchmarks/. print_blob makes a failure repeatable.
settings.register_profile("eligo", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("eligo")
