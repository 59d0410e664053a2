"""What commands of `lab` show on a terminal."""

from __future__ import annotations

import click

from records.text.visible import visible


def say(text: object, *, err: bool = False) -> None:
    """Show a text, in which what others have written cannot steer the terminal."""
    click.echo(visible(str(text)), err=err)
