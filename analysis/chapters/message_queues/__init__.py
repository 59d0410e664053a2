"""Chapter 13: message queues on a database: their runs, models and costs."""
