"""How text, numbers and lists are written, wherever they are read."""
