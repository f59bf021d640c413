"""How fast the page of a report is in a real browser: ``python -m benchmarks.page``."""
