"""`subspan choose`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from subspan.cli.cluster import METHOD, MethodCommand
from subspan.cli.options import DataChoice, data_options, json_option, quiet_option, speaker

if TYPE_CHECKING:
    from rich.table import Table

# Columns of the table of members, and how their numbers are written.
COLUMNS = {"n_vectors": "{}", "gap": "{:.3f}", "agreement": "{:.2f}", "weight": "{:.3f}"}
# The settings in which members of a family differ.
SETTINGS = ("n_nonzero", "damping", "regularization", "n_neighbors", "alpha", "keep")


class FrontDoorCommand(MethodCommand):
    """A command with the options of the front door: no other method has members."""

    def method_in(self, args: list[str]) -> str:
        """Always the same."""
        return METHOD


@click.command(cls=FrontDoorCommand)
@data_options
@json_option
@quiet_option
def choose(choice: DataChoice, as_json: bool, quiet: bool, **parameters: Any) -> None:
    """Show which settings suit DATA, without labels.

    Every member of the consensus is a row: its settings, how far it agrees with its family, and its weight.

    \b
    Examples:
      subspan choose faces.npy
      subspan choose faces.npy -k 38 --json
    """  # noqa: D301 (click needs the character itself)
    # Imported here: the help of all verbs must not wait for scientific libraries.
    from rich.console import Console

    from subspan.cli import clustering
    from subspan.cli.method_options import in_terms_of_options
    from subspan.cli.opening import open_data
    from subspan.methods import registry

    estimator = registry.get(METHOD)(**parameters)
    say = speaker(quiet)
    with in_terms_of_options(METHOD):
        source = open_data(choice)
        remarks = clustering.fit(estimator, source, clustering.WorkplaceOptions(), in_sight=not quiet)
    if as_json:
        import json

        click.echo(json.dumps(clustering.choice_facts(estimator), indent=2))
    else:
        Console().print(_table(estimator.members_))
    for line in clustering.fit_summary(estimator, remarks):
        say(line)


def _table(members: list[dict[str, Any]]) -> Table:
    from rich.table import Table

    # Without lines between the columns it fits into 80 characters.
    table = Table(title="Members, heaviest first", title_justify="left", box=None, pad_edge=False)
    table.add_column("family")
    table.add_column("settings")
    for name in COLUMNS:
        table.add_column(name, justify="right")
    for member in sorted(members, key=lambda each: -each["weight"]):
        settings = " ".join(f"{name}={member[name]}" for name in SETTINGS if name in member)
        cells = [form.format(member[name]) for name, form in COLUMNS.items()]
        table.add_row(member["family"], settings, *cells)
    return table
