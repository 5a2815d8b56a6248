"""`subspan reproduce`."""

from __future__ import annotations

from pathlib import Path

import click

from subspan.cli.completing import Items, words
from subspan.cli.datasets import data_dir_option
from subspan.cli.options import quiet_option, speaker
from subspan.handover import InputError


def _experiments(_: click.Context, __: click.Parameter, incomplete: str) -> Items:
    from subspan.reproduction.catalog import EXPERIMENTS

    return words([*EXPERIMENTS, "all"], incomplete)


@click.command()
@click.argument("names", nargs=-1, metavar="NAME...", shell_complete=_experiments)
@click.option("--list", "only_list", is_flag=True, help="Show the names of all experiments.")
@click.option(
    "--trials",
    type=click.IntRange(1),
    help="Trials with different seeds.  [default: 10; 3 on MNIST70000; 2 with --quick]",
)
@click.option("--quick", is_flag=True, help="Parts of the data and few trials, to see that everything works.")
@click.option("--methods", help="Only these methods of the tables, with commas between them.")
@click.option("--so-far", is_flag=True, help="Run nothing: tables and figures of the results there are.")
@click.option(
    "--out",
    default="reproduction",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for results, tables and figures. Runs whose results are there are not done again.",
)
@data_dir_option
@click.option("--n-jobs", type=int, help="Threads.  [default: all cores]")
@quiet_option
def reproduce(
    names: tuple[str, ...],
    only_list: bool,
    trials: int | None,
    quick: bool,
    methods: str | None,
    so_far: bool,
    out: Path,
    data_dir: Path | None,
    n_jobs: int | None,
    quiet: bool,
) -> None:
    """Run the paper's experiments, with its numbers beside ours.

    NAME is one of the experiments that --list shows, or "all".

    \b
    Example:
      subspan reproduce table-eyaleb fig-synthetic --trials 3 --data-dir data
    """  # noqa: D301 (click needs the character itself)
    # Imported here: the help of all verbs must not wait for what only some need.
    from subspan.reproduction.catalog import EXPERIMENTS, find_experiments, find_methods

    if only_list:
        width = max(map(len, EXPERIMENTS))
        for experiment in EXPERIMENTS.values():
            click.echo(f"{experiment.name.ljust(width)}  {experiment.title}")
        return
    if not names:
        raise click.UsageError("Name an experiment, or 'all'; --list shows them.")
    if n_jobs == 0:
        raise InputError("--n-jobs must not be 0; -1 means all cores.")
    experiments = find_experiments(names)
    from subspan.reproduction.plan import Scope
    from subspan.reproduction.settings import RECIPES

    chosen = frozenset(RECIPES) if methods is None else find_methods(methods)
    # The list of experiments must not wait for scientific libraries.
    from subspan.reproduction.session import ResultFolders
    from subspan.reproduction.session import run_experiments as carry_out

    written = carry_out(
        experiments,
        Scope(trials, quick, chosen, so_far),
        ResultFolders(out, data_dir, n_jobs, progress=not quiet),
        say=speaker(quiet),
    )
    for path in written:
        click.echo(str(path))
