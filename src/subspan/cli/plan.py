"""`subspan plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from subspan.cli.cluster import METHOD, PAPER_METHOD, MethodCommand, method_option, named_method
from subspan.cli.options import DataChoice, data_options, json_option, say

if TYPE_CHECKING:
    from subspan.methods.planning import Plan


# Where it is kept whether the front door was meant.
MEANT_KEY = "subspan.cli.plan.front_door"
OF_ONE_GRAPH = (
    f"This is the plan of one graph, by {PAPER_METHOD}. {METHOD} makes 18 graphs or more, one after the "
    "other; of a sample of 10 000 points if there are more than 20 000."
)


class PlanCommand(MethodCommand):
    """A command for methods with a plan: unless another one is named, that of the paper."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember whether the front door was meant."""
        ctx.meta[MEANT_KEY] = named_method(args) == METHOD
        return super().parse_args(ctx, args)

    def method_in(self, args: list[str]) -> str:
        """Members of the front door plan for themselves."""
        name = super().method_in(args)
        return PAPER_METHOD if name == METHOD else name


@click.command(cls=PlanCommand)
@data_options
@method_option("One of those that take --work-dir.")
@json_option
def plan(choice: DataChoice, method: str, as_json: bool, **parameters: Any) -> None:
    """Print how DATA would be clustered: memory and rough times.

    Takes what `subspan cluster` takes and reads no more than the size of DATA. Bytes, by stage, are upper
    bounds of what the process will have in memory; seconds are a range for this machine as it is now. A
    --memory that is too little is refused with the smallest that would do.

    \b
    Examples:
      subspan plan large.npy -k 10 --dictionary-size 20000
      subspan plan large.npy -k 10 --dictionary-size 20000 --memory 2GB --work-dir work
    """  # noqa: D301 (click needs the character itself)
    from subspan.cli.method_options import in_terms_of_options, methods_with
    from subspan.cli.opening import open_data
    from subspan.methods import registry

    method = registry.find(method)
    estimator = registry.get(method)(**parameters)
    if not hasattr(estimator, "plan"):
        others = ", ".join(name for name in methods_with("--work-dir") if name != METHOD)
        raise click.UsageError(
            f"{method} has no plan; these methods have one: {others}. The page Which method? has a table of "
            "costs. cluster refuses at once what does not fit into --memory, and says what would do."
        )
    with in_terms_of_options(method):
        found = estimator.plan(open_data(choice))
    if as_json:
        import json

        click.echo(json.dumps(_facts(found), indent=2))
        return
    click.echo(str(found))
    if click.get_current_context().meta[MEANT_KEY]:
        say(OF_ONE_GRAPH)


def _facts(plan: Plan) -> dict[str, Any]:
    return {
        "n_points": plan.problem.n_points,
        "n_features": plan.problem.n_features,
        "n_atoms": plan.problem.n_atoms,
        "kept": plan.kept,
        "threads": plan.threads,
        "coefficients": plan.coefficients,
        "reads_once": plan.reads_once,
        "forms_the_affinity": not plan.problem.few_atoms,
        "process_bytes": plan.process,
        "stage_bytes": {stage: dict(terms) for stage, terms in plan.stages.items()},
        "peak_bytes": plan.peak,
        "stage_seconds": dict(plan.seconds),
    }
