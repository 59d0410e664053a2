"""How long to measure: warm-up, errors within a run, when repetitions are enough, regimes, 1/k."""
