"""The engine for one machine."""

from __future__ import annotations

from eligo.engines._local.engine import Local

__all__ = ["Local"]
