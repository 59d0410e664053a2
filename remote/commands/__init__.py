"""The groups of commands of `lab`."""
