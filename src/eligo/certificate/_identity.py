"""Which dag a certificate is about: a digest of its jobs and edges that does not depend on how a file orders them.

The text that is hashed is JSON in ASCII without blanks: ``[names, arcs]``, where `names` are the job names sorted by
code point and `arcs` is one flat list of places in `names`, tail and head of each edge in turn, edges ascending. Times
and data are no part of it: what is said of memory depends on data, and has a digest of these beside it.

Whether a certificate is about this dag, and its order can be executed: asked whatever the claim is.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np

from eligo.certificate._schema import shown
from eligo.dag import Dag, Int64
from eligo.errors import CertificateError

if TYPE_CHECKING:
    from eligo.certificate._certificate import Certificate
    from eligo.certificate._memory_certificate import MemoryCertificate

__all__ = [
    "check_identity",
    "digest",
    "placed",
]


def digest(dag: Dag) -> str:
    """Return the digest of a dag's jobs and edges.

    Examples
    --------
    >>> digest(Dag.from_names([("a", "b"), ("a", "c")]))
    'sha256:e1a96db016d181f4ec1358972ee5f0c607e049d4cd2adab0c6fa5bd5d0e89c51'
    >>> digest(Dag.from_names([("a", "c"), ("a", "b")])) == digest(Dag.from_names([("a", "b"), ("a", "c")]))
    True
    """
    by_name = sorted(range(dag.n), key=dag.names.__getitem__)
    place = np.empty(dag.n, np.int64)
    place[by_name] = np.arange(dag.n)
    tails, heads = place[dag.tails], place[dag.heads]
    ascending = np.lexsort((heads, tails))
    arcs = np.stack([tails[ascending], heads[ascending]], axis=1).ravel()
    text = json.dumps([[dag.names[job] for job in by_name], arcs.tolist()], separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode('ascii')).hexdigest()}"


def check_identity(certificate: Certificate | MemoryCertificate, dag: Dag) -> None:
    """Refuse a certificate about another dag."""
    for what, stated, true in (("jobs", certificate.jobs, dag.n), ("edges", certificate.edges, dag.m)):
        if stated != true:
            raise CertificateError(
                f"the certificate is about another workflow: one of {shown(stated)} {what}, where this has {true:,}"
            )
    if certificate.digest != (true_digest := digest(dag)):
        raise CertificateError(
            "the certificate is about another workflow: "
            f"its digest is {shown(certificate.digest)}, where this has {true_digest}",
            hint="was a job renamed, added, or an edge changed since?",
        )


def placed(certificate: Certificate | MemoryCertificate, dag: Dag) -> tuple[Int64, Int64, Int64]:
    """Return the place of each job in the order, and the arcs as pairs of places, all of which lead forward.

    The order must name every job once and none before a parent.
    """
    if len(certificate.order) != dag.n:
        raise CertificateError(f"the order names {len(certificate.order):,} jobs of {dag.n:,}")
    number = dict(zip(dag.names, range(dag.n), strict=True))
    jobs = np.array([number.get(name, -1) for name in certificate.order], np.int64)
    if np.any(unknown := jobs < 0):
        name = certificate.order[int(np.argmax(unknown))]
        raise CertificateError(f"the order names {shown(name)}, which is no job of this workflow")
    if np.any(repeated := np.bincount(jobs, minlength=dag.n) > 1):
        raise CertificateError(f"the order names job {shown(dag.names[int(np.argmax(repeated))])} twice")
    place = np.empty(dag.n, np.int64)
    place[jobs] = np.arange(dag.n)
    tails, heads = place[dag.tails], place[dag.heads]
    if np.any(early := heads < tails):
        arc = int(np.argmax(early))
        child, parent = dag.names[dag.heads[arc]], dag.names[dag.tails[arc]]
        raise CertificateError(f"in the order job {shown(child)} stands before {shown(parent)}, which it waits for")
    return place, tails, heads
