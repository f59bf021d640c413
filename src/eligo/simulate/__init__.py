"""Executions as they could be: who runs what, when."""
