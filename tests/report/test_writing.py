from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from subspan import S3COMPC
from subspan.handover import InputError
from subspan.report import write_report, writing


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"X": np.ones((59, 12))}, "X: has 59 rows, but the estimator was fitted to 60"),
        ({"truth": [0, 1]}, "truth: has 2 entries, but there are 60 rows"),
        ({"names": ["a"]}, "names: has 1 entries, but there are 60 rows"),
        ({"image_shape": (3, 4)}, r"image_shape=\(3, 4\): the images are in X"),
        ({"X": np.ones((60, 12)), "image_shape": (3, 5)}, r"image_shape=\(3, 5\): has 15 values"),
        ({"X": np.ones((60, 12)), "image_shape": (3, 4), "image_order": "A"}, "image_order='A': must be"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(model, tmp_path, known, message):
    with pytest.raises(InputError, match=message):
        model.report(tmp_path / "page.html", **known)
    assert not list(tmp_path.iterdir())


def test_places_that_are_none(model, tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        model.report(tmp_path / "nowhere" / "page.html")
    with pytest.raises(InputError, match="is a folder"):
        model.report(tmp_path)


def test_not_fitted(tmp_path):
    with pytest.raises(NotFittedError):
        write_report(S3COMPC(3), tmp_path / "page.html")


def test_whole_or_not_at_all(model, tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text("the page before")

    def fails(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "render", fails)
    with pytest.raises(KeyboardInterrupt):
        model.report(path)
    assert path.read_text() == "the page before"
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_same_page_each_time(model, points, tmp_path, monkeypatch):
    monkeypatch.setattr("subspan.report.sections.run.peak_memory", lambda: 10**9)
    X, y = points
    pages = [model.report(tmp_path / f"{i}.html", X, truth=y).read_bytes() for i in range(2)]
    assert pages[0] == pages[1]


def test_images_of_a_folder_are_known_by_their_names(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="pillow writes the images")
    folder = tmp_path / "images"
    folder.mkdir()
    pixels = np.random.default_rng(0).integers(0, 256, (20, 6, 5), np.uint8)
    for number, one in enumerate(pixels):
        image.fromarray(one).save(folder / f"face {number:02}.png")
    estimator = S3COMPC(2, n_nonzero=2, random_state=0).fit(folder)
    page = estimator.report(tmp_path / "page.html", folder).read_text(encoding="utf-8")
    assert page.count("<img ") == 12
    assert "<bdi>face 0" in page
    assert "2 clusters in <bdi>images</bdi>" in page
