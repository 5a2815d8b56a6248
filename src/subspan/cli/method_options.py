"""Command-line options of a method, made from its declaration; that of a built-in one takes no import."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from os import PathLike
from typing import Any

import click
from click.shell_completion import CompletionItem

from subspan.cli.completing import Items, words
from subspan.handover import InputError
from subspan.methods import registry
from subspan.parameters import Parameter, declared

# Names by which other programs know these; the ones made from the parameter work too.
SHORT_NAMES = {"n_clusters": "-k", "random_state": "--seed", "memory_budget": "--memory"}
# Parameters of the data, which are options of every command that reads some.
OF_DATA = ("key", "columns", "exclude", "mask")
# On the command line a run is the same each time unless it is told otherwise.
SEED = 0


def parameters_of(method: str) -> list[Parameter]:
    """Parameters of a method; all but `verbose`: here progress is shown unless the command is to be quiet.

    Examples
    --------
    >>> [flag(parameter) for parameter in parameters_of("lsr")][:3]
    ['--n-clusters', '--affine', '--regularization']
    """
    return [each for each in declared(registry.place(method).declaration) if each.name != "verbose"]


def flag(parameter: Parameter) -> str:
    """The option made from the name."""
    return _flag(parameter.name)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def is_flag(parameter: Parameter) -> bool:
    """Whether it is switched on or off, not given a value."""
    return isinstance(parameter.default, bool)


def description(parameter: Parameter) -> str:
    """What it means, in a line without marks of code."""
    return parameter.meaning.replace("`", "")


def options_of(method: str) -> list[click.Option]:
    """An option for every parameter of a method."""
    return [_option(parameter) for parameter in parameters_of(method)]


def option_names(method: str) -> set[str]:
    """All options of a method, as they are typed."""
    return {name for each in options_of(method) for name in (*each.opts, *each.secondary_opts)}


def _option(parameter: Parameter) -> click.Option:
    name = flag(parameter)
    if is_flag(parameter):
        both = f"{name}/--no-{name.removeprefix('--')}"
        return click.Option([both], default=parameter.default, show_default=True, help=description(parameter))
    short = [SHORT_NAMES[parameter.name]] if parameter.name in SHORT_NAMES else []
    default = SEED if parameter.name == "random_state" else parameter.default
    # Eight clusters, as in the constructor, would be nobody's wish: the number has to be given or found.
    given: dict[str, Any] = {"required": True}
    if parameter.name != "n_clusters" or default == "auto":
        given = {"default": default, "show_default": "none" if default is None else True}
    return click.Option(
        [parameter.name, *short, name],
        type=click.UNPROCESSED,
        callback=partial(_read, parameter),
        metavar="|".join(parameter.kind.metavars),
        shell_complete=partial(_complete, parameter),
        help=description(parameter),
        **given,
    )


def _read(parameter: Parameter, ctx: click.Context, option: click.Parameter, value: Any) -> Any:
    """The value of an option, or one sentence about what would be allowed."""
    # While the shell asks how a line may go on, nobody needs the values on it.
    if not isinstance(value, str) or ctx.resilient_parsing:
        return value
    try:
        return parameter.kind.read(value)
    except InputError as error:
        raise click.BadParameter(str(error), ctx, option) from None


def _complete(parameter: Parameter, _: click.Context, __: click.Parameter, incomplete: str) -> Items:
    """Folders, or the words among what an option takes."""
    if parameter.kind.is_folder:
        return [CompletionItem(incomplete, type="dir")]
    return words(parameter.kind.choices, incomplete)


def methods_with(option: str) -> list[str]:
    """Names of the built-in methods that know an option."""
    return [name for name in registry.METHODS if option in option_names(name)]


class Options:
    """Parameters as the command line has them: those of the data, and those of a method if one is named.

    Examples
    --------
    >>> options = Options("lsr")
    >>> options.setting("n_clusters", 5), options.setting("normalize", False), options.name("work_dir")
    ('-k 5', '--no-normalize', 'work_dir')
    """

    def __init__(self, method: str | None = None) -> None:
        own = [each.name for each in parameters_of(method)] if method else []
        self._names = {name: SHORT_NAMES.get(name, _flag(name)) for name in (*OF_DATA, *own)}

    def name(self, parameter: str) -> str:
        """The option, if there is one."""
        return self._names.get(parameter, parameter)

    def setting(self, parameter: str, value: Any) -> str:
        """The option as it is typed."""
        option = self.name(parameter)
        if isinstance(value, bool):
            return option if value else f"--no-{option.removeprefix('--')}"
        return f"{option} {_typed(value)}"


def _typed(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, (str, PathLike)):
        return shlex.quote(str(value))
    if not isinstance(value, (list, tuple)):
        return str(value)
    # A list has names, a pair the ends of a range.
    return shlex.quote(("," if isinstance(value, list) else ":").join(map(str, value)))


@contextmanager
def in_terms_of_options(method: str | None = None) -> Iterator[None]:
    """Let errors speak of options, where the library speaks of arguments: of a method, or of the data."""
    try:
        yield
    except InputError as error:
        # Taken as it is: there is nothing left to be worded.
        raise InputError(error.worded(Options(method))) from error
