"""A run from its start to its end, as the command line follows it: events are told, signals heeded, the end summed up.

The engine records all before it tells, so nothing that goes wrong here (a closed terminal, a full disk under the log)
is worth ending a run for.

Ctrl-C and its like, taken note of and heeded at a moment that suits the engine.

A signal may come in the middle of anything, so its handler only counts; whoever watches the run asks :meth:`heed` in
between. Ctrl-C once: no new jobs. Twice: what runs is ended. Once more: leave at once, as by an exception; what is on
disk is whole at any time. SIGTERM, by which batch systems and service managers end programs, and SIGHUP, by which a
terminal that goes away does, end what runs at once: nobody would be there to say so a second time, and after --resume
nothing is lost. Whoever wants a run to outlive its terminal says so as for any other program: by nohup, tmux or
screen; a signal that is ignored when we start stays ignored.

``eligo run --watch PORT``: the page of a report, served on loopback while the workflow runs.

The run does not wait for the page. It is made when a browser first asks for it, in a thread of its own, from what the
run was planned with; what happens is told to a mirror of the run, from which browsers take it.
"""

from __future__ import annotations

import argparse
import shlex
import signal
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from eligo._cli.memory_options import without_ours
from eligo._cli.messages import warn
from eligo._cli.output_files import Shown, show_trace
from eligo._cli.run_display import JsonLines, Log, Output, Tally, View, progress_line
from eligo._cli.run_options import READING, folder_of, resuming
from eligo._cli.run_summary import Ended, Occupied, ended_facts, ended_text
from eligo._humanize import amount, plural, printable, short
from eligo.engines._engine import Event, Happening
from eligo.errors import EligoError
from eligo.graph import joined
from eligo.report._page.live_server import LivePage, LiveState

if TYPE_CHECKING:
    from eligo.dag import Dag
    from eligo.engines._plan import Plan
    from eligo.engines._run import Outcome, Run
    from eligo.engines._state import State
    from eligo.memory._limit import Limited

__all__ = [
    "RunPage",
    "Signals",
    "carry_out",
]

_LAST = 3


class Signals:
    """While it is entered, signals are counted instead of ending the program.

    Examples
    --------
    >>> with Signals() as signals:
    ...     signal.raise_signal(signal.SIGINT)
    ...     signals.interrupts, signals.status
    (1, 130)
    """

    def __init__(self) -> None:
        self.interrupts = 0
        self.ended_by: int | None = None
        self._heeded = 0
        self._before: dict[int, Any] = {}

    @property
    def status(self) -> int | None:
        """The exit status that tells of the signal; ``None`` where there was none."""
        number = self.ended_by or (signal.SIGINT if self.interrupts else None)
        return None if number is None else 128 + int(number)

    def heed(self, stop: Callable[[], None], terminate: Callable[[], None]) -> int:
        """Do what signals since the last call ask for; return 0 for nothing, 1 after `stop`, 2 after `terminate`."""
        wanted = 2 if self.ended_by is not None else min(self.interrupts, 2)
        if wanted <= self._heeded:
            return 0
        self._heeded = wanted
        (stop if wanted == 1 else terminate)()
        return wanted

    def _count(self, number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGINT:
            self.ended_by = number
            return
        self.interrupts += 1
        if self.interrupts >= _LAST or self.ended_by is not None:
            raise KeyboardInterrupt

    def __enter__(self) -> Signals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._count)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()


_PATIENCE_S = 0.25  # after which a signal is heeded
_SHOWN = 10  # failures that are told as they happen; the log has all
LOG_NAME = "run.log"


def carry_out(plan: Plan, order: str, args: argparse.Namespace, page: RunPage | None = None) -> int:
    """Run a plan to its end, shown on a page if there is one; return the exit status."""
    from eligo.engines._run import start

    folder = folder_of(args)
    with ExitStack() as stack:
        final = "" if plan.final is None else plan.final.name
        own = None if args.log is None else Log(Path(args.log), final)  # what cannot be written is said before all else
        signals = stack.enter_context(Signals())
        running = stack.enter_context(
            start(
                plan,
                args.engine,
                folder=folder,
                resume=args.resume,
                restart=args.restart,
                slots=args.slots,
                options=args.passed_on,
                presume_dead=args.presume_dead,
            )
        )
        log = own or Log(running.state.folder / LOG_NAME, final)
        stack.callback(log.close)
        watch = _Watch(running, plan, log, Output(), page)
        watch.remember(args)
        watch.doubt(running.engine.doubts)
        if not watch.follow(signals):
            return signals.status or 1
        return watch.finish(order, args, signals).exit_status


class _Watch:
    """Who follows a run."""

    def __init__(self, running: Run, plan: Plan, log: Log, output: Output, page: RunPage | None) -> None:
        self.running = running
        self.plan = plan
        self.log = log
        self.output = output
        self.page = page
        self.lines: JsonLines | None = None
        self.tally = Tally(plan.dag, running.state.status)
        self.before = self.tally.done
        self._watched = False
        self.begin = time.monotonic()
        self.view = View(self._line)
        self._failures = 0
        self._final_done = self._stopping = False

    def remember(self, args: argparse.Namespace) -> None:
        """Keep what `eligo status` cannot find out itself: how the run was asked for, and what a limit added."""
        self.lines = JsonLines(self.output) if args.json else None
        state, dag, given = self.running.state, self.plan.dag, self.plan.document.dag
        state.put("words", args.words)
        state.put("reading", {name: getattr(args, name) for name in READING})
        state.put("added_edges", _added_edges(dag, given))
        state.put("limited", self.plan.limit is not None)
        state.put("session_s", state.now_s())
        state.put("stopping", None)
        state.commit()
        self.log.note(f"eligo run {shlex.join(args.words)}: {plural(dag.n, 'job')}, {self.before:,} done before")
        if self.page is not None:
            self.view.say(f"watch it at {self.page.url}")

    def doubt(self, texts: list[str]) -> None:
        """Say what may go wrong, before anything starts."""
        warn(texts)
        for text in texts:
            self.log.note(f"warning: {text}")

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self.begin

    def follow(self, signals: Signals) -> bool:
        """Tell of events and heed signals until the run is over; return whether it is, or was left before."""
        try:
            while not self.running.over:
                self._heed(signals)
                self._tell(self._look())
                self.view.refresh()
            self._tell(self.running.watch(0.0))
        except (EligoError, KeyboardInterrupt) as error:  # the state is left as it is: it may be between two changes
            them = "it" if self._runs == 1 else "them"
            self._say(f"left; {plural(self._runs, 'job')} may still run; --resume takes {them} over")
            if self.page is not None:
                self.page.finish("The run was left.", None)
            if isinstance(error, EligoError):
                self.log.note(f"{type(error).__name__} {error}")
                raise
            return False
        finally:
            self.view.clear()
        return True

    def _look(self) -> list[Event]:
        """Wait for what happens; the first time, the engine also finds out what is done already."""
        events = self.running.watch(_PATIENCE_S)
        if not self._watched:
            self._watched = True
            self.tally = Tally(self.plan.dag, self.running.state.status)
            self.before = self.tally.done - sum(event.what is Happening.SUCCEEDED for event in events)
            if self.page is not None:
                self.page.begin(self.running.state)
        return events

    def _heed(self, signals: Signals) -> None:
        done = signals.heed(self.running.stop, self.running.terminate)
        if done:
            self._stopping = True
            self.running.state.put("stopping", "waits" if done == 1 else "ends")  # for `eligo status`
            self.running.state.commit()
        if done == 1:
            runs = (
                "1 runs on; Ctrl-C again ends it"
                if self._runs == 1
                else f"{self._runs:,} run on; Ctrl-C again ends them"
            )
            self._say(f"no new jobs are started; {runs}")
        elif done == 2:
            self._say(f"ending {plural(self._runs, 'running job')}; Ctrl-C leaves at once")

    def _say(self, text: str) -> None:
        self.view.say(text)
        self.log.note(text)
        if self.page is not None:
            self.page.note(text, self.running.state)

    def _tell(self, events: list[Event]) -> None:
        names, status = self.plan.dag.names, self.running.state.status
        if self.page is not None:
            self.page.tell(events, self.running.state)
        self.log.tell(events, names, self.running.state.now_s())
        if self.lines is not None:
            self.lines.tell(events, names)
        for event in events:
            if event.job >= 0:
                self.tally.look(event.job, status[event.job])
            self._final_done |= event.job < 0 and event.what is Happening.SUCCEEDED
            said = event.text if event.job < 0 else f"{short(names[event.job])}: {event.text}"
            if event.what is Happening.NOTE:
                self.view.say(said)
            elif event.what is Happening.FAILED:
                self._failures += 1
                if self._failures <= _SHOWN:
                    self.view.say(f"failed: {said}")
                elif self._failures == _SHOWN + 1:
                    self.view.say(f"more jobs fail; {self.log.path} names them")

    def _line(self, room: int | None) -> str:
        return progress_line(
            self.tally,
            self.elapsed_s,
            running=self._runs,
            room=room,
            memory=self._memory(),
            stopping=self._stopping,
        )

    @property
    def _runs(self) -> int:
        """How many jobs run: those that have ended but whose end is not on the disk yet count no more."""
        return min(self.tally.running, self.running.engine.slots or self.tally.running)

    def _memory(self) -> str:
        footprint, used = self.plan.footprint, getattr(self.running.engine, "occupied", None)
        if footprint is None or used is None:
            return ""
        return f"{amount(used, footprint.rules.unit)} of {limit_text(self.plan)}"

    def finish(self, order: str, args: argparse.Namespace, signals: Signals) -> Ended:
        """Let the run write what it leaves behind, and print what came of it."""
        running = self.running
        outcome = running.finish()
        status = outcome.exit_status
        retried = sum(attempts > 1 for attempts in running.state.attempts)
        ended = Ended(
            path=self.plan.document.source.path,
            engine=args.engine,
            order=order,
            dag=self.plan.dag,
            final=self.plan.final.name if self.plan.final is not None else "",
            final_done=self.plan.final is not None and (self._final_done or not status),
            outcome=outcome,
            exit_status=signals.status if status and signals.status is not None else status,
            before=self.before,
            elapsed_s=self.elapsed_s,
            exit_codes=running.state.exit_code,
            retried=retried,
            logs=running.engine.logs,
            log=self.log.path,
            resume=resuming(args.words),
            limit=limit_text(self.plan),
            occupied=_occupied(self.plan, outcome, in_one_go=not (self.before or args.resume or retried)),
            args=args,
        )
        counts = f"{len(outcome.failed):,} failed, {outcome.never:,} never ran"
        self.log.note(f"over: {plural(outcome.done, 'job')} done, {counts}")
        if self.page is not None:
            self.page.note("eligo report FILE --run -o page.html keeps this page", running.state)
            self.page.finish("The run is over.", ended.exit_status)
        if self.lines is not None:
            self.lines.write([{"event": "summary", **ended_facts(ended)}])
        else:
            self.output.write(f"{ended_text(ended)}\n")
        self._show(outcome, args)
        return ended

    def _show(self, outcome: Outcome, args: argparse.Namespace) -> None:
        """Draw the run where that is wanted; what goes wrong with it takes nothing from the run."""
        plan = self.plan
        try:
            title = f"{plan.document.source.path} on {args.engine}"
            show_trace(Shown(outcome.trace, plan.footprint, title, "what ran when", limit=plan.limit), args)
        except EligoError as error:
            self.view.say(f"warning: {error.where}{error.text}: eligo status has --gantt and --trace, too")


def limit_text(plan: Plan) -> str:
    """Return how much all jobs together may occupy, and of what; nothing where there is no limit."""
    if plan.footprint is None or plan.limit is None:
        return ""
    rules = plan.footprint.rules
    return f"{amount(plan.limit, rules.unit)} {rules.resource}"


def _occupied(plan: Plan, outcome: Outcome, *, in_one_go: bool) -> Occupied | None:
    """Return what was occupied under a limit; a run in one go is one in which no job was done or tried before."""
    if plan.footprint is None or plan.limit is None or outcome.peak is None:
        return None
    rules = plan.footprint.rules
    return Occupied(
        outcome.peak,
        at_least=not in_one_go or bool(outcome.repeated) or outcome.done < plan.dag.n,
        kept_files=rules.resource == "disk" and not plan.delete_intermediate,
        limit=plan.limit,
        resource=rules.resource,
        unit=rules.unit,
    )


def _added_edges(dag: Dag, given: Dag) -> list[list[int]]:
    """Return tails and heads of what one dag has beyond another."""
    ours = ~joined(given, dag.tails, dag.heads)
    return [dag.tails[ours].tolist(), dag.heads[ours].tolist()]


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
        from eligo.priority._prioritize import STRATEGIES
        from eligo.report._page.findings import Wish, find, footprint_or_reason
        from eligo.report._page.render import render

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
