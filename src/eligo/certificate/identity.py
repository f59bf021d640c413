"""Which dag a certificate is about: a digest of its jobs and edges that does not depend on how a file orders them.

The text that is hashed is JSON in ASCII without blanks: ``[names, arcs]``, where `names` are the job names sorted by
code point and `arcs` is one flat list of places in `names`, tail and head of each edge in turn, edges ascending. Times
and data are no part of it: what is said of memory depends on data, and has a digest of these beside it.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np

from eligo.dag import Dag

__all__ = ["digest"]


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
