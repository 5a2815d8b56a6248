"""What a method takes and says of itself, read from its source: to import it takes seconds."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subspan.methods.documentation import filled
from subspan.methods.registry import PLACES


@dataclass(frozen=True)
class Written:
    """A method as its file has it."""

    # Name of the class.
    estimator: str
    documentation: str
    # Arguments of the constructor, in their order.
    defaults: dict[str, Any]


def read_method(name: str) -> Written:
    """Name, documentation and arguments of the estimator that is registered as `name`.

    Examples
    --------
    >>> written = read_method("lsr")
    >>> written.estimator, written.defaults["regularization"]
    ('LSR', 0.001)
    """
    module, estimator = PLACES[name]
    tree = ast.parse((Path(__file__).parent / f"{module}.py").read_text(encoding="utf-8"))
    found = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == estimator)
    defaults = _defaults(found)
    text = filled(ast.get_docstring(found, clean=False) or "", defaults)
    return Written(estimator, inspect.cleandoc(text), defaults)


def _defaults(estimator: ast.ClassDef) -> dict[str, Any]:
    """Defaults of the constructor, each of which is a number, a word or None."""
    functions = [node for node in estimator.body if isinstance(node, ast.FunctionDef)]
    arguments = next(node.args for node in functions if node.name == "__init__")
    _, *positional = arguments.args
    values = zip(
        [*positional, *arguments.kwonlyargs], [*arguments.defaults, *arguments.kw_defaults], strict=True
    )
    return {argument.arg: ast.literal_eval(value) for argument, value in values if value is not None}
