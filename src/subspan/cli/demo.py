"""`subspan demo`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(1), help="Runs of each method.")
@click.option(
    "--labels",
    "path",
    default="digits-labels.csv",
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the labels of the first run go.",
)
def demo(seeds: int, path: Path) -> None:
    """Cluster scikit-learn's digits with S3COMP-C and compare.

    \b
    Example:
      subspan demo --seeds 5 --labels labels.csv
    """  # noqa: D301 (click needs the character itself)
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.parent}", param_hint="--labels")
    # Imported here: the help of all verbs must not wait for scientific libraries.
    from rich.console import Console

    from subspan.cli import digits

    click.echo("Clustering; the first run on a machine also compiles the kernels.", err=True)
    digits.run(seeds, path, Console())
