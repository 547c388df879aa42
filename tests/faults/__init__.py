"""Faults that strike an install or a rollback at any call, and what is left of the root."""
