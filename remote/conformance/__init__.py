"""What a middleware does and does not, asked of it from outside: `lab try`.

Each module may use what stands above it::

    bench        what questions are asked on: a middleware, its servers, new clients
    wire         memcached's text protocol, strictly, with deadlines
    finding      the answer to a question, its verdict, and how to see it oneself
    trial        a bench while one question is asked
    questions    values, framing, neighbours, vocabulary, lifetimes with one server; spreading and
                 outages with three
    trying       all questions, one after another
    on_hosts     the bench on the hosts of a fleet
"""
