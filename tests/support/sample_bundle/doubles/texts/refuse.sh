#!/bin/sh
# Test double: stands where the vendor's @WHAT@ would be, is no Enflame software and refuses to run.
echo "@WHAT@: this is a test double, no Enflame software; it does nothing" >&2
exit 1
