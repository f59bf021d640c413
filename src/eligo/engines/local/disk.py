"""Whether the disk of a run is full: then the keeper waits for space to record ends, and nothing seems to happen."""

from __future__ import annotations

import os
import time
from pathlib import Path

__all__ = ["Disk"]

_LOOK_EVERY_S = 5.0
_LITTLE_SPACE = 64 * 1024


class Disk:
    """Looks at the disk now and then."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._look_at = 0.0
        self._was_full = False

    def became_full(self) -> bool:
        """Tell, once, that there is no space left."""
        if time.monotonic() < self._look_at:
            return False
        self._look_at = time.monotonic() + _LOOK_EVERY_S
        space = os.statvfs(self._folder)
        full = space.f_bavail * space.f_frsize < _LITTLE_SPACE
        before, self._was_full = self._was_full, full
        return full and not before
