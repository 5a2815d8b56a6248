"""The arithmetic of the tables, on made-up results."""

import csv
import io

import pytest

from subspan.reproduction.catalog import EXPERIMENTS
from subspan.reproduction.documents import write_document
from subspan.reproduction.plan import Scope
from subspan.reproduction.summary import Summary, comparison_verdict, summarize


def numbers(table):
    lines = csv.DictReader(io.StringIO(table.numbers.csv()))
    return {(line["dataset"], line["method"], line["metric"]): line for line in lines}


@pytest.fixture
def faces(make_row):
    """S3COMP-C slightly below the published 87.41, S3COMP above 81.61, SSC-OMP far below 77.59."""
    return {
        ("EYaleB", "S3COMP-C"): [make_row(a, sre=0.2) for a in (0.86, 0.87, 0.88)],
        ("EYaleB", "S3COMP"): [make_row(0.82), make_row(0.82)],
        ("EYaleB", "SSCOMP"): [make_row(0.5)],
    }


def test_mean_deviation_difference_and_verdict(faces):
    lines = numbers(EXPERIMENTS["table-eyaleb"].show(faces, Scope()))
    consensus = lines["EYaleB", "S3COMP-C", "accuracy"]
    assert consensus["published"] == "87.41"
    assert [float(consensus[name]) for name in ("mean", "sd", "trials", "difference")] == [
        87.0,
        1.0,
        3,
        -0.41,
    ]
    assert consensus["verdict"] == "within one sd"
    assert lines["EYaleB", "S3COMP", "accuracy"]["verdict"] == "reached"
    assert lines["EYaleB", "SSCOMP", "accuracy"]["verdict"] == "below by 27.59"
    assert lines["EYaleB", "SSCOMP", "accuracy"]["sd"] == ""
    error = lines["EYaleB", "S3COMP-C", "sre"]
    assert [error["published"], error["verdict"]] == ["20.28", ""]
    assert float(error["difference"]) == pytest.approx(-0.28)
    assert lines["EYaleB", "S3COMP-C", "seconds"]["difference"] == ""


def test_methods_that_were_not_run_keep_their_published_values(faces):
    table = EXPERIMENTS["table-eyaleb"].show(faces, Scope())
    line = numbers(table)["EYaleB", "SCC", "accuracy"]
    assert [line["published"], line["mean"], line["verdict"]] == ["12.80", "", "not run"]
    assert numbers(table)["EYaleB", "SCC", "sre"]["published"] == "-"
    assert len(numbers(table)) == 10 * 4


def test_markdown_shows_both_and_explains(faces, tmp_path):
    paths = write_document(EXPERIMENTS["table-eyaleb"].show(faces, Scope()), tmp_path)
    assert [path.name for path in paths] == ["table-eyaleb.csv", "table-eyaleb.md"]
    text = paths[1].read_text()
    line = next(line for line in text.splitlines() if line.startswith("| S3COMP-C |"))
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[:8] == [
        "S3COMP-C",
        "87.41",
        "87.00 ± 1.00",
        "-0.41",
        "within one sd",
        "20.28",
        "20.00 ± 0.00",
        "-0.28",
    ]
    widths = {line.count("|") for line in text.split("##")[1].splitlines() if line.startswith("|")}
    assert len(widths) == 1
    assert "s - 1 atoms" in text
    assert "| EYaleB | 5 | 4 | 15 | 0.01 | 0.1 | 5 |" in text
    assert "Run on 2026-01-31, abacus, 2 cores" in text


def test_a_quick_run_gives_no_verdict(faces):
    table = EXPERIMENTS["table-eyaleb"].show(faces, Scope(quick=True))
    assert {line["verdict"] for line in numbers(table).values()} == {"", "not run"}
    assert any("not to be compared" in note for note in table.notes)


def test_times_of_earlier_runs_are_told(faces):
    assert not any(
        "beside other work" in note for note in EXPERIMENTS["table-eyaleb"].show(faces, Scope()).notes
    )
    cell, (first, *others) = next(iter(faces.items()))
    some = {**faces, cell: [{**first, "timed": "2026-01-30T00:00:00"}, *others]}
    (note,) = (
        note for note in EXPERIMENTS["table-eyaleb"].show(some, Scope()).notes if "beside other work" in note
    )
    total = sum(map(len, faces.values()))
    assert note.startswith(f"1 of the {total} runs ")
    assert note.endswith("of 2026-01-30.")


def test_connectivity_has_both_measures_of_all_sets(invent):
    experiment = EXPERIMENTS["table-connectivity"]
    options = Scope(trials=2, methods=frozenset({"ssc-omp", "s3comp*", "s3comp", "s3comp-c"}))
    cells = experiment.cells(options)
    assert len(cells) == 6 * 4
    lines = numbers(experiment.show(invent(cells), options))
    assert len(lines) == 6 * 5 * 2
    line = lines["GTSRB", "S3COMP*", "connectivity_mean"]
    assert [line["published"], float(line["mean"])] == ["0.1883", 0.05]
    assert lines["GTSRB", "EnSC", "connectivity_min"]["verdict"] == "not run"


def test_the_slightest_shortfall_counts():
    assert comparison_verdict(Summary(87.4051, None, 1), 87.41) == "reached"
    assert comparison_verdict(Summary(87.4049, None, 1), 87.41) == "below by 0.01"
    assert comparison_verdict(Summary(86.41, 1.0, 5), 87.41) == "within one sd"
    assert comparison_verdict(Summary(86.40, 1.0, 5), 87.41) == "below by 1.01"
    assert summarize([2.0]).deviation is None
