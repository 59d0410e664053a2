"""Pure statistics of repetitions: intervals, stationarity, capacity, factorial designs, errors."""
