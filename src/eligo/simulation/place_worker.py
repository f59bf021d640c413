"""A process that simulates what it is told to: the other end of ``place_processes``.

It reads messages from a descriptor that it inherited: setups, then blocks, each answered by its rows or by the
exception that came instead. It ends when nobody is at the other end any more. A block may take long, and while it is at
one it does not read: a thread looks whether the parent is still there. Simulations leave Python free to run it.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
import traceback
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["end_without", "serve"]


_LOOK_S = 1.0


def serve(descriptor: int, parent: int) -> None:
    """Answer messages until the other end is closed, or the parent (its process id) is gone."""
    threading.Thread(target=end_without, args=(parent,), daemon=True).start()
    run: Any = None
    setups: Any = ()
    with Connection(descriptor) as talk:
        while True:
            try:
                message = talk.recv_bytes()
            except (EOFError, OSError):
                return
            number = None
            try:
                number, content = pickle.loads(message)
                if number is None:
                    run, setups = content
                    continue
                setup, *block = content
                answer: Any = run(setups[setup], *block)
            except Exception as error:
                answer = _portable(error)
            try:
                talk.send((number, answer))
            except OSError:
                return


def end_without(parent: int) -> None:
    """End this process, whatever it does, once the parent is gone: then it has another one."""
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os._exit(1)


def _portable(error: Exception) -> Exception:
    """Return the exception, with a note of where it happened, in a form that can be sent."""
    note = "".join(traceback.format_exception(error)).rstrip()
    try:
        sent: Exception = pickle.loads(pickle.dumps(error))
    except Exception:
        sent = RuntimeError(f"{type(error).__name__}: {error}")
    sent.add_note(f"in another process:\n{note}")
    return sent
