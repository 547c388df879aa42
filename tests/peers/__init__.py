"""Peers of topsctl: what it says of versions and relations compared in bulk with dpkg and Python themselves."""
