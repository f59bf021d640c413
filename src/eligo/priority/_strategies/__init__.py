"""The strategies that :func:`eligo.prioritize` chooses from: prio, prio-2006, area, and plain orders to compare."""
