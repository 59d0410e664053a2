"""From executed notebooks to one report."""
