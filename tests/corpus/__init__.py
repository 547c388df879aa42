# Tests of topsctl inspect on crafted packages and bundles, and of the builders of these.
