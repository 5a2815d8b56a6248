"""`subspan cluster`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from subspan.cli.completing import files, method_names
from subspan.cli.options import (
    columns_option,
    data_argument,
    json_option,
    key_option,
    quiet_option,
    speaker,
)
from subspan.cli.reporting import CommandRun, PageRequest, report_options, write_page
from subspan.handover import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from subspan.base import SubspaceMethod

# The front door; with an option that it does not have, the method of the paper.
METHOD = "auto"
PAPER_METHOD = "s3comp-c"
# Where the method and its options are kept while a command line is read.
METHOD_KEY = "subspan.cli.cluster.name"
OPTIONS_KEY = "subspan.cli.cluster.options"


class MethodCommand(click.Command):
    """A command that has the options of the method that is named on its own command line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Look for the method first, since its options can only be read once it is known."""
        name = ctx.meta[METHOD_KEY] = self.method_in(args)
        ctx.meta[OPTIONS_KEY] = _options(name, ctx)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _unknown_option(name, error, ctx) from None

    def method_in(self, args: list[str]) -> str:
        """The method whose options the line may have."""
        return named_method(args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, then those of the method."""
        return [*super().get_params(ctx), *ctx.meta.get(OPTIONS_KEY, [])]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Two lists: what any method takes, and what this one does."""
        own = [param for param in super().get_params(ctx) if isinstance(param, click.Option)]
        of_method = ctx.meta[OPTIONS_KEY]
        for title, options in (("Options", own), (f"Parameters of {ctx.meta[METHOD_KEY]}", of_method)):
            records = [option.get_help_record(ctx) for option in options]
            with formatter.section(title):
                formatter.write_dl([record for record in records if record is not None])


def named_method(args: list[str]) -> str:
    """The value of --method, wherever it stands; the last one counts.

    Without it, an option that only S3COMP-C has means S3COMP-C.

    Examples
    --------
    >>> named_method(["X.npy", "--method", "lsr"]), named_method(["--method=esc"]), named_method([])
    ('lsr', 'esc', 'auto')
    >>> named_method(["X.npy", "-k", "3", "--n-nonzero", "5"])
    's3comp-c'
    """
    from subspan.cli.method_options import option_names

    name = METHOD
    given = {argument.partition("=")[0] for argument in args}
    if given & (option_names(PAPER_METHOD) - option_names(METHOD)):
        name = PAPER_METHOD
    for position, argument in enumerate(args):
        if argument == "--":
            break
        if argument.startswith("--method="):
            name = argument.partition("=")[2]
        elif argument == "--method" and position + 1 < len(args):
            name = args[position + 1]
    return name


def _options(name: str, ctx: click.Context) -> list[click.Option]:
    # Imported here: the help of all verbs must not wait for scientific libraries.
    from subspan.cli.method_options import options_of
    from subspan.methods import registry

    try:
        return options_of(registry.find(name))
    except InputError as error:
        if ctx.resilient_parsing:
            return []
        raise click.BadParameter(str(error), ctx, param_hint="'--method'") from None


def _unknown_option(name: str, error: click.NoSuchOption, ctx: click.Context) -> click.UsageError:
    """The answer to an unknown option: which method has it, or what may have been meant."""
    from subspan.cli.method_options import methods_with

    option = error.option_name
    others = methods_with(option)
    if others:
        return click.UsageError(
            f"{name} has no option {option}; these methods have it: {', '.join(others)}.", ctx
        )
    # One suggestion is enough: of all that click finds, the first is the closest.
    hint = f" Did you mean {error.possibilities[0]}?" if error.possibilities else ""
    return click.UsageError(f"No such option {option}.{hint}", ctx)


class Interrupted(click.ClickException):
    """Ctrl-C while the method was at work."""

    exit_code = 130

    def show(self, file: Any = None) -> None:
        """One line, which is not about an error."""
        click.echo(self.message, err=True)


def method_option(which: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option that names the method; `which` says what it may be."""
    return click.option(
        "--method",
        # Read before all other options, by `named_method`.
        callback=lambda ctx, _, __: ctx.meta.get(METHOD_KEY),
        show_default="auto, or s3comp-c if one of its options is given",
        shell_complete=method_names,
        help=which,
    )


@click.command(cls=MethodCommand)
@data_argument
@method_option("One of those that `subspan methods` lists, or FILE.py:CLASS.")
@key_option
@columns_option
@click.option(
    "--labels",
    metavar="FILE",
    shell_complete=files,
    help="Where the labels go: .csv, .npy or .parquet; - for standard output.  [default: -, unless that is "
    "a terminal]",
)
@report_options
@click.option("--workers", type=click.IntRange(1), help="Processes on this machine; needs --work-dir.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler; needs a --work-dir that all reach.")
@json_option
@quiet_option
def cluster(
    data: str,
    method: str,
    key: str | None,
    columns: str | None,
    labels: str | None,
    report: str | None,
    truth: str | None,
    row_names: str | None,
    image_shape: str | None,
    workers: int | None,
    scheduler: str | None,
    as_json: bool,
    quiet: bool,
    **parameters: Any,
) -> None:
    """Cluster the rows of DATA.

    DATA is a .npy, .npz, .h5, .mat, .zarr, .parquet, .csv or .tsv file with a point in each row, or a folder
    of images; - reads CSV from standard input. Labels go to standard output as CSV or, with --labels, to a
    file; messages go to standard error.

    \b
    Examples:
      subspan cluster faces.npy --labels labels.csv
      subspan cluster faces.npy -k 38 --method s3comp-c --n-nonzero 5
      subspan cluster plants.csv -k 3 --columns width,height --method lsr
      subspan cluster digits.npz -k 10 --key X --report digits.html --truth digits.npz:y
      subspan cluster large.npy -k 10 --dictionary-size 20000 --work-dir work --memory 2GB
      subspan cluster plants.csv -k 3 --method nearest.py:Nearest
      subspan cluster --method ensc --help
    """  # noqa: D301 (click needs the character itself)
    from subspan.cli import clustering
    from subspan.cli.method_options import in_terms_of_options
    from subspan.methods import registry

    method = registry.find(method)
    estimator = registry.get(method)(**parameters)
    workplace = clustering.WorkplaceOptions(workers, scheduler)
    _check_workplace(method, estimator, workplace)
    _check_labels(labels, data, as_json)
    page = PageRequest(report, truth, row_names, image_shape)
    page.check(data)
    say = speaker(quiet)
    with in_terms_of_options(method):
        source = clustering.open_data(data, key, columns)
        rows, numbers = source.shape
        contents = page.contents(source)
        say(f"{method}: {rows} rows of {numbers} numbers from {source.name}")
        try:
            remarks = clustering.fit(estimator, source, workplace, in_sight=not quiet)
        except KeyboardInterrupt:
            raise Interrupted(_goes_on(estimator)) from None
    for line in clustering.fit_summary(estimator, remarks):
        say(line)
    if report is not None:
        write_page(report, CommandRun(estimator, source, key, columns, remarks), contents)
        say(f"report: {report}")
    _hand_out(labels, as_json, clustering.fit_facts(method, estimator, source, remarks), estimator, say)


def _goes_on(estimator: SubspaceMethod) -> str:
    work_dir = getattr(estimator, "work_dir", None)
    return f"Interrupted; the same command goes on from {work_dir}." if work_dir else "Interrupted."


def _check_workplace(method: str, estimator: SubspaceMethod, workplace: Any) -> None:
    if workplace.workers is None and workplace.scheduler is None:
        return
    option = "--workers" if workplace.scheduler is None else "--scheduler"
    if workplace.workers is not None and workplace.scheduler is not None:
        raise click.UsageError(
            "--workers starts a cluster, --scheduler uses one that runs: give one of them."
        )
    if not hasattr(estimator, "work_dir"):
        from subspan.cli.method_options import methods_with

        others = ", ".join(methods_with("--work-dir"))
        raise click.UsageError(f"{method} works in one process; {option} goes with {others}.")
    if estimator.work_dir is None:
        raise click.UsageError(
            f"{option} needs --work-dir, a folder that all workers reach, for the results."
        )


def _check_labels(labels: str | None, data: str, as_json: bool) -> None:
    """Everything about the place of the labels that can be known before the work."""
    from subspan.cli.labels import WRITERS

    if labels in (None, "-"):
        if labels and as_json:
            raise click.UsageError("--json and --labels - both want standard output; give --labels a file.")
        return
    path = Path(str(labels))
    if path.suffix.lower() not in WRITERS:
        known = ", ".join(WRITERS)
        raise click.BadParameter(f"{path}: the name must end in one of {known}.", param_hint="'--labels'")
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.parent}.", param_hint="'--labels'")
    if path.is_dir():
        raise click.BadParameter(f"{path} is a folder.", param_hint="'--labels'")
    if path.resolve() == Path(data).resolve():
        raise click.BadParameter(f"{path} is the data; take another name.", param_hint="'--labels'")
    if path.suffix.lower() == ".parquet":
        from subspan.extras import optional_import

        optional_import("pyarrow", package="pyarrow", extra="parquet")


def _hand_out(
    labels: str | None, as_json: bool, facts: dict[str, Any], estimator: SubspaceMethod, say: Any
) -> None:
    from subspan.cli.labels import csv_text, write_labels

    if labels not in (None, "-"):
        write_labels(Path(str(labels)), estimator.labels_)
        say(f"labels: {labels}")
    if as_json:
        import json

        click.echo(json.dumps(facts, indent=2))
    elif labels == "-" or (labels is None and not sys.stdout.isatty()):
        click.echo(csv_text(estimator.labels_), nl=False)
    elif labels is None:
        say("labels: not kept; --labels FILE writes them, and --labels - shows them")
