"""The conformance kit: what a middleware does and does not do, asked from outside (`lab try`).

Each module may use what stands above it::

    bench          what questions are asked on: a middleware, its servers, new clients
    wire           memcached's text protocol, strictly, with deadlines
    trial          a question, its answer, and the bench while the question is asked
    questions      values, framing, neighbours, vocabulary, lifetimes with one server; spreading and
                   outages with three
    running_bench  the bench of a middleware that runs already, for programs that show a fault
    fault_program  the source of such a program: questions, and all modules that they use
    questionnaire  all questions, one after another; their findings, and programs about faults
    hosts_bench    the bench on the hosts of a fleet
"""
