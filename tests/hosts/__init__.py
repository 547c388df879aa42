"""Real hosts for tests: a cached Debian or Ubuntu root, one overlay and one set of namespaces per host."""
