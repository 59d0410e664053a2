"""One module a program: frozen options in, command string out; nothing here talks to a host."""
