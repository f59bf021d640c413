"""The MemoryCertificate: what any execution of a dag occupies at most, what an order occupies, what none goes below.

It is a certificate like the others, with other numbers; ``memory_verification.py`` judges it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import ArrayLike

from eligo.certificate._identity import digest
from eligo.certificate._methods.occupancy import RULES, Occupancy, occupancy
from eligo.certificate._schema import HEADER, Saved, all_of, check_header, check_keys, check_numbers, plain, shown
from eligo.dag import Dag, Int64
from eligo.errors import CertificateError

__all__ = ["MemoryCertificate", "numbered"]

_NUMBERS = ("worst_peak", "attained_peak", "sequential_peak", "lower_bound")
_REQUIRED = ("claim", "digest", "jobs", "edges", "data_digest", "rules", "order", *_NUMBERS, "witness")


@final
@dataclass(frozen=True, slots=True)
class MemoryCertificate(Saved):
    """What is said of the memory of a dag's executions, with what is needed to check it.

    Attributes
    ----------
    digest, jobs, edges
        Which dag it is about.
    data_digest
        The digest of what counts by these rules: see ``occupancy.py``.
    rules
        The words for ``model``, ``resource``, ``unread`` and ``inputs``.
    order
        Job names, in an order in which they can be executed one by one.
    worst_peak
        No execution, sequential or parallel, ever occupies more.
    attained_peak
        There is an execution that occupies this much. Where it equals `worst_peak`, that is exact.
    sequential_peak
        What the order occupies at most, one job at a time.
    lower_bound
        No execution has a smaller peak.
    witness
        Why all this is true, as plain JSON; docs/certificates.md tells how it is to be read.
    assumptions
        What is taken for granted, in words.

    Examples
    --------
    A job b that needs 3 beside the 10 that it reads, and nothing else:

    >>> from eligo.dag import Data
    >>> dag = Dag.from_names([("a", "b")], data=Data.per_edge([0], [1], [10]), temp_bytes=[0, 3])
    >>> rules = {"model": "classical", "resource": "memory", "unread": "stay", "inputs": "ignore"}
    >>> witness = {
    ...     "worst": {"by": "flow", "senders": [], "receivers": [], "amounts": []},
    ...     "attained": {"started": [0, 1], "ended": [0]},
    ...     "last_reader": [],
    ...     "least": {"by": "need", "job": 1},
    ... }
    >>> certificate = MemoryCertificate.of(
    ...     dag, rules, [0, 1], worst_peak=13, attained_peak=13, sequential_peak=13, lower_bound=13, witness=witness
    ... )
    >>> certificate.claim, certificate.order, certificate.worst_peak
    ('memory', ('a', 'b'), 13)
    >>> MemoryCertificate.from_json(certificate.to_json()) == certificate
    True
    """

    claim: ClassVar[str] = "memory"

    digest: str
    jobs: int
    edges: int
    data_digest: str
    rules: dict[str, str]
    order: tuple[str, ...]
    worst_peak: int
    attained_peak: int
    sequential_peak: int
    lower_bound: int
    witness: dict[str, Any]
    assumptions: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        dag: Dag,
        rules: Mapping[str, str],
        order: ArrayLike,
        *,
        worst_peak: int,
        attained_peak: int,
        sequential_peak: int,
        lower_bound: int,
        witness: Mapping[str, Any],
        assumptions: Iterable[str] = (),
    ) -> MemoryCertificate:
        """Make a certificate; arrays and tuples in the witness become lists.

        Parameters
        ----------
        order
            Job numbers.
        witness
            In the form of docs/certificates.md, but that data are numbered as the dag numbers those that count; here
            they get the numbers that depend on no file.
        """
        stated = _checked_rules(dict(rules))
        counted, data = numbered(dag, stated)
        number = np.empty(counted.k, np.int64)
        number[data] = np.arange(counted.k)
        return cls(
            digest(dag),
            dag.n,
            dag.m,
            counted.digest(),
            stated,
            tuple(dag.names[job] for job in np.asarray(order).tolist()),
            int(worst_peak),
            int(attained_peak),
            int(sequential_peak),
            int(lower_bound),
            _renumbered(dict(witness), 2 * dag.n, number),
            tuple(assumptions),
        )

    def __post_init__(self) -> None:
        all_of(str, [self.digest, self.data_digest], "digest and data_digest must be text")
        for name in ("jobs", "edges", *_NUMBERS):
            check_numbers([getattr(self, name)], f"{name} must be a whole number")
        _checked_rules(self.rules)
        all_of(str, self.order, "order must be a list of job names")
        all_of(str, self.assumptions, "assumptions must be a list of texts")
        if not isinstance(self.witness, dict):
            raise CertificateError(f"the witness must be a mapping, not {shown(self.witness)}")
        object.__setattr__(self, "witness", plain(self.witness))

    @property
    def exact(self) -> bool:
        """Whether the worst peak is attained by an execution."""
        return self.worst_peak == self.attained_peak

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as plain values for ``json.dumps``."""
        return {
            **HEADER,
            **{name: getattr(self, name) for name in _REQUIRED},
            "rules": dict(self.rules),
            "order": list(self.order),
            "assumptions": list(self.assumptions),
        }

    @classmethod
    def from_json(cls, value: object) -> MemoryCertificate:
        """Make a certificate from plain values, of which nothing is known.

        Raises
        ------
        CertificateError
            A key is missing, unknown, or its value of the wrong type.
        """
        value = check_header(value)
        if value.get("claim") != cls.claim:
            raise CertificateError(f"the claim is {shown(value.get('claim'))}, not 'memory'")
        check_keys(value, _REQUIRED, ["assumptions"])
        lists = {name: value.get(name, []) for name in ("order", "assumptions")}
        for name, one in lists.items():
            if type(one) is not list:
                raise CertificateError(f"{name} must be a list, not {shown(one)}")
        given = {name: value[name] for name in _REQUIRED if name != "claim"}
        return cls(**given | {name: tuple(one) for name, one in lists.items()})


def numbered(dag: Dag, rules: Mapping[str, str]) -> tuple[Occupancy, Int64]:
    """Return what counts, jobs by sorted name and data in their own order; and which of the dag's data these are."""
    place = np.empty(dag.n, np.int64)
    place[sorted(range(dag.n), key=dag.names.__getitem__)] = np.arange(dag.n)
    found = occupancy(dag, rules).renumbered(place)
    data = found.ascending()
    return found.only(data), data


def _checked_rules(rules: object) -> dict[str, str]:
    if type(rules) is not dict or set(rules) != set(RULES):
        raise CertificateError(f"rules must be a mapping with the keys {', '.join(RULES)}")
    for name, words in RULES.items():
        if type(rules[name]) is not str or rules[name] not in words:
            raise CertificateError(f"unknown {name} {shown(rules[name])}", hint=f"one of: {', '.join(words)}")
    return rules


def _renumbered(witness: dict[str, Any], first: int, number: Int64) -> dict[str, Any]:
    """Return a witness with other numbers for the data; their events are `first` and those that follow."""
    rows = np.array(witness["last_reader"], np.int64).reshape(-1, 2)
    rows[:, 0] = number[rows[:, 0]]
    changed = {**witness, "last_reader": rows[np.argsort(rows[:, 0], kind="stable")]}
    for part in ("worst", "least"):
        flow = witness[part]
        if flow is not None and "senders" in flow:
            ends = {end: _events(flow[end], first, number) for end in ("senders", "receivers")}
            changed[part] = {**flow, **ends}
    return changed


def _events(given: ArrayLike, first: int, number: Int64) -> Int64:
    events = np.array(given, np.int64)
    of_data = events >= first
    events[of_data] = first + number[events[of_data] - first]
    return events
