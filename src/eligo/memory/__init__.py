"""How much memory or disk executions can occupy, how little one can do with, and limits that all of them keep."""
