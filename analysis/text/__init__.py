"""How numbers, lists and columns are written, wherever they are read."""
