"""After a success: sizes of files are taken down, and files that only feed other jobs go away where that is wanted.

The local engine does it before it starts the next job, so that a disk bound holds at every moment. For the others it is
done as soon as their successes are heard of; they may have started the next job by then.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from eligo.engines.files_seen import FilesSeen
from eligo.engines.plan import Plan
from eligo.engines.state import JobStatus, State

__all__ = ["Cleaning"]


class Cleaning:
    """Looks at the files of jobs that have succeeded.

    Attributes
    ----------
    troubles
        Files that could not be deleted, and why, as sentences; whoever tells of them empties the list.
    """

    def __init__(self, plan: Plan, state: State) -> None:
        done = [job for job, status in enumerate(state.status) if status == JobStatus.DONE]
        self.troubles: list[str] = []
        self._state = state
        self._deletes = plan.delete_intermediate
        self._files = FilesSeen(plan, done, since=state.get("began"))
        self._delete(self._files.left_over())

    def succeeded(self, job: int) -> None:
        """Take note of a success that is on the disk; what is found is in the state's next commit."""
        for name, size in self._files.after(job):
            self._state.saw_file(name, size)
        self._delete(self._files.deletable(job))

    def _delete(self, paths: Iterable[Path]) -> None:
        for path in paths if self._deletes else ():
            try:
                path.unlink()
            except OSError as error:
                self.troubles.append(f"{path} cannot be deleted: {error.strerror}")
