"""How long `eligo --help` takes, beside Python doing nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.measure import best_times, print_table


def main() -> None:
    script = str(Path(sys.executable).with_name("eligo"))
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "eligo --help": [script, "--help"],
        "eligo info --help": [script, "info", "--help"],
    }
    times = best_times(
        [lambda words=words: subprocess.run(words, check=True, capture_output=True) for words in commands.values()],  # type: ignore[misc]
        repeats=15,
    )
    rows = [
        [name, f"{1000 * time:.0f} ms", f"{time / times[0]:.1f}"] for name, time in zip(commands, times, strict=True)
    ]
    print_table("Start (at most 3 times Python's own)", ["command", "time", "ratio"], rows)


if __name__ == "__main__":
    main()
