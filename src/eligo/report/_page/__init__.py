"""The page: a whole workflow, its schedule and its memory as one self-contained HTML file."""
