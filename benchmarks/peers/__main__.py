"""``python -m benchmarks.peers [DIR]`` compares Eligo with its peers, on the workflows of DIR and on generated ones."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.peers.apart import Findings, Settings, ask
from benchmarks.peers.registry import PEERS
from benchmarks.peers.tables import print_all
from benchmarks.quality.corpus import CORPUS

__all__ = ["main"]


def main(directory: Path = CORPUS, settings: Settings | None = None) -> int:
    """Ask all peers and print what came of it; return 1 where a peer and we disagree."""
    if not any(path.is_file() for path in directory.rglob("*")):
        print(f"\nNo real workflows: there are no files under {directory.name}.")
    found: dict[str, Findings] = {}
    for peer in PEERS:
        print(f"asking {peer.title} ...", file=sys.stderr, flush=True)
        found[peer.title] = ask(peer, directory, settings or Settings())
    print_all(found)
    failures = [f"{peer}, {question} of {case}" for peer, of in found.items() for question, case in of.failures]
    if failures:
        print(f"\nThese results differ, or could not be compared: {'; '.join(failures)}.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS))
