"""Plots, diagrams and tables as notebooks show them and the report exports them."""
