"""Our system as it is built, simulated event by event, in replications."""
