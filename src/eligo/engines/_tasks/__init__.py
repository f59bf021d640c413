"""What the jobs of a workflow run: one module a format."""
