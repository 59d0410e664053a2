"""Messages that are counted one by one, while databases and middlewares are killed."""
