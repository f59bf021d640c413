"""What running jobs and their data occupy, by the model of ``eligo.memory``, and whether one more may start.

Where the dag was limited, no execution of it passes the limit and the gate never closes. It is there for what the proof
does not cover: jobs that fail leave data that nobody will read and free. A job that fails for good gives back what it
held while running; what it wrote, and what waits for readers that will never come, stays counted, since it is there.
"""

from __future__ import annotations

from eligo.dag import OUTSIDE
from eligo.memory.footprint import Footprint

__all__ = ["MemoryGate"]


class MemoryGate:
    """Counts what is occupied.

    Attributes
    ----------
    occupied
        By all that has started and is not freed.

    Examples
    --------
    >>> import eligo
    >>> dag = eligo.Dag.from_names([("a", "b"), ("c", "d")])
    >>> dag = dag.with_known(data=eligo.Data.per_edge(dag.tails, dag.heads, [5, 7]))
    >>> gate = MemoryGate(eligo.footprint(dag), 8)
    >>> a, b, c, d = range(4)
    >>> gate.start(a)
    >>> gate.fits(c), gate.occupied
    (False, 5)
    >>> gate.end(a); gate.start(b); gate.end(b)
    >>> gate.fits(c), gate.occupied
    (True, 0)
    """

    def __init__(self, footprint: Footprint, limit: int) -> None:
        self.limit = limit
        self._one_event = footprint.rules.one_event
        self._running: list[int] = footprint.running.tolist()
        self._outputs: list[int] = footprint.outputs.tolist()
        self._size: list[int] = footprint.size.tolist()
        ptr, readers = footprint.reader_ptr.tolist(), footprint.readers.tolist()
        self._left = [ptr[datum + 1] - ptr[datum] for datum in range(footprint.k)]
        self._reads: list[list[int]] = [[] for _ in range(footprint.dag.n)]
        for datum in range(footprint.k):
            for job in readers[ptr[datum] : ptr[datum + 1]]:
                self._reads[job].append(datum)
        self._allocated = [False] * footprint.dag.n
        self.occupied = int(footprint.size[footprint.producer == OUTSIDE].sum())

    def fits(self, job: int) -> bool:
        """Tell whether the limit holds if this job starts now."""
        more = self._running[job] + (0 if self._allocated[job] else self._outputs[job])
        if self._one_event:  # it frees its inputs in the moment in which it starts
            more -= sum(self._size[datum] for datum in self._reads[job] if self._left[datum] == 1)
        return self.occupied + more <= self.limit

    def start(self, job: int) -> None:
        """Take note of a start; a second try finds its outputs counted already."""
        self.occupied += self._running[job]
        if not self._allocated[job]:
            self._allocated[job] = True
            self.occupied += self._outputs[job]
            if self._one_event:
                self._read(job)

    def end(self, job: int) -> None:
        """Take note of a success."""
        self.stop(job)
        if not self._one_event:
            self._read(job)

    def stop(self, job: int) -> None:
        """Take note of an end that is no success: inputs are still needed, and outputs may be there."""
        self.occupied -= self._running[job]

    def _read(self, job: int) -> None:
        for datum in self._reads[job]:
            self._left[datum] -= 1
            if self._left[datum] == 0:
                self.occupied -= self._size[datum]
