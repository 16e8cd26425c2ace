"""Measures: what two designs share. Designs never import each other."""
