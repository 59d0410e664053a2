"""Everything that touches a host: connections, jobs, experiments, campaigns and the local lab.

Each room may use what stands above it::

    errors, phases, waiting   what goes wrong, where time goes, until when
    programs, processors      what this machine runs, and on what
    git_commands              git in the project's repository, whoever owns it
    toml_files                what people write
    hosts                     which there are, the way to one and to many, what runs on them
    providers                 where hosts come from: this machine, or an inventory
    packets                   what was captured on hosts -> requests and their times, there
    services                  the programs of an experiment: their commands, start and end
    experiment                an experiment as data; one run of it: measured, judged, recorded
    conformance               what any middleware does and does not, asked from outside
    campaign                  all runs of some sections, for notebooks too
    course                    systems to be found out, and marks of what is stated of them
"""
