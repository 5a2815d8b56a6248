"""`subspan demo`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from subspan.cli.options import json_option, quiet_option, speaker


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
@click.option(
    "--report",
    default="digits-report.html",
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where a page about the first run goes.",
)
@json_option
@quiet_option
def demo(seeds: int, path: Path, report: Path, as_json: bool, quiet: bool) -> None:
    """Cluster scikit-learn's digits and compare methods.

    \b
    Example:
      subspan demo --seeds 5 --labels labels.csv
    """  # noqa: D301 (click needs the character itself)
    for option, place in (("--labels", path), ("--report", report)):
        if not place.parent.is_dir():
            raise click.BadParameter(f"there is no folder {place.parent}", param_hint=option)
    # Imported here: the help of all verbs must not wait for scientific libraries.
    from rich.console import Console

    from subspan.cli import digits
    from subspan.cli.labels import write_labels

    say = speaker(quiet)
    say("Clustering; the first run on a machine also compiles the kernels.")
    X, y = digits.load_rows()
    model = digits.front_door(0).fit(X)
    outcomes = digits.compare_on_digits(X, y, seeds)
    if as_json:
        click.echo(json.dumps(digits.digits_facts(outcomes), indent=2))
    else:
        Console().print(digits.digits_table(outcomes, seeds))
    write_labels(path, model.labels_)
    stages = ", ".join(f"{stage} {seconds:.2f} s" for stage, seconds in model.stage_seconds_.items())
    say(f"SubspaceClustering by stage, first run: {stages}")
    say(f"Labels written to {path}")
    digits.write_digits_page(report, model, X, y)
    say(f"Report written to {report}; open it in a browser")
