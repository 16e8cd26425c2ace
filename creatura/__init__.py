"""Creatura: agent designs in worlds built to lie, behind one membrane, on one loop."""

__version__ = "0.1.0"
