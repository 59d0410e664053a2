"""The clients of other projects, and how their tests are fetched, built, run and read.

Suites come from the registries as they are, but for the addresses of the servers. Clients whose
registry carries no tests have a program in `clients/<language>` that uses all of their operations.
Versions stand in the files of each ecosystem there: requirements.txt, go.mod, Cargo.toml,
package.json, pom.xml; those of Debian's packages are what is installed.
"""
