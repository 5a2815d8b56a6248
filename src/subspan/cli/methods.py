"""`subspan methods`."""

from __future__ import annotations

import json
from typing import Any

import click

from subspan.cli.completing import method_names
from subspan.handover import InputError


@click.command()
@click.argument("name", required=False, shell_complete=method_names)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def methods(name: str | None, as_json: bool) -> None:
    """List the methods, or the parameters of one of them.

    \b
    Examples:
      subspan methods
      subspan methods lsr
    """  # noqa: D301 (click needs the character itself)
    # Imported here: the help of all verbs must not wait for what only some need.
    from subspan.cli.method_options import summary
    from subspan.methods import registry

    if name is None:
        _list({method: summary(method) for method in registry.METHODS}, as_json)
        return
    try:
        name = registry.find(name)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint="NAME") from None
    if as_json:
        click.echo(json.dumps(_facts(name), indent=2))
    else:
        _show(name)


def _list(summaries: dict[str, str], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(summaries, indent=2))
        return
    width = max(map(len, summaries))
    for method, line in summaries.items():
        click.echo(f"{method.ljust(width)}  {line}")


def _show(name: str) -> None:
    from subspan.cli.method_options import options_of, summary
    from subspan.methods.reading import read_method

    context = click.get_current_context()
    formatter = context.make_formatter()
    formatter.write_text(summary(name))
    formatter.write_text(f"In Python: subspan.{read_method(name).estimator}")
    records = [option.get_help_record(context) for option in options_of(name)]
    with formatter.section("Parameters"):
        formatter.write_dl([record for record in records if record is not None])
    click.echo(formatter.getvalue(), nl=False)


def _facts(name: str) -> dict[str, Any]:
    from subspan.cli.method_options import parameters_of, summary
    from subspan.methods.reading import read_method

    return {
        "name": name,
        "estimator": read_method(name).estimator,
        "summary": summary(name),
        "parameters": [
            {
                "name": p.name,
                "option": p.flag,
                "type": p.type,
                "default": p.default,
                "description": p.description,
            }
            for p in parameters_of(name)
        ],
    }
