"""The engines by the words that name them on a command line."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from eligo.engines.base import Engine
from eligo.engines.plan import Plan
from eligo.engines.state import State
from eligo.errors import EngineError

__all__ = ["ENGINES", "check_engine", "make_engine"]

ENGINES = ("local", "htcondor", "slurm", "dask")


def check_engine(word: str) -> str:
    """Return the name of the engine that a word asks for.

    Examples
    --------
    >>> check_engine("dask:tcp://127.0.0.1:8786")
    'dask'
    >>> check_engine("condor")
    Traceback (most recent call last):
        ...
    eligo.errors.EngineError: there is no engine 'condor'
    hint: did you mean htcondor?
    """
    name, colon, address = word.partition(":")
    if name in ENGINES and (not colon or (name == "dask" and address)):
        return name
    close = get_close_matches(name, ENGINES, 1)
    hint = f"did you mean {close[0]}?" if close and not colon else f"there are {', '.join(ENGINES)} and dask:ADDRESS"
    raise EngineError(f"there is no engine {word!r}", hint=hint)


def make_engine(
    word: str,
    plan: Plan,
    state: State,
    options: Sequence[str] = (),
    slots: int | None = None,
    *,
    presume_dead: bool = False,
) -> Engine:
    """Return an engine that has looked at the plan and can do it.

    Parameters
    ----------
    word
        ``local``, ``htcondor``, ``slurm``, ``dask`` or ``dask:ADDRESS``.
    slots
        How many jobs run at once, where the engine is ours to size.
    presume_dead
        Whether nothing that an earlier run started on another machine can still run.
    """
    name = check_engine(word)
    address = word.partition(":")[2] or None
    if slots is not None and (name in ("htcondor", "slurm") or address is not None):
        raise EngineError(
            f"how many jobs run at once is for the {name} cluster to say",
            hint="leave --slots out, or pass its options after --",
        )
    if name == "local":
        from eligo.engines.local import Local

        return Local(plan, state, options, slots=slots, presume_dead=presume_dead)
    if name == "htcondor":
        from eligo.engines.htcondor import HTCondor

        return HTCondor(plan, state, options)
    if name == "slurm":
        from eligo.engines.slurm import Slurm

        return Slurm(plan, state, options)
    from eligo.engines.dask import Dask

    return Dask(plan, state, options, address=address, slots=slots)
