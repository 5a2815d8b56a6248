"""From a cube to a map of labels, as a user would go."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from pages import parse

from subspan import LSR
from subspan.cli.main import program
from subspan.handover import InputError
from subspan.report.colours import COLOURS

LINES, COLUMNS, BANDS = 8, 10, 12


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cube of two materials, its map, and a mask."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], COLUMNS // 2)[None].repeat(LINES, axis=0)
    spectra = rng.standard_normal((2, 2, BANDS))
    shares = rng.uniform(0.2, 1, (LINES, COLUMNS, 1, 2))
    np.save(tmp_path / "scene.npy", (shares @ spectra[truth])[:, :, 0])
    np.save(tmp_path / "truth.npy", truth + 1)
    mask = np.ones((LINES, COLUMNS), int)
    mask[0, :4] = 0
    np.save(tmp_path / "mask.npy", mask)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["cluster", *arguments])


def test_a_cube_becomes_a_map(folder: Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    options = ["-k", "2", "--method", "lsr", "--mask", "mask.npy", "--truth", "truth.npy"]
    result = invoke(
        "scene.npy", *options, "--map", "map.png", "--labels", "labels.csv", "--report", "page.html"
    )
    assert result.exit_code == 0, result.output
    assert "accuracy: 100.0%" in result.stderr
    cube, mask, truth = (np.load(folder / f"{name}.npy") for name in ("scene", "mask", "truth"))
    labels = LSR(2, random_state=0).fit(cube[mask > 0]).labels_
    lines = (folder / "labels.csv").read_text().splitlines()
    assert lines[:2] == ["line,column,row,label", f"0,4,0,{labels[0]}"]
    with pillow.open(folder / "map.png") as picture:
        seen = np.asarray(picture.convert("RGB"))
    assert seen.shape == (LINES, COLUMNS, 3)
    light = [tuple(bytes.fromhex(colour[1:])) for colour, _ in COLOURS[:2]]
    assert {tuple(pixel) for pixel in seen[truth == 1].tolist()} - {(139, 146, 155)} == {light[labels[0]]}
    assert (seen[mask == 0] == (139, 146, 155)).all()
    [section] = parse((folder / "page.html").read_text()).find("section", id="map")
    assert [image.attributes["alt"] for image in section.find("img")] == [
        "Clusters as an image", "Known classes as an image"
    ]  # fmt: skip


def test_the_map_as_numbers(folder: Path) -> None:
    options = [
        "-k",
        "2",
        "--method",
        "lsr",
        "--mask",
        "mask.npy",
        "--map",
        "map.npy",
        "--labels",
        "labels.npy",
    ]
    assert invoke("scene.npy", *options).exit_code == 0
    found, mask = np.load(folder / "map.npy"), np.load(folder / "mask.npy")
    assert (found[mask == 0] == -1).all()
    assert np.array_equal(found[mask > 0], np.load(folder / "labels.npy"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["scene.npy", "--mask", "none.npy"], "--mask none.npy: there is no such file."),
        (["truth.npy", "--mask", "mask.npy"], "--mask: is for cubes"),
        (["truth.npy", "--map", "map.png"], "--map: is for cubes"),
        (["scene.npy", "--truth", "scene.npy"], "--truth scene.npy: has shape (80, 12)"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_does_not_fit_is_one_sentence(arguments: list[str], words: str) -> None:
    result = invoke(*arguments, "-k", "2", "--method", "lsr")
    assert isinstance(result.exception, InputError)
    assert words in str(result.exception)


@pytest.mark.usefixtures("folder")
def test_a_map_of_another_kind_is_refused_before_the_work() -> None:
    result = invoke("scene.npy", "-k", "2", "--map", "map.jpg")
    assert result.exit_code == 2
    assert "map.jpg: the name must end in .png or .npy." in result.stderr
