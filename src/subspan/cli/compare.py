"""`subspan compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from subspan.cli import options
from subspan.cli.completing import assignments_of_methods, files, method_lists
from subspan.handover import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from subspan.cli.comparing import Labels, Outcome, Task
    from subspan.cli.method_settings import Settings


def _size(_: click.Context, __: click.Parameter, text: str | None) -> int | str | None:
    """A size of memory, as the methods take it."""
    # Imported here: the help of all verbs must not wait for what only some need.
    from subspan.parameters import memory_size

    try:
        return None if text is None else memory_size().read(text)
    except InputError as error:
        raise click.BadParameter(str(error)) from None


def _seed(_: click.Context, __: click.Parameter, text: str) -> int:
    from subspan.parameters import whole

    try:
        number: int = whole(0).read(text)
    except InputError as error:
        raise click.BadParameter(str(error)) from None
    return number


@click.command()
@options.data_options
@click.option(
    "-k",
    "--n-clusters",
    type=click.IntRange(1),
    help="Number of clusters.  [default: the number of classes, if --truth is given]",
)
@click.option(
    "--methods",
    metavar="A,B,...",
    shell_complete=method_lists,
    help="Names that `subspan methods` lists, FILE.py:CLASS, or all.  [default: some that suit the number of "
    "rows]",
)
@click.option(
    "--set",
    "assignments",
    metavar="[METHOD.]NAME=VALUE",
    multiple=True,
    shell_complete=assignments_of_methods,
    help="A parameter of one method, or of all that have it; may be given several times.",
)
@click.option(
    "--truth",
    metavar="FILE[:COLUMN]",
    shell_complete=files,
    help="File with the true class of each row, and the column or array of it.",
)
@click.option(
    "--trials",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Fits of each method, with different seeds.",
)
@click.option(
    "--seed",
    metavar="INTEGER",
    default="0",
    show_default=True,
    callback=_seed,
    help="Seed of the first trial.",
)
@click.option(
    "--memory",
    metavar="SIZE",
    callback=_size,
    help="What a method may take, such as 2GB.  [default: a share of the free memory]",
)
@click.option("--n-jobs", type=int, help="Threads.  [default: all cores]")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the tables (CSV, Markdown), the figure (SVG, PNG) and the labels.",
)
@options.json_option
@options.quiet_option
def compare(
    choice: options.DataChoice,
    n_clusters: int | None,
    methods: str | None,
    assignments: tuple[str, ...],
    truth: str | None,
    trials: int,
    seed: int,
    memory: int | str | None,
    n_jobs: int | None,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Cluster the rows of DATA with several methods, and compare.

    DATA is what `subspan cluster` takes. The table goes to standard output. With --truth it has accuracy,
    NMI and ARI, mean and standard deviation over the trials; without it, what can be said without knowing the
    classes. A method that fails has its reason in the table, and the others go on.

    \b
    Examples:
      subspan compare faces.npy -k 38 --methods s3comp-c,ssc-omp,esc
      subspan compare plants.csv --columns width,height --truth plants.csv:species
      subspan compare digits.npz --key X --truth digits.npz:y --set n_nonzero=8
      subspan compare points.npy -k 5 --methods all --set lsr.regularization=1 --out results
      subspan compare points.npy -k 5 --methods lsr,nearest.py:Nearest
    """  # noqa: D301 (click needs the character itself)
    if choice.data == truth == "-":
        raise click.UsageError("Only one of DATA and --truth can come from standard input.")
    if n_jobs == 0:
        raise click.BadParameter("must not be 0; -1 means all cores.", param_hint="'--n-jobs'")
    # Imported here: the help of all verbs must not wait for scientific libraries.
    from subspan.cli import comparing
    from subspan.cli.method_options import in_terms_of_options
    from subspan.cli.opening import open_data
    from subspan.cli.truth import read_of_rows

    names = None if methods is None else _named(methods)
    # A method's own words are those of --set; only what is said of the data speaks of options.
    with in_terms_of_options():
        source = open_data(choice)
    settings = _settings(names, assignments, source.shape[0])
    classes = None if truth is None else read_of_rows("--truth", truth, source)
    task = comparing.Task(
        source,
        _number_of_clusters(n_clusters, classes),
        range(seed, seed + trials),
        classes,
        {"memory_budget": memory, "n_jobs": n_jobs},
    )
    say = options.speaker(quiet)
    say(_heading(task, settings))
    outcomes = comparing.carry_out(task, settings, say, show=not quiet)
    _print(task, outcomes, as_json, say)
    if out is not None:
        _write(out, task, outcomes, say)
    if not any(outcome.trials for outcome in outcomes):
        raise click.exceptions.Exit(1)


def _named(methods: str) -> list[str]:
    from subspan.cli.method_settings import named_methods

    try:
        return named_methods(methods)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint="'--methods'") from None


def _settings(names: list[str] | None, assignments: Sequence[str], n_rows: int) -> Settings:
    from subspan.cli.method_settings import methods_for, settings_of

    try:
        return settings_of(methods_for(n_rows) if names is None else names, assignments)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint="'--set'") from None


def _number_of_clusters(given: int | None, classes: Labels | None) -> int:
    if given is None and classes is None:
        raise click.UsageError("Give the number of clusters with -k, or the true classes with --truth.")
    return given if given is not None else len(set(classes.tolist() if classes is not None else []))


def _heading(task: Task, settings: Settings) -> str:
    rows, numbers = task.source.shape
    trials = f"{len(task.seeds)} trial{'s' * (len(task.seeds) > 1)}"
    return (
        f"{rows} rows of {numbers} numbers from {task.source.name}, {task.n_clusters} clusters, "
        f"{trials} of {', '.join(settings)}"
    )


def _print(task: Task, outcomes: Sequence[Outcome], as_json: bool, say: Callable[[str], None]) -> None:
    from subspan.cli import comparison_tables as tables

    if as_json:
        click.echo(json.dumps(tables.comparison_facts(task, outcomes), indent=2))
        return
    say("")
    click.echo(tables.aligned(tables.main_grid(task, outcomes)))
    n_present = sum(bool(outcome.trials) for outcome in outcomes)
    if task.truth is None and n_present > 1:
        click.echo("\n" + tables.aligned(tables.agreement_grid(outcomes)))
    for line in ["", *tables.legend(task, outcomes)] if n_present else []:
        say(line)


def _write(out: Path, task: Task, outcomes: Sequence[Outcome], say: Callable[[str], None]) -> None:
    from subspan.cli.comparison_files import write_comparison

    out.mkdir(parents=True, exist_ok=True)
    for line in write_comparison(out, task, outcomes):
        say(line)
