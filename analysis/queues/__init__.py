"""Sections q1 to q5: message queues on PostgreSQL, measured and modelled (Su 2015)."""
