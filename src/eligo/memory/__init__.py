"""How much memory or disk any execution can occupy, how little one can do with, and limits that every execution keeps."""
