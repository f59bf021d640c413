"""``python -m eligo``."""

import sys

from eligo._cli import main

sys.exit(main())
