"""The package in its surroundings: imports, compiled code, read-only folders, forks and threads."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import subspan
from subspan import S3COMPC
from subspan.datasets import make_union_of_subspaces

# Fits a little of everything and prints the labels.
FIT = """
import numpy as np
from subspan import S3COMPC
from subspan.datasets import make_union_of_subspaces
X, y = make_union_of_subspaces(3, 2, 20, 30, random_state=0)
labels = S3COMPC(3, n_nonzero=2, max_iter=2, random_state=0).fit_predict(X)
"""


def run(code: str, folder: Path | None = None, **environment: str | None) -> str:
    """Output of a fresh interpreter; a variable given as None is taken out of its environment."""
    merged = os.environ | environment
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=300, check=False,
        env={name: value for name, value in merged.items() if value is not None},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def expected_labels() -> list[int]:
    X, _ = make_union_of_subspaces(3, 2, 20, 30, random_state=0)
    return S3COMPC(3, n_nonzero=2, max_iter=2, random_state=0).fit_predict(X).tolist()


def test_version_is_that_of_the_distribution():
    assert subspan.__version__ == version("subspan")


def test_public_names():
    assert {"S3COMP", "S3COMPC", "SSCOMP", "__version__"} < set(subspan.__all__)
    assert all(hasattr(subspan, name) for name in subspan.__all__)


def test_imports_are_few_and_compile_nothing():
    """Nothing slow is imported besides what scikit-learn itself brings along."""
    code = """
import sys, sklearn.cluster
unavoidable = set(sys.modules)
import subspan.cli.main
from subspan import S3COMPC
print(*(set(sys.modules) - unavoidable))
from subspan.kernels import consensus
from subspan.kernels.pursuit import engine
print(len(engine.pursue.signatures), len(consensus.average_solutions.signatures))
"""
    loaded, compiled = run(code).splitlines()
    tables = {"dask", "distributed", "pandas", "polars", "pyarrow"}
    slow = tables | {"matplotlib", "rich", "torch", "IPython", "pytest"}
    assert "subspan.methods.s3comp" in loaded.split()
    assert not slow & set(loaded.split())
    assert compiled == "0 0"


def test_second_start_reuses_compiled_kernels():
    code = f"""
{FIT}
from subspan.kernels import consensus
from subspan.kernels.pursuit import engine
for kernel in (engine.pursue, consensus.average_solutions):
    print(sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values()))
"""
    run(code)
    assert run(code).split() == ["1", "0"] * 2


@pytest.mark.slow
def test_read_only_installation_without_a_home(tmp_path):
    """Compiled code can be kept nowhere: files stand where its folders would go, so not even root can."""
    package = tmp_path / "site" / "subspan"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(subspan.__file__).parent, package, ignore=ignore)
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").write_text("")
    for path in [package, *package.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)
    nowhere = tmp_path / "nowhere"
    nowhere.write_text("")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    code = f"""
{FIT}
import subspan
from subspan.kernels.pursuit import engine
print(subspan.__file__)
print(sum(engine.pursue.stats.cache_hits.values()))
print(*labels)
"""
    homeless = {
        "HOME": str(nowhere / "home"),
        "XDG_CACHE_HOME": None,
        "NUMBA_CACHE_DIR": None,
        "PYTHONPATH": str(package.parent),
    }
    origin, hits, *labels = run(code, elsewhere, **homeless).split()
    assert Path(origin) == package / "__init__.py"
    assert hits == "0"
    assert [int(label) for label in labels] == expected_labels()
    assert not list(elsewhere.iterdir())


def test_fit_after_fork():
    code = f"""
{FIT}
import multiprocessing
def fit(seed):
    return S3COMPC(3, n_nonzero=2, max_iter=2, random_state=0).fit_predict(X)
with multiprocessing.get_context("fork").Pool(2) as pool:
    for forked in pool.map(fit, range(4)):
        assert np.array_equal(forked, labels)
print(*labels)
"""
    if sys.platform == "win32":
        pytest.skip("there is no fork on this system")
    assert [int(label) for label in run(code, PYTHONWARNINGS="ignore").split()] == expected_labels()


def test_fits_in_threads_of_the_user():
    """Larger and wider than elsewhere, so that a product on two BLAS threads would show in the last bit."""
    X, _ = make_union_of_subspaces(4, 5, 300, 150, noise=0.1, random_state=0, dtype="float32")

    def fit(seed: int) -> S3COMPC:
        return S3COMPC(4, n_nonzero=5, n_subproblems=5, max_iter=2, n_init=2, random_state=seed).fit(X)

    alone = [fit(seed) for seed in range(4)]
    for _ in range(3):
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(fit, range(4)))
        for one, other in zip(alone, together, strict=True):
            assert np.array_equal(one.representation_.data, other.representation_.data)
            assert np.array_equal(one.representation_.indices, other.representation_.indices)
            assert np.array_equal(one.embedding_, other.embedding_)
            assert np.array_equal(one.labels_, other.labels_)
