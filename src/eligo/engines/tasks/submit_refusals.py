"""What Eligo makes of each command of a submit description: done, harmless, told of, or refused.

A command that asks for another machine (a universe, a container), for another order of events (holding, waiting until a
time) or for another meaning of success is refused, with its line: ignoring it would run the wrong thing. One that only
limits or prefers is told of once. Everything else that is not done here says how HTCondor should look after the job,
and has no meaning outside.
"""

from __future__ import annotations

__all__ = ["CLOSELY", "meant", "refusal", "remark"]

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
