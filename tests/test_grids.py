"""Tables of results in the forms that people paste."""

from __future__ import annotations

import re

from subspan.grids import Grid, for_latex

BEST = frozenset({(1, 1)})
GRID = Grid(["method", "accuracy %"], [["s3comp_c", "81.0 ± 1.0"], ["lsr", "93.5"]], best=BEST)


def test_the_best_stands_out_in_a_terminal_and_the_columns_stay_aligned() -> None:
    plain = GRID.aligned()
    bold = GRID.aligned(bold=True)
    assert "\x1b[1m      93.5\x1b[0m" in bold
    assert re.sub(r"\x1b\[[01]m", "", bold) == plain
    assert len({len(line) for line in plain.splitlines()}) == 1


def test_the_best_stands_out_in_markdown() -> None:
    assert "| lsr | **93.5** |" in GRID.markdown()


def test_every_sign_of_latex_is_escaped() -> None:
    assert for_latex("a_b % & # $ {x} ~ ^ \\") == (
        r"a\_b \% \& \# \$ \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{}"
    )
    assert r"s3comp\_c & 81.0 $\pm$ 1.0 \\" in GRID.latex()
    assert r"lsr & \textbf{93.5} \\" in GRID.latex()


def test_a_sentence_takes_all_columns() -> None:
    grid = Grid(["method", "a", "b"], [["lsr", "1", "2"], ["scc", "too few"]])
    assert r"scc & \multicolumn{2}{l}{too few} \\" in grid.latex()
