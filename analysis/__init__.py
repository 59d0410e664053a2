"""Everything from result files to tables, models and figures; nothing here touches a host.

Its rooms, of which each uses only what stands above it::

    work        many calls of one function, on this machine's processors or a cluster's
    units       conversions between units of measure
    text        tables and numbers as readers and spreadsheets want them
    results     a tool's result file -> frames
    statistics  intervals, precision, verdicts, capacities, factorial designs, errors
    tables      a campaign's folder -> tidy tables, histograms, provenance
    imports     other people's raw files -> a campaign
    traces      single requests, followed through all hosts: where their time went
    laws        operational laws, service demands, bounds, bottlenecks, summaries of repetitions
    models      open stations, closed networks, simulation, our system as stations
    studies     the studies' printed tables, and what follows from them, computed again
    lab         the machine under a lab: what it adds, and what throughput follows
    claims      statements about a campaign, the rules that judge them, their verdicts
    figures     plots, diagrams and tables as notebooks show them and the report exports them
    chapters    what a single notebook shows: its claims, its tables, its own figures

Arguments of one name are the same thing in all rooms, where a docstring says nothing else: `runs`,
`hosts`, `windows`, `servers`, `histograms` and `pings` are the tables of
`analysis.tables.frames.Tables`; `cells` comes from `analysis.laws.summary.cells`; `by` names the
columns that make a system, such as ``["workload", "workers"]``, to which the think time belongs
where it varies; each value of the column `series` is a line of a figure; `campaign_dir` is
``data/<campaign>`` and `data` the folder of all campaigns; `sections` are names such as ``"2.1"``.
Functions that read files raise `analysis.results.ParseError`, which names the path; for an argument
out of its domain functions raise ValueError, which names the rule and the value.
"""
