"""The clients of other projects, and how their tests are fetched, built, run and read.

Suites come from the registries as they are, but for the addresses of the servers, and for time
limits that a busy machine may miss. Clients whose registry carries no tests have a program in
`clients/<language>` that uses all of their operations. Versions stand in each ecosystem's files
there: requirements.txt, go.mod, Cargo.toml, package.json, pom.xml; of Debian's packages they are
those that are installed.
"""
