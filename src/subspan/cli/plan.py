"""`subspan plan`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from subspan.cli.cluster import WHICH_METHOD, MethodCommand, method_option
from subspan.cli.options import DataChoice, data_options, json_option

if TYPE_CHECKING:
    from subspan.base import SubspaceMethod
    from subspan.methods.planning import Plan
    from subspan.methods.rehearsal import Outlook
    from subspan.sources import Source


@click.command(cls=MethodCommand)
@data_options
@method_option(WHICH_METHOD)
@json_option
def plan(choice: DataChoice, method: str, as_json: bool, **parameters: Any) -> None:
    """Print how DATA would be clustered: memory and rough times.

    Takes what `subspan cluster` takes and reads no more than the size of DATA. Bytes are upper bounds of what
    the process will have in memory; seconds are a range for this machine, and other work beside it makes
    them more. Methods that work in blocks tell both by stage. The time of others comes from small fits to
    random rows. A --memory that is too little is refused with the smallest that would do.

    \b
    Examples:
      subspan plan large.npy
      subspan plan large.npy -k 10 --method lsr
      subspan plan large.npy -k 10 --dictionary-size 20000 --memory 2GB --work-dir work
    """  # noqa: D301 (click needs the character itself)
    from subspan.cli.method_options import in_terms_of_options
    from subspan.cli.opening import open_data
    from subspan.methods import registry

    method = registry.find(method)
    estimator = registry.get(method)(**parameters)
    with in_terms_of_options(method):
        found = _plan_of(estimator, open_data(choice))
    click.echo(json.dumps(_facts(found), indent=2) if as_json else str(found))


def _plan_of(estimator: SubspaceMethod, source: Source) -> Plan | Outlook:
    """The plan of a method that works in blocks; of any other one what it may take."""
    from subspan.methods.rehearsal import outlook
    from subspan.tuning import SubspaceClustering
    from subspan.tuning.outlook import front_door_outlook

    if isinstance(estimator, SubspaceClustering):
        return front_door_outlook(estimator, source)
    return estimator.plan(source) if hasattr(estimator, "plan") else outlook(estimator, source)


def _facts(plan: Plan | Outlook) -> dict[str, Any]:
    from subspan.methods.rehearsal import Outlook

    if isinstance(plan, Outlook):
        return {
            "n_points": plan.n_points,
            "n_features": plan.n_features,
            "process_bytes": plan.process,
            "peak_bytes": plan.peak,
            "seconds": [plan.least_seconds, plan.most_seconds],
        }
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
