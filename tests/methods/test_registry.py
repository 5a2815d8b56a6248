"""Methods by name, and descriptions that agree with the signatures."""

from __future__ import annotations

import inspect
import re
from ast import literal_eval

import pytest

import subspan
from subspan import S3COMPC
from subspan.handover import InputError
from subspan.methods import registry
from subspan.parameters import declared


def test_every_method_of_the_paper_has_its_name():
    names = ["auto", "s3comp", "s3comp-c", "ssc-omp", "ensc", "lsr", "lrsc", "scc", "olrsc", "sr-ssc", "esc"]
    assert set(names) <= set(registry.METHODS)
    no_methods = {"__version__", "Model", "compare", "diagnose", "estimate_n_clusters", "load"}
    assert {method.__name__ for method in registry.METHODS.values()} == set(subspan.__all__) - no_methods


def test_names_in_any_case():
    assert registry.get("S3COMP-C") is registry.get("s3comp-c") is S3COMPC


def test_a_slip_is_met_with_a_suggestion():
    with pytest.raises(InputError, match="no method 's3comp_c'; did you mean 's3comp-c'"):
        registry.get("s3comp_c")
    with pytest.raises(InputError, match=r"no method 'kmeans'; there are auto, s3comp, .*ssc-omp"):
        registry.get("kmeans")


@pytest.mark.parametrize("name", registry.METHODS)
def test_every_parameter_is_described_and_checked(name):
    """Names and defaults in the docstring are those of the constructor."""
    method = registry.get(name)
    parameters = inspect.signature(method).parameters
    text = inspect.getdoc(method)
    section = text[text.index("Parameters\n---") : text.index("Attributes\n---")]
    described = dict(re.findall(r"^(\w+) : .*default=(.+)$", section, re.MULTILINE))
    defaults = {key: value.default for key, value in parameters.items()}
    assert {key: literal_eval(text) for key, text in described.items()} == defaults
    assert list(described) == re.findall(r"^(\w+) : ", section, re.MULTILINE)
    assert list(described) == [parameter.name for parameter in declared(method)]
    assert not re.search(r"^\s*\{\w+\}\s*$", text, re.MULTILINE)


@pytest.mark.parametrize("name", registry.METHODS)
def test_estimators_can_be_built_without_arguments(name):
    method = registry.get(name)
    assert method().get_params() == {
        key: value.default for key, value in inspect.signature(method).parameters.items()
    }
