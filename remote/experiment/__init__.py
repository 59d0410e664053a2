"""An experiment as data, and one run of it from start to manifest."""
