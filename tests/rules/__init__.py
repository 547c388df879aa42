"""The rules of the house, checked over the source tree."""
