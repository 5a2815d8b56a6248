"""`subspan predict`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from subspan.cli.cluster import map_option
from subspan.cli.completing import files
from subspan.cli.options import DataChoice, DataCommand, data_options, quiet_option, speaker


@click.command(cls=DataCommand)
@click.argument("model", metavar="MODEL", shell_complete=files)
@data_options
@click.option(
    "--labels",
    metavar="FILE",
    shell_complete=files,
    help="Where the labels go: .csv, .npy or .parquet; by default standard output.",
)
@map_option
@click.option(
    "--rule",
    type=click.Choice(["code", "subspace"]),
    help="What decides: how little the atoms of a cluster leave of a row, or the nearest subspace.  "
    "[default: code, where the method has one]",
)
@click.option("--n-jobs", type=int, help="Threads; the result does not depend on them.  [default: all cores]")
@quiet_option
def predict(
    choice: DataChoice,
    model: str,
    labels: str | None,
    label_map: str | None,
    rule: str | None,
    n_jobs: int | None,
    quiet: bool,
) -> None:
    """Label the rows of DATA by a kept MODEL.

    `subspan cluster --save` keeps it. Rows are read block by block, so DATA may be larger than the memory.
    Rows of the fit keep their labels.

    \b
    Examples:
      subspan cluster monday.csv --save week.subspan --labels monday-labels.csv
      subspan predict week.subspan tuesday.csv --labels tuesday-labels.csv
    """  # noqa: D301 (click needs the character itself)
    from subspan.cli.cluster import check_labels
    from subspan.cli.images import check_map, check_pixels, write_map
    from subspan.cli.labels import csv_text, write_labels
    from subspan.cli.method_options import in_terms_of_options
    from subspan.cli.opening import open_data, row_ids
    from subspan.cli.places import check_places
    from subspan.execution.progress import progress_shown
    from subspan.model import load

    check_labels(labels, as_json=False)
    check_places({"--labels": labels, "--map": label_map}, {"the data": choice.data, "the model": model})
    check_map(label_map)
    say = speaker(quiet)
    loaded = load(model)
    with in_terms_of_options():
        source = open_data(choice)
        check_pixels(label_map, source)
        ids = row_ids(choice, source)
        say(f"{loaded}: {source.shape[0]} rows from {source.name}")
        if quiet:
            found = loaded.predict(source, rule=rule, n_jobs=n_jobs)
        else:
            with progress_shown("predict"):
                found = loaded.predict(source, rule=rule, n_jobs=n_jobs)
    if label_map is not None:
        write_map(label_map, source, found)
        say(f"map: {label_map}")
    if labels in (None, "-"):
        sys.stdout.write(csv_text(found, ids))
    else:
        write_labels(Path(str(labels)), found, ids)
        say(f"labels: {labels}")
