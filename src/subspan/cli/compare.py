"""`subspan compare`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from subspan.cli import options
from subspan.cli.completing import assignments_of_methods, files, method_lists
from subspan.handover import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from subspan.cli.method_settings import Sweeps
    from subspan.comparison.contestants import Contestant
    from subspan.comparison.running import Labels, Outcome, Task

# Methods whose agreement is shown as a square.
MOST_IN_MATRIX = 12


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


def _numbers(_: click.Context, __: click.Parameter, text: str | None) -> list[int] | None:
    from subspan.cli.method_settings import numbers_of_clusters

    try:
        return None if text is None else numbers_of_clusters(text)
    except InputError as error:
        raise click.BadParameter(str(error)) from None


def _place(_: click.Context, __: click.Parameter, place: Path | None) -> Path | None:
    """Where results go, as far as it can be known before the work."""
    from subspan.comparison.place import check_place

    try:
        if place is not None:
            check_place(place)
    except InputError as error:
        raise click.BadParameter(str(error)) from None
    return place


@click.command("compare", cls=options.DataCommand)
@options.data_options
@click.option(
    "-k",
    "--n-clusters",
    metavar="INTEGER|FIRST:LAST|A,B,...",
    callback=_numbers,
    help="Number of clusters, or several.  [default: the number of classes, if --truth is given]",
)
@click.option(
    "--methods",
    metavar="A,B,...",
    shell_complete=method_lists,
    help="Names that `subspan methods` lists, k-means and spectral of scikit-learn, FILE.py:CLASS, or all.  "
    "[default: some that suit the number of rows]",
)
@click.option(
    "--set",
    "assignments",
    metavar="[METHOD.]NAME=VALUE,...",
    multiple=True,
    shell_complete=assignments_of_methods,
    help="A parameter of one method, or of all that have it; several values are tried one after the other. "
    "May be given several times.",
)
@click.option(
    "--truth",
    metavar="FILE[:COLUMN]",
    shell_complete=files,
    help="File with the true class of each row, and the column or array of it; the word folder takes the "
    "sub-folders of images.",
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
    type=click.Path(path_type=Path),
    callback=_place,
    help="One file, by its ending: .tex, .md or .csv for the table, .svg or .png for the figure. Or a folder "
    "for all of them and the labels.",
)
@options.json_option
@options.quiet_option
def compare_methods(
    choice: options.DataChoice,
    n_clusters: list[int] | None,
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
    NMI and ARI, mean and standard deviation over the trials, the best first; without it, what can be said
    without knowing the classes. A method that fails has its reason in the table, and the others go on.
    FILE.py:CLASS is a method of your own: a class with fit_predict.

    \b
    Examples:
      subspan compare faces.npy -k 38 --methods s3comp-c,ssc-omp,esc
      subspan compare plants.csv --columns width,height --truth plants.csv:species
      subspan compare digits.npz --key X --truth digits.npz:y --set n_nonzero=8
      subspan compare points.npy -k 2:10 --methods s3comp-c --set dropout=0.1,0.5
      subspan compare points.npy -k 5 --methods all --set lsr.regularization=1 --out results
      subspan compare points.npy --truth y.npy --methods auto,k-means,mine.py:Mine --out table.tex
    """  # noqa: D301 (click needs the character itself)
    if choice.data == truth == "-":
        raise click.UsageError("Only one of DATA and --truth can come from standard input.")
    if n_jobs == 0:
        raise click.BadParameter("must not be 0; -1 means all cores.", param_hint="'--n-jobs'")
    # Imported here: the help of all verbs must not wait for scientific libraries.
    from subspan.cli.method_options import in_terms_of_options
    from subspan.cli.opening import open_data
    from subspan.cli.truth import read_classes
    from subspan.comparison.running import Task, best_first, carry_out

    names = None if methods is None else _named(methods)
    # A method's own words are those of --set; only what is said of the data speaks of options.
    with in_terms_of_options():
        source = open_data(choice)
    sweeps = _sweeps(names, assignments, source.shape[0])
    classes = None if truth is None else read_classes("--truth", truth, source)
    contestants = _contestants(sweeps, _numbers_or_classes(n_clusters, classes))
    shared = {"memory_budget": memory, "n_jobs": n_jobs}
    task = Task(source, range(seed, seed + trials), classes, shared)
    say = options.speaker(quiet)
    say(_heading(task, contestants))
    outcomes = best_first(task, carry_out(task, contestants, say, show=not quiet))
    _print(task, outcomes, as_json, say)
    if out is not None:
        from subspan.comparison.files import write_comparison

        for line in write_comparison(out, task, outcomes):
            say(line)
    if not any(outcome.trials for outcome in outcomes):
        raise click.exceptions.Exit(1)


def _named(methods: str) -> list[str]:
    from subspan.cli.method_settings import named_methods

    try:
        return named_methods(methods)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint="'--methods'") from None


def _sweeps(names: list[str] | None, assignments: Sequence[str], n_rows: int) -> Sweeps:
    from subspan.cli.method_settings import sweeps_of
    from subspan.comparison.contestants import methods_for

    try:
        return sweeps_of(methods_for(n_rows) if names is None else names, assignments)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint="'--set'") from None


def _contestants(sweeps: Sweeps, numbers: Sequence[int]) -> list[Contestant]:
    from subspan.cli.method_settings import contestants_of

    return contestants_of(sweeps, numbers)


def _numbers_or_classes(given: list[int] | None, classes: Labels | None) -> list[int]:
    if given is not None:
        return given
    if classes is None:
        raise click.UsageError("Give the number of clusters with -k, or the true classes with --truth.")
    return [len(set(classes.tolist()))]


def _heading(task: Task, contestants: Sequence[Contestant]) -> str:
    rows, numbers = task.source.shape
    trials = f"{len(task.seeds)} trial{'s' * (len(task.seeds) > 1)}"
    clusters = ", ".join(map(str, sorted({each.n_clusters for each in contestants})))
    return (
        f"{rows} rows of {numbers} numbers from {task.source.name}, {clusters} clusters, "
        f"{trials} of {', '.join(each.name for each in contestants)}"
    )


def _print(task: Task, outcomes: Sequence[Outcome], as_json: bool, say: Callable[[str], None]) -> None:
    from subspan.comparison import tables

    if as_json:
        click.echo(json.dumps(tables.comparison_facts(task, outcomes), indent=2))
        return
    say("")
    click.echo(tables.main_grid(task, outcomes).aligned(bold=sys.stdout.isatty()))
    n_present = sum(bool(outcome.trials) for outcome in outcomes)
    if task.truth is None and 1 < n_present <= MOST_IN_MATRIX:
        click.echo("\n" + tables.agreement_grid(outcomes).aligned())
    for line in ["", *tables.legend(task, outcomes)] if n_present else []:
        say(line)
