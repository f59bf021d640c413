"""Orders that keep as many jobs ELIGIBLE as can be, and the theory that proves it.

One module an idea; the imports point down this list:

====================  =================================================================================================
``prioritizing``      :func:`~eligo.priority._prioritize.prioritize`: an order of any dag, with a claim and a bound
``bounds``            what no order exceeds, for every dag, with a certificate
``area``              any dag, as a whole: a greedy from before and from behind, guided by loads
``charging``          loads: where blame for rendered jobs comes to rest; bounds follow, and who goes first
``prio``              any dag, block by block, the block that loses least first (Malewicz et al. 2006)
``prio2006``          the same heuristic as its paper prints it, only made valid, to compare with
``plain_orders``      first in first out, last in first out, the longest path, chance, to compare with
``theory``            :func:`~eligo.priority._settle.settle`: what can be said of a dag, with a certificate
``prover``            the steps it tries: family, composition, series, sum, exact search
``joining``           what is known of parts, put together
``compose``           groups of blocks one after the other (Cordasco et al. 2010, theorems 2.1 and 4.1)
``follow``            blocks in turns that yield what their sum allows
``linearize``         blocks in an order of falling priority; sums of blocks; levels of blocks
``plans``             how each block of a dag is executed
``proof``             what a step comes to: a proof, a refutation, or why it is neither
``families``          meshes, trees, FFT dags: recognised, and scheduled in closed form
``decompose``         a dag cut into blocks, and the super-dag
``series``            steps that every execution passes through
``blocks``            any bipartite block, scheduled; ``strands``, ``bipartite_trees``, ``block_rules`` do it
``bipartite``         such a block: sources that feed sinks
``sweep``             sums of dags, interleaved (2-IC-Sweep, IC-Sweep)
``duality``           schedules and profiles of the dual
``relation``          the priority relation and r-priorities
``ordered``           a dag renumbered for kernels that go through it often; ``side_by_side``: two things at once
``exact``             exact search
``pebbles``           the IC pebble game, in both forms; ``simple_game`` is the second
====================  =================================================================================================
"""
