"""Methods from outside of the package: a class in a file, or one that another package has installed.

Nothing of theirs is imported until a method is asked for by its name.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from subspan.handover import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from subspan.base import SubspaceMethod

# Of entry points: a package that has some in this group adds methods.
GROUP = "subspan.methods"
# A path may have colons too: what ends in .py is the file.
IN_FILE = re.compile(r"(?P<file>.*\.py)(:(?P<estimator>.*))?", re.DOTALL | re.IGNORECASE)


def is_in_file(name: str) -> bool:
    """Whether a name is that of a file, with or without a class.

    Examples
    --------
    >>> is_in_file("nearest.py:Nearest"), is_in_file("lsr")
    (True, False)
    """
    return IN_FILE.fullmatch(name) is not None


def from_file(name: str) -> type[SubspaceMethod]:
    """The method that ``file.py:Class`` names."""
    return _checked(class_in_file(name), name)


def class_in_file(name: str) -> type:
    """The class that ``file.py:Class`` names, of whatever kind."""
    parts = IN_FILE.fullmatch(name)
    assert parts is not None
    file, wanted = parts["file"], parts["estimator"] or ""
    module = _module(Path(file), name)
    found = getattr(module, wanted, None)
    if isinstance(found, type):
        return found
    own = [each for each in vars(module).values() if getattr(each, "__module__", None) == module.__name__]
    classes = [each.__name__ for each in own if isinstance(each, type)]
    missing = f"{file} has no class {wanted!r}" if wanted else "the class is missing, as in FILE.py:CLASS"
    raise InputError(f"{name!r}: {missing}; {_listed(classes, file)}.")


def _listed(classes: list[str], file: str) -> str:
    if not classes:
        return f"{file} defines no class"
    return f"the class{'es' * (len(classes) > 1)} in it: {', '.join(classes)}"


def _module(path: Path, name: str) -> ModuleType:
    """The module of a file, run once. It is registered by its path, so that no import statement finds it."""
    known = str(path.absolute())
    if known in sys.modules:
        return sys.modules[known]
    if not path.is_file():
        raise InputError(f"{name!r}: there is no file {path}.")
    spec = importlib.util.spec_from_file_location(known, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[known] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    # Any error, SystemExit too: the sentence then says that the file failed, and where.
    except (Exception, SystemExit) as error:
        del sys.modules[known]
        raise InputError(f"{name!r}: {path} cannot be imported: {_reason(error, known)}") from error
    return module


def _reason(error: BaseException, file: str) -> str:
    """What went wrong, and in which line of the file."""
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == file else None
    traceback = error.__traceback__
    while traceback is not None:
        line = traceback.tb_lineno if traceback.tb_frame.f_code.co_filename == file else line
        traceback = traceback.tb_next
    said = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    where = "" if line is None else f", line {line}"
    return f"{type(error).__name__}{where}{': ' * bool(said)}{said}"


def _checked(found: Any, name: str) -> type[SubspaceMethod]:
    from subspan.base import SubspaceMethod as Base

    if not (isinstance(found, type) and issubclass(found, Base)) or found is Base:
        what = getattr(found, "__name__", repr(found))
        raise InputError(f"{name!r}: {what} is no subclass of {Base.__module__}.{Base.__name__}.")
    return found


@cache
def installed() -> dict[str, EntryPoint]:
    """Methods that other packages have installed, by name; none is imported."""
    # Imported here: this module takes longer than all of ours that show a help.
    from importlib.metadata import entry_points

    return {each.name.lower(): each for each in entry_points(group=GROUP)}


def from_package(name: str) -> type[SubspaceMethod]:
    """The class of an installed method."""
    entry = installed()[name]
    try:
        found = entry.load()
    except (Exception, SystemExit) as error:
        reason = _reason(error, "")
        raise InputError(f"{name!r}: {described(entry)} cannot be imported: {reason}") from error
    return _checked(found, name)


def described(entry: EntryPoint) -> str:
    """An installed method in a few words: nothing else is known of it without an import."""
    owner = "" if entry.dist is None else f" of {entry.dist.name} {entry.dist.version}"
    return f"{entry.value}{owner}"


def home(estimator: type) -> str:
    """The module that an import statement would name."""
    module = estimator.__module__
    return Path(module).stem if is_in_file(module) else module


def refuse_namesake(name: str) -> None:
    """Refuse a built-in method whose name another package uses too: which of them is meant is open."""
    if name in installed():
        raise InputError(
            f"{name!r} is the name of a built-in method, but also of {described(installed()[name])}: that "
            f"entry point ({GROUP}) needs another name."
        )
