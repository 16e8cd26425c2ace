"""Seats: decision makers behind one method. A seat sees the records of `protocols` and no more."""
