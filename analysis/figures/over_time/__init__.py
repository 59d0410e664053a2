"""Plots of one long run, second by second."""
