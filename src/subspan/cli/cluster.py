"""`subspan cluster`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from subspan.cli.completing import files, method_names
from subspan.cli.options import DataChoice, DataCommand, data_options, json_option, quiet_option, speaker
from subspan.cli.reporting import CommandRun, PageRequest, report_options, write_page
from subspan.handover import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from subspan.base import SubspaceMethod
    from subspan.cli.labels import RowIds

# The front door; with an option that it does not have, the method of the paper.
METHOD = "auto"
PAPER_METHOD = "s3comp-c"
WHICH_METHOD = "One of those that `subspan methods` lists, or FILE.py:CLASS."
# Where the method and its options are kept while a command line is read.
METHOD_KEY = "subspan.cli.cluster.name"
OPTIONS_KEY = "subspan.cli.cluster.options"


class MethodCommand(DataCommand):
    """A command that has the options of the method that is named on its own command line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Look for the method first, since its options can only be read once it is known."""
        name = ctx.meta[METHOD_KEY] = self.method_in(args)
        ctx.meta[OPTIONS_KEY] = _options(name, ctx)
        return super().parse_args(ctx, args)

    def unknown_option(self, error: click.NoSuchOption, ctx: click.Context) -> click.UsageError:
        """Which method has it, or what may have been meant."""
        from subspan.cli.method_options import methods_with

        others = methods_with(error.option_name)
        if not others:
            return super().unknown_option(error, ctx)
        return click.UsageError(
            f"{ctx.meta[METHOD_KEY]} has no option {error.option_name}; these methods have it: "
            f"{', '.join(others)}.",
            ctx,
        )

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


map_option = click.option(
    "--map",
    "label_map",
    metavar="FILE",
    shell_complete=files,
    help="For a cube: write the labels as an image, .png, or as numbers, .npy; -1 where there is no label.",
)


@click.command(cls=MethodCommand)
@data_options
@method_option(WHICH_METHOD)
@click.option(
    "--labels",
    metavar="FILE",
    shell_complete=files,
    help="Where the labels go: .csv, .npy or .parquet; - for standard output.  [default: -; in a terminal a "
    "new file, such as DATA-labels.csv]",
)
@click.option(
    "--join",
    metavar="FILE",
    shell_complete=files,
    help="Write the table of DATA with the labels as a last column: .csv or .tsv, or .parquet.",
)
@click.option(
    "--save",
    metavar="FILE",
    shell_complete=files,
    help="Keep the model in this file, for `subspan predict` and `subspan show`.",
)
@map_option
@report_options
@click.option("--workers", type=click.IntRange(1), help="Processes on this machine; needs --work-dir.")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler; needs a --work-dir that all reach.")
@json_option
@quiet_option
def cluster(
    choice: DataChoice,
    method: str,
    labels: str | None,
    join: str | None,
    save: str | None,
    label_map: str | None,
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
      subspan cluster plants.csv --id name --exclude species --join clustered.csv
      subspan cluster faces/ --grey --truth folder --report faces.html
      subspan cluster scene.mat -k 9 --mask truth.mat:gt --truth truth.mat:gt --map map.png
      subspan cluster faces.npy -k 38 --save faces.subspan
      subspan cluster digits.npz -k 10 --key X --report digits.html --truth digits.npz:y
      subspan cluster large.npy -k 10 --dictionary-size 20000 --work-dir work --memory 2GB
      subspan cluster plants.csv -k 3 --method nearest.py:Nearest
      subspan cluster --method ensc --help
    """  # noqa: D301 (click needs the character itself)
    from subspan.cli import clustering
    from subspan.cli.images import check_map, check_pixels, write_map
    from subspan.cli.joining import check_join
    from subspan.cli.method_options import in_terms_of_options
    from subspan.cli.opening import open_data, row_ids
    from subspan.cli.places import check_places
    from subspan.methods import registry

    method = registry.find(method)
    estimator = registry.get(method)(**parameters)
    workplace = clustering.WorkplaceOptions(workers, scheduler)
    _check_workplace(method, estimator, workplace)
    check_labels(labels, as_json)
    check_join(join, choice)
    _check_save(save)
    check_map(label_map)
    page = PageRequest(report, truth, row_names, image_shape)
    page.check()
    check_places(
        {"--labels": labels, "--join": join, "--save": save, "--map": label_map, "--report": report},
        {
            "the data": choice.data,
            "the truth": truth,
            "the mask": choice.mask,
            "the file of row names": row_names,
        },
    )
    say = speaker(quiet)
    with in_terms_of_options(method):
        source = open_data(choice)
        rows, numbers = source.shape
        check_pixels(label_map, source)
        ids = row_ids(choice, source)
        contents = page.contents(source)
        if choice.row_id is not None and ids is not None:
            contents.setdefault("names", ids[choice.row_id])
        say(f"{method}: {rows} rows of {numbers} numbers from {source.name}")
        try:
            remarks = clustering.fit(estimator, source, workplace, in_sight=not quiet)
        except KeyboardInterrupt:
            raise Interrupted(_goes_on(estimator)) from None
    known = clustering.known_scores(estimator, contents.get("truth"))
    for line in clustering.fit_summary(estimator, remarks, known):
        say(line)
    facts = {**clustering.fit_facts(method, estimator, source, remarks), **known}
    # First of all: whatever else fails must not cost them.
    _hand_out(labels, as_json, facts, LabelledRows(choice.data, estimator.labels_, ids), say)
    if label_map is not None:
        write_map(label_map, source, estimator.labels_)
        say(f"map: {label_map}")
    if save is not None:
        say(f"model: {estimator.save(save)}")
    if report is not None:
        write_page(report, CommandRun(estimator, source, choice, remarks), contents)
        say(f"report: {report}")
    if join is not None:
        from subspan.cli.joining import write_joined

        write_joined(join, choice, estimator.labels_)
        say(f"table with labels: {join}")


@dataclass(frozen=True)
class LabelledRows:
    """What was found, and what the rows are called."""

    data: str
    labels: Any
    ids: RowIds | None


def _goes_on(estimator: SubspaceMethod) -> str:
    if not hasattr(estimator, "work_dir"):
        return "Interrupted."
    if estimator.work_dir is None:
        return (
            "Interrupted. Nothing was kept; with --work-dir FOLDER the same command goes on where it ended."
        )
    return f"Interrupted; the same command goes on from {estimator.work_dir}."


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


def check_labels(labels: str | None, as_json: bool) -> None:
    """Everything about the place of the labels that can be known before the work."""
    from subspan.cli.labels import WRITERS

    if labels in (None, "-"):
        if sys.stdout is None:
            raise click.UsageError("Standard output is closed; --labels FILE says where the labels go.")
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
    if path.suffix.lower() == ".parquet":
        from subspan.extras import optional_import

        optional_import("pyarrow", package="pyarrow", extra="parquet")


def _check_save(save: str | None) -> None:
    """Everything about the place of the model that can be known before the work."""
    if save is None:
        return
    path = Path(save)
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.parent}.", param_hint="'--save'")
    if path.is_dir():
        raise click.BadParameter(f"{path} is a folder.", param_hint="'--save'")


def _hand_out(
    place: str | None, as_json: bool, facts: dict[str, Any], found: LabelledRows, say: Callable[[str], None]
) -> None:
    from subspan.cli.labels import csv_text, free_name, write_labels

    to_output = place == "-" or (place is None and not sys.stdout.isatty())
    if as_json:
        import json

        click.echo(json.dumps(facts, indent=2))
    elif to_output:
        click.echo(csv_text(found.labels, found.ids), nl=False)
    if not to_output:
        path = Path(place) if place is not None else free_name(found.data)
        write_labels(path, found.labels, found.ids)
        say(f"labels: {path}")
