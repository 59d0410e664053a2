"""The variables of an inventory that mean something here."""

from __future__ import annotations

from manual.markdown import page, quoted, table
from records.section import ROLES
from remote.hosts.ansible_variables import FLEET_VARIABLES, HOST_VARIABLES, PASSED_ON

HEADINGS = ["variable", "what it is"]


def write() -> str:
    """Write the page."""
    groups = ", ".join(map(quoted, ROLES))
    return page(
        "Inventories",
        f"Ansible's YAML, with hosts in the groups {groups}. How they are reached, and by which of "
        "Ansible's own variables: [measuring on your own hosts](../own-hosts.md#1-an-inventory). "
        "An unknown variable that begins with `mwlab_` is refused.",
        "## Of a host",
        table(HEADINGS, [(quoted(name), words) for name, words in HOST_VARIABLES.items()]),
        "## Of the whole fleet",
        "All hosts have these alike: write them once, in `all.vars`.",
        table(HEADINGS, [(quoted(name), words) for name, words in FLEET_VARIABLES.items()]),
        "## Passed on to Ansible as they stand",
        ", ".join(map(quoted, PASSED_ON)),
    )
