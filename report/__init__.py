"""From executed notebooks to one report.

Each room may use what stands above it::

    contents   what a report holds: the parts of notebooks, the appendix, numbers, drawn data
    formats    sections as pages of PDF and HTML
    kernels    what runs a notebook begins with all that notebooks import
    execute    runs notebooks from top to bottom
    export     executed notebooks -> figures, PDF and HTML
    make       a measured campaign -> the report
    live       the report of a campaign that is being measured
    check      the committed notebooks show what they would show now
    artifact   docs/artifact.md: what measures each claim, and how long that takes
    in_kernel  a notebook that is run by hand leaves out what is not measured
    jupyter    the export from JupyterLab
"""
