"""What was run and how to run it again: as a command and as Python."""

from __future__ import annotations

import inspect
import shlex
from pathlib import Path

import numpy as np

from subspan.report.axes import number
from subspan.report.elements import Child, h, name_of, upright
from subspan.report.material import Material
from subspan.report.page import Section
from subspan.report.tables import pairs
from subspan.sources import PixelSource

# Where the data stand in a command if nobody knows their place, and in a program.
SOMEWHERE, IN_MEMORY = "DATA", "X"
MOST_COLUMNS = 12


def again_section(material: Material) -> Section:
    """What was run, as a command and as Python."""
    facts = pairs(
        [
            ("Method", material.method_name),
            ("Data", name_of(material.data)),
            *_columns(material),
        ]
    )
    content = [
        facts,
        h("h3", "On the command line", class_="spaced"),
        h(
            "pre",
            h("code", upright(material.origin.command or command_line(material))),
            tabindex=0,
            aria_label="Command",
            role="region",
        ),
        h("h3", "In Python"),
        h("pre", h("code", python_code(material)), tabindex=0, aria_label="Python code", role="region"),
    ]
    return Section("again", "Run it again", content)


def _columns(material: Material) -> list[tuple[str, Child]]:
    names = material.columns
    if not names:
        return []
    rest = len(names) - MOST_COLUMNS
    shown: list[Child] = [
        [", " if place else None, name_of(name)] for place, name in enumerate(names[:MOST_COLUMNS])
    ]
    return [("Columns", [shown, f" and {number(rest)} more" if rest > 0 else None])]


def changed_parameters(material: Material) -> dict[str, object]:
    """Parameters that differ from the defaults, in the order of the constructor; the clusters always."""
    values = material.estimator.get_params(deep=False)
    return {
        name: values[name]
        for name, parameter in inspect.signature(type(material.estimator)).parameters.items()
        if name == "n_clusters" or repr(values[name]) != repr(parameter.default)
    }


def command_line(material: Material) -> str:
    """The command that gives these clusters.

    Examples
    --------
    >>> from subspan import LSR
    >>> print(command_line(Material(LSR(3, zero_diagonal=False))))
    subspan cluster DATA --method lsr --n-clusters 3 --no-zero-diagonal
    """
    words = ["subspan", "cluster", material.place or SOMEWHERE, "--method", material.method]
    for name, value in changed_parameters(material).items():
        option = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
        elif isinstance(value, (int, float, str, Path, np.number)):
            words += [f"--{option}", str(value)]
        elif isinstance(value, tuple):
            words += [f"--{option}", ":".join(map(str, value))]
    return shlex.join(words)


def python_code(material: Material) -> str:
    """The same as a program.

    Examples
    --------
    >>> from subspan import LSR
    >>> print(python_code(Material(LSR(3, random_state=0))))
    from subspan import LSR
    <BLANKLINE>
    model = LSR(n_clusters=3, random_state=0).fit(X)
    labels = model.labels_
    """
    name = type(material.estimator).__name__
    arguments = ", ".join(f"{key}={_literal(value)}" for key, value in changed_parameters(material).items())
    given = {"key": material.origin.key, "columns": material.origin.columns}
    options = "".join(f", {option}={value!r}" for option, value in given.items() if value is not None)
    source = material.source
    is_masked = isinstance(source, PixelSource) and source.pixels is not None
    options += ", mask=mask" if is_masked else ""
    data = IN_MEMORY if material.place is None else repr(material.place)
    return "\n".join(
        [
            f"from {material.home} import {name}",
            *(["from subspan.sources import open_source"] if options else []),
            "",
            *(["mask = ...  # the image that is 0 where a pixel is left out"] if is_masked else []),
            f"model = {name}({arguments}).fit({f'open_source({data}{options})' if options else data})",
            "labels = model.labels_",
        ]
    )


def _literal(value: object) -> str:
    if isinstance(value, (bool, int, float, str, tuple, np.number, type(None))):
        return repr(value)
    return repr(str(value)) if isinstance(value, Path) else "..."
