"""Everything from result files to tables, models and figures; nothing here touches a host.

Its rooms, of which each uses only what stands above it::

    work        many calls of one function, on this machine's processors or a cluster's
    units       conversions between units of measure
    text        tables and numbers as readers and spreadsheets want them
    results     a tool's result file -> frames
    statistics  intervals, precision, verdicts, capacities, factorial designs, errors
    tables      a campaign's folder -> tidy tables, histograms, provenance
    traces      single requests, followed through all hosts: where their time went
    laws        operational laws, service demands, bounds, bottlenecks, summaries of repetitions
    models      open stations, closed networks, simulation, our system as stations
    studies     the studies' printed tables, and what follows from them, computed again
    lab         the machine under a lab: what it adds, and what throughput follows
    claims      statements about a campaign, the rules that judge them, their verdicts
    figures     plots, diagrams and tables as notebooks show them and the report exports them
    chapters    what a single notebook shows: its claims, its tables, its own figures
"""
