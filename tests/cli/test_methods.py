"""What exists, straight from the estimators."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import pytest
from click.testing import CliRunner, Result

from subspan.cli.main import program
from subspan.cli.method_options import is_flag, parameters_of
from subspan.methods import registry


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["methods", *arguments])


def test_the_program_itself() -> None:
    command = [sys.executable, "-c", "from subspan.cli.main import main; main()", "methods"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == invoke().stdout


def test_a_line_for_each_method() -> None:
    lines = invoke().stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(registry.METHODS)
    for line, estimator in zip(lines, registry.METHODS.values(), strict=True):
        assert line.endswith((inspect.getdoc(estimator) or "").splitlines()[0])


@pytest.mark.parametrize("name", registry.METHODS)
def test_defaults_are_those_of_the_constructor(name: str) -> None:
    facts = json.loads(invoke(name, "--json").stdout)
    found = {parameter["name"]: parameter["default"] for parameter in facts["parameters"]}
    # Progress is the command's own affair.
    assert found | {"verbose": False} == registry.get(name)().get_params()
    assert all(parameter["description"] for parameter in facts["parameters"])


@pytest.mark.parametrize("name", registry.METHODS)
def test_every_default_can_be_typed(name: str) -> None:
    for parameter in parameters_of(name):
        if not is_flag(parameter):
            value = parameter.kind.read(str(parameter.default).lower())
            assert value == parameter.default
            assert type(value) is type(parameter.default)


def test_one_method_for_a_reader() -> None:
    shown = invoke("lsr").stdout
    assert "In Python: subspan.LSR" in shown
    assert "--zero-diagonal / --no-zero-diagonal" in shown


def test_a_misspelt_name_is_answered_with_the_likely_one() -> None:
    result = invoke("ssc-opm")
    assert result.exit_code == 2
    assert "did you mean 'ssc-omp'?" in result.stderr
