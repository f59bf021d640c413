"""Whether a process of long ago still runs: its number may be another's by now."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["boot_id", "leader_lives", "session_lives"]

_PROC = Path("/proc")


def boot_id() -> str:
    """Return what is different each time the machine starts; nothing where the system does not tell."""
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def session_lives(pid: int, ticks: int) -> bool:
    """Tell whether a process that led a session lives, or any other of its session.

    Parameters
    ----------
    pid, ticks
        The number of the process, and when it was made, in the kernel's count.

    Examples
    --------
    >>> import subprocess
    >>> with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:
    ...     made = int(_stat(child.pid)[19])
    ...     print(session_lives(child.pid, made), session_lives(child.pid, made + 1))
    ...     child.kill()
    True False
    >>> session_lives(child.pid, made)
    False
    """
    if not _PROC.is_dir():
        return _answers(pid)
    leader = _stat(pid)
    if leader:
        if leader[0] not in "ZX":
            return int(leader[19]) == ticks
        if int(leader[19]) != ticks:
            return False
    return any(
        fields and fields[0] not in "ZX" and int(fields[3]) == pid
        for fields in (_stat(int(entry.name)) for entry in _PROC.iterdir() if entry.name.isdigit())
    )


def leader_lives(pid: int, ticks: int) -> bool:
    """Tell whether the process itself lives, whatever else there is of its session.

    Examples
    --------
    >>> leader_lives(os.getpid(), -1)
    False
    """
    if not _PROC.is_dir():
        return _answers(pid)
    leader = _stat(pid)
    return bool(leader) and leader[0] not in "ZX" and int(leader[19]) == ticks


def _stat(pid: int) -> list[str]:
    """Return the fields after the name, from the state on; nothing where there is no such process."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
