"""Kernels that users have, booted."""
