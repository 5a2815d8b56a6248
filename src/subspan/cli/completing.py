"""What the shell offers when the user presses the tab key: names that are known without any import."""

from __future__ import annotations

import os
from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

Items = list[CompletionItem]


def method_names(_: click.Context, __: click.Parameter, incomplete: str) -> Items:
    """Methods, with a line of help; files, if none of them begins like that."""
    from subspan.methods import registry

    names = [name for name in registry.names() if name.startswith(incomplete.lower())]
    if not names:
        return files(_, __, incomplete)
    return [CompletionItem(name, help=line_about(name)) for name in names]


def line_about(method: str) -> str:
    """What a method is; of an installed one only where it is, since nothing is imported for a list."""
    from subspan.methods import outside, registry
    from subspan.methods.documentation import summary

    if method in registry.PLACES:
        return summary(registry.PLACES[method].declaration)
    return outside.described(outside.installed()[method])


def method_lists(_: click.Context, __: click.Parameter, incomplete: str) -> Items:
    """Methods with commas between them: the last one is completed, and those before it are not offered."""
    from subspan.comparison.contestants import comparable

    before, comma, last = incomplete.rpartition(",")
    # The script for fish takes what is behind a comma for something else.
    if comma and os.environ.get("_SUBSPAN_COMPLETE", "").startswith("fish"):
        return []
    taken = before.lower().split(",")
    known = [*comparable(), *([] if comma else ["all"])]
    names = [name for name in known if name not in taken]
    return [CompletionItem(before + comma + name) for name in names if name.startswith(last.lower())]


def assignments_of_methods(_: click.Context, __: click.Parameter, incomplete: str) -> Items:
    """Methods with a dot behind them, then their parameters with a sign of equality."""
    from subspan.cli.method_options import parameters_of
    from subspan.cli.method_settings import SHARED_OPTIONS
    from subspan.methods import registry

    method, dot, start = incomplete.partition(".")
    if not dot:
        return [CompletionItem(f"{name}.") for name in registry.names() if name.startswith(method)]
    if method not in registry.names():
        return []
    names = [parameter.name for parameter in parameters_of(method) if parameter.name not in SHARED_OPTIONS]
    return [CompletionItem(f"{method}.{name}=") for name in names if name.startswith(start)]


def files(_: click.Context, __: click.Parameter, incomplete: str) -> Items:
    """Leave it to the shell, which knows the files."""
    return [CompletionItem(incomplete, type="file")]


def words(known: Iterable[str], incomplete: str) -> Items:
    """Words of a fixed list."""
    return [CompletionItem(word) for word in known if word.startswith(incomplete)]
