"""The grid of docs/simulation.md in plain Python: lists that are looked through, and one heap of what lies ahead.

Written from that text alone, for clarity and not for speed, to be held against the compiled kernel run by run. What
counts is counted again from the definitions whenever it is asked for.
"""

from __future__ import annotations

import hashlib
import heapq
import math
import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from statistics import NormalDist, fmean
from typing import NamedTuple

from eligo.dag import OUTSIDE, Dag
from eligo.memory._footprint import Footprint
from eligo.simulation._grid import Grid

WORD = 2**64
GOLDEN = 0x9E3779B97F4A7C15
END, DEADLINE = 0, 1


def mix(z: int) -> int:
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB % WORD
    return z ^ z >> 31


def draw(key: int, number: int) -> int:
    return mix((key + (number + 1) * GOLDEN) % WORD)


def uniform(key: int, number: int) -> float:
    return ((draw(key, number) >> 12) + 0.5) * 2.0**-52


def bits(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def key_of(seed: int, grid: Grid, name: str, common: bool = False) -> int:
    """Return the key of a strategy's runs on a grid."""
    is_random = grid.arrivals is None and grid.processors is None
    point = draw(draw(seed, bits(grid.interarrival) if is_random else 0), bits(grid.batch) if is_random else 0)
    return draw(point, 0 if common else int.from_bytes(hashlib.blake2b(name.encode()).digest()[:8], "little"))


class Run(NamedTuple):
    """What came of one run; start, end and worker are those of each job's first result, nan and -1 without one."""

    execution_time: float
    stalling: float
    utilization: float
    idle_time: float
    peak_memory: int
    allocations: int
    ended: bool
    start: list[float]
    end: list[float]
    worker: list[int]


@dataclass
class World:
    """A workflow on a grid: all that stays the same from run to run."""

    grid: Grid
    children: list[list[int]]
    parents: list[int]  # how many each job has
    own_time: list[float]
    kind: str  # "order", "fifo", "lifo" or "random"
    order: list[int]
    memory: Memory

    @property
    def n(self) -> int:
        return len(self.children)


@dataclass
class Memory:
    """A footprint in plain lists: what jobs hold while they run, and data with producers and readers."""

    running: list[int]
    size: list[int] = field(default_factory=list)
    producer: list[int] = field(default_factory=list)
    readers: list[list[int]] = field(default_factory=list)
    one_event: bool = False


def world_of(
    dag: Dag, grid: Grid, kind: str, order: list[int] | None = None, footprint: Footprint | None = None
) -> World:
    memory = Memory([0] * dag.n)
    if footprint is not None:
        memory = Memory(
            footprint.running.tolist(),
            footprint.size.tolist(),
            footprint.producer.tolist(),
            [footprint.readers_of(datum).tolist() for datum in range(footprint.k)],
            footprint.rules.one_event,
        )
    children = [sorted(dag.children(job).tolist()) for job in range(dag.n)]
    times = [math.nan] * dag.n if dag.time_s is None else dag.time_s.tolist()
    known = [time for time in times if not math.isnan(time)]
    times = [fmean(known) if math.isnan(time) and known else time for time in times]
    parents = [len(dag.parents(job)) for job in range(dag.n)]
    return World(grid, children, parents, times, kind, order or [], memory)


def arrivals(grid: Grid, key: int) -> Iterator[tuple[float, int]]:
    """Yield times and sizes of all batches to come."""
    if grid.processors is not None:
        yield 0.0, grid.processors
    elif grid.arrivals is not None:
        trace = grid.arrivals
        for lap in count() if trace.repeat_every is not None else [0]:
            for time, workers in zip(trace.time.tolist(), trace.workers.tolist(), strict=True):
                yield time + lap * (trace.repeat_every or 0.0), workers
    else:
        b = grid.batch
        present = {"nearest": math.exp(-0.5 / b), "up": 1.0, "down": math.exp(-1 / b), "geometric": 1.0}[grid.rounding]
        scale = b if grid.rounding != "geometric" else 0.0 if b == 1 else -1 / math.log(1 - 1 / b)
        time = 0.0
        for i in count():
            if i > 0 or uniform(key, 0) >= present:
                time += -(grid.interarrival / present) * math.log(uniform(key, 1 + 2 * i))
            yield time, 1 + math.floor(-scale * math.log(uniform(key, 2 + 2 * i)))


@dataclass
class Allocation:
    job: int
    worker: int
    start: float
    lost: bool
    fails: bool
    over: bool = False  # ended or failed
    written_off: bool = False


class Simulation:
    """One run. A job is in `ready` while throttles hold it back, in `pool` while workers may get it."""

    def __init__(self, world: World, key: int) -> None:
        self.world, self.grid, n = world, world.grid, world.n
        self.times, arrival_key, self.speeds, self.fates, self.picks = (draw(key, stream) for stream in range(5))
        self.batches = arrivals(world.grid, arrival_key)
        self.batch = next(self.batches, None)
        self.rank = {job: place for place, job in enumerate(world.order)}
        self.now = 0.0
        self.ahead: list[tuple[float, int, int]] = []  # time, END or DEADLINE, number of the allocation
        self.given: list[Allocation] = []
        self.missing = list(world.parents)
        self.allocated = [0] * n
        self.alive = [0] * n  # allocations that neither failed nor were written off
        self.done = [False] * n
        self.sent = [False] * n
        self.ready: list[tuple[int, int]] = []  # since how many jobs were done, job
        self.pool: list[int] = []
        self.queue: deque[int] = deque()
        self.choices = count()
        self.workers = count()
        self.counted = self.stalled = self.requests = 0
        self.idle_time, self.idle_since = 0.0, math.inf
        self.start, self.end, self.worker = [math.nan] * n, [math.nan] * n, [-1] * n
        self.occupied = sum(
            s for s, producer in zip(world.memory.size, world.memory.producer, strict=True) if producer == OUTSIDE
        )
        self.peak = self.occupied

    # The course of a run

    def play(self) -> Run:
        self.ready = [(0, job) for job in range(self.world.n) if not self.missing[job]]
        self.send()
        while not all(self.done) and self.something_can_happen():
            self.now = min(time for time in (self.next_event(), self.next_batch()))
            self.instant()
        ended = all(self.done)
        return Run(
            max(self.end) if ended else math.inf,
            self.stalled / self.counted if self.counted else 0.0,
            self.utilization(),
            self.idle_time,
            self.peak,
            len(self.given),
            ended,
            self.start,
            self.end,
            self.worker,
        )

    def utilization(self) -> float:
        if self.grid.processors is None:
            return sum(times > 0 for times in self.allocated) / self.requests
        if not all(self.done) or not max(self.end):
            return 0.0
        useful = math.fsum(end - start for start, end in zip(self.start, self.end, strict=True))
        return useful / (self.grid.processors * max(self.end))

    def something_can_happen(self) -> bool:
        return bool(self.ahead) or (bool(self.pool) and self.batch is not None)

    def next_event(self) -> float:
        return self.ahead[0][0] if self.ahead else math.inf

    def next_batch(self) -> float:
        return self.batch[0] if self.batch is not None else math.inf

    def instant(self) -> None:
        while True:
            while self.next_event() == self.now:
                while self.next_event() == self.now:
                    _, kind, number = heapq.heappop(self.ahead)
                    self.happen(kind, self.given[number])
                self.serve()
                self.look()
            if all(self.done) or not self.something_can_happen() or self.next_batch() != self.now:
                return
            self.arrive()
            self.look()

    def look(self) -> None:
        """Add up the time in which workers waited in vain."""
        if self.idle_since < math.inf:
            self.idle_time += self.now - self.idle_since
        self.idle_since = self.now if self.queue and self.waiting() else math.inf

    def waiting(self) -> int:
        return sum(not done and alive < self.grid.copies for done, alive in zip(self.done, self.alive, strict=True))

    # Workers

    def arrive(self) -> None:
        assert self.batch is not None
        _, size = self.batch
        self.batch = next(self.batches, None)
        if self.waiting():
            self.counted += 1
            self.stalled += not self.pool
            self.requests += size
        asking = [next(self.workers) for _ in range(size)]
        if self.grid.stay or self.grid.processors is not None:
            self.queue.extend(asking)
            self.serve()
            return
        for worker in asking:
            if self.pool:
                self.allocate(self.choose(), worker)

    def serve(self) -> None:
        while self.queue and self.pool:
            self.allocate(self.choose(), self.queue.popleft())

    def choose(self) -> int:
        if self.world.kind == "order":
            return min(self.pool, key=self.rank.__getitem__)
        if self.world.kind == "fifo":
            return self.pool[0]
        if self.world.kind == "lifo":
            return self.pool[-1]
        return self.pool[math.floor(len(self.pool) * uniform(self.picks, next(self.choices)))]

    def leave_pool(self, job: int) -> None:
        place = self.pool.index(job)
        if self.world.kind == "random":
            self.pool[place] = self.pool[-1]
            self.pool.pop()
        else:
            del self.pool[place]

    def allocate(self, job: int, worker: int) -> None:
        x = self.allocated[job] * self.world.n + job
        fate = uniform(self.fates, 2 * x)
        lost = fate < self.grid.lost
        fails = not lost and fate < self.grid.lost + self.grid.fail
        allocation = Allocation(job, worker, self.now, lost, fails)
        number = len(self.given)
        self.given.append(allocation)
        takes = self.duration(job, worker, x)
        if not lost:
            share = uniform(self.fates, 2 * x + 1) if fails else 1.0
            heapq.heappush(self.ahead, (self.now + takes * share, END, number))
        if self.grid.deadline is not None:
            heapq.heappush(self.ahead, (self.now + self.grid.deadline * self.base(job), DEADLINE, number))
        self.allocated[job] += 1
        self.alive[job] += 1
        if self.alive[job] == self.grid.copies:
            self.leave_pool(job)
        self.occupy(job)
        self.send()

    def base(self, job: int) -> float:
        return self.world.own_time[job] if self.grid.own_times else 1.0

    def duration(self, job: int, worker: int, x: int) -> float:
        sd, spread, factor, speed = self.grid.sd, self.grid.spread, 1.0, 1.0
        if sd > 0:
            p0 = math.erfc(1 / (sd * math.sqrt(2))) / 2
            p = min(p0 + (1 - p0) * uniform(self.times, x), 1 - 2.0**-53)
            factor = max(1 + sd * NormalDist().inv_cdf(p), 1e-9)
        if spread > 0:
            speed = math.exp(spread * NormalDist().inv_cdf(uniform(self.speeds, worker)))
        return self.base(job) * factor / speed

    # What happens to allocations

    def happen(self, kind: int, allocation: Allocation) -> None:
        if kind == DEADLINE:
            self.write_off(allocation)
        elif allocation.fails:
            self.fail(allocation)
        else:
            self.finish(allocation)
        self.send()
        # An allocation that is over has no deadline any more.
        while self.ahead and self.ahead[0][1] == DEADLINE and self.given[self.ahead[0][2]].over:
            heapq.heappop(self.ahead)

    def write_off(self, allocation: Allocation) -> None:
        if allocation.over:
            return
        allocation.written_off = True
        if allocation.lost:
            self.occupied -= self.world.memory.running[allocation.job]
        self.alive[allocation.job] -= 1
        self.return_to_pool(allocation.job)

    def fail(self, allocation: Allocation) -> None:
        allocation.over = True
        self.occupied -= self.world.memory.running[allocation.job]
        if not allocation.written_off:
            self.alive[allocation.job] -= 1
            self.return_to_pool(allocation.job)
        self.ask_again(allocation.worker)

    def return_to_pool(self, job: int) -> None:
        if not self.done[job] and job not in self.pool:
            self.pool.append(job)

    def finish(self, allocation: Allocation) -> None:
        allocation.over = True
        job = allocation.job
        self.occupied -= self.world.memory.running[job]
        if not self.done[job]:
            self.done[job] = True
            self.start[job], self.end[job], self.worker[job] = allocation.start, self.now, allocation.worker
            if job in self.pool:
                self.leave_pool(job)
            if not self.world.memory.one_event:
                self.occupied -= self.read_last(job, self.done)
            for child in self.world.children[job]:
                self.missing[child] -= 1
                if not self.missing[child]:
                    self.ready.append((sum(self.done), child))
        self.ask_again(allocation.worker)

    def ask_again(self, worker: int) -> None:
        if self.grid.stay or self.grid.processors is not None:
            self.queue.append(worker)
            self.requests += self.waiting() > 0

    # Throttles

    def send(self) -> None:
        """Let ready jobs into the pool, as far as throttles do."""
        while ready := [entry for entry in self.ready if self.may_go(entry[1])]:
            if self.grid.throttle is not None and self.world.kind == "order":
                since, job = min(ready, key=lambda entry: self.rank[entry[1]])
            elif self.grid.throttle is not None and self.world.kind == "lifo":
                since, job = min(ready, key=lambda entry: (-entry[0], entry[1]))
            else:
                since, job = ready[0]
            self.ready.remove((since, job))
            self.sent[job] = True
            self.pool.append(job)

    def may_go(self, job: int) -> bool:
        throttle = self.grid.throttle
        if throttle is None:
            return True
        out = [other for other in range(self.world.n) if self.sent[other] and not self.done[other]]
        if throttle.max_jobs is not None and len(out) >= throttle.max_jobs:
            return False
        if throttle.max_idle is not None and len(self.pool) >= throttle.max_idle:
            return False
        if throttle.category is None or throttle.category_max is None or throttle.category[job] < 0:
            return True
        of_kind = [other for other in out if throttle.category[other] == throttle.category[job]]
        return len(of_kind) < int(throttle.category_max[throttle.category[job]])

    # Memory

    def occupy(self, job: int) -> None:
        """Count what an allocation that was just made takes."""
        memory = self.world.memory
        self.occupied += memory.running[job]
        if self.allocated[job] == 1:
            self.occupied += sum(s for s, producer in zip(memory.size, memory.producer, strict=True) if producer == job)
            if memory.one_event:
                self.occupied -= self.read_last(job, [times > 0 for times in self.allocated])
        self.peak = max(self.peak, self.occupied)

    def read_last(self, job: int, over: list[bool]) -> int:
        """Return the size of what a job reads and nobody will after it."""
        memory = self.world.memory
        return sum(
            size
            for size, readers in zip(memory.size, memory.readers, strict=True)
            if job in readers and all(over[reader] for reader in readers)
        )


def simulate(world: World, key: int, run: int) -> Run:
    """Return what comes of run number `run`."""
    return Simulation(world, draw(key, run)).play()
