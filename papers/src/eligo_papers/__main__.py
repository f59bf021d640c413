"""``python -m eligo_papers``."""

import sys

from eligo_papers.command import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
