"""`subspan methods`."""

from __future__ import annotations

import json
from typing import Any

import click

from subspan.cli.completing import method_names
from subspan.cli.options import wrapped
from subspan.handover import InputError


@click.command()
@click.argument("name", required=False, shell_complete=method_names)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def methods(name: str | None, as_json: bool) -> None:
    """List the methods, or the parameters of one of them.

    Methods from outside are listed if a package has installed them; FILE.py:CLASS names one that is not
    installed.

    \b
    Examples:
      subspan methods
      subspan methods lsr
      subspan methods nearest.py:Nearest
    """  # noqa: D301 (click needs the character itself)
    # Imported here: the help of all verbs must not wait for what only some need.
    from subspan.cli.completing import line_about
    from subspan.methods import registry

    if name is None:
        _list({method: line_about(method) for method in registry.names()}, as_json)
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
        click.echo(wrapped(f"{method.ljust(width)}  {line}"))


def _show(name: str) -> None:
    from subspan.cli.method_options import options_of
    from subspan.methods.documentation import summary
    from subspan.methods.registry import PLACES, place

    found = place(name)
    home = "subspan" if name in PLACES else found.module
    context = click.get_current_context()
    formatter = context.make_formatter()
    formatter.write_text(summary(found.declaration))
    formatter.write_text(f"In Python: {home}.{found.estimator}")
    records = [option.get_help_record(context) for option in options_of(name)]
    with formatter.section("Parameters"):
        formatter.write_dl([record for record in records if record is not None])
    click.echo(formatter.getvalue(), nl=False)


def _facts(name: str) -> dict[str, Any]:
    from subspan.cli.method_options import description, flag, parameters_of
    from subspan.methods.documentation import summary
    from subspan.methods.registry import place

    return {
        "name": name,
        "estimator": place(name).estimator,
        "summary": summary(place(name).declaration),
        "parameters": [
            {
                "name": parameter.name,
                "option": flag(parameter),
                "type": parameter.type,
                "default": parameter.default,
                "description": description(parameter),
            }
            for parameter in parameters_of(name)
        ],
    }
