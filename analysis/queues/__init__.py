"""Sections q1 to q6: message queues on PostgreSQL, measured and modelled (Su 2015)."""
