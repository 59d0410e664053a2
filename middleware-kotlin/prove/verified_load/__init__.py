"""Load whose every reply is checked, and faults that come while it lasts."""
