"""What is read from the source is what the imported class says."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from subspan.methods import reading, registry


@pytest.mark.parametrize("name", registry.METHODS)
def test_the_source_says_what_the_class_says(name: str) -> None:
    written = reading.read_method(name)
    method = registry.get(name)
    assert written.estimator == method.__name__
    assert written.documentation == inspect.getdoc(method)
    defaults = {key: value.default for key, value in inspect.signature(method).parameters.items()}
    assert written.defaults == defaults
    assert list(written.defaults) == list(defaults)


def test_reading_imports_nothing_scientific() -> None:
    code = (
        "import sys\n"
        "from subspan.methods import reading, registry\n"
        "print(len([reading.read_method(name) for name in registry.METHODS]))\n"
        "print(sorted({'numpy', 'scipy', 'sklearn', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == [str(len(registry.METHODS)), "[]"]
