"""Steps done, several at a time, and their results kept: what is in a file already is not done again.

The file of a result is named after a digest of everything that it depends on: the function, its arguments, and all code
of Eligo and of this package. So a result is never taken for one of another version, and nothing has to be cleared away
by hand.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import cache
from pathlib import Path
from typing import Any

import eligo
from eligo import _core
from eligo.errors import EligoError
from eligo.formats._source import replace_file, writing
from eligo_papers.chapter import Step

__all__ = ["Kept", "run_steps"]

_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[2])
from eligo_papers.worker import serve
serve(int(sys.argv[1]))
"""


class Kept:
    """Results of steps in a folder, a file each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path_of(self, step: Step) -> Path:
        """Return where the result of a step is, or will be."""
        depends = [_digest_of_code(), step.run.__module__, step.run.__name__, dict(step.arguments)]
        digest = hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()
        return self.folder / f"{step.run.__name__.strip('_')}-{digest[:16]}.json"

    def get(self, step: Step) -> tuple[Any, float]:
        """Return the result of a step that is done, and how many seconds it took."""
        path = self.path_of(step)
        try:
            content = json.loads(path.read_bytes())
            return content["found"], content["seconds"]
        except (OSError, ValueError, KeyError) as error:
            raise EligoError(
                f"{path}: cannot be read: {error}", hint="remove it: the step is then done again"
            ) from None

    def put(self, step: Step, found: Any, seconds: float) -> None:
        """Keep the result of a step."""
        content = {"step": step.name, "arguments": dict(step.arguments), "seconds": round(seconds, 3), "found": found}
        replace_file(self.path_of(step), [json.dumps(content).encode()])


@cache
def _digest_of_code() -> str:
    """Return a digest of all that both distributions are made of."""
    compiled = Path(_core.__file__)  # installed for editing, it is not in Eligo's folder
    return _digest_of([Path(eligo.__file__).parent, Path(__file__).parent], compiled)


def _digest_of(packages: Iterable[Path], compiled: Path) -> str:
    """Return a digest of the code in packages, by the names and contents of their files, and of a compiled module."""
    digest = hashlib.sha256(eligo.__version__.encode())
    for folder in packages:
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{folder.name}/{path.relative_to(folder).as_posix()}".encode())
            digest.update(path.read_bytes())
    digest.update(compiled.read_bytes())
    return digest.hexdigest()


def run_steps(
    steps: Iterable[Step],
    folder: Path,
    *,
    processes: int = 1,
    on_progress: Callable[[float, str], None] | None = None,
) -> Kept:
    """Do the steps that are not done yet, and return where all their results are.

    Parameters
    ----------
    folder
        Where results are kept.
    processes
        How many steps at a time; those that measure time go one by one, after all others.
    on_progress
        Is told the share that is done, by what steps are thought to take, and the name of a step that is done now; the
        first call tells what was there.

    Raises
    ------
    EligoError
        A step failed; what others found is kept.
    """
    with writing(str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
    kept = Kept(folder)
    once = {kept.path_of(step): step for step in steps}
    todo = [step for path, step in once.items() if not path.exists()]
    todo.sort(key=lambda step: -step.weight)  # the longest first, so that none is left alone at the end
    whole = sum(step.weight for step in once.values()) or 1.0
    done = whole - sum(step.weight for step in todo)
    tell = on_progress or (lambda *_: None)
    tell(done / whole, "")
    for together, most in (
        ([step for step in todo if not step.alone], processes),
        ([step for step in todo if step.alone], 1),
    ):
        for step in _do(together, kept, most):
            done += step.weight
            tell(done / whole, step.name)
    return kept


def _do(steps: list[Step], kept: Kept, processes: int) -> Iterator[Step]:
    """Yield the steps as they are done; end all others if one fails or the caller goes."""
    children: dict[int, subprocess.Popen[str]] = {}
    over = threading.Event()

    def work(step: Step) -> Step:
        if not over.is_set():
            begin = time.monotonic()
            kept.put(step, _in_process(step, children, over), time.monotonic() - begin)
        return step

    with ThreadPoolExecutor(processes) as pool:
        waiting: set[Future[Step]] = {pool.submit(work, step) for step in steps}
        try:
            while waiting:
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from [one.result() for one in finished]
        finally:
            over.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for child in list(children.values()):
                child.kill()


def _in_process(step: Step, children: dict[int, subprocess.Popen[str]], over: threading.Event) -> Any:
    """Return what a step finds, done in a process of its own."""
    path = json.dumps([entry for entry in sys.path if isinstance(entry, str)])
    request = {"module": step.run.__module__, "function": step.run.__name__, "arguments": dict(step.arguments)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # which the new process inherits
    try:
        child = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(os.getpid()), path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    children[child.pid] = child
    if over.is_set():  # it was started while the others were ended
        child.kill()
    try:
        said, errors = child.communicate(json.dumps(request))
    finally:
        del children[child.pid]
    try:
        answer = json.loads(said)
    except ValueError:
        last = (errors.strip().splitlines() or ["nothing was said"])[-1]
        raise EligoError(
            f"the step {step.name} ended with status {child.returncode}: {last}",
            hint="what other steps found is kept: the same command resumes there; --processes 1 needs least memory",
        ) from None
    if "found" not in answer:
        raise EligoError(f"the step {step.name}: {answer['text']}", hint=answer["hint"])
    return answer["found"]
