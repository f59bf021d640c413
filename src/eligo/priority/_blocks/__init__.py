"""Bipartite blocks: an order of the sources of each, and whether it is proved best; start at ``block_orders.py``."""
