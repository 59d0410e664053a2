"""Does a run count? Checks on what it left; required ones reject it, advisory ones are shown."""
