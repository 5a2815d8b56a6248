"""A declaration is all there is to say about a parameter: constructor, check, docstring, option and help."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from sklearn.base import clone

import subspan
from subspan.base import SubspaceMethod
from subspan.handover import InputError
from subspan.methods import registry
from subspan.methods.documentation import documented, summary
from subspan.parameters import changed, declared, parameter, whole

PACKAGE = Path(subspan.__file__).parent

# Everything that a user sees of a parameter `patience`, of any method.
LOOK = """
import inspect
from click.testing import CliRunner
from subspan.cli.main import program
from subspan.methods import registry

for name, method in registry.METHODS.items():
    assert inspect.signature(method).parameters["patience"].default == 4
    assert method(patience=7).get_params()["patience"] == 7
    try:
        method(patience=-1).fit([[1.0, 2.0], [2.0, 1.0]])
    except ValueError as error:
        assert str(error) == "patience must be a whole number of at least 0; got -1.", error
    else:
        raise AssertionError(name)
    assert "patience : int, default=4\\n        How long it waits.\\n" in method.__doc__
    shown = CliRunner().invoke(program, ["cluster", "--method", name, "--help"]).stdout
    assert "--patience INTEGER" in shown and "How long it waits.  [default: 4]" in shown
    wrong = ["cluster", "X.npy", "-k", "2", "--method", name, "--patience", "x"]
    refused = CliRunner().invoke(program, wrong)
    assert "'--patience': must be a whole number of at least 0, not 'x'." in refused.stderr
print("seen", len(registry.METHODS))
"""


def test_a_shared_parameter_is_one_edit(tmp_path: Path) -> None:
    copy = shutil.copytree(PACKAGE, tmp_path / "subspan", ignore=shutil.ignore_patterns("__pycache__"))
    place = copy / "parameters" / "shared.py"
    text = place.read_text(encoding="utf-8")
    line = "    patience: int = parameter(4, whole(0), 'How long it waits.')\n"
    before, first, after = text.partition("    _: KW_ONLY\n")
    place.write_text(before + first + line + after, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", LOOK],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )
    assert (done.stdout, done.stderr) == (f"seen {len(registry.METHODS)}\n", "")


def test_declarations_import_nothing_scientific() -> None:
    code = (
        "import sys\n"
        "from subspan.methods import registry\n"
        "from subspan.methods.documentation import summary\n"
        "from subspan.parameters import declared\n"
        "print(all(declared(place.declaration) for place in registry.PLACES.values()))\n"
        "print(sorted({'numpy', 'scipy', 'sklearn', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["True", "[]"]


@pytest.mark.parametrize("name", registry.PLACES)
def test_the_class_is_what_its_declaration_says(name: str) -> None:
    place, method = registry.PLACES[name], registry.get(name)
    assert method.__name__ == place.estimator
    assert (inspect.getdoc(method) or "").startswith(summary(place.declaration) + "\n\n")
    signature = inspect.signature(method).parameters
    assert {key: value.default for key, value in signature.items()} == {
        each.name: each.default for each in declared(place.declaration)
    }
    first, *others = signature.values()
    assert (first.name, first.kind) == ("n_clusters", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in others)


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class Patient(SubspaceMethod):
    """A method from elsewhere.

    {parameters}
    """

    patience: int = parameter(4, whole(0), "How long it waits.")
    n_init: int = changed(SubspaceMethod, "n_init", default=3)


def test_a_method_from_elsewhere_declares_its_own() -> None:
    model = Patient(5, patience=2)
    assert clone(model).get_params() == model.get_params()
    assert repr(model) == "Patient(n_clusters=5, patience=2)"
    assert [each.name for each in declared(Patient)][:3] == ["n_clusters", "patience", "normalize"]
    text = inspect.getdoc(Patient) or ""
    assert text.startswith("A method from elsewhere.\n")
    assert "patience : int, default=4\n    How long it waits.\n" in text
    assert "n_init : int, default=3\n    Starts of k-means.\n" in text
    with pytest.raises(InputError, match=r"^patience must be a whole number of at least 0; got 'long'\.$"):
        model.set_params(patience="long").fit([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(InputError, match="n_init must be a whole number from 1 to 100000; got 0") as caught:
        Patient(2, n_init=0).fit([[1.0, 2.0], [2.0, 1.0]])
    assert caught.value.settings == {"n_init": 0}
