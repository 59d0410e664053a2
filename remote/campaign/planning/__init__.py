"""What is measured next, from what is known so far: pure functions, no files and no hosts."""
