"""``python -m eligo``."""

import sys

from eligo.cli import main

sys.exit(main())
