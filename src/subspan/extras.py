"""Packages that only some features need, imported where they are used."""

from __future__ import annotations

import importlib
from typing import Any

from subspan.handover import InputError


class MissingPackageError(InputError, ImportError):
    """A package of one of the extras is not installed; the message has the command that installs it."""


def optional_import(module: str, *, package: str, extra: str) -> Any:
    """The module, or an error that says how to install it.

    Examples
    --------
    >>> optional_import("no_such_module", package="no-such-package", extra="images")
    Traceback (most recent call last):
    subspan.extras.MissingPackageError: This needs no-such-package: pip install 'subspan[images]'.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingPackageError(f"This needs {package}: pip install 'subspan[{extra}]'.") from error
