"""Orders that keep as many jobs ELIGIBLE as can be, and the theory that proves it."""
