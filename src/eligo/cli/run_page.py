"""``eligo run --watch PORT``: the page of a report, served on loopback while the workflow runs.

The run does not wait for the page. It is made when a browser first asks for it, in a thread of its own, from what the
run was planned with; what happens is told to a mirror of the run, from which browsers take it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from eligo.cli.memory_options import without_ours
from eligo.engines.base import Event, Happening
from eligo.report.page.live import LivePage, LiveState
from eligo.words import printable, short

if TYPE_CHECKING:
    from eligo.engines.plan import Plan
    from eligo.engines.state import State
    from eligo.memory.limiting import Limited

__all__ = ["RunPage"]


class RunPage:
    """The page of one run; use it in a ``with`` statement.

    Attributes
    ----------
    url
        Where a browser finds it, with the token that lets it in.
    """

    def __init__(self, plan: Plan, limited: Limited | None, order: str, port: int) -> None:
        n = plan.dag.n
        self._plan = plan
        self._limited = limited
        self._order = order
        self._state = LiveState(n, status=[0] * n, start_s=[None] * n, end_s=[None] * n, worker=[-1] * n)
        self._server = LivePage(self._state, lambda _: self._make(), port)
        self.url = self._server.url

    def __enter__(self) -> RunPage:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()

    def begin(self, state: State) -> None:
        """Take over how all jobs stand: some may be done since an earlier run."""
        self._show(range(len(state.status)), state)

    def tell(self, events: Iterable[Event], state: State) -> None:
        """Tell of what happened."""
        events = list(events)
        n = self._plan.dag.n
        notes = [text for event in events if (text := self._note(event))]
        self._show(dict.fromkeys(event.job for event in events if 0 <= event.job < n), state, notes)

    def note(self, text: str, state: State) -> None:
        """Tell something that is no event."""
        self._state.change(state.now_s(), (), [printable(text)])

    def finish(self, text: str, exit_status: int | None) -> None:
        """Tell that the run is over."""
        self._state.finish(text, exit_status)

    def _show(self, jobs: Iterable[int], state: State, notes: Iterable[str] = ()) -> None:
        rows = [(job, int(state.status[job]), state.start_s[job], state.end_s[job], state.worker[job]) for job in jobs]
        self._state.change(state.now_s(), rows, notes)

    def _note(self, event: Event) -> str:
        name = printable(short(self._plan.dag.names[event.job])) if 0 <= event.job < self._plan.dag.n else ""
        told = {Happening.FAILED: "failed", Happening.AGAIN: "is tried again", Happening.NOTE: ""}.get(event.what)
        if told is None:
            return ""
        return ": ".join(part for part in (f"{name} {told}".strip(), printable(event.text)) if part)

    def _make(self) -> bytes:
        """Make the page; without memory where sizes are not known."""
        from eligo.formats import format_by_name
        from eligo.priority.prioritizing import STRATEGIES
        from eligo.report.page.findings import Wish, find, footprint_or_reason
        from eligo.report.page.rendering import render

        plan, limited, document = self._plan, self._limited, self._plan.document
        if limited is None:
            held, without = footprint_or_reason(document.dag)
        else:
            held, without = limited.footprint.on(document.dag), ""
        ours = self._order in STRATEGIES
        found = find(
            plan.dag,
            Wish((self._order, "fifo") if ours else ("best", "fifo"), curve=0),
            path=document.source.path,
            format=format_by_name(document.format).TITLE,
            plain=without_ours(document),
            footprint=held,
            without_memory=without,
            limited=limited,
            order_note="" if ours else f"The run goes by another order: {self._order}.",
        )
        return render(found, live=True)
