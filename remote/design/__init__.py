"""The design of an experiment as data: section files, their rules, the settings of a run."""
