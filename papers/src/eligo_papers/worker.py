"""A step in a process of its own: what it is comes as JSON on standard input, what it found goes to standard output.

So a step that needs too much memory, or a solver that takes its process down, costs that step only; and whoever
interrupts the work can end it at once. The process does not see Ctrl-C, which reaches its parent, and ends by itself
when its parent is gone.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from importlib import import_module

from eligo.errors import EligoError
from eligo.simulation._process_executor import end_without

__all__ = ["serve"]


def serve(parent: int) -> None:
    """Do the step that standard input tells of."""
    threading.Thread(target=end_without, args=(parent,), daemon=True).start()
    request = json.load(sys.stdin)
    answer = os.dup(1)
    os.dup2(2, 1)  # what a step or a library prints must not get in between
    run = getattr(import_module(request["module"]), request["function"])
    try:
        told = {"found": run(**request["arguments"])}
    except EligoError as error:
        told = {"text": error.text, "hint": error.hint}
    with os.fdopen(answer, "w") as stream:
        json.dump(told, stream)
