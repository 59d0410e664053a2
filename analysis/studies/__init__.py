"""The studies' printed tables, and what follows from their numbers, computed again."""
