# The sample bundle generator: builds a TopsRider-like bundle that holds test doubles only.
