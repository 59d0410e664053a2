"""What a report holds: the parts of notebooks, the appendix, their numbers and data."""
