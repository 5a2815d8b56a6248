"""Command-line options of a method, made from its constructor and its documentation.

Both are read without importing the method, so that help and completion come at once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import click
from click.shell_completion import CompletionItem

from subspan.cli.completing import Items, words
from subspan.handover import InputError
from subspan.methods import registry
from subspan.methods.reading import read_method

# Names by which other programs know these; the ones made from the parameter work too.
SHORT_NAMES = {"n_clusters": "-k", "random_state": "--seed", "memory_budget": "--memory"}
# On the command line a run is the same each time unless it is told otherwise.
SEED = 0
# Types in the documentation, and what the help of a program calls them.
KINDS = {"int": "INTEGER", "float": "NUMBER", "str": "TEXT", "path": "PATH", "None": "none"}
# What nobody can type, or has no need to.
NOT_TYPED = ("RandomState", "bool")


@dataclass(frozen=True)
class Parameter:
    """One argument of a method's constructor."""

    # The name of the method.
    method: str
    name: str
    default: Any
    # As in the documentation, such as: int, "auto" or None.
    type: str
    description: str

    @property
    def flag(self) -> str:
        """The option made from the name."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def is_flag(self) -> bool:
        """Whether it is switched on or off, not given a value."""
        return isinstance(self.default, bool)

    @property
    def kind(self) -> str:
        """What it takes, such as INTEGER|auto|none."""
        words = re.split(r", | or ", re.sub(r" in \[.*|[{}\"]", "", self.type))
        return "|".join(KINDS.get(word, word) for word in words if word not in NOT_TYPED)

    def read(self, text: str) -> Any:
        """The value that a text stands for: None, a number or the text, whichever the method takes.

        Examples
        --------
        >>> n_clusters, n_nonzero, *_ = parameters_of("ssc-omp")
        >>> n_nonzero.read("7")
        7
        >>> n_nonzero.read("7.5")
        Traceback (most recent call last):
        subspan.handover.InputError: must be an int in the range [1, inf), not '7.5'.
        """
        # Imported here: only a value takes the method itself.
        from subspan.parameters import check_parameters

        method = registry.get(self.method)
        refusals = []
        for value in _readings(text, self.type.startswith("float")):
            try:
                check_parameters(method(**{self.name: value}))
            except ValueError as error:
                refusals.append(str(error))
            else:
                return value
        raise InputError(f"must be {_requirement(refusals[-1])}, not {text!r}.")


def _readings(text: str, is_real: bool) -> Iterator[Any]:
    words: dict[str, Any] = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        yield words[text.lower()]
    for number in (float,) if is_real else (int, float):
        with suppress(ValueError):
            yield number(text)
    yield text


def _requirement(refusal: str) -> str:
    """What a parameter must be, from scikit-learn's sentence about what it must not."""
    words = refusal.partition("must be ")[2].rpartition(". Got ")[0]
    # Words come in no fixed order, and the smallest number there is stands for zero left out.
    words = re.sub(r"\{(.*?)\}", lambda found: f"{{{', '.join(sorted(found[1].split(', ')))}}}", words)
    return words.replace(f"[{sys.float_info.min}", "(0")


def parameters_of(method: str) -> list[Parameter]:
    """Arguments of a method's constructor, with what its documentation says about them.

    All but `verbose`: here progress is shown unless the command is told to be quiet.

    Examples
    --------
    >>> [parameter.flag for parameter in parameters_of("lsr")][:3]
    ['--n-clusters', '--regularization', '--zero-diagonal']
    """
    written = read_method(method)
    described = _descriptions(written.documentation)
    return [
        Parameter(method, name, default, *described[name])
        for name, default in written.defaults.items()
        if name != "verbose"
    ]


def summary(method: str) -> str:
    """The first line of a method's documentation."""
    return read_method(method).documentation.partition("\n")[0]


def _descriptions(documentation: str) -> dict[str, tuple[str, str]]:
    """Type and text of each parameter in the section "Parameters" of a numpy docstring."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n\w+\n--|\Z)", documentation, re.DOTALL | re.MULTILINE)
    entries = re.findall(
        r"^(\w+) : (.*), default=.*\n((?: .*\n?)*)", section[1] if section else "", re.MULTILINE
    )
    return {name: (kind, " ".join(text.replace("`", "").split())) for name, kind, text in entries}


def options_of(method: str) -> list[click.Option]:
    """An option for every argument of a method's constructor."""
    return [_option(parameter) for parameter in parameters_of(method)]


def _option(parameter: Parameter) -> click.Option:
    if parameter.is_flag:
        both = f"{parameter.flag}/--no-{parameter.flag.removeprefix('--')}"
        return click.Option([both], default=parameter.default, show_default=True, help=parameter.description)
    short = [SHORT_NAMES[parameter.name]] if parameter.name in SHORT_NAMES else []
    default = SEED if parameter.name == "random_state" else parameter.default
    # Eight clusters, as in the constructor, would be nobody's wish: the number has to be given.
    given: dict[str, Any] = {"required": True}
    if parameter.name != "n_clusters":
        given = {"default": default, "show_default": "none" if default is None else True}
    return click.Option(
        [parameter.name, *short, parameter.flag],
        type=click.UNPROCESSED,
        callback=partial(_read, parameter),
        metavar=parameter.kind,
        shell_complete=partial(_complete, parameter),
        help=parameter.description,
        **given,
    )


def _read(parameter: Parameter, ctx: click.Context, option: click.Parameter, value: Any) -> Any:
    """The value of an option, or one sentence about what would be allowed."""
    # While the shell asks how a line may go on, nobody needs the values on it.
    if not isinstance(value, str) or ctx.resilient_parsing:
        return value
    try:
        return parameter.read(value)
    except InputError as error:
        raise click.BadParameter(str(error), ctx, option) from None


def _complete(parameter: Parameter, _: click.Context, __: click.Parameter, incomplete: str) -> Items:
    """Folders, or the words among what an option takes."""
    kinds = parameter.kind.split("|")
    if "PATH" in kinds:
        return [CompletionItem(incomplete, type="dir")]
    return words([kind for kind in kinds if kind.islower()], incomplete)


def methods_with(flag: str) -> list[str]:
    """Names of the methods that know an option."""
    return [
        name
        for name in registry.METHODS
        if any(flag in (*option.opts, *option.secondary_opts) for option in options_of(name))
    ]


@contextmanager
def in_terms_of_options(method: str | None = None) -> Iterator[None]:
    """Let errors speak of options, where the library speaks of arguments: of a method, or of the data."""
    try:
        yield
    except InputError as error:
        raise InputError(as_options(str(error), parameters_of(method) if method else [])) from error


def _flag(parameter: Parameter) -> str:
    return SHORT_NAMES.get(parameter.name, parameter.flag)


def as_options(message: str, parameters: Sequence[Parameter]) -> str:
    """A message with name=value written as the command line takes it.

    Examples
    --------
    >>> as_options("remove it, or pass zero_rows='label'.", parameters_of("lsr"))
    'remove it, or pass --zero-rows label.'
    >>> as_options("use normalize=False.", parameters_of("lsr"))
    'use --no-normalize.'
    >>> as_options("memory_budget: 1 MB is too little.", parameters_of("lsr"))
    '--memory: 1 MB is too little.'
    >>> as_options("work_dir.csv: there is no such file.", parameters_of("ssc-omp"))
    'work_dir.csv: there is no such file.'
    """
    known = {parameter.name: parameter for parameter in parameters}

    def option(match: re.Match[str]) -> str:
        name, _, value = match.groups()
        flag = _flag(known[name])
        if known[name].is_flag:
            return flag if value == "True" else f"--no-{flag.removeprefix('--')}"
        return f"{flag} {value}"

    if known:
        pattern = rf"\b({'|'.join(known)})=(['\"]?)(\w+(?:\.\d+)?)\2"
        message = re.sub(pattern, option, message)
        # Names without an underscore may be words like any other, and those in front of a suffix are files.
        names = "|".join(name for name in known if "_" in name)
        alone = rf"(?<![\w'\"/.-])({names})(?![\w'\"/-]|\.\w)"
        message = re.sub(alone, lambda found: _flag(known[found[0]]), message)
    return message.replace("choose one with key.", "choose one with --key.").replace(
        "columns=[...]", "--columns"
    )
