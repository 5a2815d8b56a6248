"""`subspan look`."""

from __future__ import annotations

import json

import click

from subspan.cli.options import DataChoice, DataCommand, data_options, json_option, wrapped


@click.command("look", cls=DataCommand)
@data_options
@json_option
def look_at_data(choice: DataChoice, as_json: bool) -> None:
    """Look at DATA before clustering it.

    Says what may harm a clustering, and what helps: scales of columns, missing values, copies, a mean that
    hides the rest, the dimension and how many rows it needs, and whether rows lie near subspaces at all.

    \b
    Examples:
      subspan look faces.npy
      subspan look plants.csv --id name --json
    """  # noqa: D301 (click needs the character itself)
    # Imported here: the help of all verbs must not wait for scientific libraries.
    from subspan.cli.method_options import in_terms_of_options
    from subspan.cli.opening import open_data
    from subspan.diagnosis import diagnose

    with in_terms_of_options():
        found = diagnose(open_data(choice))
    if not as_json:
        click.echo(wrapped(str(found)))
        return
    signs = [vars(sign) for sign in found.signs]
    click.echo(json.dumps({"data": found.name, **found.facts, "signs": signs}, indent=2))
