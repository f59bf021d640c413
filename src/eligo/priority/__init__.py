"""Orders that keep as many jobs ELIGIBLE as can be, and the theory that proves it.

One module an idea; the imports point down this list:

====================  =================================================================================================
``theory``            :func:`~eligo.priority.theory.settle`: what can be said of a dag, with a certificate
``prover``            the steps it tries: family, composition, series, sum, exact search
``joining``           what is known of parts, put together
``compose``           groups of blocks one after the other (Cordasco et al. 2010, theorems 2.1 and 4.1)
``linearize``         blocks in an order of falling priority; sums of blocks; levels of blocks
``follow``            blocks in turns that yield what their sum allows
``plans``             how each block of a dag is executed
``decompose``         a dag cut into blocks, and the super-dag
``series``            steps that every execution passes through
``blocks``            any bipartite block, scheduled; ``strands``, ``bipartite_trees``, ``block_rules`` do it
``families``          meshes, trees, FFT dags: recognised, and scheduled in closed form
``sweep``             sums of dags, interleaved (2-IC-Sweep, IC-Sweep)
``relation``          the priority relation and r-priorities
``duality``           schedules and profiles of the dual
``exact``             exact search
``pebbles``           the IC pebble game, in both forms
====================  =================================================================================================
"""
