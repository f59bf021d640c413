"""A process for each peer: what it finds comes back line by line.

OR-Tools and highspy cannot be imported into one process, and a peer may run out of memory, crash or never end. So each
is asked in a process of its own, which tells before each question that it begins it. If the process ends early, the
question that it had begun is left out, with the reason, and another process goes on with the rest. Time is limited by a
signal that nobody catches, so that compiled code cannot put it off. It goes by the clock on the wall: while a timer of
processor time is set, Linux counts that time in whole ticks, and nothing short can be measured.
"""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from benchmarks.peers.cases import Case, cases
from benchmarks.peers.registry import PEERS, LeftOut, Peer, Values

__all__ = ["Findings", "Settings", "ask"]

_ROOT = Path(__file__).resolve().parents[2]
_Unit = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Settings:
    """How large, and how long.

    Attributes
    ----------
    largest
        The number of jobs beyond which workflows are left out.
    seconds
        How long one question is repeated, by processor time; it is asked twice at least, the first time to check.
    deadline_s
        After how long a question is given up.
    memory_bytes
        How much address space a peer's process may have.
    """

    largest: int = 1_000_000
    seconds: float = 1.0
    deadline_s: float = 150.0
    memory_bytes: int = 8 * 2**30


@dataclass(slots=True)
class Findings:
    """What came of asking one peer.

    Attributes
    ----------
    version
        Of the library; empty where it is not there.
    missing
        Why it is not there; empty where it is.
    rows
        The row of each workflow, in the order in which they were met.
    values
        What came of each question on each workflow.
    left_out
        The reason why nothing did.
    failures
        The questions of which a peer and we made something different, or that failed for another reason of ours.
    """

    version: str = ""
    missing: str = ""
    rows: dict[str, str] = field(default_factory=dict)
    values: dict[_Unit, Values] = field(default_factory=dict)
    left_out: dict[_Unit, str] = field(default_factory=dict)
    failures: dict[_Unit, str] = field(default_factory=dict)

    @property
    def done(self) -> set[_Unit]:
        """The questions that need not be asked again."""
        return {*self.values, *self.left_out, *self.failures}


def ask(peer: Peer, directory: Path, settings: Settings) -> Findings:
    """Ask a peer all its questions on the workflows of a directory and on generated ones."""
    found = Findings()
    while not _ask_on(peer, directory, settings, found):
        pass
    return found


def _ask_on(peer: Peer, directory: Path, settings: Settings, found: Findings) -> bool:
    """Ask what has not been asked yet; return whether nothing is left to ask."""
    wish = {
        "peer": PEERS.index(peer),
        "directory": str(directory.resolve()),
        "settings": asdict(settings),
        "done": sorted(found.done),
    }
    command = [sys.executable, "-m", "benchmarks.peers.apart"]
    begun: _Unit | None = None
    with subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdin:
            json.dump(wish, process.stdin)
        for line in process.stdout:
            begun = _note(json.loads(line), found)
    if begun is not None:
        found.left_out[begun] = _how_it_ended(process.returncode, settings)
        return False
    if process.returncode and not found.missing:
        found.missing = f"{_how_it_ended(process.returncode, settings)} before the first question"
    return True


def _note(told: dict[str, Any], found: Findings) -> _Unit | None:
    """Take down one line; return the question that it begins."""
    if "question" not in told:
        found.version, found.missing = told.get("version", ""), told.get("missing", "")
        return None
    unit: _Unit = (told["question"], told["case"])
    found.rows.setdefault(told["case"], told["row"])
    if "values" in told:
        found.values[unit] = told["values"]
    elif "left_out" in told:
        found.left_out[unit] = told["left_out"]
    elif "failure" in told:
        found.failures[unit] = told["failure"]
    else:
        return unit
    return None


def _how_it_ended(status: int, settings: Settings) -> str:
    if -status == signal.SIGALRM:
        return f"not done after {settings.deadline_s:g} s"
    if status < 0:
        return f"its process ended by {signal.Signals(-status).name} (it may have {_memory(settings)} of memory)"
    return f"its process ended with exit status {status}"


def _memory(settings: Settings) -> str:
    return f"{settings.memory_bytes / 2**30:.0f} GiB"


# In the process of a peer


def _answer(peer: Peer, directory: Path, settings: Settings, done: set[_Unit]) -> Iterator[dict[str, Any]]:
    """Yield what is to be told, one question after the other."""
    try:
        questions = import_module(peer.module).QUESTIONS
        yield {"version": metadata.version(peer.distribution)}
    except ImportError as error:
        yield {"missing": f"{error} (pip install 'eligo[{peer.extra}]')"}
        return
    workflows = cases(directory, settings.largest)
    for question in peer.questions:
        for case in workflows:
            if (question, case.name) not in done:
                about = {"question": question, "case": case.name, "row": case.row}
                yield about
                yield about | _outcome(questions[question], case, settings)


def _outcome(question: Any, case: Case, settings: Settings) -> dict[str, Any]:
    """Ask one question, within its time."""
    dag = case.make()
    signal.setitimer(signal.ITIMER_REAL, settings.deadline_s)
    try:
        return {"values": question(dag, settings.seconds)}
    except LeftOut as reason:
        return {"left_out": str(reason)}
    except MemoryError:
        return {"left_out": f"{_memory(settings)} of memory do not suffice"}
    except Exception as error:
        traceback.print_exc()
        return {"failure": f"{type(error).__name__}: {error}"}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> None:
    wish = json.load(sys.stdin)
    settings = Settings(**wish["settings"])
    resource.setrlimit(resource.RLIMIT_AS, (settings.memory_bytes, settings.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    done = {(question, case) for question, case in wish["done"]}
    for told in _answer(PEERS[wish["peer"]], Path(wish["directory"]), settings, done):
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
