"""`subspan evaluate`."""

from __future__ import annotations

import json

import click

from subspan.cli.completing import files
from subspan.handover import InputError

COLUMN_HELP = "Column or array of {}.  [default: the one called label, or the only one]"


@click.command()
@click.argument("labels", shell_complete=files)
@click.argument("truth", shell_complete=files)
@click.option("--labels-column", metavar="NAME", help=COLUMN_HELP.format("LABELS"))
@click.option("--truth-column", metavar="NAME", help=COLUMN_HELP.format("TRUTH"))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def evaluate(
    labels: str, truth: str, labels_column: str | None, truth_column: str | None, as_json: bool
) -> None:
    """Compare the LABELS of a clustering with the TRUTH.

    Both are files with one label for each row: .csv, .npy, .npz or .parquet; classes may be numbers or words.
    One of them may be -, which reads CSV from standard input. The label -1 means "in no cluster".

    \b
    Examples:
      subspan evaluate labels.csv truth.csv
      subspan cluster faces.npz --key X -k 38 | subspan evaluate - faces.npz --truth-column y
    """  # noqa: D301 (click needs the character itself)
    if labels == truth == "-":
        raise click.UsageError("Only one of LABELS and TRUTH can come from standard input.")
    # Imported here: the help of all verbs must not wait for scientific libraries.
    from subspan.cli.labels import read_labels, refuse_missing
    from subspan.metrics.scores import scores

    found = read_labels(labels, labels_column, "--labels-column NAME")
    true = read_labels(truth, truth_column, "--truth-column NAME")
    for place, given in ((labels, found), (truth, true)):
        refuse_missing("standard input" if place == "-" else place, given)
    if len(found) != len(true):
        raise InputError(f"{labels} has {len(found)} labels, but {truth} has {len(true)}.")
    facts = scores(found, true)
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    for name in ("accuracy", "nmi", "ari"):
        click.echo(f"{name:<8}  {facts[name]:.4f}")
    for name, sizes in (("clusters", facts["cluster_sizes"]), ("classes", facts["class_sizes"])):
        range_of_sizes = f" of {min(sizes.values())} to {max(sizes.values())} points" if sizes else ""
        click.echo(f"{name:<8}  {len(sizes)}{range_of_sizes}")
    if facts["unlabelled"]:
        click.echo(f"in none   {facts['unlabelled']} points")
