"""A campaign's folder as tidy tables: its runs read, reduced to rows, kept, and packed."""
