# Crafted packages and bundles, sound and hostile, each with the verdict that topsctl inspect must give on it.
