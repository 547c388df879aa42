# Benchmarks: programs to run by hand on a quiet machine, and what they share.
