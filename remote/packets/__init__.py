"""What was captured on hosts, made into requests and their times: a program that runs there.

Its modules use each other, the standard library and dpkt's reading of a capture's head, no more:
they are sent to hosts as one file (`bundle`), which needs no more than a host's own Python. From a
packet to a table::

    records      the packets of a capture -> segments of TCP
    messages     what requests and replies of memcached's text protocol are
    readers      the bytes of one direction -> its requests, or its replies
    connections  segments of all connections -> each request with its reply
    matching     a client's request -> the requests at servers that it led to
    seconds      requests and their times -> tables, a second after the other
    followed     single requests and their times -> a table
    program      all of it: a capture's path in, a folder of tables out
    bundle       the program as one file
"""
