"""What a middleware does and does not, asked of it from outside: `lab try`.

Each module may use what stands above it::

    bench        what questions are asked on: a middleware, its servers, new clients
    wire         memcached's text protocol, strictly, with deadlines
    finding      the answer to a question, and its verdict
    trial        a bench while one question is asked
    questions    values, framing, neighbours, vocabulary, lifetimes with one server; spreading and
                 outages with three
    running      the bench of a middleware that runs already, for programs that show a fault
    program      the source of such a program: a question, and everything that it uses
    trying       all questions, one after another; their findings, and programs about faults
    on_hosts     the bench on the hosts of a fleet
"""
