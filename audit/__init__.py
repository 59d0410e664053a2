"""Others' work that this project stands on: its licences, and what is known against it.

Each room may use what stands above it::

    package          a version of others' work
    pinned           packages of the files that pin them: Maven, npm, Go, Rust, Python
    debian           packages of this machine
    boms             bills of materials (CycloneDX): made, and read
    vulnerabilities  what is known against packages, from who can be asked
    __main__         `make audit`
"""
