#!/usr/bin/env python3
"""Run a command, and look every two milliseconds how much the files occupy that it makes in a folder.

watch.py FOLDER LIMIT COMMAND ...    says at the end whether they ever occupied more than LIMIT bytes
"""

from __future__ import annotations

import os
import subprocess
import sys
import time


def occupied(folder: str, but: set[str]) -> int:
    """Return how many bytes the files of a folder have, but for some."""
    total = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                if entry.name not in but and entry.is_file():
                    total += entry.stat().st_size
            except FileNotFoundError:  # deleted while we looked
                pass
    return total


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    folder, limit = sys.argv[1], int(sys.argv[2])
    before, most = set(os.listdir(folder)), 0  # noqa: PTH208
    running = subprocess.Popen(sys.argv[3:])
    while running.poll() is None:
        most = max(most, occupied(folder, before))
        time.sleep(0.002)
    print(f"on disk: {'never more than' if most <= limit else f'{most:,} bytes once, more than'} {limit:,} bytes")
    sys.exit(running.returncode)
