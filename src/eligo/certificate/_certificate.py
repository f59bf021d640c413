"""The Certificate itself: a claim, the order it is about, and the witness; ``verification.py`` judges it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

from eligo.certificate._identity import digest
from eligo.certificate._schema import HEADER, Saved, all_of, check_header, check_keys, check_numbers, plain, shown
from eligo.errors import CertificateError
from eligo.schedule import Schedule

__all__ = ["CLAIMS", "Certificate"]

CLAIMS = ("ic-optimal", "no-ic-optimal", "bound", "profile")

_REQUIRED = ("claim", "digest", "jobs", "edges", "order", "profile", "area", "memory_cost")
_OPTIONAL = ("witness", "assumptions", "area_bound")


@final
@dataclass(frozen=True, slots=True)
class Certificate(Saved):
    """A claim about a dag, with what is needed to check it.

    Attributes
    ----------
    claim
        ``ic-optimal``: no execution has more ELIGIBLE jobs than the order at any step. ``no-ic-optimal``: no order is
        the best at every step. ``bound``: no order has an AREA above `area_bound`. ``profile``: only that the numbers
        are those of the order.
    digest, jobs, edges
        Which dag it is about.
    order
        Job names, in an order in which they can be executed.
    profile, area, memory_cost
        E(0), ..., E(n) of the order, their sum, and the largest number of open jobs.
    witness
        Why the claim is true, as plain JSON; positions in it are places in the order. ``None`` for ``profile``.
    assumptions
        What is taken for granted, in words.
    area_bound
        Of the claim ``bound``; ``None`` for all others.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> schedule = Schedule.of(Dag.from_names([("a", "b"), ("a", "c")]), [0, 1, 2])
    >>> certificate = Certificate.of(schedule, "ic-optimal", {"by": "concave"})
    >>> certificate.order, certificate.profile, certificate.area
    (('a', 'b', 'c'), (1, 2, 1, 0), 4)
    >>> Certificate.from_json(certificate.to_json()) == certificate
    True
    """

    claim: str
    digest: str
    jobs: int
    edges: int
    order: tuple[str, ...]
    profile: tuple[int, ...]
    area: int
    memory_cost: int
    witness: dict[str, Any] | None = None
    assumptions: tuple[str, ...] = ()
    area_bound: int | None = None

    @classmethod
    def of(
        cls,
        schedule: Schedule,
        claim: str,
        witness: Mapping[str, Any] | None = None,
        assumptions: Iterable[str] = (),
        area_bound: int | None = None,
    ) -> Certificate:
        """Make the certificate of a claim about a schedule; arrays and tuples in the witness become lists."""
        return cls(
            claim,
            digest(schedule.dag),
            schedule.dag.n,
            schedule.dag.m,
            tuple(schedule.names),
            tuple(schedule.profile.tolist()),
            schedule.area,
            schedule.memory_cost,
            None if witness is None else dict(witness),
            tuple(assumptions),
            area_bound,
        )

    def __post_init__(self) -> None:
        if self.claim not in CLAIMS:
            raise CertificateError(f"unknown claim {shown(self.claim)}", hint=f"one of: {', '.join(CLAIMS)}")
        all_of(str, [self.digest], "digest must be text")
        for name in ("jobs", "edges", "area", "memory_cost"):
            check_numbers([getattr(self, name)], f"{name} must be a whole number")
        if self.claim == "bound":
            check_numbers([self.area_bound], "area_bound must be a whole number")
        elif self.area_bound is not None:
            raise CertificateError(f"area_bound belongs to the claim 'bound', not to {self.claim!r}")
        all_of(str, self.order, "order must be a list of job names")
        check_numbers(self.profile, "profile must be a list of whole numbers")
        all_of(str, self.assumptions, "assumptions must be a list of texts")
        if self.witness is not None:
            if not isinstance(self.witness, dict):
                raise CertificateError(f"the witness must be a mapping, not {shown(self.witness)}")
            object.__setattr__(self, "witness", plain(self.witness))

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as plain values for ``json.dumps``."""
        return {
            **HEADER,
            **{name: getattr(self, name) for name in _REQUIRED},
            "order": list(self.order),
            "profile": list(self.profile),
            "witness": self.witness,
            "assumptions": list(self.assumptions),
            **({} if self.area_bound is None else {"area_bound": self.area_bound}),
        }

    @classmethod
    def from_json(cls, value: object) -> Certificate:
        """Make a certificate from plain values, of which nothing is known.

        Raises
        ------
        CertificateError
            A key is missing, unknown, or its value of the wrong type.

        Examples
        --------
        >>> Certificate.from_json({"eligo": "certificate", "version": 2})
        Traceback (most recent call last):
            ...
        eligo.errors.CertificateError: certificates of version 2 are unknown here
        hint: this program knows version 1
        """
        value = check_header(value)
        if value.get("claim") == "memory":
            raise CertificateError("this is a certificate about memory", hint="eligo.certificate.load reads any kind")
        check_keys(value, _REQUIRED, _OPTIONAL)
        lists = {name: value.get(name, []) for name in ("order", "profile", "assumptions")}
        for name, one in lists.items():
            if type(one) is not list:
                raise CertificateError(f"{name} must be a list, not {shown(one)}")
        given: dict[str, Any] = {name: value[name] for name in _REQUIRED}
        given |= {name: value.get(name) for name in _OPTIONAL}
        return cls(**given | {name: tuple(one) for name, one in lists.items()})
