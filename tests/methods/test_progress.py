"""Every method shows where it is, and finds the same whether or not anybody looks."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest
from watching import Recorder, Seen

from subspan import LSR, OLRSC, SSCOMP
from subspan.datasets import make_union_of_subspaces
from subspan.execution.steps import reporting_to
from subspan.methods import registry

STAGES = ["reading", "representation", "affinity", "embedding", "labeling"]
# What takes long in each method.
LOOPS = {
    "auto": "members",
    "s3comp": "blocks",
    "s3comp-c": "blocks",
    "ssc-omp": "blocks",
    "ensc": "tiles of points",
    "lsr": "tiles of the Gram matrix",
    "lrsc": "tiles of the Gram matrix",
    "scc": "iterations",
    "olrsc": "rows",
    "sr-ssc": "layers",
    "esc": "exemplars",
}

pytestmark = pytest.mark.filterwarnings("ignore::subspan.handover.DataWarning")


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    # More than the eigenproblems that are solved at one go.
    return make_union_of_subspaces(4, 3, 30, 170, noise=0.05, random_state=0)[0]


@pytest.mark.parametrize("name", registry.METHODS)
def test_verbose_fits_tell_their_stages_and_find_the_same(name, points, capsys):
    method = registry.get(name)
    silent = method(4, n_init=2, random_state=0).fit(points)
    assert capsys.readouterr() == ("", "")
    verbose = method(4, n_init=2, random_state=0, verbose=True).fit(points)
    assert np.array_equal(verbose.labels_, silent.labels_)
    assert np.array_equal(verbose.embedding_, silent.embedding_)
    out, err = capsys.readouterr()
    assert out == ""
    lines = [re.fullmatch(rf"{method.__name__} (\w+): \d+(\.\d)? s", line) for line in err.splitlines()]
    assert [line and line[1] for line in lines] == STAGES


@pytest.mark.parametrize("name", registry.METHODS)
def test_long_loops_are_counted_to_their_end(name, points):
    recorder = Recorder()
    with reporting_to(recorder):
        registry.get(name)(4, n_init=2, n_jobs=2, random_state=0).fit(points)
    assert [stage for stage, _ in recorder.finished] == STAGES
    assert LOOPS[name] in [loop.what for loop in recorder.seen if loop.stage == "representation"]
    for loop in recorder.seen:
        assert loop.what != "parts"
        assert loop.done == loop.total or (loop.at_most and loop.done <= loop.total)


def test_products_of_the_search_are_counted(points):
    recorder = Recorder()
    with reporting_to(recorder):
        fitted = LSR(4, random_state=0).fit(points)
    (search,) = [loop for loop in recorder.seen if loop.what == "products"]
    # One more product is taken before the search, for the evidence.
    assert search.done == fitted.certificate_.n_products - 1
    assert (search.stage, search.at_most) == ("embedding", True)


def test_a_resumed_fit_counts_the_blocks_that_are_there(points, tmp_path):
    model = SSCOMP(4, n_nonzero=3, random_state=0, work_dir=tmp_path)
    whole = model.fit(points).labels_
    next(tmp_path.glob("block-*1")).unlink()
    recorder = Recorder()
    with reporting_to(recorder):
        again = model.fit(points).labels_
    assert np.array_equal(again, whole)
    assert Seen("representation", "blocks", 2, 1, 2, at_most=False) in recorder.seen


def test_a_stream_is_labelled_in_sight(points, capsys):
    model = OLRSC(4, random_state=0, verbose=True)
    for part in np.array_split(points, 4):
        model.partial_fit(part)
    assert capsys.readouterr().err == ""
    model.label_stream()
    assert re.findall(r"^OLRSC (\w+):", capsys.readouterr().err, re.MULTILINE) == STAGES[2:]


def test_fits_that_overlap_keep_apart(points, capsys):
    barrier = threading.Barrier(2, timeout=30)
    models = [SSCOMP(4, n_nonzero=3, random_state=0, verbose=True), LSR(4, random_state=0, verbose=True)]

    def fit(model):
        barrier.wait()
        model.fit(points)

    threads = [threading.Thread(target=fit, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    err = capsys.readouterr().err
    for model in models:
        assert re.findall(rf"^{type(model).__name__} (\w+):", err, re.MULTILINE) == STAGES
        alone = type(model)(**model.get_params() | {"verbose": False}).fit(points)
        assert np.array_equal(model.labels_, alone.labels_)


def test_refused_data_leave_no_thread(points):
    with pytest.raises(ValueError, match="NaN"):
        LSR(4, verbose=True).fit(np.full_like(points, np.nan))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("subspan")]
