"""`subspan methods`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from subspan.handover import InputError

if TYPE_CHECKING:
    from subspan.base import SubspaceClusterer
    from subspan.cli.method_options import Parameter


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def methods(name: str | None, as_json: bool) -> None:
    """List the methods, or the parameters of one of them.

    \b
    Examples:
      subspan methods
      subspan methods lsr
    """  # noqa: D301 (click needs the character itself)
    # Imported here: the help of all verbs must not wait for scientific libraries.
    from subspan.cli.method_options import parameters_of, summary
    from subspan.methods import registry

    if name is None:
        _list({method: summary(estimator) for method, estimator in registry.METHODS.items()}, as_json)
        return
    try:
        estimator = registry.get(name)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint="NAME") from None
    if as_json:
        facts = _facts(name.lower(), estimator, summary(estimator), parameters_of(estimator))
        click.echo(json.dumps(facts, indent=2))
    else:
        _show(estimator, summary(estimator))


def _list(summaries: dict[str, str], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(summaries, indent=2))
        return
    width = max(map(len, summaries))
    for method, line in summaries.items():
        click.echo(f"{method.ljust(width)}  {line}")


def _show(estimator: type[SubspaceClusterer], first_line: str) -> None:
    from subspan.cli.method_options import options_of

    context = click.get_current_context()
    formatter = context.make_formatter()
    formatter.write_text(first_line)
    formatter.write_text(f"In Python: subspan.{estimator.__name__}")
    records = [option.get_help_record(context) for option in options_of(estimator)]
    with formatter.section("Parameters"):
        formatter.write_dl([record for record in records if record is not None])
    click.echo(formatter.getvalue(), nl=False)


def _facts(
    name: str, estimator: type[SubspaceClusterer], first_line: str, parameters: list[Parameter]
) -> dict[str, Any]:
    return {
        "name": name,
        "estimator": estimator.__name__,
        "summary": first_line,
        "parameters": [
            {
                "name": p.name,
                "option": p.flag,
                "type": p.type,
                "default": p.default,
                "description": p.description,
            }
            for p in parameters
        ],
    }
