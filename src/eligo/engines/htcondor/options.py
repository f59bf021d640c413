"""Options for ``condor_submit_dag`` that a person gives after ``--``, and those that would break a run.

Only options that we know are handed on, written in full: the tool takes abbreviations, and a word that it takes for
something else could submit another DAG, or ours twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from eligo.errors import EngineError

__all__ = ["check_options"]

_ALONE_WORDS = (
    "-verbose -no_recurse -do_recurse -import_env -allowlogerror -suppress_notification -dont_suppress_notification "
    "-alwaysrunpost -dontalwaysrunpost -allowversionmismatch"
)
_VALUE_WORDS = (
    "-maxidle -maxjobs -maxpre -maxpost -maxhold -priority -append -insert_sub_file -batch-name -batch-id "
    "-notification -debug -config -include_env -insert_env -submitmethod"
)
_ALONE, _WITH_VALUE = frozenset(_ALONE_WORDS.split()), frozenset(_VALUE_WORDS.split())
_REFUSED = {
    "-no_submit": "nothing would run",
    "-force": "the record of what was done would be thrown away",
    "-f": "the record of what was done would be thrown away",
    "-update_submit": "every submission has files of its own",
    "-usedagdir": "DAGMan must run where the paths of the workflow begin",
    "-outfile_dir": "DAGMan's log must be where it is looked for",
    "-autorescue": "what was done is known from the state of the run",
    "-dorescuefrom": "what was done is known from the state of the run: --resume, or --restart for all",
    "-load_save": "what was done is known from the state of the run",
    "-dumprescue": "nothing would run",
    "-dorecov": "DAGMan decides by itself whether it has to recover",
    "-r": "the queue must be the one that is asked about the run",
    "-remote": "the queue must be the one that is asked about the run",
    "-schedd-daemon-ad-file": "the queue must be the one that is asked about the run",
    "-schedd-address-file": "the queue must be the one that is asked about the run",
    "-dagman": "it must be the DAGMan that belongs to the queue",
    "-help": "ask condor_submit_dag itself",
    "-version": "ask condor_submit_dag itself",
}


def check_options(options: Sequence[str]) -> tuple[tuple[str, str | None], ...]:
    """Return the options as pairs of a name and its value, if any.

    Raises
    ------
    EngineError
        One is unknown, lacks its value, or would break the run.

    Examples
    --------
    >>> check_options(["-MaxIdle", "100", "-verbose"])
    (('-MaxIdle', '100'), ('-verbose', None))
    >>> check_options(["-no_submit"])
    Traceback (most recent call last):
        ...
    eligo.errors.EngineError: condor_submit_dag -no_submit cannot be used here: nothing would run
    """
    found: list[tuple[str, str | None]] = []
    left = list(options)
    while left:
        word = left.pop(0)
        name = word.lower()
        if name in _REFUSED:
            raise EngineError(f"condor_submit_dag {word} cannot be used here: {_REFUSED[name]}")
        if name in _ALONE:
            found.append((word, None))
        elif name not in _WITH_VALUE:
            known = ", ".join(sorted(_ALONE | _WITH_VALUE))
            raise EngineError(f"{word!r} is not an option of condor_submit_dag that can be used here", hint=known)
        elif not left:
            raise EngineError(f"condor_submit_dag {word} needs a value")
        else:
            found.append((word, left.pop(0)))
    return tuple(found)
