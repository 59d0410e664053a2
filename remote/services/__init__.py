"""One module for each program on hosts: its command, how it is started, asked and ended."""
