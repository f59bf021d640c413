r"""What Eligo makes of each command of a submit description: done, harmless, told of, or refused.

A command that asks for another machine (a universe, a container), for another order of events (holding, waiting until a
time) or for another meaning of success is refused, with its line: ignoring it would run the wrong thing. One that only
limits or prefers is told of once. Everything else that is not done here says how HTCondor should look after the job,
and has no meaning outside.

The two syntaxes of ``arguments`` and ``environment`` in a submit description.

*New*, where the value begins with a double quote: all between it and the closing one, a doubled quote standing for one;
inside, white space parts words, single quotes keep it, a doubled single quote within them is one, and a word may be
quoted in parts: ``"a 'b c' d""e f'g h'i"`` is ``a``, ``b c``, ``d"e``, ``fg hi``.

*Old* otherwise. Arguments are parted by white space, and nothing quotes; a double quote is written ``\"``. Environment
entries are parted by semicolons; blanks before a name do not count, all other characters stand for themselves.
"""

from __future__ import annotations

import re

__all__ = [
    "CLOSELY",
    "Unreadable",
    "meant",
    "read_arguments",
    "read_environment",
    "refusal",
    "remark",
]

_VANILLA = frozenset({"vanilla", "local", "scheduler", "5", "7", "12"})
_UNIVERSES = ("vanilla", "local", "scheduler", "grid", "java", "parallel", "vm", "docker", "container")
_FALSE = frozenset({"false", "no", "f", "n", "0", ""})
_REFUSED = {
    "docker_image": "a docker image",
    "container_image": "a container image",
    "hold": "hold",
    "noop_job": "noop_job",
    "deferral_time": "deferral_time",
    "cron_minute": "cron_minute",
    "cron_hour": "cron_hour",
    "cron_day_of_month": "cron_day_of_month",
    "cron_month": "cron_month",
    "cron_day_of_week": "cron_day_of_week",
    "output_destination": "output_destination",
    "retry_until": "retry_until",
    "success_exit_code": "success_exit_code",
    "machine_count": "machine_count",
    "vm_type": "vm_type",
    "grid_resource": "grid_resource",
    "jar_files": "jar_files",
    "transfer_output_directory": "transfer_output_directory",
}
_TOLD = {
    "requirements": "is not evaluated: the job runs wherever Eligo runs it",
    "concurrency_limits": "is not kept to",
    "request_gpus": "is not kept to: no device is reserved",
    "periodic_hold": "is not evaluated",
    "periodic_release": "is not evaluated",
    "periodic_remove": "is not evaluated",
    "periodic_vacate": "is not evaluated",
    "on_exit_hold": "is not evaluated",
    "on_exit_remove": "is not evaluated",
    "allowed_execute_duration": "is not kept to",
    "allowed_job_duration": "is not kept to",
    "job_machine_attrs": "is not recorded",
    "stack_size": "is not kept to",
}
CLOSELY = frozenset({"universe", "when_to_transfer_output", *_REFUSED, *_TOLD})
"""The commands that may be refused or told of."""


def refusal(name: str, value: str) -> str:
    """Say why a command cannot be done outside HTCondor; nothing where it can.

    Examples
    --------
    >>> refusal("universe", "docker"), refusal("universe", "Vanilla"), refusal("hold", "false")
    ('a job of the docker universe', '', '')
    """
    word = value.strip().lower()
    if name == "universe":
        return "" if word in _VANILLA or not word else f"a job of the {value.strip()} universe"
    return "" if name not in _REFUSED or word in _FALSE else _REFUSED[name]


def meant(name: str, value: str) -> str:
    """Return what may have been meant by something that was refused; nothing where that is as it seems.

    Examples
    --------
    >>> meant("universe", "vanila"), meant("universe", "docker"), meant("hold", "true")
    ('did you mean universe = vanilla?', '', '')
    """
    import difflib

    word = value.strip().lower()
    near = difflib.get_close_matches(word[:40], _UNIVERSES, 1) if name == "universe" and word not in _UNIVERSES else []
    return f"did you mean universe = {near[0]}?" if near else ""


def remark(name: str, value: str) -> str:
    """Say what is taken otherwise than it is written; nothing where nothing is.

    Examples
    --------
    >>> remark("requirements", "Memory > 3"), remark("periodic_hold", "false"), remark("notification", "never")
    ('requirements is not evaluated: the job runs wherever Eligo runs it', '', '')
    """
    word = value.strip().lower()
    if name == "when_to_transfer_output" and word == "on_success":
        return "when_to_transfer_output = on_success is taken as on_exit"
    if name not in _TOLD or word in _FALSE or (name == "on_exit_remove" and word in ("true", "yes", "1")):
        return ""
    return f"{name} {_TOLD[name]}"


_SPACE = " \t\n\r"
_BLANKS = re.compile(f"[{_SPACE}]+")
_PLAIN = re.compile(f"[^'{_SPACE}]*")


class Unreadable(Exception):  # noqa: N818 - it becomes a ParseError where file and line are known
    """A value follows neither syntax."""


def read_arguments(value: str, *, new_only: bool = False) -> tuple[str, ...]:
    r"""Return the arguments a value stands for.

    Parameters
    ----------
    new_only
        Whether the old syntax is not allowed, as for ``arguments2``.

    Examples
    --------
    >>> read_arguments("\"one 'two words' '' 'it''s' \"\"4\"\"\""), read_arguments(r'a \"b\"')
    (('one', 'two words', '', "it's", '"4"'), ('a', '"b"'))
    """
    text = value.strip(_SPACE)
    if text.startswith('"'):
        return tuple(_split(_unquote(text)))
    if new_only:
        raise Unreadable("the value is not in double quotes")
    return tuple(word for word in _BLANKS.split(_unescape(text)) if word)


def read_environment(value: str, *, new_only: bool = False) -> dict[str, str]:
    r"""Return the variables a value sets.

    Examples
    --------
    >>> read_environment("a=1; b=x=y;"), read_environment("\"a=1 b='it''s'\"")
    ({'a': '1', 'b': 'x=y'}, {'a': '1', 'b': "it's"})
    """
    text = value.strip(_SPACE)
    if text.startswith('"'):
        entries = _split(_unquote(text))
    elif new_only:
        raise Unreadable("the value is not in double quotes")
    else:
        entries = [entry.lstrip(_SPACE) for entry in re.split("[;\n]", text)]
    found: dict[str, str] = {}
    for entry in entries:
        name, equals, content = entry.partition("=")
        if not entry:
            continue
        if not equals or not name:
            raise Unreadable(f"{entry!r} is not NAME=value")
        found[name] = content
    return found


def _unescape(text: str) -> str:
    """Return a value of the old syntax with its double quotes; an escape never is two characters of one word."""
    parts = text.split(r"\"")
    if any('"' in part for part in parts):
        raise Unreadable('a double quote is not escaped; write \\" or put the whole value in double quotes')
    return '"'.join(parts)


def _unquote(text: str) -> str:
    """Return what stands between the outer double quotes."""
    parts = text[1:].split('""')
    for i, part in enumerate(parts):
        if '"' in part:
            last, _, rest = part.partition('"')
            if rest or i + 1 < len(parts):
                raise Unreadable("something follows the closing double quote; a double quote inside is written twice")
            return '"'.join((*parts[:i], last))
    raise Unreadable("the double quote at the beginning is not closed")


def _split(text: str) -> list[str]:
    if "'" not in text:
        return [word for word in _BLANKS.split(text) if word]
    words: list[str] = []
    parts: list[str] | None = None
    at = 0
    while at < len(text):
        if text[at] in _SPACE:
            if parts is not None:
                words.append("".join(parts))
            parts = None
            at += 1
            continue
        parts = [] if parts is None else parts
        if text[at] == "'":
            end = _closing(text, at + 1)
            parts.append(text[at + 1 : end].replace("''", "'"))
            at = end + 1
        else:
            plain = _PLAIN.match(text, at)
            assert plain is not None  # it matches nothing, too
            parts.append(plain[0])
            at = plain.end()
    return words if parts is None else [*words, "".join(parts)]


def _closing(text: str, at: int) -> int:
    while (end := text.find("'", at)) >= 0:
        if not text.startswith("''", end):
            return end
        at = end + 2
    raise Unreadable("a single quote is not closed")
