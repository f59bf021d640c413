"""Eligo beside its peers: libraries that answer one of its questions too, on the same workflows, in one run.

* ``cases``: the workflows
* ``registry``: the peers, and what is asked of them
* ``apart``: a process for each peer, so that one that is missing, crashes or never ends does not take others along
* ``with_dask``, ``with_networkx``, ``with_rustworkx``, ``with_ortools``, ``with_igraph``, ``with_highs``: the peers
* ``libraries``, ``closures``: what several of them are asked in the same way
* ``timing``: in turn, the best of several
* ``tables``: what is printed

Peers must come to the same results as we do, where results are of a kind to be the same: one that does not makes the
whole run fail.
"""
