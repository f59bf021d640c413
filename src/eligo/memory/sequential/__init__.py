"""How low can one go: orders in which jobs run one after the other, with a small peak of memory.

* ``peak``: what an order occupies
"""

from __future__ import annotations

from eligo.memory.sequential.peak import memory_along, peak_of

__all__ = ["memory_along", "peak_of"]
