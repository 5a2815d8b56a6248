"""What is told of the machine."""

import numpy as np
import pytest

from subspan.execution.machine import cpu_model, gemm_rate, watched_memory


def test_peak_memory_is_that_of_the_work_inside():
    with watched_memory() as large:
        np.ones(2**25)
    with watched_memory() as small:
        pass
    if large.n_bytes is None or small.n_bytes == large.n_bytes:
        pytest.skip("this system cannot tell the peak of a part of a process")
    assert 0.7 * 2**28 < large.n_bytes - small.n_bytes < 2**29


def test_machine(tmp_path):
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: Abacus 3000\n")
    assert cpu_model(tmp_path / "cpuinfo") == "Abacus 3000"
    assert cpu_model(tmp_path / "nothing") != ""
    assert gemm_rate(64) > 0
