"""Orders that compete for the smallest peak: the best so far, and what each method came to."""

from __future__ import annotations

import numpy as np

from eligo.dag import Int32
from eligo.memory.footprint import Footprint
from eligo.memory.sequential.costs import floor_of
from eligo.memory.sequential.peak import peak_of
from eligo.memory.sequential.result import Sequential

__all__ = ["Candidates"]


class Candidates:
    """The best order so far; of orders with equal peaks the first that was tried."""

    def __init__(self, footprint: Footprint) -> None:
        self.footprint = footprint
        self.floor = floor_of(footprint)
        self.peaks: dict[str, int] = {}
        self.orders: dict[str, Int32] = {}
        self.method = ""
        self.proved = footprint.dag.n == 0

    def try_order(self, method: str, order: Int32) -> int:
        """Enter an order; return its peak."""
        peak = peak_of(self.footprint, order)
        if not self.method or peak < self.peak:
            self.method = method
        if method not in self.peaks or peak < self.peaks[method]:
            self.peaks[method] = peak
            self.orders[method] = order
        self.proved = self.proved or self.peak <= self.floor
        return peak

    @property
    def peak(self) -> int:
        """The smallest peak so far."""
        return self.peaks[self.method]

    @property
    def order(self) -> Int32:
        """An order that has it."""
        return self.orders[self.method]

    def result(self) -> Sequential:
        """Return the best."""
        order = np.array(self.order, np.int32)
        order.flags.writeable = False
        return Sequential(order, self.peak, self.method, self.proved, dict(self.peaks))
