"""What a search keeps in a folder, and what it leaves there."""

from __future__ import annotations

from pathlib import Path

from subspan.execution.workplace import Workplace


def interrupted(place: Workplace, n_clusters: int) -> Path:
    """A search that is killed: the folder of its state stays."""
    with place.keep({"n_clusters": n_clusters}) as kept:
        kept.save({})
        folder: Path = kept.work.path
        saved = {path.name: path.read_bytes() for path in folder.iterdir()}
    folder.mkdir()
    for name, content in saved.items():
        (folder / name).write_bytes(content)
    return folder


def test_another_number_of_clusters_leaves_no_search_behind(tmp_path):
    place = Workplace(1, tmp_path)
    left = interrupted(place, 3)
    with place.keep({"n_clusters": 4}) as kept:
        assert not left.exists()
        assert kept.work.path.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_search_that_is_at_work_is_left_alone(tmp_path):
    place = Workplace(1, tmp_path)
    with place.keep({"n_clusters": 3}) as first, place.keep({"n_clusters": 4}):
        assert first.work.path.exists()
        first.save({})
    assert list(tmp_path.iterdir()) == []


def test_links_are_not_followed(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").write_text("precious")
    work = tmp_path / "work"
    work.mkdir()
    (work / "search-0").symlink_to(elsewhere)
    with Workplace(1, work).keep({"n_clusters": 3}):
        pass
    assert (elsewhere / "mine").read_text() == "precious"
