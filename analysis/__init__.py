"""Everything from result files to tables, models and figures; nothing here touches a host."""
