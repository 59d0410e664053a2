"""What a middleware is asked, a module for each kind of question."""
