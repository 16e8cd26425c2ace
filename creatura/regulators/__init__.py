"""Regulators: designs, one file each. A design sees the records of `protocols` and no more."""
