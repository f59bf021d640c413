"""The checks: one function for each method of proof that a witness can name; ``_checker.py`` lists them."""
