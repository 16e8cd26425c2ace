"""Bench: runs designs through scenarios and worlds, and reports what happened."""
