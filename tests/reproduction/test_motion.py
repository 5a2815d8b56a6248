"""The table of Hopkins155, on a made film and on made results."""

import numpy as np
import pytest

from subspan.datasets import make_rigid_motions
from subspan.handover import InputError
from subspan.reproduction.motion import MOTION, SETTINGS
from subspan.reproduction.perform import Laboratory
from subspan.reproduction.plan import Scope
from subspan.reproduction.runs import HOPKINS, Data, make_run


@pytest.fixture
def films(tmp_path):
    """Three films with two bodies, in the form of the file of all sequences."""
    arrays = {}
    for number in range(3):
        X, y = make_rigid_motions(2, 25, 12, random_state=number)
        arrays |= {f"X_film-{number}": X, f"y_film-{number}": y}
    np.savez(tmp_path / "hopkins_3.npz", names=[f"film-{number}" for number in range(3)], **arrays)
    return tmp_path


def test_a_run_fits_every_sequence(films):
    run = make_run(Data(HOPKINS), "lsr", {"affine": True, "regularization": 0.01}, seed=0)
    laboratory = Laboratory(films, 1, progress=False)
    laboratory.check([run])
    row = laboratory.perform(run)
    assert [each["name"] for each in row["sequences"]] == ["film-0", "film-1", "film-2"]
    assert {each["n_motions"] for each in row["sequences"]} == {2}
    assert row["n_points"] == 150
    assert row["accuracy"] == pytest.approx(1 - np.mean([each["error"] for each in row["sequences"]]))
    assert row["accuracy"] > 0.95
    first = make_run(Data(HOPKINS, n_sequences=1), "lsr", {"affine": True, "regularization": 0.01}, seed=0)
    assert laboratory.perform(first)["sequences"][0]["error"] == row["sequences"][0]["error"]
    assert first.key != run.key


def test_without_the_sequences_nothing_is_begun(tmp_path):
    with pytest.raises(InputError, match="has neither files"):
        Laboratory(tmp_path, 1, progress=False).check([make_run(Data(HOPKINS), "lsr", {}, 0)])


def test_errors_are_means_over_sequences_and_trials(make_row):
    def row(*errors):
        numbers = (2, 2, 3)
        found = [
            {"name": str(place), "n_motions": number, "n_tracks": 10, "error": error}
            for place, (number, error) in enumerate(zip(numbers, errors, strict=True))
        ]
        return make_row(sequences=found)

    table = MOTION.show({("SCC",): [row(0.0, 0.1, 0.2), row(0.0, 0.3, 0.2)]}, Scope())
    assert table.grids[0].lines == [["SCC", 2, "1.4", "10.0 ± 7.1", "10.0", "4.9", "20.0 ± 0.0", "20.0"]]
    assert [line[-1] for line in table.numbers.lines] == [0.0, 20.0, 20.0]


def test_settings_do_not_depend_on_the_sequence():
    cells = MOTION.cells(Scope(trials=2))
    assert len(cells) == len(SETTINGS)
    for runs in cells.values():
        assert [run.seed for run in runs] == [0, 1]
        assert len({run.parameters for run in runs}) == 1
